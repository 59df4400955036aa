"""What `balance` and `equitable` do to a proper coloring, by all steps there are.

Where rules leave colors unused, only the colors in use are balanced, however large these are. An unused color that some
free vertex could take is a *bound*: were a vertex to move from below it to above it, it would leave a gap that it could
fill itself. So the classes below the least bound are balanced, in the graph of their vertices; vertices above it stay,
and none can be in the way, for none of their colors is one that a vertex moves to. Colors are numbered by rank for
that, and forbidden colors outside of the classes become k, which is never tested.
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
    equitable: bool = False  # by the exact algorithm, too, where there is one
    until: float = math.inf  # moment at which a search for equitable classes ends

    @classmethod
    def of(cls, balance: Any, even: Any) -> Evenness | None:
        """Of the parameters `balance` and `equitable` of `color`; None if neither is set."""
        if flag("equitable", even):
            return cls(1.0, True)
        if not is_number(balance):
            return cls(RATIO) if flag("balance", balance) else None
        return cls(number("balance", balance, 1.0))


def even_classes(
    H: Structure, colors: Any, wanted: Evenness, log: Log, *, k: int | None = None, allowed: Allowed = FREE,
    seed: int = 0,
) -> Any:  # fmt: skip
    """As `balanced`, of a structure: of edges without weights and rules by paths, else on the graph of the pairs."""
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
    """The colors of a checked coloring, balanced; ``log.notes["balance"]`` says how far."""
    weights, least = allowed.weights, k or 0
    even = functools.partial(_evened, wanted=wanted, seed=seed, log=log)
    if allowed.keep is None and allowed.forbidden is None:  # then no color is unused
        colors, before, after = even(G, colors, max(extremes.largest(colors) + 1, least), allowed)
    elif G.on_gpu:
        here, allowed = dev.to_device(colors, "cpu"), allowed.on_cpu()
        colors = balanced(G.on("cpu"), here, wanted, log, k=k, allowed=allowed, seed=seed)
        log.notes["balance"]["device"] = "on the CPU, in a copy of the graph: colors are fixed or forbidden"
        return dev.to_device(colors, G.device)
    else:
        before = sizes_in_use(colors, min(least, G.n), weights)
        colors, all_classes = balance_in_use(G, colors, least, allowed, even)
        if not all_classes:  # what is known of these classes alone
            log.notes.pop("balance", None)
        after = sizes_in_use(colors, min(least, G.n), weights)
        log.notes.pop("gaps", None)
        if gaps := extremes.largest(colors) + 1 - int(np.count_nonzero(after)):
            log.notes["gaps"] = gaps
    note(wanted, before, after, log)
    return colors


def note(wanted: Evenness, before: Any, after: Any, log: Log) -> None:
    """Say in ``log.notes["balance"]`` how even classes of these sizes are, and were."""
    out = {"ratio": wanted.ratio, "before": ratio_of(before), "after": ratio_of(after)}
    out["reached"] = is_reached(after, wanted.ratio)
    if wanted.equitable:
        out["difference"] = int(after.max() - after.min()) if len(after) else 0
    log.notes["balance"] = {**out, **log.notes.pop("balance", {})}


def _evened(
    G: Graph, colors: Any, k: int, allowed: Allowed, *, wanted: Evenness, seed: int, log: Log
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Colors below k, and the sizes of their classes before and after, by one step after the other until it is done."""
    colors, before, after = even_out(G, colors, k, wanted.ratio, allowed, seed, log)
    if is_reached(after, wanted.ratio):
        return colors, before, after
    if allowed.weights is not None or (allowed.forbidden is not None and not wanted.equitable):
        return colors, before, after
    host, allowed, here = G.on("cpu"), allowed.on_cpu(), dev.to_device(colors, "cpu")
    keep = allowed.keep
    with log.best_so_far():
        if "interrupted" in log.notes:  # the search for the colors was
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
    """What the rules of a coloring leave to balancing; its classes get no heavier than the heaviest was."""
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
    """Whether the largest class is at most `ratio` times the smallest, or at most 1 larger."""
    return len(sizes) == 0 or reached(sizes, ratio * SCALE)


def ratio_of(sizes: np.ndarray) -> float | None:
    """The largest class by the smallest; 1 without classes or vertices, None where one of several is empty."""
    if len(sizes) == 0 or sizes.max() == 0:
        return 1.0
    return float(sizes.max() / sizes.min()) if sizes.min() else None


def whole_weights(weights: np.ndarray | None) -> np.ndarray | None:
    """Weights as rounds count them: whole numbers from 1 on; others in parts of 2⁻⁴⁰ of their sum, rounded down."""
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
    """A coloring whose classes in use are as even as `even` makes them, and whether these are all colors."""
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
