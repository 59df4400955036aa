"""The check of a CSR on a GPU, which trusts nothing, and extremes of arrays, compared with Python and NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from corpus import graph
from emulated import ENGINES

import lagcolor
from lagcolor.base import device as dev
from lagcolor.base.device import extremes
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
    """Return the result of the GPU."""
    arrays = (dev.to_device(np.array(a, t), "cuda") for a, t in zip((indptr, indices), types, strict=True))
    return canonical_gpu.is_canonical_unchecked(*arrays, len(indptr) - 1)


@on_each_engine
@pytest.mark.parametrize("types", TYPES, ids=map("-".join, TYPES))
@pytest.mark.parametrize("name", ["no edges", "one edge", "star, hub last", "clique 80 and more", "rmat"])
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
@pytest.mark.parametrize("types", TYPES[::3], ids=map("-".join, TYPES[::3]))
def test_errors_equal_errors_of_a_cpu(engine: str, indptr: Any, indices: Any, types: tuple[str, str]) -> None:
    arrays = [np.array(a, t) for a, t in zip((indptr, indices), types, strict=True)]
    messages = []
    for device in ("cpu", "cuda"):
        with pytest.raises(lagcolor.GraphError) as e:
            canonical.from_csr(*(dev.to_device(a, device) for a in arrays), 2)
        messages.append(str(e.value))
    assert messages[0] == messages[1]


# ---- extremes of arrays -------------------------------------------------------------------------------------


def expected(x: np.ndarray) -> tuple[int, ...]:
    falls, repeats = np.flatnonzero(x[:-1] > x[1:]), np.flatnonzero(x[:-1] == x[1:])
    firsts = (int(at[0]) if len(at) else -1 for at in (falls, repeats))
    return int(x.min()), int(x.max()), np.count_nonzero(x == x.max()), *firsts


@on_each_engine
@pytest.mark.parametrize("n", [1, 33, 2048, 2049, 20_001])
def test_colors(engine: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    r = np.random.default_rng(n)
    for top in (0, 3, 10**6):
        colors = r.integers(0, top + 1, n, dtype=np.int32)
        assert extremes.extremes(dev.to_device(colors, "cuda")) == expected(colors)
        rising = np.sort(colors)
        assert extremes.extremes(dev.to_device(rising, "cuda")) == expected(rising)
    monkeypatch.setattr(extremes, "MOST", 3)  # each block goes over the array several times
    assert extremes.extremes(dev.to_device(colors, "cuda")) == expected(colors)


@on_each_engine
@pytest.mark.parametrize("dtype", [name for name in extremes.TYPES if name != "bool"])
def test_types(engine: str, dtype: str) -> None:
    """The least and the largest number of each type, and every second one of an array."""
    r, of = np.random.default_rng(0), np.iinfo(dtype)
    x = r.integers(of.min, of.max, 5000, dtype, endpoint=True)
    x[[17, 40, 4000]] = of.max, of.min, of.max
    assert extremes.extremes(dev.to_device(x, "cuda")) == expected(x)
    assert extremes.extremes(dev.to_device(x, "cuda")[::2]) == expected(x[::2])
    if of.bits == 64:
        distinct = np.unique(x)
        assert extremes.extremes(dev.to_device(distinct, "cuda")) == (*expected(distinct)[:3], -1, -1)


@on_each_engine
@pytest.mark.parametrize("name", ["no edges", "star", "clique 70", "rmat"])
def test_degrees(engine: str, name: str) -> None:
    G = graph(name)
    count = np.count_nonzero(G.degrees == G.max_degree)
    for dtype in (np.int32, np.int64):
        H = lagcolor.Graph(G.indptr.astype(dtype), G.indices).on("cuda")
        found = extremes.degrees(H.indptr)
        assert found[1:3] == (G.max_degree, count) and found.least == G.degrees.min()
        assert found.squares == (G.degrees.astype(np.int64) ** 2).sum()
        assert H.max_degree == G.max_degree


@on_each_engine
@pytest.mark.parametrize("most", [1, 4, 5000])
@pytest.mark.parametrize("n", [0, 1, 3000])
def test_numbers_in_use(engine: str, n: int, most: int) -> None:
    """Counts and flags, in shared memory and past it; negative numbers are passed over."""
    for dtype in (np.int32, np.int64):
        x = np.random.default_rng(n).integers(-1, most, n).astype(dtype)
        there, colored = dev.to_device(x, "cuda"), x[x >= 0]
        expected = np.bincount(colored, minlength=most)
        for found in (dev.counts(there, most), dev.counts(x, most)):
            assert found.dtype == np.int64 and found.tolist() == expected.tolist()
        for found in (dev.used(there, most), dev.used(x, most)):
            assert found.dtype == bool and found.tolist() == (expected > 0).tolist()
        assert extremes.distinct(there) == extremes.distinct(x) == len(np.unique(colored))
