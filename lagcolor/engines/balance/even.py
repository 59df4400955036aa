"""Balancing of a proper coloring for `balance` and `equitable`, by all available steps.

If rules leave colors unused, only the colors in use are balanced. An unused color that some free vertex could take is a
*bound*: a vertex that moves from below it to above it would leave a gap that it could fill itself. So only the classes
below the least bound are balanced, in the subgraph of their vertices. Vertices above the bound do not move, and do not
constrain others, because no vertex moves to their colors. For this, colors are numbered by rank, and forbidden colors
outside of the classes become k, which is never tested.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.compiled import njit
from ...base.log import Log
from ...base.options import flag, is_number, number
from ...graph.components import induced
from ...graph.graph import Graph
from ...graph.nets import Nets, Structure, pairs
from ...problems.rules import Rules
from ..edges.coloring import even as even_edges
from ..improve.lists import NONE_EXISTS
from .equitable import equitable, even_out_further, search_equitable
from .scheduled import FREE, LARGEST, SCALE, Allowed, even_out, reached, scaled, sizes_of

RATIO = 1.05


@dataclass(frozen=True)
class Evenness:
    """The target of balancing."""

    ratio: float  # the largest class must be at most this times the smallest, or at most 1 larger
    equitable: bool = False  # whether to use the exact algorithms, too
    until: float = math.inf  # time at which a search for equitable classes ends

    @classmethod
    def of(cls, balance: Any, even: Any) -> Evenness | None:
        """Return the target for the parameters `balance` and `equitable` of `color`; None if neither is set."""
        if flag("equitable", even):
            return cls(1.0, True)
        if not is_number(balance):
            return cls(RATIO) if flag("balance", balance) else None
        return cls(number("balance", balance, 1.0))


def even_classes(
    H: Structure, colors: Any, wanted: Evenness, log: Log, *, k: int | None = None, allowed: Allowed = FREE,
    seed: int = 0,
) -> Any:  # fmt: skip
    """Balance a structure: edges without weights and rules by paths, others by `balanced` on the graph of pairs."""
    free = allowed.keep is allowed.forbidden is allowed.weights is None
    if not (isinstance(H, Nets) and H.of_edges and free and H.n):
        return balanced(pairs(H), colors, wanted, log, k=k, allowed=allowed, seed=seed)
    k = max(extremes.largest(colors) + 1, k or 0)
    before = dev.to_device(dev.counts(colors, k), "cpu")
    colors = even_edges(H.on("cpu"), dev.to_device(colors, "cpu"), k)
    note(wanted, before, np.bincount(colors, minlength=k), log)
    return dev.to_device(colors, H.device)


def balanced(
    G: Graph, colors: Any, wanted: Evenness, log: Log, *, k: int | None = None, allowed: Allowed = FREE, seed: int = 0
) -> Any:
    """Balance a checked coloring; ``log.notes["balance"]`` describes the result."""
    weights, least = allowed.weights, k or 0
    even = functools.partial(_evened, wanted=wanted, seed=seed, log=log)
    if allowed.keep is None and allowed.forbidden is None:  # all colors are in use
        colors, before, after = even(G, colors, max(extremes.largest(colors) + 1, least), allowed)
    elif G.on_gpu:
        here, allowed = dev.to_device(colors, "cpu"), allowed.on_cpu()
        colors = balanced(G.on("cpu"), here, wanted, log, k=k, allowed=allowed, seed=seed)
        log.notes["balance"]["device"] = "on the CPU, in a copy of the graph: colors are fixed or forbidden"
        return dev.to_device(colors, G.device)
    else:
        before = sizes_in_use(colors, min(least, G.n), weights)
        colors, all_classes = balance_in_use(G, colors, least, allowed, even)
        if not all_classes:  # this note is about some of the classes only
            log.notes.pop("balance", None)
        after = sizes_in_use(colors, min(least, G.n), weights)
        log.notes.pop("gaps", None)
        if gaps := extremes.largest(colors) + 1 - int(np.count_nonzero(after)):
            log.notes["gaps"] = gaps
    note(wanted, before, after, log)
    return colors


def note(wanted: Evenness, before: Any, after: Any, log: Log) -> None:
    """Write how even classes of these sizes are, and were, to ``log.notes["balance"]``."""
    out = {"ratio": wanted.ratio, "before": ratio_of(before), "after": ratio_of(after)}
    out["reached"] = is_reached(after, wanted.ratio)
    if wanted.equitable:
        out["difference"] = int(after.max() - after.min()) if len(after) else 0
    log.notes["balance"] = {**out, **log.notes.pop("balance", {})}


def _evened(
    G: Graph, colors: Any, k: int, allowed: Allowed, *, wanted: Evenness, seed: int, log: Log
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Balance by one step after the other, until the target is reached; return colors, and sizes before and after."""
    colors, before, after = even_out(G, colors, k, wanted.ratio, allowed, seed, log)
    if is_reached(after, wanted.ratio):
        return colors, before, after
    if allowed.weights is not None or (allowed.forbidden is not None and not wanted.equitable):
        return colors, before, after
    host, allowed, here = G.on("cpu"), allowed.on_cpu(), dev.to_device(colors, "cpu")
    keep = allowed.keep
    with log.best_so_far():
        if "interrupted" in log.notes:  # the search for the colors was interrupted
            return colors, before, after
        if wanted.equitable and k > host.max_degree and keep is None and allowed.forbidden is None:
            here = equitable(host, here, k, log)
        elif allowed.forbidden is None:
            here = even_out_further(host, here, k, scaled(wanted.ratio), keep, log)
        uneven = wanted.equitable and not is_reached(np.bincount(here, minlength=k), 1.0)
        if uneven and (found := search_equitable(host, here, k, allowed, wanted.until)):
            outcome, here = found
            if outcome == NONE_EXISTS:
                log.notes["balance"] = {"none_exists": True}
    return dev.to_device(here, G.device), before, np.bincount(here, minlength=k)


