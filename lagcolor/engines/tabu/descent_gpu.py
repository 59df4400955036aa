"""Fewer and fewer colors by HEAD on a GPU; the graph itself, its cores and the way back are on the host."""

from __future__ import annotations

import numpy as np

from ...core.graph import Graph
from .descent import Descent, Searches, length_of
from .population import Population, Shape

PAIRS = 16


class GpuDescent(Descent):
    """As `Descent`, on the current GPU.

    Parameters
    ----------
    G : Graph
        On the CPU.
    colors : array of int32, shape (n,)
        A proper coloring, 0 … k − 1 all in use.
    seed : int
    pairs : int
    brood : int
        Searches for each child; 0: as many as run at the same time.
    """

    def __init__(self, G: Graph, colors: np.ndarray, seed: int, pairs: int = PAIRS, brood: int = 0) -> None:
        super().__init__(G, colors, seed, pairs)
        self.brood = brood
        self._last: Population | None = None

    def refused(self) -> str:
        """As of `Descent`."""
        return self._shape().why if self.core().graph.n else ""

    def _shape(self) -> Shape:
        core = self.core().graph
        return Shape(core.n, self.k - 1, core.max_degree)

    def _begin(self, core: Graph, k: int, start: np.ndarray) -> Searches:
        brood = self.brood or max(self._shape().at_once // (2 * self.pairs), 1)
        pace = self._last.pace if self._last else 0.0
        self._last = Population(core, k, self.seed, length_of(core), self.pairs, brood, start, pace)
        return self._last
