"""A copy of a matrix with hubs: the columns that are read most lie in bands, for shared memory (see bands.cu).

A gather of 4 bytes moves a sector of 32 from L2: 5.8 GB for the 181 million entries of kron_g500-logn21, a millisecond.
With rows and columns by falling degree the first 49,152 columns have two thirds of them: those are gathered from shared
memory, with 2 bytes per entry for the column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .storage import Matrix, by_falling_degree, make_plan

LANES = 8  # columns that a lane of bands.cu reads at a time
PIECE = 2048  # entries of a segment at most
BAND = 49152  # columns of a band, of 4 bytes each in shared memory; a multiple of 256, and columns fit into 16 bits
TASKS = 128  # of the 32 warps of a block
SEGMENT_COST = 16  # the cost of a segment in addition to its entries, in entries


@dataclass
class Segments:
    """Parts of rows: the warp that sums each, and the parts of each row. bands.cu takes the arrays as they are."""

    blocks: int
    starts: Any  # in the type of the matrix's offsets, shape (segments + 1,)
    table: Any  # int32
    shares: Any  # int32
    task_first: Any  # int32
    task_width: Any  # int32


@dataclass
class Banded:
    """A matrix with rows and columns by falling degree, in bands and the rest."""

    rows: Any  # int32: Row i of it is row ``rows[i]`` of the other
    order: Any  # int64: Column j of it is column ``order[j]`` of the other
    width: int  # Columns of a band
    bands: int
    columns: Any  # uint16: Of the entries in bands, band by band, as they lie in shared memory
    values: Any  # Of these entries; one number where the matrix is iso
    segments: Segments
    rest: Matrix | None  # The entries in no band; None without any


def band_width(cp: Any, most: int = BAND) -> int:
    """Columns of 4 bytes that the shared memory of a block holds, at most so many."""
    room = _attributes(cp).get("MaxSharedMemoryPerBlockOptin", 1 << 16) - 1024
    return min(most, room // 4 // 256 * 256)


def share_in_bands(cp: Any, A: Matrix, columns: int) -> float:
    """The share of the entries that lie in this number of columns, the longest ones."""
    counts = cp.diff(A.indptr) if A.symmetric else cp.bincount(A.indices, minlength=A.ncols)
    return float(cp.sort(counts)[::-1][:columns].sum()) / max(A.nvals, 1)


def in_bands(cp: Any, A: Matrix, width: int, bands: int) -> Banded:
    """The copy; the host waits for the device."""
    rows, order, _, key, by = by_falling_degree(cp, A)
    row, column = (key // A.ncols).astype(np.int32), (key % A.ncols).astype(np.int32)
    del key
    columns, degrees, chosen = [], [], []
    for b in range(bands):
        inside = (column >= b * width) & (column < (b + 1) * width)
        c = column[inside] - np.int32(b * width)
        columns.append((c ^ (c >> 5 & 7)).astype(np.uint16))
        degrees.append(cp.asnumpy(cp.bincount(row[inside], minlength=A.nrows)))
        if not A.iso:
            chosen.append(A.values[by[inside]])
    rest = _rest(cp, A, row, column, column >= bands * width, by)
    columns.append(cp.zeros(-sum(map(len, columns)) % LANES, np.uint16))
    segments = cut(cp, degrees, _attributes(cp)["MultiProcessorCount"], A.indptr.dtype)
    values = A.values if A.iso else cp.concatenate(chosen)
    return Banded(rows.astype(np.int32), order, width, bands, cp.concatenate(columns), values, segments, rest)


def _rest(cp: Any, A: Matrix, row: Any, column: Any, inside: Any, by: Any) -> Matrix | None:
    """The matrix of the entries where `inside` is true; None without any."""
    if not bool(inside.any()):
        return None
    indptr = cp.zeros(A.nrows + 1, A.indptr.dtype)
    indptr[1:] = cp.cumsum(cp.bincount(row[inside], minlength=A.nrows))
    values = None if A.pattern else A.values if A.iso else A.values[by[inside]]
    rest = Matrix(cp, indptr, column[inside], values, A.ncols, tuning=A.tuning)
    rest.iso = A.iso
    rest._plan = make_plan(cp, indptr, rest.nvals)
    return rest


def cut(cp: Any, degrees: list[np.ndarray], blocks: int, offset: np.dtype) -> Segments:
    """Segments of rows with this many entries per band, divided evenly among the warps of about `blocks` blocks."""
    table = np.zeros(4 * len(degrees), np.int32)
    tables, starts = [table], [np.zeros(1, np.int64)]
    entries = segments = 0
    ends = []
    for b, degree in enumerate(degrees):
        long_rows = np.flatnonzero(degree > PIECE)
        n_long = int(long_rows[-1]) + 1 if len(long_rows) else 0
        pieces = np.maximum(-(-degree[:n_long] // PIECE), 1)
        first_piece = np.concatenate([[0], np.cumsum(pieces)])
        within = np.arange(first_piece[-1]) - np.repeat(first_piece[:-1], pieces)
        lengths = np.minimum(np.repeat(degree[:n_long], pieces) - within * PIECE, PIECE)
        lengths = np.concatenate([lengths, degree[n_long:]])
        table[4 * b : 4 * b + 3] = n_long, sum(map(len, tables)), segments + first_piece[-1] - n_long
        tables.append((segments + first_piece).astype(np.int32))
        starts.append(entries + np.cumsum(lengths))
        entries += int(degree.sum())
        segments += len(lengths)
        ends.append(segments)
    all_starts = np.concatenate(starts)
    shares = _share_out(all_starts, ends, blocks)
    on_device = [cp.asarray(x.astype(np.int32)) for x in (np.concatenate(tables), *shares)]
    return Segments(int(shares[0][-2]), cp.asarray(all_starts.astype(offset)), *on_device)


def _share_out(starts: np.ndarray, ends: list[int], blocks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`shares`, `task_first` and `task_width` of bands.cu; tasks are of even cost."""
    cost = starts + SEGMENT_COST * np.arange(len(starts))
    shares, first = [0, 0], []
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        own = max(1, round(blocks * (cost[end] - cost[begin]) / max(cost[-1], 1)))
        bounds = np.linspace(cost[begin], cost[end], own * TASKS + 1)[:-1]
        first.append(begin + np.searchsorted(cost[begin : end + 1], bounds))
        shares += [shares[-2] + own, shares[-1] + own * TASKS]
    task_first = np.append(np.concatenate(first), ends[-1])
    mean = np.diff(starts[task_first]) / np.maximum(np.diff(task_first), 1)
    width = 2 ** np.clip(np.ceil(np.log2(np.maximum(mean / LANES, 1))), 0, 5)
    return np.array(shares), task_first, width


def _attributes(cp: Any) -> Any:
    return cp.cuda.Device(cp.cuda.runtime.getDevice()).attributes
