"""The search of the qualities balanced and best: attempts at fewer colors, one after another.

The limit of best counts from the beginning of `color`, and what is left of it for the check of the result is no
attempt's. An attempt that checks the clock may begin at any time before (ejection), or where the choice of its starts
fits (a clique). One that cannot be interrupted (two colors, orders, a pass of iterated greedy) begins only where it
should end in time, estimated from the first coloring or the pass before. Loading and compiling code extends the limit
by the time that it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from semirings.runtime.compile_clock import clock, importing, stopwatch

from .. import device as dev
from ..core.errors import DeviceError
from ..core.graph import Graph
from ..core.registry import ALGORITHMS
from ..core.result import Log
from ..device import threads
from ..orders import Priorities
from ..problems import PROBLEMS

FAST = "first_fit"  # the algorithm of fast, and of the first coloring of the others
LEAST = 1e-4  # seconds that balanced may take beside the first coloring, at least
SMALLEST_LAST = "smallest_last"
LATTICES = (8, 26)  # degrees inside a box lattice
EJECTION_FROM = 4e-4  # seconds that must be left for ejection on a GPU: it takes as long before it begins
PATIENCE = 40  # times the first coloring's: how long the order of ids may take on a mesh
# Seconds of a turn; the first ones are short, since another search may need an instant where this one fails.
LEAST_TURN, FIRST_TURN, LONGEST_TURN = 0.02, 1.0, 60.0
# Searches in turn, and how long. The classes of iterated greedy, of the same number, are a new start for ejection. HEAD
# goes first in dense graphs, where it saves the most; it has more time after it has saved a color, and half as much as
# before each time that it has not and never had.
TURNS = {"exact": 0.25, "head": 2.0, "iterated_greedy": 1.0, "ejection": 1.0}
HEAD_LEADS, HEAD_LAGS, HEAD_LEAST = 8.0, 1.0, 0.125
HEAD_ON_GPU = True  # on dense graphs
HEAD_LEADS_ON_GPU = 32.0
PROBES = 1 / 8  # of HEAD's turns on a GPU, at most, to probe for far fewer colors
DENSE = 1 / 20  # share of the pairs of vertices that are neighbors
EXACT_FROM = 0.002  # seconds of a turn under which no proof is tried
SMALL, EXACT_ON_SMALL = 128, 1.0  # vertices up to which a proof is likely enough for a longer turn
HEAD_BYTES = 1 << 23  # of tables on a CPU, at most: larger ones leave the cache, and ejection is better there
TOO_LARGE = "would take tables that are too large"
EXACT_ENTRIES = 1 << 17  # vertices of the core × colors up to which a proof is tried
# Device memory that an attempt takes, bytes per vertex, and the least that is compared with the free memory.
NEEDS = {"bipartite": 8, "natural": 5, "ejection": 26, "iterated_greedy": 36, "clique": 8}
NEED, ASK_FROM = 17, 1 << 28
SAID = ("memory", "launch", "reached")  # notes of an attempt that stand in its row of `tried`
OPTIMAL = {"bipartite", "lattice"}  # attempts that bring as few colors as can be, or nothing
# Times as multiples of the first coloring's: the check, a pass of iterated greedy, two colors, the order of ids,
# ejections limited by work, what cannot be interrupted of a clique (the choice of its starts, one step), and other
# attempts of best, by algorithm, order, seed. Those of ORDERS may take 1.7 times as long, and have half of the limit.
CHECK, PASS, TWO, NATURAL, AT_ONCE, CLIQUE, CORE = 3, 6, 2, 2, 2, 1, 8
ORDERS = (
    ("dsatur", "largest_first", None, 40),
    ("greedy", SMALLEST_LAST, None, 30),
    ("greedy", "incidence_degree", None, 30),
)
SPREADS = tuple((FAST, "largest_first_spread", tie_seed, 2) for tie_seed in (1, 2))


class Limit(NamedTuple):
    """The time limit of best.

    Attributes
    ----------
    begun : float
        Moment of `compile_clock.clock` from which it counts.
    seconds : float
    checked : bool
        Whether the check of the result must find room in it.
    """

    begun: float
    seconds: float
    checked: bool = False

    def deadline(self, first_seconds: float) -> float:
        """Moment at which to end, by the time of the first coloring."""
        check = CHECK * first_seconds if self.checked else 0.0
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
        self.degrees: tuple[int, int] | None = None  # the largest and how many vertices have it, where that is known
        self._mesh: bool | None = None
        self.least = PROBLEMS[ALGORITHMS[FAST].problem].lower_bound(G)  # colors under which nothing can be
        self.no_memory: dict[str, str] = {}  # attempts, and why not
        self.begun = clock()
        log.notes["tried"] = []

    def attempt(self, name: str, make: Callable[[Log], Any], as_many: bool = False) -> None:
        """Keep the colors that `make` returns, if any, where they are fewer; an attempt without memory is not repeated.

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
        self.log.ended = False
        passed, log = stopwatch(), Log()
        log.stage = self.log.stage
        log.stage.at()
        colors = k = None
        why = self._too_large(name)
        try:
            if not why:
                colors = make(log)
                k = None if colors is None else self.least if name in OPTIMAL else number_of(colors)
        except MemoryError as e:  # also CuPy's
            colors, why = None, f"out of memory: {e}"
        except DeviceError as e:  # cooperative launches are not possible here
            if self.colors is None:
                raise
            colors, why = None, str(e)
        ms = passed() * 1e3
        if name == "bipartite" and k is None and not why:
            self.least = 3
        self.keep(name, colors, k, ms, log, why, as_many)
        if why:
            self.no_memory[name] = why
            _free_blocks(self.G)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt

    def keep(
        self, name: str, colors: Any, k: int | None, ms: float, log: Log, why: str = "", as_many: bool = False
    ) -> None:
        """What an attempt has brought: a row of it, and its colors where they are fewer."""
        row = {"name": name, "colors": k, "ms": round(ms, 3), **({"why": why} if why else {})}
        self.log.notes["tried"].append(row | {note: log.notes[note] for note in SAID if note in log.notes})
        self.log.round(active=self.G.n, colored=self.G.n, conflicts=0, attempt=name, colors=k, ms=ms)
        if k is not None and k < self.n_colors + as_many:
            self.colors, self.n_colors = colors, k

    def is_mesh(self) -> bool:
        """Whether the order of ids is worth trying."""
        with importing():
            from ..engines.recolor.mesh import is_mesh

        if self._mesh is None:
            rows_are_read = self.degrees is None or 2 * self.degrees[1] >= self.G.n
            self.log.ended = self.log.ended and not rows_are_read
            self._mesh = is_mesh(self.G, self.degrees)
        return self._mesh

    def _too_large(self, name: str) -> str:
        """Why this attempt is not made: it needs more memory than is free; "" if it is made."""
        need = NEEDS.get(name, NEED) * self.G.n
        if self.colors is None or not self.G.on_gpu or need < ASK_FROM or need <= (free := free_bytes(self.G)):
            return ""
        return f"it needs {need:,} bytes, and {free:,} are free"


