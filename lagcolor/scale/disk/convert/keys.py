"""Edges as sorted keys (source, target) of 64 bits, both directions; and runs of keys, merged.

NumPy sorts 8 M keys at 68 M per second with AVX-512, 25 M with AVX2 and 6 M without either, in place; a radix sort of
11 bits per pass in compiled code took 10 to 15 M per second, and a second array.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ....base.errors import OptionError
from .runs import Run

KEY = 8  # bytes
HALF = np.uint64(32)
LOW = np.uint64(2**32 - 1)
MOST = 2**32  # ends of edges are below
LEAST = 64  # keys of each run that are in memory while runs are merged


@njit(cache=True, nogil=True)
def fill(u: Any, v: Any, keys: Any, at: Any) -> Any:
    """Write both directions of edges from a place on; the place after them."""
    for k in range(len(u)):
        a, b = np.uint64(u[k]), np.uint64(v[k])
        keys[at] = a << HALF | b
        at += 1
        if a != b:
            keys[at] = b << HALF | a
            at += 1
    return at


@njit(cache=True, nogil=True)
def _unique(keys: Any) -> Any:
    count = 0
    for k in range(len(keys)):
        if k == 0 or keys[k] != keys[count - 1]:
            keys[count] = keys[k]
            count += 1
    return count


def unique(keys: np.ndarray) -> np.ndarray:
    """The keys that are different, rising, in place."""
    keys.sort()
    return keys[: int(_unique(keys))]


def check_room(room: int, runs: int, keys: int = 0) -> None:
    """Raise an OptionError if memory is too small to merge these runs; `keys`: number of keys still to come."""
    if room >= 2 * LEAST * runs:
        return
    enough = isqrt(2 * LEAST * keys) + 2 * LEAST if keys else 2 * LEAST * runs
    what = f"about {keys // 2} edges" if keys else f"{runs} runs of edges"
    raise OptionError(f"memory is too little for {what}: pass memory='{-(-enough * 16 // 10**6)}MB' or more")


def merge(runs: list[Run], room: int) -> Iterator[tuple[np.ndarray, int]]:
    """All keys, rising, each once, in ranges; and how many keys of runs a range has. It is gone when the next is read.

    Of each run the next keys are in a buffer. A range reaches to the least of the last keys of the buffers, so that
    nothing before it is left in a file. It may end within a row, so that no vertex has too many neighbors.
    """
    left = np.array([run.content["count"] for run in runs], np.int64)  # keys that are in files alone
    check_room(room, len(runs))
    read, begins, ends = np.zeros_like(left), np.zeros_like(left), np.zeros_like(left)
    buffers = np.empty((len(runs), min(room // (2 * len(runs)), int(left.max()))), np.uint64)
    size, out = buffers.shape[1], np.empty(buffers.size, np.uint64)
    while left.any() or (begins < ends).any():  # each turn empties a buffer, at least
        for k in np.flatnonzero((left > 0) & (2 * (ends - begins) <= size)).tolist():
            kept = int(ends[k] - begins[k])
            buffers[k, :kept] = buffers[k, begins[k] : ends[k]]
            count = min(size - kept, int(left[k]))
            runs[k].read(KEY * int(read[k]), buffers[k, kept : kept + count])
            begins[k], ends[k] = 0, kept + count
            read[k] += count
            left[k] -= count
        more = np.flatnonzero(left)
        bound = buffers[more, ends[more] - 1].min() if len(more) else np.uint64(2**64 - 1)
        parts = []
        for k in np.flatnonzero(begins < ends).tolist():
            part = buffers[k, begins[k] : ends[k]]
            part = part[: np.searchsorted(part, bound, side="right")]
            begins[k] += len(part)
            parts.append(part)
        count = sum(map(len, parts))
        yield unique(np.concatenate(parts, out=out[:count])), count
