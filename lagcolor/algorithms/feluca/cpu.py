"""Steps of Feluca on a CPU: threads share the edge list; one thread simulates the blocks of the pipeline in turn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.device import threads_for
from ...base.device.bits import in_window
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64, load_relaxed, store_relaxed
from ...base.device.parallel import launch, parallel, row_ranges, slots
from ...graph.graph import Graph
from ...orders import Priorities

ZERO, ONE = np.uint64(0), np.uint64(1)
NONE = 2**31 - 1


class Edges(NamedTuple):
    """Edge list (section 4.3): edges from the earlier to the later vertex.

    The paper reverses an edge ⟨i, j⟩ with i > j. An undirected graph stores both directions, so one is dropped.
    """

    parents: Any  # int32, shape (m / 2,), by increasing child
    children: Any
    begins: Any  # shape (n + 1,): the first edge of each child


def edges(G: Graph, p: Priorities) -> Edges:
    """Edge list of a graph in an order, on any device; cached in the graph if the order has a name."""

    def make() -> Edges:
        rows = G.rows_of_entries()
        up = G.indices < rows if p.is_natural else p.p[G.indices] > p.p[rows]
        children = rows[up]
        return Edges(G.indices[up], children, ends_of(dev.counts(children, G.n), G.indptr.dtype))

    return make() if p.name == "user" else G._cached(f"feluca edges {p.name} {p.seed}", make)


def ends_of(sizes: Any, dtype: np.dtype) -> Any:
    """Cumulative sums of sizes, with a leading 0."""
    out = dev.module_of(sizes).zeros(len(sizes) + 1, dtype)
    out[1:] = sizes.cumsum()
    return out


class CPUSteps:
    """Rounds of the first stage and steps of the second stage on one graph."""

    def __init__(self, G: Graph, p: Priorities, length: int, threads: int | None) -> None:
        self.rows, self.max_degree = (G.indptr, G.indices), G.max_degree
        self.p, self.E, self.length = p.p, edges(G, p), length
        self.parts = row_ranges(self.E.begins, threads_for(threads, G.m))

    @property
    def n_parents(self) -> Any:
        """Number of parents of each vertex."""
        return np.diff(self.E.begins)

    def round(self, levels: Any, k: int, before: Any, after: Any) -> tuple[int, int]:
        """Run round k from `before` to `after`; return the numbers of vertices in conflict and of vertices reached."""
        reached = np.empty(0, np.int32) if levels is None else levels
        counts = np.zeros((len(self.parts) - 1, 2), np.int64)
        args = (self.E.begins, self.E.parents, reached, k, before, after, self.length, counts, self.parts)
        launch(color_round, len(counts), slots(0), *args)
        conflicts, new = counts.sum(axis=0).tolist()
        return conflicts, new

    def by_levels(self, left: Any, colors: Any) -> tuple[Any, Any]:
        """Sort the vertices left by levels of their DAG, set colors to −1 − position; return them and level ends."""
        colors[left] = -1
        level = np.full(len(colors), -1, np.int32)
        find_levels(*self.rows, left[np.argsort(-self.p[left])], level)
        order, ends = left[np.argsort(level[left], kind="stable")], np.cumsum(np.bincount(level[left]))
        colors[order] = -1 - np.arange(len(order), dtype=np.int32)
        return order, ends

    def pipeline(self, order: Any, ends: Any, colors: Any) -> Any:
        """Run the pipeline; return active and conflicting vertices of each step, shape (steps, 2)."""
        counts = np.zeros((len(ends) + self.max_degree + 1, 2), np.int64)
        take_in_turn(*self.rows, order.copy(), ends, colors, counts)
        return counts

    def at_once(self, order: Any, ends: Any, colors: Any, first: int, n_colors: int) -> Any:
        """Least of the colors first … first + n_colors − 1 that each vertex gets, all processed independently."""
        found, stamps = np.full(len(order), NONE, np.int32), np.full(len(order), -1, np.int32)
        take_at_once(*self.rows, order, ends, colors, first, n_colors, stamps, found)
        return found

    def fit(self, left: Any, colors: Any) -> Any:
        """Least color of each vertex that no neighbor has."""
        new = np.empty(len(left), np.int32)
        fit(*self.rows, colors, left, new)
        return new

    def loses(self, left: Any, colors: Any) -> Any:
        """For each vertex, True if an earlier neighbor has the same color."""
        lost = np.zeros(len(left), np.bool_)
        compare(*self.rows, self.p, colors, left, lost)
        return lost


@parallel
def color_round(
    t: Any, shared: Any, begins: Any, parents: Any, levels: Any, k: Any, before: Any, after: Any, length: Any,
    counts: Any, parts: Any,
) -> None:  # fmt: skip
    """Run a round for a range of vertices; without levels, all parents are compared."""
    reached = conflicts = 0
    for v in range(parts[t], parts[t + 1]):
        begin, end, own = begins[v], begins[v + 1], before[v]
        least, greatest, hit = NONE, -1, False
        for e in range(begin, end):
            if not compared(levels, parents[e], k):
                continue
            c = before[parents[e]]
            least, greatest, hit = min(least, c), max(greatest, c), hit or c == own
        if levels.size and greatest >= 0 and levels[v] < 0:
            store_relaxed(levels, np.uint64(v), np.int32(k + 1))
            reached += 1
        if begin == end:
            continue
        after[v] = own
        if not hit:
            continue
        window = ZERO
        for e in range(begin, end):
            above = np.uint64(before[parents[e]] - least)
            if length > 2 and above < np.uint64(64) and compared(levels, parents[e], k):
                window |= ONE << above
        after[v] = next_color(own, least, greatest, window, length)
        conflicts += 1
    counts[t, 0], counts[t, 1] = conflicts, reached


@inner()
def compared(levels: Any, u: Any, k: Any) -> Any:
    """True if round k compares with parent u, because its level was reached before."""
    if not levels.size:
        return True
    level = load_relaxed(levels, np.uint64(u))
    return 0 <= level <= k


@inner()
def next_color(own: Any, least: Any, greatest: Any, window: Any, length: Any) -> Any:
    """Select NeighborColors[j] + 1, or the color after the greatest; bit i of `window` is color least + i."""
    c = least + 1
    for _ in range(length - 2):
        if not window >> np.uint64(c - least) & ONE:
            break
        c += 1
    return c if c < greatest and c != own else greatest + 1


@njit(cache=True, nogil=True)
def find_levels(indptr: Any, indices: Any, left: Any, level: Any) -> None:
    """Level of each vertex of `left`, which is in order: one more than the highest level of its parents."""
    for v in left:
        top = -1
        for e in range(indptr[v], indptr[v + 1]):
            top = max(top, level[indices[e]])
        level[v] = top + 1


@inner()
def is_taken(indptr: Any, indices: Any, colors: Any, stamps: Any, v: Any, c: Any) -> Any:
    """True if a neighbor of v has color c, or is stamped with it."""
    for e in range(indptr[v], indptr[v + 1]):
        x = colors[indices[e]]
        if x == c or (x < 0 and stamps.size and stamps[-1 - x] == c):
            return True
    return False


@njit(cache=True, nogil=True)
def take_in_turn(indptr: Any, indices: Any, order: Any, ends: Any, colors: Any, counts: Any) -> None:
    """Run the pipeline: in step s block c processes level s − c. The uncolored vertices of a level stay in front."""
    stamps = np.empty(0, np.int32)
    sizes = ends.copy()
    sizes[1:] -= ends[:-1]
    starts, left = ends - sizes, order.size
    for s in range(len(counts)):
        for level in range(min(s, ends.size - 1), -1, -1):
            c, at = s - level, starts[level]
            end = at
            for i in range(at, at + sizes[level]):
                v = order[i]
                if is_taken(indptr, indices, colors, stamps, v, c):
                    order[end] = v
                    end += 1
                else:
                    colors[v] = c
            counts[s, 0] += sizes[level]
            counts[s, 1] += end - at
            left -= sizes[level] - (end - at)
            sizes[level] = end - at
        if left == 0:
            return


@njit(cache=True, nogil=True)
def take_at_once(
    indptr: Any, indices: Any, order: Any, ends: Any, colors: Any, first: Any, n_colors: Any, stamps: Any, found: Any
) -> None:
    """Block i stamps the vertices that can take color first + i, cyclically from level i · levels / n_colors on."""
    for i in range(n_colors):
        start = i * ends.size // n_colors
        for j in range(ends.size):
            level = (start + j) % ends.size
            for at in range(ends[level - 1] if level else 0, ends[level]):
                if not is_taken(indptr, indices, colors, stamps, order[at], first + i):
                    stamps[at] = first + i
                    found[at] = min(found[at], first + i)


@njit(cache=True, nogil=True)
def fit(indptr: Any, indices: Any, colors: Any, left: Any, new: Any) -> None:
    """Least color that no neighbor has, in windows of 64."""
    for i, v in enumerate(left):
        base, seen = 0, ~ZERO
        while ~seen == ZERO:
            seen = ZERO
            for e in range(indptr[v], indptr[v + 1]):
                seen |= in_window(colors[indices[e]], base)
            base += 64
        new[i] = np.int32(base - 64) + np.int32(ctz64(~seen))


@njit(cache=True, nogil=True)
def compare(indptr: Any, indices: Any, p: Any, colors: Any, left: Any, lost: Any) -> None:
    """Set `lost` for vertices whose color an earlier neighbor has."""
    for i, v in enumerate(left):
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            lost[i] |= p[u] > p[v] and colors[u] == colors[v]
