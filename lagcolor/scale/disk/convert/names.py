"""Names of vertices → numbers, in order of first occurrence. All names are in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ....core.errors import OptionError
from .parts import File, Work

OVERHEAD = 260  # bytes per name beside its characters: an object, its number, its place in a table that grows
SOME = 1 << 12  # names that are written at once


class _Numbers(dict[str, int]):
    """Numbers by name; a name that is new gets the next."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[str] = []

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        self.new.append(name)
        return number


class Names:
    """Numbers of names that take up to `room` bytes. They begin with the names in files of an earlier conversion."""

    def __init__(self, work: Work, room: int) -> None:
        self._work, self._room, self._bytes, self._numbers = work, room, 0, _Numbers()
        for file in work.files["names"]:
            ends = np.concatenate([np.zeros(1, np.int64), *(piece.copy() for piece in ends_of(file))])
            text = np.empty(int(ends[-1]), np.uint8)
            file.read(8 * file.content["count"], text)
            for begin, end in itertools.pairwise(ends.tolist()):
                self._numbers[text[begin:end].tobytes().decode()]
            self._bytes += len(text)
        self._numbers.new.clear()
        self._check_room()

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, u: list[str], v: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of both ends of edges, new names in the order of edges, u before v."""
        before = len(self._numbers.new)
        flat = itertools.chain.from_iterable(zip(u, v, strict=True))
        found = np.fromiter(map(self._numbers.__getitem__, flat), np.int64, 2 * len(u))
        self._bytes += sum(len(str(name).encode()) for name in self._numbers.new[before:])
        self._check_room()
        return found[::2], found[1::2]

    def _check_room(self) -> None:
        needed = self._bytes + OVERHEAD * len(self._numbers)
        if needed > self._room:
            raise OptionError(
                f"{len(self)} names of vertices take about {needed} bytes of memory so far, and memory leaves "
                f"{self._room} for them: pass memory of more than {4 * needed}, or number the vertices first"
            )

    def keep(self) -> None:
        """Write the names that are in no file yet: where each ends, and their text."""
        new = self._numbers.new
        if not new:
            return
        with self._work.new("names") as out:
            end = 0
            for some in _some(new):
                ends = end + np.cumsum([len(name) for name in some], dtype=np.int64)
                end = int(ends[-1])
                out.write(ends)
            for some in _some(new):
                out.write(b"".join(some))
            out.keep({"count": len(new), "from": len(self) - len(new), "to": len(self)})
        new.clear()


def _some(names: list[str]) -> Iterator[list[bytes]]:
    for begin in range(0, len(names), SOME):
        yield [str(name).encode() for name in names[begin : begin + SOME]]


def ends_of(file: File) -> Iterator[np.ndarray]:
    """Where each name of a file ends, piece by piece."""
    return file.pieces("<i8", file.content["count"])


def text_of(file: File) -> Iterator[np.ndarray]:
    """The text of a file, piece by piece."""
    begin = 8 * file.content["count"]
    return file.pieces("|u1", file.size - begin, begin)
