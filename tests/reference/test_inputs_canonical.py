"""Canonicalisation: every order, direction, repetition and type of entries gives the same CSR, on each engine."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lagcolor import Graph, GraphError
from lagcolor.inputs import canonical
from semirings import sparse

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
NAMES = [name for name in corpus.CORPUS if name != "clique 1100"]  # sets of a million tuples take long
Pairs = list[tuple[int, int]]


def put(a: Any, device: str) -> Any:
    if device == "cpu":
        return a
    import cupy

    return cupy.asarray(a)


def shared(a: Any, b: Any) -> bool:
    """Whether two arrays start at one address."""
    return len({x.ctypes.data if type(x) is np.ndarray else x.data.ptr for x in (a, b)}) == 1


def csr(n: int, entries: Pairs) -> tuple[list[int], list[int]]:
    """Offsets and columns of entries in the order given within each row."""
    rows: list[list[int]] = [[] for _ in range(n)]
    for i, j in entries:
        rows[i].append(j)
    return [0, *np.cumsum([len(r) for r in rows]).tolist()], [j for r in rows for j in r]


def wanted(n: int, entries: Pairs) -> tuple[list[int], list[int]]:
    """The canonical graph of the union of entries and their mirror images, by Python's sets."""
    return csr(n, sorted({e for i, j in entries if i != j for e in ((i, j), (j, i))}))


def listed(found: tuple[Any, Any]) -> tuple[list[int], list[int]]:
    return found[0].tolist(), found[1].tolist()


def columns_of(entries: Pairs) -> tuple[np.ndarray, np.ndarray]:
    u, v = np.array(entries, np.int64).reshape(-1, 2).T
    return u, v


def both(n: int, u: list[int], v: list[int]) -> Pairs:
    """Entries and mirror images, diagonal included, shuffled, some of them twice."""
    edges = list(zip(u, v, strict=True))
    entries = edges + [(b, a) for a, b in edges] + edges[:7]
    np.random.default_rng(5).shuffle(entries)
    return [(int(a), int(b)) for a, b in entries]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("limit", [sparse.INT32_LIMIT, 6], ids=["offsets 32", "offsets 64"])
