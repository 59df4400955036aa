"""First-fit of vertices that constrain each other through nets: columns, rows, distance 2, edges.

Each vertex takes the smallest color that no earlier vertex of its nets has. windows.py (CPU) and cuda.py (GPU) return
the same colors.

The default order is by id: meshes and bands in natural order need few colors, memory is read in order,
and nothing has to be sorted.

Rules run on one core, window by window as in windows.py; a graph on a GPU is copied. Before each window of 64 colors,
the colors of fixed vertices in this window are set in their nets. A vertex also excludes the colors that are forbidden
to it, and full classes. This is first-fit, also with capacities: only vertices that reach the window of a class change
its free capacity, in their order. A vertex that moves on to the next window does not change earlier classes. Progress:
after the largest fixed or forbidden color, each window colors at least the first remaining vertex.

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
    """First-fit in any order; each net stores its colors as bits, so that a CPU needs the time of one hop."""
    log.round(active=nets.n, colored=nets.n, conflicts=0, ms=None)
    sequence = None if p.is_natural else p.sequence
    if rules is None:
        return first_fit_in_nets(nets, sequence) if nets.on_gpu else windows.first_fit(nets, sequence)
    if not nets.on_gpu:
        return with_rules(nets, sequence, rules)
    log.notes["rules"] = "colored on the CPU, in a copy of the graph: rules at two hops have no GPU code"
    order = None if sequence is None else dev.to_device(sequence, "cpu")
    return dev.to_device(with_rules(nets.on("cpu"), order, rules.on("cpu")), nets.device)


def with_rules(nets: Nets, order: Any, rules: Rules) -> np.ndarray:
    """Return first-fit colors with rules, on a CPU; `free` is the free capacity of each class of a window."""
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
        free, here = rules.capacities(base, base + WINDOW), fixed[colors[fixed] // WINDOW == base // WINDOW]
        free -= np.bincount(colors[here] - base, weights[here], WINDOW)
        set_fixed(indptr, indices, here, colors, base, taken)
        places, window, limits = (0, count, count), (nets.closed, base, taken), (offsets, forbidden, weights, free)
        count = int(color_window((indptr, indices), left, places, window, (colors, left), 0, limits))
        base += WINDOW
        clear(indptr, indices, left, count, nets.closed, taken)
    return colors


@njit(cache=True, nogil=True)
def set_fixed(indptr: Any, indices: Any, fixed: Any, colors: Any, base: Any, taken: Any) -> None:
    """Set the colors of fixed vertices in their nets."""
    for v in fixed:
        bit = ONE << np.uint64(colors[v] - base)
        for e in range(indptr[v], indptr[v + ONE32]):
            taken[indices[e]] |= bit
