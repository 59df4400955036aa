"""Balanced classes: vertices of classes above the mean move to classes below it, in rounds. No color comes or goes.

In a round each source (a class above the mean) has its own sinks (classes below the mean), see `plan`. A hash decides
whether a vertex of a source tries to move, which spreads the moves over the graph. Another hash chooses one of its
source's sinks without a neighbor. The vertex moves there unless vertices of smaller number with the same wish have used
the quota of the sink.

The plan depends only on the class sizes, in integers, and is the same on CPU and GPU. Classes are ranked by decreasing
size, then by color. The *target* of a class is the mean, rounded down or, for the largest classes, up. Classes above
their target are sources, classes below it sinks. The sources in turn, the largest first, take whole sinks: the emptiest
sink left if its deficit is at most twice the remaining surplus of the source, else the fullest sink left. If there are
fewer sinks than sources need, the last sink of a source may take more than the surplus, up to the mean of both classes.
Then a deep sink is filled in a logarithmic number of rounds. Rounds after the second start at other places of both
rankings, so that pairs without a movable vertex are not repeated.

Vertices that move into a sink come from one class, so they are not adjacent. A vertex that leaves a source does not
affect others, since a source is not a sink. So all vertices may move at once, and the colors do not depend on timing.

Progress: within the quotas a move decreases the sum of the squares of the class sizes; the largest class does not grow,
and the smallest does not shrink. Balancing ends after ROUNDS rounds, or IDLE rounds in a row without a move.

Bytes of a round on a GPU: 4 per vertex for its color; for a vertex that tries, 16, and 8 per entry (column and color).
All rounds read half to seven tenths of the graph's entries: two to five rounds on meshes, up to seven on hub graphs.

What lost: classes one after another (Lu's color-centric schemes; a barrier and a list per class); sinks in the order of
their capacity (3 to 12 rounds instead of 2 to 5: no source used the rest of a partly filled sink); no sharing of the
last sinks (one source per sink and round: hub graphs were at twice the mean after 12 rounds); CPU threads that wish in
parallel while one grants (1.0 to 9 times the time of one thread, on two cores).

References
----------
Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015, "Balanced coloring for parallel computing
applications": guided, scheduled balancing, which decides in advance how many vertices move between which classes. The
hashes, the sinks of one source each, and the strict quotas are additions.
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
TILES, FEWEST, COUNTERS = 4096, 132, 1 << 23  # tiles: most, least; limit of counters (tiles × sinks)
STATE = 5  # words of `State` in the kernel
LARGEST = 1 << 50  # limit of the total weight: times SCALE it fits into 63 bits
# Rows of the table of a round, int64, shape (ROWS, k). By class: size, quota of a sink, hash below which a vertex of a
# source tries, a source's first sink and number of sinks, a sink's code (source, slot). By rank: class. By place: sink.
SIZE, QUOTA, UNTIL, FIRST, SINKS_OF, CODE, ORDER, SINK = range(8)
ROWS = 8
SLOTS = 64  # maximum number of sinks of a source: bits of a word
POINT = 16  # fractional bits of shares
MOST = 16 << POINT  # maximum that is counted of the expected neighbors in a sink
SCALE = 4096  # ratios are integers in units of 1 / SCALE
ZERO, ONE = np.uint64(0), np.uint64(1)
ONE32 = np.uint32(1)
GOLDEN = np.uint64(0x9E3779B9)
LOW = np.uint64(0xFFFFFFFF)
BITS, LAST = np.int64(6), np.int64(SLOTS - 1)  # split a code into source and slot; // and % are slower
QUEUE = 256  # trying vertices that are found before their rows are read


@dataclass(frozen=True)
class Allowed:
    """Constraints and weights of vertices; arrays on the graph's device, not checked."""

    keep: Any = None  # array of bool, shape (n,), optional: vertices that do not move
    # pair of arrays, optional: CSR, int64 and int32: colors that a vertex may not take
    forbidden: tuple[Any, Any] | None = None
    weights: Any = None  # array of int64, shape (n,), optional: at least 1 each, total below 2⁵⁰; None: 1

    def on_cpu(self) -> Allowed:
        """Return a copy on the CPU."""
        keep, weights = (None if a is None else dev.to_device(a, "cpu") for a in (self.keep, self.weights))
        forbidden: Any = self.forbidden and tuple(dev.to_device(a, "cpu") for a in self.forbidden)
        return Allowed(keep, forbidden, weights)

    def arrays(self, n: int, xp: Any = np) -> tuple[Any, Any, Any]:
        """Return `keep`, and both arrays of `forbidden`; `xp` is CuPy on a GPU."""
        keep = xp.zeros(n, np.bool_) if self.keep is None else self.keep
        return keep, *(self.forbidden or (xp.zeros(n + 1, np.int64), xp.zeros(0, np.int32)))


FREE = Allowed()


def sizes_of(colors: Any, k: int, weights: Any = None) -> np.ndarray:
    """Return the weight of each class, int64, on the CPU."""
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
    """Move vertices between classes until `ratio` is reached; return colors, and weights before and after (CPU)."""
    with dev.using(G.indices):
        colors = colors.copy()
        if G.n == 0 or k < 2:
            sizes = sizes_of(colors, k, allowed.weights)
            return colors, sizes, sizes
        rounds = _gpu if G.on_gpu else _cpu
        return colors, *rounds(G, colors, k, scaled(ratio), allowed, seed, log or Log())


