"""Conflicts of Pauli strings on a CPU: their number for each string, and the stored graph.

Each string is a class of `classes.py`, with one level. A table of 256 rows has the combinations of the rows of four
qubits, for all letters that a string may have there (the method of the four Russians). So a string reads at most one
row per four qubits and 512 strings. The tables of a few blocks stay in the cache while all strings are tested.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.device import threads_for
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64
from ...base.device.parallel import run
from . import ANTI, QUBITWISE, Strings, rows_of
from .classes import LANES, WIDTH, combine_into, count_combined, set_rows

CACHED = 1 << 16  # words of tables that fit into a cache, 512 KB
QUBITS = 4  # qubits of a table
TABLE = 256 * LANES  # words of a table
FOUR, SIXTEEN = np.uint64(4), np.uint64(15)


class RowTables(NamedTuple):
    """The strings, and memory for their rows and tables."""

    x: np.ndarray
    z: np.ndarray
    qubits: int
    relation: int
    rows: np.ndarray  # of a block
    tables: np.ndarray  # of at most `few` blocks
    at: np.ndarray  # offsets of the rows of a string in the tables

    @classmethod
    def of(cls, strings: Strings, few: int) -> RowTables:
        """Allocate memory for the tables of `few` blocks."""
        number = -(-strings.qubits // QUBITS) + 1
        rows = np.empty(rows_of(strings.relation, strings.qubits) * LANES, np.uint64)
        return cls(*strings, rows, np.empty(few * number * TABLE, np.uint64), np.empty(number, np.uint64))


def degrees(strings: Strings, threads: int | None = None) -> np.ndarray:
    """Return the number of conflicts of each string, int32, shape (n,)."""
    n = len(strings.x)
    blocks = -(-n // WIDTH)
    workers = min(threads_for(threads, n * n), max(blocks, 1))
    found = np.zeros((workers, n), np.int32)

    ended: list[bool] = []

    def count(t: int) -> None:
        size = (-(-strings.qubits // QUBITS) + 1) * TABLE
        few = max(CACHED // size, 1)
        tables = RowTables.of(strings, few)
        try:
            for first in range(t * few, blocks, workers * few):
                if ended:  # by Ctrl-C, which the caller's thread receives between two blocks
                    return
                last = min(first + few, blocks)
                count_conflicts(tables, first, last, size, found[t])
        except BaseException:
            ended.append(True)
            raise

    run(count, workers)
    total = found.sum(axis=0, dtype=np.int32)
    return total - 1 if strings.relation == ANTI else total  # a string commutes with itself


def graph(strings: Strings, degrees: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the conflicts in CSR form, with sorted rows. Temporary memory: n² bits."""
    n = len(strings.x)
    blocks = -(-n // WIDTH)
    bits, tables = np.zeros((n, blocks * LANES), np.uint64), RowTables.of(strings, 1)
    for block in range(blocks):
        mark_conflicts(tables, block, bits)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(degrees, out=indptr[1:])
    indices = np.empty(int(indptr[-1]), np.int32)
    list_bits(bits, indices)
    return indptr, indices


@njit(cache=True, nogil=True)
def mark_conflicts(tables: Any, block: Any, bits: Any) -> None:
    """Set bit u of ``bits[v]`` for each string u of a block that conflicts with v."""
    fill_block(tables, block, 0)
    for v in range(bits.shape[0]):
        count = selected_tables(tables, v)
        seen = bits[v, block * LANES : (block + 1) * LANES]
        combine_into(tables.tables, np.uint64(0), tables.at, count, tables.relation != QUBITWISE, seen)


@njit(cache=True, nogil=True)
def list_bits(bits: Any, indices: Any) -> None:
    """Write the numbers of the set bits of each row to `indices`, row after row, without the row's own number."""
    place = 0
    for v in range(bits.shape[0]):
        for w in range(bits.shape[1]):
            left = bits[v, w]
            while left:
                u = 64 * w + np.int64(ctz64(left))
                left &= left - np.uint64(1)
                if u != v:
                    indices[place] = u
                    place += 1


@njit(cache=True, nogil=True)
def count_conflicts(tables: Any, first: Any, stop: Any, size: Any, found: Any) -> None:
    """Count the conflicts of all strings with the strings of blocks `first` … `stop` − 1; add them to `found`."""
    for block in range(first, stop):
        fill_block(tables, block, (block - first) * size)
    for v in range(found.size):
        count = selected_tables(tables, v)
        sum_ = np.uint64(0)
        for block in range(stop - first):
            base = np.uint64(block * size)
            sum_ += count_combined(tables.tables, base, tables.at, count, tables.relation != QUBITWISE)
        found[v] += np.int32(sum_)


@inner()
def fill_block(block_tables: Any, block: Any, base: Any) -> None:
    """Compute the rows of the strings of a block, and their tables."""
    x, z, qubits, relation, rows, tables, _ = block_tables
    rows[:] = np.uint64(0)
    for v in range(block * WIDTH, min((block + 1) * WIDTH, x.shape[0])):
        set_rows(rows, np.int64(0), v % WIDTH, x, z, v, qubits, relation)
    fill_tables(rows, qubits, relation, tables, base)


@inner()
def fill_tables(rows: Any, qubits: Any, relation: Any, tables: Any, base: Any) -> None:
    """Combine the rows of a block for all letters of four qubits; index: x in the lower half, z in the upper half."""
    for k in range(0, qubits, QUBITS):
        table = base + k // QUBITS * TABLE
        tables[table : table + LANES] = np.uint64(0)
        for i in range(1, 256):
            one = i & -i
            row = table + i * LANES
            if relation == QUBITWISE:  # qubit by qubit, because the letter selects the row
                bit = 0
                while not (i >> bit | i >> bit + QUBITS) & 1:
                    bit += 1
                rest = table + (i & ~(1 << bit | 1 << bit + QUBITS)) * LANES
                letter = (i >> bit & 1) + 2 * (i >> bit + QUBITS & 1) - 1
                source = (3 * (k + bit) + letter) * LANES
            else:
                bit = 0
                while not one >> bit & 1:
                    bit += 1
                rest = table + (i ^ one) * LANES
                source = (k + bit if bit < QUBITS else qubits + k + bit - QUBITS) * LANES
            if k + bit % QUBITS >= qubits:  # no string has these letters
                continue
            for j in range(LANES):
                if relation == QUBITWISE:
                    tables[row + j] = tables[rest + j] | rows[source + j]
                else:
                    tables[row + j] = tables[rest + j] ^ rows[source + j]
    if relation == ANTI:
        last = base + (qubits + QUBITS - 1) // QUBITS * TABLE
        for j in range(LANES):
            tables[last + j] = rows[2 * qubits * LANES + j]


@inner()
def selected_tables(block_tables: Any, v: Any) -> Any:
    """Write the offsets of the rows of string v in the tables to `at`, in words; return their number."""
    x, z, qubits, relation, _, _, at = block_tables
    count = np.uint64(0)
    tables = np.uint64((qubits + QUBITS - 1) // QUBITS)
    for chunk in range(tables):
        shift = np.uint64(chunk % 16) * FOUR
        xs, zs = (x[v, chunk // 16] >> shift) & SIXTEEN, (z[v, chunk // 16] >> shift) & SIXTEEN
        if xs | zs:
            at[count] = (np.uint64(chunk) * np.uint64(256) + (xs | zs << FOUR)) * np.uint64(LANES)
            count += np.uint64(1)
    if relation == ANTI:
        at[count] = tables * np.uint64(TABLE)
        count += np.uint64(1)
    return count
