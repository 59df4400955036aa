"""First-fit from the middle outwards, on two CPU threads: the ids from n / 2 up to the last, then those below it down.

That is one order, and the colors equal first-fit in it, whether one thread takes one half after the other or two
take a half each. In the order of ids a second thread has nothing to do, for every vertex needs the color of one shortly
before it; and blocks that are colored apart from each other need more colors where they meet. From the middle each half
goes on from the same vertices, and they meet nowhere else.

Nets that have vertices of both halves are all that these share. Of those vertices the last one of the upper half is
the end of the seam. The seam is colored first, by one thread; after that no net is of both threads, and neither has a
color to wait for. In a mesh or band in its own order the seam is a few rows; on a random pattern it is all of the upper
half, and one thread does all the work, one half after the other. So it is where the vertices of nets are not at hand
(rows of a pattern that has not been transposed).

References
----------
First-fit by words of nets, as in windows.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.log import Log
from ...core.nets import Nets
from ...core.pattern import unsigned
from ...core.registry import coloring
from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...orders import Priorities
from .windows import ONE32, WINDOW, clear, color_window


@coloring(
    "outward",
    problem=("columns", "rows", "distance2"),
    style="kernel",
    paper="first-fit, ours",
    engines=("cpu",),
    bound="first-fit",
    deterministic=True,
    reads_order=False,
    needs=None,
    options={"threads": "CPU threads (at most two are used); default: one per core, or one for small graphs"},
)
def outward(nets: Nets, p: Priorities, log: Log, threads: int | None = None) -> np.ndarray:
    """First-fit from the middle id to the last and then down to the first, a half for each of two CPU threads."""
    workers = min(cpu_threads.count(threads, nets.m), 2) if nets.members_at_hand else 1
    middle = nets.n // 2
    seam = max(_end_of_seam(nets, middle, workers), middle) if workers > 1 else nets.n
    runs = [(middle, 1, seam - middle), (seam, 1, nets.n - seam), (middle - 1, -1, middle)]
    log.round(active=nets.n, colored=nets.n, conflicts=0, ms=None)
    return _color(nets, [_Run(None, *run) for run in runs], workers)


class _Run(NamedTuple):
    """Vertices that one thread colors, in turn: first, first + step …, or the vertices of an array."""

    sequence: Any
    first: int
    step: int
    length: int


def _color(nets: Nets, runs: list[_Run], workers: int) -> np.ndarray:
    """First-fit of the first run, then of the two others, which share no net."""
    colors, taken = np.empty(nets.n, np.int32), np.zeros(nets.of_vertices.columns, np.uint64)
    base = 0
    while sum(run.length for run in runs):  # ends: the first vertex of a window finds no color taken
        runs = _window(nets, runs, base, taken, colors, workers)
        base += WINDOW
    return colors


def _window(nets: Nets, runs: list[_Run], base: int, taken: Any, colors: Any, workers: int) -> list[_Run]:
    """Color what finds a color base … base + 63; returns the others, with no color taken in their nets."""
    P = nets.of_vertices
    rows = unsigned(P)
    left = [np.empty(run.length, np.uint32) for run in runs]
    counts = [0] * len(runs)

    def color(r: int) -> None:
        order, first, step, length = runs[r]
        window, out = (nets.closed, base, taken), (colors, left[r])
        counts[r] = color_window(rows, order, (first, step), (0, length, length), window, out, 0)

    color(0)
    if workers > 1:
        cpu_threads.run(lambda t: color(1 + t), 2)
    else:
        color(1)
        color(2)
    for rest, count in zip(left, counts, strict=True):
        clear(*rows, rest, count, nets.closed, taken)
    return [_Run(rest, 0, 1, count) for rest, count in zip(left, counts, strict=True)]


def _end_of_seam(nets: Nets, middle: int, workers: int) -> int:
    """One more than the last vertex that is in a net with one below the middle; 0 where no net has both."""
    members = nets.members
    of_nets = unsigned(members)
    ends = np.zeros(workers, np.int64)

    def look(t: int) -> None:
        ends[t] = last_across(
            *of_nets, members.rows * t // workers, members.rows * (t + 1) // workers, middle, nets.closed
        )

    cpu_threads.run(look, workers)
    return int(ends.max())


@njit(cache=True, nogil=True)
def last_across(members: Any, member: Any, begin: Any, end: Any, middle: Any, closed: bool) -> Any:
    """The same for a range of nets, whose vertices rise."""
    across = np.int64(0)
    for net in range(np.uint32(begin), np.uint32(end)):
        first, stop = members[net], members[net + ONE32]
        if first == stop:
            continue
        low, high = np.int64(member[first]), np.int64(member[stop - ONE32])
        if closed:
            low, high = min(low, np.int64(net)), max(high, np.int64(net))
        if low < middle <= high:
            across = max(across, high + 1)
    return across
