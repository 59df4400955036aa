"""First-fit in any order, on CPU threads and on a GPU: the default algorithm of `color`.

Each vertex takes the smallest color that none of its earlier neighbors has. All implementations return the colors of
sequential first-fit (`greedy`):

=====================  ======================================================================================
CPU                    one core (sequential.py) or threads (threads.py)
GPU, largest_first_    one launch for small graphs (cuda_small.py); larger graphs are sorted and colored by cuda.py;
spread                 neither needs the order as an array
GPU, ids               one thread per vertex, for degrees under 64 (cuda_natural.py); else as any other order
GPU, any other order   warps take the next vertices of the sequence (cuda_sequence.py)
=====================  ======================================================================================

If memory is too short for cuda.py, or if the GPU has no cooperative launches, cuda_sequence.py colors the graph with
8 bytes per vertex and an ordinary launch. The order is then computed on the CPU, because the sort on a GPU needs
50 bytes per vertex.

References
----------
Welsh, Powell 1967, "An upper bound for the chromatic number of a graph and its application to timetabling problems".
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.compile_clock import importing, load
from ...base.device import LEAST_WORK, threads_for_graph
from ...base.errors import DeviceError
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import coloring
from ...problems.rules import BY_FIRST_FIT, Rules

SPREAD = "largest_first_spread"
MOST_THREADS = 64  # each thread stores at least one byte per vertex and copies the colors of all other threads


@coloring(
    "greedy",
    style="sequential",
    paper="Welsh and Powell 1967; sequential first-fit",
    engines=("cpu",),
    bound="Δ+1",
    oracle="first_fit",
    deterministic=True,
    order="natural",
    seed=None,
    needs="sequence",
)
def greedy(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """Sequential first-fit in any order, on one core."""
    colors = _on_one_core(G, p)
    log.round(active=G.n, colored=G.n, conflicts=0)
    return colors


@coloring(
    "first_fit",
    style="kernel",
    paper="Welsh and Powell 1967",
    engines=("cpu", "cuda"),
    bound="Δ+1",
    oracle="first_fit",
    deterministic=True,
    order=SPREAD,
    seed=0,
    needs="sequence",
    inline_on_gpu=(SPREAD,),
    rules=BY_FIRST_FIT,
    threaded=True,
)
def first_fit(G: Graph, p: Priorities, log: Log, threads: int | None = None, rules: Rules | None = None) -> Any:
    """Parallel first-fit in any order, with the colors of sequential first-fit."""
    workers = 1
    if threads is not None or not (G.on_gpu or G.m < LEAST_WORK):
        of_one = rules is not None and not rules.limit_number_alone
        workers = threads_for_graph(threads, G, log, 1 if of_one else MOST_THREADS)
    log.round(active=G.n, colored=G.n, conflicts=0, ms=None)
    if rules is None:
        return _without_rules(G, p, log, workers)
    with importing():
        from .rules import first_fit_with_rules

    return first_fit_with_rules(G, p, log, rules, partial(_without_rules, G, p, log, workers))


def _without_rules(G: Graph, p: Priorities, log: Log, workers: int) -> Any:
    if G.on_gpu:
        return _on_gpu(G, p, log)
    if workers == 1:
        return _on_one_core(G, p)
    with importing():
        from .threads import first_fit_on_threads

    return first_fit_on_threads(G, p, workers)


def _on_one_core(G: Graph, p: Priorities) -> np.ndarray:
    sequence = None if p.is_natural else p.sequence.view(np.uint32)
    colors: np.ndarray = load(".sequential", __package__).first_fit(*unsigned(G), sequence)
    return colors


def _on_gpu(G: Graph, p: Priorities, log: Log) -> Any:
    if p.name == SPREAD and not p.is_made:
        from .cuda import first_fit as first_fit_spread

        try:
            return first_fit_spread(G, p.seed or 0, log.begin)
        except MemoryError:  # also CuPy's error, which has released unused memory by then
            log.notes["memory"] = "frugal"
        except DeviceError:
            log.notes["launch"] = "not cooperative"
    from .cuda_natural import first_fit_natural
    from .cuda_sequence import first_fit_in_sequence

    if p.is_natural:
        return first_fit_natural(G) if _is_low(G) else first_fit_in_sequence(G)
    made = p.name != SPREAD or p.is_made
    return first_fit_in_sequence(G, p.sequence if made else _sorted_on_cpu(G, p))


def _is_low(G: Graph) -> bool:
    """Return whether all degrees are under 64."""
    return G.n > 0 and G.max_degree < 64


def _sorted_on_cpu(G: Graph, p: Priorities) -> Any:
    degrees_only = Graph(dev.to_device(G.indptr, "cpu"), np.empty(0, np.int32))
    return dev.to_device(Priorities.of(degrees_only, p.name, seed=p.seed).sequence, G.device)
