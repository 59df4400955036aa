"""How many strings each Pauli string conflicts with, on a CPU: the degrees of a graph that is not stored.

The strings themselves are the classes of `classes.py`, one level each. Rows of a few blocks stay in the cache while all
strings name theirs. n² / 512 times as many rows as a string names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.intrinsics import popcount64
from . import ANTI, QUBITWISE, rows_of
from .classes import rows_named, rows_per_level, set_rows
from .rows import LANES, WIDTH, or_parities, or_rows

CACHED = 1 << 15  # words of rows, 256 KB


def degrees(x: np.ndarray, z: np.ndarray, qubits: int, relation: int, threads: int | None = None) -> np.ndarray:
    """Conflicts of each string with others, int64, shape (n,); parameters as of `classes.first_fit`."""
    n = len(x)
    stride = rows_of(relation, qubits) * LANES
    workers, found = cpu_threads.count(threads, n * n), np.zeros(n, np.int64)
    pool = np.zeros(-(-n // WIDTH) * stride, np.uint64)
    each = -(-n // (workers * WIDTH)) * WIDTH  # whole blocks, for threads write whole words

    def slice_rows(t: int) -> None:
        slice_strings(x, z, qubits, relation, pool, t * each, min(n, (t + 1) * each))

    def count(t: int) -> None:
        at, seen = np.empty(2 * qubits + 1, np.uint64), np.empty(LANES, np.uint64)
        count_conflicts(x, z, qubits, relation, pool, t * each, min(n, (t + 1) * each), found, at, seen)

    cpu_threads.run(slice_rows, workers)
    cpu_threads.run(count, workers)
    return found


@njit(cache=True, nogil=True)
def slice_strings(x: Any, z: Any, qubits: Any, relation: Any, pool: Any, begin: Any, stop: Any) -> None:
    """Rows of strings `begin` … `stop` − 1."""
    stride = rows_per_level(relation, qubits) * LANES
    for v in range(begin, stop):
        set_rows(pool, v // WIDTH * stride, v % WIDTH, x, z, v, qubits, relation)


@njit(cache=True, nogil=True)
def count_conflicts(
    x: Any, z: Any, qubits: Any, relation: Any, pool: Any, begin: Any, stop: Any, found: Any, at: Any, seen: Any
) -> None:
    """Conflicts of strings `begin` … `stop` − 1 with all others."""
    stride = rows_per_level(relation, qubits) * LANES
    blocks, few = pool.size // max(stride, 1), max(1, CACHED // max(stride, 1))
    for first in range(0, blocks, few):
        for v in range(begin, stop):
            count, sum_ = rows_named(x, z, v, qubits, relation, at), np.uint64(0)
            for block in range(first, min(blocks, first + few)):
                seen[:] = np.uint64(0)
                base = np.uint64(block * stride)
                if relation == QUBITWISE:
                    or_rows(pool, base, at, count, seen)
                else:
                    or_parities(pool, base, at, count, seen)
                for j in range(LANES):
                    sum_ += popcount64(seen[j])
            found[v] += np.int64(sum_)
    if relation == ANTI:  # each commutes with itself
        for v in range(begin, stop):
            found[v] -= 1
