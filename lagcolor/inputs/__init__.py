"""Convert any object that holds a graph, or a matrix of any shape, to canonical CSR. One family of inputs per module.

Start with `_FAMILIES` below, then with `matrices.py`. Each module reads its family into a `Structure` or into `Ends`. A
`Structure` has index arrays of a matrix, in which each entry must have a mirror image, or of undirected edges. `Ends`
may also be names. Types of other libraries are looked up only in modules that are already loaded, so that the test
imports nothing.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import clock, importing
from ..base.errors import GraphError
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

# The parts of a `Graph`: offsets and columns, names of the vertices, and seconds without the time to read a file.
Arrays = tuple[Any, Any, Any, float]
MATRICES = (
    "a scipy.sparse or cupyx.scipy.sparse matrix, a graphblas.Matrix, a sparse tensor of torch or JAX, a "
    "two-dimensional NumPy or CuPy array, a pair of index arrays (rows, columns), a list of pairs (row, column), "
    "a dict from rows to columns, a table with two columns (pandas, polars, pyarrow), a networkx, igraph or "
    "rustworkx graph, a path, a generator such as 'rgg:16', a Graph or a Pattern"
)
# The parts of a `Pattern`: offsets and columns, number of columns, names of rows and of columns, and seconds without
# the time to read a file.
PatternArrays = tuple[Any, Any, int, Any, Any, float]

# Module, and class or test of a family; the functions that read it as a graph, and as a matrix of any shape.
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
_PLAIN = (np.ndarray, tuple, list, dict)  # of no family; a subclass may be of one
_known: dict[tuple[type, bool], Callable[[Any], Any]] = {}  # readers found: a search takes longer than small graphs


def reader_of(x: Any, matrix: bool = False) -> Callable[[Any], Any] | None:
    """Return the function that reads an object into a `Structure`, `Ends` or None; None if its type has none."""
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
    """Return the canonical arrays of an object that is no Graph, path or generator; `graph_of` calls this."""
    n = None if n is None else whole(n)
    if device is not None:
        dev.parse_device(device)
    begun = clock()
    structure = _read(x)
    if structure.n is None or n is not None:
        structure = sized(structure, n)
    return arrays_of_structure(structure, symmetrize, device, begun, simple)


def arrays_of_structure(
    structure: Structure, symmetrize: bool, device: str | None, begun: float, simple: bool
) -> Arrays:
    """Return the canonical arrays of a structure; `begun` is the moment of `clock` when reading it began."""
    if device is not None:
        structure = structure.on(device)
    indptr, indices = structure.canonical(symmetrize)
    if simple and (twice := repeated(structure, len(indices) // 2)) is not None:
        raise parallel(twice, structure.labels)
    if dev.is_cupy(indices) and indices is not structure.second:  # otherwise the check of the input has waited
        with dev.using(indices):
            dev.cupy().cuda.get_current_stream().synchronize()
    if structure.check is not None:
        structure.check(len(indices) // 2)
    seconds = max(clock() - begun, 0.0)
    if structure.kind == "edges":
        warn_of_counting_from_one(structure, indptr)
    return indptr, indices, structure.labels, seconds


def matrix_of(indptr: Any, indices: Any, shape: tuple[int, int], labels: Any) -> Structure:
    """Return the structure of a square pattern, for a graph."""
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
        from . import lists

        found = lists.from_container(x, f"Graph.of takes {ACCEPTED}")
    if found is None:
        raise GraphError(
            f"cannot make a graph of {type(x).__module__}.{type(x).__qualname__}; Graph.of takes {ACCEPTED}"
        )
    return found.graph() if isinstance(found, Ends) else found


def pattern_arrays(x: Any, shape: tuple[int, int] | None = None, device: str | None = None) -> PatternArrays:
    """Return the canonical arrays of an object that is no Pattern, path or generator; `Pattern.of` calls this."""
    if device is not None:
        dev.parse_device(device)
    begun = clock()
    return pattern_of_structure(_read_matrix(x, shape), shape, device, begun)


def pattern_of_structure(
    structure: Structure, shape: tuple[int, int] | None, device: str | None, begun: float
) -> PatternArrays:
    """Return the canonical arrays of a structure as a pattern; raise a GraphError if `shape` is another."""
    if device is not None:
        structure = structure.on(device)
    indptr, indices, found = structure.pattern()
    if shape is not None and tuple(shape) != found:
        raise GraphError(f"shape = {tuple(shape)}, but the matrix has shape {found}: leave shape out")
    if dev.is_cupy(indices):
        with dev.using(indices):
            dev.cupy().cuda.get_current_stream().synchronize()
    column_labels = structure.labels if structure.columns is None else structure.column_labels
    return indptr, indices, found[1], structure.labels, column_labels, max(clock() - begun, 0.0)


def _read_matrix(x: Any, shape: tuple[int, int] | None) -> Structure:
    reader = reader_of(x, matrix=True)
    try:
        read = reader(x) if reader is not None else None
    except GraphError as e:
        raise GraphError(str(e).replace("`Graph.of(", "`Pattern.of(")) from e  # readers advise for graphs
    if read is not None:
        return read.matrix(shape) if isinstance(read, Ends) else read
    with importing():
        from . import arrays, lists
        from .dense import dense, refuse_elements

    found = None
    if isinstance(x, (tuple, list)):
        found = arrays.pair(x, "Pattern.of")
        if isinstance(found, Structure):
            found = Ends(found.first, found.second, ("rows", "columns"))
    elif (a := arrays.as_array(x)) is not None:
        if a.ndim != 2:
            raise GraphError(f"an array of shape {tuple(a.shape)} is no matrix: a dense one has rows and columns")
        if 2 in a.shape and a.dtype.kind in "iu":
            readings = ["(x[0], x[1])"] * (a.shape[0] == 2) + ["(x[:, 0], x[:, 1])"] * (a.shape[1] == 2)
            readings.append(f"{dev.module_of(a).__name__}.asarray(x, float)")
            raise GraphError(
                f"an integer array of shape {tuple(a.shape)} may be rows and columns of entries or a dense matrix: say "
                f"which, with {' or '.join(f'Pattern.of({code})' for code in readings)}"
            )
        refuse_elements(a)
        return dense(a, name=arrays.array_of(x, a, "x"))
    if found is None:
        found = lists.from_container(x, f"Pattern.of takes {MATRICES}")
    if found is None:
        raise GraphError(
            f"cannot make a pattern of {type(x).__module__}.{type(x).__qualname__}; Pattern.of takes {MATRICES}"
        )
    return found.matrix(shape) if isinstance(found, Ends) else found
