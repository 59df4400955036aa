"""Jones–Plassmann: a vertex takes its first-fit color as soon as all earlier neighbours have theirs.

With fixed priorities the answer is that of sequential first-fit, whatever the schedule.

GPU: rounds over lists of active vertices, split by degree over a thread, a warp or a block each
(jones_plassmann.cu); of up to 2^25 vertices and entries in one launch. CPU: the threads of engines/greedy, whose
vertices wait for earlier neighbours that another thread is coloring.

==========  =====================================================================
p           priorities, a permutation; larger is colored earlier
sequence    the vertices by falling p
keys        p, or None where the kernels compare ids or their hashes (GPU)
progress    what is known of the row of a vertex that waits (GPU)
==========  =====================================================================

Device memory beside the graph: 20 bytes per vertex, 16 more for large average degrees, and p.

References
----------
Jones, Plassmann 1993, "A parallel graph coloring heuristic", SIAM J. Sci. Comput. 14(3).
"""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np

from .. import device as dev
from ..core.errors import DeviceError
from ..core.graph import Graph
from ..core.registry import coloring
from ..core.result import Log
from ..device import threads as cpu_threads
from ..device.compiled import njit
from ..device.cooperative import blocks_resident, has_cooperative_launch, launches, with_fewer
from ..device.pinned import Pinned
from ..engines.greedy.sequential import ONE32, first_fit, unsigned
from ..engines.greedy.threads import MOST_THREADS, first_fit_on_threads
from ..orders import Priorities
from ..orders.ties import seed_word

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK, LOW, HIGH = 256, 32, 2048  # threads per block, degrees up to which a thread and a warp have a vertex
THREADS = (1, 32, BLOCK)  # a vertex
RESIDENT = 4  # blocks per multiprocessor of a cooperative launch
KEYS, BY_ARRAY = {"natural": 0, "random": 1}, 2
AT_ONCE = 2**25  # vertices and stored entries up to which one launch does all rounds
EACH = 16  # stored entries per thread, there
BATCH = 8  # rounds between two looks at the counts from the host
TAIL, TAIL_BATCH = 1 << 16, 32  # with few vertices left a launch costs less than a look


