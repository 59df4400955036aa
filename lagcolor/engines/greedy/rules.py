"""First-fit with rules: each free vertex in turn takes the smallest color that its rules allow and no neighbor has.

A `Task` (tasks.py) has the fixed colors, the forbidden colors and the limit of colors; it runs on one core and on a
GPU. With capacities the color of a vertex depends on all earlier vertices, not only on neighbors. Such a graph on a GPU
is copied to the CPU.

Two shortcuts give the same colors faster. A limit of colors that first-fit does not reach changes nothing, so
first-fit without the limit is tried first. On a CPU small fixed colors become codes of one byte, and sequential.py
colors the free vertices (1000 × 1000 grid, a tenth fixed: 27 ms, and 85 ms by tasks.py).

Capacities: each node of a tree over the colors stores the largest free capacity below it. A search in the tree
skips full classes in O(log k) steps: with capacity 100, a million vertices have 10,000 full classes. Each vertex
searches once, and once more for each color with free capacity that a neighbor has or that is forbidden:
O(degree · log k).

=======  ===============================================================================================
tree     tree[size + c] is the free capacity of color c, tree[i] the larger of tree[2i] and tree[2i + 1]; −1: none
marks    marks[c] is the position of the last vertex that has color c forbidden or at a neighbor
loads    weight of the fixed vertices of each color
=======  ===============================================================================================

Without `max_colors` the number of colors in the tree doubles if a vertex finds no color, and this vertex is tried
again. Progress: a class without a fixed vertex can take any vertex (problems/rules), and the neighbors and forbidden
colors of a vertex exclude only as many classes as there are of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.compiled import inner, njit
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.rules import MOST_COLORS, Rules
from ...problems.task import NONE
from .sequential import BASE, LAST, narrow, publish
from .tasks import first_fit_task

FIRST = 64  # colors of the first tree


def first_fit_with_rules(G: Graph, p: Priorities, log: Log, rules: Rules, without_rules: Callable[[], Any]) -> Any:
    """Return the colors of sequential first-fit with rules, the same on all devices."""
    if rules.capacity is None and rules.forbidden is None:
        colors = without_rules() if rules.fixed is None else _around_small(G, p, rules.fixed)
        most = MOST_COLORS if rules.max_colors is None else rules.max_colors
        if colors is not None and extremes.largest(colors) < most:
            return colors
    order = None if p.is_natural else p.sequence
    if rules.capacity is None:
        return first_fit_task(G, rules.task(G.max_degree), order)
    if not G.on_gpu:
        return first_fit_with_capacities(G, rules, order)
    log.notes["capacity"] = "colored on the CPU, in a copy of the graph: first-fit with capacities is sequential"
    order = None if order is None else dev.to_device(order, "cpu")
    return dev.to_device(first_fit_with_capacities(G.on("cpu"), rules.on("cpu"), order), G.device)


def _around_small(G: Graph, p: Priorities, fixed: Any) -> Any:
    """Return first-fit colors around fixed colors; None on a GPU, or if a color does not fit into a word of bits."""
    if G.on_gpu or extremes.largest(fixed) > int(LAST - BASE):
        return None
    state = np.where(fixed < 0, 0, fixed + int(BASE)).astype(np.uint8)
    free = p.sequence[state[p.sequence] == 0].view(np.uint32)
    if narrow(*unsigned(G), free, state, np.empty_like(state), 0, len(free))[0] < len(free):
        return None
    return publish(state, np.empty(G.n, np.int32))


# ---- capacities ------------------------------------------------------------------------------------------------------


def first_fit_with_capacities(G: Graph, rules: Rules, order: Any = None) -> np.ndarray:
    """Return first-fit colors with rules that include capacities, on a CPU."""
    task = rules.task(G.max_degree)
    sequence, limit = task.sequence(G, order), rules.max_colors or MOST_COLORS
    colors = task.begin(G, NONE)
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
    """Return a tree of `size` colors with the capacities of the given tree for its colors."""
    grown, old = np.empty(2 * size), len(tree) // 2
    grown[size : size + old] = tree[old:]
    grown[size + old :] = rules.capacities(old, size)
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
    """Color the vertices from position `first` on; return the first position that needs a larger tree."""
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
        c = next_free_color(tree, size, np.int64(0), weights[v])
        while c < size and marks[c] == mark:
            c = next_free_color(tree, size, c + 1, weights[v])
        if c < size:
            colors[v] = c
            use_capacity(tree, size, c, weights[v])
        elif size < limit:
            return i
    return np.int64(sequence.size)


@inner()
def next_free_color(tree: Any, size: Any, c: Any, weight: Any) -> Any:
    """Return the smallest color from c on with enough capacity for a weight; `size` if there is none."""
    if c >= size:
        return size
    i = size + c
    while tree[i] < weight:  # up, then to the right; after the last leaf there is no node to the right
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


@inner()
def use_capacity(tree: Any, size: Any, c: Any, weight: Any) -> None:
    """Subtract a weight from the free capacity of a color."""
    i = size + c
    tree[i] -= weight
    while i > 1:
        i >>= 1
        tree[i] = max(tree[2 * i], tree[2 * i + 1])
