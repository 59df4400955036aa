"""Balanced classes: vertices of classes above the mean move to classes below it, in rounds; no color comes or goes.

In a round each source, a class above the mean, has sinks of its own, classes below it (plan.py). A vertex of a
source tries where its hash says so, which spreads the moves over the graph. It wishes for one of its source's sinks
that no neighbor is in, by another hash, and gets it where the vertices of smaller number that wish for the same have
not used up the quota of the sink.

No two that move into a sink are neighbors, since they are of one class; and whoever leaves a source makes no difference
to others, since a source is no sink. So all may move at once, and their colors depend on no schedule.

Progress: within its quotas a move makes the sum of the squares of the class sizes smaller, and the largest class no
larger, the smallest no smaller. There are at most ROUNDS rounds, and IDLE of them in a row that move nothing end it.

Bytes of a round, on a GPU: see rounds.cu. Half to seven tenths of the graph's entries are read in all
rounds: two to five rounds on meshes, up to seven on hub graphs.

What lost: classes one after another (Lu's color-centric schemes; a barrier and a list per class); sinks in the order of
their room alone (3 to 12 rounds instead of 2 to 5: the rest of a half filled sink was nobody's); no sharing of the
last sinks (one source per sink and round: 12 rounds left hub graphs at twice the mean).

References
----------
Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015, "Balanced coloring for parallel computing
applications": guided, scheduled balancing, which fixes in advance how many move from where to where. The hashes, the
sinks that no two sources share, and the quotas that no move passes are not from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...core.result import Log
from ...device import threads as cpu_threads
from ...orders.ties import seed_word
from ..greedy.sequential import unsigned
from ..recolor.classes import class_sizes
from . import rounds_cpu as cpu
from .plan import SCALE, SLOTS, Plan, plan, reached

ROUNDS = 64
IDLE = 6  # rounds in a row that move nothing
SOURCE = Path(__file__).with_suffix(".cu")
BLOCK, WARPS = 256, 8  # of rounds.cu
TILES, FEWEST, COUNTERS = 4096, 132, 1 << 23  # tiles at most; as many whatever k; counters of tiles and sinks else
LARGEST = 1 << 50  # total weight: SCALE times it is a number of 63 bits


@dataclass(frozen=True)
class Allowed:
    """What vertices may not do, and what they weigh; arrays on the graph's device, nothing is checked.

    Attributes
    ----------
    keep : array of bool, shape (n,), optional
        Vertices that stay where they are; on a CPU.
    forbidden : pair of arrays, optional
        CSR, int64 and int32: colors that a vertex may not take; on a CPU.
    weights : array of int64, shape (n,), optional
        At least 1 each, under 2⁵⁰ in all; None: 1.
    """

    keep: Any = None
    forbidden: tuple[Any, Any] | None = None
    weights: Any = None


FREE = Allowed()


def sizes_of(colors: Any, k: int, weights: Any = None) -> np.ndarray:
    """Weight of each class, int64, on the CPU."""
    if weights is None:
        sizes = class_sizes(colors)
        return np.concatenate([sizes, np.zeros(k - len(sizes), np.int64)])
    xp = dev.module_of(colors)
    sums = xp.zeros(k, np.uint64)
    xp.add.at(sums, colors, weights.astype(np.uint64))
    return dev.to_device(sums, "cpu").astype(np.int64)


class Evened(NamedTuple):
    """Colors, and the weight of each class before and after: int64, shape (k,), on the CPU."""

    colors: Any
    before: np.ndarray
    after: np.ndarray


def even_out(
    G: Graph, colors: Any, k: int, ratio: float = 1.05, allowed: Allowed = FREE, seed: int = 0, log: Log | None = None
) -> Evened:
    """Move vertices between classes until the largest is at most `ratio` times the smallest, or 1 larger."""
    log = log or Log()
    with dev.using(G.indices):
        colors = colors.copy()
        sizes = sizes_of(colors, k, allowed.weights)
        before, idle = sizes.copy(), 0
        if G.n == 0 or k < 2:
            return Evened(colors, before, sizes)
        take = (Gpu if G.on_gpu else Cpu)(G, colors, k, allowed)
        for number in range(ROUNDS):
            if idle == IDLE or reached(sizes, scaled(ratio)):
                break
            moved, notes = take(plan(sizes, number, G.n, G.m), salt_of(seed, number), sizes)
            idle = 0 if moved else idle + 1
            log.round(active=G.n, colored=moved, conflicts=0, **notes)
    return Evened(colors, before, sizes)


def scaled(ratio: float) -> int:
    """The ratio as a whole number of parts of 1 / SCALE, rounded down."""
    return int(min(ratio, float(1 << 40)) * SCALE)


def salt_of(seed: int, number: int) -> np.uint64:
    """32 bits for a round."""
    return np.uint64(cpu.mix32(np.uint64((seed_word(seed) + number * int(cpu.GOLDEN)) % 2**32)))


class Cpu:
    """Rounds on a CPU: threads wish, then one grants. Colors change in place."""

    def __init__(self, G: Graph, colors: np.ndarray, k: int, allowed: Allowed) -> None:
        threads = cpu_threads.count(None, G.m)
        keep = np.zeros(0, np.uint8) if allowed.keep is None else allowed.keep.view(np.uint8)
        offsets, forbidden = allowed.forbidden or (np.zeros(0, np.int64), np.zeros(0, np.int32))
        weights = np.zeros(0, np.int64) if allowed.weights is None else allowed.weights
        self.classes = cpu.Classes(*unsigned(G), colors, keep, offsets.view(np.uint64), forbidden, weights)
        shares = np.searchsorted(G.indptr, np.linspace(0, G.m, threads + 1)[1:-1])
        self.bounds = np.concatenate([[0], shares, [G.n]]).astype(np.int64)
        self.wishes = np.empty((2, G.n), np.int32)

    def __call__(self, of_round: Plan, salt: np.uint64, sizes: np.ndarray) -> tuple[int, dict[str, int]]:
        """The weight that moves, and the entries read; `sizes` change."""
        threads, bounds = len(self.bounds) - 1, self.bounds
        counts, reads = np.zeros(threads, np.int64), np.zeros(threads, np.int64)

        def wish(t: int) -> None:
            scratch = np.empty(cpu.QUEUE, np.uint32), of_round.quota.copy(), of_round.count.copy()
            counts[t], reads[t] = cpu.wish(self.classes, of_round, salt, bounds[t], bounds[t + 1], self.wishes, scratch)

        cpu_threads.run(wish, threads)
        moved = cpu.grant(self.classes, sizes, of_round.quota.copy(), self.wishes, bounds[:-1], counts)
        return int(moved), {"read": int(reads.sum())}


class Gpu:
    """Rounds on a GPU, without vertices that stay and forbidden colors. Colors change in place."""

    def __init__(self, G: Graph, colors: Any, k: int, allowed: Allowed) -> None:
        cp = dev.cupy()
        self.G, self.colors = G, colors
        self.weights = 0 if allowed.weights is None else allowed.weights
        self.tile, self.tiles = tiling(G.n, k)
        self.wishes = cp.empty(G.n, np.int32)
        bits = 8 * G.indptr.itemsize
        self.wish, self.scan, self.admit = (
            dev.kernel(SOURCE, name, OFFSET_BITS=bits) for name in ("wish", "scan", "admit")
        )

    def __call__(self, of_round: Plan, salt: np.uint64, sizes: np.ndarray) -> tuple[int, dict[str, int]]:
        """The weight that moves, and nothing else of interest; `sizes` change."""
        cp, G, sinks = dev.cupy(), self.G, of_round.sinks
        if not len(sinks):
            return 0, {}
        until, first, count = cp.asarray(np.stack([of_round.until.view(np.int64), of_round.first, of_round.count]))
        at = cp.asarray(np.stack([sinks, of_round.quota[sinks]]))
        sums = cp.zeros(len(sinks) * self.tiles + len(sinks), np.uint64)
        numbers, moved = (np.int64(G.n), np.int64(self.tile)), sums[-len(sinks) :]
        graph = G.indptr, G.indices, self.colors, cp.asarray(of_round.code)
        self.wish(
            (self.tiles,), (BLOCK,),
            (*graph, until, first, count, self.weights, self.wishes, sums, *numbers, np.uint32(salt)),
        )  # fmt: skip
        self.scan((len(sinks),), (BLOCK,), (sums, np.int64(self.tiles)))
        self.admit(
            (-(-self.tiles // WARPS),), (BLOCK,),
            (self.wishes, at[0], at[1], self.weights, sums, self.colors, moved, *numbers, np.int64(self.tiles)),
        )  # fmt: skip
        got = cp.asnumpy(moved).astype(np.int64)
        sizes[sinks] += got
        np.subtract.at(sizes, of_round.code[sinks] // SLOTS, got)
        return int(got.sum()), {}


def tiling(n: int, k: int) -> tuple[int, int]:
    """Vertices of a tile, and tiles: there is a counter for each tile and sink."""
    most = max(min(TILES, COUNTERS // k), FEWEST)
    tile = BLOCK * -(-n // (BLOCK * most))
    return tile, -(-n // tile)
