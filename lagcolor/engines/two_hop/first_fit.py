"""First-fit of vertices that constrain each other through nets: columns, rows, distance 2, edges.

Every vertex takes the least color that no earlier vertex of its nets has. There is one answer for an order, which
windows.py gives on a CPU, and cuda.py, color for color, on a GPU.

The default order is by id: meshes and bands in their own order need few colors in it, memory is read as it lies,
and nothing has to be sorted.

Rules are kept on one core, window by window as in windows.py; a graph on a GPU is copied. Before a window of 64 colors,
the nets of vertices fixed to a color of it get its bit; a vertex adds the bits of colors that are forbidden to it, or
whose classes cannot hold it. That is first-fit, with capacities too: the free capacity of a class is read and changed
only by vertices that have come to its window, in their order, and a vertex that goes on to the next window has left all
classes before as they are. Progress: past the largest color that is fixed or forbidden, a window colors at least the
first vertex that is left.

References
----------
Curtis, Powell, Reid 1974, "On the estimation of sparse Jacobian matrices"; Gebremedhin, Manne, Pothen 2005, "What color
is your Jacobian? Graph coloring for computing derivatives", Algorithm 3.1 (GreedyPartialD2Coloring) and 4.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import njit
from ...base.log import Log
from ...graph.nets import Nets
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import coloring
from ...problems.rules import BY_FIRST_FIT, MOST_COLORS, Rules
from ...problems.task import NONE
from . import windows
from .cuda import first_fit_in_nets
from .windows import ONE, ONE32, WINDOW, clear, color_window


@coloring(
    "first_fit",
    problem=("columns", "rows", "distance2", "edges"),
    style="kernel",
    paper="Curtis, Powell and Reid 1974; Gebremedhin, Manne and Pothen 2005",
    engines=("cpu", "cuda"),
    bound="first-fit",
    oracle="first_fit",
    deterministic=True,
    order="natural",
    seed=None,
    needs="sequence",
    rules=BY_FIRST_FIT,
)
def first_fit(nets: Nets, p: Priorities, log: Log, rules: Rules | None = None) -> Any:
    """First-fit in any order; on a CPU in the time of one hop, each net keeping the colors that it has as bits."""
    log.round(active=nets.n, colored=nets.n, conflicts=0, ms=None)
    sequence = None if p.is_natural else p.sequence
    if rules is None:
        return first_fit_in_nets(nets, sequence) if nets.on_gpu else windows.first_fit(nets, sequence)
    if not nets.on_gpu:
        return with_rules(nets, sequence, rules)
    log.notes["rules"] = "kept on the CPU, of a copy of the graph: a GPU has no code for them at two hops"
    order = None if sequence is None else dev.to_device(sequence, "cpu")
    return dev.to_device(with_rules(nets.on("cpu"), order, rules.on("cpu")), nets.device)


def with_rules(nets: Nets, order: Any, rules: Rules) -> np.ndarray:
    """Colors of first-fit with rules on a CPU; `room` is the free capacity of each class of a window."""
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
        room, here = rules.capacities(base, base + WINDOW), fixed[colors[fixed] // WINDOW == base // WINDOW]
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
