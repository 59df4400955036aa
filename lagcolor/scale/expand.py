"""All that constrains some vertices of a partition, in array operations that NumPy and CuPy have."""

from __future__ import annotations

from typing import Any

from ..core.nets import Structure
from ..core.pattern import entries_of


def neighbors(H: Structure, vertices: Any) -> tuple[Any, Any]:
    """Pairs (index into `vertices`, vertex that constrains it), some twice at distance 2, itself included."""
    index, net = entries_of(H.patterns[0], vertices)
    if H.hops == 1:
        return index, net
    of_net, member = entries_of(H.patterns[1], net)
    return index[of_net], member
