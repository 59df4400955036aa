"""Che et al. 2015: the three algorithms against the paper's pseudocode in plain Python, on every engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import GPU
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.che import local_maxima as che_rounds
from lagcolor.algorithms.che import work_stealing as che_work_stealing
from lagcolor.api import warm_up
from lagcolor.base import device as dev
from lagcolor.base.errors import ColoringError, OptionError
from lagcolor.orders import Priorities

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
SMALL = [name for name in CORPUS if name != "clique 1100"]
ALGORITHMS = ("che_baseline", "che_hybrid", "che_work_stealing")
ENGINES = [*DEVICES, pytest.param("emulated", marks=pytest.mark.emulated)]


@pytest.fixture
def on_engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., lagcolor.Coloring]:
    """``lagcolor.color`` on the engine that the test names."""
    return color_on(request.param, monkeypatch)


def color_on(engine: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., lagcolor.Coloring]:
    if engine != "emulated":
        return lambda G, *args, **rest: lagcolor.color(G.on(engine), *args, **rest)
    for module in (che_rounds, che_work_stealing):
        monkeypatch.setattr(module, "SOURCE", dev.Source(che_rounds.SOURCE.path, block=64))
    return lambda G, *args, **rest: lagcolor.color(G.on("cuda"), *args, **rest)


def every(engines: list[Any] = ENGINES) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("on_engine", engines, indirect=True)


# ---- Algorithms 1 and 3 as the paper writes them ---------------------------------------------------------------


def loops(G: lagcolor.Graph, color: list[int], value: list[int], flag: list[bool] | None, cur_color: int) -> int:
    """The two loops of BASECOLORING, or with the flags DEGREECOLORING; how many they colored."""
    indptr, col = G.indptr.tolist(), G.indices.tolist()
    max_array = [-1] * G.n
    for i in range(G.n):
        if color[i] < 0:
            for j in range(indptr[i], indptr[i + 1]):
                if color[col[j]] < 0:
                    if flag is not None and value[i] == value[col[j]]:
                        flag[i] = True
                    max_array[i] = max(max_array[i], value[col[j]])
    chosen = [i for i in range(G.n) if color[i] < 0 and not (flag and flag[i]) and value[i] > max_array[i]]
    for i in chosen:
        color[i] = cur_color
    return len(chosen)


def paper(
    G: lagcolor.Graph, p: list[int], go_on: Callable[[int, int], bool]
) -> tuple[list[int], list[tuple[str, int]]]:
    """Colors and, a round, phase and colored; ``go_on(rounds, colored)`` says whether degree labelling does."""
    color, flag, degree = [-1] * G.n, [False] * G.n, G.degrees.tolist()
    rounds: list[tuple[str, int]] = []
    cur_color, phase, colored = 0, "degree", -1
    while -1 in color:
        if phase == "degree" and not go_on(len(rounds), colored):
            phase = "random"
        value = degree if phase == "degree" else p
        colored = loops(G, color, value, flag if phase == "degree" else None, cur_color)
        rounds.append((phase, colored))
        cur_color += colored > 0
    return color, rounds


def never(rounds: int, colored: int) -> bool:
    return False


POLICIES: dict[str, tuple[Any, Callable[[int, int], bool]]] = {
    "none colored": ("none_colored", lambda rounds, colored: colored != 0),
    "at once": (0, never),
    "round 2": (2, lambda rounds, colored: rounds < 2 and colored != 0),
    "below 10": ("below:10", lambda rounds, colored: not 0 <= colored < 10),
    "below 0": ("below:0", lambda rounds, colored: colored != 0),
    "function": (lambda s: s.colored < s.active / 20, None),
}


@every()
@pytest.mark.parametrize("name", SMALL)
def test_baseline_is_the_papers(on_engine: Any, name: str) -> None:
    G = graph(name)
    for order, seed in (("random", 5), ("largest_first", 1))[: 1 if G.m > 5000 else 2]:
        expected, rounds = paper(G, Priorities.of(G, order, seed=seed).p.tolist(), never)
        result = on_engine(G, "che_baseline", order=order, seed=seed)
        assert result.to_numpy().tolist() == expected
        assert result.rounds == max(1, len(rounds))
        stolen = on_engine(G, "che_work_stealing", order=order, seed=seed, queues=3, chunk=16)
        assert stolen.to_numpy().tolist() == expected


@every()
@pytest.mark.parametrize("policy", [p for p in POLICIES if p != "function"])
@pytest.mark.parametrize("name", SMALL)
def test_hybrid_is_the_papers(on_engine: Any, name: str, policy: str) -> None:
    G, (switch, go_on) = graph(name), POLICIES[policy]
    expected, rounds = paper(G, Priorities.of(G, "random", seed=3).p.tolist(), go_on)
    by_degree = [colored for phase, colored in rounds if phase == "degree"]
    notes = {
        "degree_rounds": len(by_degree),
        "degree_colors": sum(colored > 0 for colored in by_degree),
        "random_rounds": len(rounds) - len(by_degree),
    }
    result = on_engine(G, "che_hybrid", seed=3, switch=switch, trace=True)
    assert result.to_numpy().tolist() == expected
    assert [(row["phase"], row["colored"]) for row in result.trace] == rounds
    assert result.notes == notes


@given(n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), least=st.integers(0, 20))
def test_hybrid_of_random_graphs(n: int, density: float, seed: int, least: int) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    expected, rounds = paper(
        G, Priorities.of(G, "random", seed=0).p.tolist(), lambda rounds, colored: not 0 <= colored < max(1, least)
    )
    result = lagcolor.color(G, "che_hybrid", switch=f"below:{least}")
    assert result.colors.tolist() == expected
    assert result.rounds == len(rounds)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["kron_g500:13", "social:20000,8", "rgg:14", "road:60", "rmat:14"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_same_on_gpu(algorithm: str, spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    expected = lagcolor.color(G, algorithm, verify=True)
    for _ in range(3):
        result = lagcolor.color(G.on("cuda"), algorithm)
        assert np.array_equal(result.to_numpy(), expected.colors)
        assert result.rounds == expected.rounds


# ---- switching ------------------------------------------------------------------------------------------------


@every()
def test_own_function_switches(on_engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The function is told of the caller's graph only, not of the small ones that code is warmed up with."""
    monkeypatch.setattr(warm_up, "_WARM", set())
    G = graph("rmat")
    told: list[tuple[int, int, int, int]] = []

    def decide(s: Any) -> bool:
        told.append((s.round, s.active, s.colored, s.left))
        assert len(s.degrees) == s.left
        return s.round == 3

    result = on_engine(G, "che_hybrid", switch=decide, trace=True)
    assert [t[:3] for t in told] == [(r["round"], r["active"], r["colored"]) for r in result.trace[:3]]
    assert result.notes["degree_rounds"] == 3
    assert np.array_equal(result.to_numpy(), on_engine(G, "che_hybrid", switch=3).to_numpy())


