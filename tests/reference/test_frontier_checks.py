"""What the operators refuse, on every engine alike and before any memory is touched; what they take in other forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import graph
from emulated import ENGINES
from frontier_cases import numpy, on_engine, operators

from lagcolor import OptionError, semirings
from lagcolor.frontier.operators import add, functor, load, on

pytestmark = pytest.mark.inner


@functor("add(times, x, by);")
def bump(x: Any, times: Any, by: Any) -> None:
    add(times, x, by)


@functor("return 1;")
def one(v: Any, u: Any, e: Any) -> Any:
    return 1


@functor("return true;")
def too_few(v: Any) -> Any:
    return True


def zeros(ops: Any, n: Any, dtype: Any = np.int32) -> Any:
    return on_engine(ops, np.zeros(n, dtype))


@functor("return values[u] > at[e] ? v : load(values, v);")
def several(v: Any, u: Any, e: Any, values: Any, at: Any) -> Any:
    return v if values[u] > at[e] else load(values, v)


@pytest.mark.parametrize("engine", ENGINES)
def test_arrays_that_are_too_short(engine: str) -> None:
    """By vertex and by edge: nothing is read or written behind an array."""
    G = graph("grid")
    ops = operators(engine, G)
    with pytest.raises(OptionError, match=f"'times' has 3 entries, and bump needs {G.n} of it"):
        ops.compute(ops.all(), bump, times=zeros(ops, 3), by=1)
    for entries in ({"values": G.n - 1, "at": G.m}, {"values": G.n, "at": G.m - 1}):
        with pytest.raises(OptionError, match="entries, and several needs"):
            ops.advance(ops.all(), several, **{name: zeros(ops, n) for name, n in entries.items()})


@pytest.mark.parametrize("engine", ENGINES)
def test_arrays_and_numbers_that_do_not_fit(engine: str) -> None:
    """A float was one on the CPU and cut off on a GPU."""
    G = graph("grid")
    ops = operators(engine, G)
    times, F = zeros(ops, G.n), ops.all()
    gaps = "'times' must be a contiguous array of one dimension, of bool"
    for options, message in (
        ({"times": zeros(ops, 2 * G.n)[::2], "by": 1}, gaps),
        ({"times": zeros(ops, (G.n, 1)), "by": 1}, gaps),
        ({"times": zeros(ops, G.n, np.int16), "by": 1}, gaps),
        ({"times": [0] * G.n, "by": 1}, "argument 'times' of bump must be an array"),
        ({"times": times, "by": 0.5}, r"'by' of bump must be .* or a whole number, not .*: pass a float in an"),
        ({"times": times, "by": "1"}, r"'by' of bump must be .* or a whole number, not "),
        ({"times": times, "by": 2**63}, "argument 'by' must be a whole number from -9223372036854775808 to 922"),
    ):
        with pytest.raises(OptionError, match=message):
            ops.compute(F, bump, **options)
    for dtype in (np.int32, np.int64, np.uint32, np.float64):
        right = zeros(ops, G.n, dtype)
        for by in (2, np.uint64(3), True):
            ops.compute(F, bump, times=right, by=by)
        assert numpy(right).tolist() == [6] * G.n


@pytest.mark.gpu
def test_arrays_of_the_other_device() -> None:
    G = graph("grid")
    cpu, gpu = operators("cpu", G), operators("cuda", G)
    for ops, other in ((cpu, gpu), (gpu, cpu)):
        with pytest.raises(OptionError, match=r"'times' is .* on another device than the graph: move it there"):
            ops.compute(ops.all(), bump, times=zeros(other, G.n), by=1)
        with pytest.raises(OptionError, match="this frontier is of another graph, or of this one on another device"):
            ops.size(other.all())
    with pytest.raises(OptionError, match=r"vertices are on a GPU, and the graph is on the CPU: pass vertices\.get"):
        cpu.frontier(zeros(gpu, 3))
    assert gpu.size(gpu.bitmap(np.ones(G.n, bool))) == gpu.size(gpu.frontier(np.arange(G.n))) == G.n


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_no_bitmap_or_list(engine: str) -> None:
    G = graph("grid")
    n, ops = G.n, operators(engine, G)
    for make, x, message in (
        (ops.bitmap, zeros(ops, n + 5, bool), rf"marks must be an array of bool, one per vertex, shape \({n},\), not "),
        (ops.bitmap, zeros(ops, n), "marks must be an array of bool, one per vertex"),
        (ops.bitmap, [0, 3], r"use ops\.frontier for a list of vertices"),
        (ops.bitmap, [[True], [True, False]], "the marks are not an array"),
        (ops.frontier, [0.5], "a frontier needs a list of vertices, whole numbers; this is "),
        (ops.frontier, [[1, 2]], "a frontier needs a list of vertices"),
        (ops.frontier, {1, 2}, "a frontier needs a list of vertices"),
        (ops.frontier, zeros(ops, n, bool), r"use ops\.bitmap for truth values"),
        (ops.frontier, [[1], [2, 3]], "the vertices are not an array"),
        (ops.frontier, [-1], f"whole numbers from 0 to {n - 1}"),
        (ops.frontier, np.array([2**40]), f"whole numbers from 0 to {n - 1}"),
    ):
        with pytest.raises(OptionError, match=message):
            make(x)
    marks = on_engine(ops, np.arange(n) % 2 == 0)
    B = ops.bitmap(marks)
    marks[:] = False  # the call has made a copy
    assert ops.size(B) == ops.size(ops.bitmap([v % 2 == 0 for v in range(n)])) == (n + 1) // 2
    for right in (5, np.array([5], np.uint64), range(5, 6), zeros(ops, 1, np.int64) + 5):
        assert ops.to_numpy(ops.frontier(right)).tolist() == [5]
    assert ops.size(ops.frontier([])) == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_frontiers(engine: str) -> None:
    """Lists in their place, and lists of another graph, whose vertices may be none here."""
    G, larger = graph("grid"), graph("rmat")
    ops, other = operators(engine, G), operators(engine, larger)
    times = zeros(ops, G.n)
    calls = (
        ops.to_list, ops.to_bitmap, ops.size, ops.to_numpy, lambda F: ops.read_sizes([F]),
        lambda F: ops.advance(F, one), lambda F: ops.filter(F, too_few),
        lambda F: ops.compute(F, bump, times=times, by=1), lambda F: ops.neighbor_reduce(F, one, semirings.plus),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(OptionError, match=r"make a frontier with ops\.all\(\), .*; this is "):
            call([0, 1])
        for foreign in (other.all(), other.bitmap(zeros(other, larger.n, bool))):
            with pytest.raises(OptionError, match="this frontier is of another graph"):
                call(foreign)
    if engine != "emulated":
        assert on(ops.G).size(ops.all()) == G.n  # other operators of the same graph
    E = ops.advance(ops.all(), one, out="edges")
    with pytest.raises(OptionError, match="a bitmap marks vertices, and this frontier has edges"):
        ops.to_bitmap(E)
    with pytest.raises(OptionError, match="read_sizes needs lists, and this is a bitmap"):
        ops.read_sizes([ops.all(), ops.to_bitmap(ops.all())])


@pytest.mark.parametrize("engine", ENGINES)
def test_functors_and_monoids(engine: str) -> None:
    ops = operators(engine, graph("grid"))
    F, plus = ops.all(), semirings.plus
    for call, message in (
        (lambda: ops.advance(F, lambda v, u, e: True), "edge must be a functor, a function under @functor"),
        (lambda: ops.filter(F, "return true;"), "element must be a functor"),
        (lambda: ops.neighbor_reduce(F, None, plus), "value must be a functor"),
        (lambda: ops.neighbor_reduce(F, one, plus, lambda v, x: True), "then must be a functor"),
        (lambda: ops.advance(F, too_few), r"too_few takes \(v\), and the operator passes vertex, neighbor and edge"),
        (lambda: ops.neighbor_reduce(F, one, "max"), r"monoid must be a Monoid or BinaryOp of semirings, such as semi"),
        (lambda: ops.advance(F, one, unique=1), "unique must be True or False, not 1"),
        (lambda: ops.advance(F, one, balance="x"), "balance must be one of auto, thread, warp, block, merge, not 'x'"),
        (lambda: ops.advance(F, one, out="x"), "out must be one of vertices, edges, bitmap, None, not 'x'"),
        (lambda: ops.size(ops.advance(F, one, unique=True)), r"advance\(unique=True\) emitted a vertex more than once"),
    ):
        with pytest.raises(OptionError, match=message):
            call()
    with pytest.raises(TypeError, match="functor bump needs 'by': pass by=… to the operator"):
        ops.compute(F, bump, times=zeros(ops, 1))
    with pytest.raises(TypeError, match="one: no parameter 'limit'"):
        ops.advance(F, one, limit=1)