def two(search: Search) -> None:
    """Two colors, which no local search finds."""

    def make(_: Log) -> Any:
        with importing():
            from ..engines.recolor import bipartite

        return bipartite(search.G)

    search.attempt("bipartite", make)


def lattice(search: Search) -> None:
    """The colors of a box lattice, on a GPU; the order of ids gives the same, and takes a CPU as long."""

    def make(_: Log) -> Any:
        with importing():
            from ..engines.recolor.lattice import lattice as color_lattice

        colors, least = color_lattice(search.G) or (None, search.least)
        search.least = max(search.least, least)
        return colors

    search.attempt("lattice", make)


def few_colors(search: Search) -> None:
    """Two colors, where no triangle was seen, and those of a lattice, where degrees are as in one."""
    if search.least < 3:
        two(search)
    if search.degrees and search.degrees[0] in LATTICES:
        lattice(search)


def natural(search: Search, patience: float) -> None:
    """The order of ids for structured meshes, which take few colors in it; on a GPU for so many seconds."""
    if search.n_colors > search.least and search.is_mesh():
        search.attempt("natural", partial(in_order_of_ids, search.G, patience))


def balanced(search: Search, seed: int, first_seconds: float, until: float = 0.0) -> None:
    """Ejection on a large graph on a GPU, for as long as the first coloring took, or until some moment."""
    deadline = max(search.begun + max(2 * first_seconds, first_seconds + LEAST), until)
    if deadline - clock() > (EJECTION_FROM if search.G.on_gpu else 0.0):
        search.attempt("ejection", partial(_eject, search, 4.0, deadline, seed))


