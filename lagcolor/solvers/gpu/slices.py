"""Where a GPU has the rows and entries of a colored matrix: slices of 32 lanes, as in sliced ELLPACK.

Within a color, long rows come last and have a warp each (the last of them are hubs: a sweep gives each
a block); the others have `lanes` lanes each, 32 / lanes rows to a slice, and are sorted by their numbers of entries
within windows, so that rows of a slice are about equally long and near each other. Lane l of a slice reads its entries
32 · k + l: whole sectors, whatever the rows' lengths. Both triangles have the same rows in a slice, so that a vector is
permuted once, and a column is the slot of its row.

Monakov, Lokhmotov, Avetisyan: Automatically tuning sparse matrix-vector multiplication for GPU architectures (2010);
Kreutzer et al.: A unified sparse matrix data format, SELL-C-σ (2014).

=========  =====================================================================
slot       of a row here: color by color, with gaps at their ends
table      per color: first slot, first slice, slices of short rows, all slices
source     of an entry here: which one of the matrix it is
=========  =====================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from . import structure

SOURCE = dev.Source(__file__)
WARP = 32
COLOR_SHIFT = 36  # of the keys: less than that are the kind of a row, its window and lengths
KINDS = 3  # short, long, hub
WINDOW_BITS = 12  # rows of a color that are sorted by length at a time, about 2 ** this
LONG = 64  # times the lanes of a row: from this number of entries on, a row has a warp
LEAST_ROOM = 64  # numbers from the device, at least: few sizes, for what is given back is used again
C_TYPES = {
    "float32": "float",
    "float64": "double",
    "complex64": "Complex<float>",
    "complex128": "Complex<double>",
}


class SlicedTriangle(NamedTuple):
    """A triangle's entries: int64 beginnings of slices, shape (slices + 1,); int32 slots of columns, −1 for none."""

    begin: Any
    columns: Any


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
        # `hubs`: how many of the last slices of each color are hubs. `lower` and `upper` share one array of columns.
        self.table, self.hubs, self.slots, self.slices = table(at, self.n, lanes)
        self.on_device = cp.asarray(self.table)
        # The row of each slot, −1 for none, and the slot of each row.
        self.rows, self.slot_of = cp.empty(self.slots, np.int32), cp.empty(self.n, np.int32)
        args = np.int32(self.n), np.int32(self._colors), self.on_device, bounds, by_key, self.rows, self.slot_of
        self._launch("slots", self.slots, np.int32(self.slots), *args)
        self.lower, self.upper, self.source = self._entries(P, below, above)

    def fill(self, given: Any, dtype: Any, found: Any = None) -> Any:
        """Values of the entries of both triangles, in the order of columns, numbers of a block 32 apart."""
        if found is None or found.dtype != dtype:
            found = dev.cupy().empty(len(self.source) * self.b**2, dtype)
        self._fill(given, dtype, found, structure.NOTHING)
        return found

    def fits(self, given: Any, dtype: Any, lost: int) -> None:
        """Set the word at an address where one of these values is too large for a type."""
        self._fill(given, dtype, structure.NOTHING, lost)

    def by_slot(self, given: Any, found: Any = None) -> Any:
        """Numbers of each row, shape (n,) or (n, b, b), by slot; numbers of a block 32 apart."""
        if found is None or found.dtype != given.dtype:
            found = dev.cupy().empty(self.slots * self.b**2, given.dtype)
        self._launch("by_slot", self.slots, np.int32(self.slots), self.rows, given, found, of=(given.dtype,) * 2)
        return found

    def pivots(self, given: Any, dtype: Any, omega: float, wrong: int) -> Any:
        """ω times the inverse of each row's block of the diagonal, by slot."""
        found = dev.cupy().empty(self.slots * self.b**2, dtype)
        args = np.int32(self.slots), self.rows, self.diagonal, given, np.float64(omega).view(np.int64), found, wrong
        self._launch("pivots", self.slots, *args, of=(given.dtype, dtype))
        return found

    def _bounds(self, keys: Any, by_key: Any) -> tuple[Any, np.ndarray]:
        """Where each color, its long rows and its hubs begin, on the device and here."""
        cp, count = dev.cupy(), KINDS * self._colors
        found, room = cp.empty(count, np.int32), max(LEAST_ROOM, 1 << (count - 1).bit_length())
        args = np.int32(self.n), np.int32(self._colors), keys, by_key, found
        return found, self._kernels().read("bounds", count, *args, count=room)[:count]

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

    def _fill(self, given: Any, dtype: Any, found: Any, lost: Any) -> None:
        entries = len(self.source)
        self._launch("fill", entries, np.int64(entries), self.source, given, found, lost, of=(given.dtype, dtype))

    def _launch(self, name: str, threads: int, *args: Any, of: tuple[Any, Any] = (np.float64,) * 2) -> None:
        self._kernels(*of).launch(name, threads, *args)

    def _kernels(self, given: Any = np.float64, stored: Any = np.float64) -> Any:
        given, stored = (C_TYPES[np.dtype(t).name] for t in (given, stored))
        return SOURCE.of(**self._macros, GIVEN=given, STORAGE=stored)

    def _empty(self) -> None:
        cp = dev.cupy()
        self.table, self.hubs, self.slots, self.slices = table(np.empty(0), 0, WARP)
        self.on_device = cp.asarray(self.table)
        self.rows, self.slot_of, self.diagonal, self.source, columns = (cp.empty(0, np.int32) for _ in range(5))
        self.lower = self.upper = SlicedTriangle(cp.zeros(1, np.int64), columns)


def table(bounds: np.ndarray, n: int, lanes: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """`Slices.table` and `hubs`, slots and slices in all, from where each color, its long rows and its hubs begin."""
    height = WARP // lanes
    begin, long_from, hubs_from = (bounds[kind::KINDS].astype(np.int64) for kind in range(KINDS))
    end = np.append(begin[1:], n)
    long = end - long_from
    thin = -(-(long_from - begin) // height)
    slices, slots = thin + long, -(-(thin * height + long) // WARP) * WARP  # a color begins with a sector
    first = [np.cumsum(x) - x for x in (slots, slices)]
    made = np.stack([first[0], first[1], thin, slices], axis=1).astype(np.int32)
    return np.ascontiguousarray(made), end - hubs_from, int(slots.sum()), int(slices.sum())
