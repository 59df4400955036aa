"""Conversion and check on CPU threads: what one thread gives, for any number of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import corpus
import numpy as np
import pytest
import scipy.sparse as sp
from contract import definitions
from two_hop_cases import case, cases

import lagcolor
from lagcolor import inputs
from lagcolor.base import device as dev
from lagcolor.base.device import extremes
from lagcolor.base.errors import GraphError
from lagcolor.inputs import canonical_cpu, checks, transpose_cpu
from lagcolor.problems import on_cpu

GRAPHS = ("uniform:100000,8", "grid2d:320", "star")


@pytest.fixture(params=[3, 8])
def threads(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """The threads of a call, as on a machine with more cores."""
    monkeypatch.setattr(dev, "_wanted", lambda: request.param)
    return int(request.param)


@pytest.fixture(scope="module", params=GRAPHS, name="G")
def graph(request: Any) -> lagcolor.Graph:
    if request.param == "star":  # whose hub has half of all entries
        n = 200_000
        return lagcolor.Graph.of((np.zeros(n - 1, np.int64), np.arange(1, n)))
    return lagcolor.generate.from_spec(request.param)


def same(H: Any, G: Any) -> bool:
    pairs = ((H.indptr, G.indptr), (H.indices, G.indices))
    return all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in pairs)


def forms(G: lagcolor.Graph) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Inputs that are one graph, and the options that `Graph.of` needs for them."""
    rng, n, rows = np.random.default_rng(0), G.n, G.rows_of_entries()
    mixed, within, ones = rng.permutation(G.m), np.lexsort((rng.random(G.m), rows)), np.ones(G.m, np.int8)
    A, u, v = G.to_scipy(), rows[mixed], G.indices[mixed]
    once, wide = u < v, A.copy()
    wide.indptr, wide.indices = A.indptr.astype(np.int64), A.indices.astype(np.int64)
    diagonal = (A + sp.eye_array(n, dtype=np.int8, format="csr")).tocsr()
    diagonal.sort_indices()
    yield "CSR", A, {}
    yield "CSR, 64 bits", wide, {}
    yield "CSC", A.tocsc(), {}
    yield "CSR, a diagonal", diagonal, {}
    yield "CSR, unsorted", sp.csr_array((ones, G.indices[within], G.indptr), A.shape), {}
    yield "CSR, a triangle", sp.triu(A, format="csr"), {"symmetrize": True}
    yield "COO", sp.coo_array((ones, (u, v)), A.shape), {}
    yield "COO, by rows", sp.coo_array((ones, (rows, G.indices)), A.shape), {}
    yield "pairs", (u[once], v[once]), {"n": n}
    yield "pairs, 64 bits", (u[once].astype(np.int64), v[once].astype(np.int64)), {"n": n}
    more = np.arange(min(n, 1000))
    yield "pairs, repeats and loops", (np.concatenate([u, more, u]), np.concatenate([v, more, v])), {"n": n}


def test_any_number_of_threads_makes_the_same_graph(threads: int, G: lagcolor.Graph) -> None:
    for name, x, options in forms(G):
        assert same(lagcolor.Graph.of(x, **options), G), name


def test_any_number_of_threads_makes_the_same_pattern(threads: int, G: lagcolor.Graph) -> None:
    A = sp.triu(G.to_scipy(), k=-3, format="csr")[: G.n - 5]
    P = lagcolor.Pattern.of(A)
    back = A.tocsc()
    back.sort_indices()
    assert np.array_equal(P.T.indptr, back.indptr) and np.array_equal(P.T.indices, back.indices)
    assert same(lagcolor.Pattern.of(back), P)
    coo, mixed = A.tocoo(), np.random.default_rng(0).permutation(A.nnz)
    assert same(lagcolor.Pattern.of(sp.coo_array((coo.data, (coo.row[mixed], coo.col[mixed])), A.shape)), P)


