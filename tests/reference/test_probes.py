"""Probes for far fewer colors: what they find, that they repeat themselves, and how `best` uses them."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import random_graph
from test_tabu import planted

import lagcolor
from lagcolor.core.log import Log
from lagcolor.engines.tabu import population
from lagcolor.engines.tabu.probes import CpuProbes, Probes, complete, spread
from lagcolor.runtime.compile_clock import clock
from lagcolor.search.attempts import Search, head

DEVICES = [pytest.param("emulated", marks=pytest.mark.emulated), pytest.param("cuda", marks=pytest.mark.gpu)]
EACH = pytest.mark.parametrize("device", DEVICES)
BOTH = pytest.mark.parametrize("device", ["cpu", *DEVICES])


def kind(device: str) -> type[Probes]:
    return CpuProbes if device == "cpu" else Probes


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(population, "BLOCK", 64)
    monkeypatch.setattr(population, "BREED_BLOCK", 64)


@pytest.mark.parametrize("kind", [Probes, CpuProbes])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 10, 99, 1000])
def test_numbers_to_probe_for_fall(k: int, kind: type[Probes]) -> None:
    targets = spread(k, *kind.steps)
    assert targets == sorted(set(targets), reverse=True)
    assert all(0.4 * k <= target < k for target in targets)
    assert bool(targets) == (k > 3)


def test_the_least_number_is_probed_for() -> None:
    """Probes look for as many colors as the lower bound, but not for fewer, nor for as many as the coloring has."""
    probes = Probes(random_graph(9, 20, 1), 4, 0)
    assert probes.sequence == [3]
    assert [probes.left(k, least) for k, least in ((4, 2), (4, 3), (4, 4), (3, 3))] == [True, True, False, False]


@pytest.mark.parametrize(("n", "density", "k"), [(0, 0, 1), (9, 1, 2), (50, 0.5, 3), (80, 0.3, 9), (80, 0.9, 40)])
def test_completed_colorings(n: int, density: float, k: int) -> None:
    """Proper, and as before where nothing was in conflict."""
    G = random_graph(n, int(density * n * n / 2), 1)
    given = np.random.default_rng(2).integers(-1, k, n).astype(np.int32)
    colors = given.copy()
    complete(G, colors)
    lagcolor.verify(G, np.unique(colors, return_inverse=True)[1].astype(np.int32))
    rows = np.repeat(np.arange(n), G.degrees)
    conflict = np.zeros(n, bool)
    conflict[rows[given[rows] == given[G.indices]]] = True
    fine = ~conflict & (given >= 0)
    assert np.array_equal(colors[fine], given[fine])
    again = colors.copy()
    complete(G, again)
    assert np.array_equal(colors, again)


@BOTH
def test_hidden_classes_are_found_from_other_numbers(device: str) -> None:
    """6 classes, by searches for any of the numbers down to 7; the same for a seed."""
    G = planted(60, 6, 0.8, 2)
    made = []
    for seed in (1, 1, 2):
        probes, k, found = kind(device)(G, 12, seed, searches=4), 12, []
        while probes.rounds == 0 and probes.left(k, 2):
            if (colors := probes.run(k, 2)) is not None:
                lagcolor.verify(G, colors)
                k = int(colors.max()) + 1
                assert k == len(np.unique(colors))
                found.append(colors)
        ks = [int(colors.max()) + 1 for colors in found]
        assert ks == sorted(set(ks), reverse=True) and ks[-1] <= 7
        made.append(found)
    assert len(made[0]) == len(made[1]) and all(map(np.array_equal, *made[:2]))
    assert not all(map(np.array_equal, made[0], made[2]))


@BOTH
def test_a_deadline_cuts_a_probe_short_and_the_next_call_goes_on(device: str) -> None:
    probes = kind(device)(lagcolor.generate.from_spec("clique:10"), 10, 1, searches=2)
    assert probes.run(10, 2, deadline=0.0) is None and probes.run(10, 2, deadline=0.0) is None
    assert probes.rounds == 0 and probes._at == 0
    assert probes.run(10, 2) is None and probes._at == 1 and probes._search is None
    most = probes._most
    while probes.rounds == 0:
        assert probes.run(10, 2) is None
    probes.run(10, 2, deadline=0.0)
    assert probes._most == probes.lengths[1] * most


@BOTH
def test_numbers_that_are_not_tried(device: str) -> None:
    probes = kind(device)(lagcolor.generate.from_spec("clique:10"), 10, 1, searches=2)
    assert probes.run(4, 2) is None and probes.run(10, 10) is None and not probes.left(4, 2)
    first = probes.sequence[0]
    probes.run(10, 2, deadline=0.0)
    assert probes._target == first
    probes.run(first, 2, deadline=0.0)  # what was begun is for too many by now
    assert probes._target < first


@BOTH
def test_sparse_graphs_have_no_core(device: str) -> None:
    colors = kind(device)(lagcolor.generate.from_spec("grid2d:9,9"), 9, 1).run(9, 2)
    assert colors is not None and colors.max() + 1 <= 8


@pytest.mark.inner
@BOTH
def test_the_searches_of_best_probe(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A coloring that a probe has found is where HEAD goes on."""
    G = planted(60, 6, 0.6, 2).on("cpu" if device == "cpu" else "cuda")
    search = Search(G, Log(), 5)
    search.attempt("first_fit", lambda _: lagcolor.color(G, quality="fast").colors)
    assert search.n_colors > 7
    log = Log()
    name = "Descent" if device == "cpu" else "GpuDescent"
    monkeypatch.setattr(f"lagcolor.engines.tabu.descent.{name}.run", lambda *_: False)
    colors = head(search, clock() + 60, log)
    assert log.notes["reached"] and log.notes["reached"][-1][0] == int(colors.max()) + 1 < search.n_colors
    lagcolor.verify(G, colors)


@EACH
def test_numbers_that_a_gpu_refuses_are_passed_over(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cores of fewer colors are larger: where one is too large, no search is begun."""
    monkeypatch.setattr(population, "LARGEST_N", 59)
    probes = Probes(planted(60, 6, 0.8, 2), 12, 1, searches=2)
    assert probes.run(12, 2) is None and probes._search is None and probes.rounds == 1
    monkeypatch.setattr(population, "LARGEST_N", 60)
    assert probes.run(12, 2, deadline=0.0) is None and probes._search is not None


@pytest.mark.inner
@EACH
def test_what_a_probe_found_is_kept_when_the_next_is_interrupted(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    G = planted(60, 6, 0.6, 2).on("cuda")
    search = Search(G, Log(), 5)
    search.attempt("first_fit", lambda _: lagcolor.color(G, quality="fast").colors)
    run, found = Probes.run, []

    def once(self: Probes, k: int, least: int, deadline: float | None = None) -> np.ndarray | None:
        if found:
            raise KeyboardInterrupt
        if (colors := run(self, k, least, None)) is not None:
            found.append(colors)
        return colors

    monkeypatch.setattr(Probes, "run", once)
    log = Log()
    colors = lagcolor.device.to_device(head(search, clock() + 600, log), "cpu")
    assert log.notes["interrupted"] and np.array_equal(colors, found[0]) and colors.max() + 1 < search.n_colors
