"""Passes over the user's arrays on a CPU: 64 bits to 32 (checks.py), and the places of nonzeros (dense.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import threads_for
from ..base.device.compiled import njit
from ..base.device.intrinsics import ctz64
from ..base.device.parallel import launch, parallel, share, slots

ONE, THREE, EIGHT = np.uint64(1), np.uint64(3), np.uint64(8)
LOW, HIGH = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)


def narrowed(wide: Any) -> tuple[Any, int]:
    """Return an array of uint64 as int32, and its largest number."""
    out, workers = np.empty(len(wide), np.int32), threads_for(None, len(wide))
    largest = np.zeros(workers, np.uint64)
    launch(_narrow, workers, slots(0), wide, out.view(np.uint32), largest)
    return out, int(largest.max())


@parallel
def _narrow(t: Any, shared: Any, wide: Any, narrow: Any, largest: Any) -> None:
    """Copy a share of uint64 as uint32, and note the largest."""
    most = np.uint64(0)
    for e in share(t, largest.size, wide.size):
        most = max(most, wide[e])
        narrow[e] = np.uint32(wide[e])
    largest[t] = most


@njit(cache=True, nogil=True)
def columns_of(words: Any, columns: Any, row: Any, diagonal: Any, indptr: Any, out: Any) -> Any:
    """Write the columns of nonzero bytes in rows from `row` on, and their number in row i to ``indptr[i + 1]``."""
    count, before = np.uint64(0), np.uint64(0)  # entries so far, and before this row
    begin, size = np.uint64(0), np.uint64(columns)  # first byte, and bytes, of this row
    i, own = np.uint64(row), np.uint64(row) + (np.uint64(columns) if diagonal else np.uint64(0))
    for w in range(np.uint64(words.size)):
        word = words[w]
        if word == 0:
            continue
        left = (((word & LOW) + LOW) | word) & HIGH  # the highest bit of each byte that is not zero
        while left:
            j = EIGHT * w + (ctz64(left) >> THREE) - begin
            left &= left - ONE
            if j >= size:
                indptr[i + ONE] = count - before
                before = count
                skip = j // size
                i += skip
                own += skip
                begin += skip * size
                j -= skip * size
            out[count] = j
            count += ONE if j != own else np.uint64(0)  # a diagonal entry is overwritten
    indptr[i + ONE] = count - before
    return count
