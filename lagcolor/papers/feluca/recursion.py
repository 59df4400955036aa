"""The recursion stage on a CPU: whoever has a color of a parent takes the next one, all at once, round after round.

=========  =====================================================================================
parents    neighbours of smaller id, at the head of a row
active     vertices that share their color with a parent, in order
colors     never −1 here: everyone has a color from the start
flags      which vertices conflict after a round; threads set, none clears meanwhile
=========  =====================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import threads as cpu_threads
from ...device.bits import mix32
from ...device.compiled import njit
from ...device.intrinsics import ctz64, store_relaxed
from ...orders.ties import seed_word
from ...result import Log
from .dag import Dag
from .options import Plan

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(64)
SWEEP = 8  # with over 1/8 of the vertices active, looking at every edge is cheaper than at those of the active


def recursion(D: Dag, plan: Plan, seed: int, log: Log, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Colors, and the vertices left in conflict when the plan says to switch: none where it never does."""
    n, indptr, indices = D.n, D.indptr.view(f"u{D.indptr.itemsize}"), D.indices.view(np.uint32)
    colors, flags = np.empty(n, np.int32), np.zeros(n, np.bool_)
    workers = cpu_threads.count(threads, D.m)
    parts = np.searchsorted(D.indptr, np.linspace(0, D.m, workers + 1)).astype(np.int64)
    parts[0], parts[-1] = 0, n
    word = np.uint32(seed_word(seed))
    cpu_threads.run(lambda t: draw(colors, word, plan.initial, parts[t], parts[t + 1]), workers)
    cpu_threads.run(lambda t: sweep(indptr, indices, colors, flags, parts[t], parts[t + 1]), workers)
    active, conflicts = np.flatnonzero(flags).astype(np.uint32), []
    before = n
    while True:
        conflicts.append(len(active))
        log.round(active=before, colored=before - len(active), conflicts=len(active))
        if not len(active) or plan.switches(n, conflicts):
            return colors, active
        before = len(active)
        drawn = np.uint32(word_of_round(int(word), len(conflicts) - 1))
        _round(indptr, indices, colors, flags, active, plan.length, drawn, parts, threads)
        active = np.flatnonzero(flags).astype(np.uint32)


def word_of_round(word: int, r: int) -> int:
    """What ids are hashed with to draw gaps after round r: another word each time, or who is alike stays alike."""
    return word ^ (0x9E3779B9 * (r + 1) & 0xFFFFFFFF)


def _round(
    indptr: Any, indices: Any, colors: Any, flags: Any, active: Any, length: int, word: Any, parts: Any,
    threads: int | None,
) -> None:  # fmt: skip
    """New colors for the active, then flags on those that conflict."""
    new = np.empty(len(active), np.int32)
    workers = cpu_threads.count(threads, 16 * len(active))
    ends = np.linspace(0, len(active), workers + 1).astype(np.int64)
    cpu_threads.run(lambda t: select(indptr, indices, colors, active, new, length, word, ends[t], ends[t + 1]), workers)
    colors[active] = new
    flags[:] = False
    if len(active) * SWEEP > len(colors):
        cpu_threads.run(lambda t: sweep(indptr, indices, colors, flags, parts[t], parts[t + 1]), len(parts) - 1)
    else:
        cpu_threads.run(lambda t: broadcast(indptr, indices, colors, flags, active, ends[t], ends[t + 1]), workers)


@njit(cache=True, nogil=True)
def draw(colors: Any, word: Any, size: Any, first: Any, stop: Any) -> None:
    """Initial colors: a hash of seed and id, scaled to the size of COLORS."""
    for v in range(first, stop):
        h = mix32(np.uint32(v) ^ word)
        colors[v] = np.int32(h * np.uint64(size) >> np.uint64(32))


@njit(cache=True, nogil=True)
def sweep(indptr: Any, indices: Any, colors: Any, flags: Any, first: Any, stop: Any) -> None:
    """Flag every vertex that has the color of a parent."""
    for v in range(np.uint32(first), np.uint32(stop)):
        own = colors[v]
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if u >= v:
                break
            if colors[u] == own:
                flags[v] = True
                break


@njit(cache=True, nogil=True)
def broadcast(indptr: Any, indices: Any, colors: Any, flags: Any, active: Any, first: Any, stop: Any) -> None:
    """The same where only `active` have changed: along each of their edges, the later end of a conflict is flagged."""
    for i in range(first, stop):
        v = active[i]
        own = colors[v]
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if colors[u] == own:
                store_relaxed(flags.view(np.uint8), np.uint64(max(u, v)), np.uint8(1))


@njit(cache=True, nogil=True)
def select(
    indptr: Any, indices: Any, colors: Any, active: Any, new: Any, length: Any, word: Any, first: Any, stop: Any
) -> None:
    """Top-down selection: a gap among the parents' colors, drawn by a hash, or the color after the greatest.

    `low` has a bit for each parents' color 0 … 63, `near` for each of the 64 around the vertex's own. NeighborColors
    shows all colors where `low` has all and they fit; else, where it is a whole word, those of `near` and, if these
    have no gap, of `low`; else, of those from the vertex's own on, the lowest `length` − 1 and the greatest.
    """
    for i in range(first, stop):
        v = active[i]
        own = np.uint64(colors[v])
        base = own - min(own, np.uint64(32))
        low = near = greatest = ZERO
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            u = indices[e]
            if u >= v:
                break
            c = np.uint64(colors[u])
            greatest = max(greatest, c)
            if c < WORD:
                low |= ONE << c
            if c - base < WORD:
                near |= ONE << (c - base)
        start = ZERO
        gaps = ~low & from_lowest(low)
        if greatest < WORD and popcount(low) <= length:
            gaps &= below(greatest)
        elif length < WORD:
            start = own
            seen = near >> (own - base)
            if popcount(seen) >= length:
                rest = seen
                for _ in range(length - 1):
                    rest &= rest - ONE
                seen ^= rest
                if greatest - own < WORD:
                    seen |= ONE << (greatest - own)
            gaps = ~seen & below(greatest - own) & below(WORD - (own - base))
        else:
            wanted = ~near & below(greatest - base)
            if low == ZERO:
                wanted &= from_lowest(near)
            elif ctz64(low) > base:
                wanted &= ~below(ctz64(low) - base)
            if wanted:
                gaps, start = wanted, base
        if gaps == ZERO:
            new[i] = np.int32(greatest + ONE)
            continue
        h = mix32(np.uint32(v) ^ word)
        for _ in range(h * np.uint64(popcount(gaps)) >> np.uint64(32)):
            gaps &= gaps - ONE
        new[i] = np.int32(start + ctz64(gaps))


@njit(cache=True, nogil=True)
def below(k: Any) -> Any:
    """The lowest k bits."""
    return (ONE << k) - ONE if k < WORD else ~ZERO


@njit(cache=True, nogil=True, inner=True)
def from_lowest(x: Any) -> Any:
    """The lowest set bit and all above; none of 0."""
    return ~((x & (~x + ONE)) - ONE) if x else ZERO


@njit(cache=True, nogil=True, inner=True)
def popcount(x: Any) -> Any:
    """Set bits of a word."""
    x -= (x >> ONE) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)
