"""ECL-GC on a GPU: which kernel runs, and the arrays of the paper's own in ecl_gc.cu.

In the order largest_first_spread, where nobody asks for shortcuts or a trace, vertices are drawn in that order
(cuda.py), so that hardly any waits and shortcuts have nothing to do. Otherwise Algorithms 1 to 3, for any order.

All is one cooperative launch: the kernel prepares words and lists, orients the graph for vertices of high degree, and
colors, asynchronously, as in the paper. What differs from it:

- Low and high vertices wait for each other, since an order need not put high degrees first. What makes a vertex high is
  the number of its earlier neighbours.
- A low vertex is oriented at its first visit, which may then color it at once. Until then its word has a color for each
  neighbour, too many, which is safe. Its place in memory is its row and a mask, no copy.
- A high vertex has a *blocker*, an earlier neighbour that considers its best color. While that lasts nobody looks at
  the others, but for every 16th sweep; a visit drops neighbours with colors from its list.
- Priorities natural, random and largest_first are compared as they are, with no permutation made of them; degrees in a
  byte (`codes`), so that they stay in L2.
- No limit on earlier neighbours: a block takes hubs.

Device memory beside the graph: 17 bytes a vertex, colors among them, and 4.9 an entry for vertices of high degree, or
the room for them: the host does not know whether there are any. Where that is not to be had, or what cuda.py takes
is not, and nobody asks for shortcuts or a trace, a frugal way takes 8 bytes a vertex (cuda_sequence.py) and what
making the order takes: of largest_first_spread nothing more, since the host sorts. The same way needs no cooperative
launch.

Which vertices are colored by shortcut depends on the schedule; their colors do not.

==========  ==========================================================================================
state       the word of each vertex (ecl_gc.cuh)
listed      low vertices that wait: id, and which places of its row
dag         earlier neighbours of vertices of degree 29 and over
bitmaps     colors taken, of vertices with 29 earlier neighbours and over
high, hubs  these vertices: id, how many neighbours are left, blocker, place in `bitmaps`
head        numbers of them, and for a trace how vertices were colored
==========  ==========================================================================================

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 1, 2, 3.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...device.cooperative import launch_cooperative
from ...engines.greedy import cuda as greedy_cuda
from ...engines.greedy.cuda_sequence import first_fit_in_sequence
from ...errors import DeviceError
from ...graph import Graph
from ...orders import Priorities
from ...orders.ties import seed_word
from ...result import Log

SOURCE = Path(__file__).with_name("ecl_gc.cu")
BLOCK, BLOCKS, WARP = 256, 4, 32  # threads a block, blocks a multiprocessor, threads a warp; as in ecl_gc.cu
WIDE, HUB = 29, 4096  # degrees from which a warp and a block orient a vertex; as in ecl_gc.cuh
TALLY = 3  # where counts begin in `head`
KEYS = {"natural": 0, "random": 0, "largest_first": 1}
BY_ARRAY = 2


def run_gpu(
    G: Graph, p: Priorities, *, shortcuts: str | None, trace_log: Log, xp: Any, keys: Any = None
) -> Any:  # fmt: skip
    """Colors of sequential first-fit in the order `p`.

    Parameters
    ----------
    G : Graph
        On a GPU.
    p : Priorities
    shortcuts : {"both", "sc1", "sc2", "none"} or None
        Which of the paper's run; None: what is fastest.
    trace_log : Log
        Its notes say ``memory="frugal"`` where memory was too short for anything else, and
        ``launch="not cooperative"`` where the GPU cannot run blocks that wait for each other. A trace has two rows,
        initialization and all the rest, and in its notes how many vertices were colored at `initialization`, by
        `shortcut` and `conventionally` (Figure 12), and how many `visits` there were.
    xp : module
        CuPy.
    keys : array of int32, shape (n,), or None
        0 … 2³¹ − 1, the larger is colored earlier, ties by the seed of `p`: the order `p` by its keys, for
        callers that have them, so that no permutation need be made.

    Returns
    -------
    array of int32, shape (n,)

    Raises
    ------
    DeviceError
        The GPU cannot run all blocks of a kernel together, and shortcuts or a trace are asked for.
    MemoryError
        Not even the frugal way fits, or it is none, since shortcuts or a trace are asked for.
    """
    as_in_the_paper = shortcuts is not None or trace_log.trace
    try:
        if p.name == "largest_first_spread" and not as_in_the_paper:
            return greedy_cuda.first_fit(G, p.seed or 0)
        return _paper(G, p, shortcuts, trace_log, xp, keys)
    except MemoryError:  # CuPy's is one, too, and has given unused memory back by then
        if as_in_the_paper:
            raise
        note = {"memory": "frugal"}
    except DeviceError:
        if as_in_the_paper:
            raise
        note = {"launch": "not cooperative"}
    trace_log.notes |= note
    return first_fit_in_sequence(G, _sequence(G, p))


def _sequence(G: Graph, p: Priorities) -> Any:
    """`p.sequence`; in the order largest_first_spread the host makes it, for its sort takes 50 bytes a vertex."""
    if p.name != "largest_first_spread" or p.is_made:
        return p.sequence
    offsets = dev.to_device(G.indptr, "cpu")
    degrees_only = Graph(offsets, np.empty(0, np.int32))
    return dev.to_device(Priorities.of(degrees_only, p.name, p.seed).sequence, G.device)


def _paper(G: Graph, p: Priorities, shortcuts: str | None, log: Log, xp: Any, keys: Any) -> Any:
    """Algorithms 1 to 3."""
    colors = xp.empty(G.n, np.int32)
    if G.n == 0:
        return colors
    space, head = _space(xp, G)  # before the order is made, lest that be in the way of a frugal one
    kernel, order = _kernel(G, p, log.trace, keys)
    switches = (np.int32(shortcuts in (None, "both", one)) for one in ("sc1", "sc2"))
    args = (G.n, G.m, G.indptr, G.indices, *order, *switches, *space, head, colors)
    launch_cooperative(xp, kernel, BLOCK, -(-max(G.n, G.m // WARP) // BLOCK), args, BLOCKS)
    if log.trace:
        _report(log, G.n, head)
    return colors


def _kernel(G: Graph, p: Priorities, trace: bool, keys: Any) -> tuple[Any, tuple[Any, Any]]:
    """The kernel for an order, and what it is told of the order: priorities (or null), and the seed of ties."""
    key = KEYS.get(p.name, BY_ARRAY)
    seed = 0 if p.name == "random" and p.seed is None else p.seed
    ties = key != BY_ARRAY or keys is not None
    hashed = ties and p.name != "natural" and seed is not None
    word = seed_word(seed) if hashed and seed is not None else 0
    kernel = dev.kernel(
        SOURCE, "ecl_gc", OFFSET_BITS=8 * G.indptr.itemsize, KEY=key, HASHED=int(hashed), TRACE=int(trace)
    )
    if keys is None:
        keys = p.p if key == BY_ARRAY else 0
    return kernel, (keys, np.uint32(word).view(np.int32))


def _space(cp: Any, G: Graph) -> tuple[tuple[Any, ...], Any]:
    """Arrays that the kernel fills, and `head`, zeros. Sizes are bounds: the host does not know the degrees."""
    n, m = G.n, G.m
    hubs = m // HUB
    wide = min(n, m // WIDE)  # hubs among them; those with few earlier neighbours are listed a second time
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