def best(search: Search, seed: int, limit: Limit, first_seconds: float) -> None:
    """What balanced does; a bound; ejection, which saves the most a second; other orders; both kinds of search in turn.

    The first ejection makes the moves of that of balanced, and where the limit leaves as much time at least as many, so
    that it ends with no more colors.
    """
    G, deadline = search.G, limit.deadline(first_seconds)

    def fits(times: float, share: float = 1.0) -> bool:
        """Whether an attempt that takes so many times the first coloring's time ends within a share of the limit."""
        return clock() - limit.begun + times * first_seconds < share * (deadline - limit.begun)

    if not G.on_gpu and fits(TWO):
        two(search)
    before = search.n_colors
    if fits(NATURAL):
        natural(search, min(PATIENCE * first_seconds, max(deadline - clock(), 0.0)))
    if search.n_colors == before and not G.on_gpu and fits(AT_ONCE):
        ejection_at_once(search, seed)
    if fits(0):
        until = clock() + min(max(_quarter(deadline) / 2, first_seconds, LEAST), LONGEST_TURN)
        search.attempt("ejection", partial(_eject, search, 4.0, min(until, deadline), seed))
    if fits(CLIQUE):
        search.attempt("clique", partial(_bound, search, clock() + _quarter(deadline)))
    if not G.on_gpu and fits(NATURAL, 1 / 2) and not search.is_mesh():
        search.attempt("natural", partial(in_order_of_ids, G, 0.0))
    if fits(0):
        search.attempt("ejection", partial(_eject, search, 4.0, deadline, seed))
    for algorithm, order, tie_seed, times in SPREADS if G.on_gpu else ORDERS:
        name = order if algorithm in (FAST, "greedy") else algorithm
        if any(row["name"] == name for row in search.log.notes["tried"]):
            continue
        if fits(times, 1 / 2):
            name += "" if tie_seed is None else f", seed {tie_seed}"
            search.attempt(name, partial(run_row, G, algorithm, order, tie_seed))
    in_turn(search, seed, deadline, fits)


def in_turn(search: Search, seed: int, deadline: float, fits: Callable[[float], bool]) -> None:
    """The searches that need not end by themselves, in longer and longer turns."""
    G, needs = search.G, {"exact": CORE, "head": CORE, "iterated_greedy": PASS, "ejection": 0}
    dense = G.m > DENSE * G.n**2
    names = [name for name in needs if name not in ("exact", "head")]
    if not G.on_gpu:
        names = [*needs] if dense else [*names, "head", "exact"]
    elif dense and HEAD_ON_GPU:
        names = ["head", *names]
    shares, long_searches, turn, led = dict(TURNS), LongSearches(search, seed), 0, False
    shares |= {} if dense else {"head": HEAD_LAGS}
    shares |= {"exact": EXACT_ON_SMALL} if G.n <= SMALL else {}
    leads = HEAD_LEADS_ON_GPU if G.on_gpu else HEAD_LEADS
    while search.n_colors > search.least:
        able = [name for name in names if name not in search.no_memory and fits(needs[name])]
        if not able:
            break
        longest = min(FIRST_TURN * 2 ** min(turn, 10), LONGEST_TURN)
        for name in able:
            if search.n_colors <= search.least or not fits(needs[name]):
                continue
            now, part = clock(), shares[name] / sum(shares[other] for other in able)
            seconds = min((deadline - now) * (part if name == "head" else min(part, 1 / 4)), longest * shares[name])
            if name == "exact" and seconds < EXACT_FROM:
                continue
            until, before = min(now + max(seconds, LEAST_TURN), deadline), search.n_colors
            turn_seed = (seed + turn) % 2**64
            if name == "ejection":
                search.attempt(name, partial(_eject, search, None, until, turn_seed))
            elif name == "iterated_greedy":
                search.attempt(name, partial(_shake, search, until, turn_seed), as_many=True)
            else:
                search.attempt(name, partial(getattr(long_searches, name), until))
            if search.n_colors < before and name != "exact":
                led = led or name == "head"
                shares["head"] = leads if name == "head" else HEAD_LAGS
            elif name == "head" and not led:
                shares["head"] = max(shares["head"] / 2, HEAD_LEAST)
        turn += 1


