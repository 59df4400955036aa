"""Rounds of ejections on CPU threads; symbols as in ejections.py.

State: a weight in the bits from `half` on (16; 32 for many colors), and a code in the bits below: color + 1, 0 for a
vertex in the list, k + 1 for a vertex in `later`, which blocks no color. Rows and neighbors' states are prefetched.

In a search that saves as many colors as possible, the first thread is the leader. All threads share the passes over all
vertices and the rounds of long lists: each thread takes parts of the list, and all wait for each other between
`propose`, `contend` and `commit`. The leader does the other rounds alone. If several vertices eject one neighbor, the
thread that changes its state first lists it. Progress: the leader announces each step, and its end; if a thread fails,
the others fail, too.

With a task (`task.py`) one thread does all rounds, and `later` is not used. A vertex to which the rules bar all colors
leaves the list, and the best coloring (with the fewest uncolored vertices) is stored.

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
CACHED = 1 << 15  # number of vertices whose states fit into a cache
NEAR, AHEAD = 2, 6  # vertices between a prefetch and its use: neighbors' states; rows (offsets: twice AHEAD)
EJECTS, ADJACENT, LOST = np.uint8(1), np.uint8(2), np.uint8(4)  # flags, as in ejections.cuh
LONG = 4  # status: the list is so long that threads share the round
ENDLESS = 2**62
WIDE_FROM = 2**16 - 1  # from this number of colors on, codes (up to k + 1) need 32 bits instead of 16
# Indices of `at`. Lengths of the list and of `later`; the shortest length so far, and the rounds and work at that time;
# rounds and work so far, and at the start of the limits; the index in `lists` of each of the three lists; the length of
# the next list; the number of vertices to which the rules allow no color.
# int64: numba would compile a function for each int constant, also for the 0 where a count begins.
HERE, LATER, FEWEST, SINCE, SPENT, ROUNDS, WORK, FROM_ROUNDS, FROM_WORK = np.arange(9)
HERE_IS, THERE_IS, LATER_IS, THERE, HOPELESS, PLACES = np.arange(9, 15)
# Indices of `shared`. Count of the barrier; the next step, its k and its noise; the final number of colors; the next
# part of the list for each of the three passes over it, a cache line apart.
MET, STEP, K, NOISE, LEFT, NEXT, SLOTS = 0, 8, 9, 10, 11, 16, 40
OPEN, ROUND, END = np.arange(3)
MANY = 512  # threads share a round if the list has this number of vertices or more
PART, PARTS = 256, 4  # maximum number of vertices of a part; parts per thread for shorter lists
BUFFER = 1024  # vertices that a thread collects before it appends them to a list
LINE = 8


class EjectionState(NamedTuple):
    """A graph and the arrays that rounds change; symbols as in ejections.py. `cost` has k + 2 entries, one per code."""

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
    """Return the state for these colors (−1 or below k): initial weights, empty lists."""
    n, narrow = len(colors), k < WIDE_FROM
    half, state = np.uint64(16 if narrow else 32), large_pages(n, np.uint32 if narrow else np.uint64)
    lists, at = np.empty((3, n), np.uint32), filled(PLACES, 0, np.int64)
    at[HERE_IS : LATER_IS + 1] = 0, 1, 2
    scratch = np.empty(n, np.int32), lists, np.empty(n, np.uint8), np.empty(k + 2, np.uint32), at
    launch(weigh, workers, slots(0), graph[0], colors, state, half, np.int64(k), np.int64(workers))
    return EjectionState(*graph, state, half, *scratch, task)


@parallel
def weigh(t: Any, shared: Any, indptr: Any, colors: Any, state: Any, half: Any, k: Any, workers: Any) -> None:
    """Write colors and initial weights to `state`: the share of thread t."""
    for v in share(t, workers, state.size):
        above = max(np.int64(indptr[v + ONE] - indptr[v]) - k + 3, 0)
        weight = min(max(above * min(above, KNEE) >> FIRST, 1), HEAVIEST)
        state[v] = (np.uint64(weight) << half) | np.uint64(colors[v] + 1)


def recolor(colors: np.ndarray, state: np.ndarray, half: np.uint64) -> None:
    """Replace the colors in `state`; the weights do not change."""
    bits = state.dtype.type(half)
    state >>= bits
    state <<= bits
    state |= (colors + 1).astype(state.dtype)


@njit(cache=True, nogil=True)
def open_color(w: Any, colors: Any, k: Any) -> None:
    """Save the coloring in `colors`, remove the colors from k on, and list the vertices that had them."""
    begin_color(w.at, w.state.size)
    open_part(w, colors, k, np.empty((2, BUFFER), np.uint32), np.int64(0), w.state.size)


@njit(cache=True, nogil=True, inline="always")
def begin_color(at: Any, n: Any) -> None:
    """Reset the lists and the length of the shortest list."""
    at[HERE], at[LATER], at[FEWEST], at[SINCE], at[SPENT] = 0, 0, n + 1, at[ROUNDS], at[WORK]


@inner()
def open_part(w: Any, colors: Any, k: Any, buffer: Any, first: Any, stop: Any) -> None:
    """Do `open_color` for a range of vertices. Vertices with fewer than k neighbors go to `later`."""
    indptr, state, half, block = w.indptr, w.state, w.half, np.uint64(BUFFER)
    low, top = (ONE << half) - ONE, np.uint64(k)
    for v in range(np.uint64(first), np.uint64(stop)):  # a separate loop, which LLVM vectorizes
        colors[v] = np.int64(np.uint64(state[v]) & low) - 1
    for begin in range(np.uint64(first), np.uint64(stop), block):
        n_here = n_later = np.int64(0)
        for v in range(begin, min(begin + block, np.uint64(stop))):
            x = np.uint64(state[v])
            if x & low > top:
                x = (x >> half) << half
                if np.int64(indptr[v + ONE] - indptr[v]) < k:
                    buffer[1, n_later] = v
                    n_later += 1
                    x |= top + ONE
                else:
                    buffer[0, n_here] = v
                    n_here += 1
                state[v] = x
        append(w.at, w.lists, HERE_IS, HERE, buffer[0], n_here)
        append(w.at, w.lists, LATER_IS, LATER, buffer[1], n_later)


@inner(forceinline=True)
def append(at: Any, lists: Any, which: Any, length: Any, buffer: Any, count: Any) -> None:
    """Append the first `count` vertices of `buffer` to a list; `which` and `length` are its indices in `at`."""
    begin, out = fetch_add(at, np.uint64(length), np.int64(count)), at[which]
    for i in range(count):
        lists[out, begin + i] = buffer[i]


def colors_of(state: np.ndarray, half: np.uint64) -> np.ndarray:
    """Return the colors, int32; −1 without a color."""
    colors = (state & state.dtype.type((ONE << half) - ONE)).astype(np.int32)
    colors -= 1
    return colors


@njit(cache=True, nogil=True)
def save(w: Any, k: Any, salt: Any, limits: Any, pause: Any) -> Any:
    """Run rounds until all colors are below k (SAVED), a limit is reached (STOPPED) or the work is `pause` (PAUSED)."""
    return rounds(w, k, salt, limits, pause, np.empty((2, BUFFER), np.uint32), ENDLESS)


@njit(cache=True, nogil=True, inline="always")
def rounds(w: Any, k: Any, salt: Any, limits: Any, pause: Any, buffer: Any, many: Any) -> Any:
    """Do `save`, but stop if `many` or more vertices are listed (LONG)."""
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
        contend(w, here, buffer[0], noise)
        commit(w, here, buffer, k)
        end_round(at)
    return SAVED


@njit(cache=True, nogil=True, inline="always")
def begin_round(at: Any, salt: Any) -> Any:
    """Empty the next list; return the noise of the round."""
    at[WORK] += A_VERTEX * at[HERE]
    at[THERE] = 0
    return np.uint32(mix32(np.uint64(np.uint32(at[ROUNDS]))) ^ np.uint32(salt))


@njit(cache=True, nogil=True, inline="always")
def end_round(at: Any) -> None:
    """Make the next list the present one."""
    at[HERE_IS], at[THERE_IS] = at[THERE_IS], at[HERE_IS]
    at[HERE] = at[THERE]
    at[ROUNDS] += 1


@njit(cache=True, nogil=True, inline="always")
def lead(
    w: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any, buffer: Any, shared: Any, workers: Any
) -> Any:  # fmt: skip
    """Save one color at a time, from k down to `least`; write the colors and return their number. For the leader."""
    many = MANY if workers > 1 else ENDLESS
    while True:
        goal = max(k - 1, least)
        begin_color(w.at, w.state.size)
        run_step(w, colors, buffer, shared, workers, OPEN, goal, np.uint32(0))
        if k == least or limits.listed * w.at[HERE] > limits.work - w.at[WORK]:
            return k
        did = LONG
        while did == LONG:
            did = rounds(w, goal, salt, limits, ENDLESS, buffer, many)
            if did == LONG:
                run_step(w, colors, buffer, shared, workers, ROUND, goal, begin_round(w.at, salt))
                end_round(w.at)
        if did != SAVED:
            return k
        k = goal


@inner()
def run_step(
    w: Any, colors: Any, buffer: Any, shared: Any, workers: Any, what: Any, k: Any, noise: Any
) -> None:  # fmt: skip
    """Start a step on all threads, and do the leader's part of it."""
    shared[STEP], shared[K], shared[NOISE] = what, k, noise
    for i in range(3):
        shared[NEXT + LINE * i] = 0
    if workers > 1:
        meet(shared, workers)
    step(w, colors, buffer, shared, workers, np.int64(0))