def test_edges_and_matrices_of_the_corpus(limit: int, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offsets of 64 bits without 2³¹ entries: the limit is lowered."""
    monkeypatch.setattr(sparse, "INT32_LIMIT", limit)
    for n, u, v in (corpus.CORPUS[name] for name in NAMES):
        target, entries = wanted(n, list(zip(u, v, strict=True))), both(n, u, v)
        for pairs in (list(zip(u, v, strict=True)), entries, sorted(entries)):
            found = canonical.from_edges(*(put(a, device) for a in columns_of(pairs)), n)
            assert listed(found) == target
            assert found[0].dtype == (np.int32 if len(target[1]) < limit else np.int64) and found[1].dtype == np.int32
        rows, cols = (put(a, device) for a in columns_of(entries))
        indptr, indices = (put(np.array(a, np.int32), device) for a in csr(n, entries))
        for symmetrize in (False, True):
            assert listed(canonical.from_coo(rows, cols, n, symmetrize)) == target
            for csc in (False, True):
                assert listed(canonical.from_csr(indptr, indices, n, symmetrize, csc=csc)) == target


entry_lists = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
)


@pytest.mark.parametrize("device", DEVICES)
@given(case=entry_lists)
def test_any_entries(case: tuple[int, Pairs], device: str) -> None:
    n, entries = case
    u, v = (put(a, device) for a in columns_of(entries))
    assert listed(canonical.from_edges(u, v, n)) == wanted(n, entries)
    indptr, indices = (put(np.array(a, np.int32), device) for a in csr(n, entries))
    alone = next(((i, j) for i, j in sorted(entries) if (j, i) not in entries), None)
    for make in (lambda s: canonical.from_coo(u, v, n, s), lambda s: canonical.from_csr(indptr, indices, n, s)):
        assert listed(make(True)) == wanted(n, entries)
        if alone is None:
            assert listed(make(False)) == wanted(n, entries)
        else:
            with pytest.raises(GraphError, match=rf"entry \({alone[0]}, {alone[1]}\) is there"):
                make(False)


def test_strided_reversed_and_read_only_input_stays_as_it_was() -> None:
    n, u, v = corpus.CORPUS["rmat"]
    target = wanted(n, list(zip(u, v, strict=True)))
    table = np.array([u, v], np.int32).T.copy()
    for a in (table, table[::-1]):
        before = a.copy()
        a.flags.writeable = False
        assert listed(canonical.from_edges(a[:, 0], a[:, 1], n)) == target
        assert (a == before).all()


def test_canonical_arrays_are_not_copied() -> None:
    n, u, v = corpus.CORPUS["grid"]
    indptr, indices = (np.array(a, np.int32) for a in wanted(n, list(zip(u, v, strict=True))))
    for csc in (False, True):
        a, b = canonical.from_csr(indptr, indices, n, csc=csc)
        assert shared(a, indptr) and shared(b, indices)
    rows = np.repeat(np.arange(n), np.diff(indptr))
    assert shared(canonical.from_coo(rows, indices, n)[1], indices)
    assert shared(canonical.from_edges(rows, indices, n)[1], indices)


def test_nothing_but_canonical_passes_the_quick_check() -> None:
    """Every single change of a small canonical CSR is noticed: nothing else may be handed back unchanged."""
    n, entries = 5, [(0, 1), (0, 4), (1, 2), (1, 4), (2, 3)]
    indptr, indices = wanted(n, entries)
    engine = canonical._engine(np.zeros(1))
    for at in range(len(indices)):
        for value in range(-2, n + 3):
            changed = [*indices[:at], value, *indices[at + 1 :]]
            pair = (np.array(a, np.int32) for a in (indptr, changed))
            assert engine.is_canonical(*pair) == (changed == indices), (at, value)
    for e in range(len(indices) - 1):
        swapped = [*indices[:e], indices[e + 1], indices[e], *indices[e + 2 :]]
        pair = (np.array(a, np.int32) for a in (indptr, swapped))
        assert not engine.is_canonical(*pair), e
    for row in range(1, n):
        moved = [*indptr[:row], indptr[row] + 1, *indptr[row + 1 :]]
        if moved[row] <= moved[row + 1]:
            pair = (np.array(a, np.int32) for a in (moved, indices))
            assert not engine.is_canonical(*pair), row


@pytest.mark.parametrize("device", DEVICES)
def test_a_fault_at_a_block_boundary_is_found(device: str) -> None:
    """A matrix whose only faulty entry is stored at a place where one GPU block ends and the next begins."""
    n = 1200
    ring = [(i, (i + 1) % n) for i in range(n)]
    for at in (0, 255, 256, 257, 1023, 1024, -1):
        indptr, indices = (np.array(a, np.int32) for a in wanted(n, ring))
        indices[at] = int(np.searchsorted(indptr, at % len(indices), side="right")) - 1  # a loop where a neighbor was
        pair = put(indptr, device), put(indices, device)
        with pytest.raises(GraphError, match="not symmetric"):
            canonical.from_csr(*pair, n)
        assert canonical.from_csr(*pair, n, True)[1].tolist() == wanted(n, ring)[1]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_rows_that_are_matched_beyond_their_end(form: str) -> None:
    """Rows 0 and 1 name column 2, whose row has one entry; the second match would be the first entry of row 3."""
    A = sp.csr_array((np.ones(5), np.array([2, 2, 3, 0, 1]), np.array([0, 1, 3, 4, 5])), shape=(4, 4)).asformat(form)
    with pytest.raises(GraphError, match=r"entry \(1, 2\) is there, \(2, 1\) is not"):
        Graph.of(A)
    G = Graph.of(A, symmetrize=True)
    assert (G.indptr.tolist(), G.indices.tolist()) == ([0, 1, 3, 5, 6], [2, 2, 3, 0, 1, 1])


@pytest.mark.parametrize("name", ["empty", "one edge", "star, hub last", "rmat"])
def test_far_more_vertices_than_entries(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vertices that no entry names are left out of the conversion, with the same result."""
    A = corpus.graph(name).to_scipy().tocoo()
    n = A.shape[0] + 3
    rows, cols = np.append(A.row, n - 1), np.append(A.col, n - 2)

    def all_ways() -> list[Any]:
        out = [canonical.from_edges(rows, cols, n), canonical.from_coo(rows, cols, n, symmetrize=True)]
        out += [canonical.from_coo(A.row, A.col, n), canonical.pattern("coo", rows, cols, (n, n + 2))]
        with pytest.raises(GraphError) as e:
            canonical.from_coo(rows, cols, n)
        return [*out, (np.array([*e.value.entry]), np.zeros(0))]

    usual = all_ways()
    monkeypatch.setattr(canonical, "SPARSE", 0)
    monkeypatch.setattr(canonical, "SMALL", 0)
    for few, whole in zip(all_ways(), usual, strict=True):
        for a, b in zip(few, whole, strict=True):
            assert a.dtype == b.dtype and np.array_equal(a, b)
