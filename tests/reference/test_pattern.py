"""Patterns of any shape: from every kind of input, canonical whatever its arrays are like, on CPU and GPU."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from corpus import CORPUS, fewer, graph
from emulated import EMULATED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor import GraphError, Pattern
from lagcolor.base import device
from lagcolor.inputs import canonical_cpu, canonical_gpu

KINDS = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
SHAPES = [(0, 0), (0, 5), (5, 0), (1, 9), (9, 1), (40, 40), (300, 7)]


def entries(shape: tuple[int, int], m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of up to m entries, in any order, some of them twice."""
    r = np.random.default_rng(seed)
    m = m if min(shape) else 0
    return r.integers(0, max(shape[0], 1), m), r.integers(0, max(shape[1], 1), m)


def check(P: Pattern, rows: Any, columns: Any, shape: tuple[int, int]) -> None:
    """P is the canonical pattern of these entries."""
    expected = sorted(set(zip(rows.tolist(), columns.tolist(), strict=True)))
    indptr, indices = (device.to_device(a, "cpu") for a in (P.indptr, P.indices))
    assert P.shape == shape
    assert indices.dtype == np.int32 and indptr.dtype == np.int32
    assert indices.flags.c_contiguous and not (P.device == "cpu" and indices.flags.writeable)
    assert len(indptr) == shape[0] + 1
    found = np.repeat(np.arange(shape[0]), np.diff(indptr))
    assert list(zip(found.tolist(), indices.tolist(), strict=True)) == expected


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_scipy_of_any_format_and_its_transpose(kind: str, shape: tuple[int, int]) -> None:
    rows, columns = entries(shape, 60, 1)
    A = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    for form in ("coo", "csr", "csc", "lil", "dok"):
        P = Pattern.of(A.asformat(form), device=kind)
        check(P, rows, columns, shape)
    zeros = sp.coo_array((np.zeros(len(rows)), (rows, columns)), shape=shape)  # stored ones count
    check(Pattern.of(zeros, device=kind), rows, columns, shape)
    check(P.T, columns, rows, shape[::-1])
    check(P.T.T, rows, columns, shape)
    assert P.T is P.T and P.T.device == P.device


def test_graphs_are_patterns() -> None:
    for name in CORPUS:
        G = graph(name)
        assert Pattern.of(G) is G is G.T and isinstance(G, Pattern)
        P = Pattern.of(G.to_scipy())
        assert P.shape == G.shape == (G.n, G.n)
        assert np.array_equal(P.indptr, G.indptr) and np.array_equal(P.indices, G.indices)
        assert np.array_equal(lagcolor.Graph.of(P).indices, G.indices)


@given(
    rows=st.integers(0, 30), columns=st.integers(0, 30), m=st.integers(0, 200), seed=st.integers(0, 2**32 - 1),
    wide=st.booleans(), form=st.sampled_from(["csr", "csc"]),
)  # fmt: skip
def test_csr_in_any_order(rows: int, columns: int, m: int, seed: int, wide: bool, form: str) -> None:
    """Rows out of order, with duplicates, in 32 and 64 bits."""
    r, c = entries((rows, columns), m, seed)
    outer, inner, n = (r, c, rows) if form == "csr" else (c, r, columns)
    by = np.argsort(outer, kind="stable")
    indptr = np.searchsorted(outer[by], np.arange(n + 1))
    A = (sp.csr_array if form == "csr" else sp.csc_array)((rows, columns))
    A.indptr, A.indices = (
        indptr.astype(np.int64 if wide else np.int32),
        inner[by].astype(np.int64 if wide else np.int32),
    )
    A.data = np.ones(len(by))
    check(Pattern.of(A), r, c, (rows, columns))


