"""Numbers of vertices that are too large for keys → 0 … n−1, in ascending order, by a table in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ....core.errors import OptionError
from .parts import File, Work
from .runs import Runs, edges


def table(files: Iterable[File], room: int) -> np.ndarray:
    """All numbers that occur, rising."""
    all_of_them, new, held = np.zeros(0, np.int64), [], 0
    for u, v in (ends for file in files for ends in edges(file)):
        new.append(np.unique(np.concatenate([u, v])))
        held += len(new[-1])
        if held * 8 > room // 2 and held > len(all_of_them) // 2:
            all_of_them, new, held = np.unique(np.concatenate([all_of_them, *new])), [], 0
        if 8 * len(all_of_them) > room:
            raise OptionError(
                f"vertices have numbers of 2³² and more, of which there are over {len(all_of_them)} different ones: a "
                f"table of them takes more than memory leaves for it: pass memory of more than {64 * len(all_of_them)}"
            )
    return np.unique(np.concatenate([all_of_them, *new]))


class Numbering:
    """The stage that numbers edges by the places of their ends in a table of all numbers.

    Parameters
    ----------
    work : Work
    keys : int
        Of a run.
    state : dict
        What later stages need to know.
    """

    def __init__(self, work: Work, keys: int, state: dict[str, Any]) -> None:
        self._work, self._state = work, state
        self._runs = Runs(keys, self._keep)
        self._kept = self._done = 0  # edges

    def run(self, room: int, passed: Callable[[int], None]) -> None:
        """Number all edges by a table of at most `room` bytes; call `passed` with the number of edges done."""
        read = self._work.files["read"]
        labels = table(read, room)
        with self._work.new("labels") as out:
            out.write(labels)
            out.keep({"count": len(labels)})
        passed(0)
        self._state = {**self._state, "n": len(labels), "top": len(labels) - 1}
        for file in read:
            for u, v in edges(file):
                if not self._runs.has_room(len(u)) and self._runs.held:
                    self._keep()
                self._runs.add(np.searchsorted(labels, u), np.searchsorted(labels, v))
                self._done += len(u)
                passed(self._done)
        self._keep(last=True)
        del self._runs  # its memory, as it refers to this object

    def _keep(self, last: bool = False) -> None:
        """A run, and the range of the edges in the files that were read that it covers."""
        with self._work.new("numbered") as out:
            content = {**self._runs.into(out), "from": self._kept, "to": self._done, "last": last}
            out.keep({**content, "needs": {"labels": 1}, "state": self._state})
        self._kept = self._done
