"""Few colors for graphs where most vertices have twins: neighbors with the same other neighbors.

The unknowns of a node of a finite-element mesh are such. The first vertex of each class stands for it: with d unknowns
per node, the graph of these has 1 / d² of the entries, so DSATUR and ejection cost little there. A color of that graph
becomes as many colors as the largest of its classes has vertices. This is worth it where most classes are as large as
the largest.

DSATUR breaks ties by breadth-first order, last first. On 270 shuffled boxes of hexahedra this takes 8 colors, the
fewest, on 255 and at most 10 on the others. With ties by degree DSATUR takes 8 on 17 and up to 13, and smallest last
takes 10 to 13.

Twins have equal sums of hashes over themselves and their neighbors. Other vertices may have equal sums, too. Therefore
the colors are checked, and dropped where two neighbors share one.

=========  ====================================================================
number     class of each vertex; `place` where it is in its class
first      first vertex of each class, rising; `size` how many vertices it has
table      classes by hash, open addressing; EMPTY where there is none
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

FULL = 3 / 4  # of the vertices that there were if all classes were as large as the largest
# Limits of ejection between first vertices: rounds; work, as a share of the entries and a constant.
ROUNDS, SHARE, BESIDE = 1024, 1 / 6, 1 << 13
ONE, HALF = np.uint64(1), np.uint64(32)
AHEAD = np.uint64(16)  # vertices between a prefetch and its use


class Classes(NamedTuple):
    """The classes; arrays as above, for up to n of them."""

    number: np.ndarray
    place: np.ndarray
    first: np.ndarray
    size: np.ndarray


def color_twins(G: Graph, seed: int = 0, least: int = 0) -> np.ndarray | None:
    """A coloring of a graph on a CPU, of `least` colors or more; None if classes have many sizes, or hashes collide."""
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
    """Colors of the first vertices: in breadth-first order, which keeps neighbors near each other in memory."""
    sequence = breadth_first(Q.indptr, Q.indices, np.arange(Q.n))[0][::-1].copy().view(np.uint32)
    near = induced(Q, sequence)
    colors = color_all(*unsigned(near), np.arange(Q.n, dtype=np.uint32), ENDLESS)[0]
    rule = Rule(ROUNDS, 0, 0, ROUNDS, 0, int(SHARE * Q.m) + BESIDE, 0, ENDLESS, 1, False)
    out = np.empty(Q.n, np.int32)
    out[sequence] = eject_by_work(near, colors, 1 + int(colors.max()), seed, least, rule)[0]
    return out


@njit(cache=True, nogil=True)
def find_classes(indptr: Any, indices: Any, hashes: Any, table: Any, classes: Any) -> int:
    """Number the classes by their first vertices; returns how many there are."""
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
    """Where in the table a hash belongs, by its lower bits."""
    return h ^ (h >> HALF)


@njit(cache=True, nogil=True)
def is_proper(indptr: Any, indices: Any, colors: Any) -> bool:
    """Whether no two neighbors share a color."""
    for v in range(np.uint64(colors.size)):
        for e in range(indptr[v], indptr[v + ONE]):
            u = np.uint64(indices[e])
            if u > v:  # the row is sorted, and u has the entry, too
                break
            if colors[u] == colors[v]:
                return False
    return True
