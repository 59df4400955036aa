"""Sparse tensors of PyTorch (COO, CSR, CSC) and JAX (BCOO, BCSR), and asdex's patterns: stored entries, no values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.errors import GraphError
from .arrays import as_array
from .canonical import Structure
from .matrices import of_shape

# Programs for the graph of the columns of a rectangular A, as in matrices.py.
TORCH = "P = (A.to_dense() != 0).double(); G = lagcolor.Graph.of(P.T @ P)"
JAX = "P = (A.todense() != 0).astype(float); G = lagcolor.Graph.of(P.T @ P)"


def from_torch(x: Any) -> Structure | None:
    """Return the structure of a sparse tensor; None for a dense tensor, which is read as an array."""
    layout = str(x.layout).removeprefix("torch.")
    if layout == "strided":
        return None
    if layout == "sparse_coo":
        if x.sparse_dim() != 2 or x.dense_dim():
            raise GraphError(
                f"a sparse tensor of shape {tuple(x.shape)} with {x.sparse_dim()} sparse dimensions is no matrix"
            )
        entries = as_array(x.coalesce().indices())
        structure = Structure("coo", entries[0], entries[1], int(x.shape[0]))
    elif layout in ("sparse_csr", "sparse_csc"):
        if len(x.shape) != 2:
            raise GraphError(f"a sparse tensor of shape {tuple(x.shape)} is no matrix, but a batch of them")
        csr = layout == "sparse_csr"
        offsets, inner = (x.crow_indices(), x.col_indices()) if csr else (x.ccol_indices(), x.row_indices())
        structure = Structure("csr" if csr else "csc", as_array(offsets), as_array(inner), int(x.shape[0]))
    else:
        raise GraphError(f"a tensor of layout {layout} is not read: convert it with .to_dense().to_sparse()")
    return of_shape(structure, tuple(x.shape), TORCH)


def from_bcoo(x: Any) -> Structure:
    """Return the structure of a BCOO; entries past its shape are JAX's padding."""
    _check(x)
    entries = as_array(x.indices)
    rows, cols = entries[:, 0], entries[:, 1]
    with dev.using(entries):
        there = (rows < x.shape[0]) & (cols < x.shape[1])
        if extremes.count_true(there) < len(there):
            rows, cols = rows[there], cols[there]
    return of_shape(Structure("coo", rows, cols, int(x.shape[0])), x.shape, JAX)


def from_bcsr(x: Any) -> Structure:
    """Return the structure of a BCSR; columns after its last offset are JAX's padding."""
    _check(x)
    return of_shape(Structure("csr", as_array(x.indptr), as_array(x.indices), int(x.shape[0])), x.shape, JAX)


def from_asdex(x: Any) -> Structure:
    """Return the structure of a `SparsityPattern` of asdex."""
    structure = Structure("coo", np.asarray(x.rows), np.asarray(x.cols), int(x.shape[0]))
    return of_shape(structure, tuple(x.shape), JAX)


def _check(x: Any) -> None:
    if x.n_batch or x.n_dense or len(x.shape) != 2:
        raise GraphError(
            f"a {type(x).__name__} of shape {tuple(x.shape)} with {x.n_batch} batch and {x.n_dense} dense dimensions "
            "is no matrix"
        )
