"""Searches for fewer colors by a series of attempts, for the qualities balanced and best, and for rules.

`Search` stores the best coloring so far of any structure. An `Attempt` is a row of a table: its name, cost, conditions,
and the function that colors. Start with `qualities.py`, the tables for graphs; `attempts.py` has their functions.
`nets.py`, `edges.py`, `two_colored.py`, `implicit.py` and `rules.py` have the rows for other structures and for rules.
`api/session.py` calls `run` of the module for the problem, and `api/color_implicit.py` calls `implicit.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ..base import device as dev
from ..base.compile_clock import clock
from ..base.device import extremes
from ..base.errors import DeviceError
from ..base.log import OUT_OF_MEMORY, Log

QUALITIES = ("fast", "balanced", "best")
FAST = "first_fit"  # the algorithm of fast, and of the first coloring of the other qualities
DEFAULT_LIMIT = 1.0  # seconds for best
LAST = 1 / 8  # share of the remaining time for steps that follow a search
CHECK = 3  # time of the check of a result, as a multiple of the time of the first coloring
# Device memory of an attempt, bytes per vertex; from ASK_FROM bytes on it is compared with the free memory.
NEEDS = {"bipartite": 8, "natural": 5, "ejection": 30, "iterated_greedy": 36, "clique": 8}
NEED, ASK_FROM = 17, 1 << 28
ROW_NOTES = ("memory", "launch", "reached")  # notes of an attempt that are copied to its row of `tried`
ANYTIME = -math.inf  # cost of an attempt that begins even after the limit
UNSUITED = object()  # result of an attempt that does not suit the structure: no row of `tried`


class Limit(NamedTuple):
    """Limits of a search in addition to the counts of its attempts: time, and conflicts of clause learning."""

    begun: float = 0.0  # time of `compile_clock.clock`
    seconds: float | None = None  # None: no time limit
    checked: bool = False  # whether the limit includes the check of the result
    conflicts: int | None = None  # in total; None: each attempt has its own limit

    @property
    def timed(self) -> bool:
        """Whether there is a time limit."""
        return self.seconds is not None

    def deadline(self, first_seconds: float) -> float:
        """Return the time at which to end, given the time of the first coloring."""
        if self.seconds is None:
            return math.inf
        check = CHECK * first_seconds if self.checked else 0.0
        return self.begun + self.seconds - check

    def earlier(self) -> Limit:
        """Return a shorter limit, for a search that other steps follow."""
        return self if self.seconds is None else self._replace(seconds=(1 - LAST) * self.seconds)

    def from_now(self, first_seconds: float = 0.0) -> Limit:
        """Return the remaining limit, without the time of the check."""
        if self.seconds is None:
            return self
        now = clock()
        return self._replace(begun=now, seconds=self.deadline(first_seconds) - now, checked=False)


COUNTS = Limit()


class Attempt(NamedTuple):
    """A row of a table."""

    name: str
    # time that cannot be interrupted, as a multiple of the first coloring's; the attempt begins only if it fits
    cost: float
    make: Callable[[Search, float, Log], Any]  # (search, time at which to end, log) → colors, or None
    device: str | None = None  # {"cpu", "gpu"}; None: either
    # `needs(search)`: whether the attempt is worth making (None: always); `seconds(search)`: how long an attempt that
    # can be interrupted may take
    needs: Callable[[Search], bool] | None = None
    seconds: Callable[[Search], float] | None = None
    # part of the limit within which the attempt must end; for searches in turn, its share of the time
    share: float = 1.0
    ties: bool = False  # whether a result with the same number of colors replaces the present colors

    def suits(self, search: Search) -> bool:
        """Return whether the attempt is for the device of the structure, and is worth making."""
        if self.device is not None and (self.device == "gpu") is not search.G.on_gpu:
            return False
        return self.needs is None or self.needs(search)


class Search:
    """The best coloring of a structure so far, and when the search ends.

    A search has a limit, or its attempts are limited by counts. The best coloring has the fewest colors or, with a task
    (which has rules), the fewest uncolored vertices. Each attempt is a logged round, and a row of ``notes["tried"]``.
    """

    G: Any  # the structure: a graph, nets, or computed edges
    p: Any = None  # the order of the first coloring
    colors: Any = None
    n_colors = 2**31  # number of colors; with a task, of uncolored vertices
    first_seconds = 0.0  # time of the first coloring
    certificate: Any = None  # of the lower bound `least`, if there is one
    # State that attempts on graphs share
    is_small = False  # whether further attempts cost little
    few = False  # whether a CPU colors it, also for a GPU, and the order of ids on one core costs little
    first_colors = 2**31  # number of colors of the first coloring
    mesh_colors = 2**31  # number of colors of a mesh in the order of ids
    mesh: bool | None = None  # whether the order of ids is worth trying; None: not known yet
    ejected = False  # whether ejections limited by work started from the present colors, or would save few colors
    by_id = False  # whether the order of ids was tried
    peeled = False  # whether smallest last was tried
    by_twins = False  # whether classes of twins were colored
    looked_at = 0  # number of colors at the last search for a clique around the highest color
    survey: Any = None  # properties of a graph on a GPU, from samples
    colors_by_id: Any = None  # first-fit by id: of a grid on a GPU, or tried on one core
    descent: Any = None  # search of HEAD, which the next turn continues; likewise `proof`
    proof: Any = None
    best: Any = None  # the first coloring with the fewest colors; `colors` is the last one

    def __init__(
        self, G: Any, log: Log, seed: int = 0, limit: Limit | None = None, least: int = 0, task: Any = None
    ) -> None:
        self.G, self.log, self.seed, self.limit, self.task = G, log, seed, limit or COUNTS, task
        self.least = least  # no coloring has fewer colors
        self.no_memory: dict[str, str] = {}  # attempts that are not repeated, and why
        self.tried: list[dict[str, Any]] = log.notes.setdefault("tried", [])

    @property
    def ended(self) -> bool:
        """Whether no coloring has fewer colors."""
        return self.n_colors <= self.least

    @property
    def deadline(self) -> float:
        """Time at which to end."""
        return self.limit.deadline(self.first_seconds) if self.limit.seconds is not None else math.inf

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - clock()

    @property
    def over(self) -> bool:
        """Whether no coloring has fewer colors, or the deadline has passed."""
        return self.ended or self.left <= 0

    def fits(self, cost: float, share: float = 1.0) -> bool:
        """Return whether an attempt of this cost ends within a share of the limit; the first attempt always fits."""
        if self.limit.seconds is None or self.colors is None or cost == ANYTIME:
            return True
        begun = self.limit.begun
        return clock() - begun + cost * self.first_seconds < share * (self.deadline - begun)

    def attempt(self, name: str, make: Callable[[Log], Any], under: int | None = None) -> None:
        """Make an attempt, and store its colors if they are fewer than `under` (default: than the present colors).

        An attempt that runs out of memory is not repeated. If `make` is interrupted and returns its best result so far,
        KeyboardInterrupt is raised after that result is stored.
        """
        if self.ended or name in self.no_memory:
            return
        self.log.ended = False
        begun, log = clock(), Log()
        log.stage = self.log.stage
        log.stage.at()
        colors = k = None
        why = self._too_large(name) if self.G.on_gpu else ""
        try:
            if not why:
                colors = make(log)
                if colors is UNSUITED:
                    return
                if colors is not None:
                    number = number_of if self.task is None else left_out
                    k = self.least if name == "bipartite" else number(colors)
        except MemoryError as e:  # also CuPy's
            colors, why = None, f"out of memory: {e}"
            self.log.notes.setdefault("memory", OUT_OF_MEMORY.format(e))
        except DeviceError as e:  # cooperative launches are not possible here
            if self.colors is None:
                raise
            colors, why = None, str(e)
        self.keep(name, colors, k, (clock() - begun) * 1e3, log, why, under)
        if why:
            self.no_memory[name] = why
            free_blocks(self.G)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt

    def keep(
        self, name: str, colors: Any, k: int | None, ms: float, log: Log, why: str = "", under: int | None = None
    ) -> None:
        """Record an attempt in `tried`, and store its colors if they are fewer than `under`."""
        row = {"name": name, "colors" if self.task is None else "uncolored": k, "ms": round(ms * 1e3) / 1e3}
        if why:
            row["why"] = why
        if notes := log.notes:
            row |= {note: notes[note] for note in ROW_NOTES if note in notes}
        self.tried += notes.get("tried", (row,))
        if k is not None and k < (self.n_colors if under is None else under):
            if self.colors is None:
                self.first_seconds = ms / 1e3
            self.best = colors if k < self.n_colors else self.best
            self.colors, self.n_colors = colors, k
            of_mesh = name == "natural" and bool(self.mesh) and k < self.first_colors
            if of_mesh:
                self.mesh_colors = k
            self.ejected = of_mesh or name in ("ejection", "twins")
        # Last, because a listener to progress may raise.
        if self.task is None:
            self.log.round(active=self.G.n, colored=self.G.n, conflicts=0, attempt=name, colors=k, ms=ms)

    def run(self, rows: Iterable[Attempt]) -> Any:
        """Make the attempts of all rows, and return the colors: the best so far if Ctrl-C or a MemoryError ends it."""
        log = self.log
        try:
            with log.best_so_far(lambda: self.colors is not None, memory=True):
                one_by_one(self, rows)
                self.result()
        finally:
            log.lower_bound = max(log.lower_bound, self.least)
            log.certificate = self.certificate or log.certificate
        return self.colors

    def result(self) -> Any:
        """Return the colors; raise a MemoryError with the reasons if there are none."""
        if self.colors is None:
            raise MemoryError("; ".join(f"{name}: {why}" for name, why in self.no_memory.items()))
        return self.colors

    def _too_large(self, name: str) -> str:
        """Return why this attempt is skipped (it needs more memory than is free); "" if it runs."""
        if self.colors is None:
            return ""
        need = NEEDS.get(name, NEED) * self.G.n
        if need < ASK_FROM or need <= (free := free_bytes(self.G)):
            return ""
        return f"it needs {need:,} bytes, and {free:,} are free"


def one_by_one(search: Search, rows: Iterable[Attempt]) -> None:
    """Make the attempts that fit into the time and are worth making, until no coloring has fewer colors."""
    for row in rows:
        if search.ended:
            return
        if search.fits(row.cost, row.share):
            one(search, row)


def while_fewer(search: Search, rows: Iterable[Attempt], idle: int) -> Iterator[Attempt]:
    """Yield rows until `idle` of them in a row have not found fewer colors."""
    left = idle
    for row in rows:
        if left == 0:
            return
        before = search.n_colors
        yield row
        left = idle if search.n_colors < before else left - 1


def one(search: Search, row: Attempt) -> None:
    """Make an attempt, if it is worth making."""
    if not row.suits(search):
        return
    until = search.deadline if row.seconds is None else min(clock() + row.seconds(search), search.deadline)
    search.attempt(row.name, partial(row.make, search, until), search.n_colors + 1 if row.ties else None)


def number_of(colors: Any) -> int:
    """Return the number of colors."""
    return 1 + extremes.largest(colors)


def left_out(colors: Any) -> int:
    """Return the number of uncolored vertices."""
    return int((colors < 0).sum())


def free_bytes(G: Any) -> int:
    """Return the device memory that CuPy can still allocate on the device of a structure."""
    with dev.using(G.indices):
        cp = dev.cupy()
        pool, free = cp.get_default_memory_pool(), cp.cuda.runtime.memGetInfo()[0]
        if pool.get_limit():
            free = min(free, pool.get_limit() - pool.total_bytes())
        return int(free + pool.free_bytes())


def free_blocks(G: Any) -> None:
    """Free unused device memory of CuPy's pool on the device of a structure."""
    if G.on_gpu:
        with dev.using(G.indices):
            dev.cupy().get_default_memory_pool().free_all_blocks()
