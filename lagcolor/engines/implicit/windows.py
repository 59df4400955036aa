"""First-fit of a graph whose edges a function computes, by windows of vertices, on a CPU or a GPU.

A window has the first vertices of the order that have no color, `batch` at most. In each round

1. the vertices of the window are tested against all colored ones, which lie sorted by color, `batch` at a time, and
   leave as soon as a class has none that conflicts: its class is their candidate;
2. the window is tested against itself, and its vertices take classes in order (`take_classes`): each its candidate
   unless an earlier one that conflicts has just taken that class, or may still take it. A vertex that no class takes
   which there was before opens one, or joins one that was opened in this round, whose members are all at hand.

The rest waits for the next window, each with the least class that it may still take. Which classes a vertex looked at
in vain does not change, for classes only grow; and a later vertex takes a class before an earlier one has its color
only if they do not conflict or that class is less than all that the earlier one may take. So the colors equal
sequential first-fit. The first vertex of a window always takes a class, so each round has progress. Memory is
O(n + batch²).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import njit

PENDING = -1
LEAST = 64  # vertices of a window, in larger ones many vertices wait for others
SOME, MOST = 0.7, 0.9  # share of a window that takes classes: under SOME the next one is smaller, over MOST larger
Conflicts = Callable[[Any, Any], Any]


def first_fit(conflicts: Conflicts, n: int, sequence: Any, batch: int, between: Callable[[Any, Any], None]) -> Any:
    """Colors of first-fit."""
    xp = dev.module_of(sequence)
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
        between(window, members)
        found = candidates(conflicts, window, members, colors[members], classes, batch)
        among = dev.to_device(conflicts(window, window), "cpu")
        chosen = np.full(len(window), PENDING, np.int32)
        take_classes(among, found, classes, chosen, least)
        colored = xp.asarray(chosen >= 0)
        colors[window[colored]] = xp.asarray(chosen[chosen >= 0])
        classes = max(classes, int(chosen.max()) + 1)
        members = xp.concatenate([members, window[colored]])
        members = members[xp.argsort(colors[members], kind="stable")]
        waiting = xp.concatenate([window[~colored], waiting[size:]])
        least = np.concatenate([least[: len(window)][chosen < 0], least[size:]])
        # In a large window with few classes most vertices wait for others, and are tested again.
        share = np.count_nonzero(chosen >= 0) / len(window)
        size = min(2 * size, batch) if share > MOST else max(size // 2, min(LEAST, batch)) if share < SOME else size


def candidates(conflicts: Conflicts, window: Any, members: Any, colors: Any, classes: int, batch: int) -> np.ndarray:
    """The first class that each vertex of the window may join, `classes` where there is none."""
    xp = dev.module_of(members)
    found = xp.full(len(window), classes, np.int32)
    rows, blocked = xp.arange(len(window)), xp.zeros(len(window), bool)
    for first in range(0, len(members), batch):
        if len(rows) == 0:
            break
        tile, own = members[first : first + batch], colors[first : first + batch]
        starts = xp.concatenate([xp.zeros(1, np.int64), xp.flatnonzero(own[1:] != own[:-1]) + 1])
        closed = _any_of_runs(xp, conflicts(window[rows], tile), starts)
        closed[:, 0] |= blocked  # by members of this class in the tile before
        stop = first + len(tile)
        blocked = closed[:, -1].copy()
        if stop < len(members) and bool(colors[stop] == own[-1]):
            closed[:, -1] = True  # of this class there are more
        else:
            blocked[:] = False
        place = xp.argmin(closed.view(np.uint8), axis=1)
        free = ~closed[xp.arange(len(rows)), place]
        found[rows[free]] = own[starts][place[free]]
        rows, blocked = rows[~free], blocked[~free]
    return dev.to_device(found, "cpu")


def _any_of_runs(xp: Any, values: Any, starts: Any) -> Any:
    """Whether a row of booleans has a True in columns ``starts[j]`` … ``starts[j + 1] − 1``."""
    if xp is np:
        return np.logical_or.reduceat(values, starts, axis=1)
    sums = xp.zeros((len(values), values.shape[1] + 1), np.int32)
    sums[:, 1:] = xp.cumsum(values, axis=1, dtype=np.int32)
    ends = xp.concatenate([starts[1:], xp.full(1, values.shape[1], np.int64)])
    return sums[:, ends] > sums[:, starts]


@njit(cache=True, nogil=True)
def take_classes(among: Any, found: Any, classes: Any, chosen: Any, least: Any) -> None:
    """Colors of the vertices of a window, in order, into `chosen`; of the others what they may take into `least`."""
    for i in range(found.size):
        c, waits, moved = found[i], False, True
        while moved:  # classes that are new in this round may be closed one after the other
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


def sweep(
    conflicts: Conflicts, vertices: Any, batch: int, most: int, between: Callable[[Any, Any], None]
) -> tuple[Any, tuple[np.ndarray, np.ndarray] | None]:
    """Degrees (int64), and both ends of each edge (int32, on the CPU), None where there are over `most` edges.

    `vertices` are all of them, an array of int64. `conflicts` gets each pair once, and `between` the pairs of
    arrays that `conflicts` gets one way only.
    """
    xp, n = dev.module_of(vertices), len(vertices)
    found, pieces, left = xp.zeros(n, np.int64), [(np.empty(0, np.int32),) * 2], most
    for first in range(0, n, batch):
        us = vertices[first : first + batch]
        for other in range(first, n, batch):
            vs = us if other == first else vertices[other : other + batch]
            pairs = conflicts(us, vs)
            found[first : first + batch] += pairs.sum(axis=1)
            if other == first:
                pairs = xp.triu(pairs)
            else:
                between(us, vs)
                found[other : other + batch] += pairs.sum(axis=0)
            left -= int(pairs.sum()) if left >= 0 else 0
            if left >= 0:
                rows, columns = (dev.to_device(ends, "cpu") for ends in xp.nonzero(pairs))
                pieces.append(((rows + first).astype(np.int32), (columns + other).astype(np.int32)))
            else:
                pieces.clear()
    if left < 0:
        return found, None
    return found, (np.concatenate([u for u, _ in pieces]), np.concatenate([v for _, v in pieces]))
