"""Extremes of arrays of whole numbers, and counts; on a GPU also where an array falls or repeats.

There it takes one launch and one wait. CuPy's own reductions include CUB, and compile for two to three seconds each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import device as dev
from ..compile_clock import importing
from . import LEAST_WORK, threads_for

SOURCE = dev.Source(__file__)
EACH, MOST = 8, 512  # extremes.cu: numbers per thread, at least; blocks
WORDS = 6  # extremes.cu: 64-bit words of Found
TYPES = {
    "bool": "unsigned char", "int8": "signed char", "uint8": "unsigned char",
    "int16": "short", "uint16": "unsigned short",
    "int32": "int", "uint32": "unsigned", "int64": "long long", "uint64": "unsigned long long",
}  # fmt: skip


class Extremes(NamedTuple):
    """What an array has."""

    least: int
    largest: int
    occurrences: int  # how often it has the largest
    # `fall` and `repeat`: the first i where number i is larger than the next, and where both are equal; −1 for none
    fall: int
    repeat: int


class Degrees(NamedTuple):
    """The least and the largest of some degrees, how many have that, and the sum of the squares."""

    least: int
    largest: int
    occurrences: int
    squares: int


def largest(x: Any, empty: int = -1) -> int:
    """The largest of whole numbers, or `empty` where there are none."""
    if not len(x):
        return empty
    if dev.is_cupy(x):
        return extremes(x).largest
    return int(x.max() if len(x) < LEAST_WORK else _span(x)[:, 1].max())


def span(x: Any) -> tuple[int, int]:
    """The least and the largest of at least one whole number."""
    if not dev.is_cupy(x):
        if len(x) < LEAST_WORK:
            return int(x.min()), int(x.max())
        found = _span(x)
        return int(found[:, 0].min()), int(found[:, 1].max())
    return extremes(x)[:2]


def _span(x: np.ndarray) -> np.ndarray:
    """The least and the largest of shares of an array on a CPU."""
    workers = threads_for(None, len(x))
    if workers == 1 or x.itemsize < 4 or x.dtype.kind not in "iu" or not (x.dtype.isnative and x.flags.c_contiguous):
        return np.array([[x.min(), x.max()]])
    with importing():
        from .extremes_cpu import spans

    return spans(x, workers)


def count_true(flags: Any) -> int:
    """How many are true; on a GPU without a reduction of CuPy's, which takes seconds to compile."""
    if not dev.is_cupy(flags):
        return int(np.count_nonzero(flags))
    if not flags.size:
        return 0
    found = extremes(flags.ravel())
    return found.occurrences if found.largest else 0


def distinct(x: Any) -> int:
    """How many different whole numbers from 0 on an array has; few may be very large, and others are negative."""
    xp, top = dev.module_of(x), largest(x)
    if top >= 2 * len(x):
        return len(xp.unique(x[x >= 0]))
    return count_true(dev.used(x, top + 1))


def extremes(x: Any) -> Extremes:
    """Of an array with one dimension and at least one number; CuPy's functions where that is of ROCm."""
    if dev.is_rocm():
        found = [dev.cupy().flatnonzero(at) for at in (x[:-1] > x[1:], x[:-1] == x[1:])]
        firsts = (int(at[0]) if len(at) else -1 for at in found)
        return Extremes(int(x.min()), int(x.max()), dev.cupy().count_nonzero(x == x.max()).item(), *firsts)
    with dev.using(x):
        return _found(dev.cupy().ascontiguousarray(x), len(x), 0)[0]


def degrees(indptr: Any) -> Degrees:
    """Of the rows that these offsets on a GPU describe, at least one."""
    with dev.using(indptr):
        if dev.is_rocm():
            each = indptr[1:] - indptr[:-1]
            return Degrees(*extremes(each)[:3], int(dev.cupy().dot(each.astype(float), each.astype(float))))
        found, squares = _found(indptr, len(indptr) - 1, 1)
        return Degrees(*found[:3], squares)


def _found(x: Any, n: int, steps: int) -> tuple[Extremes, int]:
    """What all blocks have found together, and of degrees the sum of the squares."""
    blocks = min(-(-n // (SOURCE.block * EACH)), MOST)
    run = SOURCE.of(TYPE=TYPES[x.dtype.name], STEPS=steps)
    words = run.read("extremes", (blocks,), x, n, count=2 * WORDS * MOST).view(np.int64)
    words = words[: WORDS * blocks].reshape(blocks, WORDS)
    numbers = words[:, :2].view(np.uint64) if x.dtype == np.uint64 else words[:, :2]
    largest, firsts = numbers[:, 1].max(), words[:, 3:5].min(axis=0)
    count = words[numbers[:, 1] == largest, 2].sum()
    fall, repeat = (int(at) if at < n else -1 for at in firsts)
    found = Extremes(int(numbers[:, 0].min()), int(largest), int(count), fall, repeat)
    return found, int(words[:, 5].sum())
