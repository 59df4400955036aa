"""algorithm="auto": one name for three bargains between time and colors.

==========  ==========================================================================================================
fast        deterministic first-fit: `greedy` in the order of ids on one core of a CPU, `ecl_gc` on a GPU
balanced    fast, then two colors where two do, and ejection for as long as fast took. On a GPU
            two colors are the first question, box lattices the second, since the answers take no longer and are
            the last word where they are yes; structured meshes take the order of ids, too
best        all that balanced does, whatever the limit; then a clique, `largest_first` (on a CPU), more ejection, more
            orders, iterated greedy and ejection in turn until `time_limit`; the best so far on Ctrl-C
==========  ==========================================================================================================

A coloring of two colors, of three where two do not do, of a box lattice, or of as many as a clique has vertices is the
best there is and ends the search; `Log.lower_bound` keeps what was proven. What a time limit cuts off depends on the
machine: only fast gives the same colors on every run.

The limit counts from the beginning of `color`, loading of compiled code, conversion and the check included. What looks
at the clock itself (ejection) may begin at any time before, a clique, which does, where the choice of its starts fits;
what cannot be cut (orders, a pass of iterated greedy) begins only where going by the time of the first coloring, or of
the pass before, it ends in time.

What lost on a CPU: two threads for fast (0.9 to 1.6 times as fast as `greedy` from 5 M entries on, a third to three
quarters as fast while the machine has other work); another order in balanced (two to three times the time of fast).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import device as dev
from .device import threads
from .errors import DeviceError, OptionError
from .graph import Graph
from .options import choice, number
from .orders import Priorities
from .problems import DEFAULT, PROBLEMS, verify
from .registry import ALGORITHMS
from .result import Log

QUALITIES = ("fast", "balanced", "best")
AUTO = {False: "greedy", True: "ecl_gc"}  # by whether the graph is on a GPU
LEAST = 2e-4  # seconds that balanced may take beside the first coloring, at least
EJECTION_FROM = 4e-4  # seconds that must be left for ejection on a GPU: it takes as long before it begins
PATIENCE = 40  # times the first coloring's: how long the order of ids may take on a mesh
DEFAULT_LIMIT = 1.0  # seconds for best
LEAST_TURN, LONGEST_TURN = 0.02, 60.0  # seconds
# Device memory that an attempt takes, bytes a vertex, and how many bytes are too few to ask whether they are free.
NEEDS = {"bipartite": 8, "natural": 5, "ejection": 26, "iterated_greedy": 36, "clique": 8}
NEED, ASK_FROM = 17, 1 << 28
SAID = ("memory", "launch")  # notes of an attempt that stand in its row of `tried`
OPTIMAL = {"bipartite", "lattice"}  # attempts that bring as few colors as can be, or nothing
_REHEARSED: set[tuple[str, str, str]] = set()
# Times by that of the first coloring: the check, a pass of iterated greedy, `largest_first`, what cannot be cut of a
# clique (the choice of its starts, one step), and what else best tries, by algorithm, order, seed. Those of ORDERS may
# take 1.7 times as long, and have half of the limit.
CHECK, PASS, LARGEST_FIRST, CLIQUE = 4, 6, 3, 1
ORDERS = (
    ("dsatur", "largest_first", None, 40),
    ("greedy", "smallest_last", None, 30),
    ("greedy", "incidence_degree", None, 30),
)
MANY = 4  # CPU threads from which `largest_first` uses all: two wait for each other when the machine has other work
SPREADS = (("ecl_gc", "largest_first_spread", 1, 2), ("ecl_gc", "largest_first_spread", 2, 2))


def check(algorithm: str, quality: str | None, time_limit: float | None) -> str:
    """The quality that is meant, "fast" where none is named.

    Raises
    ------
    OptionError
        An unknown quality, a quality for a named algorithm, or a time limit that nobody keeps or that is not positive.
    """
    if algorithm != "auto" and (quality is not None or time_limit is not None):
        what = "quality" if quality is not None else "time_limit"
        raise OptionError(f"{what} is for algorithm='auto', and this call names {algorithm!r}: leave one of them out")
    choice("quality", quality, QUALITIES, none=True)
    number("time_limit", time_limit, of="seconds", none=True, over=True)
    if time_limit is not None and quality != "best":
        raise OptionError("time_limit is for quality='best': the others end by themselves")
    return quality or "fast"


class Limit(NamedTuple):
    """The time limit of best.

    Attributes
    ----------
    begun : float
        Moment of `time.perf_counter` from which it counts.
    seconds : float
    checked : bool
        Whether the check of the result must find room in it.
    """

    begun: float
    seconds: float
    checked: bool = False

    def deadline(self, first_seconds: float) -> float:
        """Moment at which to end, by the time of the first coloring."""
        check = min(CHECK * first_seconds, self.seconds / 4) if self.checked else 0.0
        return self.begun + self.seconds - check


class Search:
    """The best coloring found so far, and what was tried.

    Parameters
    ----------
    G : Graph
    log : Log
        Gets a round for each attempt, and ``notes["tried"]``.
    """

    def __init__(self, G: Graph, log: Log) -> None:
        self.G, self.log = G, log
        self.colors: Any = None
        self.n_colors = 2**31
        self.least = PROBLEMS[DEFAULT].lower_bound(G)  # colors under which nothing can be
        self.no_memory: dict[str, str] = {}  # attempts, and why not
        self.begun = time.perf_counter()
        log.notes["tried"] = []

    def attempt(self, name: str, make: Callable[[Log], Any], as_many: bool = False) -> None:
        """Keep what `make` returns (None: nothing) if it has fewer colors; what has no memory is not tried again.

        Parameters
        ----------
        name : str
        make : callable
        as_many : bool
            Keep other colors also where there are as many of them.

        Raises
        ------
        KeyboardInterrupt
            After the result has been kept, where `make` was interrupted and returned its best so far.
        """
        if self.n_colors <= self.least or name in self.no_memory:
            return
        start, log = time.perf_counter(), Log()
        colors = k = None
        why = self._too_large(name)
        try:
            if not why:
                colors = make(log)
                k = None if colors is None else self.least if name in OPTIMAL else number_of(colors)
        except MemoryError as e:  # also CuPy's
            colors, why = None, f"out of memory: {e}"
        except DeviceError as e:  # blocks that wait for each other cannot be launched here
            if self.colors is None:
                raise
            colors, why = None, str(e)
        ms = (time.perf_counter() - start) * 1e3
        if name == "bipartite" and k is None and not why:
            self.least = 3
        row = {"name": name, "colors": k, "ms": round(ms, 3), **({"why": why} if why else {})}
        self.log.notes["tried"].append(row | {note: log.notes[note] for note in SAID if note in log.notes})
        self.log.round(active=self.G.n, colored=self.G.n, conflicts=0, attempt=name, colors=k, ms=ms)
        if k is not None and k < self.n_colors + as_many:
            self.colors, self.n_colors = colors, k
        if why:
            self.no_memory[name] = why
            _free_blocks(self.G)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt

    def _too_large(self, name: str) -> str:
        """Why this attempt is not made: it needs more memory than there is; "" where it may be."""
        need = NEEDS.get(name, NEED) * self.G.n
        if self.colors is None or not self.G.on_gpu or need < ASK_FROM or need <= (free := free_bytes(self.G)):
            return ""
        return f"it needs {need:,} bytes, and {free:,} are free"


def run(G: Graph, p: Priorities, log: Log, quality: str = "balanced", seed: int = 0, limit: Limit | None = None) -> Any:
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring.

    Parameters
    ----------
    G : Graph
    p : Priorities
    log : Log
        Gets ``notes["tried"]`` and the lower bound.
    quality : {"balanced", "best"}
    seed : int
    limit : Limit, optional
        For "best"; default: DEFAULT_LIMIT from now on.

    Returns
    -------
    array of int32, shape (n,)
        On the graph's device.

    Raises
    ------
    MemoryError
        Not even the first coloring fits; what does not beside it is left out, as ``notes["tried"]`` says.
    """
    first = ALGORITHMS[AUTO[G.on_gpu]]
    if G.n:
        _rehearse(G, quality)
    search = Search(G, log)
    try:
        if G.on_gpu and G.n:
            two(search)
            lattice(search)
        begun = time.perf_counter()
        search.attempt(first.name, lambda log: first.run(G, p, log))
        first_seconds = time.perf_counter() - begun
        if search.colors is None:
            raise MemoryError(f"{first.name}: {search.no_memory[first.name]}")
        if G.n:
            if G.on_gpu:
                natural(search, first_seconds)
            else:
                two(search)
            if quality == "balanced":
                balanced(search, seed, first_seconds)
            else:
                best(search, seed, limit or Limit(search.begun, DEFAULT_LIMIT), first_seconds)
    except KeyboardInterrupt:
        if search.colors is None:
            raise
        log.notes["interrupted"] = True
    finally:
        log.lower_bound = search.least
    return search.colors


