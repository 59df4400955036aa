"""First-fit with rules of vertices in nets, on one core; as in windows.py, each net keeps its colors as bits.

What differs in a window of 64 colors: before it, the nets of vertices fixed to a color of the window get its bit; a
vertex adds the bits of colors that are forbidden to it, or whose classes cannot hold it; and where all bits are set, it
is left for the next window, or without a color where `max_colors` end there.

That is first-fit, with capacities too: what a class weighs is read and changed only by vertices that have come to its
window, in their order, and a vertex that goes on to the next window has left all classes before as they are.

A graph on a GPU is copied to the CPU.

=========  ==========================================================================
taken      colors of the window that a net has; for a closed net without the color of its own vertex
room       what each class of the window may still weigh
left       vertices for the next window, in their order; it may be `sequence` itself
=========  ==========================================================================

Progress: past the largest color that is fixed or forbidden, a window colors at least the first vertex that is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.bits import in_window
from ...base.device.compiled import njit
from ...base.device.intrinsics import ctz64
from ...base.log import Log
from ...graph.nets import Nets
from ...graph.pattern import unsigned
from ...problems.rules import MOST_COLORS, Rules
from ...problems.task import NONE
from .windows import ONE, ONE32, WINDOW, ZERO, clear


def first_fit_with_rules(nets: Nets, sequence: Any, log: Log, rules: Rules) -> Any:
    """Colors of first-fit with rules."""
    if not nets.on_gpu:
        return _windows(nets, sequence, rules)
    log.notes["rules"] = "kept on the CPU, of a copy of the graph: a GPU has no code for them at two hops"
    order = None if sequence is None else dev.to_device(sequence, "cpu")
    return dev.to_device(_windows(nets.on("cpu"), order, rules.on("cpu")), nets.device)


def _windows(nets: Nets, order: Any, rules: Rules) -> np.ndarray:
    """The same on the CPU, window by window."""
    P = nets.of_vertices
    indptr, indices = unsigned(P)
    left = (np.arange(nets.n) if order is None else order).astype(np.uint32)
    colors = np.full(nets.n, NONE, np.int32) if rules.fixed is None else rules.fixed.copy()
    left = left[colors[left] < 0]
    fixed = np.flatnonzero(colors >= 0).astype(np.uint32)
    offsets, forbidden = rules.lists(nets.n)
    weights, taken = rules.weight_of(nets.n), np.zeros(P.columns, np.uint64)
    count, base, limit = len(left), 0, rules.max_colors or MOST_COLORS
    while count:
        room, here = rules.rooms(base, base + WINDOW), fixed[colors[fixed] // WINDOW == base // WINDOW]
        room -= np.bincount(colors[here] - base, weights[here], WINDOW)
        begin(indptr, indices, here, colors, base, taken)
        given = (offsets, forbidden, weights, room, limit)
        count = color_window(indptr, indices, left, count, nets.closed, base, taken, colors, given)
        base += WINDOW
        clear(indptr, indices, left, count, nets.closed, taken)
    return colors


@njit(cache=True, nogil=True)
def begin(indptr: Any, indices: Any, fixed: Any, colors: Any, base: Any, taken: Any) -> None:
    """Nets of fixed vertices have their colors."""
    for v in fixed:
        bit = ONE << np.uint64(colors[v] - base)
        for e in range(indptr[v], indptr[v + ONE32]):
            taken[indices[e]] |= bit


@njit(cache=True, nogil=True)
def color_window(
    indptr: Any, indices: Any, left: Any, count: Any, closed: bool, base: Any, taken: Any, colors: Any, given: Any
) -> Any:
    """Color the vertices among the first `count` in `left` that find a color base … base + 63; returns how many are
    left."""
    offsets, forbidden, weights, room, limit = given
    kept = 0
    for i in range(count):
        v = left[i]
        mask = taken[v] if closed else ZERO
        for e in range(indptr[v], indptr[v + ONE32]):
            mask |= taken[indices[e]]
        for j in range(offsets[v], offsets[v + ONE32]):
            mask |= in_window(forbidden[j], base)
        while ~mask != ZERO and room[ctz64(~mask)] < weights[v]:
            mask |= ~mask & (mask + ONE)  # the lowest bit that is 0
        if ~mask == ZERO:
            if base + WINDOW < limit:
                left[kept] = v
                kept += 1
            continue
        color = ctz64(~mask)
        room[color] -= weights[v]
        colors[v] = np.int32(base) + np.int32(color)
        for e in range(indptr[v], indptr[v + ONE32]):
            taken[indices[e]] |= ONE << color
    return kept
