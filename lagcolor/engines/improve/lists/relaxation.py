"""Which vertices to leave out, by cliques alone: of a clique of more than k vertices at least the surplus has no color.

Cliques come from the smallest-last order, one from each vertex and its neighbors before it: in a chordal graph these
are all maximal ones, and as few vertices as satisfy them leave a graph of k colors. Lagrangian relaxation of the clique
inequalities bounds the cost from below, in each connected part by itself. Vertices of negative reduced cost are left
out; then vertices of least reduced cost where a clique has too many left; then vertices that turn out not to be needed
take part again, the most expensive first.

=========  =============================================================================================================
cliques    CSR: their vertices, `surplus` how many of these are left out at least, `of_clique` the part
price      multiplier of each clique
reduced    cost of a vertex less the prices of its cliques
direction  of the change of prices
value      per part: of the relaxation; `bound`: the largest so far, a lower bound
share      per part: of the gap between bound and best coloring, for the length of a step; `stale`: iterations since the
           bound has grown
=========  =============================================================================================================

References
----------
Held, Karp 1971, "The traveling-salesman problem and minimum spanning trees: Part II": the subgradient method;
Camerini, Fratta, Maffioli 1975, "On improving relaxation methods by modified gradient techniques": directions that keep
a share of the last; Caprara, Fischetti, Toth 1999, "A heuristic method for the set covering problem": reduced costs
choose the cover.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ....base.compile_clock import clock
from ....base.device.compiled import filled, njit
from ....graph.components import induced
from ....graph.graph import Graph
from ....inputs.transpose_cpu import Entries, grouped
from ....orders import Priorities

KEPT = 0.7  # share of the last direction that the next one has
SLICE = 1 << 22  # entries that a compiled call reads
PATIENCE, SHRINK = 10, 0.5  # iterations without a larger bound, after which steps are shorter by a factor


class Relaxation:
    """Bounds and sets to leave out of the parts of a graph on the CPU. After the moment `end` no clique is added."""

    def __init__(self, G: Graph, k: int, cost: np.ndarray, part: np.ndarray, end: float = math.inf) -> None:
        self.cost, self.part, self.bound = cost, part, np.zeros(int(part.max(initial=-1)) + 1)
        self.sequence = Priorities.of(G, "smallest_last", seed=None).sequence
        n, in_order = G.n, induced(G, self.sequence)
        place, near = in_order.rows_of_entries(), in_order.indices
        later = near > place
        before, rows = grouped(Entries(place[later], near[later], by_rows=False), n, repeats=True)  # neighbors before
        ends, members = np.zeros(n + 1, np.int64), np.empty(G.m // 2 + n, np.int64)
        mark, at = np.full(n, -1, np.int64), np.zeros(2, np.int64)
        while at[0] < n and clock() <= end:
            grow_all(before, rows, k, mark, ends, members, at, SLICE)
        count = int(at[1])
        self.offsets, self.members = ends[: count + 1], self.sequence[members[: ends[count]]].astype(np.int64)
        self.surplus = (np.diff(self.offsets) - k).astype(np.float64)
        self.of_clique = part[self.members[self.offsets[:-1]]]
        self.price, self.direction, self.reduced = np.zeros(count), np.zeros(count), cost.copy()
        self.share, self.stale = np.ones(len(self.bound)), np.zeros(len(self.bound), np.int64)

    @functools.cached_property
    def of_vertex(self) -> tuple[np.ndarray, np.ndarray]:
        """The cliques of each vertex, CSR."""
        order = np.argsort(self.members, kind="stable")
        starts = np.searchsorted(self.members[order], np.arange(len(self.cost) + 1))
        return starts, np.repeat(np.arange(len(self.price)), np.diff(self.offsets))[order]

    @property
    def cliques(self) -> tuple[np.ndarray, np.ndarray]:
        """CSR."""
        return self.offsets, self.members

    def restart(self) -> None:
        """Go on with long steps, from the present prices."""
        self.share[:], self.stale[:], self.direction[:] = 1, 0, 0

    def improve(self, iterations: int, least: np.ndarray, end: float = math.inf) -> None:
        """A number of steps of the subgradient method, until `end`; `least`: of each part, what the best leaves out."""
        about, costs = (self.surplus, self.of_clique), (self.cost, self.part, self.reduced)
        prices, bounds = (self.price, self.direction), (self.bound, self.share, self.stale)
        for _ in range(iterations):
            if clock() > end:
                break
            step(self.cliques, about, costs, prices, bounds, least)

    def left_out(self) -> np.ndarray:
        """Which vertices to leave out, so that all clique inequalities hold: bool."""
        out = self.reduced < 0
        held = np.zeros(len(self.price), np.int64)
        fill(self.cliques, self.surplus, self.reduced, out, held)
        some = np.flatnonzero(out)
        some = some[np.argsort(-self.cost[some], kind="stable")]
        drop(some, *self.of_vertex, held, self.surplus, out)
        return out

    def order(self, out: np.ndarray) -> np.ndarray:
        """The order of coloring, from its end on: all but those left out as in the smallest-last order, then these."""
        some = np.flatnonzero(out)
        some = some[np.argsort(self.cost[some], kind="stable")]
        return np.concatenate([some, self.sequence[~out[self.sequence]][::-1]]).astype(np.uint32)


@njit(cache=True, nogil=True)
def grow_all(before: Any, rows: Any, k: Any, mark: Any, ends: Any, members: Any, at: Any, budget: Any) -> None:
    """The cliques of over k vertices, each from a vertex and those before it, the last of these first; `at` goes on."""
    first, count = at[0], at[1]
    read = np.int64(0)
    left = np.empty(rows.size and (before[1:] - before[:-1]).max(), np.int64)
    for p in range(first, mark.size):
        if read > budget:
            break
        at[0] = p + 1
        size = before[p + 1] - before[p]
        if size < k:
            continue
        for i in range(size):
            left[i] = rows[before[p] + i]
        end = ends[count]
        members[end] = p
        end += 1
        while size > 0 and end - ends[count] + size > k:
            q = left[size - 1]
            members[end] = q
            end += 1
            read += before[q + 1] - before[q] + size
            for e in range(before[q], before[q + 1]):
                mark[rows[e]] = q + mark.size * (p + 1)
            kept = 0
            for i in range(size - 1):
                if mark[left[i]] == q + mark.size * (p + 1):
                    left[kept] = left[i]
                    kept += 1
            size = kept
        if end - ends[count] > k:
            count += 1
            ends[count] = end
    at[1] = count


@njit(cache=True, nogil=True)
def step(cliques: Any, about: Any, costs: Any, prices: Any, bounds: Any, least: Any) -> None:
    """Reduced costs and bounds for the present prices, and the next prices."""
    (offsets, members), (surplus, of_clique), (cost, part, reduced) = cliques, about, costs
    (price, direction), (bound, share, stale) = prices, bounds
    value, norm = filled(bound.size, 0, np.float64), filled(bound.size, 0, np.float64)
    reduced[:] = cost
    for i in range(price.size):
        value[of_clique[i]] += price[i] * surplus[i]
        for e in range(offsets[i], offsets[i + 1]):
            reduced[members[e]] -= price[i]
    for v in range(cost.size):
        value[part[v]] += min(reduced[v], 0.0)
    for i in range(price.size):  # the direction grows by how much a clique lacks vertices that are left out
        lacking = surplus[i]
        for e in range(offsets[i], offsets[i + 1]):
            lacking -= reduced[members[e]] < 0
        direction[i] = KEPT * direction[i] + (lacking if lacking > 0 or price[i] > 0 else 0.0)
        norm[of_clique[i]] += direction[i] * direction[i]
    for p in range(value.size):  # `norm` becomes the length of the step
        stale[p] += 1
        if value[p] > bound[p]:
            bound[p], stale[p] = value[p], 0
        elif stale[p] == PATIENCE:
            share[p], stale[p] = share[p] * SHRINK, 0
        norm[p] = share[p] * max(least[p] - value[p], 0.0) / norm[p] if norm[p] > 0 else 0.0
    for i in range(price.size):
        price[i] = max(price[i] + norm[of_clique[i]] * direction[i], 0.0)


@njit(cache=True, nogil=True)
def fill(cliques: Any, surplus: Any, reduced: Any, out: Any, held: Any) -> None:
    """Leave out more until each clique has its surplus; `held`: how many of each are."""
    offsets, members = cliques
    for i in range(surplus.size):
        count = 0
        for e in range(offsets[i], offsets[i + 1]):
            count += out[members[e]]
        while count < surplus[i]:
            best = np.int64(-1)
            for e in range(offsets[i], offsets[i + 1]):
                v = members[e]
                if not out[v] and (best < 0 or reduced[v] < reduced[best]):
                    best = v
            out[best] = True
            count += 1
    for i in range(surplus.size):
        for e in range(offsets[i], offsets[i + 1]):
            held[i] += out[members[e]]


@njit(cache=True, nogil=True)
def drop(some: Any, starts: Any, clique: Any, held: Any, surplus: Any, out: Any) -> None:
    """Color again, in this order, vertices that no clique needs to leave out."""
    for v in some:
        needed = False
        for e in range(starts[v], starts[v + 1]):
            needed = needed or held[clique[e]] <= surplus[clique[e]]
        if needed:
            continue
        out[v] = False
        for e in range(starts[v], starts[v + 1]):
            held[clique[e]] -= 1
