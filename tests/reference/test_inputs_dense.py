"""Dense matrices: the graph has their nonzeros, found by plain loops; and what memory finding it takes."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from contract.kinds import frozen
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import csgraph_from_dense
from tensors import OnlyDLPack

from lagcolor import Graph, GraphError, Pattern
from lagcolor.inputs import dense

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every other": lambda a: np.repeat(np.repeat(a, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "part": lambda a: np.pad(a, 3)[3:-3, 3:-3],
    "read-only": frozen,
    "unaligned": lambda a: _unaligned(a),
}
TYPES = [bool, np.uint16, np.float16, np.float64, np.complex128, ">f8"]


def _unaligned(a: np.ndarray) -> np.ndarray:
    out = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    out[...] = a
    return out


def symmetric(n: int, share: float, seed: int = 0) -> np.ndarray:
    """With a diagonal."""
    there = np.random.default_rng(seed).random((n, n)) < share
    return there | there.T | np.eye(n, dtype=bool)


def rows(a: Any, diagonal: bool) -> list[list[int]]:
    table = np.asarray(a).tolist()
    return [[j for j, x in enumerate(row) if x != 0 and (diagonal or i != j)] for i, row in enumerate(table)]


def rows_of(P: Pattern) -> list[list[int]]:
    return [P.indices[a:b].tolist() for a, b in zip(P.indptr[:-1].tolist(), P.indptr[1:].tolist(), strict=True)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_and_types(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "BLOCK", 200)  # several blocks, one of them short
    for dtype, (n, share) in itertools.product(TYPES, ((37, 0.02), (37, 0.6), (64, 0.01))):
        a = LAYOUTS[layout](symmetric(n, share).astype(dtype))
        before = a.copy()
        assert rows_of(Graph.of(a)) == rows(before, diagonal=False)
        assert rows_of(Pattern.of(a)) == rows(before, diagonal=True)
        half = a[: n // 2 + 1, 3:]
        assert rows_of(Pattern.of(half)) == rows(half, diagonal=True)
        assert (a == before).all()


@given(st.integers(1, 12), st.integers(3, 12), st.randoms(use_true_random=False), st.integers(1, 40))
def test_any_matrix(m: int, n: int, random: Any, block: int) -> None:
    a = np.array([[random.choice([0.0, 0.0, -0.0, 2.5]) for _ in range(n)] for _ in range(m)])
    whole, dense.BLOCK = dense.BLOCK, block
    try:
        for layout in (np.ascontiguousarray, np.asfortranarray):
            assert rows_of(Pattern.of(layout(a))) == rows(a, diagonal=True)
    finally:
        dense.BLOCK = whole


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_the_first_nan_in_row_order(dtype: Any, order: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "BLOCK", 60)
    a = symmetric(20, 0.1).astype(dtype, order=order)
    a[7, 9] = a[7, 12] = a[9, 2] = np.nan
    for of in (Graph.of, Pattern.of):
        with pytest.raises(GraphError, match=r"entry \(7, 9\) of the dense matrix is \(?nan"):
            of(a)
    a[7, 9], a[7, 12], a[9, 2] = 1, -np.inf, np.inf
    for of in (Graph.of, Pattern.of):
        with pytest.raises(GraphError, match=r"entry \(7, 12\) of the dense matrix is \(?-inf"):
            of(a)


@pytest.mark.parametrize("of", [np.asarray, pd.DataFrame, OnlyDLPack, np.ma.masked_array, np.asfortranarray, "torch"])
@pytest.mark.parametrize("none", [np.inf, np.nan])
def test_both_readings_of_an_entry_that_is_not_finite(of: Any, none: float) -> None:
    """In scipy.sparse.csgraph it is no edge; the message has code for both."""
    of = pytest.importorskip("torch").from_numpy if of == "torch" else of
    a = np.array([[0, 1, none], [1, 0, 1], [none, 1, 0]])
    for read in (Graph.of, Pattern.of) if of is not pd.DataFrame else (Graph.of,):
        with pytest.raises(GraphError, match=r"entry \(0, 2\) of the dense matrix is") as caught:
            read(of(a))
        programs = re.findall("`(.+?)`", str(caught.value))
        path, complete = (read(eval(code, {"numpy": np, "x": of(a)})) for code in programs)
        assert (path.m, complete.m) == (4, 6)
        assert path.indices.tolist() == Graph.of(csgraph_from_dense(a)).indices.tolist()


@pytest.mark.parametrize("order", ["C", "F"])
def test_one_way(order: Any) -> None:
    a = np.zeros((9, 9), order=order)
    a[2, 5] = a[5, 2] = a[6, 3] = a[8, 1] = 1
    with pytest.raises(GraphError, match=r"entry \(6, 3\) is there, \(3, 6\) is not"):
        Graph.of(a)
    assert Graph.of(a, symmetrize=True).n_edges == 3


@pytest.mark.parametrize("dtype", [bool, np.float32])
def test_memory(dtype: Any) -> None:
    """In addition to the matrix: its CSR twice at most, a block and what is found in it; never an array of its size."""
    a = symmetric(6000, 0.0005).astype(dtype)
    Graph.of(a[:10, :10])
    tracemalloc.start()
    G = Graph.of(a)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.2 * a.nbytes
    assert peak < 2 * (G.indptr.nbytes + G.indices.nbytes) + 4 * dense.BLOCK


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [bool, np.float64])
def test_on_the_gpu(dtype: Any) -> None:
    import cupy as cp

    for a in (symmetric(50, 0.05).astype(dtype), symmetric(50, 0.6).astype(dtype)):
        for x in (cp.asarray(a), cp.asfortranarray(cp.asarray(a)), cp.asarray(np.repeat(a, 2, axis=1))[:, ::2]):
            assert rows_of(Graph.of(x).on("cpu")) == rows(a, diagonal=False)
            assert rows_of(Pattern.of(x).on("cpu")) == rows(a, diagonal=True)
    assert rows_of(Graph.of(a, device="cuda").on("cpu")) == rows(a, diagonal=False)
