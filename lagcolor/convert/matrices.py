"""Sparse matrices: scipy.sparse, cupyx.scipy.sparse, python-graphblas. Values are never read."""

from __future__ import annotations

from typing import Any

from .. import device as dev
from ..errors import GraphError
from .structure import Structure


def square(shape: tuple[int, ...]) -> int:
    """Number of rows of a square matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(
            f"the matrix of an undirected graph is square, and this one has shape {tuple(shape)}; "
            "the graph of a rectangular A's columns is that of A.T @ A"
        )
    return int(shape[0])


def from_scipy(A: Any) -> Structure:
    """Any format; those other than CSR, CSC and COO become what scipy's own conversion to COO makes of them."""
    n = square(A.shape)
    if A.format in ("csr", "csc"):
        return Structure(A.format, A.indptr, A.indices, n)
    if A.format != "coo":
        A = A.tocoo()
    return Structure("coo", A.row, A.col, n)


def from_cupyx(A: Any) -> Structure:
    """As `from_scipy`, on the matrix's GPU."""
    with dev.using(A.data):
        return from_scipy(A)


def from_graphblas(A: Any) -> Structure:
    """A `graphblas.Matrix` or its transpose; no value leaves SuiteSparse."""
    n = square(A.shape)
    rows, cols, _ = A.to_coo(values=False)
    return Structure("coo", rows, cols, n)
