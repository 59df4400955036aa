"""Balancing where rules leave colors unused: over the colors in use alone, however large these are.

An unused color that some free vertex could take is a *bound*: were a vertex to move from below it to above it, it
would leave a gap that it could fill itself. So the classes below the least bound are balanced, in the graph of their
vertices; vertices above it stay, and none can be in the way, for none of their colors is one that a vertex moves to.

Colors are numbered by rank for that, and forbidden colors outside of the classes become k, which is never tested.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...graph.components import induced
from ...graph.graph import Graph
from .scheduled import Allowed, sizes_of


def balance_in_use(
    G: Graph, colors: np.ndarray, least: int, allowed: Allowed, balance: Callable[..., Any]
) -> tuple[np.ndarray, bool]:
    """A coloring whose classes in use are as even as `balance` makes them, and whether these are all colors."""
    classes, rules, some = np.unique(colors), allowed, np.ones(G.n, np.bool_)
    if len(classes) < least:
        unused = np.setdiff1d(np.arange(least, dtype=np.int32), classes)
        classes = np.union1d(classes, unused[: least - len(classes)])
    bound = None if least else least_bound(G.n, classes, allowed)
    if bound is not None:
        some = colors < bound
        G, allowed, classes = induced(G, np.flatnonzero(some)), _of_some(allowed, some), classes[classes < bound]
    k, out = len(classes), colors.copy()
    if allowed.forbidden is not None:
        offsets, forbidden = allowed.forbidden
        at = np.where(np.isin(forbidden, classes), np.searchsorted(classes, forbidden), k)
        allowed = replace(allowed, forbidden=(offsets, at.astype(np.int32)))
    new, *_ = balance(G, np.searchsorted(classes, colors[some]).astype(np.int32), k, allowed)
    out[some] = classes[new]
    return fill(out, rules) if least else out, bound is None and classes.max(initial=-1) < k


def least_bound(n: int, used: np.ndarray, allowed: Allowed) -> int | None:
    """The least color under the largest that no vertex has and some vertex could take; None without any."""
    keep, offsets, forbidden = allowed.arrays(n)
    if keep.all() or not len(used):
        return None
    lengths = np.diff(offsets)
    below = np.arange(min(int(used[-1]), len(used) + int(lengths.max(initial=0))) + 1)  # one is not forbidden to all
    asked = forbidden[(forbidden < len(below)) & ~np.repeat(keep, lengths)]
    able = np.bincount(asked, minlength=len(below)) < n - np.count_nonzero(keep)
    able[used[used < len(below)]] = False
    return int(able.argmax()) if able.any() else None


def fill(colors: np.ndarray, allowed: Allowed) -> np.ndarray:
    """The same colors, but where a vertex may take an unused color below its own one does.

    One pass from color 0 on is enough: what a vertex leaves empty is above what it fills. A vertex whose
    class has others goes first, so that the class that it begins is one more, and none gets larger.
    """
    colors = colors.copy()
    keep, offsets, forbidden = allowed.arrays(len(colors))
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


def sizes_in_use(colors: np.ndarray, least: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Weight of each class in use, and 0 for each that there are fewer than `least`; int64."""
    values, place = np.unique(colors, return_inverse=True)
    sizes = sizes_of(place.astype(np.int32), len(values), weights)
    return np.concatenate([sizes, np.zeros(max(least - len(sizes), 0), np.int64)])


def _of_some(allowed: Allowed, some: np.ndarray) -> Allowed:
    """What is allowed to some vertices."""
    forbidden = allowed.forbidden
    if forbidden is not None:
        lengths = np.diff(forbidden[0])
        forbidden = np.append(0, np.cumsum(lengths[some])), forbidden[1][np.repeat(some, lengths)]
    keep, weights = (None if a is None else a[some] for a in (allowed.keep, allowed.weights))
    return Allowed(keep, forbidden, weights)
