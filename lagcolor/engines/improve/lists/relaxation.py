"""Lagrangian relaxation of clique inequalities: lower bounds, and sets of vertices to leave out.

In a clique of more than k vertices at least the surplus over k has no color. Cliques come from the smallest-last order,
one from each vertex and its neighbors before it. In a chordal graph these include all maximal cliques, and a set that
satisfies their inequalities leaves a graph of k colors. The relaxation bounds the cost from below in each connected
part. To find a set, vertices of negative reduced cost are left out, then vertices of least reduced cost in cliques that
are still too large. Then vertices that need not be left out are colored again, the most expensive first.

=========  =============================================================================================================
cliques    CSR: vertices of the cliques; `surplus`: minimum number of these to leave out; `of_clique`: the part
price      multiplier of each clique
reduced    cost of a vertex minus the prices of its cliques
direction  direction of the change of prices
value      per part: value of the relaxation; `bound`: the largest so far, a lower bound
share      per part: length of a step as a share of the gap between bound and best coloring; `stale`: iterations since
           the bound has increased
=========  =============================================================================================================

References
----------
Held, Karp 1971, "The traveling-salesman problem and minimum spanning trees: Part II": the subgradient method;
Camerini, Fratta, Maffioli 1975, "On improving relaxation methods by modified gradient techniques": directions with a
share of the previous one; Caprara, Fischetti, Toth 1999, "A heuristic method for the set covering problem": reduced
costs choose the cover.
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

MOMENTUM = 0.7  # share of the previous direction in the next one
SLICE = 1 << 22  # entries that a compiled call reads
PATIENCE, SHRINK = 10, 0.5  # after this number of iterations without a larger bound, steps shrink by this factor


class Relaxation:
    """Lower bounds and sets to leave out, for the parts of a graph on the CPU. It adds cliques until the time `end`."""

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
        """Cliques of each vertex, CSR."""
        order = np.argsort(self.members, kind="stable")
        starts = np.searchsorted(self.members[order], np.arange(len(self.cost) + 1))
        return starts, np.repeat(np.arange(len(self.price)), np.diff(self.offsets))[order]

    @property
    def cliques(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices of each clique, CSR."""
        return self.offsets, self.members

    def restart(self) -> None:
        """Continue from the present prices with long steps."""
        self.share[:], self.stale[:], self.direction[:] = 1, 0, 0

    def improve(self, iterations: int, least: np.ndarray, end: float = math.inf) -> None:
        """Run steps of the subgradient method, until `end`. `least`: cost of the best coloring of each part."""
        about, costs = (self.surplus, self.of_clique), (self.cost, self.part, self.reduced)
        prices, bounds = (self.price, self.direction), (self.bound, self.share, self.stale)
        for _ in range(iterations):
            if clock() > end:
                break
            step(self.cliques, about, costs, prices, bounds, least)

    def left_out(self) -> np.ndarray:
        """Return a mask of vertices to leave out that satisfies all clique inequalities."""
        out = self.reduced < 0
        n_out = np.zeros(len(self.price), np.int64)
        fill(self.cliques, self.surplus, self.reduced, out, n_out)
        some = np.flatnonzero(out)
        some = some[np.argsort(-self.cost[some], kind="stable")]
        drop(some, *self.of_vertex, n_out, self.surplus, out)
        return out

    def order(self, out: np.ndarray) -> np.ndarray:
        """Return the order of coloring, to be read from its end: smallest last, then the vertices left out."""
        some = np.flatnonzero(out)
        some = some[np.argsort(self.cost[some], kind="stable")]
        return np.concatenate([some, self.sequence[~out[self.sequence]][::-1]]).astype(np.uint32)


@njit(cache=True, nogil=True)
def grow_all(before: Any, rows: Any, k: Any, mark: Any, ends: Any, members: Any, at: Any, budget: Any) -> None:
    """Find cliques of more than k vertices, each from a vertex and its neighbors before it, the last neighbor first."""
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
            n_left = 0
            for i in range(size - 1):
                if mark[left[i]] == q + mark.size * (p + 1):
                    left[n_left] = left[i]
                    n_left += 1
            size = n_left
        if end - ends[count] > k:
            count += 1
            ends[count] = end
    at[1] = count


@njit(cache=True, nogil=True)
def step(cliques: Any, about: Any, costs: Any, prices: Any, bounds: Any, least: Any) -> None:
    """Compute reduced costs and bounds for the present prices, and the next prices."""
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
    for i in range(price.size):  # the subgradient: surplus minus the number of vertices left out
        lacking = surplus[i]
        for e in range(offsets[i], offsets[i + 1]):
            lacking -= reduced[members[e]] < 0
        direction[i] = MOMENTUM * direction[i] + (lacking if lacking > 0 or price[i] > 0 else 0.0)
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
def fill(cliques: Any, surplus: Any, reduced: Any, out: Any, n_out: Any) -> None:
    """Leave out more vertices until each clique has its surplus; count the vertices left out in `n_out`."""
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
            n_out[i] += out[members[e]]


@njit(cache=True, nogil=True)
def drop(some: Any, starts: Any, clique: Any, n_out: Any, surplus: Any, out: Any) -> None:
    """Color again, in this order, vertices that no clique requires to be left out."""
    for v in some:
        needed = False
        for e in range(starts[v], starts[v + 1]):
            needed = needed or n_out[clique[e]] <= surplus[clique[e]]
        if needed:
            continue
        out[v] = False
        for e in range(starts[v], starts[v + 1]):
            n_out[clique[e]] -= 1
