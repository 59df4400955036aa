"""First-fit with rules of vertices in nets, on one core, window by window as in windows.py.

What differs in a window of 64 colors: before it, the nets of vertices fixed to a color of the window get its bit; and a
vertex adds the bits of colors that are forbidden to it, or whose classes cannot hold it. Windows end at `max_colors`.

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
from ...base.device.compiled import njit
from ...base.log import Log
from ...graph.nets import Nets
from ...graph.pattern import unsigned
from ...problems.rules import MOST_COLORS, Rules
from ...problems.task import NONE
from .windows import ONE, ONE32, WINDOW, clear, color_window


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
    while count and base < limit:
        room, here = rules.rooms(base, base + WINDOW), fixed[colors[fixed] // WINDOW == base // WINDOW]
        room -= np.bincount(colors[here] - base, weights[here], WINDOW)
        begin(indptr, indices, here, colors, base, taken)
        places, window, given = (0, count, count), (nets.closed, base, taken), (offsets, forbidden, weights, room)
        count = int(color_window((indptr, indices), left, places, window, (colors, left), 0, given))
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
