"""Orders by degree: largest first, and largest logarithm of the degree first."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime.compile_clock import importing

from ..core.graph import Graph
from ..device import threads
from .by_key import by_key


def largest_first(G: Graph, seed: int | None) -> Any:
    """Largest degree first (Welsh and Powell 1967)."""
    if seed is None and not G.on_gpu:
        with importing():
            from . import degree_sort

        return degree_sort.largest_first(G.indptr.view(f"u{G.indptr.itemsize}"), threads.count(None, G.n))
    return by_key(G, G.degrees, G.max_degree, seed)


def largest_log_first(G: Graph, seed: int | None) -> Any:
    """Largest ⌈log₂ degree⌉ first (Hasenplaugh, Kaler, Schardl, Leiserson 2014, LLF); degree 0 counts as 1."""
    xp = G.xp
    # ⌈log₂ d⌉ is the bit length of d − 1: exact in float64 for every int32.
    key = xp.frexp(xp.maximum(G.degrees - 1, 0).astype(np.float64))[1].astype(np.int32)
    return by_key(G, key, max(G.max_degree - 1, 0).bit_length(), seed)
