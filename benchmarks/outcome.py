"""The outcome of a paper's figure compared with ours, by one rule for all: agrees, same way (same winner), differs.

Without a figure of ours it is missing. If the generated graph contains the paper's figure, it agrees by construction.
"""

from __future__ import annotations

NEAR = 1.25  # ratios and counts within this factor of each other agree
POINTS = 5.0  # percentages within this distance of each other agree
MISSING, BY_CONSTRUCTION = "missing", "by construction"
NONE = 2.0  # percent: a smaller gain is a tie


def winner(ratio: float) -> int:
    """Whose ratio over 1 it is: 1 or −1, and 0 for a tie."""
    return (ratio > 1 + NONE / 100) - (ratio < 1 / (1 + NONE / 100))


def of_ratio(ours: float, paper: float | None) -> str:
    """Of a ratio that a paper has over 1; None: it says only that it is."""
    mine = winner(ours)
    if paper is None:
        return "agrees" if mine == 1 else "differs"
    if mine == -winner(paper) != 0:
        return "differs"  # however near: the other one wins
    if 1 / NEAR <= ours / paper <= NEAR:
        return "agrees"
    return "same way" if mine == winner(paper) else "differs"


def of_gain(ours: float, paper: float) -> str:
    """Of a gain in percent."""
    if abs(ours - paper) <= POINTS and not (min(ours, paper) < -NONE and max(ours, paper) > NONE):
        return "agrees"
    return "same way" if ours > NONE and paper > NONE else "differs"


def of_count(ours: float, paper: float) -> str:
    """Of a number of rounds."""
    return "agrees" if 1 / NEAR <= ours / paper <= NEAR else "differs"


def of_share(ours: float, paper: float) -> str:
    """Of a share in percent."""
    return "agrees" if abs(ours - paper) <= POINTS else "differs"