def two(search: Search) -> None:
    """Two colors, which no search finds."""
    from .engines.recolor import bipartite

    search.attempt("bipartite", lambda _: bipartite(search.G))


def lattice(search: Search) -> None:
    """The colors of a box lattice, on a GPU: the order of ids gives the same, which is what a CPU begins with."""
    from .engines.recolor.lattice import lattice as color_lattice

    def make(_: Log) -> Any:
        colors, least = color_lattice(search.G) or (None, search.least)
        search.least = max(search.least, least)
        return colors

    search.attempt("lattice", make)


def natural(search: Search, first_seconds: float) -> None:
    """On a GPU the order of ids for structured meshes, which take few colors in it."""
    if search.n_colors > search.least and is_mesh(search.G):
        from .engines.greedy.cuda import first_fit_natural

        search.attempt("natural", lambda _: first_fit_natural(search.G, PATIENCE * first_seconds))


def balanced(search: Search, seed: int, first_seconds: float, until: float = 0.0) -> None:
    """Ejection for as long as the first coloring took, or until some moment."""
    deadline = max(search.begun + max(2 * first_seconds, first_seconds + LEAST), until)
    if deadline - time.perf_counter() > (EJECTION_FROM if search.G.on_gpu else 0.0):
        search.attempt("ejection", partial(_eject, search, 4.0, deadline, seed))