def allowed_by(rules: Rules | None, device: str) -> Allowed:
    """Return what the rules of a coloring allow. Balancing never makes a class heavier than the heaviest class was."""
    if rules is None:
        return FREE
    rules = rules.on(device)
    with dev.using(rules.fixed):
        keep = None if rules.fixed is None else rules.fixed >= 0
    weights = whole_weights(rules.weights)
    if weights is not None:
        if not rules.weights.all():
            keep = dev.to_device(rules.weights == 0, device) | (False if keep is None else keep)
        weights = dev.to_device(weights, device)
    return Allowed(keep, rules.forbidden, weights)


def is_reached(sizes: np.ndarray, ratio: float) -> bool:
    """Return whether the largest class is at most `ratio` times the smallest, or at most 1 larger."""
    return len(sizes) == 0 or reached(sizes, ratio * SCALE)


def ratio_of(sizes: np.ndarray) -> float | None:
    """Return the largest class divided by the smallest; 1 without classes or vertices, None if a class is empty."""
    if len(sizes) == 0 or sizes.max() == 0:
        return 1.0
    return float(sizes.max() / sizes.min()) if sizes.min() else None


def whole_weights(weights: np.ndarray | None) -> np.ndarray | None:
    """Return integer weights from 1 on (others are scaled to a sum of 2⁴⁰ and rounded down); None if there are none."""
    if weights is None or not len(weights):
        return None
    if weights.dtype.kind in "iu" and weights.min() >= 1 and int(weights.sum()) < LARGEST:
        return weights.astype(np.int64)
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum(dtype=np.float64)):
            weights = weights / weights.max()
    total = math.fsum(weights.tolist())
    return np.maximum(np.floor(weights * (2.0**40 / total)), 1).astype(np.int64) if total else None


def balance_in_use(
    G: Graph, colors: np.ndarray, least: int, allowed: Allowed, even: Callable[..., Any]
) -> tuple[np.ndarray, bool]:
    """Balance the classes in use by `even`; return the colors, and whether these are all classes."""
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
    new, *_ = even(G, np.searchsorted(classes, colors[some]).astype(np.int32), k, allowed)
    out[some] = classes[new]
    return fill(out, rules) if least else out, bound is None and classes.max(initial=-1) < k


def least_bound(n: int, used: np.ndarray, allowed: Allowed) -> int | None:
    """Return the least unused color below the largest that some vertex could take; None if there is none."""
    keep, offsets, forbidden = allowed.arrays(n)
    if keep.all() or not len(used):
        return None
    lengths = np.diff(offsets)
    below = np.arange(min(int(used[-1]), len(used) + int(lengths.max(initial=0))) + 1)  # a vertex may take one of these
    asked = forbidden[(forbidden < len(below)) & ~np.repeat(keep, lengths)]
    able = np.bincount(asked, minlength=len(below)) < n - np.count_nonzero(keep)
    able[used[used < len(below)]] = False
    return int(able.argmax()) if able.any() else None


def fill(colors: np.ndarray, allowed: Allowed) -> np.ndarray:
    """Fill gaps: unused colors that a vertex of a higher color may take.

    One pass from color 0 on is enough: a class that a vertex leaves empty is above the class that it fills. Vertices of
    classes with other vertices are preferred, so that the number of classes grows. No class becomes larger.
    """
    colors = colors.copy()
    keep, offsets, forbidden = allowed.arrays(len(colors))
    top = int(colors[~keep].max(initial=-1)) + 1  # no vertex may fill gaps above
    if top > 0:
        most = 1 + int(np.diff(offsets).max(initial=0))  # of this number of gaps each vertex may fill one
        top = min(top, len(colors) + most)
        fill_gaps(colors, keep, offsets, forbidden, np.bincount(np.minimum(colors, top), minlength=top + 1))
    return colors


@njit(cache=True, nogil=True)
def fill_gaps(colors: Any, keep: Any, offsets: Any, forbidden: Any, sizes: Any) -> None:
    """Fill each color of size 0, in place; colors above the last one count as the last."""
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
    """Return the weight of each class in use, int64, padded with 0 to `least` classes."""
    values, place = np.unique(colors, return_inverse=True)
    sizes = sizes_of(place.astype(np.int32), len(values), weights)
    return np.concatenate([sizes, np.zeros(max(least - len(sizes), 0), np.int64)])


def _of_some(allowed: Allowed, some: np.ndarray) -> Allowed:
    """Return what is allowed to some of the vertices."""
    forbidden = allowed.forbidden
    if forbidden is not None:
        lengths = np.diff(forbidden[0])
        forbidden = np.append(0, np.cumsum(lengths[some])), forbidden[1][np.repeat(some, lengths)]
    keep, weights = (None if a is None else a[some] for a in (allowed.keep, allowed.weights))
    return Allowed(keep, forbidden, weights)
