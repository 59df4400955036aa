"""The sequential spread stage on a GPU: the DAG of those left, in chunks by its levels, and one block per color.

Where few are left, a dense core mostly, there are hundreds of levels of a vertex or two, which give blocks of colors
nothing to overlap: without a strategy named, the first-fit engine colors them, with the same colors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...device.cooperative import launch_cooperative
from .dag import Dag
from .launch import (
    BLOCK,
    BLOCKS_PER_MULTIPROCESSOR,
    THREAD_MOST,
    WARP_MOST,
    Classes,
    classes_of,
    grid,
    kernel,
    multiprocessors,
)
from .spread import in_order

WIDE = 1024  # vertices of a chunk, threads of a block; BLOCK where `inside` would be too large
INSIDE_ROOM = 1 << 30  # bytes that say which vertex is a parent of which in a chunk
NEAR_ROOM = 1 << 30  # bytes for the marks of all blocks
FEW = 4096


def spread(D: Dag, colors: Any, left: Any, sizes: Classes, limit: int, strategy: str | None) -> list[int] | None:
    """Color the left in place; how many were left before each pass, where the strategy has passes.

    Parameters
    ----------
    limit : int
        Over every color that any other vertex has.
    """
    if strategy is None and len(left) <= FEW:
        in_order(D, colors, dev.cupy().sort(left), None)
        return None
    if strategy == "vertex":
        return _vertex_centric(D, colors, left, sizes)
    Stage(D, colors, left, sizes, limit).in_turn()
    return None


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
    """The color classes: takes the colors of the left away, looks at their neighbourhoods, and puts them in order."""

    def __init__(self, D: Dag, colors: Any, left: Any, sizes: Classes, limit: int) -> None:
        cp = self.cp = dev.cupy()
        self.D, self.colors, self.left, self.n = D, colors, left, len(left)
        self._launch("give_up", (left, self.n, colors))
        self.words = -(-limit // 32)
        self.fixed = cp.zeros((self.n, self.words), np.uint32)
        self.begins, self.sizes = cp.empty(self.n, D.indptr.dtype), cp.empty(self.n, np.int32)
        self.children = cp.empty(D.m, np.int32)  # a row has its place in the graph, so that no count is needed first
        n_parents = cp.empty(self.n, np.int32)
        rows = (D.indptr, D.indices, left, sizes.begin_1, sizes.begin_2, cp.array(sizes, np.int32))
        threads = sizes.threads + 32 * sizes.warps + BLOCK * sizes.hubs
        made = (self.begins, self.sizes, n_parents, self.children)
        self._launch("survey", (*rows, colors, self.fixed, self.words, *made), threads)
        self.order = self._by_levels(n_parents)
        self._in_chunks()

    def _launch(self, name: str, args: tuple[Any, ...], threads: int | None = None) -> None:
        kernel("left.cu", name, self.D.indptr.dtype)(grid(self.n if threads is None else threads), (BLOCK,), args)

    def _by_levels(self, n_parents: Any) -> Any:
        """The places in order of levels; after too many narrow ones in order of ids. Parents come first in either."""
        cp = self.cp
        order, state = cp.empty(self.n, np.int32), cp.zeros(8, np.int32)  # three lengths, a counter, four of the answer
        args = (self.begins, self.sizes, self.children, self.n, n_parents, order, state[:3], state[4:], state[3:])
        blocks = min(BLOCKS_PER_MULTIPROCESSOR * multiprocessors(cp.cuda.runtime.getDevice()), -(-self.n // BLOCK))
        launch_cooperative(cp, kernel("left.cu", "peel", self.D.indptr.dtype), BLOCK, blocks, args)
        placed = int(state[5])
        if placed < self.n:
            rest = cp.flatnonzero(n_parents)
            order[placed:] = rest[cp.argsort(self.left[rest])]
        return order

    def _in_chunks(self) -> None:
        """Which vertex is a parent of which within a chunk, and batons that say that color 0 comes first."""
        cp = self.cp
        self.width = WIDE if self.n * WIDE <= 8 * INSIDE_ROOM else BLOCK
        chunks = -(-self.n // self.width)
        self.batons = cp.empty(chunks * self.width // 32, np.uint64)
        self.inside = cp.zeros((chunks, self.width // 32, self.width), np.uint32)
        ranks = cp.empty(self.n, np.int32)
        self._launch("rank", (self.order, self.n, chunks * self.width, ranks, self.batons))
        args = (self.begins, self.sizes, self.children, self.n, ranks, self.width, self.inside)
        self._launch("find_inside", args, 32 * self.n)

    def in_turn(self) -> None:
        """The pipeline: one block per color, as far as they run at the same time."""
        cp, room, n_colors = self.cp, -(-self.n // 4) * 4, self.D.max_degree + 1
        blocks = max(1, min(n_colors, NEAR_ROOM // room, 8 * multiprocessors(cp.cuda.runtime.getDevice())))
        nears, result = cp.empty(blocks * room, np.uint8), cp.empty(self.n, np.int32)
        args = (
            self.begins, self.sizes, self.children, self.n, room, self.order, self.fixed, self.words, self.inside,
            nears, result, n_colors, self.batons, cp.zeros(1, np.int32),
        )  # fmt: skip
        launch_cooperative(cp, kernel("classes.cu", "take_in_turn", self.D.indptr.dtype), self.width, blocks, args)
        self._launch("give", (self.left, self.n, result, self.colors))


def _vertex_centric(D: Dag, colors: Any, left: Any, sizes: Classes) -> list[int]:
    """Without color classes: everyone's first-fit color at once, the later ends of conflicts again."""
    cp, rounds = dev.cupy(), []
    colors[left] = -1
    fit, compare = (kernel("vertex.cu", name, D.indptr.dtype) for name in ("fit", "compare"))
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