@EMULATED
@given(rows=st.integers(1, 20), columns=st.integers(1, 20), m=st.integers(0, 90), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=fewer(20), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_arrays_of_a_gpu(rows: int, columns: int, m: int, seed: int) -> None:
    """The functions of both devices give the same arrays."""
    r, c = (a.astype(np.int32) for a in entries((rows, columns), m, seed))
    here = canonical_cpu.entries(r, c, rows, columns)
    there = canonical_gpu.entries(device.to_device(r, "cuda"), device.to_device(c, "cuda"), rows, columns)
    transposed = canonical_gpu.transpose(*there, columns)
    for x, y in zip((*here, *canonical_cpu.transpose(*here, columns)), (*there, *transposed), strict=True):
        assert np.array_equal(x, y.get())
    assert canonical_cpu.rows_rise(*here) and canonical_gpu.rows_rise(*there)
    backwards = here[0], here[1][::-1].copy()
    assert canonical_cpu.rows_rise(*backwards) == canonical_gpu.rows_rise(
        there[0], device.to_device(backwards[1], "cuda")
    )


def test_files(tmp_path: Path) -> None:
    rows, columns = entries((8, 13), 40, 5)
    A = sp.coo_array((np.ones(40), (rows, columns)), shape=(8, 13))
    sp.save_npz(tmp_path / "a.npz", sp.csr_array(A))
    scipy.io.mmwrite(tmp_path / "a.mtx", A, field="pattern")
    scipy.io.mmwrite(tmp_path / "dense.mtx", A.toarray())
    for name in ("a.npz", "a.mtx", "dense.mtx"):
        check(Pattern.of(tmp_path / name), rows, columns, (8, 13))
    S = sp.coo_array(np.array([[1, 0, 0], [1, 0, 0], [0, 1, 1]]))
    scipy.io.mmwrite(tmp_path / "s.mtx", S + S.T, symmetry="symmetric")
    full = (S + S.T).toarray()
    check(Pattern.of(tmp_path / "s.mtx"), *np.nonzero(full), (3, 3))  # with its diagonal
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 4 1\n1 1\n")
    with pytest.raises(lagcolor.FormatError, match="a 2 × 4 matrix is not symmetric"):
        Pattern.of(tmp_path / "bad.mtx")


def test_networkx() -> None:
    nx = pytest.importorskip("networkx")
    B = nx.Graph()
    B.add_nodes_from(["x", "y", "z"], bipartite=1)
    B.add_nodes_from([1, 2], bipartite=0)
    B.add_edges_from([(1, "x"), ("z", 1), (2, "z")])
    P = Pattern.of(B)
    assert P.to_scipy().toarray().tolist() == [[1, 0, 1], [0, 0, 1]]
    assert list(P.labels) == [1, 2] and list(P.column_labels) == ["x", "y", "z"]
    assert list(P.T.labels) == ["x", "y", "z"]
    B.add_edge("x", "y")
    with pytest.raises(GraphError, match="joins two nodes of one side"):
        Pattern.of(B)


def test_errors() -> None:
    for x, shape, message in (
        (([0, 3], [0, 1]), (3, 2), "row indices\\[1\\] = 3 is out of range for n = 3; rows are numbered"),
        (([0, 1], [0, -1]), (3, 2), "column indices\\[1\\] = -1 is negative; columns are numbered"),
        (([0.5], [0]), None, "rows must be integers"),
        (([0, 1], [0]), None, "must be of one length, one entry per edge: 2 and 1"),
        (np.zeros((2, 2, 2)), None, "no matrix"),
        (7, None, "cannot make a pattern of builtins.int; Pattern.of takes"),
        (sp.csr_array((3, 4)), (4, 3), r"shape = \(4, 3\), but the matrix has shape \(3, 4\)"),
    ):
        with pytest.raises((GraphError, OSError), match=message):
            Pattern.of(x, shape=shape)


def test_graphs_of_patterns() -> None:
    with pytest.raises(GraphError, match=r"square, and this pattern has shape \(3, 4\)"):
        lagcolor.Graph.of(Pattern.of(sp.csr_array((3, 4))))
    one_way = Pattern.of(([0, 0], [0, 1]), shape=(2, 2))
    with pytest.raises(GraphError, match="not symmetric"):
        lagcolor.Graph.of(one_way)
    assert lagcolor.Graph.of(one_way, symmetrize=True).n_edges == 1


def test_immutable_and_pickled() -> None:
    P = Pattern.of(([0, 1], [2, 0]), shape=(2, 4))
    with pytest.raises(GraphError, match="a Pattern is immutable"):
        P.indices = None
    Q = pickle.loads(pickle.dumps(P))
    assert Q.shape == P.shape and np.array_equal(Q.indices, P.indices)
    assert repr(P) == "<Pattern: 2 × 4, 2 entries, on cpu>"
    assert Pattern.of(P) is P
    with pytest.raises(GraphError, match="leave shape out"):
        Pattern.of(P, shape=(4, 2))
