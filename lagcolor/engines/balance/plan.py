"""Which class gives vertices to which in a round of balancing, by class sizes alone; all numbers are integers.

Classes are ranked by falling size, equal ones by color. The mean, rounded down or, for the largest, up, is the *target*
of each; a class above it is a source, one below it a sink. Sources in turn, the largest first, take whole sinks: the
emptiest one left while it is at most twice as empty as the source is still over, else the fullest one left. No sink has
two sources, so that what a round moves into a sink comes out of one class, in which no two vertices are neighbors.

Where sinks run out before sources, the last sink of a source may take more than its surplus, up to the mean of the two:
a deep sink fills in as many rounds as there are doublings, not as there are sources.

Rounds after the second begin at other places of both rankings, so that pairs without a vertex to move do not come back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.compiled import njit

SLOTS = 64  # sinks of a source: bits of a word
ONE = 16  # bits after the point, of shares
MOST = 16 << ONE  # neighbors of one color: more are counted as so many
SCALE = 4096  # of the ratio


class Plan(NamedTuple):
    """A plan of a round. All but `sinks` have an entry for each class.

    Attributes
    ----------
    quota : array of int64
        Weight that a sink takes.
    until : array of uint64
        Hash below which a vertex of a source tries.
    first, count : array of int64
        Of a source: place of its first sink in `sinks`, and how many it has.
    code : array of int32
        Of a sink: SLOTS times its source, and its number among the sinks of that; −1 for other classes.
    sinks : array of int64
    """

    quota: Any
    until: Any
    first: Any
    count: Any
    code: Any
    sinks: Any


def plan(sizes: np.ndarray, number: int, n: int, m: int) -> Plan:
    """The plan of round `number` for these sizes, in a graph of n vertices and m entries."""
    k = len(sizes)
    first, count, quota = np.zeros((3, k), np.int64)
    out = Plan(quota, np.zeros(k, np.uint64), first, count, np.full(k, -1, np.int32), np.empty(k, np.int64))
    ranking = np.argsort(-sizes, kind="stable")
    placed = pair(sizes, ranking, number, np.empty((2, k), np.int64), out)
    set_hashes(sizes, number, n, m, out)
    return out._replace(sinks=out.sinks[:placed])


@njit(cache=True, nogil=True)
def pair(sizes: Any, ranking: Any, number: Any, ranks: Any, out: Any) -> Any:
    """Give sinks to sources, and return how many; `until` is what a source gives. `ranks` is scratch space."""
    k = sizes.size
    low, more = sizes.sum() // k, sizes.sum() % k
    sources, sinks = 0, 0
    for rank in range(k):
        if sizes[ranking[rank]] > low + (rank < more):
            ranks[0, sources] = rank
            sources += 1
    for rank in range(k - 1, -1, -1):
        if sizes[ranking[rank]] < low + (rank < more):
            ranks[1, sinks] = rank
            sinks += 1
    turn = number % max(sources, 1) if number > 1 and number % 2 else 0
    shift = number // 2 % max(sinks, 1) if number > 1 else 0
    front, back, placed, served = 0, sinks - 1, 0, 0
    while served < sources and front <= back:
        rank = ranks[0, (served + turn) % sources]
        c = ranking[rank]
        left = sizes[c] - low - (rank < more)
        out.first[c] = placed
        while left > 0 and front <= back and out.count[c] < SLOTS:
            rank = ranks[1, (front + shift) % sinks]
            if 2 * left >= low + (rank < more) - sizes[ranking[rank]]:
                front += 1
            else:
                rank = ranks[1, (back + shift) % sinks]
                back -= 1
            d = ranking[rank]
            out.quota[d] = min(left, low + (rank < more) - sizes[d])
            out.code[d] = c * SLOTS + out.count[c]
            out.sinks[placed] = d
            out.count[c] += 1
            out.until[c] += np.uint64(out.quota[d])
            left -= out.quota[d]
            placed += 1
        served += 1
    for j in range(placed):  # the last sinks of sources take more where other sources have none
        d = out.sinks[j]
        c = np.int64(out.code[d] // SLOTS)
        if served < sources and j == out.first[c] + out.count[c] - 1:
            extra = (sizes[c] - np.int64(out.until[c]) - sizes[d] - out.quota[d]) // 2
            extra = max(min(extra, low - sizes[d] - out.quota[d]), 0)
            out.quota[d] += extra
            out.until[c] += np.uint64(extra)
    return placed


@njit(cache=True, nogil=True)
def set_hashes(sizes: Any, number: Any, n: Any, m: Any, out: Any) -> None:
    """The hash, of 32 bits, below which a vertex of a source tries: a quarter more of them, and eight, than should do.

    That a vertex of degree x · n / size has no neighbor in the sink is taken for 1 / (1 + x + x² / 2), a little over
    exp(−x), for the emptiest of the sinks and the mean degree.
    """
    total = sizes.sum()
    for c in range(sizes.size):
        if out.count[c] == 0:
            continue
        emptiest = sizes[c]
        for d in out.sinks[out.first[c] : out.first[c] + out.count[c]]:
            emptiest = min(emptiest, sizes[d])
        x = min((emptiest << ONE) // total * m // n, MOST)
        each = (1 << ONE) + x + (x * x >> (ONE + 1))
        given = np.int64(out.until[c])
        wanted = given + given // 4 + 8 * (total // n + 1)
        share = min((wanted << ONE) // sizes[c] + 1, 1 << ONE)
        out.until[c] = np.uint64(min(share * each // 4 * (4 + number), 1 << 32))


def reached(sizes: np.ndarray, scaled: int) -> bool:
    """Whether the largest class is at most `scaled` / SCALE times the smallest, or at most 1 larger."""
    low, high = int(sizes.min()), int(sizes.max())
    return high - low <= 1 or high * SCALE <= low * scaled
