"""What counts as the time of a coloring: its order and its run, on the clock of the device; and when to check it.

Compiling and loading code counts as neither; `semirings/runtime/compile_clock.py` adds it up.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from semirings.runtime import compile_clock as compiling

from .. import device as dev
from ..core.graph import Graph
from ..core.pattern import Pattern
from ..core.registry import Algorithm
from ..orders import Priorities
from ..orders.seeds import Seed, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.result import Log

VERIFY_UP_TO = 10_000_000  # edges above which `verify=None` leaves the check to the caller


def priorities(G: Graph, row: Algorithm, order: Any, seed: Seed, prepare: bool = True) -> tuple[Priorities, float]:
    """The order of a call, with `prepare` in the form that the algorithm reads, and the seconds that making it took."""
    passed = compiling.stopwatch()
    order, seed = row.order if order is None else order, resolve(seed, row.seed)
    p = Priorities.of(G, order, seed)
    if prepare and (form := row.form_of(p)) is not None:
        getattr(p, form)
        if G.on_gpu:
            dev.cupy().cuda.get_current_stream().synchronize()
    return p, passed()


def timed(
    G: Pattern, run: Callable[[], Any], log: Log | None = None, then: Callable[[Any], Any] | None = None
) -> tuple[Any, float]:
    """Result and seconds: events on a GPU, which must be the current device, perf_counter on a CPU.

    On a GPU the time begins with the call, or when the run calls `Log.begin` of its log, and ends with it, or with the
    launch after which the run called `Log.end`, where that was the last. With `then` the result is what that makes of
    the run's, outside of the seconds and on a GPU while it is still at work.
    """
    if not G.on_gpu:
        passed = compiling.stopwatch()
        out = run()
        seconds = passed()
        return out if then is None else then(out), seconds
    before = after = compiling.seconds()
    cp = dev.cupy()
    spare = _events(cp.cuda.runtime.getDevice())
    try:
        begin, end = spare.pop()
    except IndexError:
        begin, end = cp.cuda.Event(), cp.cuda.Event()

    def first_launch() -> None:
        nonlocal before
        before = compiling.seconds()  # of what the launch itself loads
        begin.record()  # recorded twice, an event is of the second time

    def last_launch() -> None:
        nonlocal after
        after = compiling.seconds()  # what is loaded later is not between the events
        end.record()

    if log is not None:
        log.begin, log.end = first_launch, last_launch
    begin.record()
    out = run()
    if log is None or not log.ended:
        last_launch()
    compiled = after - before
    if then is not None:
        out = then(out)
    end.synchronize()
    seconds = cp.cuda.get_elapsed_time(begin, end) / 1e3
    spare.append((begin, end))
    return out, max(seconds - compiled, 0.0)


@functools.cache
def _events(device: int) -> list[tuple[Any, Any]]:
    """Pairs of events that nobody uses: making them takes as long as a launch."""
    return []


def is_checked(verify: bool | None, G: Pattern) -> bool:
    """Whether a result is verified: as requested, else for graphs of up to 10 M edges, patterns of as many entries."""
    if verify is not None:
        return verify
    return getattr(G, "n_edges", G.m) <= VERIFY_UP_TO
