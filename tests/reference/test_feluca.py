"""Feluca against a specification in plain Python, written from the paper: on the CPU, a GPU, and an emulated one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, random_graph
from emulated import EMULATED, ENGINES
from frontier_cases import classes
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.feluca.edges import edges
from lagcolor.algorithms.feluca.options import FelucaOptions
from lagcolor.orders import Priorities
from lagcolor.orders.ties import mix

KINDS = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
VARIANTS: list[dict[str, Any]] = [
    {},
    {"length": 3, "alpha": 0.5},
    {"length": 64},
    {"initial": 1},
    {"initial": 4, "traversal": "levels"},
    {"traversal": "levels", "fraction": 0.6},
    {"traversal": "levels", "fraction": 1, "length": 5},
    {"fraction": 0},
    {"fraction": 0.6},
    {"fraction": 1},
    {"spread": "at_once", "initial": 2},
    {"spread": "at_once", "fraction": 0},
    {"spread": "vertex", "initial": 2},
    {"spread": "vertex", "fraction": 0},
]
SMALL = [name for name in CORPUS if name != "clique 1100"]


def select(parents: list[int], own: int, length: int) -> int:
    """Section 4.1: "NeighborColors stores all colors that are just used if it is long enough; otherwise, it stores the
    colors that has the lowest and highest color number"; a color NeighborColors[j] + 1 that is not in it and below the
    last, else "the color that is immediately after the last color among all parents' colors".

    Algorithm 1 has a conflicting vertex take a new color: its own is none.
    """
    used = sorted(set(parents))
    array = used if len(used) <= length else [*used[: length - 1], used[-1]]
    for color in array:
        if color + 1 not in array and color + 1 < array[-1] and color + 1 != own:
            return color + 1
    return used[-1] + 1


class Specified:
    """The two stages as Algorithm 1 and sections 4.1 and 4.2 have them, on the DAG of an order."""

    def __init__(self, G: lagcolor.Graph, order: Any, seed: int, options: dict[str, Any]) -> None:
        self.n, self.options = G.n, options
        self.sequence = Priorities.of(G, order, seed=seed).sequence.tolist()
        self.position = {v: i for i, v in enumerate(self.sequence)}
        self.near = [G.indices[G.indptr[v] : G.indptr[v + 1]].tolist() for v in range(G.n)]
        self.parents = [[u for u in near if self.position[u] < self.position[v]] for v, near in enumerate(self.near)]
        given = options.get("initial", G.m // max(G.n, 1) + 1)
        self.initial = min(given, G.max_degree + 1)
        self.colors = [h * self.initial >> 32 for h in mix(np, np.arange(G.n, dtype=np.uint32), seed).tolist()]
        self.rounds: list[tuple[int, int]] = []
        self.steps: list[tuple[int, int]] = []
        self.left = list(range(G.n))
        if options.get("fraction") == 0:
            self.colors = [-1] * G.n
        else:
            self.recursion()
        if self.left:
            {"pipeline": self.pipeline, "at_once": self.at_once, "vertex": self.vertex}[
                options.get("spread", "pipeline")
            ]()
        names = {c: i for i, c in enumerate(sorted(set(self.colors)))}
        self.named = [names[c] for c in self.colors]

    # Algorithm 1, lines 1 to 18

    def levels(self) -> list[int]:
        """Breadth-first levels from the roots; with all at once everyone is at the first."""
        if self.options.get("traversal") != "levels":
            return [0] * self.n
        level, k = [0 if not parents else -1 for parents in self.parents], 0
        while -1 in level:
            for v in [v for v in range(self.n) if level[v] < 0 and any(level[u] == k for u in self.parents[v])]:
                level[v] = k + 1
            k += 1
        return level

    def recursion(self) -> None:
        level, known = self.levels(), self.n
        before: list[int] = []
        for k in itertools.count():
            c = self.colors
            sent = [[c[u] for u in parents if level[u] <= k] for parents in self.parents]
            conflicts = [v for v in range(self.n) if c[v] in sent[v]]
            reached = [v for v in range(self.n) if level[v] <= k + 1]
            new = len(reached) if k == 0 else sum(level[v] == k + 1 for v in range(self.n))
            self.rounds.append((new + len(before), len(conflicts)))
            known = len(reached)
            done = not conflicts and known == self.n and max(level, default=0) <= k
            if done or self.switches(known - len(conflicts)):
                self.left = [v for v in range(self.n) if level[v] > k + 1 or c[v] in {c[u] for u in self.parents[v]}]
                return
            self.colors = [
                select(sent[v], c[v], self.options.get("length", 2)) if v in set(conflicts) else c[v]
                for v in range(self.n)
            ]
            before = conflicts

    def switches(self, colored: int) -> bool:
        if "fraction" in self.options:
            return colored / self.n > self.options["fraction"]
        alpha = self.options.get("alpha", 0.1)
        return len(self.rounds) > 1 and all(a <= (1 + alpha) * b + 1e-9 for a, b in self.rounds[-2:])

    # Section 4.2

    def levels_left(self) -> list[list[int]]:
        """The graph levels of the vertices left: no two of a level are neighbors, and parents are in earlier ones."""
        level: dict[int, int] = {}
        for v in sorted(self.left, key=self.position.__getitem__):
            level[v] = 1 + max((level[u] for u in self.parents[v] if u in level), default=-1)
        return [[v for v in self.left if level[v] == k] for k in range(max(level.values()) + 1)]

    def give_up(self) -> None:
        for v in self.left:
            self.colors[v] = -1

    def pipeline(self) -> None:
        """In step s the block of color c is at level s − c."""
        self.give_up()
        levels = self.levels_left()
        for s in itertools.count():
            active = conflicts = 0
            for c in range(s + 1):
                for v in levels[s - c] if s - c < len(levels) else ():
                    if self.colors[v] >= 0:
                        continue
                    active += 1
                    if c in {self.colors[u] for u in self.near[v]}:
                        conflicts += 1
                    else:
                        self.colors[v] = c
            if active:
                self.steps.append((active, conflicts))
            if -1 not in self.colors:
                return

    def at_once(self) -> None:
        """Blocks of different colors do not see each other; "the vertex keeps the color which has the smallest ID"."""
        n_colors, first = max(self.initial, max(self.colors) + 1), 0
        self.give_up()
        levels = self.levels_left()
        while self.left:
            levels, n = [some for level in levels if (some := [v for v in level if v in self.left])], len(self.left)
            got: dict[int, list[int]] = {}
            for i in range(n_colors):
                start, taken = i * len(levels) // n_colors, set()
                for v in itertools.chain(*levels[start:], *levels[:start]):
                    near = self.near[v]
                    if first + i not in {self.colors[u] for u in near} and taken.isdisjoint(near):
                        taken.add(v)
                        got.setdefault(v, []).append(first + i)
            for v, colors in got.items():
                self.colors[v] = min(colors)
            self.left = [v for v in self.left if v not in got]
            self.steps.append((n, len(self.left)))
            first += n_colors

    def vertex(self) -> None:
        """ "The traditional algorithm is vertex-centric, i.e., finding a suitable color for each vertex"."""
        self.give_up()
        left = self.left
        while left:
            taken = {v: {self.colors[u] for u in self.near[v]} for v in left}
            for v in left:
                self.colors[v] = next(c for c in itertools.count() if c not in taken[v])
            n, left = len(left), [v for v in left if self.colors[v] in {self.colors[u] for u in self.parents[v]}]
            self.steps.append((n, len(left)))


def check(G: lagcolor.Graph, kind: str, options: dict[str, Any], order: Any = "natural", seed: int = 0) -> None:
    """Colors, rounds and steps are the specified ones."""
    result = lagcolor.color(G.on(kind), "feluca", order=order, seed=seed, trace=True, verify=True, **options)
    expected = Specified(G, order, seed, options)
    assert result.to_numpy().tolist() == expected.named, f"{options}, order {order}, seed {seed}"
    if G.n == 0:
        return
    n_left = result.notes["left"]
    rounds = [(row["active"], row["conflicts"]) for row in result.trace]
    assert rounds == expected.rounds + [(n_left, 0)] * bool(n_left)
    assert sum(row["colored"] for row in result.trace) == G.n
    assert [(row["active"], row["conflicts"]) for row in result.notes.get("spread", [])] == expected.steps
    assert (n_left > 0) == (result.notes.get("spread") is not None)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_colors_are_as_specified(kind: str, options: dict[str, Any]) -> None:
    for name in SMALL:
        G = graph(name)
        for order in ("natural", "random") if G.m < 5000 else ("natural",):
            check(G, kind, options, order, 5)


@EMULATED
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_emulated_gpu_is_as_specified(options: dict[str, Any]) -> None:
    slow = options.get("fraction") == 0 or options.get("initial") == 1
    for name in [
        "one vertex",
        "no edges",
        "star, hub last",
        "disconnected",
        *(() if slow else ["crown", "random dense"]),
    ]:
        for order in ("natural", "random"):
            check(graph(name), "cuda", options, order, 2)


def random_case(n: int, density: float, seed: int) -> lagcolor.Graph:
    return random_graph(n, int(density * n * n / 3), seed)


@given(
    n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), options=st.sampled_from(VARIANTS),
    order=st.sampled_from(["natural", "random", "largest_first"]), threads=st.integers(1, 4),
)  # fmt: skip
def test_random_graphs_are_as_specified(
    n: int, density: float, seed: int, options: dict[str, Any], order: str, threads: int
) -> None:
    check(random_case(n, density, seed), "cpu", {**options, "threads": threads}, order, seed)


@EMULATED
@pytest.mark.parametrize("bits", [32, 64])
def test_emulated_with_every_degree_class(bits: int) -> None:
    """A hub of 2100 neighbors, which comes last: packs and rows for a lane, a warp and a block."""
    G = classes()
    wide = lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices)
    order = np.where(G.degrees > 2048, 0, 1 + np.arange(G.n))
    assert (G.degrees > 2048).sum() == 1
    for options in ({"initial": 2}, {"length": 4}, {"traversal": "levels"}, {"spread": "at_once", "initial": 2}):
        on_gpu, on_cpu = (
            lagcolor.color(g, "feluca", order=order, verify=True, **options) for g in (wide.on("cuda"), G)
        )
        assert np.array_equal(on_gpu.to_numpy(), on_cpu.colors)
        assert on_gpu.rounds == on_cpu.rounds


# The paper's figures


def steps(G: lagcolor.Graph, length: int) -> Any:
    """The steps of one engine on a graph."""
    if G.on_gpu:
        from lagcolor.algorithms.feluca.gpu import GPUSteps as Steps
    else:
        from lagcolor.algorithms.feluca.cpu import CPUSteps as Steps  # type: ignore[assignment]
    return Steps(G, Priorities.of(G), length, 1)


@pytest.mark.parametrize("length", [2, 3, 64])
@pytest.mark.parametrize("kind", ENGINES)
def test_figure_3(kind: str, length: int) -> None:
    """Parents with the 2nd, 5th and 7th color: the vertex takes the 3rd, where a search of COLORS finds the 1st."""
    G = lagcolor.Graph.of(([0, 1, 2], [3, 3, 3]), n=4).on("cpu" if kind == "cpu" else "cuda")
    second, third, fifth, seventh = 1, 2, 4, 6
    before = G.xp.array([second, fifth, seventh, fifth], np.int32)
    after = before.copy()
    assert steps(G, length).round(None, 0, before, after) == (1, 0)
    assert after.tolist() == [second, fifth, seventh, third]


@pytest.mark.parametrize(
    ("parents", "own", "length", "color"),
    [
        ([1, 2], 2, 2, 3),  # none in between: after the last
        ([4], 4, 2, 5),
        ([0, 1, 5], 0, 2, 1),  # 1 is hidden from an array of two
        ([0, 1, 5], 1, 2, 6),  # and is not selected twice
        ([0, 1, 5], 0, 3, 2),
        ([0, 1, 2, 9], 2, 3, 10),
        ([3, *range(5, 80)], 3, 64, 4),
        (list(range(70)), 0, 64, 63),
    ],
)
@pytest.mark.parametrize("kind", ENGINES)
def test_selection(kind: str, parents: list[int], own: int, length: int, color: int) -> None:
    v = len(parents)
    G = lagcolor.Graph.of((np.arange(v), np.full(v, v)), n=v + 1).on("cpu" if kind == "cpu" else "cuda")
    before = G.xp.array([*parents, own], np.int32)
    after = before.copy()
    steps(G, length).round(None, 0, before, after)
    assert after.tolist() == [*parents, color]
    assert color == select(parents, own, length)


def test_figure_2() -> None:
    """The edge ⟨v4, v1⟩ is turned around: each leads from the smaller id to the larger, or to a later vertex."""
    for order in ("natural", "random", "largest_first"):
        G = graph("rmat")
        p = Priorities.of(G, order, seed=3)
        E = edges(G, p)
        assert (p.p[E.parents] > p.p[E.children]).all()
        assert (np.diff(E.children) >= 0).all()
        assert np.array_equal(np.repeat(np.arange(G.n), np.diff(E.begins)), E.children)
        pairs = {(min(a), max(a)) for a in zip(E.parents.tolist(), E.children.tolist(), strict=True)}
        assert len(pairs) == len(E.parents) == G.m // 2


@EMULATED
def test_figure_4() -> None:
    """15 edges in four packs of 4: one virtual edge for vertex 2, and vertex 3 is in a single pack.

    In 4a the edges of vertex 3 are in two blocks, with four edges of 2 and 4; so 7 edges come before them.
    """
    import cupy as cp

    from lagcolor.algorithms.feluca.gpu import pack

    of_vertex = {1: 4, 2: 3, 3: 4, 4: 2, 5: 1, 7: 1}
    begins = np.cumsum([0, *(of_vertex.get(v, 0) for v in range(1, 12))])
    packs, _ = pack(cp.asarray(begins), width=4)
    assert packs.tolist() == [0, 4, 7, 11, 15]
    assert (4 * (len(packs) - 1) - 15) == 1


@EMULATED
def test_emulated_packs() -> None:
    """No vertex is in two packs; a pack of several vertices has at most 32 edges; a block takes those over 2048."""
    from lagcolor.algorithms.feluca.gpu import pack

    for G in (graph("rmat"), graph("no edges"), graph("star, hub last"), random_graph(9, 40, 1), hub_last()):
        E = edges(G.on("cuda"), Priorities.of(G.on("cuda")), pack)
        begins, packs, hubs = (x.get() for x in (E.begins, E.packs, E.hubs))
        assert packs[0] == 0 and packs[-1] == G.m // 2 and (np.diff(packs) > 0).all()
        assert np.isin(packs, begins).all()
        for k, (begin, end) in enumerate(itertools.pairwise(packs.tolist())):
            assert end - begin <= 32 or len(set(E.children.get()[begin:end].tolist())) == 1
            assert (k in hubs) == (end - begin > 2048)


def hub_last() -> lagcolor.Graph:
    n = 2100
    return lagcolor.Graph.of((np.arange(n), np.full(n, n)), n=n + 1)


# What the paper says of the stages


@pytest.mark.parametrize("order", ["natural", "largest_first"])
def test_sequential_alone_is_first_fit(order: str) -> None:
    for name in ("grid", "rmat", "crown", "clique 1100"):
        G = graph(name)
        result = lagcolor.color(G, "feluca", order=order, seed=3, fraction=0)
        assert result.colors.tolist() == first_fit(G, Priorities.of(G, order, seed=3).sequence.tolist())


@EMULATED
@pytest.mark.parametrize("seed", range(3))
def test_emulated_pipeline_on_random_schedules(seed: int) -> None:
    import emulated

    G = random_graph(70, 600, seed)
    with emulated.emulated_gpu(seed=seed, processors=2):
        for options in ({"fraction": 0}, {"initial": 2}, {"fraction": 0, "spread": "at_once"}):
            check(G, "cuda", options)


def test_threads_give_the_same_colors() -> None:
    G = random_graph(50_000, 400_000, 4)
    for options in ({}, {"traversal": "levels"}):
        colors = [lagcolor.color(G, "feluca", threads=t, **options).colors for t in (1, 2, 7)]
        assert all(np.array_equal(colors[0], other) for other in colors)


def test_the_switch_at_its_limits() -> None:
    """By at most a tenth, twice in a row, is few enough; a share is reached only once there are more."""
    few = FelucaOptions(initial=8, length=2, alpha=100_000, fraction=-1, traversal="all", spread="pipeline")
    assert few.switches(1000, 0, [(500, 400), (121, 110), (110, 100)])
    assert not few.switches(1000, 0, [(122, 110), (110, 100)])
    assert not few.switches(1000, 0, [(121, 110), (111, 100)])
    assert not few.switches(1000, 0, [(110, 100)])
    share = replace(few, alpha=-1, fraction=600_000)
    assert [share.switches(10, colored, []) for colored in (0, 5, 6, 7, 10)] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha must be a number from 0"),
        ({"alpha": float("nan")}, "alpha must be a number from 0"),
        ({"alpha": "x"}, "alpha must be a number from 0"),
        ({"fraction": 1.5}, "fraction must be a number from 0 to 1, or None, not 1.5"),
        ({"fraction": True}, "fraction must be a number from 0 to 1"),
        ({"length": 1}, "length must be a whole number from 2 to 64, not 1"),
        ({"length": 65}, "length must be a whole number from 2 to 64, not 65"),
        ({"initial": 0}, "initial must be a whole number of colors from 1 on"),
        ({"spread": "fast"}, "spread must be one of pipeline, at_once, vertex, not 'fast'"),
        ({"traversal": "depth"}, "traversal must be one of all, levels, not 'depth'"),
        ({"layout": "csr"}, "layout"),
        ({"threads": 0}, "threads must be a whole number from 1 on"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("rmat"), "feluca", **options)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["kron_g500:14", "social:1e5,10", "road:100", "stencil27:30,30,30", "star:200000"])
def test_cpu_equals_gpu(spec: str) -> None:
    """Hubs, many rounds, many levels; every strategy and traversal."""
    G = lagcolor.generate.from_spec(spec)
    for options in VARIANTS:
        expected = lagcolor.color(G, "feluca", seed=2, **options)
        result = lagcolor.color(G.on("cuda"), "feluca", seed=2, verify=True, **options)
        assert np.array_equal(result.to_numpy(), expected.colors), options
        assert result.rounds == expected.rounds, options
