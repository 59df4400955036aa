"""Orders that look at no edge: vertex id, and random."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from .ties import mix


def natural(G: Graph, seed: int | None) -> Any:
    """Vertex id, the smaller first."""
    return G.xp.arange(G.n, dtype=np.int32)


def random(G: Graph, seed: int | None) -> Any:
    """By hash of seed and id, the larger hash first; seed None counts as 0."""
    xp = G.xp
    key = mix(xp, xp.arange(G.n, dtype=np.uint32), 0 if seed is None else seed)
    return xp.argsort(~key).astype(np.int32)
