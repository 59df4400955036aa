"""The graph of the pairs of vertices that share a net: what attempts take that have no code for nets."""

from __future__ import annotations

import numpy as np

from semirings.runtime.compile_clock import importing

from ...core.graph import Graph
from ...core.nets import Hops

MOST = 1 << 26  # pairs in nets, counted in each net: up to half a gigabyte


def conflict_graph(H: Hops) -> Graph | None:
    """The graph, on the CPU; None where it may be too large.

    Parameters
    ----------
    H : Hops
        On the CPU.
    """
    sizes = np.bincount(H.nets.indices, minlength=H.nets.columns).astype(np.float64) + H.closed
    if float(sizes @ sizes) > MOST:
        return None
    with importing():
        import scipy.sparse as sp

    A = H.nets.to_scipy().astype(bool)
    A = A + sp.eye_array(H.n, dtype=bool, format="csr") if H.closed else A
    return Graph.of((A @ A.T).tocsr(), n=H.n)
