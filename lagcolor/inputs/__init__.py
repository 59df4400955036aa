"""Any object that holds a graph → the arrays of its canonical CSR. One family of inputs per module.

Start with `_FAMILIES` below, then with `matrices.py`. Each module reads its family into a `Structure`: index arrays,
and whether they state a matrix (an entry without its mirror image is then an error) or undirected edges; or into
`Ends`, which may be names. Data types of other libraries are recognized by the modules that are loaded already, so that
nothing is imported for the test.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import stopwatch
from ..base.errors import GraphError
from ..base.options import flag
from .canonical import Structure, parallel, repeated
from .ends import Ends
from .sizes import check_vertices, sized, warn_of_counting_from_one, whole

__all__ = ["Arrays", "Structure", "arrays_of", "arrays_of_structure", "check_vertices", "whole"]

ACCEPTED = (
    "a scipy.sparse or cupyx.scipy.sparse matrix, a graphblas.Matrix, a sparse tensor of torch or JAX, a square NumPy "
    "or CuPy array, a networkx, igraph or rustworkx graph, a list of pairs, a dict of neighbors, a table with two "
    "columns (pandas, polars, pyarrow), integers of shape (2, m) or (m, 2) (NumPy, CuPy or anything with __dlpack__), "
    "a pair of index arrays (u, v), a path, a generator such as 'rgg:16', or a Graph"
)

# The parts of a `Graph`: offsets and columns, names of the vertices, and seconds, except for reading a file.
Arrays = tuple[Any, Any, Any, float]

# Module and class, or test, that mark a family → who reads it as a graph, and as a matrix of any shape.
_FAMILIES = (
    ("scipy.sparse", "issparse", "matrices:from_scipy", "matrices:any_shape"),
    ("cupyx.scipy.sparse", "issparse", "matrices:from_cupyx", "matrices:any_shape"),
    ("graphblas.core.matrix", "Matrix", "matrices:from_graphblas", "matrices:any_graphblas"),
    ("graphblas.core.matrix", "TransposedMatrix", "matrices:from_graphblas", "matrices:any_graphblas"),
    ("networkx", "Graph", "networks:from_networkx", "networks:matrix_of_networkx"),
    ("networkx.classes.reportviews", "NodeView", "networks:no_edges", "networks:no_edges"),
    ("networkx.classes.reportviews", "NodeDataView", "networks:no_edges", "networks:no_edges"),
    ("networkx.classes.reportviews", "DiDegreeView", "networks:no_edges", "networks:no_edges"),
    ("igraph", "Graph", "networks:from_igraph", "networks:matrix_of_igraph"),
    ("rustworkx", "PyGraph", "networks:from_rustworkx", "networks:from_rustworkx"),
    ("rustworkx", "PyDiGraph", "networks:from_rustworkx", "networks:from_rustworkx"),
    ("rustworkx", "EdgeList", "networks:from_edge_list", "networks:from_edge_list"),
    ("rustworkx", "WeightedEdgeList", "networks:from_edge_list", "networks:from_edge_list"),
    ("rustworkx", "EdgeIndexMap", "networks:from_edge_list", "networks:from_edge_list"),
    ("pandas", "DataFrame", "tables:from_pandas", "tables:from_pandas"),
    ("polars", "DataFrame", "tables:from_polars", "tables:from_polars"),
    ("pyarrow", "Table", "tables:from_arrow", "tables:from_arrow"),
    ("pyarrow", "RecordBatch", "tables:from_arrow", "tables:from_arrow"),
    ("torch", "Tensor", "tensors:from_torch", "tensors:from_torch"),
    ("jax.experimental.sparse", "BCOO", "tensors:from_bcoo", "tensors:from_bcoo"),
    ("jax.experimental.sparse", "BCSR", "tensors:from_bcsr", "tensors:from_bcsr"),
    ("asdex", "SparsityPattern", "tensors:from_asdex", "tensors:from_asdex"),
)
_PLAIN = (np.ndarray, tuple, list, dict)  # of no family; classes made of these may be
_known: dict[tuple[type, bool], Callable[[Any], Any]] = {}  # found before: the search takes longer than small graphs


def reader_of(x: Any, matrix: bool = False) -> Callable[[Any], Any] | None:
    """What reads an object into a `Structure`, `Ends` or None; None if its library is not supported."""
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


def arrays_of(
    x: Any, symmetrize: bool = False, n: int | None = None, device: str | None = None, simple: bool = False
) -> Arrays:
    """The canonical arrays of an object that is no Graph, path or generator; `graph_of` calls this."""
    n = None if n is None else whole(n)
    if device is not None:
        dev.parse_device(device)
    symmetrize = flag("symmetrize", symmetrize)
    passed = stopwatch()
    structure = _read(x)
    if structure.n is None or n is not None:
        structure = sized(structure, n)
    return arrays_of_structure(structure, symmetrize, device, passed, simple)


def arrays_of_structure(
    structure: Structure, symmetrize: bool, device: str | None, passed: Callable[[], float], simple: bool
) -> Arrays:
    """The canonical arrays of a structure; `passed` says how many seconds reading it has taken."""
    if device is not None:
        structure = structure.on(device)
    indptr, indices = structure.canonical(symmetrize)
    if simple and (twice := repeated(structure, len(indices) // 2)) is not None:
        raise parallel(twice, structure.labels)
    if dev.is_cupy(indices) and indices is not structure.second:  # else the check of the input has waited
        with dev.using(indices):
            dev.cupy().cuda.get_current_stream().synchronize()
    if structure.check is not None:
        structure.check(len(indices) // 2)
    seconds = passed()
    if structure.kind == "edges":
        warn_of_counting_from_one(structure, indptr)
    return indptr, indices, structure.labels, seconds


def matrix_of(indptr: Any, indices: Any, shape: tuple[int, int], labels: Any) -> Structure:
    """The CSR of a pattern as something to make a graph of."""
    if shape[0] != shape[1]:
        raise GraphError(
            f"the matrix of an undirected graph is square, and this pattern has shape {shape}: "
            "its columns or rows are colored with problem='columns' or problem='rows'"
        )
    return Structure("csr", indptr, indices, shape[0], labels)


def _read(x: Any) -> Structure:
    if isinstance(x, Structure):
        return x
    reader = reader_of(x)
    found = reader(x) if reader is not None else None
    if found is None:
        from . import arrays

        found = arrays.from_arrays(x)
    if found is None:
        from . import pairs

        found = pairs.from_container(x, f"Graph.of takes {ACCEPTED}")
    if found is None:
        raise GraphError(
            f"cannot make a graph of {type(x).__module__}.{type(x).__qualname__}; Graph.of takes {ACCEPTED}"
        )
    return found.graph() if isinstance(found, Ends) else found
