"""Attempts at fewer colors, one after the other, for the qualities balanced and best, and for rules.

`Search` keeps the best coloring so far of any structure, and an `Attempt` is a row of a table: its name, what it needs,
its cost, and what makes the colors. Start with `qualities.py`, the tables for graphs; `attempts.py` has their
functions. `nets.py`, `edges.py`, `two_colored.py`, `implicit.py` and `rules.py` have the rows for other structures and
for rules. `api/session.py` calls `run` of the module for the problem, and `api/color_implicit.py` calls `implicit.py`.
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
FAST = "first_fit"  # the algorithm of fast, and of the first coloring of the others
DEFAULT_LIMIT = 1.0  # seconds for best
LAST = 1 / 8  # of the time that is left, for steps that follow a search
CHECK = 3  # time of the check of a result, as a multiple of the first coloring's
# Device memory that an attempt takes, bytes per vertex, and the least that is compared with the free memory.
NEEDS = {"bipartite": 8, "natural": 5, "ejection": 30, "iterated_greedy": 36, "clique": 8}
NEED, ASK_FROM = 17, 1 << 28
ROW_NOTES = ("memory", "launch", "reached")  # notes of an attempt that stand in its row of `tried`
ANYTIME = -math.inf  # cost of an attempt that does some work after the limit, too
UNSUITED = object()  # what an attempt returns that does not suit the structure: it gets no row of `tried`


class Limit(NamedTuple):
    """What ends a search other than the counts of its attempts: a time limit, and conflicts of clause learning."""

    begun: float = 0.0  # moment of `compile_clock.clock`
    seconds: float | None = None  # None: no time limit
    checked: bool = False  # whether the check of the result must keep it, too
    conflicts: int | None = None  # in all; None: as many as an attempt takes

    @property
    def timed(self) -> bool:
        """Whether there is a time limit."""
        return self.seconds is not None

    def deadline(self, first_seconds: float) -> float:
        """Moment at which to end, by the time of the first coloring."""
        if self.seconds is None:
            return math.inf
        check = CHECK * first_seconds if self.checked else 0.0
        return self.begun + self.seconds - check

    def earlier(self) -> Limit:
        """The same for a search that other steps follow."""
        return self if self.seconds is None else self._replace(seconds=(1 - LAST) * self.seconds)

    def from_now(self, first_seconds: float = 0.0) -> Limit:
        """What is left of it, without the time of the check."""
        if self.seconds is None:
            return self
        now = clock()
        return self._replace(begun=now, seconds=self.deadline(first_seconds) - now, checked=False)


COUNTS = Limit()


class Attempt(NamedTuple):
    """A row of a table."""

    name: str
    # time that cannot be interrupted, as a multiple of the first coloring's. The attempt begins only where it fits
    cost: float
    make: Callable[[Search, float, Log], Any]  # of the search, a moment at which to end, and a log: colors, or None
    device: str | None = None  # {"cpu", "gpu"}; None: either
    # `needs` and `seconds`: of the search: whether the attempt is worth making (None: always), and how long it may
    # take, where it can be interrupted
    needs: Callable[[Search], bool] | None = None
    seconds: Callable[[Search], float] | None = None
    # the part of the limit within which the attempt must end; for a search in turn, its share of the time
    share: float = 1.0
    ties: bool = False  # whether as many colors as there are are kept, too

    def suits(self, search: Search) -> bool:
        """Whether it is for the device where the structure is, and is worth making."""
        if self.device is not None and (self.device == "gpu") is not search.G.on_gpu:
            return False
        return self.needs is None or self.needs(search)


class Search:
    """The best coloring of a structure so far, and when the search ends.

    A search has a limit, or its attempts are limited by counts. With a task, which has rules, the fewest vertices
    without a color are best, else the fewest colors. Each attempt is a logged round, and a row of ``notes["tried"]``.
    """

    G: Any  # the structure: a graph, nets, or computed edges
    p: Any = None  # the order of the first coloring
    colors: Any = None
    n_colors = 2**31  # number of them; with a task, of vertices without one
    first_seconds = 0.0  # that the first coloring took
    certificate: Any = None  # of the least number, where a search has one
    # What attempts on graphs leave to others
    is_small = False  # more ways cost little
    few = False  # a CPU colors it, also for a GPU, and one core in the order of ids costs little
    first_colors = 2**31  # number of them in the first coloring
    mesh_colors = 2**31  # number of colors of a mesh in the order of ids
    mesh: bool | None = None  # whether that order is worth trying; None: not known yet
    ejected = False  # whether ejections limited by work have begun at the present colors, or save few more
    by_id = False  # whether the order of ids was tried
    peeled = False  # whether smallest last was tried
    by_twins = False  # whether classes of twins were colored
    looked_at = 0  # colors that there were when a clique was looked for around the highest
    survey: Any = None  # what samples of a graph on a GPU tell
    colors_by_id: Any = None  # of a grid on a GPU, or where one core has tried them
    descent: Any = None  # of HEAD, which the next turn continues; and so on
    proof: Any = None
    best: Any = None  # the first colors with as few; `colors` are the last

    def __init__(
        self, G: Any, log: Log, seed: int = 0, limit: Limit | None = None, least: int = 0, task: Any = None
    ) -> None:
        self.G, self.log, self.seed, self.limit, self.task = G, log, seed, limit or COUNTS, task
        self.least = least  # no coloring has fewer colors
        self.no_memory: dict[str, str] = {}  # attempts, and why not
        self.tried: list[dict[str, Any]] = log.notes.setdefault("tried", [])

    @property
    def ended(self) -> bool:
        """Whether no coloring has fewer colors."""
        return self.n_colors <= self.least

    @property
    def deadline(self) -> float:
        """Moment at which to end."""
        return self.limit.deadline(self.first_seconds) if self.limit.seconds is not None else math.inf

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self.deadline - clock()

    @property
    def over(self) -> bool:
        """Whether no coloring has fewer colors, or the time is over."""
        return self.ended or self.left <= 0

    def fits(self, cost: float, share: float = 1.0) -> bool:
        """Whether an attempt of this many first colorings ends within a share of the limit; the first always does."""
        if self.limit.seconds is None or self.colors is None or cost == ANYTIME:
            return True
        begun = self.limit.begun
        return clock() - begun + cost * self.first_seconds < share * (self.deadline - begun)

    def attempt(self, name: str, make: Callable[[Log], Any], under: int | None = None) -> None:
        """Keep the colors that `make` returns, if any, where they are fewer than `under`: than there are so far.

        An attempt without memory is not repeated. KeyboardInterrupt is raised after the result has been kept, where
        `make` was interrupted and returned its best so far.
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
        """What an attempt has brought: a row of it, and its colors where they are fewer."""
        row = {"name": name, "colors" if self.task is None else "uncolored": k, "ms": round(ms, 3)}
        if why:
            row["why"] = why
        if log.notes:
            row |= {note: log.notes[note] for note in ROW_NOTES if note in log.notes}
        self.tried += log.notes.get("tried", [row])
        if k is not None and k < (self.n_colors if under is None else under):
            if self.colors is None:
                self.first_seconds = ms / 1e3
            self.best = colors if k < self.n_colors else self.best
            self.colors, self.n_colors = colors, k
            of_mesh = name == "natural" and bool(self.mesh) and k < self.first_colors
            if of_mesh:
                self.mesh_colors = k
            self.ejected = of_mesh or name in ("ejection", "twins")
        # Last: a listener to progress may raise.
        if self.task is None:
            self.log.round(active=self.G.n, colored=self.G.n, conflicts=0, attempt=name, colors=k, ms=ms)

    def run(self, rows: Iterable[Attempt]) -> Any:
        """The colors of all rows, or the best so far where Ctrl-C or a lack of memory ends the search."""
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
        """The colors; a MemoryError says why there are none."""
        if self.colors is None:
            raise MemoryError("; ".join(f"{name}: {why}" for name, why in self.no_memory.items()))
        return self.colors

    def _too_large(self, name: str) -> str:
        """Why this attempt is skipped: it needs more memory than is free; "" if it runs."""
        if self.colors is None:
            return ""
        need = NEEDS.get(name, NEED) * self.G.n
        if need < ASK_FROM or need <= (free := free_bytes(self.G)):
            return ""
        return f"it needs {need:,} bytes, and {free:,} are free"


