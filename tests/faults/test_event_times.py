"""Between which events a run on a GPU is timed: from the first launch, and to the last one, where the run says so."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import graph
from emulated import EMULATED, ndarray, runtime

import lagcolor
from lagcolor.api import session
from lagcolor.api.session import Clock
from lagcolor.base import compile_clock as compiling
from lagcolor.base.log import Log


class Event:
    """Counts the records so far of all events, as time."""

    now = 0

    def record(self) -> None:
        Event.now += 1
        self.at = Event.now

    def synchronize(self) -> None:
        pass


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> tuple[Event, Event]:
    both = Event(), Event()
    monkeypatch.setattr(session, "_events", lambda device: [both])
    monkeypatch.setattr(lagcolor.base.device.cupy().cuda, "get_elapsed_time", lambda a, b: 1e3 * (b.at - a.at))
    monkeypatch.setattr(Event, "now", 0)
    return both


@EMULATED
@pytest.mark.parametrize(
    ("begins", "ends", "first", "last"), [(False, False, 1, 2), (True, False, 2, 3), (True, True, 2, 3)]
)
def test_the_launches_that_count(pair: tuple[Event, Event], begins: bool, ends: bool, first: int, last: int) -> None:
    log = Log()
    with Clock(graph("grid").on("cuda"), log) as watch:
        if begins:
            log.begin()
        if ends:
            log.end()
            log.ended = True
    assert watch.seconds == last - first
    assert (pair[0].at, pair[1].at) == (first, last)


@EMULATED
def test_code_that_is_loaded_after_the_end_is_not_subtracted(pair: tuple[Event, Event]) -> None:
    log = Log()

    with Clock(graph("grid").on("cuda"), log) as watch:
        compiling.add(100.0)  # before the first launch
        log.begin()
        compiling.add(0.25)
        log.end()
        log.ended = True
        compiling.add(100.0)
    assert watch.seconds == 0.75


@EMULATED
def test_a_checked_call_waits_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for the arrays of a matrix, and once for its colors and their check; nothing is copied to the host."""
    waits: list[str] = []
    synchronize = runtime.Event.synchronize

    def wait(self: Any) -> None:
        waits.extend(["wait"] * (not self.done))
        synchronize(self)

    monkeypatch.setattr(runtime.Event, "synchronize", wait)
    monkeypatch.setattr(runtime.Stream, "synchronize", lambda self: waits.append("stream"))
    monkeypatch.setattr(ndarray, "get", lambda self, *_, **__: waits.append("copy"))
    import cupyx.scipy.sparse as cupyx

    G = graph("grid").on("cuda")
    matrix = cupyx.csr_matrix((G.xp.ones(G.m), G.indices, G.indptr), (G.n, G.n))
    assert lagcolor.Graph.of(matrix).indices is G.indices and waits == ["wait"]
    assert lagcolor.color(matrix, quality="fast").verified and waits == ["wait"] * 3


@EMULATED
def test_a_copy_on_the_cpu_is_conversion(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy of a graph on a GPU that a CPU colors counts as conversion."""
    now, lent = [100.0], lagcolor.Graph._lent_to_cpu

    def slow(self: Any) -> Any:
        now[0] += 7.0
        return lent(self)

    G = graph("grid").on("cuda")
    monkeypatch.setattr("lagcolor.api.session.clock", lambda: now[0])
    monkeypatch.setattr(lagcolor.Graph, "_lent_to_cpu", slow)
    result = lagcolor.color(G, problem="acyclic", quality="fast")
    assert result.convert_seconds >= 7.0 > result.seconds
