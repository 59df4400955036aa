"""What a code under measurement is, and the list of them: lagcolor itself, C++ libraries, Python libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

import lagcolor


@dataclass(frozen=True)
class Case:
    """A graph to color, in memory and as an .egr file for the C++ drivers; `source` says where it is from."""

    name: str
    source: str
    G: lagcolor.Graph
    egr: Path


@dataclass(frozen=True, order=True)
class Code:
    """One thing to time: a method of a library in an order, on a number of threads."""

    peer: str
    method: str
    order: str
    threads: int = 1

    def __str__(self) -> str:
        return f"{self.peer} {self.method} {self.order}" + (f" ×{self.threads}" if self.threads > 1 else "")


@dataclass(frozen=True)
class Sample:
    """One run: milliseconds of ordering and coloring (0 of ordering where it cannot be told apart)."""

    order_ms: float
    color_ms: float
    n_colors: int

    @property
    def ms(self) -> float:
        """Ordering and coloring together."""
        return self.order_ms + self.color_ms


class Session(Protocol):
    """A library with one graph loaded."""

    def codes(self) -> Sequence[Code]:
        """What it can run on this graph."""

    def run(self, code: Code) -> Sample:
        """Color once; input conversion is outside the time."""

    def colors(self) -> np.ndarray:
        """Colors of the last run, shape (n,)."""

    def close(self) -> None:
        """Let go of the graph."""


class _Named(Protocol):
    @property
    def name(self) -> str:
        """As in `Code.peer`."""

    def absent(self) -> str | None:
        """Why it cannot run here, or None."""

    def version(self) -> str:
        """Version of the library."""


class Library(_Named, Protocol):
    """A Python library, to be hosted in a process of its own."""

    def load(self, G: lagcolor.Graph) -> Session:
        """Convert a graph."""


class Peer(_Named, Protocol):
    """What is measured: it has a process for each graph."""

    def open(self, case: Case, timeout: float = 600) -> Session:
        """Start the process on a graph; a run there may take `timeout` seconds."""


def libraries() -> dict[str, Library]:
    """Python libraries by name, lagcolor first."""
    from . import ours, python

    return {lib.name: lib for lib in (ours.Lagcolor(), python.Igraph(), python.Networkx())}


def all_peers() -> list[Peer]:
    """Every peer: lagcolor, C++ libraries, other Python libraries."""
    from . import native, remote

    mine, *others = (remote.Hosted(lib) for lib in libraries().values())
    return [mine, *native.PEERS, *others]
