"""Balanced classes: vertices of classes above the mean move to classes below it, in rounds; no color comes or goes.

In a round each source, a class above the mean, has sinks of its own, classes below it (plan.py). A vertex of a
source tries where its hash says so, which spreads the moves over the graph. It wishes for one of its source's sinks
that no neighbor is in, by another hash, and gets it where the vertices of smaller number that wish for the same have
not used up the quota of the sink.

No two that move into a sink are neighbors, since they are of one class; and a vertex that leaves a source makes no
difference to others, since a source is no sink. So all may move at once, and their colors depend on no schedule.

Progress: within its quotas a move makes the sum of the squares of the class sizes smaller, and the largest class no
larger, the smallest no smaller. There are at most ROUNDS rounds, and IDLE of them in a row that move nothing end it.

Bytes of a round, on a GPU: 4 per vertex for its color; 16, and 8 per entry (column, color there), for one that tries.
Half to seven tenths of the graph's entries in all rounds: two to five rounds on meshes, up to seven on hub graphs.

What lost: classes one after another (Lu's color-centric schemes; a barrier and a list per class); sinks in the order of
their capacity alone (3 to 12 rounds instead of 2 to 5: no source used the rest of a half filled sink); no sharing of
the last sinks (one source per sink and round: 12 rounds left hub graphs at twice the mean); CPU threads, which wish at
once for one to grant (1.0 to 9 times the time of one on two cores).

References
----------
Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015, "Balanced coloring for parallel computing
applications": guided, scheduled balancing, which fixes in advance how many move from where to where. The hashes, the
sinks that no two sources share, and the quotas that no move passes are not from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.bits import mix32
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders.ties import seed_word
from . import scheduled_cpu as cpu
from .plan import ROWS, SCALE, SIZE, plan, reached

ROUNDS = 64
IDLE = 6  # rounds in a row that move nothing
SOURCE = dev.Source(__file__)
BLOCKS_PER_MULTIPROCESSOR = 6
TILES, FEWEST, COUNTERS = 4096, 132, 1 << 23  # tiles at most; as many whatever k; counters of tiles and sinks else
STATE = 5  # words of the kernel's `State`
LARGEST = 1 << 50  # total weight: SCALE times it is a number of 63 bits


@dataclass(frozen=True)
class Allowed:
    """What vertices may not do, and what they weigh; arrays on the graph's device, nothing is checked."""

    keep: Any = None  # array of bool, shape (n,), optional: vertices that stay where they are
    # pair of arrays, optional: CSR, int64 and int32: colors that a vertex may not take
    forbidden: tuple[Any, Any] | None = None
    weights: Any = None  # array of int64, shape (n,), optional: at least 1 each, under 2⁵⁰ in all; None: 1

    def on_cpu(self) -> Allowed:
        """The same on the CPU."""
        keep, weights = (None if a is None else dev.to_device(a, "cpu") for a in (self.keep, self.weights))
        forbidden = self.forbidden and (
            dev.to_device(self.forbidden[0], "cpu"),
            dev.to_device(self.forbidden[1], "cpu"),
        )
        return Allowed(keep, forbidden, weights)

    def arrays(self, n: int, xp: Any = np) -> tuple[Any, Any, Any]:
        """`keep`, and both arrays of `forbidden`; `xp` is CuPy on a GPU."""
        keep = xp.zeros(n, np.bool_) if self.keep is None else self.keep
        return keep, *(self.forbidden or (xp.zeros(n + 1, np.int64), xp.zeros(0, np.int32)))


FREE = Allowed()


def sizes_of(colors: Any, k: int, weights: Any = None) -> np.ndarray:
    """Weight of each class, int64, on the CPU."""
    if weights is None:
        return dev.to_device(dev.counts(colors, k), "cpu")
    sums = dev.module_of(colors).bincount(colors, weights, k)  # exact: float64 has 53 bits
    return dev.to_device(sums, "cpu").astype(np.int64)


