"""The fused colorings against those in verbs: colors, rounds and traces; on a GPU, and their kernels on the CPU."""

from __future__ import annotations

from typing import Any

import cuda_emulator
import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algebra import fused
from lagcolor.orders import Priorities
from lagcolor.result import Log

FUSED = {
    "luby_is": fused.luby_is_fused,
    "luby_mis": fused.luby_mis_fused,
    "jones_plassmann_gb": fused.jones_plassmann_gb_fused,
    "jones_plassmann_min": fused.jones_plassmann_min_fused,
}
CUPY = cuda_emulator.Cupy()
kinds = pytest.mark.parametrize("kind", cuda_emulator.ENGINES[1:])
algorithms = pytest.mark.parametrize("of", FUSED)
SMALL = [name for name in CORPUS if graph(name).n > 0 and graph(name).m < 20_000]


@pytest.fixture(autouse=True)
def _short_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of the emulator run one after another, so that waiting in one is in vain."""
    monkeypatch.setattr(fused, "PASSES", 20)
    monkeypatch.setattr(fused, "FILL", 512)


def run(of: str, kind: str, G: lagcolor.Graph, p: np.ndarray, trace: bool = False) -> tuple[np.ndarray, Log]:
    """Colors and log of the fused writing of an algorithm."""
    log = Log(trace)
    if kind == "emulated":
        return np.asarray(FUSED[of](CUPY, G, p, log)), log
    cp, G = lagcolor.device.cupy(), G.on(kind)
    with lagcolor.device.using(G.indices):
        return FUSED[of](cp, G, cp.asarray(p), log).get(), log


def in_verbs(of: str, G: lagcolor.Graph, order: Any, seed: int | None = 0) -> tuple[np.ndarray, Log, np.ndarray]:
    """Colors and log of the writing in verbs, on the CPU, and the priorities."""
    p = Priorities.of(G, order, seed)
    return lagcolor.ALGORITHMS[of].run(G, p, log := Log()), log, p.p


@pytest.mark.parametrize("name", SMALL)
@algorithms
@kinds
def test_colors_and_rounds(kind: str, of: str, name: str) -> None:
    G = graph(name)
    for order, seed in (("random", 0), ("natural", None)):
        expected, in_step, p = in_verbs(of, G, order, seed)
        colors, log = run(of, kind, G, p)
        assert colors.dtype == np.int32
        assert colors.tolist() == expected.tolist()
        assert log.rounds == (in_step.rounds if of != "luby_mis" else expected.max() + 1)


@algorithms
@kinds
@given(n=st.integers(1, 120), degree=st.integers(0, 12), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(kind: str, of: str, n: int, degree: int, seed: int) -> None:
    G = random_graph(n, n * degree, seed)
    expected, _, p = in_verbs(of, G, "random", seed)
    assert run(of, kind, G, p)[0].tolist() == expected.tolist()


@algorithms
@kinds
def test_trace_goes_in_step(kind: str, of: str) -> None:
    G = graph("rmat")
    expected, in_step, p = in_verbs(of, G, "random")
    colors, log = run(of, kind, G, p, trace=True)
    assert colors.tolist() == expected.tolist()
    assert len(log.rows) == log.rounds == (in_step.rounds if of != "luby_mis" else expected.max() + 1)
    assert all(row["ms"] >= 0 for row in log.rows)
    colored = [row["colored"] for row in log.rows]
    assert [row["active"] for row in log.rows] == [G.n - sum(colored[:k]) for k in range(len(colored))]
    if of in ("luby_is", "luby_mis"):  # a color a round
        assert colored == np.bincount(expected).tolist()


@algorithms
@kinds
def test_launches_that_end_early(kind: str, of: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left waits for the next launch."""
    monkeypatch.setattr(fused, "PASSES", 1)
    G = graph("random dense")
    expected, in_step, p = in_verbs(of, G, "random")
    colors, log = run(of, kind, G, p)
    assert colors.tolist() == expected.tolist()
    assert log.rounds == (in_step.rounds if of != "luby_mis" else expected.max() + 1)


@pytest.mark.parametrize("macros", [{"ALONE": 2, "POLL": 1, "STEP": 2}, {"ALONE": 64, "POLL": 4, "CACHED": 1}])
@algorithms
@kinds
def test_tuning_changes_no_color(kind: str, of: str, macros: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused, "TUNING", macros)
    G = graph("random dense")
    expected, _, p = in_verbs(of, G, "random")
    assert run(of, kind, G, p)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("narrowed", [1, 4])
@kinds
def test_narrowing_rows_changes_no_color(kind: str, narrowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows longer and shorter than a warp goes through at once, among them some of more than 64 colors."""
    monkeypatch.setattr(fused, "NARROWED", narrowed)
    monkeypatch.setattr(fused, "LONG", 20)
    u, v = np.triu_indices(70, 1)
    clique, sparse = lagcolor.Graph.of((u, v)), random_graph(600, 9000, 5)
    for G in (graph("random dense"), graph("rmat"), clique, sparse):
        before = G.indices.copy(), G.indptr.copy()
        expected, _, p = in_verbs("luby_mis", G, "random")
        colors, _ = run("luby_mis", kind, G, p)
        assert colors.tolist() == expected.tolist()
        assert (G.indices == before[0]).all()
        assert (G.indptr == before[1]).all()


@kinds
def test_narrowing_keeps_what_is_looked_at(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long row the larger neighbours without a color, in order; of a short one all."""
    cp = CUPY if kind == "emulated" else lagcolor.device.cupy()
    r = np.random.default_rng(6)
    G = random_graph(400, 40_000, 7)
    state = np.where(r.random(G.n) < 0.5, r.permutation(G.n), -1 - r.integers(0, 9, G.n)).astype(np.int32)
    monkeypatch.setattr(fused, "LONG", int(np.median(G.degrees)))
    H = G.on("cpu" if kind == "emulated" else kind)
    with lagcolor.device.using(H.indices):
        W = fused.Waiting(cp, H, cp.asarray(state), fused.RACE)
        W.narrow(cp)
    ends, columns = (np.asarray(a.get() if hasattr(a, "get") else a) for a in (W._ends, W._columns))
    for v in range(G.n):
        row = G.indices[G.indptr[v] : G.indptr[v + 1]]
        narrowed = state[v] >= 0 and len(row) > fused.LONG
        want = row[state[row] > state[v]] if narrowed else row
        assert columns[G.indptr[v] : ends[v]].tolist() == want.tolist()


@kinds
def test_more_colors_than_a_window_holds(kind: str) -> None:
    """A clique beside vertices that fit in between: over 64 colors, and over 64 + 1024 on a GPU."""
    size = 1200 if kind == "cuda" else 150
    u, v = np.triu_indices(size, 1)
    G = lagcolor.Graph.of((np.append(u, np.arange(40)), np.append(v, np.arange(size, size + 40))))
    p = Priorities.of(G, "random", 3)
    colors, _ = run("jones_plassmann_min", kind, G, p.p)
    assert colors.tolist() == first_fit(G, p.sequence.tolist())
    assert colors.max() >= size - 1
