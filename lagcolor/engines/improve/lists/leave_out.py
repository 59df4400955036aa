"""Partial colorings with lists, in which the vertices left without a color are as few, or as cheap, as possible.

1. Vertices whose free neighbors and barred colors together are fewer than k are removed repeatedly: they always find a
   color, and are colored last. The remaining vertices, the core, are split into connected parts.
2. Simplification with optimistic coloring: if no such vertex is left, the vertex with the least ratio of cost to degree
   is removed, and later colored if a color is left for it. Each part uses the best of several ratios.
3. Lagrangian relaxation of clique inequalities: lower bounds, and sets to leave out; first-fit colors the others.
4. Swaps in each part, until the cost is its lower bound or the effort ends.

Fixed vertices bar their color to their neighbors and are not searched. Everything runs on one core.

References
----------
Chaitin 1982, "Register allocation and spilling via graph coloring"; Briggs, Cooper, Torczon 1994, "Improvements to
graph coloring register allocation": the optimistic choice; Bernstein et al. 1989, "Spill code minimization techniques
for optimizing compilers": several exponents of the number of neighbors.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ....base.compile_clock import clock
from ....base.device.compiled import inner, njit
from ....base.device.heaps import pop, push
from ....base.log import before
from ....graph.components import components, induced
from ....graph.graph import Graph
from ....graph.pattern import unsigned
from ...exact.k_core import GONE, peel, peel_from, select
from .relaxation import Relaxation
from .swaps import BARRED, PART, SwapState, begin_all, save, swap

ONE32, WORD = np.uint32(1), np.int64(32)
POWERS = (1, 2, 0)  # costs are divided by these powers of the degree
SLICE = 1 << 18  # entries that a compiled call reads
LEAST_READ = 1 << 12  # minimum number of entries read for a part
ITERATIONS, RESTART = 20, 10  # relaxation: iterations per turn (each ends with a set), turns between two restarts
FIRST_SECONDS = 0.1  # duration of the first swaps if there is a time limit
MOST = 1 << 26  # no swaps if vertices of the core × colors exceed this: 12 bytes each
STAYS = np.int32(2**30)  # degree of vertices that are never removed
TOTAL = 1 << 52  # limit of the sum of the costs as integers
ROUNDING = 1e-9  # relative rounding error of lower bounds


class Effort(NamedTuple):
    """Limits of a search: turns of the relaxation, and entries read by swaps (`share` × entries of the core, or `least`
    if that is more). The search ends at the time `end`; if `timed`, only then."""

    turns: int
    share: int
    least: int
    end: float = math.inf
    timed: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the time `end` has passed; checks for Ctrl-C first."""
        return not before(self.end)

    def part(self, share: float) -> Effort:
        """Return a copy with a share of the remaining time, if `timed`."""
        now = clock()
        return self._replace(end=now + (self.end - now) * share) if self.timed and now < self.end else self


def whole(cost: np.ndarray) -> tuple[np.ndarray, float]:
    """Return costs as int64 (scaled, plus 1 per vertex), and the scale. Integers are exact if their sum allows it."""
    n, power = len(cost), int(np.frexp(cost.max(initial=0))[1])
    if cost.dtype.kind in "iu" and float(cost.sum()) * (n + 1) < TOTAL:
        return cost.astype(np.int64) * (n + 1) + 1, n + 1.0
    scaled = np.ldexp(cost, -power)  # at most 1 each, so that the sum is finite; costs below 2**-970 limit the factor
    factor = (TOTAL - n) / max(float(scaled.sum()), 0.5)
    return np.rint(scaled * factor).astype(np.int64) + 1, math.ldexp(factor, min(-power, 970))


