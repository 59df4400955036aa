"""Orders: permutations, defined by brute force in plain Python, with the tie-breaks that they document."""

from __future__ import annotations

import itertools
import math

import corpus
import numpy as np
import pytest
from emulated import EMULATED
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.orders import ORDERS, Priorities, degeneracy
from lagcolor.orders.approximate_degeneracy import approximate_degeneracy
from lagcolor.orders.smallest_log_last import smallest_log_last
from lagcolor.orders.ties import mix

SEEDS = [None, 0, 7, 2**64 - 1]
GPU_ORDERS = [name for name, row in ORDERS.items() if "cuda" in row.engines]
CPU_ONLY = [name for name in ORDERS if name not in GPU_ORDERS]
ON = pytest.mark.parametrize(
    "kind", [pytest.param("emulated", marks=EMULATED), pytest.param("cuda", marks=pytest.mark.gpu)]
)
graphs = st.builds(corpus.random_graph, st.integers(0, 40), st.integers(0, 150), st.integers(0, 10**6))
seeds = st.sampled_from(SEEDS)


def sequence(G: lagcolor.Graph, order: object, seed: int | None = None) -> list[int]:
    return Priorities.of(G, order, seed=seed).sequence.tolist()


def ties(n: int, seed: int | None) -> list[int]:
    """The documented tie order, written out: by id, or by falling hash."""
    if seed is None:
        return list(range(n))
    h = mix(np, np.arange(n, dtype=np.int32), seed).tolist()
    return sorted(range(n), key=lambda v: -h[v])


def by_falling(key: list[int], seed: int | None) -> list[int]:
    return sorted(ties(len(key), seed), key=lambda v: -key[v])


# Definitions, one function an order -----------------------------------------------------------------------------------


def smallest_last_by_definition(G: lagcolor.Graph, seed: int | None) -> list[int]:
    """Stacks of the vertices at or below the level, as the module's docstring says."""
    near, left = corpus.neighbors(G), ties(G.n, seed)
    degree = [len(row) for row in near]
    stacks: dict[int, list[int]] = {}
    gone: list[int] = []
    level = 0
    while left:
        if not any(v in left for d in stacks for v in stacks[d] if degree[v] == d):
            level = max(level, min(degree[v] for v in left))
            stacks = {level: [v for v in left if degree[v] == level]}
        d, at = min((degree[v], -i) for d in stacks for i, v in enumerate(stacks[d]) if v in left and degree[v] == d)
        v = stacks[d][-at]
        gone.append(v)
        left.remove(v)
        for u in near[v]:
            degree[u] -= 1
            if u in left and degree[u] <= level:
                stacks.setdefault(degree[u], []).append(u)
    return gone[::-1]


def incidence_degree_by_definition(G: lagcolor.Graph, seed: int | None) -> list[int]:
    near = corpus.neighbors(G)
    count, arrival = [0] * G.n, [0] * G.n
    for i, v in enumerate(reversed(by_falling([len(row) for row in near], seed))):
        arrival[v] = i
    clock, out, left = G.n, [], set(range(G.n))
    while left:
        v = max(left, key=lambda v: (count[v], arrival[v]))
        left.remove(v)
        out.append(v)
        for u in near[v]:
            count[u] += 1
            arrival[u] = clock
            clock += 1
    return out


def smallest_log_last_by_definition(G: lagcolor.Graph, seed: int | None, rounds: int) -> list[int]:
    near, left = corpus.neighbors(G), set(range(G.n))
    level, step = [0] * G.n, 0
    for d in range(max(G.max_degree, 1).bit_length() + 1):
        for _ in range(rounds):
            batch = [v for v in left if sum(u in left for u in near[v]) <= 2**d]
            for v in batch:
                level[v] = step
            left -= set(batch)
            step += 1
    assert not left
    return by_falling(level, seed)


def approximate_degeneracy_by_definition(G: lagcolor.Graph, seed: int | None, eps: float) -> list[int]:
    near, left = corpus.neighbors(G), set(range(G.n))
    level, step = [0] * G.n, 0
    while left:
        degree = {v: sum(u in left for u in near[v]) for v in left}
        threshold = math.floor((1 + eps) * sum(degree.values()) / len(left))
        batch = [v for v in left if degree[v] <= threshold]
        assert batch
        for v in batch:
            level[v] = step
        left -= set(batch)
        step += 1
    return by_falling(level, seed)


# Tests ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(ORDERS))
def test_every_order_is_a_permutation(order: str) -> None:
    for name, seed in itertools.product(corpus.CORPUS, (None, 7)):
        G = corpus.graph(name)
        p = Priorities.of(G, order, seed=seed)
        assert p.sequence.dtype == p.p.dtype == np.int32
        assert sorted(p.sequence.tolist()) == list(range(G.n))
        assert p.p[p.sequence].tolist() == list(range(G.n - 1, -1, -1))
    G = corpus.graph("rmat")
    wide = lagcolor.Graph(G.indptr.astype(np.int64), G.indices)
    assert sequence(G, order, 7) == sequence(wide, order, 7)


