"""The sequential spread stage on a GPU: the sub-DAG of those left, its levels, and a block a color."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from .dag import Dag
from .launch import (
    BLOCK,
    THREAD_MOST,
    TOGETHER,
    WARP_MOST,
    Classes,
    classes_of,
    grid,
    kernel,
    launch_together,
    multiprocessors,
)

FILE = "spread.cu"
WIDE = 1024  # threads a block where few colors are possible
NEAR_ROOM = 1 << 30  # bytes for the marks of all blocks
NO_COLOR = np.iinfo(np.int32).max


def spread(D: Dag, colors: Any, left: Any, sizes: Classes, limit: int, strategy: str) -> list[int] | None:
    """Color the left in place; how many were left before each pass, where the strategy has passes.

    Parameters
    ----------
    limit : int
        Over every color that anybody else has.
    """
    if strategy == "pipeline":
        Stage(D, colors, left, sizes, limit).in_turn()
        return None
    if strategy == "vertex":
        return _vertex_centric(D, colors, left, sizes)
    passes = []
    while len(left):
        passes.append(len(left))
        Stage(D, colors, left, sizes, limit).alone(limit + 1)
        left, sizes = _filtered(D, left, colors[left] < 0)
        limit += 1
    return passes


def _filtered(D: Dag, left: Any, keep: Any) -> tuple[Any, Classes]:
    """Some of the left, in their order, and their classes."""
    left = left[keep]
    return left, classes_of(D.indptr[left + 1] - D.indptr[left])


def everyone(D: Dag, sizes: Classes) -> Any:
    """All vertices, by degree class."""
    cp = dev.cupy()
    if sizes.warps == sizes.hubs == 0:
        return cp.arange(D.n, dtype=np.int32)
    d = cp.diff(D.indptr)
    parts = (d <= THREAD_MOST, (d > THREAD_MOST) & (d <= WARP_MOST), d > WARP_MOST)
    return cp.concatenate([cp.flatnonzero(part) for part in parts]).astype(np.int32)


class Stage:
    """One pass: takes the colors of the left away, and looks at their neighbourhoods."""

    def __init__(self, D: Dag, colors: Any, left: Any, sizes: Classes, limit: int) -> None:
        cp = self.cp = dev.cupy()
        self.D, self.colors, self.left, self.n = D, colors, left, len(left)
        rows = (D.indptr, D.indices, left, sizes.begin_1, sizes.begin_2, cp.array(sizes, np.int32))
        place = cp.empty(D.n, np.int32)
        self._launch("give_up", (left, self.n, colors, place))
        self.words = -(-limit // 32)
        self.fixed = cp.zeros((self.n, self.words), np.uint32)
        n_parents, n_children = cp.empty(self.n, np.int32), cp.empty(self.n, np.int32)
        threads = sizes.threads + 32 * sizes.warps + BLOCK * sizes.hubs
        self._launch("survey", (*rows, colors, self.fixed, self.words, n_parents, n_children), threads)
        self.offsets = cp.zeros(self.n + 1, np.int64)
        self.offsets[1:] = cp.cumsum(n_children, dtype=np.int64)
        self.children = cp.empty(int(self.offsets[-1]), np.int32)
        cursor = self.offsets[:-1].astype(np.uint64)
        self._launch("adopt", (*rows, colors, place, cursor, self.children), threads)
        self._peel(n_parents)

    def _launch(self, name: str, args: tuple[Any, ...], threads: int | None = None) -> None:
        kernel(FILE, name, self.D.indptr.dtype)(grid(self.n if threads is None else threads), (BLOCK,), args)

    def _peel(self, n_parents: Any) -> None:
        cp = self.cp
        self.order, self.level_begins = cp.empty(self.n, np.int32), cp.zeros(self.n + 2, np.int32)
        self.n_levels = cp.zeros(1, np.int32)
        sizes, arrived = cp.zeros(3, np.int32), cp.zeros(1, np.int32)
        launch_together(
            kernel(FILE, "peel", self.D.indptr.dtype), BLOCK, TOGETHER * multiprocessors(cp.cuda.runtime.getDevice()),
            (
                self.offsets, self.children, self.n, n_parents, self.order, sizes, self.level_begins, self.n_levels,
                arrived,
            ),
        )  # fmt: skip

    def in_turn(self) -> None:
        """The second strategy, the pipeline."""
        cp, most = self.cp, self.D.max_degree + 1
        result, progress, done = cp.full(self.n, -1, np.int32), cp.zeros(most, np.int32), cp.zeros(1, np.int32)
        self._color("take_in_turn", most, result, progress, done)
        self._launch("give", (self.left, self.n, result, NO_COLOR, self.colors))

    def alone(self, budget: int) -> None:
        """The first strategy, all colors below `budget` at once; some vertices may be left."""
        result = self.cp.full(self.n, NO_COLOR, np.int32)
        self._color("take_alone", budget, result)
        self._launch("give", (self.left, self.n, result, NO_COLOR, self.colors))

    def _color(self, name: str, n_colors: int, result: Any, *more: Any) -> None:
        """A block a color as far as they run at the same time, wide ones where there are few."""
        device = self.cp.cuda.runtime.getDevice()
        block = WIDE if n_colors <= 2 * multiprocessors(device) else BLOCK
        room = -(-self.n // 4) * 4
        blocks = max(1, min(n_colors, NEAR_ROOM // room, 8 * multiprocessors(device)))
        nears = self.cp.empty(blocks * room, np.uint8)
        args = (
            self.offsets, self.children, self.n, room, self.order, self.level_begins, self.n_levels, self.fixed,
            self.words, nears, result, n_colors, *more,
        )  # fmt: skip
        launch_together(kernel(FILE, name, self.D.indptr.dtype), block, blocks, args)


def _vertex_centric(D: Dag, colors: Any, left: Any, sizes: Classes) -> list[int]:
    """Without color classes: everyone's first-fit color at once, the later ends of conflicts again."""
    cp, rounds = dev.cupy(), []
    colors[left] = -1
    fit, compare = (kernel(FILE, name, D.indptr.dtype) for name in ("fit", "compare"))
    while len(left):
        rounds.append(len(left))
        rows = (D.indptr, D.indices, left, sizes.begin_1, sizes.begin_2, cp.array(sizes, np.int32))
        blocks = grid(sizes.threads + 32 * sizes.warps + BLOCK * sizes.hubs)
        new, lost = cp.empty(len(left), np.int32), cp.empty(len(left), np.int32)
        fit(blocks, (BLOCK,), (*rows, colors, new))
        colors[left] = new
        compare(blocks, (BLOCK,), (*rows, colors, lost))
        left, sizes = _filtered(D, left, lost.astype(np.bool_))
    return rounds