class LeaveOut:
    """A search on the CPU for the vertices that are cheapest to leave out with k ≥ 1 colors.

    `fixed`: colors of fixed vertices, −1 for the others. `lists`: CSR of the colors that vertices may not have.
    `weights`: cost of leaving each vertex out, int64 or float64. After the time `end` only one simplification is done.
    """

    def __init__(
        self, G: Graph, k: int, fixed: np.ndarray, lists: Any, weights: np.ndarray, seed: int,
        end: float = math.inf,
    ) -> None:  # fmt: skip
        self.graph, self.k, self.fixed, self.lists, self.seed = unsigned(G), k, fixed, lists, seed
        self.relaxation: Relaxation | None = None
        order = np.empty(G.n, np.uint32)
        degrees, self.hopeless = degrees_of(self.graph, fixed, lists, k)
        removed = peel(*self.graph, degrees, k, order)
        in_core = (degrees >= 0) & (fixed < 0) & ~self.hopeless
        self.order, self.vertices = order[:removed], np.flatnonzero(in_core).astype(np.uint32)
        cost, self.factor = whole(weights)
        self.cost, self.weights = cost[self.vertices], weights[self.vertices].astype(np.float64)
        self.whole_numbers, self.forced = weights.dtype.kind in "iu", float(weights[self.hopeless].sum())
        self.core, self.barred = induced(G, self.vertices), np.zeros((len(self.vertices), k), np.bool_)
        bar(self.graph, self.vertices, fixed, lists, self.barred)
        self.barred_lists = np.append(0, np.cumsum(self.barred.sum(1))), np.nonzero(self.barred)[1].astype(np.int32)
        count, self.part = components(self.core)
        self.best = np.full(self.core.n, -1, np.int32)
        self.least, self.bounds = np.full(count, np.inf), np.zeros(count)
        for power in POWERS[:1] if clock() > end else POWERS:
            self._keep(simplified(unsigned(self.core), self.barred_lists, degrees[in_core], k, self.cost, power))

    def _keep(self, colors: np.ndarray) -> None:
        """Store the colors of the parts in which they leave out less."""
        out = colors < 0
        left = np.bincount(self.part[out], self.cost[out], len(self.least))
        self.best = np.where((left < self.least)[self.part], colors, self.best)
        self.least = np.minimum(left, self.least)

    @property
    def bound(self) -> float:
        """Lower bound of the cost that any coloring leaves out."""
        return float(self.bounds.sum()) + self.forced

    @property
    def proved(self) -> np.ndarray:
        """Whether it is proved, for each part, that no coloring leaves out less."""
        return self.least <= self._last

    @property
    def _last(self) -> np.ndarray:
        """Proved bound of each part, as an integer: no coloring leaves out less than this."""
        return np.ceil((self.bounds + 1) * self.factor) - 1 if self.whole_numbers else self.bounds * self.factor

    def run(self, effort: Effort) -> None:
        """Run relaxation and swaps; if `effort.timed`, alternately, for longer each time."""
        if effort.is_over:
            return
        if self.relaxation is None:
            self.relaxation = Relaxation(self.core, self.k, self.weights, self.part, effort.end)
        relaxation = self.relaxation
        swaps = len(self.vertices) > 0 and len(self.vertices) * self.k <= MOST
        seconds = FIRST_SECONDS
        while True:  # each turn takes longer
            self._relax(relaxation, effort.part(1 / 2))
            if swaps and not effort.is_over:
                self._swap(effort, min(clock() + seconds, effort.end) if effort.timed else -math.inf)
            is_over = not effort.timed or clock() >= effort.end
            if self.proved.all() or is_over or not (swaps or len(relaxation.price)):
                break
            seconds *= 2
            effort = effort._replace(turns=2 * effort.turns)

    def _relax(self, relaxation: Relaxation, effort: Effort) -> None:
        """Run turns of the relaxation; each ends with a set of vertices to leave out, and a coloring."""
        for i in range(effort.turns if len(relaxation.price) else 0):
            if self.proved.all() or clock() > effort.end:
                break
            if i % RESTART == 0:
                relaxation.restart()
            relaxation.improve(ITERATIONS, self.least / self.factor, effort.end)
            if clock() > effort.end:
                break
            order = relaxation.order(relaxation.left_out())
            colors = np.full(len(order), -1, np.int32)
            select(unsigned(self.core), order, self.barred_lists, np.full(self.k, -1, np.int64), colors)
            self._keep(colors)
            found = relaxation.bound - ROUNDING * (1 + np.abs(relaxation.bound))
            self.bounds = np.maximum(np.ceil(found) if self.whole_numbers else found, 0)

    def _swap(self, effort: Effort, until: float) -> None:
        """Run swaps in all parts, in proportion to their entries; then continue until the time `until`."""
        n, count = len(self.vertices), len(self.least)
        sizes, entries = np.bincount(self.part, minlength=count), np.bincount(self.part, np.diff(self.core.indptr))
        parts = np.zeros(count, PART)
        parts["end"] = np.cumsum(sizes)
        parts["begin"] = parts["end"] - sizes
        self.seed += 1
        parts["random"] = (self.seed * count + np.arange(count)) & 0xFFFFFFFF
        parts["bound"] = self._last
        around, tabu = np.where(self.barred, BARRED, np.int64(0)), np.zeros((n, self.k), np.int32)
        members = np.argsort(self.part, kind="stable").astype(np.uint32)
        out, place = np.empty(n, np.uint32), np.empty(n, np.int32)
        state, graph = SwapState(self.best.copy(), self.best, around, tabu, out, place, members), unsigned(self.core)
        begin_all(graph, self.cost, state, parts)

        def go_on(p: int, end: int) -> bool:
            """Run a slice; return whether the cost of the part is above its bound."""
            part = parts[p]
            swap(graph, self.cost, state, parts[p : p + 1], min(end, part["read"] + SLICE))
            return bool(part["size"] > 0 and part["least"] > part["bound"])

        least = min(effort.least // max(self.core.m, 1), 1 << min(2 * n // 3, 62))  # small cores have few subsets
        share, left = max(effort.share, least), []
        try:
            for p in np.flatnonzero(~self.proved).tolist():
                end = share * int(entries[p]) + LEAST_READ
                while (is_open := go_on(p, end)) and parts["read"][p] < end and not effort.is_over:
                    pass
                left += [p] if is_open else []
            while left and before(until):
                left = [p for p in left if not before(until) or go_on(p, 2**62)]
        finally:  # also after Ctrl-C
            for p in np.flatnonzero(parts["unsaved"]).tolist():
                save(state, parts[p : p + 1])
        self.least = np.minimum(self.least, parts["least"])

    def colors(self) -> np.ndarray:
        """Return the best colors of all vertices, int32, −1 without a color."""
        out = self.fixed.copy()
        out[self.vertices] = self.best
        select(self.graph, self.order, self.lists, np.full(self.k, -1, np.int64), out)
        return out


def degrees_of(graph: Any, fixed: np.ndarray, lists: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, per vertex, free neighbors plus barred colors, int32, and whether all k colors are barred."""
    degrees, hopeless = np.empty(len(fixed), np.int32), np.zeros(len(fixed), np.bool_)
    count_degrees(graph, fixed, lists, np.full(k, -1, np.int64), degrees, hopeless)
    return degrees, hopeless


@njit(cache=True, nogil=True)
def count_degrees(graph: Any, fixed: Any, lists: Any, marks: Any, degrees: Any, hopeless: Any) -> None:
    """Do `degrees_of`: STAYS for fixed vertices; `hopeless`: all colors are barred. `marks` is −1 at first."""
    (indptr, indices), (offsets, forbidden) = graph, lists
    k = marks.size
    for v in range(np.uint32(fixed.size)):
        degrees[v] = STAYS
        if fixed[v] >= 0:
            continue
        free, count = 0, 0
        for e in range(indptr[v], indptr[v + ONE32]):
            c = fixed[indices[e]]
            free += c < 0
            if 0 <= c < k and marks[c] != v:
                marks[c] = v
                count += 1
        for j in range(offsets[v], offsets[v + ONE32]):
            c = forbidden[j]
            if c < k and marks[c] != v:
                marks[c] = v
                count += 1
        degrees[v], hopeless[v] = free + count, count == k


@njit(cache=True, nogil=True)
def bar(graph: Any, vertices: Any, fixed: Any, lists: Any, barred: Any) -> None:
    """Mark the colors that fixed neighbors and lists bar to some vertices."""
    (indptr, indices), (offsets, forbidden) = graph, lists
    k = barred.shape[1]
    for i in range(vertices.size):
        v = vertices[i]
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if 0 <= fixed[u] < k:
                barred[i, fixed[u]] = True
        for j in range(offsets[v], offsets[v + ONE32]):
            if forbidden[j] < k:
                barred[i, forbidden[j]] = True


def simplified(graph: Any, lists: Any, degrees: np.ndarray, k: int, cost: np.ndarray, power: int) -> np.ndarray:
    """Color by simplification, −1 without a color. `lists`: CSR of barred colors; all `degrees` are at least k."""
    n = len(degrees)
    order, key = np.empty(n, np.uint32), np.zeros(1, np.float32)
    heap, keys = np.empty(n + 1, np.int64), (key, key.view(np.int32))
    remove(graph, degrees.copy(), k, (cost, power), order, heap, keys)
    colors = np.full(n, -1, np.int32)
    select(graph, order, lists, np.full(k, -1, np.int64), colors)
    return colors


@njit(cache=True, nogil=True)
def remove(graph: Any, degrees: Any, k: Any, costs: Any, order: Any, heap: Any, key: Any) -> None:
    """Fill `order` with removed vertices. Outdated ratios in the heap are too small; they are updated when popped."""
    (indptr, indices), (cost, power) = graph, costs
    n, count = order.size, 0
    for i in range(n):
        push(heap, i, ratio(cost, power, i, degrees[i], key))
    filled = n
    while count < n:  # the degrees of all remaining vertices are at least k
        x = pop(heap, filled)
        v = np.uint32(x & 0xFFFFFFFF)
        filled -= 1
        if degrees[v] < 0:
            continue
        now = ratio(cost, power, v, degrees[v], key)
        if now > x:
            push(heap, filled, now)
            filled += 1
            continue
        degrees[v], order[count] = GONE, v
        count = peel_from(indptr, indices, degrees, k, order, count, count + 1)


@inner()
def ratio(cost: Any, power: Any, v: Any, degree: Any, key: Any) -> Any:
    """Return the key of a vertex in the heap."""
    number, bits = key
    x = np.float64(cost[v])
    for _ in range(power):
        x /= degree + 1
    number[0] = x
    return np.int64(bits[0]) << WORD | np.int64(v)
