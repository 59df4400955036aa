"""Coloring of all edges: fans for Δ colors, with limited work, and then for one color more.

`fans.insert` colors the edges in an order. Nearly all find a color that is free at both ends. Edges that remain
uncolored after the first pass are tried again with longer paths and more fans, up to a total number of path edges.
Then one more color is enough for the other edges: this never fails. In bipartite graphs Δ colors never fail, either.

`EdgeColoring.lower` searches for one color less: the last class loses its color, and its edges are tried again.

`even` makes the class sizes differ by at most one, with the same colors. The edges of two colors a, b form paths and
even cycles. If a has more edges than b, more paths begin and end with a than with b. A flip of such a path moves one
edge from a to b. So if there is a coloring with k colors, there is an equitable one. A sweep pairs too large classes,
the largest first, with too small classes, the smallest first. The edges of a class are listed before the sweep, so
paths that end with an edge added later are left to the next sweep.

References
----------
McDiarmid 1972, "The solution of a timetabling problem"; de Werra 1971, "Equitable colorations of graphs".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.log import SILENT, Stage
from ...graph.components import components, is_bipartite
from ...graph.graph import Graph
from ...graph.nets import Nets
from .fans import Fan, ends_at, flip, insert_all
from .table import NONE, ONE, ZERO, Table, edge_of, put_all, read, take_all

MEMBERS = 16  # maximum size of a fan for Δ colors
LENGTH, LAST = 64, 16  # edges of a path in the first pass; number of later passes that each allow four times as many
UNLIMITED = 1 << 40
SLICE = 1 << 18  # steps between two checks of the clock and of Ctrl-C
STEPS, LEAST_STEPS = 32, 1 << 12  # limit for Δ colors: times the number of edges, and at least


def graph_of(H: Nets) -> Graph:
    """Return the graph of these edges, without labels; rows of `members` list edges in the order of the neighbors."""
    u, v = H.of_vertices.indices.reshape(-1, 2).T
    return Graph(H.members.indptr, (u ^ v)[H.members.indices] ^ H.members.rows_of_entries())


def overfull(H: Nets, G: Graph) -> np.ndarray:
    """Return the edges of the smallest component with too many edges for Δ colors, int64, increasing, on the CPU.

    The result is empty if there is none. On 2 r + 1 vertices a class has at most r edges:
    Chetwynd, Hilton 1986, "Star multigraphs with three vertices of maximum degree" (overfull graphs).
    """
    count, part = components(G)
    vertices = np.bincount(part, minlength=count)
    entries = np.bincount(part, G.degrees, count).astype(np.int64)  # two per edge
    over = np.flatnonzero(entries > 2 * G.max_degree * (vertices // 2))
    if not len(over):
        return np.empty(0, np.int64)
    smallest = over[entries[over].argmin()]
    return np.flatnonzero(part[H.of_vertices.indices[::2]] == smallest)


class EdgeColoring:
    """A coloring of edges that changes in place, on the CPU; the seed is for random members of fans."""

    degree: int
    k: int  # colors that may be in use
    table: Table
    fan: Fan
    todo: np.ndarray  # array of uint32: uncolored edges at the start of the present pass
    left: int  # number of uncolored edges

    def __init__(self, H: Nets, G: Graph, seed: int = 0) -> None:
        self.H, self.G, self.degree = H, G, G.max_degree
        self.k = self.degree
        self.table, self.fan = Table.of(H, self.degree + 1), Fan.of(G.n, self.degree, seed)
        self.todo, self.left = np.arange(H.n, dtype=np.uint32), H.n
        self._ends = H.of_vertices.indices.reshape(-1, 2).view(np.uint32)

    @property
    def steps(self) -> int:
        """Number of edges tried and of path edges so far."""
        return int(self.fan.counts[1])

    @property
    def colors(self) -> np.ndarray:
        """Colors of the edges, int32; −1 for edges of `todo`."""
        out = np.full(self.H.n, -1, np.int32)
        read(self.table, out)
        return out

    def complete(self, k: int, order: Any = None, shown: Stage = SILENT) -> None:
        """Color all edges with k ≥ Δ colors, or k + 1 if that takes too long; `shown` reports the progress."""
        self.k = k
        if order is not None:
            self.todo = np.ascontiguousarray(order, np.uint32)
        most = self.steps + max(STEPS * self.H.n, LEAST_STEPS)
        for _ in self.turns(lambda: self.steps < most):
            shown.at(self.H.n - self.left)
        if len(self.todo):
            self.k = k if is_bipartite(self.G) else self.degree + 1
            for _ in self.passes((self.degree + 1, UNLIMITED, 1, UNLIMITED)):
                shown.at(self.H.n - self.left)

    def lower(self, k: int, goes_on: Callable[[], bool]) -> bool:
        """Search for k colors, one less than now, while `goes_on`; return whether found. A later call continues."""
        if self.k > k:
            self.k, self.todo = k, np.flatnonzero(self.colors == k).astype(np.uint32)
            take_all(self.table, self._ends, self.todo, np.uint64(k))
        for _ in self.turns(goes_on):
            pass
        return not len(self.todo)

    def turns(self, goes_on: Callable[[], bool]) -> Iterator[None]:
        """Do passes over `todo` with growing limits, until it is empty or `goes_on` returns False after a slice."""
        i = 0
        while len(self.todo):
            limits = MEMBERS, LENGTH << 2 * i, 1 << i, 0
            for _ in self.passes(limits):
                yield
                if i > 0 and not goes_on():
                    return
            i = min(i + 1, LAST)

    def passes(self, limits: tuple[int, int, int, int]) -> Iterator[None]:
        """Do one pass over `todo`, slice by slice."""
        at, todo, k = (np.uint64(0), np.uint64(0)), self.todo, np.uint64(self.k)
        most = tuple(np.uint64(limit) for limit in limits)
        try:
            while at[1] < len(todo):
                at = insert_all(self.table, self.fan, (self._ends, todo), at, k, most, np.uint64(SLICE))
                at = np.uint64(at[0]), np.uint64(at[1])
                self.left = len(todo) - int(at[1]) + int(at[0])
                yield
        finally:  # also if the caller ends it
            self.todo = np.concatenate([todo[: int(at[0])], todo[int(at[1]) :]])


def even(H: Nets, colors: np.ndarray, k: int) -> np.ndarray:
    """Balance proper colors below k so that class sizes differ by at most one edge; on the CPU."""
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
    """Yield transfers (source, target, edges); `more` is the surplus of each class, decreasing."""
    over, under = np.flatnonzero(more > 0), np.flatnonzero(more < 0)[::-1]
    sent, taken = np.cumsum(more[over]), np.cumsum(-more[under])
    until = np.union1d(sent, taken)  # each number of moves after which a class has its final size
    froms, to = over[np.searchsorted(sent, until)], under[np.searchsorted(taken, until)]
    yield from zip(classes[froms].tolist(), classes[to].tolist(), np.diff(until, prepend=0).tolist(), strict=True)


@njit(cache=True, nogil=True)
def move(table: Table, ends: Any, mine: Any, at: Any, pair: Any, moves: Any, counts: Any) -> Any:
    """Flip paths of `mine`, from place `at` on, until `moves` edges change from color a to b; return the next place."""
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
