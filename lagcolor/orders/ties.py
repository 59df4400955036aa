"""The hash that breaks ties: a bijection of 32 bits, equal in NumPy, CuPy, numba and CUDA.

This module also has the orders that do not read edges, natural and random, and the runs of ids of the spread orders.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import importing
from ..base.device import threads_for

MASK64 = 2**64 - 1
RUN = 32  # ids that stay together
BITS = ((4, 2), (16, 4), (64, 5))  # pairs: under this degree, number of bits of the hash
MOST_BITS = 8
NTH = np.array([int(f"{i:05b}"[::-1], 2) for i in range(RUN)], np.int32)  # bits reversed; its own inverse
# Arguments of `dev.elementwise`: name, inputs, outputs, operation.
INVERTED = ("inverted_hashes", "uint32 word", "uint32 h", "h = ~mix((unsigned)i, word)")
UNMIXED = (
    "unmixed_hashes",
    "uint32 inverted, uint32 word",
    "int32 id",
    """unsigned h = ~inverted;
    h = (h ^ h >> 16) * 0x7ed1b41du;
    h = (h ^ h >> 13 ^ h >> 26) * 0xa5cb9243u;
    id = (int)(h ^ h >> 16 ^ word)""",
)


@functools.lru_cache(64)
def seed_word(seed: int) -> int:
    """32 bits of a 64-bit seed (splitmix64's finalizer, upper half), xored into every id."""
    z = (seed + 0x9E3779B97F4A7C15) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return (z ^ (z >> 31)) >> 32


def mix(xp: Any, ids: Any, seed: int) -> Any:
    """Hash of seed and id, uint32: murmur3's finalizer, a bijection and so without collisions."""
    h = ids.astype(np.uint32) ^ np.uint32(seed_word(seed))
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return h ^ (h >> np.uint32(16))


def unmix(h: Any, seed: int) -> Any:
    """Ids (uint32) of the hashes `h`, the inverse of `mix`; with it a sort moves only hashes."""
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x7ED1B41D)  # inverse of 0xC2B2AE35 modulo 2³²
    h = (h ^ (h >> np.uint32(13)) ^ (h >> np.uint32(26))) * np.uint32(0xA5CB9243)  # inverse of 0x85EBCA6B
    return h ^ (h >> np.uint32(16)) ^ np.uint32(seed_word(seed))


def tie_order(xp: Any, n: int, seed: int | None) -> Any:
    """All ids, int32, in the order that breaks ties."""
    if seed is None:
        return xp.arange(n, dtype=np.int32)
    if xp is not np:
        return _on_gpu(xp, n, np.uint32(seed_word(seed)))
    if (workers := threads_for(None, n)) > 1:
        with importing():
            from .hash_order import by_hash

        return by_hash(n, seed_word(seed), workers)
    inverted = ~mix(xp, xp.arange(n, dtype=np.int32), seed)
    inverted.sort()
    return unmix(~inverted, seed).view(np.int32)


def natural(G: Any, seed: int | None) -> Any:
    """Vertices by id, smaller first; ignores the seed."""
    return tie_order(G.xp, G.n, None)


def random(G: Any, seed: int | None) -> Any:
    """Vertices by decreasing hash of seed and id; seed None counts as 0."""
    return tie_order(G.xp, G.n, 0 if seed is None else seed)


@functools.cache
def bits_by_degree(degrees: int) -> np.ndarray:
    """Number of hash bits for each degree under `degrees`, int64."""
    out = np.full(degrees, MOST_BITS)
    for under, b in reversed(BITS):
        out[:under] = b
    return out


def _on_gpu(cp: Any, n: int, word: np.uint32) -> Any:
    """`tie_order` by hash in two kernels and a sort; separate array operations would be more launches."""
    inverted = dev.elementwise(*INVERTED, dev.text("hash.cuh"))(word, cp.empty(n, np.uint32))
    inverted.sort()
    return dev.elementwise(*UNMIXED)(inverted, word, cp.empty(n, np.int32))
