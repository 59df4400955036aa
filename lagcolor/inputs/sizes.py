"""How many vertices edges have: as the caller says, as their numbers say, or as many as there are different numbers."""

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

FAR_APART = 4  # numbers are renumbered where fewer than one in so many occur, and there are over FEW
FEW = 1000
OCCUR = 0.99  # share of 1 … n−1 that occur where numbers that lack 0 seem to count from 1


def sized(structure: Structure, n: int | None) -> Structure:
    """With the number of vertices that the caller gives; numbers that are far apart become labels, ascending."""
    if structure.n is not None:
        if n is not None and n != structure.n:
            raise GraphError(f"n = {n}, but the input has {structure.n} vertices: leave n out")
        return structure
    if n is not None:
        return replace(structure, n=n)
    return _renumbered(structure) if structure.loose and _far_apart(structure.first, structure.second) else structure


def _far_apart(u: Any, v: Any) -> bool:
    """Whether fewer than a quarter of the numbers up to the largest, which is over 1000, occur."""
    if not len(u) or not len(v) or {u.dtype.kind, v.dtype.kind} - set("iu") or dev.is_cupy(u):
        return False
    n = 1 + max(extremes.largest(u), extremes.largest(v))
    if n <= FEW or min(extremes.span(u)[0], extremes.span(v)[0]) < 0:
        return False
    if n > 2 * FAR_APART * len(u):  # too few ends: no need to count
        return True
    seen = np.zeros(n, bool)
    seen[u] = True
    seen[v] = True
    return n > FAR_APART * int(np.count_nonzero(seen))


def _renumbered(structure: Structure) -> Structure:
    u, v = structure.first, structure.second
    if np.result_type(u, v).kind == "f":  # NumPy would convert int64 and uint64 to floats; none is negative
        u, v = u.astype(np.uint64), v.astype(np.uint64)
    labels = np.union1d(u, v)
    u, v = (np.searchsorted(labels, end) for end in (u, v))
    return replace(structure, first=u, second=v, n=len(labels), labels=labels.tolist())


def warn_of_counting_from_one(structure: Structure, indptr: Any) -> None:
    """Warn where the vertices of edges without a size seem to be 1 … n.

    That is where vertex 0 is in no edge, not even in a self-loop, 1 is, and so are 99 % of the numbers up to the
    largest (all, where these are fewer than 100). A vertex 0 that is isolated as others are is nothing unusual.
    """
    if structure.n is not None or len(indptr) < 3 or int(indptr[1]) != 0:
        return
    n = len(indptr) - 1
    with dev.using(indptr):
        there = indptr[2:] > indptr[1:-1]
        # 0 may be there in a self-loop, which the graph has not.
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
        f"all numbers to avoid this. If vertex 0 exists and has no edges, pass n={n}, or begin a file of m edges with "
        f"the first line '# Nodes: {n} Edges: m'",
        NumberingWarning,
        stacklevel=level_of_caller(),
    )


def whole(n: Any) -> int:
    """The number of vertices that a caller gives."""
    try:
        return operator.index(n)
    except TypeError:
        raise GraphError(f"n must be a whole number, the number of vertices, not {n!r}") from None


def check_vertices(n: int, wanted: int | None) -> None:
    """Raise a GraphError where a graph of n vertices has not the number that the caller gives."""
    if wanted is not None and wanted != n:
        raise GraphError(f"n = {wanted}, but the graph has {n} vertices: leave n out")


def check_most(n: int) -> None:
    """Raise a GraphError if int32 cannot number all vertices."""
    if n > MOST_VERTICES:
        raise GraphError(f"{n} vertices are more than the {MOST_VERTICES} that lagcolor can number")