def scaled(ratio: float) -> int:
    """Return the ratio as an integer in units of 1 / SCALE, rounded down."""
    return int(min(ratio, float(1 << 40)) * SCALE)


def salt_of(seed: int, number: int) -> np.uint64:
    """Return the salt of a round, 32 bits."""
    return np.uint64(mix32(np.uint64((seed_word(seed) + number * int(GOLDEN)) % 2**32)))


def _cpu(G: Graph, colors: np.ndarray, k: int, limit: int, allowed: Allowed, seed: int, log: Log) -> Any:
    """Balance in place on one core; return the class weights before and after."""
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
    """Balance in place by one cooperative launch; return the class weights before and after."""
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
    result = cp.asnumpy(numbers[: STATE + 2 * k])
    log.rounds += int(result[2])
    return result[STATE + k :], result[STATE : STATE + k]


def tiling(n: int, k: int) -> tuple[int, int]:
    """Return the size and the number of tiles; there is a counter for each tile and sink."""
    most = max(min(TILES, COUNTERS // k), FEWEST)
    tile = SOURCE.block * -(-n // (SOURCE.block * most))
    return tile, -(-n // tile)


def plan(table: np.ndarray, number: int, n: int, m: int, total: int) -> int:
    """Fill all rows but SIZE for round `number`; return the number of sinks used."""
    table[ORDER] = np.argsort(-table[SIZE], kind="stable")
    table[QUOTA], table[UNTIL], table[SINKS_OF], table[CODE] = 0, 0, 0, -1
    return int(_pair(table, number, n, m, total))


@njit(cache=True, nogil=True)
def _pair(table: Any, number: Any, n: Any, m: Any, total: Any) -> Any:
    """Assign sinks to sources, after classes are ranked; return the number of sinks used."""
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
        assigned, d, spare = 0, 0, 0
        while left > 0 and front <= back and table[SINKS_OF, c] < SLOTS:
            spare, d = _sink(order, sizes, front + shift, k, sinks, at_least, last, low, more)
            if 2 * left >= spare:
                front += 1
            else:
                spare, d = _sink(order, sizes, back + shift, k, sinks, at_least, last, low, more)
                back -= 1
            table[QUOTA, d] = min(left, spare)
            table[CODE, d] = c * SLOTS + table[SINKS_OF, c]
            table[SINK, placed] = d
            table[SINKS_OF, c] += 1
            assigned += table[QUOTA, d]
            left -= table[QUOTA, d]
            spare -= table[QUOTA, d]
            placed += 1
        served += 1
        table[UNTIL, c] = assigned
    for j in range(placed):  # the last sinks of sources take more if other sources have none
        d = table[SINK, j]
        c = table[CODE, d] // SLOTS
        if served < sources and j == table[FIRST, c] + table[SINKS_OF, c] - 1:
            assigned = table[UNTIL, c]
            extra = (sizes[c] - assigned - sizes[d] - table[QUOTA, d]) // 2
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
    """Return capacity and class of the j-th sink, cyclically."""
    j %= sinks
    rank = k - 1 - j if j < k - at_least else last - 1 - (j - (k - at_least))
    d = order[rank]
    return low + (rank < more) - sizes[d], d


@njit(cache=True, nogil=True, inline="always")
def _until(table: Any, c: Any, number: Any, n: Any, m: Any, total: Any) -> Any:
    """Return the hash of 32 bits below which a vertex of source c tries: a quarter more than expected, plus eight.

    If x neighbors of a vertex are expected in the emptiest sink, the probability that there is none is estimated by
    1 / (1 + x + x² / 2), a little more than exp(−x).
    """
    sizes = table[SIZE]
    each = MOST << 4  # more than any of the values below
    for j in range(table[FIRST, c], table[FIRST, c] + table[SINKS_OF, c]):
        x = min((sizes[table[SINK, j]] << POINT) // total * m // n, MOST)
        each = min(each, (1 << POINT) + x + (x * x >> (POINT + 1)))
    assigned = table[UNTIL, c]
    wanted = assigned + assigned // 4 + 8 * (total // n + 1)
    share = min((wanted << POINT) // sizes[c] + 1, 1 << POINT)
    return min(share * each // 4 * (4 + number), 1 << 32)


def reached(sizes: np.ndarray, scaled: float) -> bool:
    """Return whether the largest class is at most `scaled` / SCALE times the smallest, or at most 1 larger."""
    low, high = int(sizes.min()), int(sizes.max())
    return high - low <= 1 or high * SCALE <= low * scaled


@njit(cache=True, nogil=True)
def one_round(task: Any, table: Any, salt: Any) -> Any:
    """Move vertices by the plan in `table`; return moved weight and entries read. Empty `weights`: all 1."""
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
            if open_sinks[c] == 0:  # all quotas are used
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
    """Return the first free slot from a hashed slot on, cyclically; −1 if all are taken."""
    slot = (mix32((h + GOLDEN) & LOW) * sinks) >> np.uint64(32)
    for _ in range(sinks):
        if (taken >> slot) & ONE == ZERO:
            return np.int64(slot)
        slot += ONE
        if slot == sinks:
            slot = ZERO
    return np.int64(-1)