@given(graphs, seeds)
def test_orders_without_a_queue(G: lagcolor.Graph, seed: int | None) -> None:
    degree = G.degrees.tolist()
    assert sequence(G, "natural", seed) == list(range(G.n))
    assert sequence(G, "random", seed) == ties(G.n, seed or 0)
    assert sequence(G, "largest_first", seed) == by_falling(degree, seed)
    log = [math.ceil(math.log2(max(d, 1))) for d in degree]
    assert sequence(G, "largest_log_first", seed) == by_falling(log, seed)


def test_random_spread() -> None:
    """Runs by falling hash; within a run ids by their five bits read backwards."""
    for n, seed in itertools.product((0, 1, 31, 32, 33, 100), SEEDS):
        G = lagcolor.Graph(np.zeros(n + 1, np.int32), np.zeros(0, np.int32))
        runs = ties((n + 31) // 32, seed or 0)
        nth = sorted(range(32), key=lambda i: f"{i:05b}"[::-1])
        assert sequence(G, "random_spread", seed) == [32 * r + i for r in runs for i in nth if 32 * r + i < n]


@given(graphs, seeds)
def test_smallest_last(G: lagcolor.Graph, seed: int | None) -> None:
    found = sequence(G, "smallest_last", seed)
    assert found == smallest_last_by_definition(G, seed)
    place = {v: i for i, v in enumerate(found)}
    before = [sum(place[u] < place[v] for u in near) for v, near in enumerate(corpus.neighbors(G))]
    assert degeneracy(G) == max(before, default=0)


@given(graphs, seeds)
def test_incidence_degree(G: lagcolor.Graph, seed: int | None) -> None:
    assert sequence(G, "incidence_degree", seed) == incidence_degree_by_definition(G, seed)


@given(graphs, seeds)
def test_dynamic_largest_first(G: lagcolor.Graph, seed: int | None) -> None:
    near, left = corpus.neighbors(G), set(range(G.n))
    found = sequence(G, "dynamic_largest_first", seed)
    for v in found:
        degree = {u: sum(w in left for w in near[u]) for u in left}
        assert degree[v] == max(degree.values())
        left.remove(v)
    if G.n:  # the first comes off the top of its stack
        assert found[0] == by_falling(G.degrees.tolist(), seed)[0]


@given(graphs, seeds, st.integers(1, 4))
def test_smallest_log_last(G: lagcolor.Graph, seed: int | None, rounds: int) -> None:
    assert smallest_log_last(G, seed, rounds).tolist() == smallest_log_last_by_definition(G, seed, rounds)


@given(graphs, seeds, st.sampled_from([0, 0.01, 0.5, 10]))
def test_approximate_degeneracy(G: lagcolor.Graph, seed: int | None, eps: float) -> None:
    found = approximate_degeneracy(G, seed, eps)
    assert found.tolist() == approximate_degeneracy_by_definition(G, seed, eps)
    colors = corpus.first_fit(G, found.tolist())
    assert max(colors, default=0) <= math.ceil(2 * (1 + eps) * degeneracy(G))


def test_the_order_approximate_degeneracy_has_an_epsilon_of_a_hundredth() -> None:
    """On graphs where a tenth would give another order, and so would none."""
    changed = set()
    for seed in range(12):
        G = corpus.random_graph(150, 1200, seed)
        by = {eps: approximate_degeneracy_by_definition(G, None, eps) for eps in (0, 0.01, 0.1)}
        assert sequence(G, "approximate_degeneracy") == by[0.01]
        changed |= {eps for eps in by if by[eps] != by[0.01]}
    assert changed == {0, 0.1}


@pytest.mark.parametrize("hub", [127, 128, 2**15, 70_000])
def test_degrees_at_the_edges_of_their_types(hub: int) -> None:
    # A hub over a triangle and leaves: the leaves go first, then the hub with the triangle, a clique of 4.
    u, v = [0] * hub + [1, 1, 2], [*range(1, hub + 1), 2, 3, 3]
    G = lagcolor.Graph.of((np.array(u), np.array(v)), n=hub + 1)
    assert G.max_degree == hub
    assert degeneracy(G) == 3
    assert set(sequence(G, "smallest_last")[:4]) == {0, 1, 2, 3}
    for order in ORDERS:
        assert sorted(sequence(G, order, 1)) == list(range(hub + 1))


# The user's own array -------------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.lists(st.integers(-3, 3), min_size=9, max_size=9),
    st.lists(st.floats(allow_nan=False), min_size=9, max_size=9),
    st.lists(st.booleans(), min_size=9, max_size=9),
)


