"""Names of vertices → numbers, in the order in which they first occur; all names are held in memory."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import OptionError
from ....io.folder import TYPES, Output

OVERHEAD = 260  # bytes per name beside its characters: an object, its number, its place in a table that grows


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
    """Numbers of names, which are also in a folder as they come.

    Parameters
    ----------
    folder : Path
    room : int
        Bytes that they may take.
    state : dict, optional
        As of `state`, to go on from there.
    """

    def __init__(self, folder: Path, room: int, state: dict[str, Any] | None = None) -> None:
        self._room, self._bytes, self._numbers = room, 0, _Numbers()
        self._text = Output(folder, "names", TYPES["names"][0], state and state["names"])
        self._ends = Output(folder, "names_end", TYPES["names_end"][0], state and state["names_end"])
        if state is not None:
            text = np.fromfile(folder / "names.npy", np.uint8, self._text.count, offset=128).tobytes()
            ends = np.fromfile(folder / "names_end.npy", "<i8", self._ends.count, offset=128).tolist()
            for begin, end in itertools.pairwise([0, *ends]):
                self._numbers[text[begin:end].decode()]
            self._written()

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, u: list[str], v: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of both ends of edges, new names in the order of edges, u before v.

        Raises
        ------
        OptionError
            The names take more memory than they may.
        """
        flat = itertools.chain.from_iterable(zip(u, v, strict=True))
        found = np.fromiter(map(self._numbers.__getitem__, flat), np.int64, 2 * len(u))
        new = [str(name).encode() for name in self._numbers.new]
        if new:
            lengths = np.array([len(name) for name in new], np.int64)
            self._text.append(np.frombuffer(b"".join(new), np.uint8))
            before = self._text.count - int(lengths.sum())
            self._ends.append(before + np.cumsum(lengths))
            self._written()
        return found[::2], found[1::2]

    def _written(self) -> None:
        self._bytes = self._text.count + OVERHEAD * len(self._numbers)
        self._numbers.new.clear()
        if self._bytes > self._room:
            raise OptionError(
                f"{len(self)} names of vertices take about {self._bytes} bytes of memory so far, and memory leaves "
                f"{self._room} for them: pass memory of more than {4 * self._bytes}, or number the vertices first"
            )

    def state(self) -> dict[str, Any]:
        """What is on the disk for good."""
        return {"names": self._text.state(), "names_end": self._ends.state()}

    def finish(self) -> dict[str, Any]:
        """Close both arrays, and give what `graph.json` says of them."""
        return {"names": self._text.finish(), "names_end": self._ends.finish()}

    def close(self) -> None:
        """Close both files, whatever is in them."""
        self._text.close()
        self._ends.close()
