"""The check of a CSR on a GPU, which trusts nothing, compared with plain Python; and what errors say."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph
from emulated import ENGINES

import lagcolor
from lagcolor.base import device as dev
from lagcolor.inputs import canonical, canonical_gpu

pytestmark = pytest.mark.inner

on_each_engine = pytest.mark.parametrize("engine", ENGINES[1:])
FAR = 10**9  # an index that ends the process where a kernel follows it
TYPES = [(a, b) for a in ("int32", "int64") for b in ("int32", "int64")]


def is_canonical(indptr: list[int], indices: list[int]) -> bool:
    """By definition."""
    n = len(indptr) - 1
    if indptr[0] != 0 or indptr[-1] != len(indices) or any(a > b for a, b in itertools.pairwise(indptr)):
        return False
    rows = [indices[a:b] for a, b in itertools.pairwise(indptr)]
    entries = {(i, j) for i, row in enumerate(rows) for j in row}
    return (
        all(row == sorted(set(row)) for row in rows)
        and all(0 <= j < n and i != j for i, j in entries)
        and entries == {(j, i) for i, j in entries}
    )


def found(indptr: Any, indices: Any, types: tuple[str, str] = TYPES[0]) -> bool:
    """As the GPU says."""
    arrays = (dev.to_device(np.array(a, t), "cuda") for a, t in zip((indptr, indices), types, strict=True))
    return canonical_gpu.is_canonical_unchecked(*arrays, len(indptr) - 1)


@on_each_engine
@pytest.mark.parametrize("types", TYPES, ids=map("-".join, TYPES))
@pytest.mark.parametrize("name", [name for name, (n, _, _) in CORPUS.items() if n])
def test_graphs(engine: str, name: str, types: tuple[str, str]) -> None:
    G = graph(name)
    assert found(G.indptr, G.indices, types)
    arrays = (dev.to_device(a.astype(t), "cuda") for a, t in zip((G.indptr, G.indices), types, strict=True))
    indptr, indices = canonical.from_csr(*arrays, G.n)
    assert indptr.dtype == indices.dtype == np.int32
    assert np.array_equal(indptr.get(), G.indptr) and np.array_equal(indices.get(), G.indices)


@on_each_engine
@pytest.mark.parametrize("types", TYPES[::3], ids=map("-".join, TYPES[::3]))
def test_each_change_of_a_number(engine: str, types: tuple[str, str]) -> None:
    indptr, indices = [0, 2, 4, 4, 6, 8], [1, 4, 0, 3, 1, 4, 0, 3]
    assert is_canonical(indptr, indices)
    values, right = (*range(-2, 10), FAR, -FAR), 0
    for array in (indptr, indices):
        for at, old in enumerate(array):
            for array[at] in values:
                assert found(indptr, indices, types) == is_canonical(indptr, indices), (indptr, indices)
                right += is_canonical(indptr, indices)
            array[at] = old
    assert right == len(indptr) + len(indices)


@on_each_engine
def test_changes_of_a_graph_of_several_blocks(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hubs, rows over ends of tiles, and blocks that take several tiles."""
    monkeypatch.setattr(canonical_gpu, "MOST", 2)
    G = lagcolor.generate.from_spec("rmat:9")
    assert G.m > 3 * canonical_gpu.TILE and found(G.indptr, G.indices)
    indptr, indices = G.indptr.tolist(), G.indices.tolist()
    r = np.random.default_rng(0)
    rows = G.rows_of_entries()
    ends = [e for tile in range(2048, G.m, 2048) for e in (tile - 1, tile)]
    for e in (0, *ends, G.m - 1, *r.integers(0, G.m, 5).tolist()):
        for value in (indices[e - 1], int(rows[e]), -1, G.n, FAR, int(r.integers(0, G.n))):
            changed = [*indices[:e], value, *indices[e + 1 :]]
            assert found(indptr, changed) == (value == indices[e]), (e, value)
    one_sided = np.delete(G.indices, at := int(np.flatnonzero(rows > G.indices)[7]))  # below the diagonal
    assert not found(G.indptr - (np.arange(G.n + 1) > rows[at]), one_sided)


@on_each_engine
def test_many_empty_rows(engine: str) -> None:
    indptr = np.repeat([0, 1, 2], [5000, 4000, 1001])
    assert found(indptr, [8999, 4999]) and not found(indptr, [8998, 4999])
    for end in (1, 3, FAR):
        indptr[-1] = end
        assert not found(indptr, [8999, 4999])


@on_each_engine
@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([1, 2, 2], [1, 0]), ([0, 2, 1], [1, 0]), ([0, 1, 3], [1, 0]), ([0, 1], [0, 0]), ([0, -FAR, 2], [1, 0]),
        ([0, 1, 2], [1, -1]), ([0, 1, 2], [FAR, 0]), ([0, 1, 1], [1]), ([0, 0, 1], [0]),
    ],
    ids=["first", "falls", "end", "length", "negative", "index", "range", "upper", "lower"],
)  # fmt: skip
@pytest.mark.parametrize("types", TYPES, ids=map("-".join, TYPES))
def test_errors_are_those_of_a_cpu(engine: str, indptr: Any, indices: Any, types: tuple[str, str]) -> None:
    arrays = [np.array(a, t) for a, t in zip((indptr, indices), types, strict=True)]
    said = []
    for device in ("cpu", "cuda"):
        with pytest.raises(lagcolor.GraphError) as e:
            canonical.from_csr(*(dev.to_device(a, device) for a in arrays), 2)
        said.append(str(e.value))
    assert said[0] == said[1]


@on_each_engine
@pytest.mark.parametrize("kind", ["unsorted", "twice", "diagonal", "beyond"])
def test_what_is_not_canonical_is_made_so(engine: str, kind: str) -> None:
    """Two vertices with an edge, and entries that are dropped, sorted or merged."""
    rows = {
        "unsorted": ([0, 2, 3, 4], [2, 1, 0, 0]), "twice": ([0, 2, 4, 4], [1, 1, 0, 0]),
        "diagonal": ([0, 2, 3, 3], [0, 1, 0]), "beyond": ([0, 1, 2, 2], [1, 0, 9]),
    }[kind]  # fmt: skip
    target = canonical.from_csr(*(np.array(a, np.int32) for a in rows), 3)
    there = canonical.from_csr(*(dev.to_device(np.array(a, np.int32), "cuda") for a in rows), 3)
    assert [a.get().tolist() for a in there] == [a.tolist() for a in target]