def best(search: Search, seed: int, limit: Limit, first_seconds: float) -> None:
    """What balanced does; a bound; ejection, which saves the most a second; other orders; both kinds of search in turn.

    The first ejection goes the way of that of balanced, and at least as far, so that it ends with no more colors.
    """
    G, deadline = search.G, limit.deadline(first_seconds)
    balanced(
        search, seed, first_seconds, min(deadline, time.perf_counter() + min(_quarter(deadline) / 2, LONGEST_TURN))
    )

    def fits(times: float, share: float = 1.0) -> bool:
        """Whether what takes so many times the first coloring's time ends within a share of the limit."""
        return time.perf_counter() - limit.begun + times * first_seconds < share * (deadline - limit.begun)

    if fits(CLIQUE):
        search.attempt("clique", partial(_bound, search, time.perf_counter() + _quarter(deadline)))
    if not G.on_gpu and fits(LARGEST_FIRST, 1 / 2):  # ejection has a third of the work from there
        search.attempt("largest_first", lambda log: _largest_first(G, log))
    if fits(0):
        search.attempt("ejection", partial(_eject, search, 4.0, deadline, seed))
    for algorithm, order, tie_seed, times in SPREADS if G.on_gpu else ORDERS:
        if fits(times, 1 / 2):
            name = order if algorithm in AUTO.values() else algorithm
            name += "" if tie_seed is None else f", seed {tie_seed}"
            search.attempt(name, partial(_first_fit, G, algorithm, order, tie_seed))
    turn = 0
    while fits(0) and search.n_colors > search.least:
        searches = {"ejection", *(["iterated_greedy"] if fits(PASS) else [])} - set(search.no_memory)
        if not searches:
            break
        until = time.perf_counter() + min(max(_quarter(deadline), LEAST_TURN), LONGEST_TURN)
        turn_seed = (seed + turn) % 2**64
        if turn % 2 or "iterated_greedy" not in searches:
            search.attempt("ejection", partial(_eject, search, None, min(until, deadline), turn_seed))
        else:  # as few colors in other classes are a new start for ejection
            search.attempt("iterated_greedy", partial(_shake, search, min(until, deadline), turn_seed), as_many=True)
        turn += 1


def _quarter(deadline: float) -> float:
    """A quarter of the seconds that are left."""
    return (deadline - time.perf_counter()) / 4


