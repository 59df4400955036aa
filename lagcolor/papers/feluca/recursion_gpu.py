"""The recursion stage on a GPU: two rounds over all edges, then all others in one launch, which stops by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...device.cooperative import launch_cooperative
from ...graph import Graph
from ...orders import Priorities
from ...orders.ties import seed_word
from ...result import Log
from .dag import Dag
from .launch import BLOCK, BLOCKS_PER_MULTIPROCESSOR, Classes, classes, grid, kernel, multiprocessors
from .layout import edges
from .options import Plan

FILE = "recursion.cu"
ROUNDS = 512  # of one launch
FIRST = 2  # rounds before it
SHARED_HUBS = 1024  # as in recursion.cu
JOINT = 6  # words of what the blocks that share a row know of it
TILES = 32  # blocks per multiprocessor in rounds over all: each flushes what it found now and then
PACKS = 8  # of a warp, at least, before there are more blocks


class Recursion:
    """Colors, lists and counts on the device; c_r and X_r of recursion.cu are in `colors` and `lists`, at r mod 2.

    All that begins at 0 is one array. Its head is what the host looks at, once: three sizes a round and the state;
    where no vertex is left, also the colors in use.
    """

    def __init__(self, G: Graph, D: Dag, plan: Plan, p: Priorities, log: Log) -> None:
        self.cp, self.G, self.D, self.plan, self.p, self.log = dev.cupy(), G, D, plan, p, log
        self.offset, self.word = D.indptr.dtype, seed_word(p.seed or 0)
        everyone = classes(G)
        self.parts = (everyone.begin_1, everyone.begin_2)
        self.colors = [self.cp.empty(D.n, np.int32) for _ in range(2)]
        self.lists = [self.cp.empty(D.n, np.int32) for _ in range(2)]
        self.words = -(-(plan.initial + ROUNDS + FIRST) // 32)
        self._begin()
        self.sizes: list[tuple[int, int, int]] = []
        self.used: np.ndarray | None = None

    def _begin(self) -> None:
        most = ROUNDS + FIRST
        parts = (3 * most, 1, self.words, 1, 2 * most, most)
        ends = np.cumsum(parts).tolist()
        joints = ends[-1] + ends[-1] % 2  # they have words of 64 bits
        zeros = self.cp.zeros(joints + JOINT * SHARED_HUBS, np.int32)
        self.head, self.joints = zeros[: ends[2]], zeros[joints:]
        cut = (zeros[end - size : end] for size, end in zip(parts, ends, strict=True))
        self.counts, self.state, self.seen, self.arrived, self.tickets, self.pending = cut

    def run(self) -> tuple[Any, Any, Classes, int, np.ndarray | None]:
        """Colors, the vertices left in conflict, their classes, the rounds, and (where it is known) bits of colors."""
        self._over_all()
        if self.plan.fraction < 0 or not self._looked_at():
            self._over_changed()
        sizes = [sum(row) for row in self.sizes]
        for before, after in zip([self.D.n, *sizes], sizes, strict=False):
            self.log.round(active=before, colored=before - after, conflicts=after, ms=None)
        last = len(sizes) - 1
        # c_0 is written over by then; but c_1 differs from it in those alone that are left.
        colors = self.colors[last % 2 if last else 1]
        return colors, self._left(last), Classes(*self.sizes[last]), len(sizes), self.used

    def _over_all(self) -> None:
        """Initial colors, and the first two rounds: X_0, c_1, X_1, c_2."""
        D, plan = self.D, self.plan
        for first in (True, False):
            source = plan.initial if first else self.colors[1]
            after, found = self.colors[first], self.lists[not first]
            tail = (*self.parts, self.counts[0 if first else 3 :])
            if plan.layout == "csr":
                name = "csr_round_first" if first else "csr_round"
                args: tuple[Any, ...] = (D.indptr, D.indices, D.n, source, self.word, after, plan.length, found, *tail)
                blocks = min(grid(D.n)[0], TILES * multiprocessors(self.cp.cuda.runtime.getDevice()))
                self._kernel(name)((blocks,), (BLOCK,), args)
                continue
            if first:
                self._kernel("draw")(grid(D.n), (BLOCK,), (*self.colors, D.n, self.word, plan.initial))
            E = edges(self.G, D, self.p)
            n_packs = len(E.packs) - 1
            listed = (E.parents, E.children, E.packs, 0, n_packs, E.hubs, len(E.hubs))
            name = "edge_round_first" if first else "edge_round"
            args = (*listed, source, self.word, after, plan.length, D.indptr, found, *tail)
            blocks = max(len(E.hubs), min(grid(32 * n_packs)[0], self._enough()))
            kernel("edges.cu", name, self.offset)((blocks,), (BLOCK,), args)

    def _kernel(self, name: str) -> Any:
        return kernel(FILE, name, self.offset)

    def _enough(self) -> int:
        """Blocks that keep the device busy: more would only flush what they found more often."""
        return PACKS * multiprocessors(self.cp.cuda.runtime.getDevice())

    def _looked_at(self) -> bool:
        """Whether the first two rounds were enough for the plan's fraction; the host waits to know."""
        rows = _rows(self.counts[: 3 * FIRST].tolist())
        for k, row in enumerate(rows):
            if sum(row) == 0 or self.plan.switches(self.D.n, [sum(r) for r in rows[: k + 1]]):
                self.sizes = rows[: k + 1]
                return True
        return False

    def _over_changed(self) -> None:
        """The rounds from X_2 on, as many as it takes."""
        cp, D, plan = self.cp, self.D, self.plan
        function = self._kernel("rounds")
        together = BLOCKS_PER_MULTIPROCESSOR * multiprocessors(cp.cuda.runtime.getDevice())
        first, ends = FIRST, False
        while not ends:
            args = (
                D.indptr, D.indices, D.n, *self.colors, *self.lists, *self.parts, self.counts, plan.length, plan.alpha,
                plan.fraction, self.word, first, ROUNDS, self.arrived, self.tickets, self.pending, self.state,
                self.seen, self.joints,
            )  # fmt: skip
            launch_cooperative(cp, function, BLOCK, together, args)
            head = cp.asnumpy(self.head)
            last = int(head[3 * (ROUNDS + FIRST)])
            ends = last >= 0
            last = last if ends else -1 - last
            self.sizes += _rows(head[0 if first == FIRST else 3 * FIRST : 3 * (last - first + FIRST + 1)].tolist())
            if not ends:
                first = last + 1
                self._begin()
                self.counts[: 3 * FIRST] = cp.array(self.sizes[-FIRST:], np.int32).ravel()
        if first == FIRST and sum(self.sizes[-1]) == 0:
            self.used = head[-self.words :].view(np.uint8)
        sums = [sum(row) for row in self.sizes]
        if 0 in sums:  # the device goes on to X_2 where nothing conflicts before
            del self.sizes[sums.index(0) + 1 :]

    def _left(self, last: int) -> Any:
        """X of the last round, its three parts one after the other."""
        begins = (0, *self.parts)
        found = self.lists[last % 2]
        parts = [found[b : b + size] for b, size in zip(begins, self.sizes[last], strict=True) if size]
        return self.cp.concatenate(parts) if parts else found[:0]


def _rows(counts: list[int]) -> list[tuple[int, int, int]]:
    return list(zip(counts[::3], counts[1::3], counts[2::3], strict=True))