class LongSearches:
    """What goes on in the next turn where this one has ended: HEAD, and the proof that one color less does not do."""

    def __init__(self, search: Search, seed: int) -> None:
        self.search, self.seed = search, seed
        self._descent: Any = None
        self._probes: Any = None
        self._proof: Any = None

    def head(self, deadline: float, log: Log) -> Any:
        """Fewer colors by HEAD until a moment."""
        search = self.search
        if self._descent is None or self._descent.k != search.n_colors:
            self._descent = self._new_descent(search.colors)
        descent, passed = self._descent, stopwatch()
        reached = log.notes.setdefault("reached", [])  # colors, and milliseconds from the beginning of the turn
        try:
            if self._probe(deadline):
                descent = self._descent
                reached.append([descent.k, round(passed() * 1e3, 3)])
            while descent.k > search.least:
                if why := descent.refused() or ("" if search.G.on_gpu or descent.bytes() <= HEAD_BYTES else TOO_LARGE):
                    search.no_memory["head"] = f"it {why}"
                    break
                if not descent.run(deadline):
                    break
                reached.append([descent.k, round(passed() * 1e3, 3)])
                log.stage.at()
        except KeyboardInterrupt:
            log.notes["interrupted"] = True
        return dev.to_device(self._descent.colors, search.G.device)  # of a probe, where the next one was interrupted

    def _probe(self, deadline: float) -> bool:
        """Probes for far fewer colors during a share of the time; whether the descent goes on from one of them."""
        search, descent = self.search, self._descent
        if self._probes is None:
            if not search.G.on_gpu or descent.refused():
                return False
            with importing():
                from ..engines.tabu.probes import Probes

            self._probes = Probes(descent.G, descent.k, self.seed)
        probes, k = self._probes, descent.k
        now = clock()
        until = now + (deadline - now) * PROBES
        rounds = probes.rounds
        while clock() < until and probes.rounds == rounds and probes.left(descent.k, search.least):
            if (colors := probes.run(descent.k, search.least, until)) is not None:
                self._descent = descent = self._new_descent(colors)
        return descent.k < k

    def _new_descent(self, colors: Any) -> Any:
        G, colors = self.search.G.on("cpu"), dev.to_device(colors, "cpu")
        if self.search.G.on_gpu:
            with importing():
                from ..engines.tabu.descent_gpu import GpuDescent

            return GpuDescent(G, colors, self.seed)
        with importing():
            from ..engines.tabu.descent import Descent

        cores = threads.count(None, 2**62)
        return Descent(G, colors, self.seed, max(cores // 2, 1), cores)

    def exact(self, deadline: float, log: Log) -> Any:
        """A coloring with one color less, or the proof that there is none, if either is found until a moment."""
        with importing():
            from ..engines.branch_and_bound import FOUND, NONE_EXISTS, Proof

        search = self.search
        if self._proof is None or self._proof.k != search.n_colors - 1:
            self._proof = Proof(search.G, search.n_colors - 1)
        if self._proof.entries > EXACT_ENTRIES:
            search.no_memory["exact"] = "the graph is too large for a proof"
            return None
        result = self._proof.run(deadline)
        if result == NONE_EXISTS:
            search.least = search.n_colors
        return self._proof.colors() if result == FOUND else None


def _quarter(deadline: float) -> float:
    """A quarter of the seconds that are left."""
    return (deadline - clock()) / 4


def _eject(search: Search, passes: float | None, deadline: float, seed: int, log: Log) -> Any:
    with importing():
        from ..engines.recolor import ejection

    least = search.least
    return ejection(search.G, search.colors, passes=passes, deadline=deadline, seed=seed, least=least, log=log)


def _bound(search: Search, deadline: float, log: Log) -> None:
    """Search for a clique as large as there are colors; a smaller one is a bound, too."""
    with importing():
        from ..engines.recolor import clique_size

    search.least = max(search.least, clique_size(search.G, search.n_colors, deadline, log.stage))


def _shake(search: Search, deadline: float, seed: int, log: Log) -> Any:
    with importing():
        from ..engines.recolor import iterated_greedy

    return iterated_greedy(search.G, search.colors, deadline=deadline, seed=seed, log=log)


def run_row(G: Graph, algorithm: str, order: str, seed: int | None, log: Log) -> Any:
    return ALGORITHMS[algorithm].run(G, Priorities.of(G, order, seed), log)


def in_order_of_ids(G: Graph, patience: float, log: Log) -> Any:
    """First-fit by id; on a GPU None after so many seconds, for chains may be as long as the graph."""
    if not G.on_gpu:
        return ALGORITHMS["greedy"].run(G, Priorities.of(G), log)
    with importing():
        from ..engines.greedy.cuda_natural import first_fit_natural
        from ..engines.recolor.largest import largest_degree

    return first_fit_natural(G, patience) if largest_degree(G)[0] < 64 else None


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
    with importing():
        from ..engines.recolor.largest import largest_color

    return largest_color(colors)[0] + 1


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
