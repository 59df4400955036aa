"""Parts of a text, each of whole lines, which threads take in turn; an error names its line for any number of threads.

The lines of each part are counted before it is parsed: so a part knows its first line, and its place in the output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..base.device import threads_for
from ..base.device.compiled import njit
from ..base.device.intrinsics import fetch_add
from ..base.device.parallel import launch, parallel, slots
from ..base.log import Stage

DONE = 0  # the status of a parser that stopped at the end
NEWLINE = 10
PIECE = 1 << 23  # bytes between two reports of progress
EACH = 4  # parts of a text for a thread
FIRST = np.uint64(0)  # of `shared`: the next part


class Stop(NamedTuple):
    """Where and why a parser stopped."""

    rows: int  # parsed
    status: int
    line: int  # 1-based
    start: int  # byte at which that line starts
    value: int  # the offending number, where status is RANGE


class Parts:
    """Parts of a text, each of whole lines, which threads take in turn."""

    number: int
    workers: int
    done: int
    ends: np.ndarray  # array, shape (number + 1,): first bytes of parts, and the end of the text
    # array, shape (number, 3): what the loop given to `count` has found in each; lines are the first
    counts: np.ndarray
    # array, shape (number, 5): where and why the parser has stopped in each of the parts that are `done`
    found: np.ndarray
    line: int

    def __init__(self, size: int, at: int, line: int, number: int, workers: int) -> None:
        self.number, self.workers, self.done = number, workers, 0
        self.ends, self.counts = np.array([at] + number * [size]), np.zeros((number, 3), np.int64)
        self.found, self.line = np.zeros((number, 5), np.int64), line

    @classmethod
    def of(cls, buf: np.ndarray, at: int, line: int, heard: bool) -> Parts:
        """A few for each thread; parts of up to `PIECE` bytes where the progress is reported (`heard`)."""
        size = len(buf) - at
        workers = threads_for(None, size)
        number = max(EACH * workers if workers > 1 else 1, -(-size // PIECE) if heard else 1)
        return cls(len(buf), at, line, number, workers)

    def count(self, loop: Callable[..., int], buf: np.ndarray, *args: Any) -> None:
        """Find where parts end, leave out empty ones at the end, and count in each."""
        launch(loop, self.workers, slots(1), buf, self.ends, self.counts, *args)
        self.cut(int(np.searchsorted(self.ends[1:], len(buf))), len(buf))

    def cut(self, last: int, size: int) -> None:
        """Make all from a part on one part, up to the end."""
        self.number, self.ends = last + 1, np.append(self.ends[: last + 1], size)
        self.counts, self.found = self.counts[: last + 1], self.found[: last + 1]

    def before(self, k: int) -> np.ndarray:
        """What was counted in earlier parts, and in all."""
        return np.concatenate(([0], np.cumsum(self.counts[:, k])))

    def groups(self, reading: Stage) -> Iterator[slice]:
        """Some parts after others, until one has a fault."""
        step = self.workers if reading.heard else self.number
        while self.done < self.number and not self.found[: self.done, 1].any():
            yield slice(self.done, min(self.done + step, self.number))
            self.done = min(self.done + step, self.number)
            reading.at(int(self.ends[self.done]))

    def parse(self, loop: Callable[..., int], some: slice, buf: np.ndarray, *args: Any) -> None:
        """Parse these parts."""
        ends, lines = self.ends[some.start : some.stop + 1], (self.line + self.before(0))[some]
        launch(loop, self.workers, slots(1), (buf, ends, lines), *args, self.found[some])

    def stop(self) -> Stop:
        """Where and why the first part has stopped that has a fault, else the last; parts after it are not `done`."""
        faults = np.flatnonzero(self.found[: self.done, 1])
        self.done = int(faults[0]) + 1 if len(faults) else self.number
        return Stop(*self.found[self.done - 1].tolist())


@njit(cache=True, nogil=True)
def end_of_line(buf: Any, i: Any, end: Any) -> Any:
    while i < end and buf[i] != NEWLINE:
        i += 1
    return i


@njit(cache=True, nogil=True)
def end_of_part(buf: Any, at: Any, end: Any, part: Any, parts: Any) -> Any:
    """The first byte of a part of the text from byte `at` to `end`: the first of a line."""
    if part == 0 or part == parts:
        return end if part else at
    return min(end_of_line(buf, at + (end - at) // parts * part, end) + 1, end)


@parallel
def count_lines(t: Any, shared: Any, buf: Any, ends: Any, counts: Any) -> Any:
    """Lines of each part that have an end; and where the part ends."""
    parts, at, end = len(counts), ends[0], len(buf)
    part = fetch_add(shared, FIRST, 1)
    while part < parts:
        stop = end_of_part(buf, at, end, part + 1, parts)
        lines = 0
        for i in range(np.uint64(end_of_part(buf, at, end, part, parts)), np.uint64(stop)):
            lines += buf[i] == NEWLINE
        ends[part + 1], counts[part, 0] = stop, lines
        part = fetch_add(shared, FIRST, 1)
