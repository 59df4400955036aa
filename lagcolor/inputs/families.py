"""Which module reads the data types of which library, for graphs and for patterns."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

# Module and class, or test, that mark a family → who reads it as a graph, and as a matrix of any shape.
_FAMILIES = (
    ("scipy.sparse", "issparse", "matrices:from_scipy", "matrices:any_shape"),
    ("cupyx.scipy.sparse", "issparse", "matrices:from_cupyx", "matrices:any_shape"),
    ("graphblas.core.matrix", "Matrix", "matrices:from_graphblas", "matrices:any_graphblas"),
    ("graphblas.core.matrix", "TransposedMatrix", "matrices:from_graphblas", "matrices:any_graphblas"),
    ("networkx", "Graph", "networks:from_networkx", "networks:matrix_of_networkx"),
    ("igraph", "Graph", "networks:from_igraph", "networks:matrix_of_igraph"),
    ("pandas", "DataFrame", "tables:from_pandas", "tables:from_pandas"),
    ("polars", "DataFrame", "tables:from_polars", "tables:from_polars"),
    ("pyarrow", "Table", "tables:from_arrow", "tables:from_arrow"),
    ("pyarrow", "RecordBatch", "tables:from_arrow", "tables:from_arrow"),
    ("torch", "Tensor", "tensors:from_torch", "tensors:from_torch"),
    ("jax.experimental.sparse", "BCOO", "tensors:from_bcoo", "tensors:from_bcoo"),
    ("jax.experimental.sparse", "BCSR", "tensors:from_bcsr", "tensors:from_bcsr"),
)
_PLAIN = (np.ndarray, tuple, list, dict)  # of no family; classes made of these may be
_known: dict[tuple[type, bool], Callable[[Any], Any]] = {}  # found before: the search takes longer than small graphs


def reader_of(x: Any, matrix: bool = False) -> Callable[[Any], Any] | None:
    """What reads an object into a `Structure`, `Ends` or None; None for those of no library here.

    Parameters
    ----------
    x : object
    matrix : bool
        As a matrix of any shape, not as a graph.
    """
    if type(x) in _PLAIN:
        return None
    found = _known.get((type(x), matrix))
    if found is None:
        found = _search(x, matrix)
        if found is not None:
            _known[type(x), matrix] = found
    return found


def _search(x: Any, matrix: bool) -> Callable[[Any], Any] | None:
    for module, marker, *readers in _FAMILIES:
        test = getattr(sys.modules.get(module), marker, None)
        if test is not None and (isinstance(x, test) if isinstance(test, type) else test(x)):
            name, _, function = readers[matrix].partition(":")
            return getattr(importlib.import_module(f".{name}", __package__), function)
    if hasattr(type(x), "__arrow_c_stream__") and not hasattr(x, "__dlpack__"):
        from .tables import from_stream

        return from_stream
    return None
