"""Extremes of arrays of whole numbers, and counts; on a GPU also the first place where an array falls or repeats.

A GPU takes one launch and one wait. CuPy's own reductions include CUB, and compile for two to three seconds each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import device as dev
from ..compile_clock import importing
from . import LEAST_WORK, threads_for

SOURCE = dev.Source(__file__)
EACH, MOST = 8, 512  # extremes.cu: least numbers per thread; most blocks
WORDS = 6  # extremes.cu: 64-bit words of Found
TYPES = {
    "bool": "unsigned char", "int8": "signed char", "uint8": "unsigned char",
    "int16": "short", "uint16": "unsigned short",
    "int32": "int", "uint32": "unsigned", "int64": "long long", "uint64": "unsigned long long",
}  # fmt: skip


class Extremes(NamedTuple):
    """Extremes of an array, and where it first falls or repeats."""

    least: int
    largest: int
    occurrences: int  # of the largest
    # The first i with x[i] > x[i + 1], and the first with x[i] = x[i + 1]; −1 for none
    fall: int
    repeat: int


class Degrees(NamedTuple):
    """The least and the largest degree, and the sum of the squares of all degrees."""

    least: int
    largest: int
    occurrences: int  # of the largest
    squares: int


def largest(x: Any, empty: int = -1) -> int:
    """Return the largest of whole numbers, or `empty` for an empty array."""
    if not len(x):
        return empty
    if dev.is_cupy(x):
        return extremes(x).largest
    return int(x.max() if len(x) < LEAST_WORK else _span(x)[:, 1].max())


def span(x: Any) -> tuple[int, int]:
    """Return the least and the largest of one or more whole numbers."""
    if not dev.is_cupy(x):
        if len(x) < LEAST_WORK:
            return int(x.min()), int(x.max())
        found = _span(x)
        return int(found[:, 0].min()), int(found[:, 1].max())
    return extremes(x)[:2]


def _span(x: np.ndarray) -> np.ndarray:
    """Return the least and the largest number of each share of an array on a CPU."""
    workers = threads_for(None, len(x))
    if workers == 1 or x.itemsize < 4 or x.dtype.kind not in "iu" or not (x.dtype.isnative and x.flags.c_contiguous):
        return np.array([[x.min(), x.max()]])
    with importing():
        from .extremes_cpu import spans

    return spans(x, workers)


def count_true(flags: Any) -> int:
    """Return the number of true flags; on a GPU without a reduction of CuPy, which takes seconds to compile."""
    if not dev.is_cupy(flags):
        return int(np.count_nonzero(flags))
    if not flags.size:
        return 0
    found = extremes(flags.ravel())
    return found.occurrences if found.largest else 0


def distinct(x: Any) -> int:
    """Return the number of different whole numbers from 0 on; a few may be very large; negative ones are ignored."""
    xp, top = dev.module_of(x), largest(x)
    if top >= 2 * len(x):
        return len(xp.unique(x[x >= 0]))
    return count_true(dev.used(x, top + 1))


def extremes(x: Any) -> Extremes:
    """Return the `Extremes` of an array of shape (n,), n > 0, on a GPU; with CuPy for ROCm, by CuPy's functions."""
    if dev.is_rocm():
        found = [dev.cupy().flatnonzero(at) for at in (x[:-1] > x[1:], x[:-1] == x[1:])]
        firsts = (int(at[0]) if len(at) else -1 for at in found)
        return Extremes(int(x.min()), int(x.max()), dev.cupy().count_nonzero(x == x.max()).item(), *firsts)
    with dev.using(x):
        return _found(dev.cupy().ascontiguousarray(x), len(x), 0)[0]


def degrees(indptr: Any) -> Degrees:
    """Return the `Degrees` of one or more rows from their offsets on a GPU."""
    with dev.using(indptr):
        if dev.is_rocm():
            each = indptr[1:] - indptr[:-1]
            return Degrees(*extremes(each)[:3], int(dev.cupy().dot(each.astype(float), each.astype(float))))
        found, squares = _found(indptr, len(indptr) - 1, 1)
        return Degrees(*found[:3], squares)


def _found(x: Any, n: int, steps: int) -> tuple[Extremes, int]:
    """Return what all blocks have found together, and the sum of the squares (of degrees only)."""
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
