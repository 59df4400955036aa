"""Speculative first-fit, vertex by vertex (Deveci et al. 2016, VB and VBBIT): color at once, then mend what clashes.

A round colors every listed vertex with the least color that it sees none of its neighbours have; neighbours that
choose at the same time may choose the same. `speculative_vb` notes the colors seen in an array FORBIDDEN of fixed size,
`speculative_vbbit` in bits; where every color of the range is taken, the row is read again for the next range.

Departures from the paper, all to read less:

- Conflicts are detected by the vertex that mends them, in one pass with the choice of its new color, not in a
  phase of their own.
- Two neighbours can clash in the first round only if neither saw the other's color, and then the later of them saw
  a neighbour *before* it that had none. Only such vertices are looked at again.
- A warp's vertices choose in eight turns by a hash of the id: neighbours that sit side by side in a mesh would
  otherwise all choose color 0 at once.
- Vertices of high degree choose first, each by a warp or a block. Of k rivals that clash with each other all would
  choose the same color again, so that a vertex with r preferred rivals passes over (r − 1) / 2 free colors, 32 at
  most: a clique then takes few rounds. Colors that nobody has in the end are closed up.

==========  ======================================================================================
before      a total order that the first round roughly follows; of two that clash in it the later moves
keeps       in other rounds the one of larger hash keeps its color (CPU: the earlier one)
following   who must look again: vertices that may clash, or have moved
==========  ======================================================================================

Proper: after a round all conflicts are between two vertices that moved in it, for one that moves avoids all that
stay; both are looked at again. Progress: in each round but the first, of the listed vertices the most preferred
one does not move, so lists shrink. Never more than degree + 1 colors a vertex: a vertex passes over colors
only where its rivals share one.

References
----------
Deveci, Boman, Devine, Rajamanickam 2016, "Parallel graph coloring for manycore architectures", IPDPS
(VB and VBBIT).
Rokos, Gorman, Kelly 2015, "A fast and scalable graph coloring algorithm for multi-core and many-core
architectures", Euro-Par (detecting and mending in one pass).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.intrinsics import ctz64, fetch_add, load_relaxed, store_relaxed
from ...engines.greedy.sequential import ONE, ONE32, ZERO, unsigned
from ...engines.worklists import Rounds, close_gaps
from ...graph import Graph
from ...orders import Priorities
from ...registry import coloring
from ...result import Log

SOURCE = Path(__file__).with_suffix(".cu")
STEPS = 8  # turns of a warp in the first round
CHUNK = 1024
RANGE = 256  # entries of FORBIDDEN on a CPU
NEXT, KEPT = np.uint64(0), np.uint64(1)  # slots of `shared`
THREADS = "CPU threads; default: one a core, or one alone for small graphs"


@coloring(
    "speculative_vb",
    style="kernel",
    paper="Deveci, Boman, Devine, Rajamanickam 2016, VB",
    engines=("cpu", "cuda"),
    bound="Δ+1",
    oracle=None,
    deterministic=False,
    order="natural",
    seed=None,
    needs="sequence",
    options={"threads": THREADS},
)
def speculative_vb(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit by vertices, with an array of forbidden colors."""
    return _color(G, p, log, threads, bits=False)


@coloring(
    "speculative_vbbit",
    style="kernel",
    paper="Deveci, Boman, Devine, Rajamanickam 2016, VBBIT",
    engines=("cpu", "cuda"),
    bound="Δ+1",
    oracle=None,
    deterministic=False,
    order="natural",
    seed=None,
    needs="sequence",
    variant_of="speculative_vb",
    options={"threads": THREADS},
)
def speculative_vbbit(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit by vertices, with bits for forbidden colors."""
    return _color(G, p, log, threads, bits=True)


def _color(G: Graph, p: Priorities, log: Log, threads: int | None, bits: bool) -> Any:
    workers = cpu_threads.for_graph(threads, G, log)
    return _gpu(G, p, log, bits) if G.on_gpu else _cpu(G, p, log, bits, workers)


def _gpu(G: Graph, p: Priorities, log: Log, bits: bool) -> Any:
    rounds = Rounds(G, SOURCE, p, BITS=int(bits), STEPS=STEPS)
    colors = rounds.uncolored()
    rounds.run(log, colors, speculative=True)
    if rounds.classified:  # else nobody passed over a free color
        close_gaps(G, colors)
    return colors


def _cpu(G: Graph, p: Priorities, log: Log, bits: bool, workers: int) -> np.ndarray:
    ranks = None if p.is_natural else p.p
    colors = np.full(G.n, -1, np.int32)
    active = None if p.is_natural else p.sequence.view(np.uint32)
    on_threads(unsigned(G), ranks, colors, active, log, workers, bits)
    return colors


def on_threads(
    graph: tuple[Any, Any], ranks: Any, colors: Any, active: Any, log: Log, workers: int, bits: bool, others: int = 0
) -> None:
    """Color `active` vertices (uint32; None: all), whose color is -1; `others`: vertices left that are not of these."""
    if active is None:  # one type in all rounds, lest the second load another loop
        active = np.arange(len(colors), dtype=np.uint32)
    left, again = len(active), False
    while left:
        shared, following = np.zeros(2, np.int64), np.empty(left, np.uint32)

        def work(_: int, active: Any = active, again: bool = again, shared: Any = shared, to: Any = following) -> None:
            forbidden = None if bits else np.full(RANGE, -1, np.int64)
            color_chunks(*graph, ranks, colors, active, again, to, shared, forbidden)

        cpu_threads.run(work, workers if left > CHUNK else 1)
        kept = int(shared[KEPT])
        log.round(active=left + others, colored=left - kept, conflicts=kept)
        active, left, again = following[:kept], kept, True


@njit(cache=True, nogil=True)
def color_chunks(
    indptr: Any, indices: Any, p: Any, colors: Any, active: Any, again: Any, following: Any, shared: Any, forbidden: Any
) -> None:
    """A round of one thread over chunks of `active`; who must look again goes to `following`.

    `forbidden`, this thread's own, holds at k the last look that saw color base + k; None: bits.
    """
    n = np.uint64(active.size)
    width = np.uint64(64 if forbidden is None else forbidden.size)
    looks = 0
    while True:
        first = np.uint64(fetch_add(shared, NEXT, CHUNK))
        if first >= n:
            return
        for i in range(first, min(first + np.uint64(CHUNK), n)):
            v = active[i]
            own = load_relaxed(colors, np.uint64(v)) if again else np.int32(-1)
            stays = False
            base = np.int32(0)
            while True:
                mask = ZERO
                looks += 1
                e = indptr[v]
                end = indptr[v + ONE32]
                while e < end:
                    u = indices[e]
                    e += ONE32
                    c = load_relaxed(colors, np.uint64(u))
                    if c == own:  # a clash, or in the first round no color yet
                        stays |= u < v if p is None else p[u] > p[v]
                    k = np.uint64(np.uint32(c - base))
                    if k < width:
                        if forbidden is None:
                            mask |= ONE << k
                        else:
                            forbidden[k] = looks
                if again and not stays:
                    break
                free = ZERO
                if forbidden is None:
                    free = ctz64(~mask)
                else:
                    while free < width and forbidden[free] == looks:
                        free += ONE
                if free < width:
                    store_relaxed(colors, np.uint64(v), base + np.int32(free))
                    break
                base += np.int32(width)
            if stays:
                following[fetch_add(shared, KEPT, 1)] = v
