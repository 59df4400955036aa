"""The methods of reduce one by one: published examples, plain references, and what they are known to reach."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest
from corpus import first_fit, graph, random_graph
from emulated import EMULATED, ENGINES
from hypothesis import given
from hypothesis import strategies as st
from reduction_cases import colors_for, run

import lagcolor
from lagcolor.algorithms.ecl_gc import heuristics as exchange
from lagcolor.algorithms.ecl_gc.heuristics import heuristics
from lagcolor.base.device.compiled import njit
from lagcolor.engines.improve import classes, ejections, ejections_cpu
from lagcolor.engines.improve.classes import iterated_greedy
from lagcolor.engines.improve.ejections import ejection
from lagcolor.graph.pattern import unsigned

Rows = list[set[int]]


def neighbors(G: lagcolor.Graph) -> Rows:
    return [set(near) for near in corpus.neighbors(G)]


@pytest.mark.parametrize("engine", ENGINES)
def test_examples_of_heuristics(engine: str) -> None:
    """Figure 7: D and E, yellow, want red, which C leaves for blue. Figure 8: the red neighbor of G moves to yellow."""
    for text, before, after in (
        ("0-1 1-3 1-4 2-3 2-4", [0, 1, 0, 2, 2], [0, 1, 1, 0, 0]),
        ("3-0 3-1 3-2 1-4 2-4 1-5 2-6 0-6 4-5", [0, 1, 2, 3, 0, 2, 1], [2, 1, 2, 0, 0, 2, 1]),
    ):
        ends = np.array([edge.split("-") for edge in text.split()], int).T
        found = run(engine, heuristics, lagcolor.Graph.of(tuple(ends), n=len(before)), np.array(before, np.int32))
        assert found.tolist() == after


def reference_pass(rows: Rows, colors: list[int], hic: int, cap: int) -> int:
    """One pass of heuristics.py in plain Python, sets for bit maps; returns how many of H moved."""
    H = [v for v, c in enumerate(colors) if c == hic]
    W = sorted({w for v in H for w in rows[v]})
    for x in range(hic):
        movers = [w for w in W if colors[w] == x]
        around = {colors[u] for w in movers for u in rows[w]}
        for y in range(hic):
            if y not in around and (y != x or not movers):
                for w in movers:
                    colors[w] = y
                for v in H:
                    colors[v] = x
                return len(H)
    group = {v: v for v in H}
    for w in W:
        joined = {group[v] for v in H if w in rows[v]}
        group = {v: min(joined) if s in joined else s for v, s in group.items()}
    of_w = {w: group[next(v for v in H if w in rows[v])] for w in W}
    free = {(s, i): set(range(min(hic, 64))) - {i} for s in group.values() for i in range(cap)}
    for w in W:
        if colors[w] < cap:
            free[of_w[w], colors[w]] -= {colors[u] for u in rows[w]}
    left = {key: set(x) for key, x in free.items()}
    for w in W:
        for u in rows[w] & set(W):
            mine, theirs = (of_w[w], colors[w]), (of_w[u], colors[u])
            if mine[0] == theirs[0] or colors[w] >= cap or colors[u] >= cap:
                continue
            if (len(free[theirs]), -theirs[0]) > (len(free[mine]), -mine[0]):
                left[mine] -= free[theirs]
    choice = {s: min((i for i in range(cap) if left[s, i]), default=None) for s in group.values()}
    moves = {w: min(left[of_w[w], colors[w]]) for w in W if choice[of_w[w]] == colors[w]}
    for w, c in moves.items():
        colors[w] = c
    for v in H:
        colors[v] = hic if choice[group[v]] is None else choice[group[v]]
    return sum(choice[group[v]] is not None for v in H)


def reference(G: lagcolor.Graph, colors: np.ndarray) -> list[int]:
    rows, out = neighbors(G), colors.tolist()
    k, moved = max(out) + 1, 1
    while moved and k > (2 if G.m else 1):
        size = out.count(k - 1)
        moved = reference_pass(rows, out, k - 1, min(k - 1, 64, exchange.words(G.n) // size))
        k -= moved == size
    return out


@given(n=st.integers(1, 80), density=st.floats(0, 0.4), seed=st.integers(0, 2**32 - 1))
def test_heuristics_equal_the_reference_on_random_graphs(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    before = colors_for(G, seed)
    assert heuristics(G, before).tolist() == reference(G, before)


@pytest.mark.parametrize(
    ("n", "k", "density", "few", "seed"),
    [(30, 5, 0.15, 3, 54), (80, 6, 0.06, 6, 109)],
)
def test_of_two_sets_that_want_the_same_the_one_with_more_colors_prevails(
    n: int, k: int, density: float, few: int, seed: int
) -> None:
    """Few vertices have the last color. Hardly any random graph tells which set prevails."""
    r = np.random.default_rng(seed)
    before = np.concatenate([r.integers(0, k - 1, n - few), np.full(few, k - 1)]).astype(np.int32)
    before[: k - 1] = np.arange(k - 1)
    u, v = np.triu_indices(n, 1)
    proper = (r.random(len(u)) < density) & (before[u] != before[v])
    G = lagcolor.Graph.of((u[proper], v[proper]), n=n)
    assert heuristics(G, before).tolist() == reference(G, before)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("order", classes.ORDERS)
@pytest.mark.parametrize("name", ["random sparse", "clique 70", "star"])
def test_a_pass_is_first_fit_by_classes(name: str, order: str, engine: str) -> None:
    G = graph(name)
    before = colors_for(G, 4)
    sizes = np.bincount(before)
    rank = classes.ranking(order, sizes, 5)
    assert sorted(rank.tolist()) == list(range(len(sizes)))
    sequence = sorted(range(G.n), key=lambda v: (rank[before[v]], v))
    after = run(engine, lambda G, c: classes.one_pass(G, c, rank), G, before)
    assert after.tolist() == first_fit(G, sequence)
    assert (after <= rank[before]).all()


def test_orders_of_classes() -> None:
    sizes = np.array([5, 9, 2, 9])
    assert classes.ranking("reverse", sizes, 0).tolist() == [3, 2, 1, 0]
    assert classes.ranking("largest", sizes, 0).tolist() == [2, 0, 3, 1]
    assert classes.ranking("smallest", sizes, 0).tolist() == [1, 2, 0, 3]
    many = np.ones(50, int)
    assert classes.ranking("random", many, 1).tolist() != classes.ranking("random", many, 2).tolist()


@pytest.mark.parametrize("spec", ["rmat:15", "uniform:100000,16"])
def test_ejections_on_threads_equal_ejections_on_one(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long lists are shared, and short ones are the first thread's."""
    G = lagcolor.generate.from_spec(spec)
    before = lagcolor.color(G, "first_fit", "random", verify=False)
    found = []
    for threads in (1, 2, 17):
        monkeypatch.setattr(ejections, "threads_for", lambda *_, threads=threads: threads)
        found.append(ejections.eject_by_work(G, before.colors, before.n_colors))
    assert found[0][1] < before.n_colors
    assert lagcolor.verify(G, found[0][0]).n_colors == found[0][1]
    for colors, k in found[1:]:
        assert k == found[0][1] and np.array_equal(colors, found[0][0])


