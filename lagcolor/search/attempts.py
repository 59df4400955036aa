"""What the qualities try: each function makes colors for a `Search` until a moment of the clock, or None.

qualities.py has the table of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import clock, importing, stopwatch
from ..base.device import threads_for
from ..base.errors import DeviceError
from ..base.log import Log
from ..engines import improve as recolor
from ..engines.exact.clique import clique_size
from ..engines.greedy.cuda_natural import first_fit_natural
from ..engines.greedy.tasks import first_fit_task
from ..engines.improve.ejections import GPUEjections
from ..engines.improve.mesh import is_mesh
from ..engines.improve.survey import Survey, survey
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..graph.two_colors import bipartite
from ..orders import Priorities
from ..problems import DEFAULT, PROBLEMS
from ..problems.certificates import CLIQUE, Certificate
from ..problems.registry import ALGORITHMS
from ..problems.task import Task
from . import FAST, BestSoFar, Limit, number_of

SMALL = 1 << 16  # entries up to which a graph is colored on a CPU, in more ways
# How long the order of ids may take on a GPU before a CPU takes it: a multiple of what first-fit takes on an H200, in
# seconds, and in seconds for each vertex and entry.
PATIENCE, PASS_SECONDS, ENTRY_SECONDS = 40, 5e-5, 2e-11
NATURAL_BELOW = 64  # a GPU takes the order of ids if all degrees are less
HEAD_BYTES = 1 << 23  # of tables on a CPU, at most: larger ones leave the cache, and ejection is better there
TOO_LARGE = "would take tables that are too large"
LARGEST = 24  # first colorings that the kernel and the order of an exact search for a clique take, uninterrupted
EXACT_ENTRIES = 1 << 17  # vertices of a piece × colors up to which a proof is tried
# Device memory that an attempt takes, bytes per vertex, and the least that is compared with the free memory.
NEEDS = {"bipartite": 8, "natural": 5, "ejection": 30, "iterated_greedy": 36, "clique": 8}
NEED, ASK_FROM = 17, 1 << 28
SAID = ("memory", "launch", "reached")  # notes of an attempt that stand in its row of `tried`


class Search(BestSoFar):
    """The search in a graph, by default of the whole graph, and begun by largest_first. Attempts are logged rounds."""

    seed: int
    task: Task | None  # the part of the graph to color, and its colors
    p: Priorities  # the order of the first coloring
    ejected: bool
    mesh_colors: int

    def __init__(
        self, G: Graph, log: Log, seed: int = 0, limit: Limit | None = None, task: Task | None = None,
        p: Priorities | None = None,
    ) -> None:  # fmt: skip
        super().__init__(log, limit)
        self.G, self.seed, self.task = G, seed, task
        self.p = Priorities.of(G, "largest_first") if p is None else p
        self.first_colors = self.n_colors  # number of them in the first coloring
        self.ejected = False  # whether ejections limited by work have begun at the present colors, or save few more
        self.by_id = False  # whether the order of ids was tried
        self.mesh_colors = self.n_colors  # number of colors of a mesh in that order
        self.looked_at = 0  # colors that there were when a clique was looked for around the highest
        self.is_small = G.m <= SMALL  # more ways cost little; on a GPU a CPU colors such graphs
        self.least = 0 if task else PROBLEMS[DEFAULT].lower_bound(G)  # no coloring has fewer colors
        self.no_memory: dict[str, str] = {}  # attempts, and why not
        self.descent: Any = None  # of HEAD, which the next turn continues; and so on
        self.proof: Any = None
        self.certificate: Any = None  # of the least number, where a search has one
        self._mesh: bool | None = None
        self._seen: Survey | None = None

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
                k = None if colors is None else self.least if name == "bipartite" else number_of(colors)
        except MemoryError as e:  # also CuPy's
            colors, why = None, f"out of memory: {e}"
        except DeviceError as e:  # cooperative launches are not possible here
            if self.colors is None:
                raise
            colors, why = None, str(e)
        if name == "bipartite" and k is None and not why:
            self.least = 3
        self.keep(name, colors, k, (clock() - begun) * 1e3, log, why, under)
        if why:
            self.no_memory[name] = why
            _free_blocks(self.G)
        if log.notes.get("interrupted"):
            raise KeyboardInterrupt

    def keep(
        self, name: str, colors: Any, k: int | None, ms: float, log: Log, why: str = "", under: int | None = None
    ) -> None:
        """What an attempt has brought: a row of it, and its colors where they are fewer."""
        row = {"name": name, "colors": k, "ms": round(ms, 3)}
        if why:
            row["why"] = why
        if log.notes:
            row |= {note: log.notes[note] for note in SAID if note in log.notes}
        self.log.notes["tried"].append(row)
        if k is not None and k < (self.n_colors if under is None else under):
            self.colors, self.n_colors = colors, k
            of_mesh = name == "natural" and bool(self._mesh) and k < self.first_colors
            if of_mesh:
                self.mesh_colors = k
            self.ejected = of_mesh or name in ("ejection", "twins")
        # Last: a listener to progress may raise.
        self.log.round(active=self.G.n, colored=self.G.n, conflicts=0, attempt=name, colors=k, ms=ms)

    @property
    def seen(self) -> Survey:
        """What samples of a graph on a GPU tell."""
        if self._seen is None:
            self._seen = survey(self.G)
            self.least = max(self.least, 3 if self._seen.odd else 0)
        return self._seen

    def is_mesh(self) -> bool:
        """Whether the order of ids is worth trying."""
        if self._mesh is None:
            self._mesh = self.seen.mesh if self.G.on_gpu else is_mesh(self.G)
        return self._mesh

    def has_twins(self) -> bool:
        """Whether classes of twins are worth coloring: not where the order of ids of a mesh has saved colors."""
        if self.is_small or self.mesh_colors < self.first_colors:
            return False
        if self.G.on_gpu:
            return self.seen.twins
        with importing():
            from ..engines.improve.twins import has_twins

        return has_twins(self.G)

    def _too_large(self, name: str) -> str:
        """Why this attempt is skipped: it needs more memory than is free; "" if it runs."""
        if self.colors is None:
            return ""
        need = NEEDS.get(name, NEED) * self.G.n
        if need < ASK_FROM or need <= (free := free_bytes(self.G)):
            return ""
        return f"it needs {need:,} bytes, and {free:,} are free"


@functools.cache
def _loops() -> Any:
    """Modules with compiled loops, for graphs on a CPU."""
    with importing():
        from ..engines.exact import chordal, clique_cpu, dsatur
        from ..engines.greedy import sequential

    return SimpleNamespace(chordal=chordal, clique_cpu=clique_cpu, dsatur=dsatur, sequential=sequential)


# ---- attempts --------------------------------------------------------------------------------------------------------


def first_and_ejection(search: Search, first: Callable[[Log], Any]) -> bool:
    """The first coloring, and ejections right behind it, on a GPU, with one wait.

    False where other steps come first, or a launch fails: nothing is kept.
    """
    G = search.G
    if not (G.on_gpu and G.m) or search.task or search.is_mesh() or search.seen.twins:
        return False
    passed, log = stopwatch(), Log()
    log.stage = search.log.stage
    log.stage.at()
    try:
        with dev.using(G.indices):
            walk = GPUEjections(G, None, 0, search.seed, one=True)
            colors = first(log)
            did = walk.save_all(colors, search.least, search.log)
    except (MemoryError, DeviceError):  # the first coloring alone needs less
        return False
    ms = passed() * 1e3
    search.keep(FAST, colors, did.before, ms - did.ms, log)
    search.first_seconds, search.first_colors = (ms - did.ms) / 1e3, did.before
    search.keep("ejection", colors, did.after, did.ms, Log())
    search.ejected = True
    return True


def two_colors(search: Search, _: float, log: Log) -> Any:
    """Two colors, which no local search finds."""
    return bipartite(search.G)


def natural(search: Search, _: float, log: Log) -> Any:
    """First-fit by id; a CPU does it for a GPU where degrees are large, and where chains are too long."""
    G, colors, search.by_id = search.G, None, True
    if search.is_small and not G.on_gpu:
        return _loops().sequential.first_fit(*unsigned(G), None)
    if G.on_gpu and G.max_degree < NATURAL_BELOW:
        colors = first_fit_natural(G, PATIENCE * (PASS_SECONDS + ENTRY_SECONDS * (G.n + G.m)))
    if colors is None:
        host = G.on("cpu")
        colors = dev.to_device(ALGORITHMS[FAST].run(host, Priorities.of(host), log), G.device)
    return colors


def twins(search: Search, _: float, log: Log) -> Any:
    """Colors of classes of twins, on a CPU also for a GPU."""
    with importing():
        from ..engines.improve.twins import color_twins

    colors = color_twins(search.G.on("cpu"), search.seed, search.least)
    return None if colors is None else dev.to_device(colors, search.G.device)


def dsatur(search: Search, _: float, log: Log) -> Any:
    """DSATUR, ties by the order of the first coloring, until it needs as many colors as there are."""
    sequence = search.p.sequence.view(np.uint32)
    colors, _, k = _loops().dsatur.color_all(*unsigned(search.G), sequence, search.n_colors - 1)
    return colors if k < search.n_colors else None


def chordal(search: Search, _: float, log: Log) -> Any:
    """As few colors as possible, where the graph is chordal."""
    colors = _loops().chordal.perfect(search.G)
    if colors is not None:
        search.least = number_of(colors)
    return colors


def clique_at_top(search: Search, _: float, log: Log) -> None:
    """Look around the highest color for a clique that has all colors."""
    G, k, search.looked_at = search.G, search.n_colors, search.n_colors
    search.least = max(search.least, int(_loops().clique_cpu.largest_at_top(*unsigned(G), search.colors, k)))


def in_order(algorithm: str, order: str, seed: int | None = None) -> Callable[[Search, float, Log], Any]:
    """An attempt: an algorithm of the registry in an order; of a task, first-fit in that order."""

    def make(search: Search, _: float, log: Log) -> Any:
        p = Priorities.of(search.G, order, seed=seed)
        if search.task is None:
            return ALGORITHMS[algorithm].run(search.G, p, log)
        return first_fit_task(search.G, search.task, p.sequence)

    return make


def ejection_by_work(search: Search, _: float, log: Log) -> Any:
    """Ejections limited by work."""
    search.ejected = True
    return recolor.eject_by_work(search.G, search.colors, search.n_colors, search.seed, search.least)[0]


def ejection(search: Search, until: float, log: Log, passes: float | None = 4.0) -> Any:
    """Ejections until a moment, or until this number of passes over the graph has saved no color."""
    return recolor.ejection(
        search.G, search.colors, passes=passes, deadline=until, seed=search.seed, least=search.least, log=log
    )


def endless_ejection(search: Search, until: float, log: Log) -> Any:
    """Ejections until a moment."""
    return ejection(search, until, log, None)


def clique(search: Search, until: float, log: Log) -> None:
    """Search for a clique as large as there are colors, on a CPU for a largest one; a smaller one is a bound, too."""
    search.least = max(search.least, clique_size(search.G, search.n_colors, until))
    if search.ended or search.G.on_gpu or not search.fits(LARGEST):
        return
    with importing():
        from ..engines.exact.largest_clique import LargestClique

    largest = LargestClique(search.G, search.least, search.n_colors)
    largest.run(until)
    if largest.vertices is not None:
        search.certificate = Certificate(CLIQUE, len(largest.vertices), largest.vertices)
        search.least = search.certificate.k


def iterated_greedy(search: Search, until: float, log: Log) -> Any:
    """Other classes, and with luck fewer."""
    return recolor.iterated_greedy(search.G, search.colors, deadline=until, seed=search.seed, log=log)


def exact(search: Search, until: float, log: Log) -> Any:
    """A coloring with one color less, or the proof that there is none, if either is found until a moment."""
    with importing():
        from ..engines.exact.proof import Proof
        from ..engines.improve.lists import FOUND, NONE_EXISTS

    if search.proof is None or search.proof.k != search.n_colors - 1:
        search.proof = Proof(search.G, search.n_colors - 1)
    if search.proof.entries > EXACT_ENTRIES:
        search.no_memory["exact"] = "the graph is too large for a proof"
        return None
    result = search.proof.run(until)
    if result == NONE_EXISTS:
        search.least, search.certificate = search.n_colors, search.proof.certificate
    return search.proof.colors() if result == FOUND else None


def head(search: Search, until: float, log: Log) -> Any:
    """Fewer colors by HEAD."""
    if search.descent is None or search.descent.k != search.n_colors:
        search.descent = _new_descent(search)
    passed = stopwatch()
    reached = log.notes.setdefault("reached", [])  # colors, and milliseconds from the beginning of the turn
    descent = search.descent
    with log.best_so_far():
        while descent.k > search.least:
            if why := descent.refused() or ("" if search.G.on_gpu or descent.bytes() <= HEAD_BYTES else TOO_LARGE):
                search.no_memory["head"] = f"it {why}"
                break
            if not descent.run(until):
                break
            reached.append([descent.k, round(passed() * 1e3, 3)])
            log.stage.at()
    return dev.to_device(descent.colors, search.G.device)


def _new_descent(search: Search) -> Any:
    """HEAD from the present coloring on."""
    with importing():
        from ..engines.improve.tabu.descent import Descent, GpuDescent

    G, colors = search.G.on("cpu"), dev.to_device(search.colors, "cpu")
    if search.G.on_gpu:
        return GpuDescent(G, colors, search.seed)
    cores = threads_for(None, 2**62)
    return Descent(G, colors, search.seed, max(cores // 2, 1), cores)


# ---- memory and counts -----------------------------------------------------------------------------------------------


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
