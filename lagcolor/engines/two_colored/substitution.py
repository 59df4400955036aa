"""The order of entries in a substitution: two-colored trees from their leaves to their roots.

The compressed matrix of a graph's adjacency matrix A is B[v, c] = Σ A[v, u] over the neighbors u of v with color c. In
an acyclic coloring a vertex v has with its neighbors of color c one tree of the colors of v and c. At a leaf, B[v, c]
is one entry; subtracted from the sum that its other end has with the color of v, it leaves a smaller tree. All leaves
of all trees are a level, so a tree takes half of its diameter in levels.
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
    """The edges in an order that finds each, level by level.

    With R = B at first, for each edge of a level: x = R[vertex, color] is the value of the entries `entry` and
    `mirror`, and R[parent, parent_color] −= x where that color is not −1. Edges of a level may have one parent; no
    place is read in the level that writes to it.

    All but `levels` have an element per edge. Level l has edges levels[l] … levels[l + 1] − 1.
    """

    entry: np.ndarray  # place of (vertex, parent) in the stored entries
    mirror: np.ndarray  # place of (parent, vertex)
    vertex: np.ndarray
    color: np.ndarray  # of the parent
    parent: np.ndarray
    parent_color: np.ndarray  # of the vertex, −1 where that sum is not read afterwards
    levels: np.ndarray


def recover(G: Graph, colors: np.ndarray) -> Substitution:
    """The order of substitution. What vertices and colors of an `Augmented` graph mean: see `direct.recover`."""
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
            f"no order of substitution finds edge ({v}, {u}) of colors {colors[v]} and {colors[u]}: this is no "
            "acyclic coloring"
        )
    parent_color = np.where(last, np.int32(-1), colors[ends[1]])
    return Substitution(entry, place[entry], ends[1], colors[ends[0]], ends[0], parent_color, levels)


@njit(cache=True, nogil=True)
def _equations(indptr: Any, indices: Any, colors: Any, first: Any, equation: Any, number: Any, names: Any) -> None:
    """The sum that each entry is in, named by its first entry; its size; and the exclusive or of its entries."""
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
    """Entries in the order of substitution, whether the other sum is never read after, offsets of levels."""
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
    """Fill `entry` and `read`, and say in `ends` after how many entries a level ends; returns how many there are.

    Each turn of the outer loop takes the sums that came to have one entry in the turn before; each does so once, so
    that `queue`, with its first `filled` entries in use, is large enough for all.
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
