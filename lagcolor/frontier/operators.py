"""Gunrock's operators: advance, filter, compute and neighbor_reduce on frontiers, on CPU and GPU.

An algorithm defines small functors; an option of the operator selects how edges are distributed over threads.
`docs/algorithms/frontier.md` explains the operators, and `base.Operators` defines them exactly.

References
----------
Wang, Pan, Davidson, Wu, Yang, Wang, Osama, Yuan, Liu, Riffel, Owens 2017, "Gunrock: GPU graph analytics", ACM
Transactions on Parallel Computing 4(1); Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", III-B.
"""

from __future__ import annotations

from ..base import device
from ..base.compile_clock import importing
from ..graph.graph import Graph
from .base import BALANCES, Operators
from .cuda import CudaOperators
from .frontier import Frontier
from .functor import Functor, add, claim, functor, join, least, load, store

__all__ = [
    "BALANCES",
    "Frontier",
    "Functor",
    "Operators",
    "add",
    "claim",
    "functor",
    "join",
    "least",
    "load",
    "on",
    "store",
]


def on(G: Graph) -> Operators:
    """Return the operators on a graph, on the device of the graph.

    Parameters
    ----------
    G : Graph
        The graph.

    Returns
    -------
    Operators
        The operators. The current device does not matter.

    Examples
    --------
    >>> ops = lagcolor.frontier.operators.on(lagcolor.generate.grid2d(3))
    >>> ops.size(ops.all())
    9
    """
    if G.on_gpu:
        with device.using(G.indices):
            return CudaOperators(G, device.cupy())
    with importing():
        from .cpu import CpuOperators

    return CpuOperators(G)
