"""TabuCol and HEAD on a GPU: moves and generations as in plain Python, the row `memetic`, and what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from acyclic_rounds import WORD, mix
from corpus import random_graph

import lagcolor
from lagcolor.base import device as dev
from lagcolor.base.compile_clock import clock
from lagcolor.base.log import Log
from lagcolor.engines.improve.tabu import population
from lagcolor.engines.improve.tabu.descent import GpuDescent
from lagcolor.engines.improve.tabu.population import LARGEST_N, LaunchShape, Population
from lagcolor.search.attempts import head, in_graph

DEVICES = [pytest.param("emulated", marks=pytest.mark.emulated), pytest.param("cuda", marks=pytest.mark.gpu)]
EACH = pytest.mark.parametrize("device", DEVICES)
FEW = {"steps": 300, "pairs": 2, "brood": 2}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Emulated threads take their time each."""
    for name in ("SEARCH", "PAIRS"):
        monkeypatch.setattr(population, name, dev.Source(getattr(population, name).path, BLOCK=64))


# ---- in plain Python, one move after the other ----------------------------------------------------------------------

STEP = 0x9E3779B9


def counts(G: Any, colors: np.ndarray, k: int) -> np.ndarray:
    """Neighbors of each vertex by color."""
    near = np.zeros((G.n, k), np.int64)
    np.add.at(near, (np.repeat(np.arange(G.n), G.degrees), colors[G.indices]), 1)
    return near


def plain_improve(
    G: Any, start: np.ndarray, k: int, seed: int, turn: int, most: int, longest: int
) -> tuple[Any, int, int]:
    """Best colors, their edges in conflict, and iterations made; tenures up to `longest`."""
    color_bits = max(k - 1, 1).bit_length()
    entry_bits = max(color_bits + max(G.n - 1, 1).bit_length(), 17)
    mask = (1 << entry_bits) - 1
    salt = mix((seed + STEP * turn) & WORD)
    colors = start.astype(np.int64)
    near, everyone = counts(G, colors, k), np.arange(G.n)
    value = int(near[everyone, colors].sum()) // 2
    best, best_value, t = colors.copy(), value, 0
    ends = np.zeros((G.n, k), np.int64)  # first iteration at which a color is not tabu
    while best_value and t < most:
        t += 1
        shift = mix(t ^ salt)
        multiplier = mix((shift + STEP) & WORD) | 1
        own = near[everyone, colors]
        vs, cs = np.nonzero((own > 0)[:, None] & (np.arange(k) != colors[:, None]))
        change = near[vs, cs] - own[vs]
        allowed = (ends[vs, cs] <= t) | (value + change < best_value)
        if not allowed.any():
            continue
        vs, cs, change = vs[allowed], cs[allowed], change[allowed]
        hashes = (((vs << color_bits | cs) * multiplier) + shift) & mask
        at = np.lexsort((hashes, change))[0]
        v, c, old = int(vs[at]), int(cs[at]), int(colors[vs[at]])
        value += int(change[at])
        tenure = (mix((multiplier + STEP) & WORD) * 10 >> 32) + 3 * value // 5
        ends[v, c] = 0
        ends[v, old] = t + 1 + min(tenure, longest)
        neighbors = G.indices[G.indptr[v] : G.indptr[v + 1]]
        near[neighbors, old] -= 1
        near[neighbors, c] += 1
        colors[v] = c
        if value < best_value:
            best, best_value = colors.copy(), value
    return best, best_value, t


def plain_cross(first: np.ndarray, second: np.ndarray, k: int, seed: int, turn: int) -> np.ndarray:
    """GPX; −1 stands for no color."""
    salt = mix((seed - STEP * turn) & WORD)
    child = np.full(len(first), -1)
    for c in range(k):
        parent = second if c % 2 else first
        sizes = np.bincount(parent[(child < 0) & (parent >= 0)], minlength=k)
        d = max(range(k), key=lambda d: (sizes[d], mix((c << 16 | d) ^ salt) >> 16, d))
        child[(child < 0) & (parent == d)] = c
    for v in np.flatnonzero(child < 0):
        child[v] = mix(((int(v) + STEP) & WORD) ^ salt) * k >> 32
    return child


