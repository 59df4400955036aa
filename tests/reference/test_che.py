"""Che et al. 2015: the three algorithms against the paper's pseudocode in plain Python, on every engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.che import local_maxima as che_rounds
from lagcolor.algorithms.che import work_stealing as che_work_stealing
from lagcolor.api import warm_up
from lagcolor.base import device as dev
from lagcolor.orders import Priorities

SMALL = [name for name in CORPUS if name != "clique 1100"]
EMULATED = ["empty", "no edges", "path", "odd cycle", "star, hub last", "clique 70", "crown", "random sparse"]
ALGORITHMS = ("che_baseline", "che_hybrid", "che_work_stealing")
ENGINES = [
    "cpu", pytest.param("cuda", marks=pytest.mark.gpu), pytest.param("emulated", marks=pytest.mark.emulated),
]  # fmt: skip
every = pytest.mark.parametrize("engine", ENGINES, indirect=True)


@pytest.fixture
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The device of an engine; emulated blocks have 64 threads."""
    if request.param == "emulated":
        for module in (che_rounds, che_work_stealing):
            monkeypatch.setattr(module, "SOURCE", dev.Source(che_rounds.SOURCE.path, block=64))
    return "cpu" if request.param == "cpu" else "cuda"


def graphs(request: pytest.FixtureRequest) -> list[str]:
    return EMULATED if "emulated" in request.node.name else SMALL


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


POLICIES: dict[Any, Callable[[int, int], bool]] = {
    "none_colored": lambda rounds, colored: colored != 0,
    0: lambda rounds, colored: False,
    2: lambda rounds, colored: rounds < 2 and colored != 0,
    "below:10": lambda rounds, colored: not 0 <= colored < 10,
}


@every
def test_baseline_is_the_papers(engine: str, request: pytest.FixtureRequest) -> None:
    for name, (order, seed) in itertools.product(graphs(request), (("random", 5), ("largest_first", 1))):
        G, how = graph(name), {"order": order, "seed": seed}
        expected, rounds = paper(G, Priorities.of(G, order, seed=seed).p.tolist(), POLICIES[0])
        result = lagcolor.color(G.on(engine), "che_baseline", **how)
        assert result.to_numpy().tolist() == expected, name
        assert result.rounds == max(1, len(rounds)), name
        stolen = lagcolor.color(G.on(engine), "che_work_stealing", **how, queues=3, chunk=16)
        assert stolen.to_numpy().tolist() == expected, name


@every
@pytest.mark.parametrize("switch", POLICIES)
def test_hybrid_is_the_papers(engine: str, switch: Any, request: pytest.FixtureRequest) -> None:
    for name in graphs(request):
        G = graph(name)
        expected, rounds = paper(G, Priorities.of(G, "random", seed=3).p.tolist(), POLICIES[switch])
        by_degree = [colored for phase, colored in rounds if phase == "degree"]
        result = lagcolor.color(G.on(engine), "che_hybrid", seed=3, switch=switch, trace=True)
        assert result.to_numpy().tolist() == expected, name
        assert [(row["phase"], row["colored"]) for row in result.trace] == rounds, name
        assert result.notes == {
            "degree_rounds": len(by_degree),
            "degree_colors": sum(colored > 0 for colored in by_degree),
            "random_rounds": len(rounds) - len(by_degree),
        }, name


@given(n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), least=st.integers(0, 20))
def test_hybrid_of_random_graphs(n: int, density: float, seed: int, least: int) -> None:
    """A round that colors exactly as many as the threshold is followed by another."""
    G = random_graph(n, int(density * n * n / 3), seed)
    expected, rounds = paper(
        G, Priorities.of(G, "random", seed=0).p.tolist(), lambda rounds, colored: not 0 <= colored < max(1, least)
    )
    result = lagcolor.color(G, "che_hybrid", switch=f"below:{least}")
    assert result.colors.tolist() == expected
    assert result.rounds == len(rounds)


@every
def test_own_function_switches(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The function gets statistics of the caller's graph only, not of the small ones of warm-up, and may keep them."""
    monkeypatch.setattr(warm_up, "_WARM", set())
    G, stored = graph("rmat"), list[Any]()

    def decide(s: Any) -> bool:
        stored.append(s)
        return s.round == 3

    result = lagcolor.color(G.on(engine), "che_hybrid", switch=decide, trace=True)
    rows = [(r["round"], r["active"], r["colored"]) for r in result.trace[:3]]
    assert [(s.round, s.active, s.colored) for s in stored] == rows
    assert result.notes["degree_rounds"] == 3
    for k, s in enumerate(stored):
        degrees = G.degrees[result.to_numpy() > k]
        assert len(degrees) == s.left and np.array_equal(dev.to_device(s.degrees, "cpu"), degrees)


def test_bounds_of_welsh_and_powell() -> None:
    """Degree labelling takes less than twice max min(d_i + 1, i) over the i-th largest degrees."""
    for name in CORPUS:
        G = graph(name)
        degrees = np.sort(G.degrees)[::-1]
        bound = int(np.minimum(degrees + 1, np.arange(1, G.n + 1)).max(initial=0))
        assert lagcolor.color(G, "che_hybrid").notes["degree_colors"] <= max(1, 2 * bound - 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_trace(algorithm: str) -> None:
    """Figures 7 and 9: degrees of the active vertices, and how many took which color."""
    G = graph("rmat")
    result = lagcolor.color(G, algorithm, trace=True)
    assert [row["color"] for row in result.trace if row["colored"]] == list(range(result.n_colors))
    for row, later in itertools.pairwise([*result.trace, {"color": result.n_colors}]):
        c = later["color"] if row["color"] is None else row["color"]
        active = G.degrees[result.colors >= c]
        assert row["active"] == len(active) and row["max_degree"] == active.max()
        assert row["mean_degree"] == pytest.approx(active.mean())
        assert row["colored"] == (0 if row["color"] is None else np.count_nonzero(result.colors == c))


@every
@pytest.mark.parametrize("steal", [True, False])
def test_queues_are_the_same_in_every_round(engine: str, steal: bool) -> None:
    """Elements are of 64 whole rows, and all are consumed in each round, whatever is left."""
    G = graph("rmat")
    result = lagcolor.color(G.on(engine), "che_work_stealing", queues=3, steal=steal, trace=True)
    assert (result.notes["queues"], result.notes["chunk"]) == (3, 64)
    for row in result.trace:
        assert row["elements"] == -(-G.n // 64)
        assert row["steals_won"] <= row["steals_tried"]
        assert steal or (row["steals_tried"] == 0 and row["max"] - row["min"] <= 1)
    assert result.notes["all_rounds"]["elements"] == result.rounds * -(-G.n // 64)
    assert {k: result.trace[0][k] for k in result.notes["first_round"]} == result.notes["first_round"]


def test_workgroup_waits_for_its_longest_row() -> None:
    """Two queues have four elements: one starts with a single row of 5, the other with 64 rows of 3, and steals."""
    ring = np.arange(64)
    u = np.concatenate([np.full(5, 192), 448 + ring, 448 + ring[:32]])
    v = np.concatenate([193 + np.arange(5), 448 + (ring + 1) % 64, 448 + ring[:32] + 32])
    G = lagcolor.Graph.of((u, v), n=512)
    assert G.degrees[448:].tolist() == [3] * 64 and G.max_degree == 5
    first = lagcolor.color(G, "che_work_stealing", queues=2).notes["first_round"]
    assert (first["elements"], first["max"], first["min"], first["steals_won"]) == (8, 5, 3, 1)
