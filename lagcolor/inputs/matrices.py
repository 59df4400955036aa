"""Sparse matrices: scipy.sparse, cupyx.scipy.sparse, python-graphblas. Values are never read."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from ..base import device as dev
from ..base.errors import GraphError
from .canonical import Structure, check_sound

# Programs, by kind of matrix, for the graph of the columns of a rectangular A, with an edge between two columns that
# share a row. Ones of float64 replace the values: other values may cancel, and counts of narrow integers wrap to 0,
# which scipy leaves out.
_ONES = "P = A.tocsr(copy=True); P.data = {0}.ones(len(P.data)); G = lagcolor.Graph.of(P.T @ P)"
SCIPY, CUPYX = _ONES.format("numpy"), _ONES.format("cupy")
DENSE = "P = (A != 0).astype(float); G = lagcolor.Graph.of(P.T @ P)"
GRAPHBLAS = "G = lagcolor.Graph.of(A.T.mxm(A, 'any_pair').new())"
COLUMNS = (
    "to color the columns of a matrix A, where two that share a row conflict: `lagcolor.color(A, problem='columns')` "
    "(problem='rows' for its rows, 'star_bicoloring' or 'acyclic_bicoloring' for both), or to make their graph: `{0}`"
)


def square(shape: tuple[int, ...], columns: str) -> int:
    """Return the number of rows of a square matrix; the error for another contains the program `columns`."""
    if len(shape) == 2 and shape[0] == shape[1]:
        return int(shape[0])
    raise GraphError(no_graph(shape, columns))


def no_graph(shape: tuple[int, ...], columns: str) -> str:
    """Return the error about a matrix of this shape, which is no graph."""
    message = f"the matrix of an undirected graph is square, and this one has shape {tuple(shape)}"
    return f"{message}; {COLUMNS.format(columns)}" if len(shape) == 2 else message


def any_shape(A: Any) -> Structure:
    """Return the structure of a matrix of scipy or cupyx of any shape."""
    if len(A.shape) != 2:
        raise GraphError(f"a pattern has rows and columns, and this array has shape {tuple(A.shape)}")
    with dev.using(A.data) if hasattr(A, "data") and dev.is_cupy(A.data) else nullcontext():
        return of_shape(_sparse(A, int(A.shape[0])), A.shape, SCIPY)


def of_shape(structure: Structure, shape: tuple[int, ...], program: str) -> Structure:
    """Return a structure with the number of columns if the matrix is not square; `program` is for the error."""
    rows, columns = map(int, shape)
    if rows == columns:
        return structure
    return replace(structure, columns=columns, no_graph=no_graph(shape, program))


def from_scipy(A: Any) -> Structure:
    """Return the structure of a square scipy matrix; formats other than CSR, CSC and COO are converted to COO."""
    return _sparse(A, square(A.shape, SCIPY))


def from_cupyx(A: Any) -> Structure:
    """Return the structure of a square cupyx matrix, on its GPU."""
    with dev.using(A.data):
        return _sparse(A, square(A.shape, CUPYX))


def _sparse(A: Any, n: int) -> Structure:
    check_sound(A, ranges=False)  # `canonical` checks the ranges
    if A.format in ("csr", "csc"):
        return Structure(A.format, A.indptr, A.indices, n)
    if A.format != "coo":
        A = A.tocoo()
    return Structure("coo", A.row, A.col, n)


def from_graphblas(A: Any) -> Structure:
    """Return the structure of a square `graphblas.Matrix` or its transpose, without a copy of the values."""
    square(A.shape, GRAPHBLAS)
    return any_graphblas(A)


def any_graphblas(A: Any) -> Structure:
    """Return the structure of a `graphblas.Matrix` or its transpose, of any shape."""
    rows, cols, _ = A.to_coo(values=False)
    return of_shape(Structure("coo", rows, cols, int(A.shape[0])), A.shape, GRAPHBLAS)
