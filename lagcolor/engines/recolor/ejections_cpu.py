"""Rounds of ejections on one core; symbols as in ejections.py.

State: a weight above `half` bits (16; 32 for many colors), below it a code: color + 1, 0 for a vertex in the list,
k + 1 for one in `later`, which hinders no thread. Rows, and the states that they lead to, are asked for ahead.

What lost: two threads with three barriers per round (twice as slow as one on a busy machine); leaving out
what is not in the k-core, of which ejected vertices find a color for sure (as many reads); searching a row for a color
without branches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device.bits import mix32
from ...device.compiled import njit
from ...device.intrinsics import prefetch

ONE, WORD = np.uint64(1), np.uint64(32)
ONE32 = np.uint32(1)
CACHED = 1 << 15  # vertices whose states a cache holds
NEAR, AHEAD = 2, 6  # vertices between a prefetch and its use: of neighbours' states, of the row (twice that: offsets)
EJECTS, BESIDE, LOST = np.uint8(1), np.uint8(2), np.uint8(4)
HEAVIEST = 65535  # for sums in 32 bits; past degree 65,535 weights count without their lower bits, and as odd
A_VERTEX = 8  # work of a listed vertex in a round, beside the entries of its row
KNEE, FIRST, GAIN = 128, 7, 9  # of d neighbours above k − 3, d · min(d, KNEE) / 2^FIRST weighs; / 2^GAIN is gained
SAVED, STOPPED, PAUSED = 1, 2, 3  # as in ejections.cu
ENDLESS = 2**62
# Places of `at`: how many are in the list and in `later`; when the list was shorter than ever, in length, rounds, work;
# rounds and work; where the limits count from; which of the three lists is which.
HERE, LATER, FEWEST, SINCE, SPENT, ROUNDS, WORK, FROM_ROUNDS, FROM_WORK, HERE_IS, THERE_IS, LATER_IS, PLACES = range(13)


class Walk(NamedTuple):
    """A graph, and what rounds change: symbols as in ejections.py; three lists, and `cost` has k + 2 places."""

    indptr: Any
    indices: Any
    state: Any
    half: Any
    wish: Any
    lists: Any
    flags: Any
    cost: Any
    at: Any


class Limits(NamedTuple):
    """What ends a search: rounds and work, and those since the list was shorter than ever; see `Rule`."""

    rounds: int
    stuck: int
    work: int
    stuck_work: int
    listed: int


@njit(cache=True, nogil=True)
def weigh(indptr: Any, colors: Any, state: Any, half: Any, k: Any) -> None:
    """Colors, and the weights to begin with."""
    for v in range(state.size):
        above = max(np.int64(indptr[v + 1] - indptr[v]) - k + 3, 0)
        weight = min(max(above * min(above, KNEE) >> FIRST, 1), HEAVIEST)
        state[v] = (np.uint64(weight) << half) | np.uint64(colors[v] + 1)


def recolor(colors: np.ndarray, state: np.ndarray, half: np.uint64) -> None:
    """Other colors, the same weights."""
    bits = state.dtype.type(half)
    state >>= bits
    state <<= bits
    state |= (colors + 1).astype(state.dtype)


@njit(cache=True, nogil=True)
def open_color(w: Any, k: Any) -> None:
    """Take the colors from k on away; who had them is listed, with fewer than k neighbours in `later`."""
    at, state, n_here, n_later = w.at, w.state, 0, 0
    here, later = w.lists[at[HERE_IS]], w.lists[at[LATER_IS]]
    low, top = (ONE << w.half) - ONE, np.uint64(k)
    for v in range(state.size):
        x = np.uint64(state[v])
        if x & low > top:
            x = (x >> w.half) << w.half
            if np.int64(w.indptr[v + 1] - w.indptr[v]) < k:
                later[n_later] = v
                n_later += 1
                x |= top + ONE
            else:
                here[n_here] = v
                n_here += 1
            state[v] = x
    at[HERE], at[LATER], at[FEWEST], at[SINCE], at[SPENT] = n_here, n_later, state.size + 1, at[ROUNDS], at[WORK]


def public(state: np.ndarray, half: np.uint64) -> np.ndarray:
    """Colors, int32, −1 for none."""
    colors = (state & state.dtype.type((ONE << half) - ONE)).astype(np.int32)
    colors -= 1
    return colors


@njit(cache=True, nogil=True)
def save(w: Any, k: Any, salt: Any, limits: Any, pause: Any) -> Any:
    """Rounds until all vertices have colors below k (SAVED), a limit is reached (STOPPED), or so much work is done."""
    at = w.at
    while at[HERE] + at[LATER] > 0:
        if at[HERE] == 0:
            open_later(w)
        if at[HERE] < at[FEWEST]:
            at[FEWEST], at[SINCE], at[SPENT] = at[HERE], at[ROUNDS], at[WORK]
        if at[ROUNDS] - at[FROM_ROUNDS] >= limits.rounds or at[ROUNDS] - at[SINCE] >= limits.stuck:
            return STOPPED
        if at[WORK] - at[FROM_WORK] > limits.work or at[WORK] - at[SPENT] > limits.stuck_work:
            return STOPPED
        if at[WORK] >= pause:
            return PAUSED
        turn(w, k, salt)
    return SAVED


@njit(cache=True, nogil=True)
def save_all(w: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any) -> Any:
    """Save one color after the other of k, down to `least`, in place; returns how many are left."""
    low = (ONE << w.half) - ONE
    while k > least:
        open_color(w, k - 1)
        if limits.listed * w.at[HERE] > limits.work - w.at[WORK]:
            return k
        if save(w, k - 1, salt, limits, ENDLESS) != SAVED:
            return k
        k -= 1
        for v in range(colors.size):
            colors[v] = np.int64(np.uint64(w.state[v]) & low) - 1
    return k


@njit(cache=True, nogil=True)
def save_alone(indptr: Any, indices: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any) -> Any:
    """The same with arrays of its own, for small graphs."""
    n, half = colors.size, np.uint64(16)
    state, wish, lists = np.empty(n, np.uint32), np.empty(n, np.int32), np.empty((3, n), np.uint32)
    flags, cost, at = np.empty(n, np.uint8), np.empty(k + 2, np.uint32), np.zeros(PLACES, np.int64)
    at[THERE_IS], at[LATER_IS] = 1, 2
    weigh(indptr, colors, state, half, k)
    return save_all(Walk(indptr, indices, state, half, wish, lists, flags, cost, at), colors, k, least, salt, limits)


@njit(cache=True, nogil=True)
def open_later(w: Any) -> None:
    """List those of `later`, which are in each other's way from now on."""
    at = w.at
    at[HERE_IS], at[LATER_IS] = at[LATER_IS], at[HERE_IS]
    at[HERE], at[LATER], at[FEWEST] = at[LATER], 0, w.state.size + 1
    for v in w.lists[at[HERE_IS]][: at[HERE]]:
        w.state[v] = (np.uint64(w.state[v]) >> w.half) << w.half


