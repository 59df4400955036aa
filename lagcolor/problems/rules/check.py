"""The verifier of rules, of what partial colorings leave out, and of rules that no coloring can keep.

It looks at the colors and at each rule as it is written, in plain NumPy, on the CPU. A gap, a color under the largest
that no vertex has, is no fault where rules cause it: where each vertex of a larger color is fixed, or has that color
forbidden to it, or is heavier than its class may be.

Contradictions are found as far as they can be seen before any vertex is colored. Each is a ColoringError: the values
are well formed, and what they ask for is improper or impossible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.errors import ColoringError
from ...base.messages import counted
from ..report import called
from . import ROUNDING, Rules
from .reading import NamedVertices

SLACK = 2e-9  # share of a capacity that sums of floats may be over it; engines keep to half of that, `ROUNDING`
COSTS = 1e-9  # relative, of sums of costs


def settled(report: Any, colors: Any, rules: Any, labels: Any, allow_uncolored: bool, errors: str) -> Any:
    """The report of a problem's own verifier with the findings on the rules, or the error, by the value of `errors`."""
    given = np.asarray(dev.to_device(getattr(colors, "colors", colors), "cpu"))
    report = replace(report, broken=broken(given, rules, labels), **_gaps(report, given, rules))
    return report.settled(allow_uncolored, errors, "a coloring that keeps its rules")


def broken(colors: np.ndarray, rules: Any, labels: Any = None) -> list[str]:
    """A sentence for each rule that is broken, with its first offender."""

    def said(v: int) -> str:
        return f"vertex {called(v, labels)}"

    found = []
    if rules.fixed is not None:
        fixed = dev.to_device(rules.fixed, "cpu")
        wrong = np.flatnonzero((fixed >= 0) & (colors != fixed))
        if len(wrong):
            v = int(wrong[0])
            found.append(
                f"{len(wrong)} without their fixed color, the first {said(v)}: color {colors[v]} instead of {fixed[v]}"
            )
    if rules.forbidden is not None:
        offsets, forbidden = (dev.to_device(a, "cpu") for a in rules.forbidden)
        rows = np.repeat(np.arange(len(colors)), np.diff(offsets))
        wrong = rows[forbidden == colors[rows]]
        if len(wrong):
            found.append(f"{len(wrong)} with a forbidden color, the first {said(wrong[0])}: color {colors[wrong[0]]}")
    if rules.max_colors is not None:
        wrong = np.flatnonzero(colors >= rules.max_colors)
        if len(wrong):
            v, many = int(wrong[0]), f"{len(wrong)} with a color from there on"
            found.append(f"{rules.limit}: {many}, the first {said(v)}: color {colors[v]}")
    if rules.capacity is not None:
        found += _overfull(colors, rules)
    return found


def _overfull(colors: np.ndarray, rules: Any) -> list[str]:
    """Classes that are too heavy; colors are looked up by value, for they may be large."""
    weights = np.ones(len(colors), np.int64) if rules.weights is None else rules.weights
    values, place = np.unique(colors, return_inverse=True)
    loads = np.zeros(len(values), weights.dtype)
    np.add.at(loads, place.reshape(-1), weights)
    slack = 1 + (SLACK if weights.dtype.kind == "f" else 0)
    out: list[str] = []
    for color, load in zip(values.tolist(), loads.tolist(), strict=True):
        if color < 0 or (np.ndim(rules.capacity) and color >= len(rules.capacity)):
            continue
        most = float(rules.capacity[color] if np.ndim(rules.capacity) else rules.capacity)
        if load > most * slack:
            out.append(f"color {color} weighs {load:g}, and its capacity is {most:g}")
    return [f"{counted(len(out), 'classes')} over capacity, the first: {out[0]}"] if out else []


def _gaps(report: Any, colors: np.ndarray, rules: Any) -> dict[str, Any]:
    """What the report says about gaps and colors out of range, if rules may cause them."""
    top = int(colors.max(initial=-1))
    if not report.gaps and top < len(colors):
        return {}
    used = np.unique(colors[colors >= 0])
    outside = np.flatnonzero(colors < -1)[: max(len(report.out_of_range), 1)]
    changed: dict[str, Any] = {"n_colors": len(used), "out_of_range": [(int(v), int(colors[v])) for v in outside]}
    unused = _unused(used, top, rules)
    return {**changed, "gaps": int(np.count_nonzero(_could_be_filled(unused, colors, rules)))}