class PlainPair:
    """HEAD's two parents between generations; `seeds` of their searches."""

    def __init__(self, parents: tuple[np.ndarray, np.ndarray], k: int, seeds: tuple[int, int], cycle: int) -> None:
        self.parents, self.k, self.seeds, self.cycle = list(parents), k, seeds, cycle
        self.age, self.elite, self.best, self.alike = 0, None, (2**31 - 1, parents[0]), 0
        self.moved = 0

    def children(self, turn: int) -> list[np.ndarray]:
        """Return the children of the present parents."""
        return [plain_cross(self.parents[i], self.parents[1 - i], self.k, self.seeds[i], turn) for i in (0, 1)]

    def replace(self, found: list[np.ndarray], values: list[int], other: np.ndarray) -> None:
        """Make the results of the searches the next parents; `other` is the second result of the next pair."""
        self.parents, self.age = [x.astype(np.int64) for x in found], self.age + 1
        for colors, value in zip(self.parents, values, strict=True):
            if value < self.best[0]:
                self.best = value, colors
        if self.age % self.cycle == 0:
            if self.elite is not None:
                self.parents[0] = self.elite
            self.elite, self.best = self.best[1], (2**31 - 1, self.best[1])
        if same(*self.parents):
            none = np.full(len(found[0]), -1)
            self.age, self.elite, self.best = 0, None, (2**31 - 1, none)
            self.parents[1] = other
            self.moved += 1
            if other is found[1] or same(*self.parents):
                self.parents = [none, none]
                self.alike += 1


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two colorings have the same classes."""
    classes = [{frozenset(np.flatnonzero(x == c).tolist()) for c in x} for x in (a, b)]
    return classes[0] == classes[1]


# ---- tests -----------------------------------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("table", ["shared", "global"])
@pytest.mark.parametrize(
    ("n", "density", "k", "most"),
    [(12, 0.5, 2, 40), (40, 0.5, 7, 300), (90, 0.9, 33, 150), (99, 0.9, 3, 300)],
)
def test_moves(
    n: int, density: float, k: int, most: int, table: str, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Best colors, objective and iterations of each search, color for color."""
    G = random_graph(n, int(density * n * n / 2), 3)
    monkeypatch.setattr(Population, "in_memory", table == "global")
    made = Population(G, k, 5, 100, 2)
    made._breed()
    assert made.shape.shared_table == (table == "shared")
    starts = made._children.get()
    made._improve(most)
    bests, values, ran = made._best.get(), made._values.get(), made._ran.get()
    expected = [
        plain_improve(G, start, k, seed, 0, most, 127)
        for start, seed in zip(starts, made._seeds.get().tolist(), strict=True)
    ]
    first = min((t for _, value, t in expected if value == 0), default=None)
    for i, (best, value, t) in enumerate(expected):
        if first is None or t == first:  # the others may have stopped before
            assert (values[i], ran[i]) == (value, t)
            assert np.array_equal(bests[i], best)
    if first is not None:
        assert made.found is not None


