"""Ejections limited by work in a search; on a GPU together with the first coloring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from semirings.runtime.compile_clock import importing, stopwatch

from .. import device as dev
from ..core.errors import DeviceError
from ..core.result import Log

if TYPE_CHECKING:
    from .attempts import Search


def first_and_ejection(search: Search, name: str, first: Callable[[Log], Any], seed: int) -> float | None:
    """The first coloring, and ejections right behind it, on a GPU, with one wait; the seconds of the first.

    None where the graph is too large, or a launch fails: nothing is kept.
    """
    G = search.G
    if not (G.on_gpu and G.m):
        return None
    with importing():
        from ..engines.recolor.ejections_at_once import Launch, is_small
    if not is_small(G.n, G.m):
        return None
    passed, log = stopwatch(), Log()
    log.stage, log.begin = search.log.stage, search.log.begin
    log.stage.at()
    try:
        with dev.using(G.indices):
            launch = Launch(G, seed, search.least)
            colors = first(log)
            did = launch(colors, search.log)
    except (MemoryError, DeviceError):  # what can do without is asked for alone
        return None
    ms = passed() * 1e3
    search.degrees, search.least = (did.max_degree, did.with_it), max(search.least, 3 if did.odd else 2)
    search.keep(name, colors, did.before, ms - did.ms, log)
    search.keep("ejection", colors, did.after, did.ms, Log())
    return (ms - did.ms) / 1e3


def ejection_at_once(search: Search, seed: int) -> None:
    """Ejections limited by work, on a CPU."""

    def make(_: Log) -> Any:
        with importing():
            from ..engines.recolor.ejections_at_once import eject_at_once

        return eject_at_once(search.G, search.colors, search.n_colors, seed, search.least)[0]

    if search.G.m:
        search.attempt("ejection", make)
