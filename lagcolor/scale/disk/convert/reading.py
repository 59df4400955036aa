"""The first stage: edges of all sources in sorted runs, or, from the first large number on, as they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import OptionError
from ....progress import stage
from .budget import Budget, too_little
from .journal import Journal
from .labels import Spool
from .merge import fits
from .names import Names
from .runs import MOST, Run, Runs
from .sources import Chunk, Source, checked

SPOOLED = 1 << 27  # bytes between two notes of how far a spool is


class Reading:
    """Reads sources from where a journal says, and notes how far it is whenever a run is on the disk.

    Parameters
    ----------
    journal : Journal
    budget : Budget
    sources : list of Source
    state : dict
        What was read so far: input, at, edges, loops, top (the largest number), runs, names, spool.
    """

    def __init__(self, journal: Journal, budget: Budget, sources: list[Source], state: dict[str, Any]) -> None:
        self._journal, self._budget, self._sources, self._state = journal, budget, sources, dict(state)
        work = journal.work
        self._runs = Runs(work / "runs", budget.keys, [Run(*run) for run in state["runs"]])
        self._names = Names(work, budget.table, state["names"]) if sources[0].named else None
        self._spool = None if state["spool"] is None else Spool(work / "spool", state["spool"])

    def run(self) -> dict[str, Any]:
        """Read all that is left; the state for the next stage."""
        state, sources = self._state, self._sources
        before = sum(source.size for source in sources[: state["input"]])
        reading = stage("reading", sum(source.size for source in sources) or None, "bytes")
        try:
            for k in range(state["input"], len(sources)):
                for chunk in sources[k].chunks(state["at"], len(sources) == 1):
                    self._take(sources[k], chunk)
                    state |= {"input": k, "at": chunk.at}
                    reading.at(before + chunk.done)
                state |= {"input": k + 1, "at": None}
                before += sources[k].size
            self._runs.write()
            self._note()
            following: dict[str, Any] = {"stage": "merging" if self._spool is None else "numbering"}
            if self._names is not None:
                following |= {"n": len(self._names), "names": None, "labels": self._names.finish()}
            self._journal.save({**self._journal.state, **following})
            return self._journal.state
        finally:
            for file in (self._runs, self._names, self._spool):
                if file is not None:
                    file.close()

    def _take(self, source: Source, chunk: Chunk) -> None:
        """Edges of a chunk, to where they belong."""
        state = self._state
        u, v = (chunk.u, chunk.v) if self._names is None else self._names.numbers(chunk.u, chunk.v)
        top = max(int(u.max()), int(v.max())) if len(u) else -1
        if self._names is None and state["n"] is not None and top >= state["n"]:
            checked(source.path, u, v, state["edges"], state["n"])
        if top >= MOST and self._spool is None:
            self._runs.write()
            self._note()
            self._spool = Spool(self._journal.work / "spool")
        if self._spool is None:
            self._sort(u, v)
        else:
            if self._spool.size - (self._journal.state.get("spool") or 0) >= SPOOLED:
                self._note()
            self._spool.add(u, v)
        loops = int(np.count_nonzero(u == v))
        state |= {"edges": state["edges"] + len(u), "loops": state["loops"] + loops, "top": max(state["top"], top)}

    def _sort(self, u: np.ndarray, v: np.ndarray) -> None:
        """Edges in runs; what was before them is noted where there is no room for them."""
        if not self._runs.has_room(len(u)) and self._runs.held:
            self._runs.write()
            self._note()
            room, keys = self._budget.keys, sum(run.keys for run in self._runs.runs)
            if not fits(room, len(self._runs.runs), keys):
                raise OptionError(too_little(room, keys))
        self._runs.add(u, v)

    def _note(self) -> None:
        """What is on the disk for good, up to the last chunk that was taken."""
        if self._spool is not None:
            self._spool.sync()
        names = None if self._names is None else self._names.state()
        spool = None if self._spool is None else self._spool.size
        self._journal.save({**self._state, "runs": self._runs.runs, "names": names, "spool": spool})
