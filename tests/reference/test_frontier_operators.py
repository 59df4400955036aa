"""Each operator against a plain reference, on every engine, with every way to share out the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import graph
from emulated import ENGINES
from frontier_cases import EVERY_BALANCE, classes, counting, neighbors, numpy, on_engine, operators
from semirings_reference import fold

import lagcolor
import semirings
from lagcolor.frontier.operators import Functor, add, claim, functor, join, least, load, store

pytestmark = pytest.mark.inner


@functor("return (v + 2 * u + e) % 3 == limit;")
def third(v: Any, u: Any, e: Any, limit: Any) -> Any:
    return (v + 2 * u + e) % 3 == limit


@functor("return claim(level, u, -1, v);")
def first_come(v: Any, u: Any, e: Any, level: Any) -> Any:
    return claim(level, u, -1, v)


@functor("return true;")
def always(v: Any, u: Any, e: Any) -> Any:
    return True


@functor("return x % 2 == 0;")
def even(x: Any) -> Any:
    return x % 2 == 0


@functor("add(times, x, by);")
def bump(x: Any, times: Any, by: Any) -> None:
    add(times, x, by)


@functor("return weight[u];")
def weigh(v: Any, u: Any, e: Any, weight: Any) -> Any:
    return weight[u]


@functor("total[v] = x; return x > over;")
def note(v: Any, x: Any, total: Any, over: Any) -> Any:
    total[v] = x
    return x > over


def some(G: lagcolor.Graph, seed: int) -> np.ndarray:
    """A tenth of the vertices, with the hub among them."""
    r = np.random.default_rng(seed)
    return np.union1d(np.flatnonzero(r.random(G.n) < 0.1), [int(np.argmax(G.degrees))]).astype(np.int32)


@pytest.mark.parametrize("out", ["vertices", "edges", "bitmap"])
@pytest.mark.parametrize(("engine", "balance"), EVERY_BALANCE)
def test_advance(engine: str, balance: str, out: str) -> None:
    G = classes()
    ops = operators(engine, G)
    vertices = some(G, 1)
    want = counting(G, vertices, lambda v, u, e: (v + 2 * u + e) % 3 == 1)
    F = ops.advance(ops.frontier(vertices), third, out=out, balance=balance, limit=1)
    expected = {"vertices": want.vertices, "edges": want.edges, "bitmap": sorted(set(want.vertices))}[out]
    assert ops.to_numpy(F).tolist() == expected
    assert ops.size(F) == len(expected)


@pytest.mark.parametrize(("engine", "balance"), EVERY_BALANCE)
def test_advance_claims_each_once(engine: str, balance: str) -> None:
    """Who claims a vertex may differ; that one neighbor does, may not."""
    G = classes()
    ops = operators(engine, G)
    level = on_engine(ops, np.full(G.n, -1, np.int32))
    vertices = some(G, 2)
    F = ops.advance(ops.frontier(vertices), first_come, unique=True, balance=balance, level=level)
    reached = sorted({u for v in vertices for u, _ in neighbors(G, int(v))})
    assert ops.to_numpy(F).tolist() == reached
    by = numpy(level)
    assert np.flatnonzero(by >= 0).tolist() == reached
    assert all(by[u] in vertices and by[u] in G.indices[G.indptr[u] : G.indptr[u + 1]] for u in reached)


@pytest.mark.parametrize("engine", ENGINES)
def test_filter_and_compute(engine: str) -> None:
    G = classes()
    ops = operators(engine, G)
    F = ops.filter(ops.all(), even)
    assert ops.to_numpy(F).tolist() == list(range(0, G.n, 2))
    times = on_engine(ops, np.zeros(G.n, np.int64))
    ops.compute(F, bump, times=times, by=5)
    ops.compute(ops.filter(ops.frontier([4, 5, 6]), even), bump, times=times, by=-(2**40))
    expected = np.where(np.arange(G.n) % 2 == 0, 5, 0) - np.where(np.isin(np.arange(G.n), [4, 6]), 2**40, 0)
    assert numpy(times).tolist() == expected.tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_elements_may_be_edges(engine: str) -> None:
    G = classes()
    ops = operators(engine, G)
    E = ops.filter(ops.advance(ops.frontier(some(G, 3)), always, out="edges"), even)
    expected = [e for v in some(G, 3) for _, e in neighbors(G, int(v)) if e % 2 == 0]
    assert ops.to_numpy(E).tolist() == sorted(expected)
    times = on_engine(ops, np.zeros(G.m, np.int32))
    ops.compute(E, bump, times=times, by=1)
    assert np.flatnonzero(numpy(times)).tolist() == sorted(expected)
    with pytest.raises(lagcolor.OptionError, match="advance starts from vertices, not edges"):
        ops.advance(E, always)


@pytest.mark.parametrize("engine", ENGINES)
def test_bitmaps(engine: str) -> None:
    G = classes()
    ops = operators(engine, G)
    marks = np.random.default_rng(4).random(G.n) < 0.3
    B = ops.bitmap(on_engine(ops, marks))
    assert ops.to_numpy(B).tolist() == np.flatnonzero(marks).tolist()
    back = ops.to_bitmap(ops.to_list(B))
    assert back.kind == "bitmap" and np.array_equal(numpy(back.items), marks)
    assert ops.to_numpy(ops.filter(B, even)).tolist() == [v for v in np.flatnonzero(marks) if v % 2 == 0]
    assert numpy(ops.to_bitmap(ops.all()).items).all()


CLOSEST = semirings.binary_op("closest", "x * x < y * y ? x : y", lambda x, y: x if x * x < y * y else y)
MONOIDS = [
    ("plus", np.int32), ("plus", np.float64), ("times", np.uint32), ("max", np.int64), ("min", np.float32),
    ("lor", np.bool_), ("lxor", np.bool_), ("bor", np.uint64), ("plus", np.bool_), ("closest", np.int64),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), MONOIDS)
@pytest.mark.parametrize("engine", ENGINES)
def test_monoids(engine: str, name: str, dtype: Any) -> None:
    """Every balance but block, which another test has: they are slow to emulate."""
    G = graph("rmat")
    ops = operators(engine, G)
    weight = np.random.default_rng(6).integers(0, 4, G.n).astype(dtype)
    if name == "times":
        weight[:] = 3  # wraps around
    monoid = (semirings.monoid(CLOSEST, 1000) if name == "closest" else semirings.MONOIDS[name])[dtype]
    want = [fold(monoid, weight[G.indices[G.indptr[v] : G.indptr[v + 1]]]) for v in range(G.n)]
    for balance in ("auto", "merge"):
        got = ops.neighbor_reduce(ops.all(), weigh, monoid, balance=balance, weight=on_engine(ops, weight))
        assert got.dtype == dtype
        assert numpy(got).tolist() == want


@pytest.mark.parametrize(("engine", "balance"), EVERY_BALANCE)
def test_neighbor_reduce(engine: str, balance: str) -> None:
    """A sum without an early end, one with, and what stays in the frontier."""
    G = classes(7)
    ops = operators(engine, G)
    vertices = some(G, 8)
    weight = np.random.default_rng(9).integers(0, 3, G.n).astype(np.int32)
    weight[np.random.default_rng(10).random(G.n) < 0.9] = 0
    rows = {int(v): weight[[u for u, _ in neighbors(G, int(v))]] for v in vertices}
    for monoid, sums in (
        (semirings.MONOIDS["plus"]["int32"], {v: int(w.sum()) for v, w in rows.items()}),
        (semirings.monoid(semirings.BINARY["max"], 0, 2)["int32"], {v: int(w.max(initial=0)) for v, w in rows.items()}),
    ):
        total = on_engine(ops, np.full(G.n, -1, np.int32))
        F = ops.neighbor_reduce(
            ops.frontier(vertices), weigh, monoid, note, balance=balance, weight=on_engine(ops, weight), total=total,
            over=1,
        )  # fmt: skip
        assert {int(v): int(numpy(total)[v]) for v in vertices} == sums
        assert (numpy(total) >= 0).sum() == len(vertices)
        assert ops.to_numpy(F).tolist() == [v for v in vertices.tolist() if sums[v] > 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_any_takes_some_neighbor(engine: str) -> None:
    G = graph("random sparse")
    ops = operators(engine, G)
    ids = on_engine(ops, np.arange(G.n, dtype=np.int32))
    for balance in ("thread", "warp", "merge"):
        got = numpy(ops.neighbor_reduce(ops.all(), weigh, semirings.MONOIDS["any"], balance=balance, weight=ids))
        for v in range(G.n):
            row = G.indices[G.indptr[v] : G.indptr[v + 1]]
            assert got[v] in row if len(row) else got[v] == 0


@functor(
    """
    unsigned bit = 1u << v % 32;
    store(stored, 0, 7);
    least(lowest, 0, v - 5);
    join(bits, 0, bit);
    add(sum, 0, load(each, v));
    """
)
def every_helper(v: Any, stored: Any, lowest: Any, bits: Any, sum: Any, each: Any) -> None:
    store(stored, 0, 7)
    least(lowest, 0, v - 5)
    join(bits, 0, 1 << v % 32)
    add(sum, 0, load(each, v))


@pytest.mark.parametrize("dtype", [np.int32, np.uint64])
@pytest.mark.parametrize("engine", ENGINES)
def test_helpers(engine: str, dtype: Any) -> None:
    ops = operators(engine, graph("path"))
    signed, unsigned = (np.dtype(f"{kind}{np.dtype(dtype).itemsize}") for kind in "iu")
    arrays = {
        "stored": np.zeros(1, np.uint8), "lowest": np.array([9], signed), "bits": np.zeros(1, unsigned),
        "sum": np.zeros(1, dtype), "each": np.arange(50).astype(dtype),
    }  # fmt: skip
    here = {name: on_engine(ops, a) for name, a in arrays.items()}
    ops.compute(ops.frontier(np.arange(3, 40)), every_helper, **here)
    assert [int(numpy(a)[0]) for name, a in here.items() if name != "each"] == [7, -2, 2**32 - 1, sum(range(3, 40))]


@pytest.mark.parametrize("engine", ENGINES)
def test_graphs_without_edges_or_vertices(engine: str) -> None:
    for name in ("empty", "one vertex", "no edges"):
        G = graph(name)
        ops = operators(engine, G)
        assert ops.to_numpy(ops.all()).tolist() == list(range(G.n))
        assert ops.size(ops.advance(ops.all(), always)) == 0
        assert ops.size(ops.advance(ops.all(), always, out="bitmap")) == 0
        total = on_engine(ops, np.zeros(G.n, np.int32))
        weight = on_engine(ops, np.ones(G.n, np.int32))
        for balance in ("auto", "merge"):
            F = ops.neighbor_reduce(
                ops.all(), weigh, semirings.plus, note, balance=balance, weight=weight, total=total, over=-1
            )
            assert ops.size(F) == G.n
        assert ops.size(ops.filter(ops.frontier([]), even)) == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_offsets_of_64_bits(engine: str) -> None:
    G = classes()
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    here = [operators(engine, g) for g in (G, wide)]
    for balance in ("auto", "merge"):
        a, b = (ops.to_numpy(ops.advance(ops.all(), third, out="edges", balance=balance, limit=0)) for ops in here)
        assert a.tolist() == b.tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_list_grows_past_one_array_of_counters(engine: str) -> None:
    ops = operators(engine, graph("one edge"))
    F = ops.all()
    for _ in range(1100):
        F = ops.filter(F, ALL)
    assert ops.to_numpy(F).tolist() == [0, 1]


ALL = Functor(lambda x: True, "return true;", ("x",))


@pytest.mark.parametrize("engine", ENGINES)
def test_advance_from_a_list_that_repeats(engine: str) -> None:
    """Paths of length two, with their number."""
    G = graph("random sparse")
    ops = operators(engine, G)
    F = ops.advance(ops.advance(ops.frontier([3, 3, 8]), always), always)
    one = [u for v in (3, 3, 8) for u, _ in neighbors(G, v)]
    assert ops.to_numpy(F).tolist() == sorted(w for u in one for w, _ in neighbors(G, u))