def one_by_one(search: Search, rows: Iterable[Attempt]) -> None:
    """The rows that fit in the time and are worth making, until no coloring has fewer colors."""
    for row in rows:
        if search.ended:
            return
        if search.fits(row.cost, row.share):
            one(search, row)


def while_fewer(search: Search, rows: Iterable[Attempt], idle: int) -> Iterator[Attempt]:
    """The rows until so many of them in turn have not found fewer colors."""
    left = idle
    for row in rows:
        if left == 0:
            return
        before = search.n_colors
        yield row
        left = idle if search.n_colors < before else left - 1


def one(search: Search, row: Attempt) -> None:
    """An attempt, if it is worth making."""
    if not row.suits(search):
        return
    until = search.deadline if row.seconds is None else min(clock() + row.seconds(search), search.deadline)
    under = search.n_colors + 1 if row.ties else None
    search.attempt(row.name, partial(row.make, search, until), under)


def number_of(colors: Any) -> int:
    """How many colors these are."""
    if dev.is_cupy(colors):
        return 1 + extremes.largest(colors)
    return 1 + int(colors.max()) if len(colors) else 0


def left_out(colors: Any) -> int:
    """How many vertices have no color."""
    return int((colors < 0).sum())


def free_bytes(G: Any) -> int:
    """Device memory that CuPy could still hand out where a structure is."""
    with dev.using(G.indices):
        cp = dev.cupy()
        pool, free = cp.get_default_memory_pool(), cp.cuda.runtime.memGetInfo()[0]
        if pool.get_limit():
            free = min(free, pool.get_limit() - pool.total_bytes())
        return int(free + pool.free_bytes())


def free_blocks(G: Any) -> None:
    """Give back device memory that CuPy holds where a structure is."""
    if G.on_gpu:
        with dev.using(G.indices):
            dev.cupy().get_default_memory_pool().free_all_blocks()
