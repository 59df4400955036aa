"""ECL-GC's CUDA kernel, compared with its oracle: on a GPU, and the same text run on the CPU where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, fewer, first_fit, graph, random_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms import ecl_gc as ecl_gc_gpu
from lagcolor.base import device as dev
from lagcolor.base.log import Log
from lagcolor.orders import Priorities

SWITCHES = ("both", "sc1", "sc2", "none")
ORDERS = [("natural", None), ("random", 2**40), ("largest_first", 7), ("smallest_log_last", 3)]
SMALL = [name for name in CORPUS if name != "clique 1100"]  # that one takes the emulator minutes
BLOCK = 64  # threads: two warps, for a fiber each is slow
FEW = 40  # neighbors of a hub, so that small graphs have some


# Small hubs, and a visit of high vertices now and then without need.
EMULATED = pytest.mark.emulated(macros={"BLOCK": BLOCK, "HUB": FEW, "REFRESH": 5, "PATIENCE": 3})


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ecl_gc_gpu, "HUB", FEW)
    monkeypatch.setattr(ecl_gc_gpu, "SOURCE", dev.Source(ecl_gc_gpu.SOURCE.path, block=BLOCK))


def run(G: lagcolor.Graph, p: Priorities, shortcuts: str, trace: bool = False) -> tuple[list[int], Log]:
    log = Log(trace)
    sc1, sc2 = shortcuts in ("both", "sc1"), shortcuts in ("both", "sc2")
    return ecl_gc_gpu.run_gpu(G.on("cuda"), p.on("cuda"), sc1, sc2, log).tolist(), log


def wide(G: lagcolor.Graph) -> lagcolor.Graph:
    return lagcolor.Graph(G.indptr.astype(np.int64), G.indices)


@EMULATED
@pytest.mark.parametrize("name", SMALL)
def test_kernel_on_the_corpus(few: None, name: str) -> None:
    """Some hubs have many earlier neighbors, others have few."""
    for (order, seed), shortcuts in zip(ORDERS, SWITCHES, strict=True):
        G = wide(graph(name)) if order == "natural" else graph(name)
        p = Priorities.of(G, order, seed=seed)
        assert run(G, p, shortcuts)[0] == first_fit(G, p.sequence.tolist()), (order, shortcuts)


@EMULATED
@settings(max_examples=fewer(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    n=st.integers(1, 150),
    degree=st.floats(0, 40),
    seed=st.integers(0, 2**32 - 1),
    shortcuts=st.sampled_from(SWITCHES),
    offset=st.integers(0, 3),
)
def test_kernel_on_random_graphs(
    few: None, n: int, degree: float, seed: int, shortcuts: str, offset: int
) -> None:  # fmt: skip
    """Priorities that have nothing to do with degrees, and columns that begin anywhere."""
    G = random_graph(n, int(n * degree / 2), seed)
    moved = np.empty(G.m + 8, np.int32)[offset:][: G.m]
    moved[:] = G.indices
    G = lagcolor.Graph(G.indptr, moved)
    p = Priorities.of(G, np.random.default_rng(seed).integers(0, 9, n))
    assert run(G, p, shortcuts)[0] == first_fit(G, p.sequence.tolist())


def check_notes(G: lagcolor.Graph, p: Priorities, shortcuts: str, notes: dict[str, Any], rows: list[Any]) -> None:
    position = np.empty(G.n, int)
    position[p.on("cpu").sequence] = np.arange(G.n)
    rows_of = np.repeat(np.arange(G.n), np.diff(G.indptr))
    earlier = np.bincount(rows_of[position[G.indices] < position[rows_of]], minlength=G.n)
    assert notes["initialization"] == rows[0]["colored"] == np.count_nonzero(earlier == 0)
    assert notes["initialization"] + notes["shortcut"] + notes["conventionally"] == G.n == rows[0]["active"]
    assert sum(row["colored"] for row in rows) == G.n
    assert sum(row["by_shortcut"] for row in rows) == notes["shortcut"]
    assert notes["visits"] >= G.n - notes["initialization"]
    if shortcuts == "none":
        assert notes["shortcut"] == 0


@EMULATED
@pytest.mark.parametrize("name", ["isolated among others", "star", "random sparse"])
def test_trace_of_the_kernel(few: None, name: str) -> None:
    G = graph(name)
    for (order, seed), shortcuts in zip(ORDERS, SWITCHES, strict=True):
        p = Priorities.of(G, order, seed=seed)
        colors, log = run(G, p, shortcuts, trace=True)
        assert colors == first_fit(G, p.sequence.tolist())
        check_notes(G, p, shortcuts, log.notes, log.rows)


@EMULATED
def test_shortcuts_do_color(few: None) -> None:
    """On one block that goes through vertices by id: most of a random graph's are colored by shortcut."""
    G = random_graph(400, 2400, 1)
    notes = {s: run(G, Priorities.of(G, "random", seed=1), s, trace=True)[1].notes for s in SWITCHES}
    assert notes["both"]["shortcut"] > G.n // 5
    assert notes["sc1"]["shortcut"] > notes["none"]["shortcut"] == 0
    assert notes["both"]["visits"] < notes["none"]["visits"]


def equal(G: lagcolor.Graph, order: Any, seed: int | None, **options: Any) -> bool:
    p = Priorities.of(G, order, seed=seed)
    expected = lagcolor.color(G, "greedy", p).colors
    found = lagcolor.color(
        G, "ecl_gc", Priorities.of(G.on("cuda"), order, seed=seed), device="cuda", **options
    ).to_numpy()
    return bool(np.array_equal(found, expected))


FAMILIES = ["kron_g500:14", "rmat:15", "uniform:100000,4", "stencil27:30", "grid2d:300", "social:50000,12"]


@pytest.mark.gpu
@pytest.mark.parametrize("name", [*CORPUS, *FAMILIES])
def test_equals_first_fit(name: str) -> None:
    """Schedules differ from run to run, colors must not."""
    G = graph(name) if name in CORPUS else lagcolor.generate.from_spec(name)
    for order, seed in ORDERS:
        for shortcuts in SWITCHES:
            assert equal(G, order, seed, shortcuts=shortcuts), (order, seed, shortcuts)
    keys = np.random.default_rng(1).integers(0, 1000, G.n)
    for _ in range(5):
        assert equal(G, keys, 4, shortcuts="both")
    assert equal(wide(G), "largest_first", 3, shortcuts="both")
