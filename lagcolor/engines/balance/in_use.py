"""Balancing where rules leave colors unused: over the colors in use alone, however large these are.

An unused color that some free vertex could take is a *bound*: were a vertex to move from below it to above it, it
would leave a gap that it could fill itself. So the classes below the least bound are balanced, in the graph of their
vertices; vertices above it stay, and none can be in the way, for none of their colors is one that a vertex moves to.

Colors are numbered by rank for that, and forbidden colors outside of the classes become k, which is never tested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.compiled import njit
from ...graph.components import induced
from ...graph.graph import Graph
from .scheduled import Allowed, sizes_of


@dataclass(frozen=True)
class Balanced:
    """What is balanced, with colors 0 … k − 1, and how to put it back.

    Attributes
    ----------
    G : Graph
    colors : array of int32
    k : int
    allowed : Allowed
    classes : array of int32, shape (k,)
        The color that each of 0 … k − 1 stands for, rising.
    vertices : array of bool, or None
        Which of the whole graph these are; None: all.
    """

    G: Graph
    colors: Any
    k: int
    allowed: Allowed
    classes: Any
    vertices: Any = None

    def put_back(self, colors: Any, new: Any) -> Any:
        """Colors of the whole graph, with new ones in this part."""
        if self.vertices is None:
            return self.classes[new]
        out = colors.copy()
        out[self.vertices] = self.classes[new]
        return out


def part_of(G: Graph, colors: Any, least: int, allowed: Allowed) -> Balanced:
    """The classes to balance of a proper coloring with rules."""
    xp = G.xp
    classes = xp.unique(colors)
    if len(classes) < least:
        unused = xp.setdiff1d(xp.arange(least, dtype=np.int32), classes)
        classes = xp.sort(xp.concatenate([classes, unused[: least - len(classes)]]))
    some = None
    if not least and (bound := least_bound(G.n, dev.to_device(classes, "cpu"), allowed)) is not None:
        some = colors < bound
        G, colors, allowed = induced(G, xp.flatnonzero(some)), colors[some], _of_some(allowed, some)
        classes = classes[classes < bound]
    k = len(classes)
    if allowed.forbidden is not None:
        offsets, forbidden = allowed.forbidden
        at = xp.searchsorted(classes, forbidden).astype(np.int32)
        known = classes[xp.minimum(at, max(k - 1, 0))] == forbidden if k else at < 0
        allowed = replace(allowed, forbidden=(offsets, xp.where(known, at, np.int32(k)).astype(np.int32)))
    return Balanced(G, xp.searchsorted(classes, colors).astype(np.int32), k, allowed, classes, some)


def least_bound(n: int, used: np.ndarray, allowed: Allowed) -> int | None:
    """The least color under the largest that no vertex has and some vertex could take; None without any."""
    kept = 0 if allowed.keep is None else extremes.count_true(allowed.keep)
    if kept == n or not len(used):
        return None
    offsets, forbidden = (None, None) if allowed.forbidden is None else allowed.forbidden
    # So many, and not all are forbidden.
    most = 1 if offsets is None else 1 + extremes.largest(offsets[1:] - offsets[:-1])
    below = np.arange(min(int(used[-1]) + 1, len(used) + most))
    unused = np.setdiff1d(below, used)
    if not len(unused) or forbidden is None:
        return int(unused[0]) if len(unused) else None
    asked = forbidden < len(below)
    if allowed.keep is not None:
        asked &= ~allowed.keep[_rows(offsets, len(forbidden))]
    barred = dev.to_device(dev.counts(forbidden[asked], len(below)), "cpu")
    able = unused[barred[unused] < n - kept]
    return int(able[0]) if len(able) else None


def fill(colors: np.ndarray, allowed: Allowed) -> np.ndarray:
    """The same colors, but where a vertex may take an unused color below its own one does.

    On the CPU. One pass from color 0 on is enough: what a vertex leaves empty is above what it fills. A vertex whose
    class has others goes first, so that the class that it begins is one more, and none gets larger.
    """
    colors = colors.copy()
    keep = np.zeros(len(colors), np.bool_) if allowed.keep is None else allowed.keep
    offsets, forbidden = allowed.forbidden or (np.zeros(len(colors) + 1, np.int64), np.zeros(0, np.int32))
    top = int(colors[~keep].max(initial=-1)) + 1  # no vertex may fill gaps above
    if top > 0:
        most = 1 + int(np.diff(offsets).max(initial=0))  # this number of gaps, and not all are forbidden to a vertex
        top = min(top, len(colors) + most)
        fill_gaps(colors, keep, offsets, forbidden, np.bincount(np.minimum(colors, top), minlength=top + 1))
    return colors


@njit(cache=True, nogil=True)
def fill_gaps(colors: Any, keep: Any, offsets: Any, forbidden: Any, sizes: Any) -> None:
    """Fill each color of 0 … that has size 0, in place; colors from the last on count as that."""
    n, last, start = colors.size, sizes.size - 1, 0
    for c in range(last):
        if sizes[c] > 0:
            continue
        found, alone = -1, -1
        for i in range(n):
            v = start + i if start + i < n else start + i - n
            if keep[v] or colors[v] <= c:
                continue
            barred = False
            for e in range(offsets[v], offsets[v + 1]):
                barred = barred or forbidden[e] == c
            if barred:
                continue
            if sizes[min(colors[v], last)] > 1:
                found = v
                break
            if alone < 0:
                alone = v
        if found < 0:
            found = alone
        if found >= 0:
            sizes[min(colors[found], last)] -= 1
            sizes[c] = 1
            colors[found] = c
            start = found


def sizes_in_use(colors: Any, least: int, weights: Any = None) -> np.ndarray:
    """Weight of each class in use, and 0 for each that there are fewer than `least`; int64, on the CPU."""
    xp = dev.module_of(colors)
    values, place = xp.unique(colors, return_inverse=True)
    sizes = sizes_of(place.reshape(-1).astype(np.int32), len(values), weights)
    return np.concatenate([sizes, np.zeros(max(least - len(sizes), 0), np.int64)])


def _rows(offsets: Any, m: int) -> Any:
    """The row of each of m entries of a CSR."""
    xp = dev.module_of(offsets)
    return xp.searchsorted(offsets, xp.arange(m, dtype=offsets.dtype), side="right") - 1


def _of_some(allowed: Allowed, some: Any) -> Allowed:
    """What is allowed to some vertices."""
    xp, forbidden = dev.module_of(some), allowed.forbidden
    if forbidden is not None:
        offsets, colors = forbidden
        lengths = (offsets[1:] - offsets[:-1])[some]
        new = xp.zeros(len(lengths) + 1, np.int64)
        new[1:] = xp.cumsum(lengths)
        forbidden = (new, colors[some[_rows(offsets, len(colors))]])
    keep, weights = (None if a is None else a[some] for a in (allowed.keep, allowed.weights))
    return Allowed(keep, forbidden, weights)
