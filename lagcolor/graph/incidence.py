"""The edges of a graph as a CPU lists them: each once, from the smaller end, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import unsigned_view
from ..base.device.compiled import njit


def ends(indptr: Any, indices: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ends u < v of each edge, int32."""
    u, v = np.empty(len(indices) // 2, np.int32), np.empty(len(indices) // 2, np.int32)
    fill(*map(unsigned_view, (indptr, indices, u, v)))
    return u, v


@njit(cache=True, nogil=True)
def fill(indptr: Any, indices: Any, u: Any, v: Any) -> None:
    """Both arrays; a sorted row ends with the neighbors after its vertex."""
    at = np.uint64(0)
    for w in range(np.uint64(indptr.size - 1)):
        for e in range(indptr[w], indptr[w + np.uint64(1)]):
            if indices[e] > w:
                u[at], v[at] = np.uint32(w), indices[e]
                at += np.uint64(1)
