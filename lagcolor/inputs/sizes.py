"""Number of vertices of edges: the caller's number, the largest number + 1, or the number of different numbers."""

from __future__ import annotations

import operator
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.errors import GraphError, NumberingWarning, level_of_caller
from .canonical import Structure
from .checks import MOST_VERTICES

FAR_APART = 4  # vertices are renumbered if less than 1 in FAR_APART numbers up to the largest, over FEW, occurs
FEW = 1000
OCCUR = 0.99  # least share of 1 … n−1 that occurs if numbers without 0 seem to count from 1


def sized(structure: Structure, n: int | None) -> Structure:
    """Return a structure with the caller's number of vertices; numbers that are far apart become labels, ascending."""
    if structure.n is not None:
        if n is not None and n != structure.n:
            raise GraphError(f"n = {n}, but the input has {structure.n} vertices: leave n out")
        return structure
    if n is not None:
        return replace(structure, n=n)
    return _renumbered(structure) if structure.loose and _far_apart(structure.first, structure.second) else structure


def _far_apart(u: Any, v: Any) -> bool:
    """Whether less than a quarter of the numbers up to the largest occur, and the largest is at least 1000."""
    if not len(u) or not len(v) or {u.dtype.kind, v.dtype.kind} - set("iu") or dev.is_cupy(u):
        return False
    n = 1 + max(extremes.largest(u), extremes.largest(v))
    if n <= FEW or min(extremes.span(u)[0], extremes.span(v)[0]) < 0:
        return False
    if n > 2 * FAR_APART * len(u):  # too few ends for a quarter of the numbers
        return True
    seen = np.zeros(n, bool)
    seen[u] = True
    seen[v] = True
    return n > FAR_APART * int(np.count_nonzero(seen))


def _renumbered(structure: Structure) -> Structure:
    u, v = structure.first, structure.second
    if np.result_type(u, v).kind == "f":  # NumPy would convert int64 and uint64 to floats; no number is negative
        u, v = u.astype(np.uint64), v.astype(np.uint64)
    labels = np.union1d(u, v)
    u, v = (np.searchsorted(labels, end) for end in (u, v))
    return replace(structure, first=u, second=v, n=len(labels), labels=labels.tolist())


def warn_of_counting_from_one(structure: Structure, indptr: Any) -> None:
    """Warn if the vertices of edges without a size seem to be 1 … n.

    This is the case if vertex 0 is in no edge, not even in a self-loop, but vertex 1 is, and so are 99 % of the numbers
    up to the largest (all, if these are fewer than 100). If more vertices are isolated, vertex 0 is not unusual.
    """
    if structure.n is not None or len(indptr) < 3 or int(indptr[1]) != 0:
        return
    n = len(indptr) - 1
    with dev.using(indptr):
        there = indptr[2:] > indptr[1:-1]
        # 0 may be in a self-loop, which the graph does not contain.
        found = extremes.count_true(there)
        if not bool(there[0]) or found < OCCUR * (n - 1):
            return
        if min(extremes.span(structure.first)[0], extremes.span(structure.second)[0]) == 0:
            return
    warn_of_first(n, found)


def warn_of_first(n: int, found: int) -> None:
    """Warn that vertex 0 of n has no edge, and `found` of the others have."""
    warnings.warn(
        f"vertex 0 has no edge, and {'all' if found == n - 1 else 'nearly all'} of 1 … {n - 1} have: if the vertices "
        "count from 1, colors[v] is still the color of vertex v, and colors[0] belongs to no vertex; subtract 1 from "
        f"all numbers to avoid this. If vertex 0 exists and has no edges, pass n={n} (to lagcolor.Graph.of if the call "
        f"has no n), or begin a file of m edges with the first line '# Nodes: {n} Edges: m'",
        NumberingWarning,
        stacklevel=level_of_caller(),
    )


def whole(n: Any) -> int:
    """Return the caller's number of vertices as an int."""
    try:
        return operator.index(n)
    except TypeError:
        raise GraphError(f"n must be a whole number, the number of vertices, not {n!r}") from None


def check_vertices(n: int, wanted: int | None) -> None:
    """Raise a GraphError if a graph of n vertices should have another number, `wanted`."""
    if wanted is not None and wanted != n:
        raise GraphError(f"n = {wanted}, but the graph has {n} vertices: leave n out")


def check_most(n: int) -> None:
    """Raise a GraphError if int32 cannot number all vertices."""
    if n > MOST_VERTICES:
        raise GraphError(f"{n} vertices are more than the {MOST_VERTICES} that lagcolor can number")
