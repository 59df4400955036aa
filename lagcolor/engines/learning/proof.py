"""Whether k colors do for a graph, with proof: clause learning on the k-core."""

from __future__ import annotations

import math

import numpy as np

from ...core.graph import Graph
from ..core import Core
from ..greedy.sequential import unsigned
from ..lists import UNKNOWN, Instance
from .solver import Learning


class Proof:
    """A coloring of a graph with k colors, or the proof that there is none; the tables are made when it first runs.

    Parameters
    ----------
    G : Graph
        On the CPU.
    k : int
        From 1 on.
    """

    def __init__(self, G: Graph, k: int) -> None:
        self.k, self.core = k, Core(G, k)
        self._search: Learning | None = None

    @property
    def entries(self) -> int:
        """Vertices of the core times colors: the size of the tables."""
        return self.core.graph.n * self.k

    @property
    def result(self) -> int:
        """What is known so far."""
        return UNKNOWN if self._search is None else self._search.result

    @property
    def conflicts(self) -> int:
        """Conflicts so far."""
        return 0 if self._search is None else self._search.conflicts

    def run(self, until: float = math.inf, conflicts: int = 2**62) -> int:
        """As of `Learning`."""
        if self._search is None:
            G = self.core.graph
            nothing = np.zeros(G.n, np.bool_), np.zeros(G.n + 1, np.int64), np.zeros(0, np.int32)
            instance = Instance(*unsigned(G), *nothing, np.ones(G.n), np.full(self.k, np.inf))
            self._search = Learning(instance, np.full(G.n, -1, np.int32), True)
        return self._search.run(until, conflicts)

    def colors(self) -> np.ndarray:
        """The coloring of the whole graph that was found."""
        assert self._search is not None
        return self.core.extend(self._search.colors)
