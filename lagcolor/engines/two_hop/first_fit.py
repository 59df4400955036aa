"""First-fit of vertices that constrain each other through nets: columns, rows, distance 2, edges.

Every vertex takes the least color that no earlier vertex of its nets has. There is one answer for an order, which
windows.py gives on a CPU, and cuda.py, color for color, on a GPU.

The default order is by id: meshes and bands in their own order need few colors in it, memory is read as it lies,
and nothing has to be sorted.

References
----------
Curtis, Powell, Reid 1974, "On the estimation of sparse Jacobian matrices"; Gebremedhin, Manne, Pothen 2005, "What color
is your Jacobian? Graph coloring for computing derivatives", Algorithm 3.1 (GreedyPartialD2Coloring) and 4.1.
"""

from __future__ import annotations

from typing import Any

from ...base.log import Log
from ...graph.nets import Nets
from ...orders import Priorities
from ...problems.registry import coloring
from ...problems.rules import BY_FIRST_FIT, Rules
from . import windows
from .cuda import first_fit_in_nets
from .rules import first_fit_with_rules

PROBLEMS = ("columns", "rows", "distance2", "edges")


@coloring(
    "first_fit",
    problem=PROBLEMS,
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
    if rules is not None:
        return first_fit_with_rules(nets, sequence, log, rules)
    if nets.on_gpu:
        return first_fit_in_nets(nets, sequence)
    return windows.first_fit(nets, sequence)
