"""Orders that look at no edge: vertex id, and random."""

from __future__ import annotations

from typing import Any

from ..core.graph import Graph
from .ties import tie_order


def natural(G: Graph, seed: int | None) -> Any:
    """Vertex id, the smaller first; the seed has no say."""
    return tie_order(G.xp, G.n, None)


def random(G: Graph, seed: int | None) -> Any:
    """By hash of seed and id, the larger hash first; seed None counts as 0."""
    return tie_order(G.xp, G.n, 0 if seed is None else seed)
