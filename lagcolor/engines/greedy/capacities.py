"""First-fit with capacities on one core: the least color that no neighbor has, no rule forbids, and whose class has
free capacity.

A tree over the colors keeps the largest free capacity of any color below each node, so that full classes are passed
over in O(log k) steps: with capacity 100, a million vertices have 10,000 full classes before them. A vertex descends
once, and once more for each color with free capacity that a neighbor has or that is forbidden to it: O(degree · log k).

=======  ===============================================================================================
tree     tree[size + c] is the free capacity of color c, tree[i] the larger of tree[2i] and tree[2i + 1]; −1: none
marks    marks[c] is the place of the last vertex that saw color c around it, or among its forbidden ones
loads    what fixed vertices weigh, by color
=======  ===============================================================================================

Without `max_colors` the tree grows: twice the colors, and the vertex at hand begins again. Progress: a class without a
fixed vertex can hold any vertex (problems/rules), and only as many of them are barred as a vertex has neighbors and
forbidden colors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...problems.rules import MOST_COLORS, Rules
from ...problems.task import NONE

FIRST = 64  # colors of the first tree


def first_fit_with_capacities(G: Graph, rules: Rules, order: Any = None) -> np.ndarray:
    """Colors of first-fit with rules."""
    task = rules.task(G.max_degree)
    sequence, limit = task.sequence(G, order), rules.max_colors or MOST_COLORS
    colors = task.begin(G, sequence, mark=NONE)
    offsets, forbidden = rules.lists(G.n)
    weights = rules.weight_of(G.n)
    size, done = min(FIRST, 1 << (limit - 1).bit_length()), 0
    tree, marks = np.empty(0), np.empty(0, np.int32)
    while True:
        tree, marks = _grown(rules, tree, size, weights), np.full(size, -1, np.int32)
        args = (sequence.view(np.uint32), done, colors, offsets, forbidden, weights, tree, marks, limit)
        done = color_with_capacities(*unsigned(G), *args)
        if done == len(sequence):
            return colors
        size *= 2


def _grown(rules: Rules, tree: np.ndarray, size: int, weights: np.ndarray) -> np.ndarray:
    """A tree of a number of colors, the first as they are."""
    grown, old = np.empty(2 * size), len(tree) // 2
    grown[size : size + old] = tree[old:]
    grown[size + old :] = rules.rooms(old, size)
    if rules.fixed is not None:
        here = (rules.fixed >= old) & (rules.fixed < size)
        grown[size:] -= np.bincount(rules.fixed[here], weights[here], size)
    level = size
    while level > 1:
        grown[level // 2 : level] = grown[level : 2 * level].reshape(-1, 2).max(1)
        level //= 2
    return grown


@njit(cache=True, nogil=True)
def color_with_capacities(
    indptr: Any, indices: Any, sequence: Any, first: Any, colors: Any, offsets: Any, forbidden: Any, weights: Any,
    tree: Any, marks: Any, limit: Any,
) -> Any:  # fmt: skip
    """Color the vertices of the sequence from place `first` on; returns the first that needs a larger tree."""
    size = np.int64(marks.size)
    for i in range(first, sequence.size):
        v = sequence[i]
        mark = np.int32(i)
        for e in range(indptr[v], indptr[v + np.uint32(1)]):
            c = np.int64(colors[indices[e]])
            if 0 <= c < size:
                marks[c] = mark
        for j in range(offsets[v], offsets[v + np.uint32(1)]):
            if forbidden[j] < size:
                marks[forbidden[j]] = mark
        c = next_with_room(tree, size, np.int64(0), weights[v])
        while c < size and marks[c] == mark:
            c = next_with_room(tree, size, c + 1, weights[v])
        if c < size:
            colors[v] = c
            take_room(tree, size, c, weights[v])
        elif size < limit:
            return i
    return np.int64(sequence.size)


@njit(cache=True, nogil=True)
def next_with_room(tree: Any, size: Any, c: Any, weight: Any) -> Any:
    """The least color from c on with capacity for a weight; `size` if there is none."""
    if c >= size:
        return size
    i = size + c
    while tree[i] < weight:  # up and to the right; past the last leaf of all there is no parent to go on from
        while i & 1:
            i >>= 1
        if i == 0:
            return size
        i += 1
    while i < size:
        i *= 2
        if tree[i] < weight:
            i += 1
    return i - size


@njit(cache=True, nogil=True)
def take_room(tree: Any, size: Any, c: Any, weight: Any) -> None:
    """Reduce the free capacity of a color."""
    i = size + c
    tree[i] -= weight
    while i > 1:
        i >>= 1
        tree[i] = max(tree[2 * i], tree[2 * i + 1])