def test_offsets_of_64_bits(G: lagcolor.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "_wanted", lambda: 3)
    monkeypatch.setattr(checks, "offset_type", lambda m: np.int64)
    for name, x, options in forms(G):
        indptr, indices = inputs.arrays_of(x, **options)[:2]
        assert indptr.dtype == np.int64 and np.array_equal(indptr, G.indptr), name
        assert np.array_equal(indices, G.indices), name


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "diagonal"])
def test_an_entry_without_a_mirror_image_is_found(threads: int, G: lagcolor.Graph, layout: str) -> None:
    """The first of two."""
    rows = G.rows_of_entries()
    keep = np.ones(G.m, bool)
    places = np.flatnonzero(rows < G.indices)
    keep[places[[len(places) // 3, 2 * len(places) // 3]]] = False
    B = sp.coo_array((np.ones(keep.sum(), np.int8), (rows[keep], G.indices[keep])), G.shape).tocsr()
    B = (B + sp.eye_array(G.n, dtype=np.int8, format="csr")).tocsr() if layout == "diagonal" else B.asformat(layout)
    first = min((int(G.indices[e]), int(rows[e])) for e in np.flatnonzero(~keep))
    with pytest.raises(GraphError, match=rf"entry \({first[0]}, {first[1]}\) is there") as caught:
        lagcolor.Graph.of(B)
    assert caught.value.entry == first


@pytest.mark.parametrize(("kind", "value"), [(np.int64, 400_000), (np.uint64, 400_001), (np.int32, -1)])
def test_indices_out_of_range_are_named(threads: int, kind: type, value: int) -> None:
    u = np.arange(400_000).astype(kind)
    v = u[::-1].copy()
    v[300_000] = value
    message = f"{value} is " + ("negative" if value < 0 else "out of range for n = 400000")
    with pytest.raises(GraphError, match=rf"v\[300000\] = {message}"):
        lagcolor.Graph.of((u, v), n=400_000)
    A = sp.csr_array((np.ones(400_000, np.int8), u, np.arange(400_001)), (400_000, 400_000))
    A.indices = v.copy()
    for of in (lagcolor.Graph.of, lagcolor.Pattern.of):
        with pytest.raises(GraphError, match=rf"column indices\[300000\] = {message}"):
            of(A)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, ">i4"])
def test_extremes_and_falls(threads: int, kind: Any) -> None:
    x = np.random.default_rng(0).integers(5, 250, 300_000).astype(kind)
    for at, least, largest in ((0, 1, 251), (299_999, 2, 252), (150_000, 3, 253)):
        x[at], x[-1 - at] = least, largest
        assert extremes.span(x) == (x.min(), x.max()) and extremes.largest(x) == x.max()
    x.sort()
    assert checks.first_fall(x) == -1
    for at in (299_998, 200_000, 17):
        x[at + 1 :] = 0
        assert checks.first_fall(x) == at


@pytest.mark.parametrize("parts", [2, 7])
def test_every_change_of_a_small_graph_is_noticed_by_parts(parts: int) -> None:
    """Hashes by parts find every change of one entry that the exact pass by one part finds."""
    n, u, v = corpus.CORPUS["grid"]
    G = lagcolor.Graph.of((np.array(u), np.array(v)), n=n)
    assert canonical_cpu.is_canonical(G.indptr, G.indices, 1, parts)
    for at in range(0, G.m, 5):
        for value in range(-1, n + 1):
            changed = G.indices.copy()
            changed[at] = value
            expected = canonical_cpu.is_canonical(G.indptr, changed, 1, 1)
            assert canonical_cpu.is_canonical(G.indptr, changed, 1, parts) == expected == (value == G.indices[at])


@pytest.mark.parametrize("parts", [1, 2])
def test_symmetric_repeats_are_noticed_by_parts(parts: int) -> None:
    indptr, indices = np.array([0, 2, 4], np.int32), np.array([1, 1, 0, 0], np.int32)
    assert not canonical_cpu.is_canonical(indptr, indices, 1, parts)


def test_the_check_names_the_first_fault(threads: int, G: lagcolor.Graph) -> None:
    colors = lagcolor.color(G, verify=False).colors
    assert lagcolor.verify(G, colors).n_colors == colors.max() + 1
    bad = colors.copy()
    rows = G.rows_of_entries()
    e = int(np.flatnonzero(rows < G.indices)[-1])
    bad[G.indices[e]] = bad[rows[e]]
    report = lagcolor.verify(G, bad, errors="return")
    u, v = rows, G.indices
    at = np.flatnonzero((u < v) & (bad[u] == bad[v]))
    first = int(u[at[0]]), int(v[at[0]]), int(bad[u[at[0]]])
    assert (report.n_conflicts, report.conflicts[0]) == (len(at), first)


@functools.lru_cache
def coloring(G: lagcolor.Graph, problem: str) -> Any:
    """Return the input of a check: the graph or its pattern, and colors."""
    x = lagcolor.Pattern(G.indptr, G.indices, G.n) if problem in ("columns", "rows") else G
    return x, lagcolor.color(x, problem=problem, quality="fast", verify=False).colors


@pytest.mark.parametrize("problem", ["distance2", "columns", "rows", "star"])
def test_the_check_of_other_problems(threads: int, G: lagcolor.Graph, problem: str) -> None:
    """A coloring without fault, and one with a fault in the last net."""
    x, colors = coloring(G, problem)
    assert lagcolor.verify(x, colors, problem=problem).n_colors == colors.max() + 1
    net = int(np.flatnonzero(np.diff(G.indptr) >= 2)[-1])
    u, v = (net, G.indices[G.indptr[net]]) if problem == "star" else G.indices[G.indptr[net] : G.indptr[net] + 2]
    bad = colors.copy()
    bad[v] = bad[u]
    found = lagcolor.verify(x, bad, problem=problem, errors="return")
    assert found.n_violations and not found.ok
    for wrong in (-1, G.n):
        bad = colors.copy()
        bad[net] = wrong
        assert not lagcolor.verify(x, bad, problem=problem, errors="return").ok


def test_faults_that_only_the_quick_checks_see() -> None:
    """Colors of 32 bits: neighbors that have no other in common, and a gap."""
    G = lagcolor.Graph.of((np.array([0]), np.array([1])))
    for problem in ("distance2", "star"):
        for colors in ([0, 0], [0, 2], [-1, 0]):
            assert not lagcolor.verify(G, np.array(colors, np.int32), problem=problem, errors="return").ok
    P = lagcolor.Pattern.of(np.eye(3))
    for problem in ("columns", "rows"):
        assert lagcolor.verify(P, np.zeros(3, np.int32), problem=problem).n_colors == 1
        assert not lagcolor.verify(P, np.array([0, 2, 2], np.int32), problem=problem, errors="return").ok


@pytest.mark.parametrize("parts", [1, 8])
def test_paths_of_two_colors_are_no_stars(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colors of small trees, at random: the quick check passes where the definition does."""
    monkeypatch.setattr(on_cpu, "PARTS", parts)
    rng, passed = np.random.default_rng(1), 0
    for _ in range(300):
        n = int(rng.integers(3, 9))
        G = lagcolor.Graph.of((rng.integers(0, np.arange(1, n)), np.arange(1, n)), n=n)
        _, colors = np.unique(rng.integers(0, 3, n), return_inverse=True)
        good = on_cpu.checked(G, colors.astype(np.int32), n, on_cpu.stars) is not None
        assert good == definitions.star(G, colors), (G.indices, colors)
        passed += good
    assert 20 < passed < 280


@pytest.mark.parametrize("workers", [None, 1, 5])
def test_the_transpose_of_any_pattern(workers: int | None) -> None:
    """The transpose equals SciPy's."""
    for name in cases("columns"):
        P = case("columns", name)
        A = P.to_scipy().tocsc()
        for indptr in (P.indptr, P.indptr.astype(np.int64)):
            found = transpose_cpu.transpose(indptr, P.indices, P.columns, workers)
            for x, y in zip(found, (A.indptr, A.indices), strict=True):
                assert x.dtype == np.int32 and x.flags.c_contiguous and (x == y).all(), name


@pytest.mark.parametrize("kind", ["band", "band and far entries", "random"])
def test_the_transpose_by_many_threads(kind: str) -> None:
    """Threads that have few columns each, and the same where some rows have entries far away; and all columns."""
    rng, (rows, columns) = np.random.default_rng(0), (60_000, 100_000)
    i = np.repeat(np.arange(rows), 5)
    j = rng.integers(columns, size=len(i)) if kind == "random" else i * columns // rows + rng.integers(9, size=len(i))
    if kind == "band and far entries":
        j[rng.integers(len(j), size=9)] = rng.integers(columns, size=9)
    keep = j < columns - 3  # some columns are empty
    P = lagcolor.Pattern.of((i[keep], j[keep]), shape=(rows, columns))
    A = P.to_scipy().tocsc()
    for workers in (2, 17):
        found = transpose_cpu.transpose(P.indptr, P.indices, columns, workers)
        assert np.array_equal(found[0], A.indptr) and np.array_equal(found[1], A.indices), workers
