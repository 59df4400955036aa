"""A graph whose edges a function computes, and its first-fit by windows of vertices, on a CPU or a GPU.

A window consists of the first uncolored vertices of the order, at most `batch`. In each round

1. the vertices of the window are tested against all colored vertices, sorted by color, `batch` at a time. The first
   class without a conflict is the candidate of a vertex, which is not tested further;
2. the window is tested against itself, and its vertices take classes in order (`take_classes`): each its candidate,
   unless an earlier vertex in conflict has just taken that class, or may still take it. A vertex that fits into no
   earlier class opens a class, or joins a class opened in this round, whose members are all in the window.

The other vertices wait for the next window, with the least class that they may still take. A class that was rejected
stays rejected, because classes only grow. A later vertex takes a class before an earlier vertex is colored only if they
do not conflict, or if the class is below all classes that the earlier vertex may take. So the colors equal sequential
first-fit. Progress: the first vertex of a window always takes a class. Memory is O(n + batch²).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.device.compiled import njit
from ...base.errors import GraphError
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...inputs.canonical import from_edges
from ...problems.report import SHOWN, Report
from ..greedy.sequential import first_fit as stored_first_fit
from . import ComputedGraph

PENDING = -1
LEAST = 64  # minimum size to which a window shrinks if many of its vertices wait for others
SOME, MOST = 0.7, 0.9  # share of a window that is colored: below SOME the next window is smaller, above MOST larger
EDGE = 8  # bytes of an edge in the stored graph
SAMPLE = 64  # vertices of the window and of the others whose answers are checked for symmetry in each round
BATCHES = {False: 1024, True: 4096}  # key: whether on a GPU
Oracle = Callable[[Any, Any], Any]


class OracleGraph(ComputedGraph):
    """Graph of a function ``oracle(us, vs)``, see `lagcolor.color_implicit`. Its answers are checked."""

    def __init__(self, oracle: Oracle, vertices: Any, batch: int | None = None, most: int = 0) -> None:
        """`vertices` are all vertices, an array of int64."""
        super().__init__(vertices, most)
        self.oracle, self.batch = oracle, BATCHES[self.on_gpu] if batch is None else batch

    def __call__(self, us: Any, vs: Any) -> Any:
        """Compute whether each of `us` conflicts with each of `vs`. Vertices do not conflict with themselves."""
        answer = self._answer(us, vs)
        if us is vs:
            self._compare(answer, answer.T, us, us)
        itself = us[:, None] == vs[None, :]
        return answer & ~itself

    def check_symmetry(self, window: Any, members: Any) -> None:
        """Compare the answers for a sample of pairs with the answers for the reversed pairs."""
        sample = min(self.batch, SAMPLE)
        step = max(len(members) // sample, 1)
        us, vs = window[:sample], members[::step][:sample]
        if len(us) and len(vs):
            self._compare(self._answer(us, vs), self._answer(vs, us).T, us, vs)

    def _compare(self, one: Any, other: Any, us: Any, vs: Any) -> None:
        different = one != other
        if extremes.count_true(different):
            i, j = divmod(int(different.argmax()), different.shape[1])
            u, v, says = int(us[i]), int(vs[j]), bool(one[i, j])
            raise GraphError(
                f"the oracle says {says} of vertices {u} and {v}, and {not says} of {v} and {u}: "
                "whether two vertices conflict must not depend on which comes first"
            )

    def _answer(self, us: Any, vs: Any) -> Any:
        answer, wanted = self.oracle(us, vs), (len(us), len(vs))
        if dev.device_of(answer) != self.device:
            raise GraphError(
                f"the oracle must return an array on {self.device}, where its arguments are, "
                f"not {type(answer).__name__} on {dev.device_of(answer)}"
            )
        answer = self.xp.asarray(answer)
        if answer.shape != wanted:
            raise GraphError(
                f"oracle(us, vs) must have shape (len(us), len(vs)) = {wanted}, not {answer.shape}: "
                "for functions of two numbers compare us[:, None] with vs[None, :]"
            )
        if answer.dtype != bool:
            raise GraphError(
                f"oracle(us, vs) must be an array of bool, not {answer.dtype}: say what a conflict is, e.g. answer > 0"
            )
        return answer

    # ---- the stored graph ------------------------------------------------------------------------------------

    @property
    def degrees(self) -> Any:
        """Number of conflicts of each vertex, int32."""
        return self._swept[0]

    @cached_property
    def graph(self) -> Graph | None:
        """Stored graph on the CPU; None if it takes more than `most` bytes."""
        ends = self._swept[1] if self.most else None
        return None if ends is None else Graph(*from_edges(ends[0], ends[1], self.n))

    @cached_property
    def _swept(self) -> tuple[Any, np.ndarray | None]:
        """Degrees, and both ends of each edge (int32, on the CPU), each edge once; None if there are too many."""
        xp, n, batch = self.xp, self.n, self.batch
        found, pieces, left = xp.zeros(n, np.int32), [np.empty((2, 0), np.int32)], self.most // EDGE
        for first in range(0, n, batch):
            us = self.indices[first : first + batch]
            for other in range(first, n, batch):
                vs = us if other == first else self.indices[other : other + batch]
                pairs = self(us, vs)
                found[first : first + batch] += pairs.sum(axis=1, dtype=np.int32)
                if other == first:
                    pairs = xp.triu(pairs)
                else:
                    self.check_symmetry(us, vs)
                    found[other : other + batch] += pairs.sum(axis=0, dtype=np.int32)
                left -= int(pairs.sum()) if left >= 0 else 0
                if left >= 0:
                    rows, columns = (dev.to_device(ends, "cpu") for ends in xp.nonzero(pairs))
                    pieces.append(np.array([rows + first, columns + other], np.int32))
                else:
                    pieces.clear()
        return found, np.concatenate(pieces, axis=1) if left >= 0 else None

    # ---- colors ------------------------------------------------------------------------------------------------

    def first_fit(self, sequence: Any) -> Any:
        """Color by first-fit, on the stored graph if there is one."""
        if (G := self.graph) is not None:
            colors = stored_first_fit(*unsigned(G), dev.to_device(sequence, "cpu").view(np.uint32))
            return dev.to_device(colors, self.device)
        xp, n, batch = self.xp, self.n, self.batch
        sequence = sequence.astype(np.int64)
        colors, members, classes, taken = xp.full(n, PENDING, np.int32), sequence[:0], 0, 0
        waiting, least, size = sequence[:0], np.zeros(0, np.int32), batch
        while True:
            more = min(max(size - len(waiting), 0), n - taken)
            waiting = xp.concatenate([waiting, sequence[taken : taken + more]])
            least, taken = np.concatenate([least, np.zeros(more, np.int32)]), taken + more
            window = waiting[:size]
            if len(window) == 0:
                return colors
            self.check_symmetry(window, members)
            found = self._candidates(window, members, colors[members], classes)
            among = dev.to_device(self(window, window), "cpu")
            chosen = np.full(len(window), PENDING, np.int32)
            take_classes(among, found, classes, chosen, least)
            colored = xp.asarray(chosen >= 0)
            colors[window[colored]] = xp.asarray(chosen[chosen >= 0])
            classes = max(classes, int(chosen.max()) + 1)
            members = xp.concatenate([members, window[colored]])
            members = members[xp.argsort(colors[members], kind="stable")]
            waiting = xp.concatenate([window[~colored], waiting[size:]])
            least = np.concatenate([least[: len(window)][chosen < 0], least[size:]])
            # In a large window with few classes most vertices wait for others, and must be tested again.
            share = np.count_nonzero(chosen >= 0) / len(window)
            size = min(2 * size, batch) if share > MOST else max(size // 2, min(LEAST, batch)) if share < SOME else size

    def _candidates(self, window: Any, members: Any, colors: Any, classes: int) -> np.ndarray:
        """Return the first class that each vertex of the window may join, `classes` if there is none."""
        xp = self.xp
        found = xp.full(len(window), classes, np.int32)
        rows, blocked = xp.arange(len(window)), xp.zeros(len(window), bool)
        for first in range(0, len(members), self.batch):
            if len(rows) == 0:
                break
            tile, own = members[first : first + self.batch], colors[first : first + self.batch]
            starts = xp.concatenate([xp.zeros(1, np.int64), xp.flatnonzero(own[1:] != own[:-1]) + 1])
            closed = _any_of_runs(xp, self(window[rows], tile), starts)
            closed[:, 0] |= blocked  # by members of this class in the previous tile
            stop = first + len(tile)
            blocked = closed[:, -1].copy()
            if stop < len(members) and bool(colors[stop] == own[-1]):
                closed[:, -1] = True  # this class continues in the next tile
            else:
                blocked[:] = False
            place = xp.argmin(closed.view(np.uint8), axis=1)
            free = ~closed[xp.arange(len(rows)), place]
            found[rows[free]] = own[starts][place[free]]
            rows, blocked = rows[~free], blocked[~free]
        return dev.to_device(found, "cpu")

    # ---- the check -----------------------------------------------------------------------------------------------

    def findings(self, colors: Any) -> Report:
        """Find conflicting pairs of one color, by blocks of the vertices sorted by color."""
        xp, n, batch = dev.module_of(colors), len(colors), self.batch
        by_color = xp.argsort(colors, kind="stable").astype(np.int64)
        own = dev.to_device(colors[by_color], "cpu")
        count, named = 0, list[str]()
        for first in range(0, n, batch):
            last = int(np.searchsorted(own, own[min(first + batch, n) - 1], "right"))
            rows = by_color[first : first + batch]
            for other in range(first, last, batch):
                columns = by_color[other : min(other + batch, last)]
                pairs = self(rows, columns) & (colors[rows][:, None] == colors[columns][None, :])
                pairs &= (colors[rows] >= 0)[:, None]
                if other == first:
                    pairs = xp.triu(pairs)
                count += int(pairs.sum())
                for i, j in zip(*(p.tolist() for p in xp.nonzero(pairs)), strict=True) if len(named) < SHOWN else ():
                    u, v = int(rows[i]), int(columns[j])
                    named.append(f"vertices {u} and {v} conflict, and both have color {int(colors[u])}")
                    if len(named) == SHOWN:
                        break
        return Report.of(dev.to_device(colors, "cpu"), count, named)


def _any_of_runs(xp: Any, values: Any, starts: Any) -> Any:
    """Return whether each row of booleans has a True in columns ``starts[j]`` … ``starts[j + 1] − 1``."""
    if xp is np:
        return np.logical_or.reduceat(values, starts, axis=1)
    sums = xp.zeros((len(values), values.shape[1] + 1), np.int32)
    sums[:, 1:] = xp.cumsum(values, axis=1, dtype=np.int32)
    ends = xp.concatenate([starts[1:], xp.full(1, values.shape[1], np.int64)])
    return sums[:, ends] > sums[:, starts]


@njit(cache=True, nogil=True)
def take_classes(among: Any, found: Any, classes: Any, chosen: Any, least: Any) -> None:
    """Write the colors of a window, in order, to `chosen`; the least class that others may take to `least`."""
    for i in range(found.size):
        c, waits, moved = found[i], False, True
        while moved:  # classes opened in this round may be rejected one after the other
            moved = False
            for j in range(i):
                if among[i, j] and chosen[j] == c:
                    c += 1
                    moved = c > classes
                    break
        for j in range(i):
            if among[i, j] and chosen[j] < 0 and least[j] <= c:
                waits = True
                break
        if waits or (c > found[i] and found[i] < classes):
            least[i] = c
        else:
            chosen[i] = c