@given(numbers, seeds)
def test_array_larger_first(values: list[float], seed: int | None) -> None:
    G = corpus.graph("isolated among others")
    expected = sorted(ties(9, seed), key=lambda v: -values[v])
    assert sequence(G, values, seed) == sequence(G, np.array(values), seed) == expected


def test_array_of_every_real_type() -> None:
    G = corpus.graph("one edge")
    for dtype in ("i1", "u1", "i8", "u8", "f2", "f4", ">i4", ">f8", "?"):
        assert sequence(G, np.array([0, 1], dtype)) == [1, 0] and sequence(G, np.array([1, 0], dtype)) == [0, 1]


def test_wrong_arrays() -> None:
    for values, words in (
        ([[1, 2]], r"shape \(2,\).*\(1, 2\)"),
        (5, r"shape \(2,\)"),
        ([1j, 2], "complex128"),
        (["a", "b"], "whole numbers or floats.*U1"),
        ([None, 1], "object"),
        ([[1], [2, 3]], "array of numbers"),
        (np.array([1, 2], np.longdouble), "64 bits"),
    ):
        with pytest.raises(lagcolor.OptionError, match=words):
            lagcolor.color(corpus.graph("one edge"), order=values)


def test_priorities_pass_through() -> None:
    G = corpus.graph("path")
    p = Priorities(G, "three rounds", 5, lambda G, seed: smallest_log_last(G, seed, rounds=3))
    result = lagcolor.color(G, order=p)
    assert (result.order, result.seed) == ("three rounds", 5)
    assert result.colors.tolist() == corpus.first_fit(G, p.sequence.tolist())
    with pytest.raises(lagcolor.OptionError, match=r"50 vertices.*64"):
        lagcolor.color(corpus.graph("even cycle"), order=p)


# GPU ------------------------------------------------------------------------------------------------------------------


@ON
@pytest.mark.parametrize("order", GPU_ORDERS)
def test_gpu_gives_the_same_permutation(order: str, kind: str) -> None:
    names = corpus.CORPUS if kind == "cuda" else ("empty", "no edges", "star", "rmat")
    for name, seed in itertools.product(names, SEEDS):
        G = corpus.graph(name)
        here, there = Priorities.of(G, order, seed=seed), Priorities.of(G.on("cuda"), order, seed=seed)
        assert there.sequence.get().tolist() == here.sequence.tolist()
        assert there.p.get().tolist() == here.p.tolist()


@pytest.mark.gpu
@given(numbers, seeds)
def test_gpu_array(values: list[float], seed: int | None) -> None:
    import cupy as cp

    G = corpus.graph("isolated among others")
    expected = sequence(G, values, seed)
    for order in (values, np.array(values), cp.array(values)):
        assert sequence(G.on("cuda"), order, seed) == expected
        assert sequence(G, order, seed) == expected


@ON
@pytest.mark.parametrize("name", CPU_ONLY)
def test_an_order_without_gpu_code_is_made_on_the_cpu(name: str, kind: str) -> None:
    """The colors equal the CPU's colors, and ``notes["order"]`` names the CPU."""
    G = corpus.graph("isolated among others")
    there = G.on("cuda")
    p = Priorities.of(there, name, seed=3)
    assert lagcolor.base.device.device_of(p.sequence) == there.device
    assert p.sequence.tolist() == Priorities.of(G, name, seed=3).sequence.tolist()
    here, result = (lagcolor.color(x, "first_fit", order=name, seed=3) for x in (G, there))
    assert result.device == there.device and result.colors.tolist() == here.colors.tolist()
    assert f"{name} was computed on the CPU" in result.notes["order"] and "order" not in here.notes


def test_negative_zero_where_a_sort_goes_by_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A radix sort, as a GPU's, takes -0.0 for a number under 0.0: equal priorities must not differ by it."""

    class Radix:
        def __getattr__(self, name: str) -> object:
            return getattr(np, name)

        @staticmethod
        def argsort(a: np.ndarray, kind: str) -> np.ndarray:
            bits = a.view(np.uint64)
            return np.argsort(np.where(bits >> 63, ~bits, bits | np.uint64(1 << 63)), kind="stable")

    monkeypatch.setattr(lagcolor.Graph, "xp", Radix())
    G = corpus.graph("no edges")
    values = np.where(np.arange(G.n) % 2, 0.0, -0.0)
    assert sequence(G, values) == list(range(G.n))
    values[7], values[9] = 1.0, -1.0
    assert sequence(G, values) == [7, *(v for v in range(G.n) if v not in (7, 9)), 9]