@pytest.mark.parametrize("switch", ["below:", "below:-1", "below:x", "none", -1, 1.5, True, None])
def test_no_such_policy(switch: object) -> None:
    with pytest.raises(OptionError, match="switch must be 'none_colored', a number of rounds from 0 on"):
        lagcolor.color(graph("grid"), "che_hybrid", switch=switch)


def test_other_options_are_checked() -> None:
    G = graph("grid")
    for option in ("queues", "chunk"):
        with pytest.raises(OptionError, match=rf"{option} must be a whole number from 1 on(, or None)?, not 0"):
            lagcolor.color(G, "che_work_stealing", **{option: 0})
    with pytest.raises(OptionError, match="steal must be True or False, not 1"):
        lagcolor.color(G, "che_work_stealing", steal=1)


# ---- what the paper and Welsh and Powell say ------------------------------------------------------------------


def welsh_powell(G: lagcolor.Graph) -> int:
    """max min(d_i + 1, i) over the i-th largest degrees."""
    degrees = np.sort(G.degrees)[::-1]
    return int(np.minimum(degrees + 1, np.arange(1, G.n + 1)).max()) if G.n else 0


@pytest.mark.parametrize("name", CORPUS)
def test_degree_labelling(name: str) -> None:
    """Who is colored in the first phase, when, and with how many colors at most."""
    G = graph(name)
    result = lagcolor.color(G, "che_hybrid")
    degrees, colors, k = G.degrees, result.colors, result.notes["degree_colors"]
    distinct = np.unique(degrees)[::-1]
    u, v = np.repeat(np.arange(G.n), degrees), G.indices
    tied = np.zeros(G.n, bool)
    tied[u[degrees[u] == degrees[v]]] = True
    first = colors < k
    assert not (first & tied).any()
    # Only local maxima: of two neighbors the one of greater degree is colored earlier.
    assert (colors[u] < colors[v])[first[v] & (degrees[u] > degrees[v])].all()
    assert (colors[first] <= np.searchsorted(-distinct, -degrees[first])).all()
    assert k <= max(1, 2 * welsh_powell(G) - 1)
    # The other vertices are tied, or wait for a neighbor of greater degree without a color.
    waits = np.zeros(G.n, bool)
    waits[u[(degrees[v] > degrees[u]) & ~first[v]]] = True
    assert (tied | waits)[~first].all()


