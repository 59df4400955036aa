"""Balance beyond single moves: along ways through several classes, and by swaps of two colors (Kempe chains).

Where no vertex of a large class is movable to a small one, some may be movable to a third class, and vertices of that
one to the small one, and so on: as many vertices as all steps of the shortest way allow move one class on, up to half
the difference of the two. Where no way is left, the two colors are swapped in connected parts of their two classes: in
those with more vertices of the larger class, the largest first that do not move more than half the difference.

A step is only tried into a smallest class or out of a largest one, between classes that differ by two or more.

Progress: each step makes the sum of the squares of the class sizes smaller; and there is a limit on what is read.

All of it is on one core; symbols as in equitable_cpu.py.

References
----------
The ways: Kierstead, Kostochka 2008, "A short proof of the Hajnal-Szemerédi theorem on equitable colouring", Lemma 2.1,
for one vertex at a time there.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from . import equitable_cpu as cpu
from .plan import reached

ONE32 = np.uint32(1)
PASSES, LEAST = 64, 1 << 24  # what may be read: times the entries and vertices of the graph, and at least


def even_out_further(
    G: Graph, colors: np.ndarray, k: int, scaled: int, keep: np.ndarray | None = None, log: Log | None = None
) -> np.ndarray:
    """Balance a coloring that `even_out` could not."""
    log = log or Log()
    colors = colors.copy()
    search = _Search(G, colors, k, np.zeros(G.n, np.bool_) if keep is None else keep)
    while not reached(search.sizes, scaled) and (moved := search.step()):
        log.round(active=0, colored=moved, conflicts=0)
    return colors


class _Search:
    """A coloring, changed in place, and the sizes of its classes."""

    def __init__(self, G: Graph, colors: np.ndarray, k: int, keep: np.ndarray) -> None:
        self.graph = cpu.Partial(*unsigned(G), colors, np.zeros(G.n, np.bool_))
        self.colors, self.k, self.keep = colors, k, keep
        self.sizes = np.bincount(colors, minlength=k)
        self.active, self.ways = np.ones(k, np.bool_), cpu.Ways.room(G.n, k)
        self.each = G.n + G.m  # about what a pass reads
        self.left = max(PASSES * self.each, LEAST)

    def step(self) -> int:
        """One way or some swaps; how many vertices changed, 0 where nothing is left to try."""
        order = np.argsort(self.sizes, kind="stable")
        least, most = int(self.sizes[order[0]]), int(self.sizes[order[-1]])
        for small in order.tolist():
            if self.sizes[small] > most - 2 or self.left < 0:
                break
            sources = self.active if self.sizes[small] == least else self.sizes == most
            if moved := self.along_a_way(small, sources):
                return moved
        for small in order.tolist():
            for large in order[::-1].tolist():
                if self.sizes[large] < self.sizes[small] + 2 or self.left < 0:
                    break
                if self.sizes[small] == least or self.sizes[large] == most:
                    self.left -= max(self.each // max(self.k // 2, 1), len(self.colors) // 16)  # all colors are read
                    sides = int(self.sizes[large] - self.sizes[small])
                    moved = swap_colors(self.graph, self.keep, large, small, sides)
                    if moved:
                        self.sizes[large] -= moved
                        self.sizes[small] += moved
                        return moved
        return 0

    def along_a_way(self, small: int, sources: np.ndarray) -> int:
        """Move vertices from the largest of some classes that reaches this one; how many in all."""
        via = self.ways.via
        cpu.reach(self.graph, self.active, self.keep, small, -1, self.ways)
        self.left -= self.each + self.k * self.k // 16  # classes are looked for among all, again and again
        able = np.flatnonzero((via >= 0) & sources & (self.sizes >= self.sizes[small] + 2))
        if not len(able):
            return 0
        c = int(able[np.argmax(self.sizes[able])])
        way = [c]
        while via[c] != c:
            c = int(via[c])
            way.append(c)
        each = int(self.sizes[way[0]] - self.sizes[small]) // 2
        steps = list(itertools.pairwise(way))
        for c, d in steps:  # what leaves d later on lets no fewer in
            each = int(self.move(c, d, each, False))
        for c, d in reversed(steps):
            self.move(c, d, each, True)
        self.sizes[way[0]] -= each
        self.sizes[small] += each
        self.left -= self.each
        return each * len(steps)

    def move(self, c: int, d: int, most: int, really: bool) -> int:
        """Move vertices of c to d, or count those that could."""
        return int(move_some(self.graph, self.keep, (c, d), most, really, self.ways))


@njit(cache=True, nogil=True)
def move_some(g: Any, keep: Any, pair: Any, most: Any, really: Any, ways: Any) -> Any:
    """Move the first vertices of c without a neighbor in d there, `most` of them, or count them; `pair` is c, d."""
    (c, d), colors, marks = pair, g.colors, ways.marks
    ways.stamp[0] += 1
    stamp = ways.stamp[0]
    for v in range(colors.size):
        if colors[v] == d:
            for e in range(g.indptr[v], g.indptr[v + ONE32]):
                marks[g.indices[e]] = stamp
    found = 0
    for v in range(colors.size):
        if found < most and colors[v] == c and marks[v] != stamp and not keep[v]:
            found += 1
            if really:
                colors[v] = d
    return found


class KempeComponents(NamedTuple):
    """Connected parts of two classes, one after the other in `queue`, up to `ends`; part 0 is none.

    ``gains[p]``: how many more vertices of part p the larger class has; 0 where one must stay.
    """

    part: Any
    queue: Any
    ends: Any
    gains: Any


def swap_colors(g: cpu.Partial, keep: np.ndarray, large: int, small: int, difference: int) -> int:
    """Swap two colors in some connected parts of their classes; by how much the larger class has shrunk."""
    n = len(g.colors)
    parts = KempeComponents(np.full(n, -1, np.int64), np.empty(n, np.int64), *np.zeros((2, n + 1), np.int64))
    count = int(_divide(g, keep, large, small, parts))
    order = np.argsort(-parts.gains[:count], kind="stable")
    return int(_swap(g.colors, large, small, difference, order, parts))


@njit(cache=True, nogil=True)
def _divide(g: Any, keep: Any, large: Any, small: Any, found: Any) -> Any:
    """Fill `KempeComponents`; how many there are, with part 0."""
    colors, (part, queue, ends, gains) = g.colors, found
    tail, parts = 0, 1
    for source in range(colors.size):
        if (colors[source] != large and colors[source] != small) or part[source] >= 0:
            continue
        head, gain, stuck = tail, 0, False
        queue[tail] = source
        tail += 1
        part[source] = parts
        while head < tail:
            v = queue[head]
            head += 1
            gain += 1 if colors[v] == large else -1
            stuck = stuck or keep[v]
            for e in range(g.indptr[v], g.indptr[v + ONE32]):
                u = g.indices[e]
                if part[u] < 0 and (colors[u] == large or colors[u] == small):
                    part[u] = part[source]
                    queue[tail] = u
                    tail += 1
        ends[parts] = tail
        gains[parts] = 0 if stuck else gain
        parts += 1
    return parts


@njit(cache=True, nogil=True)
def _swap(colors: Any, large: Any, small: Any, difference: Any, order: Any, parts: Any) -> Any:
    """Swap the colors of the parts that fit into half of the difference, the largest gains first; the sum of gains."""
    queue, ends, gains = parts.queue, parts.ends, parts.gains
    left, last, total = difference // 2, -1, 0
    for i in range(order.size):
        p = order[i]
        gain = gains[p]
        if gain <= 0:
            break
        if gain > left and gain < difference:
            last = p
        if gain <= left:
            left -= gain
            total += gain
            for j in range(ends[p - 1], ends[p]):
                colors[queue[j]] = small if colors[queue[j]] == large else large
    if total == 0 and last >= 0:  # the least of those that overshoot, and still end nearer
        total = gains[last]
        for j in range(ends[last - 1], ends[last]):
            colors[queue[j]] = small if colors[queue[j]] == large else large
    return total
