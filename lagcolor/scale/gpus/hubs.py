"""The order largest_first_spread as places of all vertices, where degrees of 64 and over occur: each GPU sorts its own.

Keys of low degrees are few, so that their numbers on each GPU say what place each has in the order of all. Vertices of
high degree are few: their keys go to every GPU, and each sorts all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...device.several import each, wait
from ...engines.greedy import cuda
from ...orders.ties import seed_word
from . import sorts
from .parts import Distributed

BLOCK = 256


def order(D: Distributed, seed: int) -> list[tuple[Any, Any]]:
    """Per part its vertices in the order (global ids), and their places in the order of all: int32.

    Raises
    ------
    DeviceError
        A GPU cannot run all blocks of the sort together.
    MemoryError
        A device has none left.
    """
    cp, word = dev.cupy(), np.uint32(seed_word(seed))
    with sorts.launched(D, sorts.plans(D), word) as all_sorts:
        made, high = all_sorts.of, all_sorts.high()
    before = [0, *np.cumsum(high).tolist()]
    counts = np.array(each(D.devices, lambda i, device: _view(made[i], made[i].totals, cuda.KEYS).get()), np.int64)
    shifts = _shifts(counts)

    def keys(i: int, device: int) -> Any:
        out = cp.empty(high[i], np.uint64)
        if high[i]:
            part, kernel = D.parts[i], _kernel("high_keys", D)
            args = (np.int64(high[i]), made[i].sequence, part.indptr, word, out, np.int32(part.first))
            kernel((-(-high[i] // BLOCK),), (BLOCK,), (*args, np.int64(before[i])))
        return out

    every = each(D.devices, keys)
    wait(D.devices)

    def places(i: int, device: int) -> tuple[Any, Any]:
        part, n = D.parts[i], D.parts[i].n
        sequence, place = cp.empty(n, np.int32), cp.empty(n, np.int32)
        if before[-1]:
            index = _sorted(cp.concatenate([dev.to_device(k, f"cuda:{device}") for k in every]))
            at = cp.flatnonzero((index >= before[i]) & (index < before[i + 1]))
            mine = _view(made[i], made[i].sequence, 2 * n).reshape(n, 2)
            sequence[: high[i]] = mine[index[at] - before[i], 0]
            place[: high[i]] = at.astype(np.int32)
        if n > high[i]:
            args = (np.int64(n), np.int64(high[i]), made[i].sequence, part.indptr, word, np.int32(part.first))
            grid = (-(-(n - high[i]) // BLOCK),)
            _kernel("low_places", D)(grid, (BLOCK,), (*args, cp.asarray(shifts[i]), sequence, place))
        return sequence, place

    out = each(D.devices, places)
    wait(D.devices)  # what was copied from other GPUs is given back there
    return out


def _kernel(name: str, D: Distributed) -> Any:
    return dev.kernel(cuda.SORT, name, OFFSET_BITS=D.offset_bits, COUNT_BITS=16)


def _view(s: cuda.Sorted, address: int, count: int) -> Any:
    """So many int32 of the memory of a sort, from an address on."""
    at = address - s.space.data.ptr
    return s.space[at : at + 4 * count].view(np.int32)


def _shifts(counts: np.ndarray) -> np.ndarray:
    """Per GPU and key how much further back its vertices are in the order of all: int32, the shape of `counts`."""
    here = np.cumsum(counts, axis=1) - counts
    total = counts.sum(axis=0)
    there = np.cumsum(total) - total + np.cumsum(counts, axis=0) - counts
    return (there - here).astype(np.int32)


def _sorted(keys: Any) -> Any:
    """Which vertex of high degree is at each place: int64."""
    cp = dev.cupy()
    if len(keys) <= 2**cuda.INDEX_BITS:
        keys.sort()
        return (keys & np.uint64(2**cuda.INDEX_BITS - 1)).astype(np.int64)
    return cp.argsort(keys >> np.uint64(cuda.INDEX_BITS), kind="stable")
