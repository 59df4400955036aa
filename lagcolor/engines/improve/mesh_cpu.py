"""Hashes of rows, on a CPU: see mesh.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from .survey import LONG

ONE, PRIME, SOME = np.uint64(1), np.uint64(0x9E3779B97F4A7C15), np.uint64(1 << 63)


@njit(cache=True, nogil=True)
def hash_rows(indptr: Any, indices: Any, vertices: Any, hashes: Any) -> None:
    """Hashes of rows, seen from their vertices; hashes of empty and long rows stay 0."""
    for i in range(vertices.size):
        v = vertices[i]
        begin, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE])
        if begin < end <= begin + np.uint64(LONG):
            h = SOME
            for e in range(begin, end):
                h = (h ^ (np.uint64(indices[e]) - v)) * PRIME
                h ^= h >> np.uint64(29)
            hashes[i] = h | SOME
