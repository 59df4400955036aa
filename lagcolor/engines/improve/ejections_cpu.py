"""Rounds of ejections on CPU threads; symbols as in ejections.py.

State: a weight above `half` bits (16; 32 for many colors), below it a code: color + 1, 0 for a vertex in the list,
k + 1 for one in `later`, which hinders no thread. Rows, and the states that they lead to, are prefetched.

Where a search saves all the colors that it can, the first thread leads. All threads share the passes over all vertices
and the rounds of long lists: each takes parts of the list, and all meet between proposing, contending and committing.
The leader takes the other rounds alone. Of several vertices that eject one neighbor, the thread that changes its state
first lists it. Progress: threads meet as often as the leader says, which says so before it ends, or fails; then the
others fail, too.

With a task (`task.py`) one thread has all rounds, and no vertex is put off. Then a vertex to which rules bar all colors
leaves the list, and the colors of the fewest vertices without one are kept.

What lost: leaving out vertices outside of the k-core, which always find a color after an ejection (as many reads);
searching a row for a color without branches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device import large_pages
from ...base.device.bits import mix32
from ...base.device.compiled import filled, inner, njit
from ...base.device.intrinsics import compare_and_swap, fetch_add, load_relaxed, prefetch, store_relaxed
from ...base.device.parallel import barrier, launch, parallel, share, slots
from . import task as rules
from .limits import A_VERTEX, FIRST, GAIN, HEAVIEST, KNEE, PAUSED, SAVED, STOPPED, Limits

ONE, WORD = np.uint64(1), np.uint64(32)
ONE32 = np.uint32(1)
CACHED = 1 << 15  # vertices whose states a cache holds
NEAR, AHEAD = 2, 6  # vertices between a prefetch and its use: of neighbors' states, of the row (twice that: offsets)
EJECTS, BESIDE, LOST = np.uint8(1), np.uint8(2), np.uint8(4)
LONG = 4  # a list that threads share
ENDLESS = 2**62
WIDE_FROM = 2**16 - 1  # colors from which codes, which go to k + 1, take 32 bits instead of 16
# Places of `at`: how many are in the list and in `later`; when the list was shorter than ever, in length, rounds, work;
# rounds and work; where the limits count from; which of the three lists is which; how many the next round has so far,
# and how many vertices have no color at all that rules allow.
# int64: numba compiles a function for each int that it is given as a constant, also for the 0 where a count begins.
HERE, LATER, FEWEST, SINCE, SPENT, ROUNDS, WORK, FROM_ROUNDS, FROM_WORK = np.arange(9)
HERE_IS, THERE_IS, LATER_IS, THERE, HOPELESS, PLACES = np.arange(9, 15)
# Places of `shared`: how often threads have met; what all do next (a step, its k and its noise), and how many colors
# are left; the next part of the list for each of three passes over it, a cache line apart.
MET, STEP, K, NOISE, LEFT, NEXT, SLOTS = 0, 8, 9, 10, 11, 16, 40
OPEN, ROUND, END = np.arange(3)
MANY = 512  # vertices of a list from which threads share a round
PART, PARTS = 256, 4  # vertices of a part at most, and parts for each thread otherwise
ROOM = 1024  # vertices that a thread keeps before it appends them to a list
LINE = 8


class EjectionState(NamedTuple):
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
    task: Any = None  # `EjectionTask`, optional: for one thread


def begin(graph: tuple[Any, Any], colors: np.ndarray, k: int, workers: int, task: Any = None) -> EjectionState:
    """These colors, under k or −1, the weights to begin with, and empty lists."""
    n, narrow = len(colors), k < WIDE_FROM
    half, state = np.uint64(16 if narrow else 32), large_pages(n, np.uint32 if narrow else np.uint64)
    lists, at = np.empty((3, n), np.uint32), filled(PLACES, 0, np.int64)
    at[HERE_IS : LATER_IS + 1] = 0, 1, 2
    scratch = np.empty(n, np.int32), lists, np.empty(n, np.uint8), np.empty(k + 2, np.uint32), at
    launch(weigh, workers, slots(0), graph[0], colors, state, half, np.int64(k), np.int64(workers))
    return EjectionState(*graph, state, half, *scratch, task)


@parallel
def weigh(t: Any, shared: Any, indptr: Any, colors: Any, state: Any, half: Any, k: Any, workers: Any) -> None:
    """Colors, and the weights to begin with: the share of thread t."""
    for v in share(t, workers, state.size):
        above = max(np.int64(indptr[v + ONE] - indptr[v]) - k + 3, 0)
        weight = min(max(above * min(above, KNEE) >> FIRST, 1), HEAVIEST)
        state[v] = (np.uint64(weight) << half) | np.uint64(colors[v] + 1)


def recolor(colors: np.ndarray, state: np.ndarray, half: np.uint64) -> None:
    """Other colors, the same weights."""
    bits = state.dtype.type(half)
    state >>= bits
    state <<= bits
    state |= (colors + 1).astype(state.dtype)


@njit(cache=True, nogil=True)
def open_color(w: Any, colors: Any, k: Any) -> None:
    """Take the colors from k on away, which `colors` keeps; who had them is listed, or in `later` (see `open_part`)."""
    begin_color(w.at, w.state.size)
    open_part(w, colors, k, np.empty((2, ROOM), np.uint32), np.int64(0), w.state.size)


@njit(cache=True, nogil=True, inline="always")
def begin_color(at: Any, n: Any) -> None:
    """No vertex is listed, and no list was ever shorter than the first one will be."""
    at[HERE], at[LATER], at[FEWEST], at[SINCE], at[SPENT] = 0, 0, n + 1, at[ROUNDS], at[WORK]


@inner()
def open_part(w: Any, colors: Any, k: Any, room: Any, first: Any, stop: Any) -> None:
    """`open_color` of some vertices: those with fewer than k neighbors go to `later`."""
    indptr, state, half, zero = w.indptr, w.state, w.half, np.int64(0)
    n_here = n_later = zero
    low, top = (ONE << half) - ONE, np.uint64(k)
    for v in range(np.uint64(first), np.uint64(stop)):  # a loop of its own, which LLVM turns into vectors
        colors[v] = np.int64(np.uint64(state[v]) & low) - 1
    for v in range(np.uint64(first), np.uint64(stop)):
        x = np.uint64(state[v])
        if x & low > top:
            x = (x >> half) << half
            if np.int64(indptr[v + ONE] - indptr[v]) < k:
                room[1, n_later] = v
                n_later += 1
                x |= top + ONE
            else:
                room[0, n_here] = v
                n_here += 1
            state[v] = x
            if max(n_here, n_later) == ROOM:
                append(w.at, w.lists, HERE_IS, HERE, room[0], n_here)
                append(w.at, w.lists, LATER_IS, LATER, room[1], n_later)
                n_here = n_later = zero
    append(w.at, w.lists, HERE_IS, HERE, room[0], n_here)
    append(w.at, w.lists, LATER_IS, LATER, room[1], n_later)


@inner(forceinline=True)
def append(at: Any, lists: Any, which: Any, length: Any, room: Any, count: Any) -> None:
    """Append the first of `room` to a list, whose number and length are at these places of `at`."""
    begin, out = fetch_add(at, np.uint64(length), np.int64(count)), at[which]
    for i in range(count):
        lists[out, begin + i] = room[i]


def public(state: np.ndarray, half: np.uint64) -> np.ndarray:
    """Colors, int32, −1 for none."""
    colors = (state & state.dtype.type((ONE << half) - ONE)).astype(np.int32)
    colors -= 1
    return colors


@njit(cache=True, nogil=True)
def save(w: Any, k: Any, salt: Any, limits: Any, pause: Any) -> Any:
    """Rounds until all vertices have colors below k (SAVED), a limit is reached (STOPPED), or so much work is done."""
    return rounds(w, k, salt, limits, pause, np.empty((2, ROOM), np.uint32), ENDLESS)


@njit(cache=True, nogil=True, inline="always")
def rounds(w: Any, k: Any, salt: Any, limits: Any, pause: Any, room: Any, many: Any) -> Any:
    """`save`, or until this number of vertices are listed (LONG)."""
    at = w.at
    while at[HERE] + at[LATER] > 0:
        if at[HERE] == 0:
            open_later(w)
        if at[HERE] + at[HOPELESS] < at[FEWEST]:
            at[WORK] += rules.keep(w.task, w)
            at[FEWEST], at[SINCE], at[SPENT] = at[HERE] + at[HOPELESS], at[ROUNDS], at[WORK]
        if at[ROUNDS] - at[FROM_ROUNDS] >= limits.rounds or at[ROUNDS] - at[SINCE] >= limits.stuck:
            return STOPPED
        if at[WORK] - at[FROM_WORK] > limits.work or at[WORK] - at[SPENT] > limits.stuck_work:
            return STOPPED
        if at[WORK] >= pause:
            return PAUSED
        if at[HERE] >= many:
            return LONG
        here, noise = w.lists[at[HERE_IS]][: at[HERE]], begin_round(at, salt)
        at[WORK] += propose(w, here, k, noise)
        contend(w, here, room[0], noise)
        commit(w, here, room, k)
        end_round(at)
    return SAVED


@njit(cache=True, nogil=True, inline="always")
def begin_round(at: Any, salt: Any) -> Any:
    """The next list is empty; returns the noise of the round."""
    at[WORK] += A_VERTEX * at[HERE]
    at[THERE] = 0
    return np.uint32(mix32(np.uint32(at[ROUNDS])) ^ np.uint32(salt))


@njit(cache=True, nogil=True, inline="always")
def end_round(at: Any) -> None:
    """The next list is the list."""
    at[HERE_IS], at[THERE_IS] = at[THERE_IS], at[HERE_IS]
    at[HERE] = at[THERE]
    at[ROUNDS] += 1


@njit(cache=True, nogil=True, inline="always")
def lead(
    w: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any, room: Any, shared: Any, workers: Any
) -> Any:  # fmt: skip
    """Save one color after the other of k, down to `least`; writes the colors, and returns how many are left."""
    many = MANY if workers > 1 else ENDLESS
    while True:
        goal = max(k - 1, least)
        begin_color(w.at, w.state.size)
        together(w, colors, room, shared, workers, OPEN, goal, np.uint32(0))
        if k == least or limits.listed * w.at[HERE] > limits.work - w.at[WORK]:
            return k
        did = LONG
        while did == LONG:
            did = rounds(w, goal, salt, limits, ENDLESS, room, many)
            if did == LONG:
                together(w, colors, room, shared, workers, ROUND, goal, begin_round(w.at, salt))
                end_round(w.at)
        if did != SAVED:
            return k
        k = goal


@inner()
def together(
    w: Any, colors: Any, room: Any, shared: Any, workers: Any, what: Any, k: Any, noise: Any
) -> None:  # fmt: skip
    """Let all threads do a step, and do the leader's part of it."""
    shared[STEP], shared[K], shared[NOISE] = what, k, noise
    for i in range(3):
        shared[NEXT + LINE * i] = 0
    if workers > 1:
        meet(shared, workers)
    step(w, colors, room, shared, workers, np.int64(0))