@EACH
@pytest.mark.parametrize(
    ("n", "k", "length", "count", "brood"),
    [(30, 5, 40, 2, 1), (3, 2, 8, 2, 2), (3, 2, 8, 1, 1), (8, 3, 6, 3, 2), (70, 11, 5, 2, 3)],
)
def test_generations(
    n: int, k: int, length: int, count: int, brood: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Children of each generation, elites that come back and parents that are the same among them."""
    monkeypatch.setattr(population, "CYCLE", 3)
    G = lagcolor.generate.from_spec(f"clique:{n}") if n < 10 else random_graph(n, n * n // 3, 1)
    start = np.random.default_rng(1).integers(-1, k, n)
    made = Population(G, k, 9, length, count, brood, start)
    seeds, none = made._seeds.get()[::brood].tolist(), np.full(n, -1)
    pairs = [
        PlainPair((x, x), k, tuple(seeds[2 * i : 2 * i + 2]), 3) for i, x in enumerate((start, none, start)[:count])
    ]
    for turn in range(10):
        made._breed()
        children = made._children.get().astype(int)
        for i, pair in enumerate(pairs):
            assert np.array_equal(children[2 * i : 2 * i + 2], pair.children(turn))
        made._improve(length)
        if made.found is not None:
            return
        values = made._values.get().reshape(-1, brood)
        best = made._best.get().astype(int).reshape(-1, brood, n)[np.arange(2 * count), values.argmin(axis=1)]
        best, least = list(best), values.min(axis=1).tolist()
        for i, pair in enumerate(pairs):
            pair.replace(best[2 * i : 2 * i + 2], least[2 * i : 2 * i + 2], best[(2 * i + 3) % (2 * count)])
    made._breed()
    assert made._flags.tolist()[1] == sum(pair.alike for pair in pairs)
    moved = sum(pair.moved for pair in pairs)
    assert n > 3 or (moved if count > 1 else pairs[0].alike and made.length > length)


@EACH
@pytest.mark.parametrize("parents", [(0, 1), (1, 0), (1, 2)])
def test_which_parents_are_the_same(parents: tuple[int, int], device: str) -> None:
    """Parents are equal up to the names of their classes; fewer classes make another parent."""
    colorings = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [2, 2, 0, 0, 0, 0]])[list(parents)]
    made = Population(lagcolor.generate.from_spec("clique:6"), 3, 1, 4, 1)
    made._breed()
    made._improve(4)
    made._best[:] = lagcolor.base.device.cupy().asarray(colorings.astype(np.uint16))
    made._breed()
    alike = parents == (1, 2)
    assert made._flags.tolist()[1] == alike
    start = np.full((2, 6), -1) if alike else colorings
    expected = [plain_cross(start[i], start[1 - i], 3, int(made._seeds.get()[i]), 1) for i in (0, 1)]
    assert np.array_equal(made._children.get(), expected)


@EACH
def test_seed_and_steps_determine_the_colors(device: str) -> None:
    G = lagcolor.generate.from_spec("erdos_renyi:70,0.5")
    made = [lagcolor.color(G, "memetic", device="cuda", seed=seed, **FEW).to_numpy() for seed in (1, 1, 2)]
    assert np.array_equal(made[0], made[1]) and not np.array_equal(made[0], made[2])
    first = lagcolor.color(G, "greedy", "largest_first", seed=0)
    assert made[0].max() + 1 < first.n_colors
    same = lagcolor.color(G, "memetic", device="cuda", seed=0, colors=first.n_colors, **FEW)
    assert np.array_equal(same.to_numpy(), first.colors)


@EACH
def test_the_schedule_of_threads_changes_nothing(device: str) -> None:
    """Lists of vertices in conflict are in any order, and searches end each other."""
    G = random_graph(40, 300, 2)
    made = []
    for schedule in (None, 1):
        if device == "emulated":
            from emulated import GPU

            GPU.seed, GPU.processors = schedule, 4
        search = Population(G, 9, 4, 200, 2)
        made.append((search.run(most=400), search.iterations, search._best.get(), search.found))
    if not made[0][0]:
        assert np.array_equal(made[0][2], made[1][2])
    assert made[0][:2] == made[1][:2]
    assert made[0][3] is made[1][3] is None or np.array_equal(made[0][3], made[1][3])


@EACH
def test_the_searches_of_best_take_it(device: str) -> None:
    """From first-fit downwards, until there are as few colors as requested."""
    G = lagcolor.generate.from_spec("erdos_renyi:70,0.5").on("cuda")
    search = in_graph(G, Log(), 5)
    search.attempt("first_fit", lambda _: lagcolor.color(G, quality="fast").colors)
    search.least, log = search.n_colors - 3, Log()
    colors = head(search, float("inf"), log)
    assert lagcolor.base.device.device_of(colors) == G.device
    lagcolor.verify(G, colors)
    assert int(colors.max()) + 1 == search.least
    reached = [k for k, _ in log.notes["reached"]]
    assert reached == sorted(set(reached), reverse=True) and reached[-1] == search.least


@EACH
def test_an_interrupt_keeps_the_best_so_far(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, ran = GpuDescent.run, []

    def second(*args: Any, **options: Any) -> bool:
        ran.append(args)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return run(*args, **options)

    monkeypatch.setattr(GpuDescent, "run", second)
    G = lagcolor.generate.from_spec("queen:7")
    result = lagcolor.color(G, "memetic", device="cuda", verify=True, **FEW)
    assert result.notes["interrupted"]
    assert result.n_colors == lagcolor.color(G, "greedy", "largest_first", seed=0).n_colors - 1


@EACH
def test_a_deadline_ends_a_search(device: str) -> None:
    """Before the first generation, and after some of those that come of a pace."""
    made = Population(lagcolor.generate.from_spec("clique:30"), 20, 1, 50, 1)
    assert not made.run(deadline=0.0) and made.iterations == made.generations == 0
    assert not made.run(deadline=clock() + 0.3) and made.generations > 0


@EACH
def test_graphs_that_do_not_fit(device: str) -> None:
    assert lagcolor.color("star:40000", "memetic", device="cuda").n_colors == 2  # no question for a search
    rim = np.arange(39_999)
    G = lagcolor.Graph.of((np.append(rim, rim), np.append(np.roll(rim, 1), np.full(len(rim), len(rim)))))
    with pytest.raises(lagcolor.OptionError, match=r"memetic supports degrees up to 16,383, and .* has 39,999: take"):
        lagcolor.color(G, "memetic", device="cuda")
    G = squared_ring(LARGEST_N + 3)
    with pytest.raises(lagcolor.OptionError, match=r"memetic supports up to 32,768 vertices .* are 32,771"):
        lagcolor.color(G, "memetic", device="cuda")


def squared_ring(n: int) -> lagcolor.Graph:
    """Each vertex is joined to the two before it and the two after it; n is no multiple of 3: 3 colors are too few."""
    v = np.arange(n)
    return lagcolor.Graph.of((np.append(v, v), np.append((v + 1) % n, (v + 2) % n)))


@pytest.mark.emulated(shared_memory=49_152)
def test_blocks_without_space() -> None:
    assert LaunchShape(2000, 50, 500).why == "" and not LaunchShape(2000, 50, 500).shared_table
    assert "needs 96,004 bytes of shared memory for 12,000 vertices, and a block has 48,128" in (
        LaunchShape(12_000, 50, 500).why
    )