def even_out(
    G: Graph,
    colors: Any,
    k: int,
    ratio: float = 1.05,
    allowed: Allowed = FREE,
    seed: int = 0,
    log: Log | None = None,
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Move vertices between classes until the largest is at most `ratio` times the smallest, or 1 larger.

    Returns the colors, and the weight of each class before and after: int64, shape (k,), on the CPU.
    """
    with dev.using(G.indices):
        colors = colors.copy()
        if G.n == 0 or k < 2:
            sizes = sizes_of(colors, k, allowed.weights)
            return colors, sizes, sizes
        rounds = _gpu if G.on_gpu else _cpu
        return colors, *rounds(G, colors, k, scaled(ratio), allowed, seed, log or Log())


def scaled(ratio: float) -> int:
    """The ratio as a whole number of parts of 1 / SCALE, rounded down."""
    return int(min(ratio, float(1 << 40)) * SCALE)


def salt_of(seed: int, number: int) -> np.uint64:
    """32 bits for a round."""
    return np.uint64(mix32(np.uint64((seed_word(seed) + number * int(cpu.GOLDEN)) % 2**32)))


def _cpu(G: Graph, colors: np.ndarray, k: int, limit: int, allowed: Allowed, seed: int, log: Log) -> Any:
    """On one core, in place."""
    weights = np.zeros(0, np.int64) if allowed.weights is None else allowed.weights
    task = (*unsigned(G), colors, *allowed.arrays(G.n), weights)
    table = np.zeros((ROWS, k), np.int64)
    table[SIZE] = sizes_of(colors, k, allowed.weights)
    before = table[SIZE].copy()
    total, idle = int(before.sum()), 0
    with log.best_so_far():
        for number in range(ROUNDS):
            if idle == IDLE or reached(table[SIZE], limit):
                break
            plan(table, number, G.n, G.m, total)
            moved, read = cpu.one_round(task, table, salt_of(seed, number))
            idle = 0 if moved else idle + 1
            log.round(active=G.n, colored=int(moved), conflicts=0, read=int(read))
    return before, table[SIZE]


def _gpu(G: Graph, colors: Any, k: int, limit: int, allowed: Allowed, seed: int, log: Log) -> Any:
    """By one cooperative launch, in place."""
    cp, weighted = dev.cupy(), allowed.weights is not None
    ruled = allowed.keep is not None or allowed.forbidden is not None
    tile, tiles = tiling(G.n, k)
    numbers = cp.zeros((ROWS + 2) * k + STATE + 1, np.int64)
    state, cells, arrived = numbers[:STATE], numbers[STATE:-1], numbers[-1:].view(np.int32)
    lists = cp.empty((2, tiles * tile), np.int32)
    small = cp.empty(k + tiles, np.int32)
    sums = cp.empty(k * tiles, np.uint64 if weighted else np.uint32)
    graph = G.indptr, G.indices, colors, *(allowed.arrays(G.n, cp) if ruled else [colors] * 3)
    weights, total = (allowed.weights, int(allowed.weights.sum())) if weighted else (colors, G.n)  # colors: not read
    memory = cells, state, arrived, small[:k], lists[0], lists[1], small[k:], sums
    limits = map(np.int64, (k, seed_word(seed), G.n, G.m, total, limit, ROUNDS, IDLE, tiles, tile))
    run, most = SOURCE.of(G.indptr, RULES=ruled, WEIGHTED=weighted), BLOCKS_PER_MULTIPROCESSOR
    run.cooperative("balance", tiles * run.block, *graph, weights, *memory, *limits, most=most)
    said = cp.asnumpy(numbers[: STATE + 2 * k])
    log.rounds += int(said[2])
    return said[STATE + k :], said[STATE : STATE + k]


def tiling(n: int, k: int) -> tuple[int, int]:
    """Vertices of a tile, and tiles: there is a counter for each tile and sink."""
    most = max(min(TILES, COUNTERS // k), FEWEST)
    tile = SOURCE.block * -(-n // (SOURCE.block * most))
    return tile, -(-n // tile)
