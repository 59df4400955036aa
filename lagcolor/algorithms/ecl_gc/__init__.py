"""ECL-GC: Jones–Plassmann with shortcuts that color a vertex once its final color is certain.

Each vertex stores the colors that are still possible for it. Shortcut 1: it takes the least of them once no uncolored
earlier neighbor can take that color. Shortcut 2: it no longer waits for an earlier neighbor if the two have no possible
color in common. Neither shortcut changes a color, so the result equals sequential first-fit.

Start with paper.py, the algorithms as printed, which run on a CPU. Without shortcuts they are Jones–Plassmann by
polling. `lagcolor.reduce(…, method="heuristics")` runs the paper's two color-reduction heuristics (heuristics.py).

On a GPU all is one cooperative launch. The kernel prepares words and lists, orients the graph for vertices of high
degree, and colors asynchronously, as in the paper. Differences from the paper:

- Low and high vertices may wait for each other, because an order need not put high degrees first. A vertex is high by
  the number of its earlier neighbors.
- A low vertex is oriented at its first visit, which may color it at once. Until then its word has a possible color for
  each neighbor; these are too many, which is safe. Its neighbors are a mask of its row, without a copy.
- A high vertex stores a *blocker*, an earlier neighbor that can still take the best color of the vertex. While it can,
  the others are read only in every 16th sweep. A visit removes colored neighbors from the vertex's list.
- The orders natural, random and largest_first are compared directly, without a permutation. Degrees are coded in a byte
  (`codes`), so that they stay in L2.
- The number of earlier neighbors is not limited: a block visits a hub.

Device memory in addition to the graph: 17 bytes per vertex, including colors; and in graphs of 29 entries or more 4.9
bytes per entry for vertices of high degree, even if there are none, because the host does not know the degrees.

The schedule decides which vertices are colored by shortcut, but not their colors.

==========  ==========================================================================================
state       a word per vertex (ecl_gc.cuh)
listed      pending low vertices: id, and a mask of the pending entries of its row
dag         earlier neighbors of vertices of degree 29 and over
bitmaps     colors taken around each vertex with 29 earlier neighbors and over
high, hubs  these vertices: id, number of pending neighbors, blocker, position in `bitmaps`
head        numbers of high vertices and hubs; for a trace, how vertices were colored
==========  ==========================================================================================

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 1 to 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.log import Log
from ...base.options import choice
from ...graph.graph import Graph
from ...orders import Priorities
from ...orders.ties import seed_word
from ...problems.registry import coloring
from .paper import run_cpu

SOURCE = dev.Source(__file__, "ecl_gc.cu")
BLOCKS, WARP = 4, 32  # blocks per multiprocessor, threads per warp; as in ecl_gc.cu
WIDE, HUB = 29, 4096  # least degrees of vertices that a warp or a block orients; as in ecl_gc.cuh
TALLY = 3  # position of the first count in `head`
KEYS = {"natural": 0, "random": 0, "largest_first": 1}
BY_ARRAY = 2
SHORTCUTS = ("both", "sc1", "sc2", "none")


@coloring(
    "ecl_gc",
    style="kernel",
    paper="Alabandi and Burtscher 2022, Algorithms 1 to 3",
    engines=("cpu", "cuda"),
    bound="Δ+1",
    oracle="first_fit",
    deterministic=True,
    order="largest_first",
    seed=0,
    needs="p",
    inline_on_gpu=("natural", "random", "largest_first"),
    options={"shortcuts": "the paper's shortcuts to use: both (default), sc1, sc2 or none"},
)
def ecl_gc(G: Graph, p: Priorities, log: Log, shortcuts: str = "both") -> Any:
    """Jones–Plassmann with shortcuts that color a vertex before its earlier neighbors have colors."""
    shortcuts = choice("shortcuts", shortcuts, SHORTCUTS)
    sc1, sc2 = shortcuts in ("both", "sc1"), shortcuts in ("both", "sc2")
    if G.on_gpu:
        return run_gpu(G, p, sc1, sc2, log)
    return run_cpu(G, p, sc1, sc2, log)


def run_gpu(G: Graph, p: Priorities, sc1: bool, sc2: bool, log: Log) -> Any:
    """Color as sequential first-fit in the order `p`."""
    cp = dev.cupy()
    colors = cp.empty(G.n, np.int32)
    if G.n == 0:
        return colors
    space, head = _space(cp, G)
    run, order = _kernels(G, p, log.trace)
    args = (G.n, G.m, G.indptr, G.indices, *order, np.int32(sc1), np.int32(sc2), *space, head, colors)
    run.cooperative("ecl_gc", max(G.n, G.m // WARP), *args, most=BLOCKS)
    if log.trace:
        _report(log, G.n, head)
    return colors


def _kernels(G: Graph, p: Priorities, trace: bool) -> tuple[Any, tuple[Any, Any]]:
    """Kernels for an order, and their arguments for it: priorities (or null), and the seed of ties."""
    key = KEYS.get(p.name, BY_ARRAY)
    seed = 0 if p.name == "random" and p.seed is None else p.seed
    hashed = key != BY_ARRAY and p.name != "natural" and seed is not None
    word = seed_word(seed) if hashed and seed is not None else 0
    run = SOURCE.of(G.indptr, KEY=key, HASHED=hashed, TRACE=trace)
    return run, (p.p if key == BY_ARRAY else 0, np.uint32(word).view(np.int32))


def _space(cp: Any, G: Graph) -> tuple[tuple[Any, ...], Any]:
    """Arrays that the kernel fills, and `head` of zeros. Sizes are upper bounds: the host does not know the degrees."""
    n, m = G.n, G.m
    hubs = m // HUB
    wide = min(n, m // WIDE)  # includes hubs; hubs with few earlier neighbors are listed twice
    state, codes = cp.empty(n, np.uint32), cp.empty(n, np.uint8)
    listed = cp.empty(-(-n // WARP) * WARP, np.uint64)
    dag = cp.empty(m + 8 if wide else 0, np.int32)
    bitmaps = cp.empty(m // 32 + wide if wide else 0, np.uint32)
    records = cp.empty((wide + 2 * hubs, 4), np.int32)
    return (state, codes, listed, dag, bitmaps, records[: wide + hubs], records[wide + hubs :]), cp.zeros(8, np.uint64)


def _report(log: Log, n: int, head: Any) -> None:
    initially, by_shortcut, conventionally, visits = (int(x) for x in head[TALLY : TALLY + 4])
    log.round(active=n, colored=initially, by_shortcut=0, conflicts=0, ms=None)
    if initially < n:
        log.round(active=n - initially, colored=n - initially, by_shortcut=by_shortcut, conflicts=0, ms=None)
    names = ("initialization", "shortcut", "conventionally", "visits")
    log.notes |= dict(zip(names, (initially, by_shortcut, conventionally, visits), strict=True))
