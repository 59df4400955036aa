"""Equitable coloring: k classes whose sizes differ by at most one, for every graph with k ≥ Δ + 1.

Vertices of a complete graph are added until k divides their number. From some proper coloring, as many vertices as are
above the mean change to classes below it, whatever their neighbors, and become *lazy*: without edges. So the classes
are of one size. Then one lazy vertex after the other gets its edges back. It moves to a class without neighbors, if it
has to, which k ≥ Δ + 1 has; that class, *large*, has one vertex too many then, and the one it left, *small*, one too
few. The procedure of Kierstead and Kostochka mends this:

- If the large class reaches the small one, a vertex of each class on the way moves on, and that is all.
- Otherwise let 𝒜 be the classes that reach the small one, ℬ the others. Of 𝒜 there are *terminal* classes, without any
  one of them the others still reach the small one (`terminal` of equitable_cpu.py). A *solo* vertex z of such a class
  W has a neighbor y in ℬ with no other neighbor in W. If z is movable to a class of 𝒜, it goes there, y takes its
  place, and 𝒜 is balanced by a path that avoids W; what is left is ℬ without y, with one color fewer per degree.
- Otherwise some z has two solo neighbors that are not adjacent, one of them y. ℬ without y is balanced first; then z
  moves to a class of ℬ, and y takes its place in W. The other solo neighbor is now movable to W: more classes reach the
  small one.

Progress: each step leaves fewer classes to be made even, or makes more of them reach the small one. That one of these
steps is always there is what the paper proves.

=========  ==========================================================
colors     −1: removed, while the rest of ℬ is balanced
lazy       vertices whose edges are not there yet
active     classes that this step balances
via        of each class the next on its way to the small one, or −1
=========  ==========================================================

Time: a step takes O(m + n k), and in practice nearly every vertex one; the paper's O(Δ n²) in all needs its counts of
neighbors by class, n · k numbers, which are not kept here.

References
----------
Kierstead, Kostochka, Mydlarz, Szemerédi 2010, "A fast algorithm for equitable coloring"; Kierstead, Kostochka 2008, "A
short proof of the Hajnal-Szemerédi theorem on equitable colouring", whose choice of the terminal classes this is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...base.errors import OptionError
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from . import equitable_cpu as cpu

PAIRS_FIRST = False  # take the third step where the second could be; for tests, since the third is very seldom needed


def equitable(
    G: Graph, colors: np.ndarray, k: int, log: Log | None = None, progress: Callable[[int, int], None] | None = None
) -> np.ndarray:
    """An equitable coloring with k ≥ Δ + 1 colors."""
    if k <= G.max_degree and G.n:
        raise OptionError(f"an equitable coloring is sure for max_colors ≥ Δ + 1 = {G.max_degree + 1}, not for {k}")
    if k == 0 or G.n == 0:
        return colors.copy()
    state = _State(G, colors, k)
    lazy = state.seat()
    for i, v in enumerate(lazy.tolist()):
        steps = state.add(v)
        if log is not None:
            log.round(active=steps, colored=1, conflicts=0)
        if progress is not None:
            progress(i + 1, len(lazy))
    return state.colors[: G.n]


class _State:
    """A graph with some lazy vertices, and classes of one size each."""

    def __init__(self, G: Graph, colors: np.ndarray, k: int) -> None:
        self.k, n = k, G.n
        more = -n % k
        indptr, indices = unsigned(G)
        clique = np.array([n + j for i in range(more) for j in range(more) if i != j], indices.dtype)
        ends = int(indptr[-1]) + np.arange(1, more + 1) * max(more - 1, 0)
        self.graph = np.concatenate([indptr, ends.astype(indptr.dtype)]), np.concatenate([indices, clique])
        self.colors = np.concatenate([colors, np.full(more, -1, np.int32)])
        self.lazy, self.keep = np.zeros(n + more, np.bool_), np.zeros(n + more, np.bool_)
        self.ways, self.partial = cpu.Ways.room(n + more, k), cpu.Partial(*self.graph, self.colors, self.lazy)
        self.whole = np.ones(k, np.bool_)
        self.n, self.size = n, (n + more) // k

    def seat(self) -> np.ndarray:
        """Make the classes of one size by vertices that become lazy, the least degrees first; returns them."""
        sizes = np.bincount(self.colors[: self.n], minlength=self.k)
        added = np.argsort(sizes, kind="stable")[: len(self.colors) - self.n]  # no two in one class
        self.colors[self.n :] = added
        sizes[added] += 1
        holes = np.repeat(np.arange(self.k), np.maximum(self.size - sizes, 0))
        degrees, unseated = np.diff(self.graph[0].astype(np.int64)), []
        for c in np.flatnonzero(sizes > self.size):
            members = np.flatnonzero(self.colors == c)
            unseated.append(members[np.argsort(degrees[members], kind="stable")][: sizes[c] - self.size])
        lazy = np.concatenate(unseated) if unseated else np.zeros(0, np.int64)
        self.colors[lazy] = holes
        self.lazy[lazy] = True
        return lazy

    def add(self, v: int) -> int:
        """Give a lazy vertex its edges back; the steps that took."""
        self.lazy[v] = False
        indptr, indices = self.graph
        near = indices[indptr[v] : indptr[v + 1]]
        near = near[~self.lazy[near]]
        small = int(self.colors[v])
        if not (self.colors[near] == small).any():
            return 0
        large = self.free(v, self.whole)
        self.colors[v] = large
        return self.settle(small, large)

    def free(self, v: int, classes: np.ndarray) -> int:
        """A class of some that has no neighbor of v."""
        c = int(cpu.free_class(self.partial, v, classes, np.full(self.k, -1, np.int64)))
        if c < 0:
            raise AssertionError("a vertex with neighbors in all classes: its degree is not below their number")
        return c

    def reach(self, active: np.ndarray, small: int, goal: int) -> bool:
        """Find ways to the small class; whether the goal has one."""
        cpu.reach(self.partial, active, self.keep, small, goal, self.ways)
        return bool(self.ways.via[goal] >= 0)

    def settle(self, small: int, large: int) -> int:
        """Balance the classes again: `small` has one vertex too few and `large` one too many."""
        waiting: list[tuple[np.ndarray, np.ndarray, int, int, int, int]] = []
        active, steps = self.whole, 0
        while True:
            steps += 1
            even = self.reach(active, small, large)
            if even:
                cpu.shift(self.colors, self.ways.via, self.ways.mover, large)
            else:
                accessible = self.ways.via >= 0
                z, y, to = self.swap(accessible, active & ~accessible, small)
                own, left = int(self.colors[z]), int(self.colors[y])
                rest = active & ~accessible
                if to >= 0:
                    self.colors[z], self.colors[y] = to, own
                    avoiding = accessible.copy()
                    avoiding[own] = False
                    if not self.reach(avoiding, small, to):
                        raise AssertionError("a class that is terminal was on the only way")
                    cpu.shift(self.colors, self.ways.via, self.ways.mover, to)
                else:
                    self.colors[y] = -1
                    waiting.append((active, rest, small, z, y, own))
                even = left == large
                active, small = rest, left
            if even:
                if not waiting:
                    return steps
                active, rest, small, z, y, own = waiting.pop()
                large = self.free(z, rest)
                self.colors[z], self.colors[y] = large, own

    def swap(self, accessible: np.ndarray, rest: np.ndarray, small: int) -> tuple[int, int, int]:
        """z, y and the class that z is movable to, or −1: see the head of the module."""
        classes = np.flatnonzero(accessible)
        place = np.full(self.k, -1, np.int64)
        place[classes] = np.arange(len(classes))
        movable, seen = np.zeros((len(classes), len(classes)), np.bool_), np.full(len(classes), -1, np.int64)
        cpu.digraph(self.partial, place, seen, movable)
        ends = np.zeros(self.k, np.bool_)
        ends[classes[cpu.terminal(movable, int(place[small]))]] = True
        zs, ys = self.solo_edges(ends, rest)
        order, marks = np.argsort(zs, kind="stable"), (np.full(x, -1, np.int64) for x in (self.k, len(self.colors)))
        z, y, to = cpu.exchange(self.partial, zs[order], ys[order], accessible, PAIRS_FIRST, *marks)
        if z < 0:
            raise AssertionError("no solo vertex to exchange: a degree is not below the number of classes")
        return int(z), int(y), int(to)

    def solo_edges(self, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
        """Pairs (z, y) as in `equitable_cpu.solo_edges`: int64, shape (2, pairs)."""
        pairs, found = np.empty((2, 0), np.int64), 16
        while found > pairs.shape[1]:
            pairs = np.empty((2, found), np.int64)
            scratch = np.zeros((2, self.k), np.int64)
            found = int(cpu.solo_edges(self.partial, inside, outside, *scratch, *pairs))
        return pairs[:, :found]
