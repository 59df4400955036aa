"""The rounds of a run: sweeps of partitions until no color changes.

First-fit in a fixed order is the only solution of c(v) = mex of the colors of v's earlier neighbors. In a round each
partition is updated for the colors of the others after the round before. When no change concerns another partition,
every equation holds, and the colors equal the colors of one CPU. Progress: vertices before the first change of a round
in the order are final, and so is the vertex that changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...base.log import Log
from ...io.files import atomic
from ...orders import Priorities
from .cluster import Cluster
from .parts import concerns
from .sweep import RowRange, RunFiles, Step, build, sweep

PAGE = 8192  # bytes of a folder that a short row maps at most


@dataclass
class ClusterRounds:
    """The rounds of a run."""

    cluster: Cluster
    run: RunFiles
    parts: list[RowRange]
    colors: np.ndarray  # array of int32, shape (n,): the present ones
    log: Log
    checkpoint: Path | None

    def color(self, p: Priorities, most: int) -> np.ndarray:
        """Rounds until no color changes; tasks may map `most` bytes of the folder for the core."""
        place, core = self._write_order(p, most)
        self.cluster.build(build, {k: (self.run, part) for k, part in enumerate(self.parts)})
        active, begin, number = list(range(len(self.parts))), 0, 0
        while active:
            self.run.save(f"colors-{number}", self.colors)
            step = Step(number, number == 0, begin)
            changed = self._round(step, active)
            # Of what is before the first change in the order nothing can change any more.
            begin = max(core, int(place[changed].min(initial=len(place))))
            self.run.remove(f"colors-{number - 1}")
            active = [k for k, part in enumerate(self.parts) if concerns(part, changed)]
            number += 1
        return self.colors

    def _write_order(self, p: Priorities, most: int) -> tuple[np.ndarray, int]:
        """Write the order; the place of each vertex, and how many vertices are in the core."""
        n, sequence = len(self.colors), p.sequence
        place = np.empty(n, np.int32)
        place[sequence] = np.arange(n, dtype=np.int32)
        owner = np.searchsorted([part.low for part in self.parts[1:]], sequence, side="right").astype(np.int32)
        core = 0
        if self.run.hops == 1 and len(self.parts) > 1:
            cost = np.cumsum(np.diff(p.G.indptr)[sequence], dtype=np.int64)
            core = int(np.searchsorted(cost, p.G.m // len(self.parts)))
            core = core if p.G.indices.nbytes <= most else min(core, most // PAGE)
        for name, array in (("place", place), ("sequence", sequence[np.argsort(owner, kind="stable")]),
                            ("core", sequence[:core])):  # fmt: skip
            self.run.save(name, array)
        self.log.notes["core"] = core
        return place, core

    def _round(self, step: Step, active: list[int]) -> np.ndarray:
        """Sweep partitions; the vertices that have changed, rising."""
        number = (self.log.notes["resumed"] or 0) + self.log.rounds + 1
        jobs = {k: (self.run, self.parts[k], step) for k in active}
        found = [swept for _, swept in sorted(self.cluster.sweep(f"round {number}", sweep, jobs).items())]
        changed = np.concatenate([np.zeros(0, np.int32), *(swept.vertices for swept in found)])
        self.colors[changed] = np.concatenate([np.zeros(0, np.int32), *(swept.colors for swept in found)])
        visited, nbytes = sum(swept.visited for swept in found), 8 * len(changed)
        self.log.round(active=visited, colored=len(changed), bytes=nbytes, partitions=len(active))
        self.log.notes["visited"] += visited
        self.log.notes["bytes"] += nbytes
        if self.checkpoint is not None:
            with atomic(self.checkpoint) as out:
                np.savez(out, colors=self.colors, round=number)
        return changed