@inner()
def meet(shared: Any, workers: Any) -> None:
    """Wait for all threads: those who come see how often all have met, since one at least has not come yet."""
    barrier(shared, MET, (load_relaxed(shared, np.uint64(MET)) // workers + 1) * workers)


@njit(cache=True, nogil=True, inline="always")
def step(w: Any, colors: Any, room: Any, shared: Any, workers: Any, t: Any) -> None:
    """What thread t does of a step."""
    if shared[STEP] == OPEN:
        own = share(t, workers, w.state.size)
        open_part(w, colors, shared[K], room, np.int64(own.start), np.int64(own.stop))
    else:
        turn(w, shared[K], np.uint32(shared[NOISE]), room, shared, workers)
    if workers > 1:
        meet(shared, workers)


@parallel
def save_share(
    t: Any, shared: Any, state: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any, workers: Any
) -> None:  # fmt: skip
    """What thread t does: it leads, or follows."""
    w = with_own(state, state.flags, np.empty(k + 2, np.uint32))
    room = np.empty((2, ROOM), np.uint32)
    if t == 0:
        shared[LEFT] = lead(w, colors, k, least, salt, limits, room, shared, workers)
        shared[STEP] = END
        meet(shared, workers)
        return
    meet(shared, workers)
    while shared[STEP] != END:
        step(w, colors, room, shared, workers, t)
        meet(shared, workers)


def save_all(
    w: EjectionState, colors: np.ndarray, k: int, least: int, salt: int, limits: Limits, workers: int = 1
) -> int:  # fmt: skip
    """Save one color after the other of k, down to `least`, on threads: writes `colors`, returns how many are left."""
    shared = slots(SLOTS)
    launch(save_share, workers, shared, w, colors, k, least, salt, limits, workers)
    return int(shared[LEFT])


@njit(cache=True, nogil=True)
def save_alone(indptr: Any, indices: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any) -> Any:
    """The same in place on one thread with arrays of its own, for small graphs."""
    n, half = colors.size, np.uint64(16)
    state, wish, lists = np.empty(n, np.uint32), np.empty(n, np.int32), np.empty((3, n), np.uint32)
    flags, cost, at = np.empty(n, np.uint8), np.empty(k + 2, np.uint32), filled(PLACES, 0, np.int64)
    at[THERE_IS], at[LATER_IS] = 1, 2
    weigh(0, None, indptr, colors, state, half, k, 1)
    w = EjectionState(indptr, indices, state, half, wish, lists, flags, cost, at, None)
    room = np.empty((2, ROOM), np.uint32)
    while True:
        goal = max(k - 1, least)
        begin_color(at, n)
        open_part(w, colors, goal, room, np.int64(0), n)
        if k == least or limits.listed * at[HERE] > limits.work - at[WORK]:
            return k
        if rounds(w, goal, salt, limits, ENDLESS, room, ENDLESS) != SAVED:
            return k
        k = goal


@njit(cache=True, nogil=True, inline="always")
def open_later(w: Any) -> None:
    """List the vertices of `later`, which conflict with each other from now on."""
    at = w.at
    at[HERE_IS], at[LATER_IS] = at[LATER_IS], at[HERE_IS]
    at[HERE], at[LATER], at[FEWEST] = at[LATER], 0, w.state.size + 1
    for v in w.lists[at[HERE_IS]][: at[HERE]]:
        w.state[v] = (np.uint64(w.state[v]) >> w.half) << w.half


@inner()
def turn(w: Any, k: Any, noise: Any, room: Any, shared: Any, workers: Any) -> None:
    """A shared round: of each of its three passes the parts of the list that this thread takes."""
    size = np.int64(w.at[HERE])
    here, work, part = w.lists[w.at[HERE_IS]][:size], np.int64(0), min(PART, size // (PARTS * workers) + 1)
    for number in range(3):
        first = fetch_add(shared, np.uint64(NEXT + LINE * number), part)
        while first < size:
            stop = min(first + part, size)
            own = with_own(w, w.flags[first:stop], w.cost)
            if number == 0:
                work += propose(own, here[first:stop], k, noise)
            elif number == 1:
                contend(own, here[first:stop], room[0], noise)
            else:
                commit(own, here[first:stop], room, k)
            first = fetch_add(shared, np.uint64(NEXT + LINE * number), part)
        if number == 0:
            fetch_add(w.at, np.uint64(WORK), work)
        if number < 2:
            meet(shared, workers)


@inner()
def with_own(w: Any, flags: Any, cost: Any) -> Any:
    """The same with other flags, as of a part of the list, and costs."""
    return EjectionState(w.indptr, w.indices, w.state, w.half, w.wish, w.lists, flags, cost, w.at, w.task)


@njit(cache=True, nogil=True)
def propose(w: Any, here: Any, k: Any, noise: Any) -> Any:
    """Each listed vertex wishes for the color whose neighbors weigh least, from a random one on."""
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
        work += rules.restrict(w.task, w, v, k)
        least = cost[1]
        for j in range(2, k + 1):
            least = min(least, cost[j])
        if w.task is not None and least == rules.BARRED:  # it leaves the list for good
            w.wish[v], w.flags[i] = -1, LOST
            w.at[HOPELESS] += 1
            continue
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


@inner()
def contend(w: Any, here: Any, room: Any, noise: Any) -> None:
    """Of two neighbors with one wish, that with the smaller hash stays without a color, and in the list."""
    indptr, indices, state, wish, flags = w.indptr, w.indices, w.state, w.wish, w.flags
    lost = zero = np.int64(0)
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
                room[lost] = v
                lost += 1
                if lost == ROOM:
                    append(w.at, w.lists, THERE_IS, THERE, room, lost)
                    lost = zero
                break
    append(w.at, w.lists, THERE_IS, THERE, room, lost)


@inner()
def commit(w: Any, here: Any, room: Any, k: Any) -> None:
    """The others take their color and grow heavier where that ejects neighbors, who are listed."""
    indptr, indices, state, half, wish, flags = w.indptr, w.indices, w.state, w.half, w.wish, w.flags
    low, kind, zero = (ONE << half) - ONE, state.dtype.type, np.int64(0)
    listed = zero
    for i in range(here.size):
        if flags[i] == LOST:
            continue
        v = here[i]
        color = np.uint64(wish[v]) + ONE
        weight = np.uint64(state[v]) >> half
        if flags[i] & EJECTS == 0:
            store_relaxed(state, np.uint64(v), kind((weight << half) | color))
            enter(w.task, w, v, color)
            continue
        e, end = np.int64(indptr[v]), np.int64(indptr[v + ONE32])
        above = max(end - e - k + 3, 0)
        weight = min(weight + np.uint64(1 + (above * min(above, KNEE) >> GAIN)), np.uint64(HEAVIEST))
        store_relaxed(state, np.uint64(v), kind((weight << half) | color))
        while e < end:
            u = np.uint64(indices[e])
            x = load_relaxed(state, u)
            if np.uint64(x) & low == color and compare_and_swap(state, u, x, x ^ kind(color)):
                rules.leave(w.task, u, color)
                room[0, listed] = u
                listed += 1
                if listed == ROOM:
                    put_off(w, room, listed, k)
                    listed = zero
            e += 1
        enter(w.task, w, v, color)
    put_off(w, room, listed, k)


@inner()
def enter(task: Any, w: Any, v: Any, code: Any) -> None:
    """Vertex v has taken a color; the oldest vertices of a class of a task are ejected until v fits."""
    if task is None:
        return
    c = np.int64(code) - 1
    while task.tight and task.rules.room[c] < task.rules.weights[v] and task.oldest[c] >= 0:
        u = task.oldest[c]
        w.state[u] = (np.uint64(w.state[u]) >> w.half) << w.half
        rules.leave(task, u, code)
        w.lists[w.at[THERE_IS], w.at[THERE]] = u
        w.at[THERE] += 1
    task.rules.room[c] -= task.rules.weights[v]
    if task.tight:
        rules.link(task, v, c)


@inner(forceinline=True)
def put_off(w: Any, room: Any, listed: Any, k: Any) -> None:
    """Of the ejected, those with fewer than k neighbors go to `later`: apart, so that offsets can be prefetched."""
    indptr, state = w.indptr, w.state
    stay = n_later = np.int64(0)
    for i in range(listed):
        if i + AHEAD < listed:
            prefetch(indptr, np.uint64(room[0, i + AHEAD]))
        u = room[0, i]
        if w.task is None and np.int64(indptr[u + ONE32] - indptr[u]) < k:
            store_relaxed(state, np.uint64(u), state[u] | state.dtype.type(k + 1))
            room[1, n_later] = u
            n_later += 1
        else:
            room[0, stay] = u
            stay += 1
    append(w.at, w.lists, THERE_IS, THERE, room[0], stay)
    append(w.at, w.lists, LATER_IS, LATER, room[1], n_later)
