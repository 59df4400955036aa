"""ECL-GC: Jones–Plassmann whose vertices take their colors early, where it is certain what those will be.

Each vertex keeps the colors that are still possible for it. Shortcut 1: it may take the best of them as soon as that
one is not possible for any earlier neighbor without a color. Shortcut 2: an earlier neighbor whose possible colors
are disjoint from its own is no longer pending. Neither changes a color: the result equals sequential first-fit.

Start with paper.py, the algorithms as printed, which a CPU runs. Without shortcuts it is Jones–Plassmann by polling.
The paper's two color-reduction heuristics are `lagcolor.reduce(…, method="heuristics")` (heuristics.py).

GPU. All is one cooperative launch: the kernel prepares words and lists, orients the graph for vertices of high degree,
and colors, asynchronously, as in the paper. What differs from it:

- Low and high vertices may be pending on each other, since an order need not put high degrees first. A vertex is high
  by the number of its earlier neighbors.
- A low vertex is oriented at its first visit, which may then color it at once. Until then its word has a color for each
  neighbor, too many, which is safe. Its place in memory is its row and a mask, no copy.
- A high vertex has a *blocker*, an earlier neighbor that its best color is possible for. While that lasts the others
  are not read, except in every 16th sweep; a visit drops neighbors with colors from its list.
- Priorities natural, random and largest_first are compared as they are, with no permutation made of them; degrees in a
  byte (`codes`), so that they stay in L2.
- No limit on earlier neighbors: a hub is visited by a block.

Device memory in addition to the graph: 17 bytes per vertex, colors included, and from 29 entries on 4.9 bytes per
entry, for vertices of high degree, whether there are any or not: the host does not know.

Which vertices are colored by shortcut depends on the schedule; their colors do not.

==========  ==========================================================================================
state       the word of each vertex (ecl_gc.cuh)
listed      pending low vertices: id, and which places of its row are pending
dag         earlier neighbors of vertices of degree 29 and over
bitmaps     colors taken, of vertices with 29 earlier neighbors and over
high, hubs  these vertices: id, how many neighbors are left, blocker, place in `bitmaps`
head        numbers of them, and for a trace how vertices were colored
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
WIDE, HUB = 29, 4096  # degrees from which a warp and a block orient a vertex; as in ecl_gc.cuh
TALLY = 3  # where counts begin in `head`
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
    options={"shortcuts": "both (default), sc1, sc2, none: which of the paper's two shortcuts are taken"},
)
def ecl_gc(G: Graph, p: Priorities, log: Log, shortcuts: str = "both") -> Any:
    """Jones–Plassmann with shortcuts that color a vertex before its earlier neighbors have colors."""
    shortcuts = choice("shortcuts", shortcuts, SHORTCUTS)
    sc1, sc2 = shortcuts in ("both", "sc1"), shortcuts in ("both", "sc2")
    if G.on_gpu:
        return run_gpu(G, p, sc1, sc2, log)
    return run_cpu(G, p, sc1, sc2, log)


def run_gpu(G: Graph, p: Priorities, sc1: bool, sc2: bool, log: Log) -> Any:
    """Colors of sequential first-fit in the order `p`."""
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
    """The kernels for an order, and their arguments for the order: priorities (or null), and the seed of ties."""
    key = KEYS.get(p.name, BY_ARRAY)
    seed = 0 if p.name == "random" and p.seed is None else p.seed
    hashed = key != BY_ARRAY and p.name != "natural" and seed is not None
    word = seed_word(seed) if hashed and seed is not None else 0
    run = SOURCE.of(G.indptr, KEY=key, HASHED=hashed, TRACE=trace)
    return run, (p.p if key == BY_ARRAY else 0, np.uint32(word).view(np.int32))


def _space(cp: Any, G: Graph) -> tuple[tuple[Any, ...], Any]:
    """Arrays that the kernel fills, and `head`, zeros. Sizes are bounds: the host does not know the degrees."""
    n, m = G.n, G.m
    hubs = m // HUB
    wide = min(n, m // WIDE)  # hubs among them; those with few earlier neighbors are listed a second time
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
