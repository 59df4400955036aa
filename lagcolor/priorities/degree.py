"""Orders by degree: largest first, and largest logarithm of the degree first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from .ties import mix


def largest_first(G: Graph, seed: int | None) -> Any:
    """Largest degree first (Welsh and Powell 1967)."""
    return by_key(G, G.degrees, seed)


def largest_log_first(G: Graph, seed: int | None) -> Any:
    """Largest ⌈log₂ degree⌉ first (Hasenplaugh, Kaler, Schardl, Leiserson 2014, LLF)."""
    xp = G.xp
    # ⌈log₂ d⌉ is the bit length of d − 1: exact in float64 for every int32.
    return by_key(G, xp.frexp(xp.maximum(G.degrees - 1, 0).astype(np.float64))[1].astype(np.int32), seed)


def by_key(G: Graph, key: Any, seed: int | None) -> Any:
    """Vertices by falling int32 key ≥ 0, ties by `seed`."""
    xp = G.xp
    if seed is None:
        return xp.argsort(-key, kind="stable").astype(np.int32)
    h = mix(xp, xp.arange(G.n, dtype=np.uint32), seed)
    full = (key.astype(np.uint64) << np.uint64(32)) | h
    return xp.argsort(~full).astype(np.int32)
