"""Verifier of rules and of partial colorings, and a check for contradictory rules.

It checks the colors against each rule in plain NumPy, on the CPU. A gap is a color under the largest that no vertex
has. It is allowed if rules cause it: if each vertex of a larger color is fixed, has this color forbidden, or is heavier
than the capacity of its class.

Contradictions are found if they can be seen before any vertex is colored. Each is a ColoringError: the values are well
formed, but no coloring obeys them.
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

SLACK = 2e-9  # a sum of float weights may exceed a capacity by this share of it; engines use half, `ROUNDING`
COSTS = 1e-9  # relative tolerance of sums of costs


def check_rules(report: Any, colors: Any, rules: Any, labels: Any, allow_uncolored: bool, errors: str) -> Any:
    """Add findings on rules to the report of a problem's verifier; raise them, depending on `errors`."""
    array = np.asarray(dev.to_device(getattr(colors, "colors", colors), "cpu"))
    report = replace(report, broken=broken(array, rules, labels), **_gaps(report, array, rules))
    return report.or_raise(allow_uncolored, errors, "a coloring that keeps its rules")


def broken(colors: np.ndarray, rules: Any, labels: Any = None) -> list[str]:
    """A sentence for each broken rule, with the first vertex or class that breaks it."""

    def text(v: int) -> str:
        return f"vertex {called(v, labels)}"

    found = []
    if rules.fixed is not None:
        fixed = dev.to_device(rules.fixed, "cpu")
        wrong = np.flatnonzero((fixed >= 0) & (colors != fixed))
        if len(wrong):
            v = int(wrong[0])
            found.append(
                f"{len(wrong)} without their fixed color, the first {text(v)}: color {colors[v]} instead of {fixed[v]}"
            )
    if rules.forbidden is not None:
        offsets, forbidden = (dev.to_device(a, "cpu") for a in rules.forbidden)
        rows = np.repeat(np.arange(len(colors)), np.diff(offsets))
        wrong = rows[forbidden == colors[rows]]
        if len(wrong):
            found.append(f"{len(wrong)} with a forbidden color, the first {text(wrong[0])}: color {colors[wrong[0]]}")
    if rules.max_colors is not None:
        wrong = np.flatnonzero(colors >= rules.max_colors)
        if len(wrong):
            v, many = int(wrong[0]), f"{len(wrong)} with a color from there on"
            found.append(f"{rules.limit}: {many}, the first {text(v)}: color {colors[v]}")
    if rules.capacity is not None:
        found += _overfull(colors, rules)
    return found


def _overfull(colors: np.ndarray, rules: Any) -> list[str]:
    """Message about classes that are too heavy; colors can be large numbers, so no table is indexed by them."""
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
    """Fields of the report on gaps and colors out of range, if rules can cause them."""
    top = int(colors.max(initial=-1))
    if not report.gaps and top < len(colors):
        return {}
    used = np.unique(colors[colors >= 0])
    outside = np.flatnonzero(colors < -1)[: max(len(report.out_of_range), 1)]
    changed: dict[str, Any] = {"n_colors": len(used), "out_of_range": [(int(v), int(colors[v])) for v in outside]}
    unused = _unused(used, top, rules)
    return {**changed, "gaps": int(np.count_nonzero(_could_be_filled(unused, colors, rules)))}


def _unused(used: np.ndarray, top: int, rules: Any) -> np.ndarray:
    """Unused colors under the largest; at most as many of them as can be forbidden, and one more."""
    most = 1
    if rules.forbidden is not None:
        most += int(np.diff(dev.to_device(rules.forbidden[0], "cpu")).max(initial=0))
    most += len(rules.capacity) if np.ndim(rules.capacity) else 0
    return np.setdiff1d(np.arange(min(top + 1, len(used) + most)), used, assume_unique=True)


def _could_be_filled(unused: np.ndarray, colors: np.ndarray, rules: Any) -> np.ndarray:
    """Mask of the colors of `unused` (increasing) that some vertex of a larger color could take.

    A color could be taken if more free vertices of larger colors fit into its class than have it forbidden. Both
    numbers are counted for all colors at once, because there can be millions of colors.
    """
    able = colors >= 0
    if rules.fixed is not None:
        able &= dev.to_device(rules.fixed, "cpu") < 0
    limits, limit = np.unique(_limits(unused, rules), return_inverse=True)
    weights = np.ones(len(colors), np.int64) if rules.weights is None else rules.weights
    needed = np.searchsorted(limits, weights)  # the first of `limits` that is large enough
    limit = limit.reshape(-1)
    falling = np.flatnonzero(able)[np.argsort(-colors[able].astype(np.int64), kind="stable")]
    larger = len(falling) - np.searchsorted(colors[falling[::-1]], unused, side="right")
    count = _smaller_in_prefix(needed[falling], larger, limit + 1)
    if rules.forbidden is not None and len(unused):
        offsets, forbidden = (dev.to_device(a, "cpu") for a in rules.forbidden)
        rows = np.repeat(np.arange(len(colors)), np.diff(offsets))
        at = np.minimum(np.searchsorted(unused, forbidden), len(unused) - 1)
        counted = (unused[at] == forbidden) & able[rows] & (colors[rows] > forbidden) & (needed[rows] <= limit[at])
        count -= np.bincount(at[counted], minlength=len(unused))
    return count > 0


def _limits(unused: np.ndarray, rules: Any) -> np.ndarray:
    """Largest weight of a vertex in each of these classes; −1 for colors without a capacity in the list."""
    if not np.ndim(rules.capacity):
        return np.full(len(unused), np.inf if rules.capacity is None else float(rules.capacity))
    limits = np.full(len(unused), -1.0)
    listed = unused < len(rules.capacity)
    limits[listed] = np.asarray(rules.capacity, np.float64)[unused[listed]]
    return limits


