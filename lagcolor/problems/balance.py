"""Verifier of balanced and equitable colorings, which counts the sizes of the classes.

It shares no code with the algorithms, and checks only sizes; the verifier of the problem checks the coloring.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.errors import ColoringError
from ..inputs.arrays import array_like


@dataclass(frozen=True)
class Balance:
    """Sizes of the classes of a coloring."""

    n_colors: int  # number of classes, including empty ones
    # (color, size or weight) of the first largest and the first smallest class; (−1, 0) without classes
    largest: tuple[int, float]
    smallest: tuple[int, float]
    # largest size divided by smallest; 1 without classes or vertices, infinity if some but not all classes are empty
    ratio: float

    @property
    def difference(self) -> float:
        """Size of the largest class minus size of the smallest class."""
        return self.largest[1] - self.smallest[1]

    @property
    def is_equitable(self) -> bool:
        """True if class sizes differ by at most 1."""
        return self.difference <= 1

    def problems(self, ratio: float | None = None) -> list[str]:
        """List with a message if class sizes differ by more than `ratio` (None: by more than 1 vertex), else empty."""
        (high, most), (low, least) = self.largest, self.smallest
        sizes = f"color {high} has {most} and color {low} has {least}"
        if ratio is None:
            return [] if self.is_equitable else [f"not equitable: {sizes}"]
        return [] if most <= ratio * least else [f"not balanced: {sizes}, more than {ratio} times as many"]


def balance_of(colors: Any, k: int | None = None, weights: Any = None, *, in_use: bool = False) -> Balance:
    """Compute the balance of a coloring with k classes; `in_use`: only of the colors in use."""
    colors = getattr(colors, "colors", colors)
    sizes = _sizes(array_like(colors), weights)
    found = max(sizes, default=-1) + 1
    if k is not None and found > k and not in_use:
        raise ColoringError(f"color {found - 1} is in use, but only {k} colors are allowed, 0 to {k - 1}")
    n_colors = max(len(sizes), k or 0) if in_use else found if k is None else k
    if n_colors > len(sizes):
        empty = next(c for c in range(n_colors) if c not in sizes)
        sizes = dict(sorted({**sizes, empty: 0}.items()))
    if not sizes or max(sizes.values()) == 0:
        return Balance(n_colors, (0 if sizes else -1, 0), (0 if sizes else -1, 0), 1.0)
    high, low = max(sizes, key=sizes.__getitem__), min(sizes, key=sizes.__getitem__)  # ties: the first
    most, least = sizes[high], sizes[low]
    return Balance(n_colors, (high, most), (low, least), most / least if least else float("inf"))


def _sizes(colors: Any, weights: Any) -> dict[int, Any]:
    """Size of each nonempty class, by increasing color; colors may be few and large numbers."""
    if weights is None:
        with dev.using(colors):
            xp = dev.module_of(colors)
            used, counts = (dev.to_device(a, "cpu").tolist() for a in xp.unique(colors, return_counts=True))
        return {c: size for c, size in zip(used, counts, strict=True) if c >= 0}
    colors, each = (np.asarray(dev.to_device(a, "cpu")) for a in (colors, weights))
    order = np.argsort(colors, kind="stable")
    classes = np.split(order, np.flatnonzero(np.diff(colors[order])) + 1) if len(order) else []
    return {c: each[vertices].sum().item() for vertices in classes if (c := int(colors[vertices[0]])) >= 0}


def check_sizes(
    report: Any, colors: Any, balance: Any, equitable: bool, rules: Any, allow_uncolored: bool, errors: str
) -> Any:
    """Add findings on class sizes to the report of a problem's verifier; raise them, depending on `errors`."""
    weights = None if rules is None else rules.weights
    lines: list[str] = []
    if balance is not None:
        found = balance_of(colors, weights=weights, in_use=rules is not None)
        if found.difference > 1 and found.largest[1] > balance * found.smallest[1] + _slack(weights):
            lines += found.problems(balance)
    if equitable:
        n = len(getattr(colors, "colors", colors))
        k = None if rules is None or rules.max_colors is None else min(rules.max_colors, n)
        lines += balance_of(colors, k, in_use=rules is not None).problems()
    report = replace(report, broken=[*report.broken, *lines])
    return report.or_raise(allow_uncolored, errors, "the coloring that was requested")


def _slack(w: Any) -> float:
    """Rounding error of a sum of weights in engines, which count in units of 2⁻⁴⁰ of the total; 0 for integers."""
    if w is None or not len(w) or (w.dtype.kind in "iu" and w.min() >= 1 and int(w.sum()) < 1 << 50):
        return 0.0
    return float(2 * len(w) * 2.0**-40 * w.sum())
