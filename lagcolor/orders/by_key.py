"""Sort the vertices by a small integer: by counting on a CPU, by packed keys on a GPU.

On the CPU, NumPy's stable argsort was slower (rmat20: 37 ms instead of 3 ms).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import importing
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from .ties import UNMIXED, seed_word, tie_order

# Arguments of `dev.elementwise`. The id is computed from the hash, so the sort moves only the hash.
PACKED = (
    "packed_keys",
    "int32 key, int32 top, uint32 word, int32 width, int32 hashed",
    "W packed",
    """packed = (W)(unsigned)(top - key) << width % (8 * (int)sizeof(W))
        | (W)(hashed ? ~mix((unsigned)i, word) : (unsigned)i)""",
)
UNPACKED = (
    "ids_of_packed_keys",
    "W packed, uint32 word, int32 width, int32 hashed",
    "int32 id",
    f"""const unsigned inverted = (unsigned)(packed & (W)((1ull << width) - 1));
    if (hashed) {{ {UNMIXED[3]}; }}
    else id = (int)inverted""",
)


def by_key(G: Pattern | Nets, key: Any, top: int, seed: int | None) -> Any:
    """Vertices by decreasing key, ties by `seed`: int32, shape (n,), on the graph's device."""
    if G.on_gpu:
        return by_packed_key(key, top, seed)
    with importing():
        from .counting import counting_sort

    ids = None if seed is None else tie_order(np, len(key), seed).view(np.uint32)
    return counting_sort(key.view(np.uint32), top, ids)


def by_packed_key(key: Any, top: int, seed: int | None) -> Any:
    """Vertices by decreasing key on a GPU: one sort of integers that pack the key and the tie breaker."""
    cp, n, hashed = dev.cupy(), len(key), seed is not None
    width = 32 if hashed else max(n - 1, 0).bit_length()
    word = np.uint32 if top.bit_length() + width <= 32 else np.uint64
    how = np.uint32(seed_word(seed or 0)), np.int32(width), np.int32(hashed)
    packed = dev.elementwise(*PACKED, dev.text("hash.cuh"))(key, np.int32(top), *how, cp.empty(n, word))
    packed.sort()
    return dev.elementwise(*UNPACKED)(packed, *how, cp.empty(n, np.int32))
