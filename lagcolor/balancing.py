"""balance(x, colors): classes of nearly one size, with the same number of colors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import device as dev
from .engines.recolor.balance import FREE, LARGEST, Allowed, even_out
from .engines.recolor.largest import largest_color
from .errors import OptionError
from .graph import Graph
from .options import number
from .options import seed as whole_seed
from .problems import DEFAULT
from .recoloring import dense
from .result import Coloring, Log
from .timing import is_checked, timed

RATIO = 1.05
_WARM: set[tuple[Any, ...]] = set()


def balance(
    x: Any,
    colors: Any,
    ratio: float = RATIO,
    *,
    seed: int = 0,
    device: str | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    trace: bool = False,
) -> Coloring:
    """Move vertices between the classes of a proper coloring until these are of nearly one size.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes
    colors : Coloring or array of integers, shape (n,)
        A complete proper coloring. It is checked first; colors that no vertex has are closed up.
    ratio : float
        The largest class is to be at most this times the smallest, or at most 1 larger; from 1 on.
    seed : int
        Of the hashes that say which vertices move.
    device, symmetrize, verify, trace
        As for `lagcolor.color`.

    Returns
    -------
    Coloring
        With as many colors, the same on every run and device. ``notes["balance"]`` has the ratio `before` and `after`
        and whether it was `reached`, which no coloring may allow: two classes on the two sides of a connected bipartite
        graph are what they are. The largest class is never larger than before, nor the smallest smaller. Where a
        Coloring was given, `seconds` and `order_seconds` are those of both together.

    Raises
    ------
    ColoringError
        `colors` is improper, incomplete or of another length.
    OptionError
        A ratio under 1, or a seed that is none; a coloring of another problem than distance 1.
    GraphError, FormatError, DeviceError
        As for `lagcolor.color`.

    References
    ----------
    Lu, Halappanavar, Chavarría-Miranda, Gebremedhin, Kalyanaraman 2015, "Balanced coloring for parallel computing
    applications".
    """
    ratio, seed = number("ratio", ratio, 1.0), whole_seed(seed)
    if (problem := getattr(colors, "problem", DEFAULT)) != DEFAULT:
        raise OptionError(
            f"balance is for colorings of {DEFAULT}, and this one is of {problem}: it has no balanced colorings yet"
        )
    G = x if isinstance(x, Graph) else Graph.of(x, symmetrize=symmetrize)
    if device is not None:
        G = G.on(device)
    with dev.using(G.indices):
        start, log = dense(G, colors, "balanced"), Log(trace)
        _warm_up(G)
        out, seconds = timed(G, lambda: balanced(G, start, ratio, log, seed=seed))
        log.notes["balance"]["seconds"] = seconds
        result = Coloring(
            out, G, "balance", "given", seed, max(log.rounds, 1), seconds,
            convert_seconds=G.convert_seconds, trace=log.rows, notes=log.notes,
        )  # fmt: skip
        if isinstance(colors, Coloring):
            result.algorithm, result.order = f"{colors.algorithm} + balance", colors.order
            result.seed, result.order_seconds = colors.seed, colors.order_seconds
            result.seconds = seconds + colors.seconds
        if is_checked(verify, G):
            result.verify()
    return result


def balanced(
    G: Graph, colors: Any, ratio: float, log: Log, *, seed: int = 0, allowed: Allowed = FREE, k: int | None = None
) -> Any:
    """The balanced colors of a checked coloring, and ``log.notes["balance"]``; parameters as of `even_out`."""
    if k is None:
        k = (largest_color(colors)[0] if G.on_gpu and G.n else dev.largest(colors)) + 1
    colors, before, after = even_out(G, colors, k, ratio, allowed, seed, log)
    reached = bool(k == 0 or after.max() - after.min() <= 1 or after.max() <= ratio * after.min())
    log.notes["balance"] = {"before": ratio_of(before), "after": ratio_of(after), "reached": reached}
    return colors


def ratio_of(sizes: np.ndarray) -> float | None:
    """The largest class by the smallest; 1 without classes, None where one of several is empty."""
    if len(sizes) == 0 or sizes.max() == 0:
        return 1.0
    return float(sizes.max() / sizes.min()) if sizes.min() else None


def whole_weights(weights: Any) -> Any:
    """Weights as the rounds count them: whole numbers from 1 on; those that are not, in parts of 2⁻⁴⁰ of their sum."""
    if weights is None or (weights.dtype.kind in "iu" and weights.sum() < LARGEST and weights.min(initial=1) >= 1):
        return weights
    total = math.fsum(weights.tolist())
    return np.maximum(np.floor(weights * (2.0**40 / total)), 1).astype(np.int64) if total else None


def _warm_up(G: Graph) -> None:
    """Balance a small graph first, so that compiling or loading the code is not in the reported seconds."""
    key = (G.device, G.indptr.dtype.char)
    if key in _WARM:
        return
    n = 70
    ids = np.arange(n)
    rows, columns = np.nonzero(abs(ids[:, None] - ids) == 1)
    indptr = np.searchsorted(rows, np.arange(n + 1)).astype(G.indptr.dtype)
    small = Graph(indptr, columns.astype(np.int32)).on(G.device)
    colors = np.where(ids % 2, 1, 2 * (ids % 4 == 0)).astype(np.int32)
    even_out(small, small.xp.asarray(colors), 4)
    _WARM.add(key)