@inner()
def meet(shared: Any, workers: Any) -> None:
    """Wait for all threads. On arrival the count gives the number of earlier meetings, as this one is not complete."""
    barrier(shared, MET, (load_relaxed(shared, np.uint64(MET)) // workers + 1) * workers)


@njit(cache=True, nogil=True, inline="always")
def step(w: Any, colors: Any, buffer: Any, shared: Any, workers: Any, t: Any) -> None:
    """Do the part of thread t in a step."""
    if shared[STEP] == OPEN:
        own = share(t, workers, w.state.size)
        open_part(w, colors, shared[K], buffer, np.int64(own.start), np.int64(own.stop))
    else:
        share_round(w, shared[K], np.uint32(shared[NOISE]), buffer, shared, workers)
    if workers > 1:
        meet(shared, workers)


@parallel
def save_share(
    t: Any, shared: Any, state: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any, workers: Any
) -> None:  # fmt: skip
    """Run thread t: the leader (0), or a loop over the steps that the leader announces."""
    w = with_own(state, state.flags, np.empty(k + 2, np.uint32))
    buffer = np.empty((2, BUFFER), np.uint32)
    if t == 0:
        shared[LEFT] = lead(w, colors, k, least, salt, limits, buffer, shared, workers)
        shared[STEP] = END
        meet(shared, workers)
        return
    meet(shared, workers)
    while shared[STEP] != END:
        step(w, colors, buffer, shared, workers, t)
        meet(shared, workers)


def save_all(
    w: EjectionState, colors: np.ndarray, k: int, least: int, salt: int, limits: Limits, workers: int = 1
) -> int:  # fmt: skip
    """Save one color at a time on threads, from k down to `least`; write `colors` and return the number of colors."""
    shared = slots(SLOTS)
    launch(save_share, workers, shared, w, colors, k, least, salt, limits, workers)
    return int(shared[LEFT])


@njit(cache=True, nogil=True)
def save_alone(indptr: Any, indices: Any, colors: Any, k: Any, least: Any, salt: Any, limits: Any) -> Any:
    """Save one color at a time, from k down to `least`, in place on one thread; return the number of colors."""
    n, half = colors.size, np.uint64(16)
    state, wish, lists = np.empty(n, np.uint32), np.empty(n, np.int32), np.empty((3, n), np.uint32)
    flags, cost, at = np.empty(n, np.uint8), np.empty(k + 2, np.uint32), filled(PLACES, 0, np.int64)
    at[THERE_IS], at[LATER_IS] = 1, 2
    weigh(0, None, indptr, colors, state, half, k, 1)
    w = EjectionState(indptr, indices, state, half, wish, lists, flags, cost, at, None)
    buffer = np.empty((2, BUFFER), np.uint32)
    while True:
        goal = max(k - 1, least)
        begin_color(at, n)
        open_part(w, colors, goal, buffer, np.int64(0), n)
        if k == least or limits.listed * at[HERE] > limits.work - at[WORK]:
            return k
        if rounds(w, goal, salt, limits, ENDLESS, buffer, ENDLESS) != SAVED:
            return k
        k = goal


@njit(cache=True, nogil=True, inline="always")
def open_later(w: Any) -> None:
    """Make `later` the list; from now on its vertices conflict with each other."""
    at = w.at
    at[HERE_IS], at[LATER_IS] = at[LATER_IS], at[HERE_IS]
    at[HERE], at[LATER], at[FEWEST] = at[LATER], 0, w.state.size + 1
    for v in w.lists[at[HERE_IS]][: at[HERE]]:
        w.state[v] = (np.uint64(w.state[v]) >> w.half) << w.half


@inner()
def share_round(w: Any, k: Any, noise: Any, buffer: Any, shared: Any, workers: Any) -> None:
    """Do the part of a thread in a shared round: it takes parts of the list in each of the three passes."""
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
                contend(own, here[first:stop], buffer[0], noise)
            else:
                commit(own, here[first:stop], buffer, k)
            first = fetch_add(shared, np.uint64(NEXT + LINE * number), part)
        if number == 0:
            fetch_add(w.at, np.uint64(WORK), work)
        if number < 2:
            meet(shared, workers)


@inner()
def with_own(w: Any, flags: Any, cost: Any) -> Any:
    """Return the state with other `flags` (for a part of the list) and `cost`."""
    return EjectionState(w.indptr, w.indices, w.state, w.half, w.wish, w.lists, flags, cost, w.at, w.task)


@inner()
def propose(w: Any, here: Any, k: Any, noise: Any) -> Any:
    """Choose a wish for each listed vertex: the color whose neighbors weigh least, searching from a random one on."""
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
        odd = np.uint32(shift > w.half)  # so that no weight becomes 0
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
        if w.task is not None and least == rules.BARRED:  # leaves the list permanently
            w.wish[v], w.flags[i] = -1, LOST
            w.at[HOPELESS] += 1
            continue
        best = np.uint64((mix32(v ^ noise) * colors) >> WORD)
        while cost[best + ONE] != least:
            best += ONE
            if best == colors:
                best = np.uint64(0)
        w.wish[v] = best
        w.flags[i] = (EJECTS if cost[best + ONE] != 0 else 0) | (ADJACENT if cost[0] != 0 else 0)
    return work


@njit(cache=True, nogil=True, inline="always")
def too_many(degree: Any) -> Any:
    """Return the number of bits to drop from weights so that their sum fits into 32 bits."""
    bits = 0
    while degree >> bits >= 65536:
        bits += 1
    return bits


@inner()
def contend(w: Any, here: Any, buffer: Any, noise: Any) -> None:
    """Resolve equal wishes: of two neighbors, the vertex with the smaller hash stays in the list, without a color."""
    indptr, indices, state, wish, flags = w.indptr, w.indices, w.state, w.wish, w.flags
    lost = zero = np.int64(0)
    low = (ONE << w.half) - ONE
    for i in range(here.size):
        if flags[i] & ADJACENT == 0:
            continue
        v = here[i]
        wanted, h = wish[v], mix32(v ^ noise)
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if np.uint64(state[u]) & low == 0 and wish[u] == wanted and mix32(u ^ noise) > h:
                flags[i] = LOST
                buffer[lost] = v
                lost += 1
                if lost == BUFFER:
                    append(w.at, w.lists, THERE_IS, THERE, buffer, lost)
                    lost = zero
                break
    append(w.at, w.lists, THERE_IS, THERE, buffer, lost)


@inner()
def commit(w: Any, here: Any, buffer: Any, k: Any) -> None:
    """Color the other vertices. Eject and list the neighbors of that color; the weight of the vertex grows then."""
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
                buffer[0, listed] = u
                listed += 1
                if listed == BUFFER:
                    list_ejected(w, buffer, listed, k)
                    listed = zero
            e += 1
        enter(w.task, w, v, color)
    list_ejected(w, buffer, listed, k)


@inner()
def enter(task: Any, w: Any, v: Any, code: Any) -> None:
    """Add v to a class of the task: eject the oldest vertices of the class until v fits."""
    if task is None:
        return
    c = np.int64(code) - 1
    while task.tight and task.rules.spare[c] < task.rules.weights[v] and task.oldest[c] >= 0:
        u = task.oldest[c]
        w.state[u] = (np.uint64(w.state[u]) >> w.half) << w.half
        rules.leave(task, u, code)
        w.lists[w.at[THERE_IS], w.at[THERE]] = u
        w.at[THERE] += 1
    task.rules.spare[c] -= task.rules.weights[v]
    if task.tight:
        rules.link(task, v, c)


@inner()
def list_ejected(w: Any, buffer: Any, listed: Any, k: Any) -> None:
    """Add ejected vertices to `later` if they have fewer than k neighbors, else to the next list; prefetch offsets."""
    indptr, state = w.indptr, w.state
    stay = n_later = np.int64(0)
    for i in range(listed):
        if i + AHEAD < listed:
            prefetch(indptr, np.uint64(buffer[0, i + AHEAD]))
        u = buffer[0, i]
        if w.task is None and np.int64(indptr[u + ONE32] - indptr[u]) < k:
            store_relaxed(state, np.uint64(u), state[u] | state.dtype.type(k + 1))
            buffer[1, n_later] = u
            n_later += 1
        else:
            buffer[0, stay] = u
            stay += 1
    append(w.at, w.lists, THERE_IS, THERE, buffer[0], stay)
    append(w.at, w.lists, LATER_IS, LATER, buffer[1], n_later)
