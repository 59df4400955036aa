"""Jones–Plassmann–Luby: in each round the local maxima of one priority among uncolored vertices take a new color.

==========  =====================================================================
p           priorities, a permutation; the same in every round
level       the color: the round in which a vertex is a local maximum
==========  =====================================================================

On a GPU these are the rounds of `che_baseline`, and so are the colors; `luby_is` has the same ones.

A vertex is a local maximum in the round after the last of its earlier neighbours was one, so its color is one more
than the largest of theirs, and there is no need to go round by round: on a CPU threads take chunks of the sequence
in turn and wait for earlier neighbours that another thread has in hand, as in `jones_plassmann`; nobody waits in a
circle, for chunks are taken in the order of the sequence.

What lost on a GPU: launching a kernel for each color (kron_g500-logn21 takes 4347 of them), and that way of the CPU,
which visits all waiting vertices to pass on a few colors (6 times the time on kron_g500-logn21, 3 on rmat22, 1.5 on
road-24M).

References
----------
Luby 1986, "A simple parallel algorithm for the maximal independent set problem", SIAM J. Comput. 15(4).
Jones, Plassmann 1993, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14(3).
Naumov, Castonguay, Cohen 2015, "Parallel graph coloring with applications to the incomplete-LU factorization on
the GPU", NVIDIA technical report NVR-2015-001 (JPL).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import threads as cpu_threads
from ..device.compiled import njit
from ..device.intrinsics import fetch_add, load_relaxed, store_relaxed, yield_core
from ..engines.greedy.sequential import ONE32, ahead, unsigned
from ..graph import Graph
from ..orders import Priorities
from ..registry import coloring
from ..result import Log
from .che.baseline import random_labelling
from .che.rounds_gpu import GpuRounds

CHUNK = 512
SPINS = 1000  # looks at another thread's vertex before the core is offered to others


@coloring(
    "jpl",
    style="kernel",
    paper="Naumov, Castonguay, Cohen 2015, JPL",
    engines=("cpu", "cuda"),
    bound="rounds",
    oracle=None,
    deterministic=True,
    order="random",
    seed=0,
    needs="p",
    options={"threads": "CPU threads; default: one a core, or one alone for small graphs"},
)
def jpl(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Local maxima of one random priority take a color a round (Jones, Plassmann and Luby)."""
    workers = cpu_threads.for_graph(threads, G, log)
    colors, n_colors = _gpu(G, p) if G.on_gpu else _cpu(G, p, workers)
    if not log.trace:
        log.rounds += n_colors
    elif G.n:
        left = G.n
        for colored in G.xp.bincount(colors).tolist():
            log.round(active=left, colored=colored, conflicts=0, ms=None)
            left -= colored
    return colors


def _gpu(G: Graph, p: Priorities) -> tuple[Any, int]:
    state = GpuRounds(G)
    random_labelling(state, p)
    return state.colors, state.n_colors


def _cpu(G: Graph, p: Priorities, workers: int) -> tuple[np.ndarray, int]:
    indptr, indices = unsigned(G)
    sequence, ranks = p.sequence.view(np.uint32), p.p
    colors, shared = np.full(G.n, -1, np.int32), np.zeros(1, np.int64)
    cpu_threads.run(lambda _: level_chunks(indptr, indices, sequence, ranks, colors, shared, CHUNK), workers)
    return colors, int(colors.max(initial=-1)) + 1


@njit(cache=True, nogil=True)
def level_chunks(indptr: Any, indices: Any, sequence: Any, p: Any, colors: Any, shared: Any, chunk: Any) -> None:
    """Color chunks of the sequence until there are none; shared[0] is the first position not taken."""
    n = np.uint64(sequence.size)
    while True:
        first = np.uint64(fetch_add(shared, np.uint64(0), chunk))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(chunk), n)):
            ahead(indptr, indices, sequence, i)
            v = sequence[i]
            level = np.int32(-1)
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if p[u] < p[v]:
                    continue
                c = load_relaxed(colors, np.uint64(u))
                spins = 0
                while c < 0:
                    spins += 1
                    if spins > SPINS:
                        yield_core()
                    c = load_relaxed(colors, np.uint64(u))
                level = max(level, c)
            store_relaxed(colors, np.uint64(v), level + np.int32(1))
