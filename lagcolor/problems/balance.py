"""Whether classes are of nearly one size: the check of balanced and equitable colorings, by counting them one by one.

It shares no code with the algorithms, and looks at sizes alone: whether the coloring is proper is its problem's to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import device as dev
from ..errors import ColoringError, OptionError


@dataclass(frozen=True)
class Balance:
    """Sizes of classes.

    Attributes
    ----------
    n_colors : int
        Classes looked at, empty ones included.
    largest, smallest : (color, size)
        The first of the largest classes and of the smallest; (−1, 0) without classes. Sizes are weights where there
        are weights.
    ratio : float
        Of the largest to the smallest; 1 without classes or vertices, infinity where one of several is empty.
    """

    n_colors: int
    largest: tuple[int, float]
    smallest: tuple[int, float]
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


def balance_of(colors: Any, k: int | None = None, weights: Any = None) -> Balance:
    """The sizes of the classes of a coloring.

    Parameters
    ----------
    colors : Coloring or array of integers, shape (n,)
        Vertices of color −1 count nowhere.
    k : int, optional
        Number of classes, where the last ones may be empty; default: the largest color and 1.
    weights : array of numbers, shape (n,), optional

    Returns
    -------
    Balance

    Raises
    ------
    ColoringError
        A color is over k − 1.
    """
    colors = np.asarray(dev.to_device(getattr(colors, "colors", colors), "cpu"))
    each: Any = np.ones(len(colors), np.int64) if weights is None else np.asarray(dev.to_device(weights, "cpu"))
    found = int(colors.max(initial=-1)) + 1
    if k is not None and found > k:
        raise ColoringError(f"color {found - 1} is in use, and there are to be {k} colors, 0 to {k - 1}")
    sizes = [each[:0].sum().item()] * (found if k is None else k)
    order = np.argsort(colors, kind="stable")
    begin = 0
    for end in [*np.flatnonzero(np.diff(colors[order])) + 1, len(colors)] if len(colors) else []:
        if (color := int(colors[order[begin]])) >= 0:
            sizes[color] = each[order[begin:end]].sum().item()
        begin = end
    if not sizes or max(sizes) == 0:
        return Balance(len(sizes), (0 if sizes else -1, 0), (0 if sizes else -1, 0), 1.0)
    most, least = max(sizes), min(sizes)
    ratio = most / least if least else float("inf")
    return Balance(len(sizes), (sizes.index(most), most), (sizes.index(least), least), ratio)


def verify_balance(
    colors: Any, ratio: float | None = None, *, k: int | None = None, weights: Any = None, errors: str = "raise"
) -> Balance:
    """Check that the largest class is at most `ratio` times the smallest, or at most 1 larger.

    Parameters
    ----------
    colors, k, weights
        As for `balance_of`.
    ratio : float, optional
        None: equitable, no two classes differ by more than 1.
    errors : {"raise", "return"}

    Returns
    -------
    Balance

    Raises
    ------
    ColoringError
        With ``errors="raise"``, when the classes are farther apart; the message names two.
    OptionError
        `errors` is neither of the two.
    """
    if errors not in ("raise", "return"):
        raise OptionError(f"errors must be 'raise' or 'return', not {errors!r}")
    found = balance_of(colors, k, weights)
    faults = [] if found.is_equitable else found.problems(ratio)
    if faults and errors == "raise":
        raise ColoringError("; ".join(faults))
    return found
