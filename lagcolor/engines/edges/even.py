"""Classes of edges that differ in size by at most one, with the same colors, on one core.

The edges of two colors a, b form paths and even cycles. If a has more edges than b, more paths begin and end with a
than with b. A flip of such a path moves one edge from a to b. So if there is a coloring with k colors, there is an
equitable one.

A sweep goes through the classes that are too large, the largest first, and through those that are too small, the
smallest first. Each gives what it has too much to the next ones that have too little. The edges of a class are listed
before the sweep, so paths that end with an edge that came later are left to the next one. Few sweeps suffice.

References
----------
McDiarmid 1972, "The solution of a timetabling problem"; de Werra 1971, "Equitable colorations of graphs".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...graph.nets import Nets
from .fans import ends_at, flip
from .table import NONE, ONE, ZERO, Table, edge_of, put_all, read


def even(H: Nets, colors: np.ndarray, k: int) -> np.ndarray:
    """Colors 0 … k − 1 of classes of one size, but for one edge; `colors` are proper and under k. On the CPU."""
    table, ends = Table.of(H, k), H.of_vertices.indices.reshape(-1, 2).view(np.uint32)
    put_all(table, ends, colors.astype(np.uint32))
    colors, counts = colors.copy(), np.zeros(2, np.uint64)
    while True:  # ends: each sweep leaves fewer classes of a wrong size
        sizes = np.bincount(colors, minlength=k)
        by_size = np.argsort(-sizes, kind="stable")
        more = sizes[by_size] - (H.n // k + (np.arange(k) < H.n % k))
        if not more.any():
            return colors
        by_color = np.argsort(colors, kind="stable").astype(np.uint32)
        offsets, last, at = np.r_[0, np.cumsum(sizes)], -1, np.uint64(0)
        for a, b, count in transfers(by_size, more):  # slices, for Ctrl-C
            mine, at = by_color[offsets[a] : offsets[a + 1]], at if a == last else np.uint64(0)
            at, last = np.uint64(move(table, ends, mine, at, (np.uint64(a), np.uint64(b)), count, counts)), a
        read(table, colors)


def transfers(classes: np.ndarray, more: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """From which class to which, and how many: `more` is what each has too much, and falls."""
    over, under = np.flatnonzero(more > 0), np.flatnonzero(more < 0)[::-1]
    given, taken = np.cumsum(more[over]), np.cumsum(-more[under])
    until = np.union1d(given, taken)  # each number of moves after which a class has its size
    froms, to = over[np.searchsorted(given, until)], under[np.searchsorted(taken, until)]
    yield from zip(classes[froms].tolist(), classes[to].tolist(), np.diff(until, prepend=0).tolist(), strict=True)


@njit(cache=True, nogil=True)
def move(table: Table, ends: Any, mine: Any, at: Any, pair: Any, moves: Any, counts: Any) -> Any:
    """Flip paths that begin and end with color a until `moves` edges more have color b, or `mine` are through.

    `pair`: a, b. `mine` were the edges of color a; the search goes round them from place `at` on. Returns the next.
    """
    a, b = pair
    for _ in range(mine.size):
        if moves == 0:
            return at
        e = np.uint64(mine[at])
        at = at + ONE if at + ONE < np.uint64(mine.size) else ZERO
        for v in ends[e]:
            w = np.uint64(v)
            if moves == 0:
                return at
            if edge_of(table, w, a) != e or edge_of(table, w, b) != NONE:
                continue
            before = counts[1]
            ends_at(table, w, a, b, NONE, counts)
            if (counts[1] - before) & ONE:
                flip(table, w, a, b)
                moves -= 1
    return at