def _rehearse(G: Graph, quality: str) -> None:
    """Load each step once, on the small clique that `color` warms up with, lest loading eats up a time limit."""
    if (key := (G.device, G.indptr.dtype.char, quality)) in _REHEARSED:
        return
    from .engines.recolor import bipartite, clique_size, ejection, iterated_greedy

    log, xp, rays = Log(), G.xp, 300  # over 256: kernels for hubs
    bipartite(G)
    beside = Graph(xp.append(G.indptr, xp.full(3, G.m, G.indptr.dtype)), G.indices)  # colors to save, then none
    colors = xp.arange(G.n, dtype=np.int32)
    indptr = xp.append(xp.zeros(1, G.indptr.dtype), xp.arange(rays, 2 * rays + 1, dtype=G.indptr.dtype))
    star = Graph(indptr, xp.append(xp.arange(1, rays + 1, dtype=np.int32), xp.zeros(rays, np.int32)))
    with suppress(DeviceError):  # blocks that wait for each other cannot be launched here: an attempt will say so
        colors = ejection(beside, xp.arange(beside.n, dtype=np.int32), passes=0.01, log=log)[: G.n]
        ejection(star, xp.arange(rays, -1, -1, dtype=np.int32), passes=0.01, log=log)  # one that succeeds
        if quality == "best":
            iterated_greedy(G, colors, rounds=1, log=log)
    if G.on_gpu:
        from .engines.greedy.cuda import first_fit_natural
        from .engines.recolor.lattice import lattice as color_lattice
        from .generate import banded

        for width in (4, 13):  # in which all looks like a lattice but the last look
            band = banded(200, width, device=G.device)
            color_lattice(Graph(band.indptr.astype(G.indptr.dtype), band.indices))
        edge = Graph(xp.arange(3, dtype=G.indptr.dtype), xp.array([1, 0], np.int32))  # degrees must be under 64
        first_fit_natural(edge, 1.0)
        number_of(colors)
        is_mesh(edge)
    if quality == "best":
        clique_size(G)
        verify(G, colors, errors="return")
        if not G.on_gpu:
            _largest_first(G, Log())
        for algorithm, order, tie_seed, _ in SPREADS if G.on_gpu else ORDERS:
            _first_fit(G, algorithm, order, tie_seed, Log())
    if log.notes.get("interrupted"):  # the searches return what they have; here nobody wants it
        raise KeyboardInterrupt
    _REHEARSED.add(key)


def _eject(search: Search, passes: float | None, deadline: float, seed: int, log: Log) -> Any:
    from .engines.recolor import ejection

    least = search.least
    return ejection(search.G, search.colors, passes=passes, deadline=deadline, seed=seed, least=least, log=log)


def _bound(search: Search, deadline: float, _: Log) -> None:
    """Look for a clique as large as there are colors; a smaller one is a bound, too."""
    from .engines.recolor import clique_size

    search.least = max(search.least, clique_size(search.G, search.n_colors, deadline))


def _shake(search: Search, deadline: float, seed: int, log: Log) -> Any:
    from .engines.recolor import iterated_greedy

    return iterated_greedy(search.G, search.colors, deadline=deadline, seed=seed, log=log)


def _first_fit(G: Graph, algorithm: str, order: str, seed: int | None, log: Log) -> Any:
    return ALGORITHMS[algorithm].run(G, Priorities.of(G, order, seed), log)


def _largest_first(G: Graph, log: Log) -> Any:
    workers = None if threads.count(None, G.m) >= MANY else 1
    return ALGORITHMS["ecl_gc"].run(G, Priorities.of(G, "largest_first", None), log, threads=workers)


def free_bytes(G: Graph) -> int:
    """Device memory that CuPy could still hand out where the graph is."""
    with dev.using(G.indices):
        cp = dev.cupy()
        pool, free = cp.get_default_memory_pool(), cp.cuda.runtime.memGetInfo()[0]
        if pool.get_limit():
            free = min(free, pool.get_limit() - pool.total_bytes())
        return int(free + pool.free_bytes())


def _free_blocks(G: Graph) -> None:
    if G.on_gpu:
        with dev.using(G.indices):
            dev.cupy().get_default_memory_pool().free_all_blocks()


def number_of(colors: Any) -> int:
    """How many colors these are."""
    if not len(colors):
        return 0
    if not dev.is_cupy(colors):
        return int(colors.max()) + 1
    from .engines.recolor.largest import largest_color

    return largest_color(colors)[0] + 1


def is_mesh(G: Graph) -> bool:
    """Whether three quarters of the vertices have the largest degree, under 64, as in a regular grid; on a GPU."""
    least = -(-G.m // G.n)  # the largest degree must be so much, and at most a third more, for so many to have it
    if least >= 64 or 3 * least * G.n > 4 * G.m:
        return False
    from .engines.recolor.largest import largest_degree

    degree, count = largest_degree(G)
    return degree < 64 and 4 * count >= 3 * G.n