@njit(cache=True, nogil=True)
def turn(w: Any, k: Any, salt: Any) -> None:
    """A round."""
    at = w.at
    here, there, later = w.lists[at[HERE_IS]][: at[HERE]], w.lists[at[THERE_IS]], w.lists[at[LATER_IS]]
    noise = np.uint32(mix32(np.uint32(at[ROUNDS])) ^ np.uint32(salt))
    at[WORK] += A_VERTEX * here.size + propose(w, here, k, noise)
    lost = contend(w, here, there, noise)
    at[HERE], at[LATER] = put_off(w, there, later, lost, commit(w, here, there, lost, k), at[LATER], k)
    at[HERE_IS], at[THERE_IS] = at[THERE_IS], at[HERE_IS]
    at[ROUNDS] += 1


@njit(cache=True, nogil=True)
def propose(w: Any, here: Any, k: Any, noise: Any) -> Any:
    """Each listed vertex wishes for the color whose neighbours weigh least, from a random one on."""
    indptr, indices, state, cost = w.indptr, w.indices, w.state, w.cost
    work, n_here = 0, here.size
    low, colors, far = (ONE << w.half) - ONE, np.uint64(k), state.size > CACHED
    for i in range(n_here):
        if i + 2 * AHEAD < n_here:
            prefetch(indptr, np.uint64(here[i + 2 * AHEAD]))
        if i + AHEAD < n_here:
            start = np.uint64(indptr[here[i + AHEAD]])
            prefetch(indices, start)
            prefetch(indices, start + np.uint64(16))
        if far and i + NEAR < n_here:
            v = here[i + NEAR]
            e, end = indptr[v], indptr[v + ONE32]
            while e < end:
                prefetch(state, np.uint64(indices[e]))
                e += ONE32
        v = here[i]
        e, end = indptr[v], indptr[v + ONE32]
        work += end - e
        shift = w.half + np.uint64(too_many(end - e))
        odd = np.uint32(shift > w.half)  # no weight may vanish
        for j in range(k + 2):
            cost[j] = 0
        while e < end:
            x = np.uint64(state[indices[e]])
            cost[x & low] += np.uint32(x >> shift) | odd
            e += ONE32
        least = cost[1]
        for j in range(2, k + 1):
            least = min(least, cost[j])
        best = np.uint64((mix32(np.uint32(v ^ noise)) * colors) >> WORD)
        while cost[best + ONE] != least:
            best += ONE
            if best == colors:
                best = np.uint64(0)
        w.wish[v] = best
        w.flags[i] = (EJECTS if cost[best + ONE] != 0 else 0) | (BESIDE if cost[0] != 0 else 0)
    return work


