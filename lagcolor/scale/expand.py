"""All that constrains some vertices of a partition, in array operations that NumPy and CuPy have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.nets import Structure
from ..core.pattern import Pattern


def neighbors(H: Structure, vertices: Any) -> tuple[Any, Any]:
    """Pairs (index into `vertices`, vertex that constrains it), some twice at distance 2, itself included."""
    index, net = _rows(H.patterns[0], vertices)
    if H.hops == 1:
        return index, net
    of_net, member = _rows(H.patterns[1], net)
    return index[of_net], member


def _rows(P: Pattern, rows: Any) -> tuple[Any, Any]:
    """Pairs (index into `rows`, column) of the entries of some rows."""
    xp = P.xp
    begin = P.indptr[rows].astype(np.int64)
    sizes = P.indptr[rows + 1].astype(np.int64) - begin
    ends = xp.cumsum(sizes)
    entries = xp.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    index = xp.searchsorted(ends, entries, side="right")
    return index, P.indices[entries - (ends - sizes)[index] + begin[index]]
