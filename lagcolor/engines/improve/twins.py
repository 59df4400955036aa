"""Coloring of graphs in which most vertices have twins: neighbors with the same other neighbors.

The unknowns of a node of a finite-element mesh are twins. The first vertex of each class of twins represents it. With d
unknowns per node, the graph of these vertices has 1 / d² of the entries, so DSATUR and ejection are cheap there. Each
color of that graph becomes as many colors as the largest of its classes has vertices. The result is good if most
classes have the size of the largest class.

DSATUR breaks ties by breadth-first order, last first. On 270 shuffled boxes of hexahedra this needs 8 colors, the
fewest, on 255 boxes and at most 10 on the others. With ties by degree DSATUR needs 8 on 17 boxes and up to 13, and
smallest last needs 10 to 13.

Twins have equal sums of hashes over themselves and their neighbors. Other vertices may have equal sums, too. Therefore
the colors are checked, and discarded if two neighbors share a color.

=========  ====================================================================
number     class of each vertex; `place`: its place in the class
first      first vertex of each class, increasing; `size`: number of its vertices
table      classes by hash, open addressing; EMPTY: no class
=========  ====================================================================

References
----------
Ashcraft 1995, "Compressed graphs and the minimum degree algorithm".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import prefetch
from ...graph.components import breadth_first, induced
from ...graph.conflicts import EMPTY, hash_of
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ..exact.dsatur import color_all
from .ejections import ENDLESS, Rule, eject_by_work

FULL = 3 / 4  # minimum number of vertices, as a share of the number if all classes were as large as the largest
# Limits of ejection on the graph of first vertices: rounds; work, as a share of the entries plus a constant.
ROUNDS, SHARE, EXTRA_WORK = 1024, 1 / 6, 1 << 13
ONE, HALF = np.uint64(1), np.uint64(32)
AHEAD = np.uint64(16)  # vertices between a prefetch and its use


class Classes(NamedTuple):
    """Classes of twins; arrays as above, with capacity for n classes."""

    number: np.ndarray
    place: np.ndarray
    first: np.ndarray
    size: np.ndarray


def color_twins(G: Graph, seed: int = 0, least: int = 0) -> np.ndarray | None:
    """Color a graph on a CPU with at least `least` colors; None if class sizes differ too much, or hashes collide."""
    graph, n = unsigned(G), G.n
    number, place, size = np.empty((3, n), np.int32)
    classes = Classes(number, place, np.empty(n, np.uint32), size)
    table = np.full(1 << max(2 * n - 1, 1).bit_length(), EMPTY, np.uint32)
    k = find_classes(*graph, np.empty(n, np.uint64), table, classes)
    first, size = classes.first[:k], size[:k]
    largest = int(size.max(initial=0))
    if k == n or n < FULL * k * largest:
        return None
    colors = color_first(induced(G, first), seed, -(-least // largest))
    width = np.zeros(int(colors.max()) + 1, np.int32)
    np.maximum.at(width, colors, size)
    start = np.cumsum(width, dtype=np.int32) - width
    out = start[colors][number] + place
    return out if is_proper(*graph, out.astype(np.min_scalar_type(int(width.sum())))) else None


def color_first(Q: Graph, seed: int, least: int) -> np.ndarray:
    """Color the first vertices, numbered in breadth-first order, so that neighbors are close in memory."""
    sequence = breadth_first(Q.indptr, Q.indices, np.arange(Q.n))[0][::-1].copy().view(np.uint32)
    near = induced(Q, sequence)
    colors = color_all(*unsigned(near), np.arange(Q.n, dtype=np.uint32), ENDLESS)[0]
    rule = Rule(ROUNDS, 0, 0, ROUNDS, 0, int(SHARE * Q.m) + EXTRA_WORK, 0, ENDLESS, 1, False)
    out = np.empty(Q.n, np.int32)
    out[sequence] = eject_by_work(near, colors, 1 + int(colors.max()), seed, least, rule)[0]
    return out


@njit(cache=True, nogil=True)
def find_classes(indptr: Any, indices: Any, hashes: Any, table: Any, classes: Any) -> int:
    """Number the classes by their first vertices; return the number of classes."""
    number, place, first, size = classes
    n, mask, k = np.uint64(number.size), np.uint64(table.size - 1), 0
    for v in range(n):
        h = hash_of(v)
        for e in range(indptr[v], indptr[v + ONE]):
            h += hash_of(np.uint64(indices[e]))
        hashes[v] = h
    for v in range(n):
        prefetch(table, home(hashes[min(v + AHEAD, n - ONE)]) & mask)
        h = hashes[v]
        at = home(h) & mask
        while table[at] != EMPTY and hashes[first[table[at]]] != h:  # ends: half of the table is empty
            at = (at + ONE) & mask
        if table[at] == EMPTY:
            table[at], first[k], size[k] = k, v, 0
            k += 1
        c = table[at]
        number[v], place[v] = c, size[c]
        size[c] += 1
    return k


@njit(cache=True, nogil=True, inline="always")
def home(h: Any) -> Any:
    """Return a number whose lower bits are the home slot of a hash in the table."""
    return h ^ (h >> HALF)


@njit(cache=True, nogil=True)
def is_proper(indptr: Any, indices: Any, colors: Any) -> bool:
    """Return whether no two neighbors share a color."""
    for v in range(np.uint64(colors.size)):
        for e in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[e])
            if u > v:  # the row is sorted, and the row of u has this entry, too
                break
            if colors[u] == colors[v]:
                return False
    return True
