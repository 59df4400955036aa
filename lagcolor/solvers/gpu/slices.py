"""Where a GPU has the rows and entries of a colored matrix: slices of 32 lanes, as in sliced ELLPACK.

Within a color, long rows come last and have a warp each; the others have `lanes` lanes each, 32 / lanes rows to
a slice, and are sorted by their numbers of entries within windows, so that rows of a slice are about equally long and
near each other. Lane l of a slice reads its entries 32 · k + l: whole sectors, whatever the rows' lengths. Both
triangles have the same rows in a slice, so that a vector is permuted once, and a column is the slot of its row.

Monakov, Lokhmotov, Avetisyan: Automatically tuning sparse matrix-vector multiplication for GPU architectures (2010);
Kreutzer et al.: A unified sparse matrix data format, SELL-C-σ (2014).

=========  =====================================================================
place      of a row in the order of colors, as in symbolic.py
slot       of a row here: places in another order, with gaps at ends of colors
table      per color: first slot, first slice, slices of short rows, all slices
=========  =====================================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev

SOURCE = Path(__file__).parent / "slices.cu"
WARP, BLOCK = 32, 256
COLOR_SHIFT = 36  # of the keys in slices.cu: less than that are a long row's mark, its window and lengths
LONG = 64  # times the lanes of a row: from so many entries on a row has a warp
C_TYPES = {
    "float32": "float",
    "float64": "double",
    "complex64": "Complex<float>",
    "complex128": "Complex<double>",
}


class Part(NamedTuple):
    """A triangle's entries: int64 beginnings of slices, shape (slices + 1,); int32 slots of columns, −1 for none."""

    begin: Any
    columns: Any


class Slices:
    """The layout of a pattern, on its device.

    Parameters
    ----------
    S : Symbolic
    lanes : int
        Of a row that is not long: 1, 2, 4 … 32.

    Attributes
    ----------
    slots : int
        A multiple of 32.
    rows, place_of : array of int32, shape (slots,)
        Row of the matrix, and place, of each slot; −1 for none.
    slot_of : array of int32, shape (n,)
        Of each place.
    table : array of int32, shape (k, 4)
        On the CPU, and on the device as `on_device`.
    lower, upper : Part
    """

    def __init__(self, S: Any, lanes: int) -> None:
        cp = dev.cupy()
        self.S, self.lanes, self._offsets = S, lanes, cp.asarray(S.offsets.astype(np.int32))
        self._kernels = {"OFFSET_BITS": 8 * S.lower.indptr.itemsize, "LANES": lanes, "BLOCK_SIZE": S.block_size}
        keys = cp.empty(S.n, np.int64)
        lengths = S.lower.indptr, S.upper.indptr
        self._launch("keys", S.n, self._offsets, *lengths, np.int32(LONG * lanes), keys)
        places = cp.argsort(keys, kind="stable")
        bounds = (np.arange(len(S.offsets) - 1, dtype=np.int64) * 2 + 1) << (COLOR_SHIFT - 1)
        long_from = cp.searchsorted(keys[places], cp.asarray(bounds)).astype(np.int32)
        self.table = self._table(dev.to_device(long_from, "cpu"))
        self.on_device = cp.asarray(self.table)
        self.slots = int(-(-self._ends[0] // WARP) * WARP)
        self.rows, self.place_of = cp.full(self.slots, -1, np.int32), cp.full(self.slots, -1, np.int32)
        self.slot_of = cp.empty(S.n, np.int32)
        args = (self._offsets, long_from, self.on_device, places, S.order, self.slot_of, self.place_of, self.rows)
        self._launch("slots", S.n, *args)
        self.lower, self.upper = self._parts()

    @property
    def slices(self) -> int:
        """In all."""
        return int(self._ends[1])

    def values(self, which: str, given: Any, found: Any = None) -> Any:
        """Entries of a triangle, "lower" or "upper", in the order of `Part.columns`, those of a block 32 apart.

        Parameters
        ----------
        which : str
        given : array, shape (m,) or (m, b, b)
        found : array, optional
            Of an earlier call, to be written to.
        """
        part, T = getattr(self, which), getattr(self.S, which)
        if found is None or found.dtype != given.dtype:
            found = dev.cupy().empty(len(part.columns) * self.S.block_size**2, given.dtype)
        args = (self.place_of, T.indptr, given, part.begin, found)
        self._per_slice("values", *args, STORAGE=C_TYPES[given.dtype.name])
        return found

    def by_slot(self, given: Any, found: Any = None) -> Any:
        """Numbers of each place, shape (n,) or (n, b, b), by slot; those of a block 32 apart."""
        if found is None or found.dtype != given.dtype:
            found = dev.cupy().empty(self.slots * self.S.block_size**2, given.dtype)
        kernel = dev.kernel(SOURCE, "by_slot", **self._kernels, STORAGE=C_TYPES[given.dtype.name])
        if self.slots:
            kernel((-(-self.slots // BLOCK),), (BLOCK,), (np.int32(self.slots), self.place_of, given, found))
        return found

    def _table(self, long_from: np.ndarray) -> np.ndarray:
        offsets, height = self.S.offsets, WARP // self.lanes
        thin = -(-(long_from - offsets[:-1]) // height)
        slices = thin + offsets[1:] - long_from
        slots = -(-(thin * height + offsets[1:] - long_from) // WARP) * WARP  # a color begins with a sector
        first = [np.concatenate([[0], np.cumsum(x)]) for x in (slots, slices)]
        self._ends = first[0][-1], first[1][-1]
        return np.ascontiguousarray(np.stack([first[0][:-1], first[1][:-1], thin, slices], axis=1).astype(np.int32))

    def _parts(self) -> tuple[Part, Part]:
        cp, S = dev.cupy(), self.S
        begins = []
        for T in (S.lower, S.upper):
            begin = cp.zeros(self.slices + 1, np.int64)
            self._per_slice("widths", self.place_of, T.indptr, begin)
            begins.append(cp.cumsum(begin))
        sizes = dev.to_device(cp.stack([begin[-1] for begin in begins]), "cpu").tolist()
        parts = [Part(begin, cp.empty(size, np.int32)) for begin, size in zip(begins, sizes, strict=True)]
        for T, part in zip((S.lower, S.upper), parts, strict=True):
            self._per_slice("columns", self.place_of, T.indptr, T.indices, self.slot_of, *part)
        return parts[0], parts[1]

    def _launch(self, name: str, n: int, *args: Any) -> None:
        """Of a kernel with a thread per row."""
        if n:
            kernel = dev.kernel(SOURCE, name, **self._kernels, STORAGE="float")
            kernel((-(-n // BLOCK),), (BLOCK,), (np.int32(n), np.int32(len(self.S.offsets) - 1), *args))

    def _per_slice(self, name: str, *args: Any, STORAGE: str = "float") -> None:
        if self.slices:
            kernel = dev.kernel(SOURCE, name, **self._kernels, STORAGE=STORAGE)
            numbers = np.int32(self.slices), np.int32(len(self.table)), self.on_device
            kernel((-(-self.slices * WARP // BLOCK),), (BLOCK,), (*numbers, *args))
