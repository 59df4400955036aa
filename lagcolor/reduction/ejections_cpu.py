"""Rounds of ejections on one core; symbols as in ejections.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..intrinsics import prefetch

ONE, TWO = np.uint64(1), np.uint64(2)
ONE32 = np.uint32(1)
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
AHEAD = 4  # vertices between a prefetch of a row and its use
EJECTS, BESIDE, LOST = np.uint8(1), np.uint8(2), np.uint8(4)


@njit(cache=True, nogil=True)
def open_color(indptr: Any, state: Any, wish: Any, here: Any, later: Any, k: Any) -> Any:
    """Take the colors from k on away; who had them goes to `here`, with fewer than k neighbours to `later`."""
    n_here, n_later = 0, 0
    for v in range(state.size):
        if state[v] & LOW_HALF > np.uint64(k):
            state[v] &= ~LOW_HALF
            wish[v] = -1
            if np.int64(indptr[v + 1] - indptr[v]) < k:
                later[n_later] = v
                n_later += 1
            else:
                here[n_here] = v
                n_here += 1
    return n_here, n_later


@njit(cache=True, nogil=True)
def public(state: Any) -> Any:
    """Colors, int32, −1 for none."""
    colors = np.empty(state.size, np.int32)
    for v in range(state.size):
        colors[v] = np.int32(state[v] & LOW_HALF) - np.int32(1)
    return colors


@njit(cache=True, nogil=True)
def rounds(
    indptr: Any, indices: Any, state: Any, wish: Any, here: Any, there: Any, later: Any, sizes: Any, flags: Any,
    k: Any, salt: Any, first: Any, most: Any, gain: Any, heaviest: Any,
) -> Any:  # fmt: skip
    """Rounds first, first + 1 … until nobody is left, at most so many; returns the entries read, and how many rounds.

    `sizes` holds the lengths of `here` and `later`, before and after; an odd number of rounds leaves the list in
    `there`.
    """
    cost = np.empty(k + 1, np.uint32)
    work, ran = 0, 0
    while ran < most and sizes[0] > 0:
        n_here = sizes[0]
        sizes[0] = 0
        noise = np.uint32(hash32(np.uint32(first + ran)) ^ np.uint32(salt))
        work += propose(indptr, indices, state, wish, here, n_here, flags, cost, k, noise)
        contend(indptr, indices, state, wish, here, n_here, flags, there, sizes, noise)
        commit(indptr, indices, state, wish, here, n_here, flags, there, later, sizes, k, gain, heaviest)
        here, there = there, here
        ran += 1
    return work, ran


@njit(cache=True, nogil=True, inline="always")
def hash32(x: Any) -> Any:
    """Murmur3's finalizer: a bijection of 32 bits."""
    x = np.uint32((x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B))  # numba multiplies in 64 bits
    x = np.uint32((x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(x ^ (x >> np.uint32(16)))


@njit(cache=True, nogil=True)
def propose(
    indptr: Any, indices: Any, state: Any, wish: Any, here: Any, n_here: Any, flags: Any, cost: Any, k: Any, noise: Any
) -> Any:
    """Each listed vertex wishes for the color whose neighbours weigh least, from a random one on."""
    work = 0
    for i in range(n_here):
        if i + AHEAD < n_here:
            start = np.uint64(indptr[here[i + AHEAD]])
            prefetch(indices, start)
            prefetch(indices, start + np.uint64(16))
        v = here[i]
        e, end = indptr[v], indptr[v + ONE32]
        work += end - e
        shift = HALF + np.uint64(too_many(end - e))
        odd = np.uint32(shift > HALF)  # no weight may vanish
        cost[:] = 0
        while e < end:
            x = state[indices[e]]
            cost[x & LOW_HALF] += np.uint32(x >> shift) | odd
            e += ONE32
        h = hash32(np.uint32(v ^ noise))
        start = (np.uint64(h) * np.uint64(k)) >> HALF
        best = np.uint64(start)
        c = start
        while cost[best + ONE] != 0:
            c += ONE
            if c == np.uint64(k):
                c = np.uint64(0)
            if c == start:
                break
            if cost[c + ONE] < cost[best + ONE]:
                best = c
        wish[v] = best
        flags[i] = (EJECTS if cost[best + ONE] != 0 else 0) | (BESIDE if cost[0] != 0 or shift > HALF else 0)
    return work


@njit(cache=True, nogil=True, inline="always")
def too_many(degree: Any) -> Any:
    """Bits to drop from weights so that a sum of them fits 32."""
    bits = 0
    while degree >> bits >= 65536:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def contend(
    indptr: Any, indices: Any, state: Any, wish: Any, here: Any, n_here: Any, flags: Any, there: Any, sizes: Any,
    noise: Any,
) -> None:  # fmt: skip
    """Of two neighbours with one wish, that with the smaller hash stays without a color, and in the list."""
    for i in range(n_here):
        if flags[i] & BESIDE == 0:
            continue
        v = here[i]
        mine, h = wish[v], hash32(np.uint32(v ^ noise))
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if state[u] & LOW_HALF == 0 and wish[u] == mine and hash32(np.uint32(u ^ noise)) > h:
                flags[i] = LOST
                there[sizes[0]] = v
                sizes[0] += 1
                break


@njit(cache=True, nogil=True)
def commit(
    indptr: Any, indices: Any, state: Any, wish: Any, here: Any, n_here: Any, flags: Any, there: Any, later: Any,
    sizes: Any, k: Any, gain: Any, heaviest: Any,
) -> None:  # fmt: skip
    """The others take their color and grow heavier where that ejects neighbours, who join a list."""
    for i in range(n_here):
        if flags[i] == LOST:
            continue
        v = here[i]
        color = np.uint64(wish[v]) + ONE
        state[v] |= color
        if flags[i] & EJECTS == 0:
            continue
        e, end = np.int64(indptr[v]), np.int64(indptr[v + ONE32])
        weight = min((state[v] >> HALF) + np.uint64(1 + max(end - e - k + 2, 0) // gain), np.uint64(heaviest))
        state[v] = weight << HALF | color
        while e < end:
            u = indices[e]
            x = state[u]
            if x & LOW_HALF == color:
                state[u] = x ^ color
                wish[u] = -1
                if np.int64(indptr[u + ONE32] - indptr[u]) < k:
                    later[sizes[1]] = u
                    sizes[1] += 1
                else:
                    there[sizes[0]] = u
                    sizes[0] += 1
            e += 1
