"""The log that an algorithm keeps while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from semirings.interrupts import deferred

from . import compile_clock as compiling
from .options import flag
from .progress import SILENT

OUT_OF_MEMORY = "a further attempt ran out of memory: {}"  # note of a search


def _nothing() -> None:
    """`Log.begin` and `Log.end` without measurement."""


class Log:
    """Rounds of one run; with ``trace=True`` also what happened in each.

    Parameters
    ----------
    trace : bool
        Keep one row per round. Algorithms test `trace` before they compute anything for it alone.

    Attributes
    ----------
    lower_bound : int
        Colors that every coloring of the graph needs at least, as far as the algorithm has proven it.
    certificate : Certificate or None
        Proof of the bound, if the algorithm has one; else the result searches for one at first use.
    stage : Stage
        Gets the number of rounds, as progress.
    begin : callable
        An algorithm that has only looked for kernels and memory so far may call it right before its first launch: the
        device's time of the coloring is counted from here (`lagcolor.api.session.Clock`).
    end : callable
        May be called right after a launch; where it is the last one, as `ended` then still says, time is counted to it.
    ended : bool
        Nothing was launched after the last call of `end`.
    """

    __slots__ = (
        "_last",
        "_passed",
        "begin",
        "certificate",
        "end",
        "ended",
        "lower_bound",
        "notes",
        "rounds",
        "rows",
        "stage",
        "trace",
    )
    ended: bool
    lower_bound: int
    rounds: int
    stage: Any
    trace: bool

    def __init__(self, trace: bool = False) -> None:
        self.trace = trace is not False and flag("trace", trace)
        self.rounds = self.lower_bound = 0
        self.certificate: Any = None
        self.rows: list[dict[str, Any]] = []
        self.notes: dict[str, Any] = {}
        self.stage = SILENT
        self.begin: Callable[[], object] = _nothing
        self.end: Callable[[], object] = _nothing
        self.ended = False
        self._passed, self._last = compiling.stopwatch() if trace else None, 0.0

    @contextmanager
    def best_so_far(self, found: Callable[[], bool] = lambda: True, memory: bool = False) -> Iterator[None]:
        """A search that Ctrl-C ends, and with `memory` a lack of it, as notes say; raised if nothing is `found` yet.

        Ctrl-C is raised between steps of the search: at the reports of a stage and where it asks `progress.before`.
        """
        try:
            with deferred():
                yield
        except KeyboardInterrupt:
            if not found():
                raise
            self.notes["interrupted"] = True
        except MemoryError as e:
            if not (memory and found()):
                raise
            self.notes["memory"] = OUT_OF_MEMORY.format(e)

    def round(self, **row: Any) -> None:
        """Count a round that has just ended and, when tracing, keep its row (active, colored, conflicts, ms …).

        Without `ms` it is the time since the round before, but for what compiling and loading code took; None: unknown.
        """
        self.rounds += 1
        self.stage.at(self.rounds)
        if self._passed is not None:
            now = self._passed()
            self.rows.append({"round": self.rounds, **row, "ms": row.get("ms", (now - self._last) * 1e3)})
            self._last = now
