"""Simplification with optimistic coloring: vertices are removed one after the other, and colored in the reverse order.

A vertex with fewer neighbors left than colors goes first, for it finds a color whatever the others have. Where there is
none, the vertex with the least cost for its number of neighbors goes: it is colored in its turn if a color is left to
it then, and stays without one otherwise. Barred colors count as neighbors.

References
----------
Chaitin 1982, "Register allocation and spilling via graph coloring": the order; Briggs, Cooper, Torczon 1994,
"Improvements to graph coloring register allocation": the optimistic choice; Bernstein et al. 1989, "Spill code
minimization techniques for optimizing compilers": several exponents of the number of neighbors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ....base.device.heaps import pop, push
from ...exact.k_core import GONE, peel_from, select

ONE32, WORD = np.uint32(1), np.int64(32)


def simplified(graph: Any, lists: Any, degrees: np.ndarray, k: int, cost: np.ndarray, power: int) -> np.ndarray:
    """The colors, −1 without one; the graph and the lists of barred colors are CSR, `degrees` are all k or more."""
    n = len(degrees)
    order, key = np.empty(n, np.uint32), np.zeros(1, np.float32)
    heap, keys = np.empty(n + 1, np.int64), (key, key.view(np.int32))
    remove(graph, degrees.copy(), k, (cost, power), order, heap, keys)
    colors = np.full(n, -1, np.int32)
    select(graph, order, lists, np.full(k, -1, np.int64), colors)
    return colors


@njit(cache=True, nogil=True)
def remove(graph: Any, degrees: Any, k: Any, costs: Any, order: Any, heap: Any, key: Any) -> None:
    """Fill `order`. The heap has one number per vertex: float32 bits of its ratio, then its number.

    Ratios rise while neighbors go, so that one that is out of date is too small, and is put back when it comes up.
    """
    (indptr, indices), (cost, power) = graph, costs
    n, count = order.size, 0
    for i in range(n):
        push(heap, i, ratio(cost, power, i, degrees[i], key))
    filled = n
    while count < n:  # none that is left has fewer neighbors than colors
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


@njit(cache=True, nogil=True)
def ratio(cost: Any, power: Any, v: Any, degree: Any, key: Any) -> Any:
    """The number of the heap for a vertex."""
    number, bits = key
    x = np.float64(cost[v])
    for _ in range(power):
        x /= degree + 1
    number[0] = x
    return np.int64(bits[0]) << WORD | np.int64(v)
