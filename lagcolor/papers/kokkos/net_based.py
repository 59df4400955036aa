"""Speculative coloring at distance 2 by nets (Kokkos Kernels, COLORING_D2_NB_BIT).

Each net keeps the colors that its vertices have, as bits of a word, and vertices choose by the words of their nets,
which other threads change at the same time: a round takes the time of one hop.

==========  ==================================================================================
window      the 32 colors from `base` on that are given out now; no other matters meanwhile
forbidden   colors of the window that a net has, as bits of a word
colors      a color; LOST, to a vertex of less id; FULL, where none of the window is left
work        vertices that choose in this round
==========  ==================================================================================

A round: (1) each net gathers the colors of its vertices anew, but for the first round of a window, which has none; (2)
each vertex of `work` takes the least color that none of its nets has, and adds it to them, or is FULL; (3) of two
vertices of a net with one color the one of larger id loses it; (4) those that have lost are the next `work`. Where
there are none, those that are FULL go on with the next window.

On one thread no vertex loses, and the colors equal first-fit in the order of ids, as in engines/two_hop/windows.py.
More threads see what others have done or not yet, and may give other colors each time, as in Kokkos Kernels.

Proper: two vertices that choose one color in a round meet in (3), and a color that has been kept is among the colors of
its nets after (1). Progress: of the vertices that choose, the one of least id loses to none that chooses with it, and
those that have kept theirs before have another color.

Kokkos Kernels looks at all nets in each round, and so does this. It has an option for windows of 2, 4 or 8 words and
takes one.

References
----------
Kokkos Kernels 4, KokkosGraph_Distance2Color_impl.hpp, compute_d2_coloring_nb; phases by nets as in Taş, Kaya, Saule
2017, "Greed is good: parallel algorithms for bipartite-graph partial coloring on multicore architectures", ICPP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.log import Log
from ...core.nets import Nets
from ...core.pattern import unsigned
from ...core.registry import coloring
from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.intrinsics import ctz64, fetch_add, fetch_or, load_relaxed, store_relaxed
from ...device.pool import launch, on_all
from ...orders import Priorities

WINDOW = 32
LOST, FULL = np.int32(-1), np.int32(-2)
ZERO, ONE = np.uint32(0), np.uint32(1)
NONE_LEFT = np.uint32(0xFFFFFFFF)
CHUNK = 2048  # vertices or nets that a thread takes at a time


@coloring(
    "net_based_bit",
    problem=("columns", "rows", "distance2"),
    style="kernel",
    paper="Kokkos Kernels, D2_NB_BIT",
    engines=("cpu",),
    bound="first-fit",
    deterministic=False,
    reads_order=False,
    needs=None,
    options={"threads": "CPU threads, at most; default: one per core, or one for small graphs"},
)
def net_based_bit(nets: Nets, p: Priorities, log: Log, threads: int | None = None) -> np.ndarray:
    """Speculative coloring by nets, which keep their colors as bits; conflicts are found in each net."""
    state = _State(nets, cpu_threads.count(threads, nets.m))
    work, base = np.arange(nets.n, dtype=np.uint32), 0
    while len(work):
        _window(state, work, base, log)
        work, base = np.flatnonzero(state.colors == FULL).astype(np.uint32), base + WINDOW
    return state.colors


class _State:
    """The arrays of a run, and its threads."""

    def __init__(self, nets: Nets, workers: int) -> None:
        self.of_vertices, self.of_nets = ((*unsigned(of), nets.closed) for of in (nets.of_vertices, nets.members))
        self.nets, self.workers = nets.of_vertices.columns, workers
        self.colors = np.full(nets.n, FULL, np.int32)
        self.forbidden = np.zeros(self.nets, np.uint32)

    def share(self, loop: Callable[..., int], count: int, *args: Any) -> None:
        """Launch a loop, whose threads take chunks of 0 … count − 1."""
        workers = min(self.workers, -(-count // CHUNK))
        launch(loop, max(workers, 1), cpu_threads.slots(1), np.int64(count), *args)


def _window(s: _State, work: np.ndarray, base: int, log: Log) -> None:
    """Rounds over one window of colors, until each vertex of `work` has one or is FULL."""
    s.forbidden[:] = ZERO
    first, window = True, (np.int32(base), s.forbidden)
    while len(work):
        if not first:
            s.share(gather_on_all, s.nets, s.of_nets, s.colors, window)
        s.share(choose_on_all, len(work), work, s.of_vertices, s.colors, window)
        s.share(find_conflicts_on_all, s.nets, s.of_nets, s.colors, window[0])
        before, work, first = len(work), work[s.colors[work] == LOST], False
        log.round(active=before, colored=before - len(work), conflicts=len(work))


@njit(cache=True, nogil=True)
def gather(t: Any, shared: Any, count: Any, of_nets: Any, colors: Any, window: Any) -> None:
    """The colors of the window that each net has."""
    (members, member, closed), (base, forbidden) = of_nets, window
    while True:
        begin = fetch_add(shared, np.uint64(0), CHUNK)
        if begin >= count:
            return
        for net in range(np.uint64(begin), np.uint64(min(begin + CHUNK, count))):
            bits = ZERO
            if closed:
                k = np.uint32(colors[net] - base)
                bits = (ONE << k) if k < np.uint32(WINDOW) else ZERO
            e, end = members[net], members[net + np.uint64(1)]
            while e < end:
                k = np.uint32(colors[member[e]] - base)
                bits |= (ONE << k) if k < np.uint32(WINDOW) else ZERO
                e += ONE
            forbidden[net] = bits


@njit(cache=True, nogil=True)
def choose(t: Any, shared: Any, count: Any, work: Any, of_vertices: Any, colors: Any, window: Any) -> None:
    """The least color that no net of a vertex has, or FULL."""
    (nets, net, closed), (base, forbidden) = of_vertices, window
    while True:
        begin = fetch_add(shared, np.uint64(0), CHUNK)
        if begin >= count:
            return
        for i in range(np.uint64(begin), np.uint64(min(begin + CHUNK, count))):
            v = work[i]
            bits = load_relaxed(forbidden, np.uint64(v)) if closed else ZERO
            first, end = nets[v], nets[v + ONE]
            e = first
            while e < end:
                bits |= load_relaxed(forbidden, np.uint64(net[e]))
                e += ONE
            if bits == NONE_LEFT:
                colors[v] = FULL
                continue
            k = np.uint32(ctz64(np.uint64(~bits)))
            colors[v] = base + np.int32(k)
            if closed:
                fetch_or(forbidden, np.uint64(v), ONE << k)
            e = first
            while e < end:
                fetch_or(forbidden, np.uint64(net[e]), ONE << k)
                e += ONE


@njit(cache=True, nogil=True)
def find_conflicts(t: Any, shared: Any, count: Any, of_nets: Any, colors: Any, base: Any) -> None:
    """Of two vertices of a net that have one color of the window the one of larger id loses it."""
    members, member, closed = of_nets
    having = np.zeros(WINDOW, np.uint32)
    while True:
        begin = fetch_add(shared, np.uint64(0), CHUNK)
        if begin >= count:
            return
        for net in range(np.uint64(begin), np.uint64(min(begin + CHUNK, count))):
            seen = ZERO
            e, end = members[net], members[net + np.uint64(1)]
            own = closed
            while e < end or own:
                u = np.uint32(net)
                if own:
                    own = False
                else:
                    u = member[e]
                    e += ONE
                k = np.uint32(load_relaxed(colors, np.uint64(u)) - base)
                if k >= np.uint32(WINDOW):
                    continue
                if (seen >> k) & ONE:
                    store_relaxed(colors, np.uint64(max(u, having[k])), LOST)
                    u = min(u, having[k])
                having[k] = u
                seen |= ONE << k


@njit(cache=True, nogil=True)
def gather_on_all(team: Any, *args: Any) -> Any:
    """`gather` on a team of pool.py."""
    return on_all(gather, team, args)


@njit(cache=True, nogil=True)
def choose_on_all(team: Any, *args: Any) -> Any:
    """`choose` on a team of pool.py."""
    return on_all(choose, team, args)


@njit(cache=True, nogil=True)
def find_conflicts_on_all(team: Any, *args: Any) -> Any:
    """`find_conflicts` on a team of pool.py."""
    return on_all(find_conflicts, team, args)
