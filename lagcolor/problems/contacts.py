"""Verifiers for pairs of bodies: pairs of one color share no body, or bodies of one color are in no common pair."""

from __future__ import annotations

from typing import Any

from ..base import device as dev
from .report import SHOWN, Report


def verify_pairs(pairs: Any, n: int, static: Any, colors: Any, *, errors: str = "raise") -> Report:
    """Check colors of pairs, sorted by body and color: each body that is not static must have each color once."""
    xp = dev.module_of(colors)
    with dev.using(colors):
        bodies = pairs.astype("int64")
        counts = _constraining(xp, bodies, static)
        counts[:, 1] &= bodies[:, 0] != bodies[:, 1]  # count a pair of one body once
        at, side = xp.nonzero(counts & (colors >= 0)[:, None])
        body = bodies[at, side]
        order = (body * (int(colors.max()) + 1 if len(colors) else 1) + colors[at]).argsort(kind="stable")
        body, pair = body[order], at[order]
        twice = xp.flatnonzero((body[1:] == body[:-1]) & (colors[pair[1:]] == colors[pair[:-1]]))
        named = [
            f"pairs {int(pair[i])} and {int(pair[i + 1])} have color {int(colors[pair[i]])}, "
            f"and share body {int(body[i])}"
            for i in twice[:SHOWN].tolist()
        ]
        return Report.of(colors, len(twice), named, colors < 0).or_raise(False, errors)


def verify_bodies(pairs: Any, n: int, static: Any, colors: Any, *, errors: str = "raise") -> Report:
    """Check colors of bodies: the bodies of a pair differ, and each body that is not static has a color."""
    xp = dev.module_of(colors)
    with dev.using(colors):
        bodies = pairs.astype("int64")
        a, b = bodies[:, 0], bodies[:, 1]
        both = xp.flatnonzero(_constraining(xp, bodies, static).all(axis=1) & (a != b))
        wrong = both[(colors[a[both]] == colors[b[both]]) & (colors[a[both]] >= 0)]
        named = [
            f"bodies {int(a[i])} and {int(b[i])} of pair {i} have color {int(colors[a[i]])}"
            for i in wrong[:SHOWN].tolist()
        ]
        bare = colors < 0
        if static is not None:
            bare &= ~static.astype(bool)
        return Report.of(colors, len(wrong), named, bare).or_raise(False, errors)


def _constraining(xp: Any, bodies: Any, static: Any) -> Any:
    """Mask of the entries of pairs that are bodies (not −1) and not static."""
    there = bodies >= 0
    if static is not None and len(static):
        there &= ~static.astype(bool)[xp.maximum(bodies, 0)]
    return there
