"""What `balance` and `equitable` do to a proper coloring, by all steps there are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import device as dev
from .engines.recolor.balance import FREE, LARGEST, Allowed, even_out, scaled, sizes_of
from .engines.recolor.chains import even_out_further
from .engines.recolor.equitable import equitable
from .engines.recolor.largest import largest_color
from .engines.recolor.lu import shuffled
from .graph import Graph
from .options import flag, is_number, number
from .result import Log
from .rules import Rules

RATIO = 1.05


@dataclass(frozen=True)
class Evenness:
    """How even classes are to be, and by what.

    Attributes
    ----------
    ratio : float
        The largest class is to be at most this times the smallest, or at most 1 larger.
    equitable : bool
        By the exact algorithm, too, where there is one.
    method : str
        "rounds", and what follows them, or one of `lagcolor.engines.recolor.lu.SCHEMES`.
    """

    ratio: float
    equitable: bool = False
    method: str = "rounds"

    @classmethod
    def of(cls, balance: Any, even: Any) -> Evenness | None:
        """Of the parameters `balance` and `equitable` of `color`; None where neither is asked for.

        Raises
        ------
        OptionError
            `balance` is neither a truth value nor a ratio from 1 on, or `equitable` no truth value.
        """
        if flag("equitable", even):
            return cls(1.0, True)
        if not is_number(balance):
            return cls(RATIO) if flag("balance", balance) else None
        return cls(number("balance", balance, 1.0))


def balanced(
    G: Graph, colors: Any, wanted: Evenness, log: Log, *, k: int | None = None, allowed: Allowed = FREE, seed: int = 0
) -> Any:
    """The colors of a checked coloring, balanced; ``log.notes["balance"]`` says how far.

    Parameters
    ----------
    G : Graph
    colors : array of int32, shape (n,)
        A proper coloring, on the graph's device.
    wanted : Evenness
    log : Log
    k : int, optional
        Classes; default: as many as there are colors.
    allowed : Allowed
    seed : int
    """
    if k is None:
        k = (largest_color(colors)[0] if G.on_gpu and G.n else dev.largest(colors)) + 1
    if wanted.method == "rounds":
        colors, before, after = even_out(G, colors, k, wanted.ratio, allowed, seed, log)
        further = not is_reached(after, wanted.ratio) and allowed.weights is None and allowed.forbidden is None
    else:
        before, further = sizes_of(colors, k), True
    note: dict[str, Any] = {"before": ratio_of(before)}
    if further:
        host, here = G.on("cpu"), dev.to_device(colors, "cpu")
        keep = None if allowed.keep is None else dev.to_device(allowed.keep, "cpu")
        if wanted.method != "rounds":
            here = shuffled(host, here, k, wanted.method, keep)
        elif wanted.equitable and k > host.max_degree and keep is None:
            here = equitable(host, here, k, log)
        else:
            here = even_out_further(host, here, k, scaled(wanted.ratio), keep, log)
        after = np.bincount(here, minlength=k)
        colors = dev.to_device(here, G.device)
    note |= {"after": ratio_of(after), "reached": is_reached(after, wanted.ratio)}
    if wanted.equitable:
        note["difference"] = int(after.max() - after.min()) if k else 0
    log.notes["balance"] = note
    if "gaps" in log.notes:
        log.notes["gaps"] = int((after == 0).sum())
    return colors


def allowed_by(rules: Rules | None, device: str) -> Allowed:
    """What the rules of a coloring leave to balancing; its classes get no heavier than the heaviest was."""
    if rules is None:
        return FREE
    rules = rules.on(device)
    with dev.using(rules.fixed):
        keep = None if rules.fixed is None else rules.fixed >= 0
    weights = whole_weights(rules.weights)
    if weights is not None:
        keep = (
            keep
            if rules.weights.all()
            else dev.to_device(rules.weights == 0, device) | (False if keep is None else keep)
        )
        weights = dev.to_device(weights, device)
    return Allowed(keep, rules.forbidden, weights)


def is_reached(sizes: np.ndarray, ratio: float) -> bool:
    """Whether the largest class is at most `ratio` times the smallest, or at most 1 larger."""
    return bool(len(sizes) == 0 or sizes.max() - sizes.min() <= 1 or sizes.max() <= ratio * sizes.min())


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
    total = math.fsum(weights.tolist())
    return np.maximum(np.floor(weights * (2.0**40 / total)), 1).astype(np.int64) if total else None
