"""The graph of the pairs of vertices that share a net: what attempts take that have no code for nets."""

from __future__ import annotations

import numpy as np

from semirings.runtime.compile_clock import importing

from ...core.graph import Graph
from ...core.nets import Nets

MOST = 1 << 26  # pairs in nets, counted in each net: up to half a gigabyte


def conflict_graph(nets: Nets) -> Graph | None:
    """The graph, on the CPU; None where it may be too large.

    Parameters
    ----------
    nets : Nets
        On the CPU.
    """
    sizes = np.bincount(nets.of_vertices.indices, minlength=nets.of_vertices.columns).astype(np.float64) + nets.closed
    if float(sizes @ sizes) > MOST:
        return None
    with importing():
        import scipy.sparse as sp

    A = nets.of_vertices.to_scipy().astype(bool)
    A = A + sp.eye_array(nets.n, dtype=bool, format="csr") if nets.closed else A
    return Graph.of((A @ A.T).tocsr(), n=nets.n)
