"""The first stage: edges of all sources in files of sorted keys, or, from the first large number on, as they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.errors import OptionError
from ....progress import stage
from .budget import Budget, too_little
from .merge import fits
from .names import Names
from .parts import Work
from .runs import MOST, Pairs, Runs
from .sources import Chunk, Source, checked


class Reading:
    """Reads sources from where the last file ends, and writes a file whenever the buffer is full.

    Parameters
    ----------
    work : Work
    budget : Budget
    sources : list of Source
    heads : dict
        What their heads say: n, at_least, both, named.
    """

    def __init__(self, work: Work, budget: Budget, sources: list[Source], heads: dict[str, Any]) -> None:
        self._work, self._budget, self._sources = work, budget, sources
        read = work.files["read"]
        self._state = {"edges": 0, "loops": 0, "top": -1, **heads} if not read else dict(read[-1].content["state"])
        self._at: dict[str, Any] = {"input": 0, "at": None} if not read else read[-1].content["to"]
        self._kept = self._at  # what is in files reaches up to here
        self._names = Names(work, budget.table) if sources[0].named else None
        self._edges: Runs = (Pairs if work.has_pairs else Runs)(budget.keys, self._keep)

    def run(self) -> None:
        """Read all that is left."""
        sources, first = self._sources, self._at["input"]
        before = sum(source.size for source in sources[:first])
        reading = stage("reading", sum(source.size for source in sources) or None, "bytes")
        for k in range(first, len(sources)):
            for chunk in sources[k].chunks(self._at["at"], len(sources) == 1):
                self._take(sources[k], chunk)
                self._at = {"input": k, "at": chunk.at}
                reading.at(before + chunk.done)
            self._at = {"input": k + 1, "at": None}
            before += sources[k].size
        self._keep(last=True)
        del self._edges  # its memory, as it refers to this object

    def _take(self, source: Source, chunk: Chunk) -> None:
        """Add the edges of a chunk to the buffer; write a file first if they do not fit."""
        state = self._state
        u, v = (chunk.u, chunk.v) if self._names is None else self._names.numbers(chunk.u, chunk.v)
        top = max(int(u.max()), int(v.max())) if len(u) else -1
        if self._names is None and state["n"] is not None and top >= state["n"]:
            checked(source.path, u, v, chunk.at["edges"] - len(u), state["n"])
        if self._edges.held and not self._edges.has_room(len(u)):
            self._keep()
            self._check_memory()
        if top >= MOST and not isinstance(self._edges, Pairs):
            if self._edges.held:
                self._keep()
            del self._edges  # its memory
            self._edges = Pairs(self._budget.keys, self._keep)
        self._edges.add(u, v)
        state["edges"] += len(u)
        state["loops"] += int(np.count_nonzero(u == v))
        state["top"] = max(state["top"], top)

    def _check_memory(self) -> None:
        """Raise an OptionError where memory is too little to merge what was read so far."""
        runs = [file.content["count"] for file in self._work.files["read"]]
        if not isinstance(self._edges, Pairs) and not fits(self._budget.keys, len(runs), sum(runs)):
            raise OptionError(too_little(self._budget.keys, sum(runs)))

    def _keep(self, last: bool = False) -> None:
        """What is held, and the range of the inputs that it covers, up to the last chunk that was taken as a whole."""
        state = self._state
        if self._names is not None:
            self._names.keep()
            state = {**state, "n": len(self._names) if last else None}
        with self._work.new("read") as out:
            content = {**self._edges.into(out), "from": self._kept, "to": self._at, "last": last}
            out.keep({**content, "needs": {"names": len(self._work.files["names"])}, "state": dict(state)})
        self._kept = self._at
