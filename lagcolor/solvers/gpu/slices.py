"""The layout of the rows and entries of a colored matrix on a GPU: slices of 32 lanes, as in sliced ELLPACK.

Within a color, long rows are last and have a warp each. The last of these are hubs, which have a block each in a sweep.
The other rows have `lanes` lanes each, with 32 / lanes rows in a slice. They are sorted by their numbers of entries
within windows, so that rows of a slice are about equally long and near each other. Lane l of a slice reads its entries
32 · k + l, so that whole sectors are read for any lengths of rows. Both triangles have the same rows in a slice, so
that a vector is permuted once. A column is the slot of its row.

Monakov, Lokhmotov, Avetisyan: Automatically tuning sparse matrix-vector multiplication for GPU architectures (2010);
Kreutzer et al.: A unified sparse matrix data format, SELL-C-σ (2014).

=========  =====================================================================
slot       the place of a row in this layout: color by color, with gaps at their ends
table      per color: first slot, first slice, slices of short rows, all slices
source     the number of an entry of this layout in the matrix
=========  =====================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from . import structure

SOURCE = dev.Source(__file__)
WARP = 32
COLOR_SHIFT = 36  # bits of a key under the color: the kind of a row, its window and lengths
KINDS = 3  # short, long, hub
WINDOW_BITS = 12  # about 2 ** WINDOW_BITS rows of a color are sorted by length at a time
LONG = 64  # entries per lane from which on a row has a warp
LEAST_COUNT = 64  # least numbers to read from the device: with few sizes, buffers can be reused
C_TYPES = {
    "float32": "float",
    "float64": "double",
    "complex64": "Complex<float>",
    "complex128": "Complex<double>",
}


class SlicedTriangle(NamedTuple):
    """The entries of a triangle."""

    begin: Any  # int64, shape (slices + 1,): where slices begin
    columns: Any  # int32: the slot of each entry's column, −1 for padding


class Slices:
    """The layout of a pattern, on its device."""

    n: Any
    b: Any
    lanes: int
    m: Any
    diagonal: Any
    table: np.ndarray
    hubs: np.ndarray
    slots: int
    slices: int
    on_device: Any
    rows: Any
    slot_of: Any
    lower: SlicedTriangle
    upper: SlicedTriangle
    source: Any

    def __init__(self, S: Any, lanes: int, hub: int) -> None:
        cp, P = dev.cupy(), S.pattern
        self.n, self.b, self.lanes, self.m = S.n, S.block_size, lanes, P.m
        how = {"OFFSET_BITS": 8 * P.indptr.itemsize, "LANES": lanes, "BLOCK_SIZE": self.b}
        self._macros = how | {"SOURCE": structure.source_type(P.m)[1]}
        self._colors = S.coloring.n_colors
        if not self._colors:
            self._empty()
            return
        window_bits = WINDOW_BITS + (self._colors - 1).bit_length()
        colors = cp.ascontiguousarray(S.coloring.colors)
        keys, below, above, self.diagonal = structure.keys(P, colors, LONG * lanes, hub, window_bits)
        by_key = cp.argsort(keys)
        bounds, at = self._bounds(keys, by_key)
        # `hubs`: number of hubs, the last slices of each color. `lower` and `upper` share an array of columns.
        self.table, self.hubs, self.slots, self.slices = table(at, self.n, lanes)
        self.on_device = cp.asarray(self.table)
        # The row of each slot, −1 for none, and the slot of each row.
        self.rows, self.slot_of = cp.empty(self.slots, np.int32), cp.empty(self.n, np.int32)
        args = np.int32(self.n), np.int32(self._colors), self.on_device, bounds, by_key, self.rows, self.slot_of
        self._launch("slots", self.slots, np.int32(self.slots), *args)
        self.lower, self.upper, self.source = self._entries(P, below, above)

    def fill(self, values: Any, dtype: Any, found: Any = None) -> Any:
        """Return the values of both triangles' entries, in the order of columns; numbers of a block are 32 apart."""
        if found is None or found.dtype != dtype:
            found = dev.cupy().empty(len(self.source) * self.b**2, dtype)
        self._fill(values, dtype, found, structure.NOTHING)
        return found

    def fits(self, values: Any, dtype: Any, lost: int) -> None:
        """Set the word at the address `lost` if one of these values is too large for a type."""
        self._fill(values, dtype, structure.NOTHING, lost)

    def by_slot(self, numbers: Any, found: Any = None) -> Any:
        """Return numbers of rows, shape (n,) or (n, b, b), in the order of slots; numbers of a block are 32 apart."""
        if found is None or found.dtype != numbers.dtype:
            found = dev.cupy().empty(self.slots * self.b**2, numbers.dtype)
        self._launch("by_slot", self.slots, np.int32(self.slots), self.rows, numbers, found, of=(numbers.dtype,) * 2)
        return found

    def pivots(self, values: Any, dtype: Any, omega: float, wrong: int) -> Any:
        """Return ω times the inverse of each row's diagonal block, in the order of slots."""
        found = dev.cupy().empty(self.slots * self.b**2, dtype)
        args = np.int32(self.slots), self.rows, self.diagonal, values, np.float64(omega).view(np.int64), found, wrong
        self._launch("pivots", self.slots, *args, of=(values.dtype, dtype))
        return found

    def _bounds(self, keys: Any, by_key: Any) -> tuple[Any, np.ndarray]:
        """Return where each color, its long rows and its hubs begin, on the device and on the host."""
        cp, count = dev.cupy(), KINDS * self._colors
        found, size = cp.empty(count, np.int32), max(LEAST_COUNT, 1 << (count - 1).bit_length())
        args = np.int32(self.n), np.int32(self._colors), keys, by_key, found
        return found, self._kernels().read("bounds", count, *args, count=size)[:count]

    def _entries(self, P: Any, below: Any, above: Any) -> tuple[SlicedTriangle, SlicedTriangle, Any]:
        cp, threads = dev.cupy(), self.slices * WARP
        where = np.int32(self.slices), np.int32(self._colors), self.on_device, self.rows
        begin = cp.empty(2 * self.slices + 1, np.int64)
        self._launch("widths", threads, *where, below, above, begin)
        begin = cp.cumsum(begin)
        size = int(begin[-1])
        columns, source = cp.empty(size, np.int32), cp.empty(size, self.diagonal.dtype)
        self._launch("columns", threads, *where, P.indptr, P.indices, self.slot_of, begin, columns, source)
        return SlicedTriangle(begin[: self.slices + 1], columns), SlicedTriangle(begin[self.slices :], columns), source

    def _fill(self, values: Any, dtype: Any, found: Any, lost: Any) -> None:
        entries = len(self.source)
        self._launch("fill", entries, np.int64(entries), self.source, values, found, lost, of=(values.dtype, dtype))

    def _launch(self, name: str, threads: int, *args: Any, of: tuple[Any, Any] = (np.float64,) * 2) -> None:
        self._kernels(*of).launch(name, threads, *args)

    def _kernels(self, read: Any = np.float64, stored: Any = np.float64) -> Any:
        read, stored = (C_TYPES[np.dtype(t).name] for t in (read, stored))
        return SOURCE.of(**self._macros, INPUT=read, STORAGE=stored)

    def _empty(self) -> None:
        cp = dev.cupy()
        self.table, self.hubs, self.slots, self.slices = table(np.empty(0), 0, WARP)
        self.on_device = cp.asarray(self.table)
        self.rows, self.slot_of, self.diagonal, self.source, columns = (cp.empty(0, np.int32) for _ in range(5))
        self.lower = self.upper = SlicedTriangle(cp.zeros(1, np.int64), columns)


def table(bounds: np.ndarray, n: int, lanes: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return `Slices.table` and `hubs`, and all slots and slices, from the beginnings that `Slices._bounds` returns."""
    height = WARP // lanes
    begin, long_from, hubs_from = (bounds[kind::KINDS].astype(np.int64) for kind in range(KINDS))
    end = np.append(begin[1:], n)
    long = end - long_from
    thin = -(-(long_from - begin) // height)
    slices, slots = thin + long, -(-(thin * height + long) // WARP) * WARP  # each color begins with a sector
    first = [np.cumsum(x) - x for x in (slots, slices)]
    made = np.stack([first[0], first[1], thin, slices], axis=1).astype(np.int32)
    return np.ascontiguousarray(made), end - hubs_from, int(slots.sum()), int(slices.sum())
