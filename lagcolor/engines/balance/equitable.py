"""Equitable coloring: k classes whose sizes differ by at most one, for every graph with k ≥ Δ + 1; and Kempe chains.

Vertices of a complete graph are added until k divides their number. From some proper coloring, as many vertices as are
above the mean change to classes below it, whatever their neighbors, and become *lazy*: without edges. So the classes
are of one size. Then one lazy vertex after the other gets its edges back. It moves to a class without neighbors, if it
has to, which k ≥ Δ + 1 has; that class, *large*, has one vertex too many then, and the one it left, *small*, one too
few. The procedure of Kierstead and Kostochka mends this:

- If the large class reaches the small one, a vertex of each class on the way moves on, and that is all.
- Otherwise let 𝒜 be the classes that reach the small one, ℬ the others. Of 𝒜 there are *terminal* classes, without any
  one of them the others still reach the small one (`terminal`). A *solo* vertex z of such a class
  W has a neighbor y in ℬ with no other neighbor in W. If z is movable to a class of 𝒜, it goes there, y takes its
  place, and 𝒜 is balanced by a path that avoids W; what is left is ℬ without y, with one color fewer per degree.
- Otherwise some z has two solo neighbors that are not adjacent, one of them y. ℬ without y is balanced first; then z
  moves to a class of ℬ, and y takes its place in W. The other solo neighbor is now movable to W: more classes reach the
  small one.

Progress: each step leaves fewer classes to be made even, or makes more of them reach the small one. That one of these
steps is always there is what the paper proves.

A vertex is *movable* to a class that has no neighbor of it, and a class *reaches* another if one of its vertices is
movable there, or to a class that reaches it.

=========  ==========================================================
colors     −1: removed, while the rest of ℬ is balanced
lazy       vertices whose edges are not there yet
active     classes that this step balances
via        of each class the next on its way to the small one, or −1
mover      of each class a vertex that is movable there
=========  ==========================================================

Time: a step takes O(m + n k), and in practice nearly every vertex one; the paper's O(Δ n²) in all needs its counts of
neighbors by class, n · k numbers, which are not kept here. Exchanges of solo vertices are seldom: of 200 graphs none
needed one from a coloring by first-fit.

With fewer colors an equitable coloring may not exist. On small graphs `search_equitable` decides it by clause learning.

`even_out_further` balances beyond single moves, with any number of colors. Of two classes that differ by two or more, a
connected part of both swaps its colors if that makes the two more equal. It is one vertex if that has no neighbor in
the other class. Pairs with a smallest or a largest class are tried, the most uneven first. Progress: each change makes
the sum of the squares of the class sizes smaller; and there is a limit on what is read. What lost: moves along ways
through several classes (Kierstead, Kostochka 2008, Lemma 2.1), alone or before the chains.

References
----------
Kierstead, Kostochka, Mydlarz, Szemerédi 2010, "A fast algorithm for equitable coloring"; Kierstead, Kostochka 2008, "A
short proof of the Hajnal-Szemerédi theorem on equitable colouring", whose choice of the terminal classes this is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.compile_clock import clock
from ...base.device.compiled import filled, njit
from ...base.errors import OptionError
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ..exact.learning import Learning
from ..improve.lists import FOUND, NONE_EXISTS, Instance
from .scheduled import Allowed, reached

SMALL, CONFLICTS = 1 << 14, 20_000  # vertices times colors up to which clause learning is begun, and conflicts then
ONE32 = np.uint32(1)
PASSES, LEAST = 64, 1 << 24  # what may be read: times the entries and vertices of the graph, and at least


def equitable(G: Graph, colors: np.ndarray, k: int, log: Log | None = None) -> np.ndarray:
    """An equitable coloring with k ≥ Δ + 1 colors."""
    if k <= G.max_degree and G.n:
        raise OptionError(f"an equitable coloring is sure for max_colors ≥ Δ + 1 = {G.max_degree + 1}, not for {k}")
    if k == 0 or G.n == 0:
        return colors.copy()
    state, log = _State(G, colors, k), log or Log()
    for v in state.seat().tolist():
        log.round(active=state.add(v), colored=1, conflicts=0)
    return state.colors[: G.n]


class _State:
    """A graph with some lazy vertices, and classes of one size each."""

    def __init__(self, G: Graph, colors: np.ndarray, k: int) -> None:
        self.k, self.n, more = k, G.n, -G.n % k
        self.G = beside_clique(G, more)
        self.colors = np.concatenate([colors, np.full(more, -1, np.int32)])
        self.lazy, self.whole = np.zeros(G.n + more, np.bool_), np.ones(k, np.bool_)
        self.size = (G.n + more) // k

    def seat(self) -> np.ndarray:
        """Make the classes of one size by vertices that become lazy, the least degrees first; returns them."""
        sizes = np.bincount(self.colors[: self.n], minlength=self.k)
        added = np.argsort(sizes, kind="stable")[: len(self.colors) - self.n]  # no two in one class
        self.colors[self.n :] = added
        sizes[added] += 1
        holes = np.repeat(np.arange(self.k), np.maximum(self.size - sizes, 0))
        unseated = [np.zeros(0, np.int64)]
        for c in np.flatnonzero(sizes > self.size):
            members = np.flatnonzero(self.colors == c)
            unseated.append(members[np.argsort(self.G.degrees[members], kind="stable")][: sizes[c] - self.size])
        lazy = np.concatenate(unseated)
        self.colors[lazy] = holes
        self.lazy[lazy] = True
        return lazy

    def near(self, v: int) -> np.ndarray:
        """The neighbors of v by edges that are there."""
        near = self.G.indices[self.G.indptr[v] : self.G.indptr[v + 1]]
        return near[~self.lazy[near]]

    def free(self, v: int, classes: np.ndarray) -> np.ndarray:
        """The classes without a neighbor of v, except its own."""
        able, taken = classes.copy(), self.colors[self.near(v)]
        able[taken[taken >= 0]] = able[self.colors[v]] = False
        return np.flatnonzero(able)

    def add(self, v: int) -> int:
        """Give a lazy vertex its edges back; the steps that took."""
        self.lazy[v] = False
        small = int(self.colors[v])
        if not (self.colors[self.near(v)] == small).any():
            return 0
        self.colors[v] = large = int(self.free(v, self.whole)[0])
        return self.settle(small, large)

    def shift(self, active: np.ndarray, small: int, large: int) -> np.ndarray:
        """Move a vertex of each class on the way from the large class to the small one; the classes that reach it."""
        via, mover = reach(*unsigned(self.G), self.colors, self.lazy, active, small, large)
        c = large
        while via[large] >= 0 and via[c] != c:
            self.colors[mover[c]] = via[c]
            c = via[c]
        return np.asarray(via >= 0)

    def settle(self, small: int, large: int) -> int:
        """Balance the classes again: `small` has one vertex too few and `large` one too many."""
        waiting: list[tuple[np.ndarray, np.ndarray, int, int, int, int]] = []
        active, steps = self.whole, 0
        while True:
            steps += 1
            accessible = self.shift(active, small, large)
            even = bool(accessible[large])
            if not even:
                rest = active & ~accessible
                z, y, to = min(self.swaps(accessible, rest, small), key=lambda one: one[2] < 0)  # the first of a step
                own, left = int(self.colors[z]), int(self.colors[y])
                if to >= 0:
                    self.colors[z], self.colors[y] = to, own
                    avoiding = accessible.copy()
                    avoiding[own] = False
                    if not self.shift(avoiding, small, to)[to]:
                        raise AssertionError("a class that is terminal was on the only way")
                else:
                    self.colors[y] = -1
                    waiting.append((active, rest, small, z, y, own))
                even = left == large
                active, small = rest, left
            if even:
                if not waiting:
                    return steps
                active, rest, small, z, y, own = waiting.pop()
                large = int(self.free(z, rest)[0])
                self.colors[z], self.colors[y] = large, own

    def swaps(self, accessible: np.ndarray, rest: np.ndarray, small: int) -> list[tuple[int, int, int]]:
        """Choices of z, y and the class that z is movable to, or −1: see the head of the module. There is one."""
        colors, there = self.colors, ~self.lazy & (self.colors >= 0)
        v, u = self.G.rows_of_entries().astype(np.int64), self.G.indices
        v, u = (ends[there[v] & there[u]] for ends in (v, u))
        _, first, count = np.unique(v * self.k + colors[u], return_index=True, return_counts=True)
        v, u = v[first], u[first]  # v has `count` neighbors in the class of u
        c, d = colors[v].astype(np.int64), colors[u]
        classes, place = np.flatnonzero(accessible), np.cumsum(accessible) - 1
        within = accessible[c] & accessible[d]
        pairs, blocked = np.unique(c[within] * self.k + d[within], return_counts=True)
        (i, j), sizes = divmod(pairs, self.k), np.bincount(colors[colors >= 0], minlength=self.k)
        movable = ~np.eye(len(classes), dtype=np.bool_)
        movable[place[i], place[j]] = blocked < sizes[i]
        ends = np.zeros(self.k, np.bool_)
        ends[classes[terminal(movable, int(place[small]))]] = True
        solo, found = (count == 1) & rest[c] & ends[d], []
        for z in np.unique(u[solo]).tolist():
            ys, to = v[solo & (u == z)], self.free(z, accessible)
            if len(to):
                found.append((z, int(ys[0]), int(to[0])))
            found += [(z, y, -1) for y in ys.tolist() if not len(to) and len(np.setdiff1d(ys, self.near(y))) > 1]
        return found


def terminal(movable: np.ndarray, root: int) -> np.ndarray:
    """The fewest classes that one class U cuts off from `root`; without such a U all but the root."""
    fewest = np.arange(len(movable)) != root
    for u in np.flatnonzero(fewest):
        more = np.arange(len(movable)) == root
        cut_off = ~more
        while more.any():
            more = movable[:, more].any(axis=1) & cut_off
            more[u] = False
            cut_off &= ~more
        cut_off[u] = False
        if 0 < cut_off.sum() < fewest.sum():
            fewest = cut_off
    return fewest


@njit(cache=True, nogil=True)
def reach(indptr: Any, indices: Any, colors: Any, lazy: Any, active: Any, small: Any, large: Any) -> tuple[Any, Any]:
    """`via` and `mover` by breadth-first search among active classes, from `small` (its own `via`) back to `large`."""
    k, n = active.size, colors.size
    via, mover, beside = filled(k, -1, np.int64), filled(k, -1, np.int64), filled(n, -1, np.int32)
    queue = np.empty(k, np.int64)
    via[small], queue[0], head, tail = small, small, 0, 1
    while head < tail and via[large] < 0:
        d = queue[head]
        head += 1
        for v in range(n):
            if colors[v] == d and not lazy[v]:
                for e in range(indptr[v], indptr[v + 1]):
                    beside[indices[e]] = d
        for v in range(n):
            c = colors[v]
            if c >= 0 and via[c] < 0 and active[c] and (beside[v] != d or lazy[v]):
                via[c], mover[c] = d, v
        for c in range(k):
            if via[c] == d and c != d:
                queue[tail] = c
                tail += 1
    return via, mover


def search_equitable(
    G: Graph, colors: np.ndarray, k: int, allowed: Allowed, until: float = math.inf
) -> tuple[int, np.ndarray] | None:
    """What came of the search (FOUND, NONE_EXISTS, UNKNOWN), and the colors found, or else the given ones.

    Where n is no multiple of k, some classes have one vertex more. All have the capacity for it, and a clique of extra
    vertices, of weight 1, takes that capacity in the others.
    """
    if k == 0 or G.n * k > SMALL or clock() > until:
        return None
    keep, offsets, forbidden = allowed.arrays(G.n)
    start = np.where(keep, colors, np.int32(-1))
    size, larger = divmod(G.n, k)
    extra = k - larger if larger else 0
    room = size + (larger > 0) - np.bincount(start[keep], minlength=k).astype(np.float64)
    if room.min() < 0:  # too many vertices are kept in one class
        return NONE_EXISTS, colors
    graph = unsigned(beside_clique(G, extra))
    lists = np.append(offsets, np.full(extra, offsets[-1])), forbidden
    instance = Instance(*graph, np.append(keep, np.zeros(extra, np.bool_)), *lists, np.ones(G.n + extra), room)
    search = Learning(instance, np.append(start, np.full(extra, -1, np.int32)), True)
    outcome = search.run(until, CONFLICTS)
    return outcome, search.colors[: G.n].copy() if outcome == FOUND else colors


def beside_clique(G: Graph, extra: int) -> Graph:
    """The graph and a clique of a number of additional vertices."""
    if not extra:
        return G
    rows = np.flatnonzero(~np.eye(extra, dtype=bool).ravel()) % extra + G.n
    offsets = np.append(G.indptr, G.m + (extra - 1) * np.arange(1, extra + 1)).astype(G.indptr.dtype)
    return Graph(offsets, np.append(G.indices, rows.astype(np.int32)))


def even_out_further(
    G: Graph, colors: np.ndarray, k: int, scaled: int, keep: np.ndarray | None = None, log: Log | None = None
) -> np.ndarray:
    """Balance a coloring that `even_out` could not."""
    log, keep = log or Log(), np.zeros(G.n, np.bool_) if keep is None else keep
    colors, sizes = colors.copy(), np.bincount(colors, minlength=k)
    left, each = max(PASSES * (G.n + G.m), LEAST), max((G.n + G.m) // max(k // 2, 1), G.n // 16)
    while left >= 0 and not reached(sizes, scaled):
        moved = 0
        for large, small in uneven_pairs(sizes):
            left -= each
            moved = swap(*unsigned(G), colors, keep, np.int32(large), np.int32(small), sizes[large] - sizes[small])
            if moved or left < 0:  # at the limit the swap in hand counts
                break
        if not moved:
            break
        sizes[large] -= moved
        sizes[small] += moved
        log.round(active=0, colored=int(moved), conflicts=0)
    return colors


def uneven_pairs(sizes: np.ndarray) -> Iterator[tuple[int, int]]:
    """The larger and the smaller class of the pairs to try."""
    order = np.argsort(sizes, kind="stable").tolist()
    least, most = sizes[order[0]], sizes[order[-1]]
    for small in order:
        for large in reversed(order):
            if sizes[large] < sizes[small] + 2:
                break
            if sizes[small] == least or sizes[large] == most:
                yield large, small


@njit(cache=True, nogil=True)
def swap(indptr: Any, indices: Any, colors: Any, keep: Any, large: Any, small: Any, difference: Any) -> Any:
    """Swap two colors in connected parts without a vertex of `keep`; by how much the larger class shrinks."""
    seen, part, shrunk = filled(colors.size, 0, np.bool_), np.empty(colors.size, np.uint32), 0
    for source in range(colors.size):
        if seen[source] or (colors[source] != large and colors[source] != small):
            continue
        seen[source], part[0], head, tail, gain, stuck = True, source, 0, 1, 0, False
        while head < tail:
            v = part[head]
            head += 1
            gain += 1 if colors[v] == large else -1
            stuck = stuck or keep[v]
            for e in range(indptr[v], indptr[v + ONE32]):
                u = indices[e]
                if not seen[u] and (colors[u] == large or colors[u] == small):
                    seen[u], part[tail] = True, u
                    tail += 1
        if not stuck and abs(difference - 2 * gain) < abs(difference):
            difference -= 2 * gain
            shrunk += gain
            for i in range(tail):
                colors[part[i]] ^= large ^ small
            if abs(difference) < 2:
                break
    return shrunk
