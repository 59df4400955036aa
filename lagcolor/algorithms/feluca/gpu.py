"""Steps of Feluca on a GPU: launchers of the kernels of feluca.cu."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph
from ...orders import Priorities
from .cpu import edges, ends_of

SOURCE = dev.Source(__file__, "feluca.cu")
WARP, THREAD_MOST, WARP_MOST = 32, 32, 2048  # as in feluca.cu
CHUNK = 256  # vertices that one thread packs
PER_PROCESSOR = 8  # blocks per multiprocessor
STAMP_BYTES = 1 << 30  # limit for the stamps of all blocks
NONE = 2**31 - 1


def pack(begins: Any, width: int = 32, chunk: int = CHUNK) -> tuple[Any, Any]:
    """Packs of up to `width` edges, or of all edges to one vertex; and the packs that a block processes."""
    cp, n, offset = dev.cupy(), len(begins) - 1, begins.dtype
    run, chunks = SOURCE.of(offset), -(-n // chunk)
    sizes = cp.empty(chunks, offset)
    run.launch("pack", chunks, begins, n, chunk, width, sizes, 0)
    places = ends_of(sizes, offset)
    packs = cp.full(int(places[-1]) + 1, begins[-1], offset)
    run.launch("pack", chunks, begins, n, chunk, width, places, packs)
    return packs, cp.flatnonzero(cp.diff(packs) > WARP_MOST).astype(np.int32)


class GPUSteps:
    """Rounds of the first stage and steps of the second stage on one graph."""

    def __init__(self, G: Graph, p: Priorities, length: int, threads: int | None) -> None:
        self.cp, self.rows, self.max_degree = dev.cupy(), (G.indptr, G.indices), G.max_degree
        self.p, self.E, self.length = p.p, edges(G, p), length
        name = f"feluca packs {p.name} {p.seed}"
        self.packs, self.hubs = (
            pack(self.E.begins) if p.name == "user" else G._cached(name, lambda: pack(self.E.begins))
        )
        self.kernels = SOURCE.of(G.indptr)
        self.most = PER_PROCESSOR * self.kernels.processors

    @property
    def n_parents(self) -> Any:
        """Number of parents of each vertex."""
        return self.cp.diff(self.E.begins)

    def round(self, levels: Any, k: int, before: Any, after: Any) -> tuple[int, int]:
        """Run round k from `before` to `after`; return the numbers of vertices in conflict and of vertices reached."""
        E, counts = self.E, self.cp.zeros(2, np.int32)
        n_packs, reached = len(self.packs) - 1, 0 if levels is None else levels
        lists = (E.parents, E.children, self.packs, n_packs, self.hubs, len(self.hubs))
        args = (*lists, reached, k, before, after, self.length)
        self.kernels.launch("color_round", WARP * n_packs, *args, counts, most=self.most)
        conflicts, new = counts.tolist()
        return conflicts, new

    def by_levels(self, left: Any, colors: Any) -> tuple[Any, Any]:
        """Sort the vertices left by levels of their DAG, set colors to −1 − position; return them and level ends."""
        cp, n = self.cp, len(left)
        colors[left] = -1 - cp.arange(n, dtype=np.int32)
        places, pending = cp.empty(n, np.int32), cp.zeros(n, np.int32)
        sizes, arrived = cp.zeros(n + 2, np.int32), cp.zeros(1, np.int32)
        args = (*self.rows, self.p, left, n, colors, pending, places, sizes, arrived)
        self.kernels.cooperative("peel", min(WARP * n, self.most * self.kernels.block), *args)
        order, ends = left[places], cp.cumsum(sizes[: int(cp.count_nonzero(sizes))])
        colors[order] = -1 - cp.arange(n, dtype=np.int32)
        return order, ends

    def pipeline(self, order: Any, ends: Any, colors: Any) -> Any:
        """Run the pipeline; return active and conflicting vertices of each step, shape (steps, 2)."""
        cp, n_colors = self.cp, self.max_degree + 1
        counts, state = cp.zeros((len(ends) + n_colors, 2), np.int32), cp.zeros(len(ends) + 1, np.int32)
        args = (*self.rows, order, ends.astype(np.int32), len(ends), colors, n_colors, state, counts)
        self.kernels.cooperative("take_in_turn", min(n_colors, self.most) * self.kernels.block, *args)
        return cp.asnumpy(counts)

    def at_once(self, order: Any, ends: Any, colors: Any, first: int, n_colors: int) -> Any:
        """Least of the colors first … first + n_colors − 1 that each vertex gets, all processed independently."""
        cp, n = self.cp, len(order)
        blocks = max(1, min(n_colors, self.most, STAMP_BYTES // (4 * n)))
        found, stamps = cp.full(n, NONE, np.int32), cp.full((blocks, n), -1, np.int32)
        args = (*self.rows, order, ends.astype(np.int32), len(ends), colors, first, n_colors, stamps, n, found)
        self.kernels.launch("take_at_once", (blocks,), *args)
        return found

    def fit(self, left: Any, colors: Any) -> Any:
        """Least color of each vertex that no neighbor has."""
        new = self.cp.empty(len(left), np.int32)
        n = len(left)
        self.kernels.launch("fit", WARP * n, *self.rows, left, n, colors, new, most=self.most)
        return new

    def loses(self, left: Any, colors: Any) -> Any:
        """For each vertex, True if an earlier neighbor has the same color."""
        lost = self.cp.empty(len(left), np.int32)
        n = len(left)
        self.kernels.launch("compare", WARP * n, *self.rows, self.p, left, n, colors, lost, most=self.most)
        return lost != 0
