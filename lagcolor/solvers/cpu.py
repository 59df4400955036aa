"""Sweeps over the colors on CPU threads: a color is a step of several parts, or of one part if it is small.

Traps: loops receive r and b as read-only arrays, because other flags of the caller's arrays would compile them again.
They receive index arrays as unsigned, because otherwise numba adds a test to each access (twice the time).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device import read_only, threads_for, unsigned_view
from ..base.device.parallel import launch, most_parts, stage_slots, stage_table
from . import cpu_loops as loops
from .symbolic import Symbolic

LEAST = 1 << 19  # entries under which several threads lose time, if they must wait for a core
NO_MIRROR = np.empty(0, np.int64)
WHOLE = 1 << 13  # entries of a color up to which it is one part
WORK, STEPS = 1 << 26, 1 << 10  # most entries and unknowns, and most steps, of one loop: about 0.1 s until a Ctrl-C
Split = tuple[np.ndarray, np.ndarray, np.ndarray]  # first rows of the parts of colors, the color of each step, stages
MODES = {"symmetric": loops.SYMMETRIC, "forward": loops.FORWARD, "backward": loops.BACKWARD}


class CPUBackend:
    """Factors and sweeps of a colored matrix on CPU threads."""

    dtype: np.dtype[Any]
    threads: int
    offsets: np.ndarray
    whole: np.ndarray
    parts: np.ndarray
    order: np.ndarray
    matrix: tuple[Any, ...]
    weight: Any

    def __init__(self, S: Symbolic, dtype: Any, threads: int | None = None) -> None:
        self.S, self.dtype = S, np.dtype(dtype)
        entries = (len(S.lower.indices) + len(S.upper.indices) + S.n) * S.block_size**2
        self.threads = threads_for(threads, entries, LEAST)
        self.offsets = np.ascontiguousarray(S.offsets, np.int64)
        self.whole = self._small_colors()
        self.parts = np.empty((len(self.whole), most_parts(self.threads) + 1), np.int64)
        loops.divide(S.lower.indptr, S.upper.indptr, self.offsets, self.whole, self.parts)
        self._splits: dict[tuple[str, int, bool], Split] = {}
        self.order = unsigned_view(S.unknowns())
        self._spare: list[np.ndarray] = []

    def _small_colors(self) -> np.ndarray:
        """Return whether each color is one part: bool, shape (k,)."""
        S, at = self.S, self.offsets
        below, above = (T.indptr[at].astype(np.int64) for T in (S.lower, S.upper))
        work = (np.diff(below) + np.diff(above) + np.diff(at)) * S.block_size**2
        return work <= WHOLE if self.threads > 1 else np.ones(len(work), bool)

    def _split(self, sweep: str, times: int = 0, replaces: bool = False) -> Split:
        """Return parts, colors and stages of one pass over the factors, or of `times` sweeps over an iterate.

        `replaces`: omega is 1, so that a second step of the same color changes nothing and is left out.
        """
        key = sweep, times, replaces
        if key in self._splits:
            return self._splits[key]
        up = np.arange(len(self.whole))
        colors = {"symmetric": np.concatenate([up, up[::-1]]), "forward": up, "backward": up[::-1]}[sweep]
        if times:
            colors = np.tile(colors, times)
            if replaces:
                colors = colors[np.append(True, colors[1:] != colors[:-1])]
            colors = np.concatenate([[loops.GATHER], colors, [loops.SCATTER]])
        whole = np.append(self.whole, [self.threads == 1] * 2)[colors]  # the last two are SCATTER and GATHER
        split = self.parts, np.ascontiguousarray(colors), stage_table(whole, self.parts.shape[1] - 1)
        if times <= 1:
            self._splits[key] = split
        return split

    # ---- factors ------------------------------------------------------------------------------------------------

    def factor(self, lower: np.ndarray, upper: np.ndarray, diagonal: np.ndarray, mirror: Any = NO_MIRROR) -> np.ndarray:
        """Factor both triangles in place, so that L has l_ij u_jj; return the inverse pivots, shape of `diagonal`.

        With the structure's `mirror` the method is DILU, and the triangles stay unchanged. There is no check:
        the inverse of a zero or singular pivot is not finite.
        """
        L, U, scale = self.S.lower, self.S.upper, np.empty_like(diagonal)
        triangles = (L.indptr, L.indices, lower), (U.indptr, U.indices, upper)
        self._run(loops.factor, self._split("forward"), triangles, mirror, diagonal, scale)
        return scale

    # ---- sweeps -------------------------------------------------------------------------------------------------

    def load_sor(self, values: np.ndarray, omega: float, dtype: Any) -> bool:
        """Return False: no function is faster than separate inverses, a check, and `load`."""
        return False

    def load(self, lower: np.ndarray, upper: np.ndarray, scale: np.ndarray, weight: float) -> None:
        """Set the factors, in their storage type."""
        values = [np.ascontiguousarray(part) for part in (lower, upper)]
        triangles = zip((self.S.lower, self.S.upper), values, strict=True)
        parts = [(unsigned_view(T.indptr), unsigned_view(T.indices), v) for T, v in triangles]
        self.matrix = tuple(parts), np.ascontiguousarray(scale)
        self.weight = self.dtype.type(weight)

    def apply(self, r: np.ndarray, out: np.ndarray, sweep: str) -> None:
        """Apply the factors to r by one pass."""
        w = self._take()
        vectors = self.order, read_only(r), w, out
        self._run(loops.apply, self._split(sweep), *self.matrix, vectors, (self.weight, MODES[sweep]))
        self._spare.append(w)

    def smooth(self, x: np.ndarray, b: np.ndarray, omega: float, sweep: str, iterations: int) -> None:
        """Sweep over x in place; a Ctrl-C is raised between two loops."""
        if not len(x):
            return
        (L, U), _ = self.matrix
        w, weight = self._take(), self.dtype.type(1 - omega)
        each = max(1, min(WORK // (len(x) + L[1].size + U[1].size), STEPS // (2 * len(self.whole))))
        for done in range(0, iterations, each):  # a loop computes its first color, even if it was the last one before
            split = self._split(sweep, min(each, iterations - done), bool(weight == 0))
            self._run(loops.smooth, split, *self.matrix, (self.order, read_only(b), w, x), weight)
        self._spare.append(w)

    def _run(self, loop: Any, split: Split, *args: Any) -> None:
        launch(loop, self.threads, stage_slots(split[-1]), split, *args)

    def _take(self) -> np.ndarray:
        """Return memory for a vector; calls of several threads get different memory."""
        try:
            return self._spare.pop()
        except IndexError:
            return np.empty(self.S.n * self.S.block_size, self.dtype)
