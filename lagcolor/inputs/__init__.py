"""Anything that holds a graph → the canonical `Graph`. One family of inputs a module.

Each module reads its family into a `Structure`: index arrays, and whether they state a matrix (an
entry without its mirror image is then an error) or undirected edges. Data types of other libraries
are told by the modules that are loaded already, so that nothing is imported for the test.
"""

from __future__ import annotations

import importlib
import operator
import os
import sys
import time
from typing import Any

from .. import device as dev
from ..errors import GraphError
from ..graph import Graph
from .structure import Structure

__all__ = ["Structure", "to_graph"]

ACCEPTED = (
    "a scipy.sparse or cupyx.scipy.sparse matrix, a graphblas.Matrix, a square NumPy or CuPy array, a networkx or "
    "igraph graph, an edge index of shape (2, m) (NumPy, CuPy or anything with __dlpack__), "
    "a pair of index arrays (u, v), a path, or a Graph"
)
# Module and class that mark a family → who reads it.
_FAMILIES = (
    ("scipy.sparse", "issparse", "matrices:from_scipy"),
    ("cupyx.scipy.sparse", "issparse", "matrices:from_cupyx"),
    ("graphblas.core.matrix", "Matrix", "matrices:from_graphblas"),
    ("graphblas.core.matrix", "TransposedMatrix", "matrices:from_graphblas"),
    ("networkx", "Graph", "networks:from_networkx"),
    ("igraph", "Graph", "networks:from_igraph"),
)


def to_graph(x: Any, symmetrize: bool = False, n: int | None = None, device: str | None = None) -> Graph:
    """See `Graph.of`, which this is behind."""
    n = None if n is None else _whole(n)
    if device is not None:
        dev.parse_device(device)
    if isinstance(x, Graph):
        return _expect(x if device is None else x.on(device), n)
    if isinstance(x, (str, os.PathLike)):
        from ..io import read

        return _expect(read(x, symmetrize=symmetrize, device=device), n)
    start = time.perf_counter()
    structure = _read(x, n)
    if device is not None:
        structure = structure.on(device)
    indptr, indices = structure.canonical(symmetrize)
    with dev.using(indices):
        if dev.is_cupy(indices):
            dev.cupy().cuda.get_current_stream().synchronize()
    return Graph(indptr, indices, labels=structure.labels, convert_seconds=time.perf_counter() - start)


def _read(x: Any, n: int | None) -> Structure:
    for module, marker, reader in _FAMILIES:
        test = getattr(sys.modules.get(module), marker, None)
        if test is not None and (isinstance(x, test) if isinstance(test, type) else test(x)):
            name, _, function = reader.partition(":")
            structure = getattr(importlib.import_module(f".{name}", __name__), function)(x)
            if n is not None and n != structure.n:
                raise GraphError(f"n = {n}, but the input has {structure.n} vertices: leave n out")
            return structure
    from . import arrays

    structure = arrays.from_arrays(x, n)
    if structure is None:
        raise GraphError(
            f"cannot make a graph of {type(x).__module__}.{type(x).__qualname__}; Graph.of takes {ACCEPTED}"
        )
    return structure


def _whole(n: Any) -> int:
    try:
        return operator.index(n)
    except TypeError:
        raise GraphError(f"n must be a whole number, the number of vertices, not {n!r}") from None


def _expect(G: Graph, n: int | None) -> Graph:
    if n is not None and n != G.n:
        raise GraphError(f"n = {n}, but the graph has {G.n} vertices: leave n out")
    return G
