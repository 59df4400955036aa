"""Rules that no coloring can keep, as far as that can be seen before any vertex is colored.

Each is a ColoringError: the values are well formed, and what they ask for is improper or impossible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.errors import ColoringError
from .. import Problem
from . import ROUNDING, Rules
from .reading import NamedVertices


def check(rules: Rules, G: Any, problem: Problem, complete: bool = True) -> None:
    """Nothing, where no contradiction is seen; without `complete`, vertices may be left without a color."""
    n = problem.size(G)
    whose = NamedVertices(n, problem.labels(G))
    if rules.fixed is not None and n:
        _fixed_and_forbidden(rules, whose)
        _fixed_together(rules, G, problem)
    check_number(rules, whose, complete)


def check_number(rules: Rules, whose: NamedVertices, complete: bool = True) -> None:
    """Nothing, where `max_colors` and capacities do for all vertices, as far as these are counted alone."""
    if whose.n and rules.max_colors == 0:
        raise impossible(f"{rules.limit}: a graph with vertices needs a color")
    if rules.fixed is not None and whose.n:
        _fixed_in_range(rules, whose)
    if rules.capacity is not None and whose.n:
        _room(rules, whose, complete)


def impossible(why: str) -> ColoringError:
    """The error for rules that no coloring can keep."""
    e = ColoringError(why)
    e.reason = why
    return e


def _fixed_in_range(rules: Rules, whose: NamedVertices) -> None:
    if rules.max_colors is None or int(rules.fixed.max()) < rules.max_colors:
        return
    v = int(dev.module_of(rules.fixed).flatnonzero(rules.fixed >= rules.max_colors)[0])
    raise impossible(
        f"fixed: {whose.said(v)} has color {int(rules.fixed[v])}, and {rules.limit} allows 0 to {rules.max_colors - 1}"
    )


def _fixed_and_forbidden(rules: Rules, whose: NamedVertices) -> None:
    if rules.forbidden is None:
        return
    offsets, colors = rules.forbidden
    xp = dev.module_of(colors)
    with dev.using(colors):
        rows = xp.searchsorted(offsets, xp.arange(len(colors)), side="right") - 1
        both = xp.flatnonzero(rules.fixed[rows] == colors)[:1].tolist()
        if both:
            v = int(rows[both[0]])
            raise impossible(
                f"fixed: {whose.said(v)} has color {int(rules.fixed[v])}, which is forbidden to it, or not among its "
                "allowed colors"
            )


def _fixed_together(rules: Rules, G: Any, problem: Problem) -> None:
    """The problem's verifier checks the fixed colors alone."""
    report = problem.verify(G, rules.fixed, allow_uncolored=True, errors="return")
    if report.conflicts:
        whose, (u, v, c) = NamedVertices(problem.size(G), problem.labels(G)), report.conflicts[0]
        raise impossible(f"fixed: {whose.said(u)} and {whose.said(v)} are neighbors, and both have color {c}")
    if report.violations:
        raise impossible(f"fixed: {report.violations[0]}")


def _room(rules: Rules, whose: NamedVertices, complete: bool) -> None:
    """Whether vertices fit into classes: each alone and all together if these are `complete`; the fixed ones."""
    weights = rules.weight_of(whose.n)
    slack = 1 + (ROUNDING if rules.weights is not None and rules.weights.dtype.kind == "f" else 0)
    capacity = np.asarray(rules.capacity, np.float64)
    if capacity.ndim:
        capacity = capacity[: rules.max_colors]
    v = int(weights.argmax())
    if complete and weights[v] > capacity.max(initial=0) * slack:
        raise impossible(f"capacity: {whose.said(v)} weighs {weights[v]:g}, and a class at most {capacity.max():g}")
    if complete and rules.max_colors is not None:
        total = capacity.sum() if capacity.ndim else float(capacity) * rules.max_colors
        if weights.sum() > total * slack:
            raise impossible(
                f"capacity: the {whose.called} weigh {weights.sum():g}, and {rules.max_colors} classes hold {total:g} "
                "at most"
            )
    if rules.fixed is not None:
        fixed = dev.to_device(rules.fixed, "cpu")
        colors, place = np.unique(fixed[fixed >= 0], return_inverse=True)
        loads = np.bincount(place, weights[fixed >= 0], len(colors))
        most = (capacity[colors] if capacity.ndim else np.broadcast_to(capacity, colors.shape)) * slack
        over = np.flatnonzero(loads > most)[:1].tolist()
        if over:
            c = over[0]
            raise impossible(
                f"capacity: the {whose.called} fixed to color {colors[c]} weigh {loads[c]:g}, and its free capacity is "
                f"{most[c]:g}"
            )
