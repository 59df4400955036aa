"""Recovery by substitution: the order of entries, in two-colored trees from leaves to roots.

The compressed matrix of a graph's adjacency matrix A is B[v, c] = Σ A[v, u] over the neighbors u of v with color c. In
an acyclic coloring a vertex v and its neighbors of color c are in one tree of the colors of v and c. At a leaf v, B[v,
c] is one entry. Subtracting it from the sum at the other end, of the color of v, leaves a smaller tree. All leaves
of all trees are one level, so a tree has half of its diameter in levels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...base.errors import ColoringError
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .direct import mirror


class Substitution(NamedTuple):
    """Edges in an order of substitution, level by level.

    Start with R = B. For each edge of a level, x = R[vertex, color] is the value of the entries `entry` and
    `mirror`, and R[parent, parent_color] −= x if this color is not −1. Edges of a level may share a parent; no
    sum is read in a level that writes to it.

    All arrays but `levels` have an element per edge. Level l has edges levels[l] … levels[l + 1] − 1.
    """

    entry: np.ndarray  # position of (vertex, parent) in the stored entries
    mirror: np.ndarray  # position of (parent, vertex)
    vertex: np.ndarray
    color: np.ndarray  # color of the parent
    parent: np.ndarray
    parent_color: np.ndarray  # color of the vertex; −1 if this sum is not read later
    levels: np.ndarray


def recover(G: Graph, colors: np.ndarray) -> Substitution:
    """Return the order of substitution. `direct.recover` explains vertices and colors of an `Augmented` graph."""
    colors = np.ascontiguousarray(colors, np.int32)
    place = mirror(G)
    k = int(colors.max(initial=-1)) + 1
    equation, number, names = np.full(G.m, -1, place.dtype), np.zeros(G.m, np.int32), np.zeros(G.m, place.dtype)
    _equations(*unsigned(G), colors, np.full(k, -1, np.int64), equation, number, names)
    entry, last, levels = _found(equation, number, names, place)
    ends = G.indices[entry], G.indices[place[entry]]
    if 2 * len(entry) < G.m:
        found = np.zeros(G.m, bool)
        found[entry] = found[place[entry]] = True
        e = int(np.argmin(found))
        u, v = int(G.indices[e]), int(G.indices[place[e]])
        raise ColoringError(
            f"no order of substitution finds edge ({v}, {u}) of colors {colors[v]} and {colors[u]}: this is not an "
            "acyclic coloring"
        )
    parent_color = np.where(last, np.int32(-1), colors[ends[1]])
    return Substitution(entry, place[entry], ends[1], colors[ends[0]], ends[0], parent_color, levels)


@njit(cache=True, nogil=True)
def _equations(indptr: Any, indices: Any, colors: Any, first: Any, equation: Any, number: Any, names: Any) -> None:
    """Set the sum of each entry, named by its first entry, the size of each sum and the exclusive or of its entries."""
    for v in range(indptr.size - 1):
        start = np.int64(indptr[v])
        for e in range(start, np.int64(indptr[v + 1])):
            c = colors[indices[e]]
            if c >= 0:
                if first[c] < start:
                    first[c] = e
                q = first[c]
                equation[e] = q
                number[q] += 1
                names[q] ^= e


def _found(equation: Any, number: Any, names: Any, mirror: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return entries in the order of substitution, whether the other sum is not read later, and offsets of levels."""
    entry, read = np.empty(len(equation) // 2, mirror.dtype), np.zeros(len(equation), np.uint8)
    queue = np.empty(np.count_nonzero(number), mirror.dtype)
    leaves = np.flatnonzero(number == 1)
    queue[: len(leaves)], filled = leaves, len(leaves)
    del leaves
    ends = np.zeros(len(entry) + 1, np.bool_)  # of levels
    done = int(_solve((equation, number, names), mirror, queue, filled, (entry, read, ends)))
    del queue
    ends[0] = True
    entry = entry[:done]
    other = equation[mirror[entry]]
    return entry, (other < 0) | (read[other] == 0), np.flatnonzero(ends)


@njit(cache=True, nogil=True)
def _solve(sums: Any, mirror: Any, queue: Any, filled: Any, out: Any) -> Any:
    """Fill `entry` and `read`, and set `ends` after the last entry of each level; return the number of entries.

    Each pass of the outer loop takes the sums that the previous pass reduced to one entry. This happens once per sum,
    so `queue`, with `filled` entries used at first, is large enough.
    """
    equation, number, names = sums
    entry, read, ends = out
    done, at = 0, 0
    while at < filled:
        end = filled
        while at < end:
            q = np.int64(queue[at])
            at += 1
            if number[q] == 0:  # its entry was found at the other end
                continue
            e = np.int64(names[q])
            number[q] = 0
            read[q] = 1
            f = np.int64(mirror[e])
            other = np.int64(equation[f])
            if other >= 0:
                number[other] -= 1
                names[other] ^= f
                if number[other] == 1:
                    queue[filled] = other
                    filled += 1
            entry[done] = e
            done += 1
        ends[done] = True
    return done
