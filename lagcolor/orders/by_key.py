"""Sort the vertices by a small whole number: by counting on a CPU, by packed keys on a GPU.

What lost on the CPU: NumPy's stable argsort (rmat20, 37 ms against 3 ms).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime.compile_clock import importing

from ..core.nets import Nets
from ..core.pattern import Pattern
from .ties import mix, tie_order, unmix


def by_key(G: Pattern | Nets, key: Any, top: int, seed: int | None) -> Any:
    """Vertices by falling key, ties by `seed`: int32, shape (n,), on the graph's device."""
    if G.on_gpu:
        return by_packed_key(G.xp, key, top, seed)
    with importing():
        from .counting import counting_sort

    ids = None if seed is None else tie_order(np, len(key), seed).view(np.uint32)
    return counting_sort(key.view(np.uint32), top, ids)


def by_packed_key(xp: Any, key: Any, top: int, seed: int | None) -> Any:
    """The same by one sort of whole numbers that hold both the key and what breaks its ties."""
    n = len(key)
    ids = xp.arange(n, dtype=np.uint32)
    # The hash gives its id back, so that it need not travel along.
    low, width = (ids, max(n - 1, 0).bit_length()) if seed is None else (~mix(xp, ids, seed), 32)
    word = np.uint32 if top.bit_length() + width <= 32 else np.uint64
    packed = (top - key).astype(word)
    packed <<= word(width % (8 * word().itemsize))
    packed |= low.astype(word, copy=False)
    packed.sort()
    low = (packed & word((1 << width) - 1)).astype(np.uint32, copy=False)
    return (low if seed is None else unmix(~low, seed)).view(np.int32)
