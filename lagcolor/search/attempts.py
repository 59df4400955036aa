"""Attempts of the qualities on graphs: each function returns colors for a `Search`, or None, by a given time.

The tables of attempts are in qualities.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import importing, stopwatch
from ..base.device import threads_for
from ..base.errors import DeviceError
from ..base.log import Log
from ..engines.exact.clique import clique_size
from ..engines.greedy.cuda_natural import first_fit_natural
from ..engines.improve import classes, ejections
from ..engines.improve.survey import Survey, survey
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..graph.two_colors import bipartite
from ..orders import Priorities
from ..problems import DEFAULT, PROBLEMS
from ..problems.certificates import CLIQUE, Certificate
from ..problems.registry import ALGORITHMS
from . import FAST, UNSUITED, Limit, Search, number_of

SMALL = 1 << 16  # graphs up to this number of entries get more attempts
# Up to FEW entries a CPU is faster for balanced, copies included; up to FEW_DENSE if the mean degree is large, because
# then the chains of vertices that wait for each other are long on a GPU. On an H200 machine, on 68 graphs of 2¹⁶ to 2²⁰
# entries, this choice takes 1.10 times the better of both devices in the mean, 1.16 times with one limit, and 1.26 on
# the GPU alone: computed from times of both on 2026-11-27 and 30, with 60 µs per copy.
FEW, FEW_DENSE, MEAN_DEGREE = 1 << 17, 1 << 20, 24
LESS_TIME = "a graph with few entries takes less time there"  # why a CPU colors a graph that is on a GPU
# Time that the order of ids may take on a GPU before a CPU does it: a multiple of the time of first-fit on an H200,
# which is a constant in seconds, plus seconds per vertex and entry.
PATIENCE, PASS_SECONDS, ENTRY_SECONDS = 40, 5e-5, 2e-11
AT_FIRST = 8  # 1 / AT_FIRST of the vertices shows whether the order of ids may prove to be optimal
NATURAL_BELOW = 64  # a GPU colors in the order of ids if all degrees are smaller
# Limits of local graphs: entries; largest degree as a multiple of the mean degree, and as a share of the vertices.
LOCAL_ENTRIES, LOCAL_SPREAD, LOCAL_PART = 1 << 20, 2, 1 / 16
HEAD_BYTES = 1 << 23  # maximum size of tables on a CPU; larger tables leave the cache, and ejection is better
TOO_LARGE = "would need tables that are too large"
LARGEST = 24  # cost of the uninterruptible part of an exact clique search: the kernel and the order
EXACT_ENTRIES = 1 << 17  # vertices of a component × colors up to which a proof is tried


def has_few_entries(G: Graph) -> bool:
    """Return whether a CPU colors a graph, even if it is on a GPU."""
    return G.m <= FEW or (G.m <= FEW_DENSE and G.m >= MEAN_DEGREE * G.n)


def in_graph(G: Graph, log: Log, seed: int = 0, limit: Limit | None = None, p: Priorities | None = None) -> Search:
    """Create a search in a graph, by default with largest_first as the first order."""
    search = Search(G, log, seed, limit, PROBLEMS[DEFAULT].lower_bound(G))
    search.p = Priorities.of(G, "largest_first") if p is None else p
    search.is_small, search.few = G.m <= SMALL, has_few_entries(G)
    return search


def seen(search: Search) -> Survey:
    """Return the properties of a graph on a GPU, from samples."""
    if search.survey is None:
        search.survey = survey(search.G)
        search.least = max(search.least, 3 if search.survey.odd else 0)
    found: Survey = search.survey
    return found


def has_mesh(search: Search) -> bool:
    """Return whether the graph is a structured mesh, so that the order of ids is worth trying."""
    if search.mesh is None:
        search.mesh = seen(search).mesh if search.G.on_gpu else _loops().survey_cpu.is_mesh(search.G)
    return search.mesh


def has_small_degrees(search: Search) -> bool:
    """Return whether all degrees are small, as in a mesh, so that smallest last may save colors."""
    G, most = search.G, LOCAL_PART * search.G.n
    # The mean degree is a lower bound of the largest, which takes longer.
    return G.m <= min(LOCAL_ENTRIES, most * G.n) and G.max_degree <= min(LOCAL_SPREAD * G.m / G.n, most)


def is_local(search: Search) -> bool:
    """Return whether smallest last is worth trying: not if half the mean degree reaches the colors (random graphs)."""
    if search.peeled or search.colors is None or not has_small_degrees(search):
        return False
    return search.G.m < 2 * search.G.n * search.n_colors or has_mesh(search)


def has_twins(search: Search) -> bool:
    """Return whether classes of twins are worth coloring: not if the order of ids of a mesh has saved colors."""
    if search.is_small or search.by_twins or search.mesh_colors < search.first_colors:
        return False
    return seen(search).twins if search.G.on_gpu else bool(_loops().survey_cpu.has_twins(search.G))


@functools.cache
def _loops() -> Any:
    """Return modules with compiled loops, for graphs on a CPU."""
    with importing():
        from ..engines.exact import chordal, clique_cpu, dsatur
        from ..engines.greedy import sequential
        from ..engines.improve import survey_cpu

    modules = {"chordal": chordal, "clique_cpu": clique_cpu, "dsatur": dsatur, "sequential": sequential}
    return SimpleNamespace(survey_cpu=survey_cpu, **modules)


def first_and_ejection(search: Search, first: Callable[[Log], Any]) -> bool:
    """Do first-fit and ejections with one wait for a GPU; return False if other steps come first or it fails."""
    G = search.G
    if not (G.on_gpu and G.m) or has_small_degrees(search) or has_mesh(search) or seen(search).twins:
        return False
    passed, log = stopwatch(), Log()
    log.stage = search.log.stage
    log.stage.at()
    try:
        with dev.using(G.indices):
            ejecting = ejections.GPUEjections(G, None, 0, search.seed, one=True)
            colors = first(log)
            did = ejecting.save_all(colors, search.least, search.log)
    except (MemoryError, DeviceError):  # the first coloring alone needs less
        return False
    ms = passed() * 1e3
    search.keep(FAST, colors, did.before, ms - did.ms, log)
    search.first_seconds, search.first_colors = (ms - did.ms) / 1e3, did.before
    search.keep("ejection", colors, did.after, did.ms, Log())
    search.ejected = True
    return True


def two_colors(search: Search, _: float, log: Log) -> Any:
    """Color with two colors, which local search does not find; if that is impossible, three are the lower bound."""
    colors = bipartite(search.G)
    if colors is None:
        search.least = 3
    return colors


def natural(search: Search, _: float, log: Log) -> Any:
    """Color by first-fit by id; a CPU does it for a GPU if degrees are large or chains too long."""
    G, colors, search.by_id = search.G, search.colors_by_id, True
    if search.is_small and not G.on_gpu:
        return _loops().sequential.first_fit(*unsigned(G), None)
    if colors is None and G.on_gpu and G.max_degree < NATURAL_BELOW:
        colors = first_fit_natural(G, PATIENCE * (PASS_SECONDS + ENTRY_SECONDS * (G.n + G.m)))
    if colors is None:
        host = G.on("cpu")
        colors = dev.to_device(ALGORITHMS[FAST].run(host, Priorities.of(host), log), G.device)
    return colors


def best_by_id(search: Search, _: float, log: Log) -> Any:
    """Color by first-fit by id, if a clique proves it optimal: first an eighth of the vertices, then all."""
    graph, loops, stop = unsigned(search.G), _loops(), -(-search.G.n // AT_FIRST)
    state = np.empty(stop, np.uint8)
    if loops.sequential.narrow_natural(*graph, state, 0, stop) == stop:
        colors = loops.sequential.publish(state, np.empty(stop, np.int32))
        k = number_of(colors)
        if loops.clique_cpu.largest_at_top(*graph, colors, k) < k:
            return UNSUITED
    search.colors_by_id = loops.sequential.first_fit(*graph, None)
    k = number_of(search.colors_by_id)
    if loops.clique_cpu.largest_at_top(*graph, search.colors_by_id, k) < k:
        return None
    search.least = k
    return search.colors_by_id


def smallest_last(search: Search, _: float, log: Log) -> Any:
    """Color by first-fit in smallest-last order, on a CPU also for a GPU."""
    host, search.peeled = search.G.on("cpu"), True
    return dev.to_device(ALGORITHMS["greedy"].run(host, Priorities.of(host, "smallest_last"), log), search.G.device)


def twins(search: Search, _: float, log: Log) -> Any:
    """Color classes of twins, on a CPU also for a GPU."""
    search.by_twins = True
    with importing():
        from ..engines.improve.twins import color_twins

    colors = color_twins(search.G.on("cpu"), search.seed, search.least)
    return None if colors is None else dev.to_device(colors, search.G.device)


def dsatur(search: Search, _: float, log: Log) -> Any:
    """Color by DSATUR, ties by the order of the first coloring; stop when it needs as many colors as the present."""
    sequence = search.p.sequence.view(np.uint32)
    colors, _, k = _loops().dsatur.color_all(*unsigned(search.G), sequence, search.n_colors - 1)
    return colors if k < search.n_colors else None


def chordal(search: Search, _: float, log: Log) -> Any:
    """Color optimally, if the graph is chordal."""
    colors = _loops().chordal.perfect(search.G)
    if colors is not None:
        search.least = number_of(colors)
    return colors


def clique_at_top(search: Search, _: float, log: Log) -> None:
    """Search around the highest color for a clique that has all colors."""
    G, k, search.looked_at = search.G, search.n_colors, search.n_colors
    search.least = max(search.least, int(_loops().clique_cpu.largest_at_top(*unsigned(G), search.colors, k)))


def in_order(algorithm: str, order: str, seed: int | None = None) -> Callable[[Search, float, Log], Any]:
    """Create the function of an attempt: an algorithm of the registry in an order."""

    def make(search: Search, _: float, log: Log) -> Any:
        return ALGORITHMS[algorithm].run(search.G, Priorities.of(search.G, order, seed=seed), log)

    return make


def ejection_by_work(search: Search, _: float, log: Log) -> Any:
    """Reduce the colors by ejections limited by work."""
    search.ejected = True
    return ejections.eject_by_work(search.G, search.colors, search.n_colors, search.seed, search.least)[0]


def ejection(search: Search, until: float, log: Log, passes: float | None = 4.0) -> Any:
    """Reduce the colors by ejections until a time, or until `passes` over the graph have saved no color."""
    return ejections.ejection(
        search.G, search.colors, passes=passes, deadline=until, seed=search.seed, least=search.least, log=log
    )


def clique(search: Search, until: float, log: Log) -> None:
    """Search for a clique with as many vertices as colors (CPU: for a largest clique); any clique is a lower bound."""
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
    """Change the classes by iterated greedy, perhaps with fewer colors."""
    return classes.iterated_greedy(search.G, search.colors, deadline=until, seed=search.seed, log=log)


def exact(search: Search, until: float, log: Log) -> Any:
    """Search for a coloring with one color less, or a proof that there is none, until a time."""
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
    """Reduce the colors by HEAD."""
    if search.descent is None or search.descent.k != search.n_colors:
        search.descent = _new_descent(search)
    passed = stopwatch()
    reached = log.notes.setdefault("reached", [])  # numbers of colors, and milliseconds since the turn began
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
    """Create a search of HEAD from the present coloring."""
    with importing():
        from ..engines.improve.tabu.descent import Descent, GpuDescent

    G, colors = search.G.on("cpu"), dev.to_device(search.colors, "cpu")
    if search.G.on_gpu:
        return GpuDescent(G, colors, search.seed)
    cores = threads_for(None, 2**62)
    return Descent(G, colors, search.seed, max(cores // 2, 1), cores)
