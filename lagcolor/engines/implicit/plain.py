"""First-fit of Pauli strings in a dozen lines: a string joins the first class in which it conflicts with no member.

The oracle of the loops in this folder; tests compare them color for color. The library does not call it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence


def conflict(a: str, b: str, commute: str) -> bool:
    """Return whether two strings of letters I, X, Y and Z may not be in one class."""
    differing = sum(p != q and p != "I" and q != "I" for p, q in zip(a, b, strict=True))
    return {"qubitwise": differing > 0, "general": differing % 2 == 1, "anti": differing % 2 == 0}[commute]


def first_fit(strings: Sequence[str], sequence: Iterable[int], commute: str) -> list[int]:
    """Return the colors of the strings."""
    color, classes = [-1] * len(strings), [list[str]() for _ in strings]
    for v in sequence:
        joins = (c for c in itertools.count() if not any(conflict(strings[v], b, commute) for b in classes[c]))
        color[v] = next(joins)
        classes[color[v]].append(strings[v])
    return color
