"""The moves between classes in a round of balancing: a plan from class sizes alone, in whole numbers, the same on CPU
and GPU.

Classes are ranked by falling size, equal ones by color. The mean, rounded down or, for the largest, up, is the *target*
of each; a class above it is a source, one below it a sink. Sources in turn, the largest first, take whole sinks: the
emptiest one left while it is at most twice as empty as the source is still over, else the fullest one left. No sink has
two sources, so that what a round moves into a sink comes out of one class, where no two vertices are neighbors.

Where sinks run out before sources, the last sink of a source may take more than its surplus, up to the mean of the two:
a deep sink fills in as many rounds as there are doublings, not as there are sources.

Rounds after the second begin at other places of both rankings, so that pairs without a vertex to move do not come back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit

# Rows of the table of a round, int64, shape (ROWS, k). By class: size, quota of a sink, hash below which a vertex of a
# source tries, its first sink and their number, code of a sink (source, slot). By rank: class. By place: sink.
SIZE, QUOTA, UNTIL, FIRST, SINKS_OF, CODE, ORDER, SINK = range(8)
ROWS = 8
SLOTS = 64  # sinks of a source: bits of a word
ONE = 16  # bits after the point, of shares
MOST = 16 << ONE  # neighbors of one color: more are counted as so many
SCALE = 4096  # of the ratio


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
        x = min((sizes[table[SINK, j]] << ONE) // total * m // n, MOST)
        each = min(each, (1 << ONE) + x + (x * x >> (ONE + 1)))
    given = table[UNTIL, c]
    wanted = given + given // 4 + 8 * (total // n + 1)
    share = min((wanted << ONE) // sizes[c] + 1, 1 << ONE)
    return min(share * each // 4 * (4 + number), 1 << 32)


def reached(sizes: np.ndarray, scaled: float) -> bool:
    """Whether the largest class is at most `scaled` / SCALE times the smallest, or at most 1 larger."""
    low, high = int(sizes.min()), int(sizes.max())
    return high - low <= 1 or high * SCALE <= low * scaled
