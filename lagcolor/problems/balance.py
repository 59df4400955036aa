"""Whether classes are of nearly one size: the check of balanced and equitable colorings, by counting them one by one.

It shares no code with the algorithms, and looks at sizes alone: whether the coloring is proper is its problem's to say.
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
    """Sizes of classes."""

    n_colors: int  # classes looked at, empty ones included
    # `largest` and `smallest`: the first of the largest classes and of the smallest; (−1, 0) without classes. Sizes are
    # weights where there are weights
    largest: tuple[int, float]
    smallest: tuple[int, float]
    # of the largest to the smallest; 1 without classes or vertices, infinity where one of several is empty
    ratio: float

    @property
    def difference(self) -> float:
        """By how much the largest class is larger than the smallest."""
        return self.largest[1] - self.smallest[1]

    @property
    def is_equitable(self) -> bool:
        """Whether no two classes differ by more than 1."""
        return self.difference <= 1

    def problems(self, ratio: float | None = None) -> list[str]:
        """A line where the classes are farther apart than `ratio` allows (None: than 1 vertex), else none."""
        (high, most), (low, least) = self.largest, self.smallest
        sizes = f"color {high} has {most} and color {low} has {least}"
        if ratio is None:
            return [] if self.is_equitable else [f"not equitable: {sizes}"]
        return [] if most <= ratio * least else [f"not balanced: {sizes}, more than {ratio} times as many"]


def balance_of(colors: Any, k: int | None = None, weights: Any = None, *, in_use: bool = False) -> Balance:
    """The sizes of the classes of a coloring."""
    colors = getattr(colors, "colors", colors)
    sizes = _sizes(array_like(colors), weights)
    found = max(sizes, default=-1) + 1
    if k is not None and found > k and not in_use:
        raise ColoringError(f"color {found - 1} is in use, and there must be {k} colors, 0 to {k - 1}")
    n_colors = max(len(sizes), k or 0) if in_use else found if k is None else k
    if n_colors > len(sizes):
        empty = next(c for c in range(n_colors) if c not in sizes)
        sizes = dict(sorted({**sizes, empty: 0}.items()))
    if not sizes or max(sizes.values()) == 0:
        return Balance(n_colors, (0 if sizes else -1, 0), (0 if sizes else -1, 0), 1.0)
    high, low = max(sizes, key=sizes.__getitem__), min(sizes, key=sizes.__getitem__)  # the first of several
    most, least = sizes[high], sizes[low]
    return Balance(n_colors, (high, most), (low, least), most / least if least else float("inf"))


def _sizes(colors: Any, weights: Any) -> dict[int, Any]:
    """The size of each class that has a vertex, rising by color: there may be few of them, and large."""
    if weights is None:
        with dev.using(colors):
            xp = dev.module_of(colors)
            used, counts = (dev.to_device(a, "cpu").tolist() for a in xp.unique(colors, return_counts=True))
        return {c: size for c, size in zip(used, counts, strict=True) if c >= 0}
    colors, each = (np.asarray(dev.to_device(a, "cpu")) for a in (colors, weights))
    order = np.argsort(colors, kind="stable")
    classes = np.split(order, np.flatnonzero(np.diff(colors[order])) + 1) if len(order) else []
    return {c: each[vertices].sum().item() for vertices in classes if (c := int(colors[vertices[0]])) >= 0}


def settled(
    report: Any, colors: Any, balance: Any, equitable: bool, rules: Any, allow_uncolored: bool, errors: str
) -> Any:
    """The report of a problem's own verifier with the findings on the sizes, or the error, by the value of `errors`."""
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
    return report.settled(allow_uncolored, errors, "the coloring that was requested")


def _slack(weights: Any) -> float:
    """By how much a sum of weights may be off that engines have counted in parts of 2⁻⁴⁰ of all; 0 for whole ones."""
    if weights is None or not len(weights):
        return 0.0
    if weights.dtype.kind in "iu" and weights.min() >= 1 and int(weights.sum()) < 1 << 50:
        return 0.0
    return float(2 * len(weights) * 2.0**-40 * weights.sum())