@coloring(
    "jones_plassmann",
    style="kernel",
    paper="Jones and Plassmann 1993",
    bound="Δ+1",
    oracle="first_fit",
    order="random",
    seed=0,
    needs="keys",
    options={"threads": "CPU threads; default: one per core where that pays, else one"},
)
def jones_plassmann(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Parallel first-fit: a vertex is colored once all its earlier neighbours are."""
    if G.on_gpu:
        return _gpu(G, p, log)
    if log.trace and G.n:
        return _in_step(G, p, log)
    workers = cpu_threads.for_graph(threads, G, log, MOST_THREADS)
    return first_fit_on_threads(G, p, workers)


@njit(cache=True)
def levels(indptr: Any, indices: Any, sequence: Any, p: Any) -> Any:
    """Round in which each vertex is colored when rounds are in step: 1 + the latest of its earlier neighbours."""
    level = np.zeros(sequence.size, np.int32)
    for v in sequence:
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if p[u] > p[v]:
                level[v] = max(level[v], level[u] + 1)
    return level


def _in_step(G: Graph, p: Priorities, log: Log) -> np.ndarray:
    """First-fit on one core, with the rounds that a machine of unbounded width would take."""
    indptr, indices = unsigned(G)
    sequence, left = p.sequence.view(np.uint32), G.n
    for colored in np.bincount(levels(indptr, indices, sequence, p.p)).tolist():
        log.round(active=left, colored=colored, conflicts=0)
        left -= colored
    return first_fit(indptr, indices, sequence)


def _gpu(G: Graph, p: Priorities, log: Log) -> Any:
    """Rounds until no vertex waits; from the second on each colors at least the earliest vertex left, so they end."""
    cp = dev.cupy()
    if G.n == 0:
        return cp.empty(0, np.int32)
    kernels = _kernels(cp.cuda.runtime.getDevice(), 8 * G.indptr.itemsize, KEYS.get(p.name, BY_ARRAY))
    keys = p.keys
    work = G.indptr, G.indices, 0 if keys is None else keys, np.uint32(seed_word(p.seed or 0))
    if max(G.n, G.m) <= AT_ONCE and kernels.resident and not log.trace:
        try:
            return _in_one_launch(cp, G, work, kernels, log)
        except DeviceError:  # the driver has no room for a cooperative launch
            pass
    return _in_many_launches(cp, G, work, kernels, log)


class _Kernels:
    """Kernels on one device for one type of offsets and way to compare vertices."""

    def __init__(self, device: int, bits: int, key: int) -> None:
        self.device = device
        self.uncolor, self.first, self.all_rounds, *self.others = (  # all of them, so that a warm-up loads them
            dev.kernel(SOURCE, name, OFFSET_BITS=bits, KEY=key)
            for name in ("uncolor", "first_round", "all_rounds", "low_round", "warp_round", "block_round")
        )
        cp = dev.cupy()
        self.resident = (
            blocks_resident(cp, device, self.all_rounds, BLOCK, RESIDENT) if has_cooperative_launch(cp, device) else 0
        )


_kernels = functools.cache(_Kernels)


def _in_one_launch(cp: Any, G: Graph, work: tuple[Any, ...], kernels: _Kernels, log: Log) -> Any:
    """All rounds in one cooperative launch, for small graphs; after many of them the host is asked in between."""
    n, (warps, blocks) = G.n, _room(G)
    colors, progress, head = cp.empty(n, np.int32), cp.empty(n, np.uint64), cp.zeros(10, np.int32)
    lists = cp.empty(2 * (n + warps + blocks), np.int32)
    grid = min(kernels.resident, -(-max(n, G.m // EACH) // BLOCK))
    rounds, waits = 0, 1
    while waits:
        with Pinned.take(kernels.device, 2) as told:
            args = (*work, colors, progress, n, lists, warps, blocks, head, rounds, told.ptr)
            grid = with_fewer(grid, functools.partial(_launches, kernels.all_rounds, args))
            told.launched()
            rounds, waits = told.wait().tolist()
        if waits:
            head[:1].fill(0)
    log.rounds += rounds
    return colors


def _launches(function: Any, args: tuple[Any, ...], blocks: int) -> bool:
    return launches(function, blocks, BLOCK, args)


def _in_many_launches(cp: Any, G: Graph, work: tuple[Any, ...], kernels: _Kernels, log: Log) -> Any:
    """One launch per round for each number of threads; the host looks at the counts now and then."""
    n, colors = G.n, cp.empty(G.n, np.int32)
    kernels.uncolor((_grid(n),), (BLOCK,), (n, colors))
    work = (*work, colors, cp.empty(n, np.uint64))
    counts = cp.zeros((TAIL_BATCH + 1, len(THREADS)), np.int32)
    here = [cp.empty(room, np.int32) for room in (n, *_room(G))]
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    begin.record()
    kernels.first((_grid(n),), (BLOCK,), (*work, n, *here, counts))
    end.record()
    left = counts[0].tolist()
    _report(cp, log, [n, sum(left)], begin, end)
    there = [cp.empty(count, np.int32) for count in left]
    while active := sum(left):
        batch = 1 if log.trace else BATCH if active > TAIL else TAIL_BATCH
        begin.record()
        for k in range(batch):
            for i, (kernel, threads) in enumerate(zip(kernels.others, THREADS, strict=True)):
                if left[i]:
                    lists = (here[i], counts[k, i:], there[i], counts[k + 1, i:])
                    kernel((_grid(left[i] * threads),), (BLOCK,), (*work, *lists))
            here, there = there, here
        end.record()
        after = counts[: batch + 1].tolist()
        _report(cp, log, [sum(row) for row in after], begin, end)
        left = after[batch]
        counts[0] = counts[batch]
        counts[1:].fill(0)
    return colors


def _report(cp: Any, log: Log, active: list[int], begin: Any, end: Any) -> None:
    """Rounds with so many active vertices before each, and after the last."""
    ms = cp.cuda.get_elapsed_time(begin, end) if log.trace else None
    for before, after in itertools.pairwise(active):
        if before:
            log.round(active=before, colored=before - after, conflicts=0, ms=ms)


def _room(G: Graph) -> tuple[int, int]:
    """Most vertices of a warp and of a block each: the host does not know the degrees."""
    return min(G.n, G.m // (LOW + 1)), min(G.n, G.m // (HIGH + 1))


def _grid(threads: int) -> int:
    return min(-(-threads // BLOCK), 2**16 - 1)
