"""Extremes of an array of whole numbers on a GPU, and where it falls or repeats: by one launch and one wait.

CuPy's own reductions take two to three seconds each to compile, for they include CUB.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import device as dev
from .pinned import Pinned

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK, EACH, MOST = 256, 8, 512  # extremes.cu: threads of a block; numbers per thread, at least; blocks
WORDS = 5  # extremes.cu: 64-bit words of Found
TYPES = {
    "bool": "unsigned char", "int8": "signed char", "uint8": "unsigned char",
    "int16": "short", "uint16": "unsigned short",
    "int32": "int", "uint32": "unsigned", "int64": "long long", "uint64": "unsigned long long",
}  # fmt: skip


class Extremes(NamedTuple):
    """What an array has.

    Attributes
    ----------
    least, largest : int
    occurrences : int
        How often it has the largest.
    fall, repeat : int
        The first i where number i is larger than the next, and where both are equal; −1 for none.
    """

    least: int
    largest: int
    occurrences: int
    fall: int
    repeat: int


def extremes(x: Any) -> Extremes:
    """Of an array with one dimension and at least one number; CuPy's functions where that is of ROCm."""
    if dev.is_rocm():
        found = [dev.cupy().flatnonzero(at) for at in (x[:-1] > x[1:], x[:-1] == x[1:])]
        firsts = (int(at[0]) if len(at) else -1 for at in found)
        return Extremes(int(x.min()), int(x.max()), dev.cupy().count_nonzero(x == x.max()).item(), *firsts)
    with dev.using(x):
        return _found(dev.cupy().ascontiguousarray(x), len(x), 0)


def degrees(indptr: Any) -> tuple[int, int]:
    """The largest degree of at least one row, of which these are the offsets on a GPU, and how many rows have it."""
    if dev.is_rocm():
        return extremes(indptr[1:] - indptr[:-1])[1:3]
    with dev.using(indptr):
        return _found(indptr, len(indptr) - 1, 1)[1:3]


def _found(x: Any, n: int, steps: int) -> Extremes:
    """What all blocks have found together."""
    blocks = min(-(-n // (BLOCK * EACH)), MOST)
    with Pinned.take(dev.cupy().cuda.runtime.getDevice(), 2 * WORDS * MOST) as found:
        dev.kernel(SOURCE, "extremes", TYPE=TYPES[x.dtype.name], STEPS=steps)((blocks,), (BLOCK,), (x, n, found.ptr))
        found.launched()
        words = found.wait().view(np.int64)[: WORDS * blocks].reshape(blocks, WORDS)
    numbers = words[:, :2].view(np.uint64) if x.dtype == np.uint64 else words[:, :2]
    largest, firsts = numbers[:, 1].max(), words[:, 3:].min(axis=0)
    count = words[numbers[:, 1] == largest, 2].sum()
    return Extremes(int(numbers[:, 0].min()), int(largest), int(count), *(int(at) if at < n else -1 for at in firsts))
