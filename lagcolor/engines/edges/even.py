"""Classes of edges that differ in size by at most one, with the same colors, on one core.

The edges of two colors a, b form paths and even cycles. If a has more edges than b, more paths begin and end with a
than with b. A flip of such a path moves one edge from a to b. So there is an equitable coloring for each number of
colors for which there is a coloring.

A sweep pairs the largest class with the smallest, the second largest with the second smallest, and so on. One class of
each pair, at least, gets the size that it keeps, so that about log₂ k sweeps suffice.

References
----------
McDiarmid 1972, "The solution of a timetabling problem"; de Werra 1971, "Equitable colorations of graphs".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.nets import Nets
from ...device.compiled import njit
from .fans import ends_at, flip
from .table import NONE, ONE, Table, edge_of, put, read


def even(H: Nets, colors: np.ndarray, k: int) -> np.ndarray:
    """Colors 0 … k − 1 of classes of one size, but for one edge; `colors` are proper and under k. On the CPU."""
    table, ends = Table.of(H, k), H.of_vertices.indices.reshape(-1, 2).view(np.uint32)
    fill(table, ends, colors.astype(np.uint32))
    colors, counts = colors.copy(), np.zeros(2, np.uint64)
    while True:  # ends: each sweep leaves fewer classes that have another size than they are to have
        sizes = np.bincount(colors, minlength=k)
        by_size = np.argsort(-sizes, kind="stable")
        more = sizes[by_size] - (H.n // k + (np.arange(k) < H.n % k))
        if not more.any():
            return colors
        over, under = by_size[more > 0], by_size[more < 0][::-1]
        pairs = min(len(over), len(under))
        moves = np.minimum(more[more > 0][:pairs], -more[more < 0][::-1][:pairs])
        by_color = np.argsort(colors, kind="stable").astype(np.uint32)
        offsets = np.r_[0, np.cumsum(sizes)].astype(np.uint64)
        for a, b, count in zip(over.tolist(), under.tolist(), moves.tolist(), strict=False):  # slices, for Ctrl-C
            mine = by_color[int(offsets[a]) : int(offsets[a + 1])]
            move(table, ends, mine, np.uint64(a), np.uint64(b), count, counts)
        read(table, colors)


@njit(cache=True, nogil=True)
def fill(table: Table, ends: Any, colors: Any) -> None:
    """Put all edges into the table."""
    for e in range(np.uint64(colors.size)):
        put(table, np.uint64(ends[e, 0]), np.uint64(colors[e]), e)
        put(table, np.uint64(ends[e, 1]), np.uint64(colors[e]), e)


@njit(cache=True, nogil=True)
def move(table: Table, ends: Any, mine: Any, a: Any, b: Any, moves: Any, counts: Any) -> None:
    """Flip paths that begin and end with color a, of which `mine` were the edges, until `moves` edges have color b."""
    for e in mine:
        for v in ends[e]:
            w = np.uint64(v)
            if moves == 0:
                return
            if edge_of(table, w, a) != np.uint64(e) or edge_of(table, w, b) != NONE:
                continue
            before = counts[1]
            ends_at(table, w, a, b, NONE, counts)
            if (counts[1] - before) & ONE:
                flip(table, w, a, b)
                moves -= 1