def test_threads_give_the_same_colors() -> None:
    G = random_graph(3000, 20000, 1)
    before = colors_for(G, 1)
    alone = iterated_greedy(G, before, rounds=4, threads=1)
    assert np.array_equal(iterated_greedy(G, before, rounds=4, threads=3), alone)
    notes = lagcolor.reduce(G, before, method="iterated_greedy", threads=10**4).notes
    assert 1 <= notes["threads"] < 10**4  # more than may be are noted


@pytest.mark.parametrize("engine", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_ejection_reaches_what_is_known(engine: str) -> None:
    """Planted colors, a planar graph, a bipartite one, and some that cannot be improved."""
    for spec, k in (
        ("planted:3000,4,degree=7", 4),
        ("delaunay:11", 4),
        ("grid2d:40", 2),
        ("cycle:65", 3),
        ("mycielski:5", 5),
    ):
        G = lagcolor.generate.from_spec(spec)
        before = colors_for(G, 1)
        after = run(engine, ejection, G, before)
        assert lagcolor.verify(G, after).n_colors == k, spec
        assert before.max() + 1 > k or spec.startswith(("mycielski", "cycle"))


def test_ejection_stops_at_least() -> None:
    G = graph("random dense")
    before = colors_for(G, 1)
    found = [ejection(G, before, seed=seed, least=22) for seed in range(3)]
    assert all(lagcolor.verify(G, colors).n_colors == 22 for colors in found)
    assert len({tuple(colors) for colors in found}) > 1  # seeds differ


def test_the_width_of_codes_changes_nothing(monkeypatch: Any) -> None:
    G = graph("random dense")
    before = colors_for(G, 1)
    expected = ejection(G, before, passes=0.5)
    monkeypatch.setattr(ejections_cpu, "WIDE_FROM", 0)
    assert np.array_equal(ejection(G, before, passes=0.5), expected)


@pytest.mark.parametrize("engine", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_weights_past_degree_65535(engine: str) -> None:
    """A hub whose neighbors' weights no longer fit 32 bits; it has the highest color, and must eject or find one."""
    n = 70_000
    leaves = np.arange(1, n)
    wheel = np.r_[np.zeros(n - 1, int), leaves[:-1]], np.r_[leaves, leaves[1:]]  # cut open
    G = lagcolor.Graph.of(wheel, n=n)
    before = np.where(leaves % 2, 0, 1)
    before[[5, 100]] = 2  # the hub must take 3 until these leave 2
    before = np.r_[3, before].astype(np.int32)
    after = run(engine, ejection, G, before, passes=50.0)
    assert lagcolor.verify(G, after).n_colors == 3
    if engine == "cuda":
        assert np.array_equal(after, ejection(G, before, passes=50.0))


def test_a_hub_ejects_the_lighter_neighbors_though_sums_pass_32_bits() -> None:
    """70,000 of color 0 and 6,000 of color 1, of greatest weight: in 32 bits the first sum would come out less."""
    many, few = 70_000, 6_000
    G = lagcolor.Graph.of((np.zeros(many + few, int), np.arange(1, many + few + 1)))
    colors = np.r_[-1, np.zeros(many, int), np.ones(few, int)]
    state = (ejections_cpu.HEAVIEST << 16 | colors + 1).astype(np.uint32)
    wish, here, flags = np.full(G.n, -1, np.int32), np.zeros(G.n, np.uint32), np.zeros(G.n, np.uint8)
    for noise in range(8):
        scratch = here[None], flags, np.zeros(4, np.uint32), np.zeros(ejections_cpu.PLACES, np.int64)
        w = ejections_cpu.EjectionState(*unsigned(G), state, np.uint64(16), wish, *scratch)
        njit(ejections_cpu.propose)(w, here[:1], 2, np.uint32(noise))
        assert wish[0] == 1


HUBS: dict[str, tuple[Any, dict[str, Any]]] = {
    "heuristics": (heuristics, {}),
    "iterated_greedy": (iterated_greedy, {"rounds": 2}),
    "ejection": (ejection, {"passes": 0.05}),
}


@EMULATED
@pytest.mark.parametrize("method", HUBS)
@pytest.mark.parametrize("spec", ["star:1100", "clique:80", "rmat:7"])
def test_kernels_for_hubs(method: str, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "HUB", 0)
    monkeypatch.setattr(ejections, "LEAST_WORK", 2000)
    hook, options = HUBS[method]
    G = lagcolor.generate.from_spec(spec)
    before = colors_for(G, 2)
    assert np.array_equal(run("emulated", hook, G, before, **options), hook(G, before, **options))


@pytest.mark.gpu
@pytest.mark.inner
def test_memory_of_ejection_on_gpu() -> None:
    import cupy as cp

    G = lagcolor.generate.from_spec("grid2d:1000", device="cuda")
    v = np.arange(G.n)
    colors = (v % 1000 + v // 1000) % 2
    colors[:700:7] += 2 + 2 * (np.arange(100) % 3)  # eight colors, all but two of them on a hundred vertices
    before = cp.asarray(colors.astype(np.int32))
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        after = ejection(G, before, passes=0.01, least=4)
    assert int(after.max()) + 1 == 4
    assert pool.total_bytes() < 30 * G.n
