"""Equitable coloring: k classes whose sizes differ by at most one, for every graph with k ≥ Δ + 1; and Kempe chains.

Vertices of a complete graph are added until k divides their number. In some proper coloring, the excess vertices of
classes above the mean move to classes below it, regardless of their neighbors, and become *lazy*: without edges. So all
classes have the same size. Then one lazy vertex after the other gets its edges back. If it has a neighbor in its class,
it moves to a class without neighbors, which exists because k ≥ Δ + 1. Then that class, *large*, has one vertex too
many, and the old class, *small*, one too few. The procedure of Kierstead and Kostochka repairs this:

- If the large class reaches the small one, a vertex of each class on the path moves to the next class.
- Otherwise let 𝒜 be the classes that reach the small one, and ℬ the others. A class W of 𝒜 is *terminal* if the other
  classes of 𝒜 reach the small one without it (`terminal`). A vertex z of W is *solo* if it has a neighbor y in ℬ that
  has no other neighbor in W. If z is movable to a class of 𝒜, it moves there, y takes its place, and a path that avoids
  W balances 𝒜. It remains to balance ℬ without y, in which both degrees and colors are fewer.
- Otherwise some z has two solo neighbors that are not adjacent, one of them y. ℬ without y is balanced first; then z
  moves to a class of ℬ, and y takes its place in W. The other solo neighbor is now movable to W: more classes reach the
  small one.

Progress: each step leaves fewer classes to balance, or makes more of them reach the small one. The paper proves that
one of these steps is always possible.

A vertex is *movable* to a class if it has no neighbor in it. A class *reaches* another class if one of its vertices is
movable there, or to a class that reaches it.

=========  ==========================================================
colors     −1: removed, while the rest of ℬ is balanced
lazy       vertices whose edges are still missing
active     classes that this step balances
via        of each class the next on its path to the small one, or −1
mover      of each class a vertex that is movable to that class
=========  ==========================================================

Time: a step takes O(m + n k), and in practice nearly every vertex needs one step. The paper's O(Δ n²) in total requires
tables of n · k numbers of neighbors by class, which this code does not have. Exchanges of solo vertices are rare: none
of 200 graphs needed one from a coloring by first-fit.

With fewer colors an equitable coloring may not exist. On small graphs `search_equitable` decides it by clause learning.

`even_out_further` balances beyond single moves, with any number of colors. If two classes differ by two or more, a
connected part of both (a Kempe chain) swaps its colors if that makes the sizes more equal. A vertex without neighbors
in the other class is such a part. Pairs with a smallest or a largest class are tried, the most uneven first. Progress:
each change decreases the sum of the squares of the class sizes; the work is limited. What lost: moves along paths
through several classes (Kierstead, Kostochka 2008, Lemma 2.1), alone or before the chains.

References
----------
Kierstead, Kostochka, Mydlarz, Szemerédi 2010, "A fast algorithm for equitable coloring"; Kierstead, Kostochka 2008, "A
short proof of the Hajnal-Szemerédi theorem on equitable colouring": the choice of terminal classes.
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

SMALL, CONFLICTS = 1 << 14, 20_000  # of clause learning: limits of vertices × colors, and of conflicts
ONE32 = np.uint32(1)
PASSES, LEAST = 64, 1 << 24  # limit of reads: times the entries and vertices of the graph, and at least


def equitable(G: Graph, colors: np.ndarray, k: int, log: Log | None = None) -> np.ndarray:
    """Return an equitable coloring with k ≥ Δ + 1 colors."""
    if k <= G.max_degree and G.n:
        raise OptionError(f"max_colors={k}: an equitable coloring is guaranteed from Δ + 1 = {G.max_degree + 1} on")
    if k == 0 or G.n == 0:
        return colors.copy()
    state, log = _State(G, colors, k), log or Log()
    for v in state.seat().tolist():
        log.round(active=state.add(v), colored=1, conflicts=0)
    return state.colors[: G.n]


class _State:
    """A graph with some lazy vertices, and classes of the same size."""

    def __init__(self, G: Graph, colors: np.ndarray, k: int) -> None:
        self.k, self.n, more = k, G.n, -G.n % k
        self.G = with_clique(G, more)
        self.colors = np.concatenate([colors, np.full(more, -1, np.int32)])
        self.lazy, self.whole = np.zeros(G.n + more, np.bool_), np.ones(k, np.bool_)
        self.size = (G.n + more) // k

    def seat(self) -> np.ndarray:
        """Make all classes the same size: excess vertices, least degrees first, become lazy; return them."""
        sizes = np.bincount(self.colors[: self.n], minlength=self.k)
        added = np.argsort(sizes, kind="stable")[: len(self.colors) - self.n]  # in different classes
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
        """Return the neighbors of v that are not lazy."""
        near = self.G.indices[self.G.indptr[v] : self.G.indptr[v + 1]]
        return near[~self.lazy[near]]

    def free(self, v: int, classes: np.ndarray) -> np.ndarray:
        """Return the classes without a neighbor of v, except its own class."""
        able, taken = classes.copy(), self.colors[self.near(v)]
        able[taken[taken >= 0]] = able[self.colors[v]] = False
        return np.flatnonzero(able)

    def add(self, v: int) -> int:
        """Give a lazy vertex its edges back, and balance again; return the number of steps."""
        self.lazy[v] = False
        small = int(self.colors[v])
        if not (self.colors[self.near(v)] == small).any():
            return 0
        self.colors[v] = large = int(self.free(v, self.whole)[0])
        return self.rebalance(small, large)

    def shift(self, active: np.ndarray, small: int, large: int) -> np.ndarray:
        """Move a vertex of each class on the path from `large` to `small`; return which classes reach `small`."""
        via, mover = reach(*unsigned(self.G), self.colors, self.lazy, active, small, large)
        c = large
        while via[large] >= 0 and via[c] != c:
            self.colors[mover[c]] = via[c]
            c = via[c]
        return np.asarray(via >= 0)

    def rebalance(self, small: int, large: int) -> int:
        """Balance the classes if `small` has one vertex too few and `large` one too many; return the steps."""
        waiting: list[tuple[np.ndarray, np.ndarray, int, int, int, int]] = []
        active, steps = self.whole, 0
        while True:
            steps += 1
            accessible = self.shift(active, small, large)
            even = bool(accessible[large])
            if not even:
                rest = active & ~accessible
                z, y, to = min(self.swaps(accessible, rest, small), key=lambda one: one[2] < 0)  # first case first
                own, left = int(self.colors[z]), int(self.colors[y])
                if to >= 0:
                    self.colors[z], self.colors[y] = to, own
                    avoiding = accessible.copy()
                    avoiding[own] = False
                    if not self.shift(avoiding, small, to)[to]:
                        raise AssertionError("a terminal class is on the only path")
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
        """Return choices of z, y, and the class that z is movable to, or −1, as in the module's docstring."""
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
    """Return the smallest set of classes that one class U cuts off from `root`; all but the root without such a U."""
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
    """Compute `via` and `mover` by breadth-first search among active classes, from `small` back to `large`."""
    k, n = active.size, colors.size
    via, mover, adjacent = filled(k, -1, np.int64), filled(k, -1, np.int64), filled(n, -1, np.int32)
    queue = np.empty(k, np.int64)
    via[small], queue[0], head, tail = small, small, 0, 1
    while head < tail and via[large] < 0:
        d = queue[head]
        head += 1
        for v in range(n):
            if colors[v] == d and not lazy[v]:
                for e in range(indptr[v], indptr[v + 1]):
                    adjacent[indices[e]] = d
        for v in range(n):
            c = colors[v]
            if c >= 0 and via[c] < 0 and active[c] and (adjacent[v] != d or lazy[v]):
                via[c], mover[c] = d, v
        for c in range(k):
            if via[c] == d and c != d:
                queue[tail] = c
                tail += 1
    return via, mover


