"""The check of a CSR pattern that comes from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..base.device import extremes
from ..inputs import checks
from ..inputs.canonical import Structure
from .files import malformed


def checked(path: Path, indptr: np.ndarray, indices: np.ndarray, n: int, columns: int | None = None) -> Structure:
    """Check the arrays of a CSR pattern of n rows, and return it; `columns` is None for n columns."""
    if indptr.shape != (n + 1,):
        raise malformed(path, f"indptr must have {n + 1} entries, one more than vertices, not shape {indptr.shape}")
    if indices.ndim != 1:
        raise malformed(path, f"indices must have one dimension, not shape {indices.shape}")
    if indptr[0] != 0:
        raise malformed(path, f"indptr[0] must be 0, not {indptr[0]}")
    if (k := checks.first_fall(indptr)) >= 0:
        raise malformed(path, f"indptr decreases: indptr[{k}] = {indptr[k]}, indptr[{k + 1}] = {indptr[k + 1]}")
    if indptr[-1] != len(indices):
        raise malformed(path, f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices")
    end = n if columns is None else columns
    least, largest = extremes.span(indices) if len(indices) else (0, -1)
    if least < 0 or largest >= end:
        k = int(np.flatnonzero((indices < 0) | (indices >= end))[0])
        raise malformed(path, f"indices[{k}] = {indices[k]} is outside 0 … {end - 1}")
    if end == n:
        return Structure("csr", indptr, indices, n)
    no_graph = (
        f"rectangular: a matrix of shape {(n, end)} is no graph; its columns or rows are colored with "
        "problem='columns' or problem='rows', both with 'star_bicoloring' or 'acyclic_bicoloring'"
    )
    return Structure("csr", indptr, indices, n, columns=end, no_graph=no_graph)