def _smaller_in_prefix(values: np.ndarray, ends: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Count the values of ``values[:ends[i]]`` that are less than ``bounds[i]``, for each i; no value is negative.

    The method is a wavelet matrix (Claude, Navarro, Ordóñez 2015): it processes the bits of the values from the highest
    on, with values sorted by the bits before. The time is one pass over values and bounds per bit.
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
    """Check the number and the cost of uncolored vertices, and the lower bound, against the notes of a result."""
    out = np.asarray(dev.to_device(colors, "cpu")) < 0
    if int(out.sum()) != uncolored:
        raise ColoringError(f"{int(out.sum())} vertices have no color, and the result says {uncolored}")
    if "cost" in note and not math.isclose(cost := math.fsum(weights[out].tolist()), note["cost"], rel_tol=COSTS):
        raise ColoringError(f"the vertices without a color cost {cost:g}, and the result says {note['cost']:g}")
    least = note.get("cost", uncolored)
    if note["lower_bound"] > least * (1 + COSTS) or note["proved"] != (note["lower_bound"] >= least):
        raise ColoringError(
            f"the uncolored vertices have lower bound {note['lower_bound']:g} and value {least:g}, which contradicts "
            f"proved={note['proved']}"
        )


# Contradictions


def refuse_contradictions(rules: Rules, G: Any, problem: Any, complete: bool = True) -> None:
    """Raise an error for rules that contradict each other; without `complete`, vertices may stay uncolored."""
    n = problem.size(G)
    names = NamedVertices(n, problem.labels(G))
    if rules.fixed is not None and n:
        if rules.forbidden is not None:
            _fixed_and_forbidden(rules, *rules.forbidden, names)
        _fixed_together(rules, G, problem)
    check_number(rules, names, complete)


def check_number(rules: Rules, names: NamedVertices, complete: bool = True) -> None:
    """Raise an error if `max_colors` and capacities are too small, without regard to conflicts of vertices."""
    k = rules.max_colors
    if names.n and k == 0:
        raise impossible(f"{rules.limit}: a graph with vertices needs a color")
    if names.n and rules.fixed is not None and k is not None and int(rules.fixed.max()) >= k:
        v = int(dev.module_of(rules.fixed).flatnonzero(rules.fixed >= k)[0])
        raise impossible(
            f"fixed: {names.text(v)} has color {int(rules.fixed[v])}, and {rules.limit} allows 0 to {k - 1}"
        )
    if rules.capacity is not None and names.n:
        _check_capacity(rules, names, complete)


def impossible(why: str) -> ColoringError:
    """Error for rules that no coloring obeys."""
    e = ColoringError(why)
    e.reason = why
    return e


def _fixed_and_forbidden(rules: Rules, offsets: Any, colors: Any, names: NamedVertices) -> None:
    xp = dev.module_of(colors)
    with dev.using(colors):
        rows = xp.searchsorted(offsets, xp.arange(len(colors)), side="right") - 1
        if both := xp.flatnonzero(rules.fixed[rows] == colors)[:1].tolist():
            v = int(rows[both[0]])
            raise impossible(
                f"fixed: {names.text(v)} has color {int(rules.fixed[v])}, which is forbidden to it, or not among its "
                "allowed colors"
            )


def _fixed_together(rules: Rules, G: Any, problem: Any) -> None:
    """Raise an error if the problem's verifier finds a conflict among fixed colors."""
    report = problem.verify(G, rules.fixed, allow_uncolored=True, errors="return")
    if report.conflicts:
        names, (u, v, c) = NamedVertices(problem.size(G), problem.labels(G)), report.conflicts[0]
        raise impossible(f"fixed: {names.text(u)} and {names.text(v)} are neighbors, and both have color {c}")
    if report.violations:
        raise impossible(f"fixed: {report.violations[0]}")


def _check_capacity(rules: Rules, names: NamedVertices, complete: bool) -> None:
    """Raise an error if vertices do not fit: fixed vertices, and with `complete` each vertex and all together."""
    weights = rules.weight_of(names.n)
    slack = 1 + (ROUNDING if rules.weights is not None and rules.weights.dtype.kind == "f" else 0)
    capacity = np.asarray(rules.capacity, np.float64)
    if capacity.ndim:
        capacity = capacity[: rules.max_colors]
    v = int(weights.argmax())
    if complete and weights[v] > capacity.max(initial=0) * slack:
        raise impossible(f"capacity: {names.text(v)} weighs {weights[v]:g}, and a class at most {capacity.max():g}")
    if complete and rules.max_colors is not None:
        total = capacity.sum() if capacity.ndim else float(capacity) * rules.max_colors
        if weights.sum() > total * slack:
            raise impossible(
                f"capacity: the {names.called} weigh {weights.sum():g}, and {rules.max_colors} classes hold {total:g} "
                "at most"
            )
    if rules.fixed is not None:
        fixed = dev.to_device(rules.fixed, "cpu")
        colors, place = np.unique(fixed[fixed >= 0], return_inverse=True)
        loads = np.bincount(place, weights[fixed >= 0], len(colors))
        most = (capacity[colors] if capacity.ndim else np.broadcast_to(capacity, colors.shape)) * slack
        if over := np.flatnonzero(loads > most)[:1].tolist():
            c = over[0]
            raise impossible(
                f"capacity: the {names.called} fixed to color {colors[c]} weigh {loads[c]:g}, and its free capacity is "
                f"{most[c]:g}"
            )
