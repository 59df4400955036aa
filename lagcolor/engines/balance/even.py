"""What `balance` and `equitable` do to a proper coloring, by all steps there are."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.log import Log
from ...base.options import flag, is_number, number
from ...graph.graph import Graph
from ...graph.nets import Nets, Structure, pairs
from ...problems.rules import Rules
from ..edges.coloring import even as even_edges
from ..improve.lists import NONE_EXISTS
from .chains import even_out_further
from .equitable import equitable, search_equitable
from .in_use import balance_in_use, sizes_in_use
from .scheduled import FREE, LARGEST, SCALE, Allowed, even_out, reached, scaled

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
