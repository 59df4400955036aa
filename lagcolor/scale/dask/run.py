"""The folder of a run: the names of its files, and what all of its tasks know.

=====================  ===============================================================================
run.json               what is colored and how, to know the run again
plan.json bounds.npy   partitions and order, once they are known
order.npy              the user's priorities
runs/                  sorted entries of each piece of the input, and what is known of them
rows/                  rows of each partition
core/                  what each partition has of the core; the colors of the core
messages/0007/         colors that partitions sent in a round
state/                 after a round: which messages count, and who is to be solved next
colors/                the result
=====================  ===============================================================================

Files are written once, under their final name when they are whole (files.py), and tasks depend on nothing else. So any
task may be run again, anywhere, and a run goes on from its folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..partition import OwnerOf, ranges
from .files import load, load_record, save, save_record


@dataclass(frozen=True)
class Plan:
    """Partitions and order.

    Attributes
    ----------
    bounds : array of int64, shape (parts + 1,)
    order : str
    seed : int or None
        None: ties are broken by vertex id.
    graph : str or None
        The graph folder that has the rows; None: those of the run.
    hops : int
        Vertices that are up to so many edges apart have different colors.
    """

    bounds: np.ndarray
    order: str
    seed: int | None
    graph: str | None
    hops: int = 1

    @property
    def parts(self) -> int:
        """How many partitions."""
        return len(self.bounds) - 1

    @property
    def n(self) -> int:
        """How many vertices."""
        return int(self.bounds[-1])

    @property
    def owner_of(self) -> OwnerOf:
        """Who owns each of some ids."""
        return ranges(self.bounds)


@dataclass(frozen=True)
class Run:
    """A run, as its tasks get it.

    Attributes
    ----------
    folder : str
    name : str
        Another one for each run.
    """

    folder: str
    name: str

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self.folder)

    def runs(self, piece: int) -> Path:
        """The sorted entries of a piece: shape (2, entries)."""
        return self.path / "runs" / f"{piece:06d}.npy"

    def about(self, piece: int) -> Path:
        """What is known of them."""
        return self.path / "runs" / f"{piece:06d}-about.npy"

    def indptr(self, part: int) -> Path:
        """Offsets of the rows of a partition."""
        return self.path / "rows" / f"{part:06d}-indptr.npy"

    def indices(self, part: int) -> Path:
        """Their columns."""
        return self.path / "rows" / f"{part:06d}-indices.npy"

    def core(self, name: str) -> Path:
        """Something of the core."""
        return self.path / "core" / f"{name}.npy"

    def messages(self, round: int, sender: int) -> Path:
        """What a partition sent in a round."""
        return self.path / "messages" / f"{round:05d}" / f"{sender:06d}.npy"

    def state(self, round: int) -> Path:
        """What is known after a round; −1: before the first."""
        return self.path / "state" / f"{round + 1:05d}.json"

    def write_plan(self, plan: Plan) -> None:
        """Once."""
        save(self.path / "bounds.npy", plan.bounds)
        save_record(self.path / "plan.json", {f: getattr(plan, f) for f in ("order", "seed", "graph", "hops")})

    def plan(self) -> Plan:
        """Read once per process."""
        return _plan(self.folder, self.name)


@lru_cache(maxsize=4)
def _plan(folder: str, name: str) -> Plan:
    path = Path(folder)
    about = load_record(path / "plan.json")
    return Plan(load(path / "bounds.npy"), about["order"], about["seed"], about["graph"], about["hops"])