def search_equitable(
    G: Graph, colors: np.ndarray, k: int, allowed: Allowed, until: float = math.inf
) -> tuple[int, np.ndarray] | None:
    """Find an equitable coloring; return outcome (FOUND, NONE_EXISTS, UNKNOWN) and new or old colors. None: no search.

    If k does not divide n, some classes have one vertex more. All classes have that capacity, and a clique of extra
    vertices, of weight 1, uses it in the other classes.
    """
    if k == 0 or G.n * k > SMALL or clock() > until:
        return None
    keep, offsets, forbidden = allowed.arrays(G.n)
    start = np.where(keep, colors, np.int32(-1))
    size, larger = divmod(G.n, k)
    extra = k - larger if larger else 0
    spare = size + (larger > 0) - np.bincount(start[keep], minlength=k).astype(np.float64)
    if spare.min() < 0:  # too many vertices of a class may not move
        return NONE_EXISTS, colors
    graph = unsigned(with_clique(G, extra))
    lists = np.append(offsets, np.full(extra, offsets[-1])), forbidden
    instance = Instance(*graph, np.append(keep, np.zeros(extra, np.bool_)), *lists, np.ones(G.n + extra), spare)
    search = Learning(instance, np.append(start, np.full(extra, -1, np.int32)), True)
    outcome = search.run(until, CONFLICTS)
    return outcome, search.colors[: G.n].copy() if outcome == FOUND else colors


def with_clique(G: Graph, extra: int) -> Graph:
    """Return the graph with a clique of `extra` additional vertices."""
    if not extra:
        return G
    rows = np.flatnonzero(~np.eye(extra, dtype=bool).ravel()) % extra + G.n
    offsets = np.append(G.indptr, G.m + (extra - 1) * np.arange(1, extra + 1)).astype(G.indptr.dtype)
    return Graph(offsets, np.append(G.indices, rows.astype(np.int32)))


def even_out_further(
    G: Graph, colors: np.ndarray, k: int, scaled: int, keep: np.ndarray | None = None, log: Log | None = None
) -> np.ndarray:
    """Balance a coloring by Kempe chains, where single moves (`even_out`) are not enough."""
    log, keep = log or Log(), np.zeros(G.n, np.bool_) if keep is None else keep
    colors, sizes = colors.copy(), np.bincount(colors, minlength=k)
    left, each = max(PASSES * (G.n + G.m), LEAST), max((G.n + G.m) // max(k // 2, 1), G.n // 16)
    while left >= 0 and not reached(sizes, scaled):
        moved = 0
        for large, small in uneven_pairs(sizes):
            left -= each
            moved = swap(*unsigned(G), colors, keep, np.int32(large), np.int32(small), sizes[large] - sizes[small])
            if moved or left < 0:  # at the limit the last swap still counts
                break
        if not moved:
            break
        sizes[large] -= moved
        sizes[small] += moved
        log.round(active=0, colored=int(moved), conflicts=0)
    return colors


def uneven_pairs(sizes: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the pairs to try, as larger and smaller class."""
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
    """Swap two colors in connected parts without a vertex of `keep`; return by how much the larger class shrinks."""
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