@pytest.mark.parametrize("name", CORPUS)
def test_first_fit_keeps_welsh_and_powells_bound(name: str) -> None:
    G = graph(name)
    for algorithm in ("greedy", "jones_plassmann"):
        assert lagcolor.color(G, algorithm, order="largest_first").n_colors <= welsh_powell(G)


def test_a_color_a_round_does_not() -> None:
    """A path whose degrees fall by one, each vertex with leaves: as many rounds, twice the bound."""
    length, u, v, n = 12, [], [], 12
    for i in range(length):
        leaves = length + 1 - i - (1 if i == 0 else 2)
        u += [i] * leaves
        v += range(n, n + leaves)
        n += leaves
    G = lagcolor.Graph.of((np.array(u + list(range(length - 1))), np.array(v + list(range(1, length)))), n=n)
    assert G.degrees[:length].tolist() == [*range(length + 1, 2, -1), 1]
    result = lagcolor.color(G, "che_hybrid")
    assert result.notes["degree_colors"] >= length > welsh_powell(G)


# ---- what a run tells -----------------------------------------------------------------------------------------


@every(DEVICES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_trace(on_engine: Any, algorithm: str) -> None:
    """Figures 7 and 9: degrees of the active vertices, and how many took which color."""
    G = graph("rmat")
    result = on_engine(G, algorithm, trace=True)
    colors = result.to_numpy()
    assert [row["color"] for row in result.trace if row["colored"]] == list(range(result.n_colors))
    left = G.n
    for row, later in itertools.pairwise([*result.trace, {"color": result.n_colors, "active": 0}]):
        c = later["color"] if row["color"] is None else row["color"]
        active = G.degrees[colors >= c]
        assert row["active"] == len(active) == left
        assert row["max_degree"] == active.max()
        assert row["mean_degree"] == pytest.approx(active.mean())
        assert row["colored"] == (0 if row["color"] is None else np.count_nonzero(colors == c))
        left -= row["colored"]
    assert left == 0


@every(DEVICES)
@pytest.mark.parametrize(("queues", "mean"), [(4, 78.0), (8, 39.0), (16, 19.5)])
def test_table_i(on_engine: Any, queues: int, mean: float) -> None:
    """Elements of 64 vertices, as many vertices as the paper's graph: its means."""
    G = random_graph(19_928, 40_000, 1)
    notes = on_engine(G, "che_work_stealing", queues=queues, chunk=64).notes
    first = notes["first_round"]
    assert (notes["queues"], first["elements"], first["mean"]) == (queues, 312, mean)
    assert first["min"] <= mean <= first["max"]
    kept = on_engine(G, "che_work_stealing", queues=queues, chunk=64, steal=False).notes["first_round"]
    assert (kept["steals_tried"], kept["steals_won"]) == (0, 0)
    assert kept["max"] - kept["min"] <= 1


@every()
@pytest.mark.parametrize("steal", [True, False])
def test_queues_are_the_same_in_every_round(on_engine: Any, steal: bool) -> None:
    """Elements are of 64 whole rows, and all are consumed in each round, whatever is left."""
    G = graph("rmat")
    result = on_engine(G, "che_work_stealing", queues=3, steal=steal, trace=True)
    assert (result.notes["queues"], result.notes["chunk"]) == (3, 64)
    for row in result.trace:
        assert row["elements"] == -(-G.n // 64)
        assert row["steals_won"] <= row["steals_tried"]
        if not steal:
            assert row["steals_tried"] == 0 and row["max"] - row["min"] <= 1
    assert result.notes["all_rounds"]["elements"] == result.rounds * -(-G.n // 64)
    assert {k: result.trace[0][k] for k in result.notes["first_round"]} == result.notes["first_round"]


def consumed_by(G: lagcolor.Graph, colors: Any, queues: int, chunk: int, steal: bool) -> tuple[list[int], int]:
    """Algorithm 2 in all rounds, in lockstep: elements that each workgroup consumed, and how many were stolen."""
    elements, consumed, stolen = -(-G.n // chunk), [0] * queues, 0
    for color in range(colors.max() + 1):
        left = [list(range(elements * q // queues, elements * (q + 1) // queues)) for q in range(queues)]
        busy = [0] * queues
        while any(left):
            me = min((q for q in range(queues) if left[q] or steal), key=busy.__getitem__)
            if left[me]:
                first = chunk * left[me].pop()
            else:
                first = chunk * next(left[q % queues] for q in range(me, me + queues) if left[q % queues]).pop(0)
                stolen += 1
            consumed[me] += 1
            rows = G.degrees[first : first + chunk][colors[first : first + chunk] >= color]
            busy[me] += 1 + max(rows, default=0)
    return consumed, stolen


@pytest.mark.parametrize("steal", [True, False])
@pytest.mark.parametrize(("queues", "chunk"), [(3, 16), (5, 7)])
@pytest.mark.parametrize("name", ["rmat", "star", "random sparse"])
def test_queues_are_the_papers(name: str, queues: int, chunk: int, steal: bool) -> None:
    """On a CPU, where the workgroup that has been busy least acts next."""
    G = graph(name)
    result = lagcolor.color(G, "che_work_stealing", queues=queues, chunk=chunk, steal=steal)
    consumed, stolen = consumed_by(G, result.colors, result.notes["queues"], chunk, steal)
    notes = result.notes["all_rounds"]
    assert (notes["elements"], notes["steals_won"]) == (sum(consumed), stolen)
    assert (notes["max"], notes["min"]) == (max(consumed), min(consumed))
    assert notes["stdev"] == pytest.approx(np.std(consumed, ddof=1))


def test_workgroup_waits_for_its_longest_row() -> None:
    """Of two queues of four elements: one starts with a single row of 5, the other with 64 rows of 3, and steals."""
    ring = np.arange(64)
    u = np.concatenate([np.full(5, 192), 448 + ring, 448 + ring[:32]])
    v = np.concatenate([193 + np.arange(5), 448 + (ring + 1) % 64, 448 + ring[:32] + 32])
    G = lagcolor.Graph.of((u, v), n=512)
    assert G.degrees[448:].tolist() == [3] * 64 and G.max_degree == 5
    first = lagcolor.color(G, "che_work_stealing", queues=2).notes["first_round"]
    assert (first["elements"], first["max"], first["min"], first["steals_won"]) == (8, 5, 3, 1)


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.emulated(processors=3)
def test_queues_in_random_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads take turns at random at each relaxed access and atomic."""
    monkeypatch.setattr(GPU, "seed", seed)
    for name in ("odd cycle", "clique 5", "disconnected"):
        expected = lagcolor.color(graph(name), "che_baseline")
        result = lagcolor.color(graph(name), "che_work_stealing", device="cuda", queues=3, chunk=2)
        assert np.array_equal(result.to_numpy(), expected.colors)


@pytest.mark.parametrize(("change", "left"), [(0, "(?P=n)"), (1, "-1")], ids=["lost", "twice"])
def test_wrong_count_is_an_error(change: int, left: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements that are lost or taken twice must not keep the rounds going for ever."""

    def advance(queues: che_work_stealing.Queues, value: Any) -> None:
        queues.left -= change * (queues.G.n + 1)

    monkeypatch.setattr(che_work_stealing.Queues, "advance", advance)
    with pytest.raises(ColoringError, match=rf"of (?P<n>\d+) vertices without a color {left} are left"):
        lagcolor.color(graph("rmat"), "che_work_stealing")