def _unused(used: np.ndarray, top: int, rules: Any) -> np.ndarray:
    """Colors under the largest that no vertex has; of very many only the first ones, which cannot all be forbidden."""
    most = 1
    if rules.forbidden is not None:
        most += int(np.diff(dev.to_device(rules.forbidden[0], "cpu")).max(initial=0))
    most += len(rules.capacity) if np.ndim(rules.capacity) else 0
    return np.setdiff1d(np.arange(min(top + 1, len(used) + most)), used, assume_unique=True)


def _could_be_filled(unused: np.ndarray, colors: np.ndarray, rules: Any) -> np.ndarray:
    """For each color of `unused`, rising, that no vertex has: whether a vertex of a larger color is free to take it.

    It is where more free vertices of larger colors fit into the class than the color is forbidden to among them. Both
    are counted for all colors at once, for there may be millions of them.
    """
    able = colors >= 0
    if rules.fixed is not None:
        able &= dev.to_device(rules.fixed, "cpu") < 0
    rooms, room = np.unique(_rooms(unused, rules), return_inverse=True)
    weights = np.ones(len(colors), np.int64) if rules.weights is None else rules.weights
    needed = np.searchsorted(rooms, weights)  # the first of `rooms` that is large enough
    room = room.reshape(-1)
    falling = np.flatnonzero(able)[np.argsort(-colors[able].astype(np.int64), kind="stable")]
    larger = len(falling) - np.searchsorted(colors[falling[::-1]], unused, side="right")
    count = _smaller_in_prefix(needed[falling], larger, room + 1)
    if rules.forbidden is not None and len(unused):
        offsets, forbidden = (dev.to_device(a, "cpu") for a in rules.forbidden)
        rows = np.repeat(np.arange(len(colors)), np.diff(offsets))
        at = np.minimum(np.searchsorted(unused, forbidden), len(unused) - 1)
        counted = (unused[at] == forbidden) & able[rows] & (colors[rows] > forbidden) & (needed[rows] <= room[at])
        count -= np.bincount(at[counted], minlength=len(unused))
    return count > 0


def _rooms(unused: np.ndarray, rules: Any) -> np.ndarray:
    """What a vertex of each of these classes may weigh; −1 for colors that have no capacity in the list."""
    if not np.ndim(rules.capacity):
        return np.full(len(unused), np.inf if rules.capacity is None else float(rules.capacity))
    rooms = np.full(len(unused), -1.0)
    listed = unused < len(rules.capacity)
    rooms[listed] = np.asarray(rules.capacity, np.float64)[unused[listed]]
    return rooms


def _smaller_in_prefix(values: np.ndarray, ends: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """How many of ``values[:ends[i]]`` are less than ``bounds[i]``, for each i; no value is negative.

    By the bits of the values from the highest on, with values sorted by the bits before: a wavelet matrix (Claude,
    Navarro, Ordóñez 2015), so that the time is one pass over values and bounds for each bit.
    """
    counts, begins = np.zeros(len(ends), np.int64), np.zeros(len(ends), np.int64)
    most = max(int(values.max(initial=0)), int(bounds.max(initial=0)))
    for bit in reversed(range(most.bit_length())):
        high = (values >> bit & 1).astype(bool)
        zeros = np.concatenate([[0], np.cumsum(~high)])  # among the first i values
        above = (bounds >> bit & 1).astype(bool)
        counts += np.where(above, zeros[ends] - zeros[begins], 0)
        begins, ends = (np.where(above, zeros[-1] + at - zeros[at], zeros[at]) for at in (begins, ends))
        values = np.concatenate([values[~high], values[high]])
    return counts


def check_left_out(colors: Any, weights: Any, uncolored: int, note: Mapping[str, Any]) -> None:
    """Nothing, where as many vertices have no color as a result says, and cost as much, counted from the colors."""
    out = np.asarray(dev.to_device(colors, "cpu")) < 0
    if int(out.sum()) != uncolored:
        raise ColoringError(f"{int(out.sum())} vertices have no color, and the result says {uncolored}")
    if "cost" in note and not math.isclose(cost := math.fsum(weights[out].tolist()), note["cost"], rel_tol=COSTS):
        raise ColoringError(f"the vertices without a color cost {cost:g}, and the result says {note['cost']:g}")
    least = note.get("cost", uncolored)
    if note["lower_bound"] > least * (1 + COSTS) or note["proved"] != (note["lower_bound"] >= least):
        raise ColoringError(
            f"the lower bound {note['lower_bound']:g} of what is left out does not go with {least:g}, "
            f"{'' if note['proved'] else 'not '}said to be the least"
        )


# Contradictions


def refuse_contradictions(rules: Rules, G: Any, problem: Any, complete: bool = True) -> None:
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


def _fixed_together(rules: Rules, G: Any, problem: Any) -> None:
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
