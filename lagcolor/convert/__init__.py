"""Anything that holds a graph → the canonical `Graph`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..errors import GraphError
from ..graph import Graph


def to_graph(x: Any, symmetrize: bool = False, n: int | None = None, device: str | None = None) -> Graph:
    """The canonical graph of a pair of arrays or a scipy.sparse matrix."""
    start = time.perf_counter()
    if isinstance(x, Graph):
        return x if device is None else x.on(device)
    import scipy.sparse as sp

    if sp.issparse(x):
        u, v = x.tocoo().coords
        n = x.shape[0]
    elif isinstance(x, (tuple, list)) and len(x) == 2:
        u, v = (np.asarray(a) for a in x)
    else:
        raise GraphError(f"cannot make a graph of {type(x).__name__}")
    if n is None:
        n = int(max(u.max(), v.max())) + 1 if len(u) else 0
    ones = np.ones(len(u), bool)
    A = sp.coo_array((ones, (u, v)), shape=(n, n)).tocsr()
    A.sum_duplicates()
    T = A.T.tocsr()
    if sp.issparse(x) and not symmetrize and (A != T).nnz:
        raise GraphError("asymmetric: pass symmetrize=True")
    A = (A + T).tocoo()
    keep = A.coords[0] != A.coords[1]
    A = sp.coo_array((np.ones(int(keep.sum()), bool), tuple(c[keep] for c in A.coords)), shape=(n, n)).tocsr()
    A.sort_indices()
    G = Graph(A.indptr.astype(np.int32), A.indices.astype(np.int32), convert_seconds=time.perf_counter() - start)
    return G if device is None else G.on(device)