@njit(cache=True, nogil=True, inline="always")
def too_many(degree: Any) -> Any:
    """Bits to drop from weights so that a sum of them fits 32."""
    bits = 0
    while degree >> bits >= 65536:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def contend(w: Any, here: Any, there: Any, noise: Any) -> Any:
    """Of two neighbours with one wish, that with the smaller hash stays without a color, and in the list."""
    indptr, indices, state, wish, flags = w.indptr, w.indices, w.state, w.wish, w.flags
    lost = 0
    low = (ONE << w.half) - ONE
    for i in range(here.size):
        if flags[i] & BESIDE == 0:
            continue
        v = here[i]
        wanted, h = wish[v], mix32(np.uint32(v ^ noise))
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if np.uint64(state[u]) & low == 0 and wish[u] == wanted and mix32(np.uint32(u ^ noise)) > h:
                flags[i] = LOST
                there[lost] = v
                lost += 1
                break
    return lost


@njit(cache=True, nogil=True)
def commit(w: Any, here: Any, there: Any, listed: Any, k: Any) -> Any:
    """The others take their color and grow heavier where that ejects neighbours, who are listed."""
    indptr, indices, state, half, wish, flags = w.indptr, w.indices, w.state, w.half, w.wish, w.flags
    low = (ONE << half) - ONE
    for i in range(here.size):
        if flags[i] == LOST:
            continue
        v = here[i]
        color = np.uint64(wish[v]) + ONE
        weight = np.uint64(state[v]) >> half
        if flags[i] & EJECTS == 0:
            state[v] = (weight << half) | color
            continue
        e, end = np.int64(indptr[v]), np.int64(indptr[v + ONE32])
        above = max(end - e - k + 3, 0)
        weight = min(weight + np.uint64(1 + (above * min(above, KNEE) >> GAIN)), np.uint64(HEAVIEST))
        state[v] = (weight << half) | color
        while e < end:
            u = indices[e]
            x = np.uint64(state[u])
            if x & low == color:
                state[u] = x ^ color
                there[listed] = u
                listed += 1
            e += 1
    return listed


@njit(cache=True, nogil=True)
def put_off(w: Any, there: Any, later: Any, lost: Any, listed: Any, n_later: Any, k: Any) -> Any:
    """Of the ejected, those with fewer than k neighbours go to `later`: apart, so that offsets can be asked for."""
    indptr, state = w.indptr, w.state
    stay = lost
    for i in range(lost, listed):
        if i + AHEAD < listed:
            prefetch(indptr, np.uint64(there[i + AHEAD]))
        u = there[i]
        if np.int64(indptr[u + ONE32] - indptr[u]) < k:
            state[u] |= state.dtype.type(k + 1)
            later[n_later] = u
            n_later += 1
        else:
            there[stay] = u
            stay += 1
    return stay, n_later
