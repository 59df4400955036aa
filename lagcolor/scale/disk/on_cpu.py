"""First-fit of a folder on a CPU: the loops of engines/greedy/sequential.py on memory maps, some rows at a time.

The entries of these rows are checked right before the rows are colored, when they are in the processor's caches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.log import Log, stage
from ...engines.greedy import sequential
from ...engines.greedy.sequential import BASE, LAST
from ...io.folder import Folder
from .memory_map import malformed_row, watched

ROWS = 1 << 15  # rows that are colored at a time
ONE32 = np.uint32(1)


def share(folder: Folder, largest: int, in_order: bool, memory: int) -> tuple[int, int]:
    """Return the least memory of a coloring and the memory that it uses, in bytes: equal, because rows stay on disk."""
    narrow = largest + int(BASE) < int(LAST)
    code = 1 if narrow else np.dtype(sequential.wide_dtype(largest)).itemsize
    sequence = 0 if in_order else 4
    used = (4 + code + sequence) * folder.n + largest + 16 + (code + 5) * min(ROWS, folder.n)
    return used, used


def color(folder: Folder, sequence: np.ndarray | None, largest: int, memory: int, log: Log) -> np.ndarray:
    """Return colors, int32, of first-fit in the order of `sequence` (None: vertex id)."""
    n, state = folder.n, np.zeros(folder.n, np.uint8)
    parts, coloring = watched(folder, range(0, n, ROWS)), stage("coloring", n, "vertices")
    for begin in parts:
        end = min(begin + ROWS, n)
        rows = np.arange(begin, end, dtype=np.uint32) if sequence is None else sequence[begin:end].view(np.uint32)
        state = _color(folder, rows, state, largest, sequence is None)
        log.round(active=len(rows), colored=len(rows))
        coloring.at(end)
    return sequential.publish(state, np.empty(n, np.int32))


def _color(folder: Folder, rows: np.ndarray, state: np.ndarray, largest: int, in_order: bool) -> np.ndarray:
    """Color some rows; return the codes of all vertices, in a wider type from the first large color on."""
    indptr, indices = folder.indptr.view(np.uint64), folder.indices.view(np.uint32)
    bad = int(unsound(indptr, indices, rows, np.uint32(folder.n)))
    if bad >= 0:
        raise malformed_row(folder, bad)
    found, done = np.empty(len(rows), state.dtype), 0
    if state.dtype == np.uint8:
        if in_order:
            first = int(rows[0])
            done = int(sequential.narrow_natural(indptr, indices, state, first, first + len(rows))) - first
        else:
            done, _ = sequential.narrow(indptr, indices, rows, state, found, 0, len(rows))
        if done == len(rows):
            return state
        state = state.astype(sequential.wide_dtype(largest))
        found = found.astype(state.dtype)
    sequential.wide(indptr, indices, rows, state, found, sequential.flag_bytes(largest), done, len(rows))
    return state


@njit(cache=True, nogil=True)
def unsound(indptr: Any, indices: Any, rows: Any, n: Any) -> Any:
    """Return a vertex whose row is not sorted, or contains itself or an entry out of range; or −1."""
    for i in range(np.uint64(rows.size)):
        sequential.far_ahead(indptr, indices, rows, i, rows.size)
        v = rows[i]
        begin, end = indptr[v], indptr[v + ONE32]
        if begin == end:
            continue
        falls = (indices[end - np.uint64(1)] >= n) | (indices[begin] == v)
        for e in range(begin + np.uint64(1), end):
            falls |= (indices[e] <= indices[e - np.uint64(1)]) | (indices[e] == v)
        if falls:
            return np.int64(v)
    return np.int64(-1)
