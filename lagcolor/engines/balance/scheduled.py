"""Balanced classes: vertices of classes above the mean move to classes below it, in rounds; no color comes or goes.

In a round each source, a class above the mean, has sinks of its own, classes below it (`plan`). A vertex of a source
tries where its hash says so, which spreads the moves over the graph. It wishes for one of its source's sinks that no
neighbor is in, by another hash, and gets it where the vertices of smaller number that wish for the same have not used
up the quota of the sink.

The plan comes from class sizes alone, in whole numbers, the same on CPU and GPU. Classes are ranked by falling size,
equal ones by color. The mean, rounded down or, for the largest, up, is the *target* of each; a class above it is a
source, one below it a sink. Sources in turn, the largest first, take whole sinks: the emptiest one left while it is at
most twice as empty as the source is still over, else the fullest one left. Where sinks run out before sources, the last
sink of a source may take more than its surplus, up to the mean of the two: a deep sink fills in as many rounds as there
are doublings, not as there are sources. Rounds after the second begin at other places of both rankings, so that pairs
without a vertex to move do not come back.

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
from ...base.device.compiled import njit
from ...base.device.intrinsics import prefetch
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders.ties import seed_word

ROUNDS = 64
IDLE = 6  # rounds in a row that move nothing
SOURCE = dev.Source(__file__)
BLOCKS_PER_MULTIPROCESSOR = 6
TILES, FEWEST, COUNTERS = 4096, 132, 1 << 23  # tiles at most; as many whatever k; counters of tiles and sinks else
STATE = 5  # words of the kernel's `State`
LARGEST = 1 << 50  # total weight: SCALE times it is a number of 63 bits
# Rows of the table of a round, int64, shape (ROWS, k). By class: size, quota of a sink, hash below which a vertex of a
# source tries, its first sink and their number, code of a sink (source, slot). By rank: class. By place: sink.
SIZE, QUOTA, UNTIL, FIRST, SINKS_OF, CODE, ORDER, SINK = range(8)
ROWS = 8
SLOTS = 64  # sinks of a source: bits of a word
POINT = 16  # bits after it, of shares
MOST = 16 << POINT  # neighbors of one color: more are counted as so many
SCALE = 4096  # of the ratio
ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)
GOLDEN = np.uint64(0x9E3779B9)
LOW = np.uint64(0xFFFFFFFF)
BITS, LAST = np.int64(6), np.int64(SLOTS - 1)  # of a code: the source above, the slot below; // and % are slower
QUEUE = 256  # vertices that are to try, found before the first of their rows is read


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
        forbidden: Any = self.forbidden and tuple(dev.to_device(a, "cpu") for a in self.forbidden)
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
    """Move vertices between classes up to a ratio; the colors, and on the CPU the class weights before and after."""
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
    return np.uint64(mix32(np.uint64((seed_word(seed) + number * int(GOLDEN)) % 2**32)))


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
            moved, read = one_round(task, table, salt_of(seed, number))
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


def plan(table: np.ndarray, number: int, n: int, m: int, total: int) -> int:
    """Fill in all rows but SIZE for round `number`; returns how many sinks take part."""
    table[ORDER] = np.argsort(-table[SIZE], kind="stable")
    table[QUOTA], table[UNTIL], table[SINKS_OF], table[CODE] = 0, 0, 0, -1
    return int(_pair(table, number, n, m, total))


@njit(cache=True, nogil=True)
def _pair(table: Any, number: Any, n: Any, m: Any, total: Any) -> Any:
    """Sources and sinks, once classes are ranked; returns how many sinks take part."""
    sizes, order, k = table[SIZE], table[ORDER], table.shape[1]
    low, more = total // k, total % k
    over, above, at_least = 0, 0, 0
    for c in range(k):
        over += sizes[c] >= low + 2
        above += sizes[c] >= low + 1
        at_least += sizes[c] >= low
    # Ranks of sources: 0 … over − 1, then from `second` to above − 1. Of sinks, backwards: k − 1 … at_least, and then
    # `last` − 1 … above.
    second, last = max(over, more), min(at_least, more)
    sources = over + max(above - second, 0)
    sinks = k - at_least + max(last - above, 0)
    if sources == 0 or sinks == 0:
        return 0
    turn = number % sources if number > 1 and number % 2 else 0
    shift = number // 2 % sinks if number > 1 else 0
    front, back, placed, served = 0, sinks - 1, 0, 0
    while served < sources and front <= back:
        i = (served + turn) % sources
        rank = i if i < over else i - over + second
        c = order[rank]
        left = sizes[c] - low - (rank < more)
        table[FIRST, c] = placed
        given, d, room = 0, 0, 0
        while left > 0 and front <= back and table[SINKS_OF, c] < SLOTS:
            room, d = _sink(order, sizes, front + shift, k, sinks, at_least, last, low, more)
            if 2 * left >= room:
                front += 1
            else:
                room, d = _sink(order, sizes, back + shift, k, sinks, at_least, last, low, more)
                back -= 1
            table[QUOTA, d] = min(left, room)
            table[CODE, d] = c * SLOTS + table[SINKS_OF, c]
            table[SINK, placed] = d
            table[SINKS_OF, c] += 1
            given += table[QUOTA, d]
            left -= table[QUOTA, d]
            room -= table[QUOTA, d]
            placed += 1
        served += 1
        table[UNTIL, c] = given
    for j in range(placed):  # the last sinks of sources take more where other sources have none
        d = table[SINK, j]
        c = table[CODE, d] // SLOTS
        if served < sources and j == table[FIRST, c] + table[SINKS_OF, c] - 1:
            given = table[UNTIL, c]
            extra = (sizes[c] - given - sizes[d] - table[QUOTA, d]) // 2
            extra = max(min(extra, low - sizes[d] - table[QUOTA, d]), 0)
            table[QUOTA, d] += extra
            table[UNTIL, c] += extra
    for c in range(k):
        if table[SINKS_OF, c] > 0:
            table[UNTIL, c] = _until(table, c, number, n, m, total)
    return placed


@njit(cache=True, nogil=True, inline="always")
def _sink(
    order: Any, sizes: Any, j: Any, k: Any, sinks: Any, at_least: Any, last: Any, low: Any, more: Any
) -> tuple[Any, Any]:
    """Capacity and class of the j-th sink, counted around."""
    j %= sinks
    rank = k - 1 - j if j < k - at_least else last - 1 - (j - (k - at_least))
    d = order[rank]
    return low + (rank < more) - sizes[d], d


@njit(cache=True, nogil=True, inline="always")
def _until(table: Any, c: Any, number: Any, n: Any, m: Any, total: Any) -> Any:
    """The hash, of 32 bits, below which a vertex of source c tries: a quarter more of them, and eight, than should do.

    That a vertex of degree x · n / size has no neighbor in the sink is taken for 1 / (1 + x + x² / 2), a little over
    exp(−x), for the emptiest of the sinks and the mean degree.
    """
    sizes = table[SIZE]
    each = MOST << 4  # more than any below
    for j in range(table[FIRST, c], table[FIRST, c] + table[SINKS_OF, c]):
        x = min((sizes[table[SINK, j]] << POINT) // total * m // n, MOST)
        each = min(each, (1 << POINT) + x + (x * x >> (POINT + 1)))
    given = table[UNTIL, c]
    wanted = given + given // 4 + 8 * (total // n + 1)
    share = min((wanted << POINT) // sizes[c] + 1, 1 << POINT)
    return min(share * each // 4 * (4 + number), 1 << 32)


def reached(sizes: np.ndarray, scaled: float) -> bool:
    """Whether the largest class is at most `scaled` / SCALE times the smallest, or at most 1 larger."""
    low, high = int(sizes.min()), int(sizes.max())
    return high - low <= 1 or high * SCALE <= low * scaled


@njit(cache=True, nogil=True)
def one_round(task: Any, table: Any, salt: Any) -> Any:
    """Move vertices as the plan in `table` says; the weight moved, and the entries read. No weights: all weigh 1."""
    indptr, indices, colors, keep, offsets, forbidden, weights = task
    code, left, open_sinks = table[CODE], table[QUOTA].copy(), table[SINKS_OF].copy()
    queue, v, n, moved, read = np.empty(QUEUE, np.uint32), np.uint32(0), np.uint32(colors.size), np.int64(0), ZERO
    while v < n:
        found = 0
        while v < n and found < QUEUE:
            tries = np.int64(mix32(np.uint64(v) ^ salt)) < table[UNTIL, colors[v]]
            if tries and open_sinks[colors[v]] > 0 and not keep[v]:
                queue[found] = v
                prefetch(indices, indptr[v])
                found += 1
            v += ONE32
        for u in queue[:found]:
            c = colors[u]
            if open_sinks[c] == 0:  # further wishes are refused
                continue
            taken = ZERO
            for e in range(indptr[u], indptr[u + ONE32]):
                x = code[colors[indices[e]]]
                if x >> BITS == c:
                    taken |= ONE << np.uint64(x & LAST)
            read += np.uint64(indptr[u + ONE32] - indptr[u])
            for e in range(offsets[u], offsets[u + ONE32]):
                x = code[forbidden[e]] if forbidden[e] < code.size else np.int64(-1)
                if x >> BITS == c:
                    taken |= ONE << np.uint64(x & LAST)
            slot = pick(taken, np.uint64(table[SINKS_OF, c]), mix32(np.uint64(u) ^ salt))
            if slot < 0:
                continue
            d = table[SINK, table[FIRST, c] + slot]
            w = weights[u] if weights.size else 1
            if left[d] >= w:
                colors[u] = d
                table[SIZE, d] += w
                table[SIZE, c] -= w
                moved += w
            open_sinks[c] -= 0 < left[d] <= w
            left[d] -= w
    return moved, read


@njit(cache=True, nogil=True, inline="always")
def pick(taken: Any, sinks: Any, h: Any) -> Any:
    """The first slot not taken, from one on that a hash says; −1 where all are."""
    slot = (mix32((h + GOLDEN) & LOW) * sinks) >> np.uint64(32)
    for _ in range(sinks):
        if (taken >> slot) & ONE == ZERO:
            return np.int64(slot)
        slot += ONE
        if slot == sinks:
            slot = ZERO
    return np.int64(-1)
