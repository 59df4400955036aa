"""Colors of box lattices: as few as there can be where a graph is one, None otherwise, the same on every engine."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from emulated import EMULATED, ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.core.result import Log
from lagcolor.engines.recolor.lattice import _divisor, lattice, strides
from lagcolor.search import attempts as search_room


def box(*sides: int, periodic: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray, int]:
    """Edges of the lattice with these sides, the first of which is a row; joined at its ends along some axes."""
    shape = sides[::-1]
    ids = np.arange(np.prod(shape)).reshape(shape)
    u, v = [], []
    for step in itertools.product((-1, 0, 1), repeat=len(sides)):
        if not any(step):
            continue
        moved = np.roll(ids, step[::-1], range(len(sides)))
        inside = np.ones(shape, bool)
        for axis, by in enumerate(step):
            if by and axis not in periodic:
                edge = [slice(None)] * len(sides)
                edge[len(sides) - 1 - axis] = slice(0, 1) if by == 1 else slice(-1, None)
                inside[tuple(edge)] = False
        u.append(ids[inside])
        v.append(moved[inside])
    return np.concatenate(u), np.concatenate(v), ids.size


def of(edges: tuple[np.ndarray, np.ndarray, int]) -> lagcolor.Graph:
    u, v, n = edges
    return lagcolor.Graph.of((u, v), n=n)


def run(engine: str, G: lagcolor.Graph) -> tuple[np.ndarray, int] | None:
    if engine == "cpu":
        return lattice(G)
    found = lattice(G.on("cuda"))
    return None if found is None else (found[0].get(), found[1])


def expect(engine: str, G: lagcolor.Graph, n_colors: int | None) -> None:
    """So many colors, and proper; None for none."""
    found = run(engine, G)
    assert (None if found is None else found[1]) == n_colors
    if found is not None:
        assert found[0].dtype == np.int32
        assert lagcolor.verify(G, found[0]).n_colors == n_colors


def likewise(engine: str, G: lagcolor.Graph) -> Any:
    """What the CPU says, after a look whether this engine says the same."""
    a, b = run("cpu", G), run(engine, G)
    assert (a is None) == (b is None)
    if a is not None:
        assert a[1] == b[1]
        assert np.array_equal(a[0], b[0])
        assert lagcolor.verify(G, a[0]).n_colors == a[1]
    return a


on_each_engine = pytest.mark.parametrize("engine", ENGINES)


@on_each_engine
@pytest.mark.parametrize("sides", [(3, 3), (40, 30), (3, 200), (200, 3), (7, 5), (3, 3, 3), (12, 10, 9), (3, 40, 3)])
def test_boxes(sides: tuple[int, ...], engine: str) -> None:
    """The colors are those of first-fit in the order of ids."""
    G = of(box(*sides))
    expect(engine, G, 2 ** len(sides))
    assert np.array_equal(run(engine, G)[0], lagcolor.color(G, "greedy").colors)
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    expect(engine, wide, 2 ** len(sides))


@on_each_engine
def test_isolated_vertices_beside_the_box(engine: str) -> None:
    u, v, n = box(12, 10, 11)
    expect(engine, of((u, v, n + 60)), 8)
    expect(engine, of((u + 60, v + 60, n + 60)), 8)  # planes begin five rows later
    u, v, n = box(12, 11, 10)
    expect(engine, of((u + 60, v + 60, n + 60)), None)  # which an odd number of rows does not bear


@on_each_engine
@pytest.mark.parametrize(
    ("sides", "periodic", "n_colors"),
    [
        ((12, 10), (0,), 4),
        ((12, 10), (0, 1), 4),
        ((12, 11), (0, 1), None),  # the last row and the first have one parity
        ((11, 10), (0,), None),
        ((8, 6, 6), (0, 1, 2), 8),
        ((8, 6, 7), (2,), None),
    ],
)
def test_boxes_joined_at_their_ends(sides: Any, periodic: Any, n_colors: int | None, engine: str) -> None:
    expect(engine, of(box(*sides, periodic=periodic)), n_colors)


@on_each_engine
@pytest.mark.parametrize("sides", [(30, 20), (10, 9, 8)])
def test_one_edge_more(sides: tuple[int, ...], engine: str) -> None:
    """Of two vertices of one color, or of two colors."""
    u, v, n = box(*sides)
    colors, k = lattice(of((u, v, n)))
    same = np.flatnonzero(colors == colors[0])[-1]
    other = np.flatnonzero(colors == k - 1)[-1]
    expect(engine, of((np.r_[u, 0], np.r_[v, same], n)), None)
    expect(engine, of((np.r_[u, 0], np.r_[v, other], n)), k)


@on_each_engine
@pytest.mark.parametrize("sides", [(30, 20), (10, 9, 8)])
def test_some_edges_fewer(sides: tuple[int, ...], engine: str) -> None:
    """All edges of a few vertices, or a diagonal of every other cell, among them perhaps the one that is looked at."""
    u, v, n = box(*sides)
    for seed in range(5):
        lost = np.random.default_rng(seed).integers(0, n, 3)
        kept = ~(np.isin(u, lost) | np.isin(v, lost))
        found = likewise(engine, of((u[kept], v[kept], n)))
        assert found is None or found[1] == 2 ** len(sides)
    kept = (np.minimum(u, v) % 2 == 0) | (abs(u - v) != sides[0] - 1)
    assert not kept.all()
    likewise(engine, of((u[kept], v[kept], n)))


@on_each_engine
def test_a_cell_without_an_edge(engine: str) -> None:
    """The sampled vertex has all its neighbours, but two of these are not joined."""
    u, v, n = box(3, 3)
    gone = ((u == 5) & (v == 7)) | ((u == 7) & (v == 5))
    assert of((u, v, n)).degrees[4] == 8
    expect(engine, of((u[~gone], v[~gone], n)), None)


def row_of(s: int, p: int) -> np.ndarray:
    """The neighbours of an inner vertex where a row is s and a plane p vertices long; p = 0: in the plane."""
    steps = [a + b * s + c * p for c in (-1, 0, 1) for b in (-1, 0, 1) for a in (-1, 0, 1) if p or c == 0]
    return 1000 + np.array(sorted(x for x in steps if x), np.int32)


def test_strides() -> None:
    """Planes are whole rows, at least three of them, and rows are at least three long."""
    assert strides(1000, row_of(7, 0)) == (7, 0)
    assert strides(1000, row_of(7, 28)) == (7, 4)
    assert strides(1000, row_of(3, 9)) == (3, 3)
    assert [strides(1000, row_of(7, p)) for p in (23, 29, 34)] == [None] * 3
    assert strides(1000, row_of(9, 18)[:26]) is None
    assert strides(1000, np.r_[row_of(7, 28)[:-1], 1099]) is None


@on_each_engine
def test_another_numbering(engine: str) -> None:
    u, v, n = box(10, 9, 8)
    names = np.random.default_rng(1).permutation(n)
    expect(engine, of((names[u], names[v], n)), None)


@on_each_engine
def test_bands_of_the_same_degree(engine: str) -> None:
    """v ± 1 … 4 are the neighbours in a plane of rows of 3, and ± 1 … 13 those in a space of rows of 3, planes of 9."""
    for width in (4, 13):  # with these the kernels are loaded before a search begins
        G = lagcolor.generate.from_spec(f"banded:200,{width}")
        assert strides(100, G.indices[G.indptr[100] : G.indptr[101]]) is not None
        expect(engine, G, None)


@on_each_engine
@pytest.mark.parametrize("name", [name for name in CORPUS if graph(name).m < 20_000])
def test_corpus(name: str, engine: str) -> None:
    likewise(engine, graph(name))


@given(
    sides=st.lists(st.integers(1, 40), min_size=2, max_size=2) | st.lists(st.integers(1, 9), min_size=3, max_size=3),
    lost=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
@EMULATED
@settings(max_examples=fewer(40), deadline=None)
def test_random_boxes(sides: list[int], lost: int, seed: int) -> None:
    u, v, n = box(*sides)
    kept = np.random.default_rng(seed).permutation(len(u))[: max(len(u) - lost, 0)]
    keys = {(min(a, b), max(a, b)) for a, b in zip(u[kept].tolist(), v[kept].tolist(), strict=True)}
    G = lagcolor.Graph.of((np.array([a for a, _ in keys], int), np.array([b for _, b in keys], int)), n=n)
    found = likewise("emulated", G)
    if not lost and min(sides) >= 3:
        assert found is not None
        assert found[1] == 2 ** len(sides)


@EMULATED
@settings(max_examples=fewer(20), deadline=None)
@given(n=st.integers(1, 150), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(n: int, seed: int) -> None:
    likewise("emulated", random_graph(n, 4 * n, seed))


@pytest.mark.gpu
@given(sides=st.lists(st.integers(1, 40), min_size=2, max_size=3))
def test_same_on_gpu(sides: list[int]) -> None:
    likewise("cuda", of(box(*sides)))


@given(by=st.integers(1, 2**31 - 1), x=st.integers(0, 2**31 - 1))
def test_division(by: int, x: int) -> None:
    for number in (x, max(x // by * by - 1, 0), x // by * by):
        same, factor, shift = _divisor(by)
        assert same == by
        assert factor < 2**32
        high = number * factor >> 32
        assert high + number < 2**32
        assert (high + number) >> shift == number // by


@pytest.mark.parametrize("sides", [(60, 50), (20, 18, 16)])
@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "cpu"])
def test_ends_the_search(sides: tuple[int, ...], engine: str) -> None:
    G = of(box(*sides)).on("cuda")
    for name in ("balanced", "best"):
        result = lagcolor.color(G, quality=name, verify=True)
        assert result.n_colors == 2 ** len(sides)
        assert [t["name"] for t in result.notes["tried"]] == ["first_fit", "ejection", "lattice"]


def test_search_keeps_it_as_the_least() -> None:
    G = of(box(12, 11, 10))
    search = search_room.Search(G, Log())
    search.attempt("lattice", partial(search_room.lattice, search, 0.0))
    assert search.n_colors == search.least == 8
    search.attempt("never", lambda log: pytest.fail("nothing is better"))
