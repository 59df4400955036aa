"""Whether fixed colors are proper, on a CPU."""

from __future__ import annotations

from typing import Any

from ...base.device.compiled import njit


@njit(cache=True, nogil=True)
def has_conflict(indptr: Any, indices: Any, fixed: Any) -> bool:
    """Whether two neighbors have one color that is not −1."""
    for v in range(fixed.size):
        c = fixed[v]
        if c >= 0:
            for e in range(indptr[v], indptr[v + 1]):
                if fixed[indices[e]] == c:
                    return True
    return False
