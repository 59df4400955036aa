"""The check of a CSR pattern that comes from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..inputs.structure import Structure
from .files import malformed


def checked(path: Path, indptr: np.ndarray, indices: np.ndarray, n: int) -> Structure:
    """A CSR pattern whose arrays are not checked yet.

    Raises
    ------
    FormatError
        Names the array and the first place at fault.
    """
    if indptr.shape != (n + 1,):
        raise malformed(path, f"indptr must have {n + 1} entries, one more than vertices, not shape {indptr.shape}")
    if indices.ndim != 1:
        raise malformed(path, f"indices must have one dimension, not shape {indices.shape}")
    if indptr[0] != 0:
        raise malformed(path, f"indptr[0] must be 0, not {indptr[0]}")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if len(falls):
        k = int(falls[0])
        raise malformed(path, f"indptr decreases: indptr[{k}] = {indptr[k]}, indptr[{k + 1}] = {indptr[k + 1]}")
    if indptr[-1] != len(indices):
        raise malformed(path, f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices")
    outside = np.flatnonzero((indices < 0) | (indices >= n))
    if len(outside):
        k = int(outside[0])
        raise malformed(path, f"indices[{k}] = {indices[k]} is outside 0 … {n - 1}")
    return Structure("csr", indptr, indices, n)
