"""Whether k colors do, for a graph of any size: a decision for each piece of its kernel, the smallest first."""

from __future__ import annotations

import math

import numpy as np

from ...base.compile_clock import clock
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...problems.certificates import EXHAUSTIVE, Certificate
from ..improve.lists import FOUND, NONE_EXISTS, UNKNOWN, Instance
from .learning import Learning
from .pieces import Piece


class Proof:
    """A search for k colors that continues from call to call; the search of a piece is created when it first runs."""

    k: int
    result: int  # FOUND, NONE_EXISTS or UNKNOWN
    certificate: Certificate | None  # with NONE_EXISTS: that every coloring has k + 1 colors

    def __init__(self, G: Graph, k: int) -> None:
        self.k, self.certificate = k, None
        self._whole = Piece(G, k, np.arange(G.n, dtype=np.uint32))
        self._left = sorted(self._whole.leaves(), key=lambda piece: piece.kernel.graph.n)
        self._searches: dict[int, Learning] = {}
        self.result = UNKNOWN if self._left else FOUND

    @property
    def entries(self) -> int:
        """Vertices of the largest piece times colors: the size of the tables."""
        return self._left[-1].kernel.graph.n * self.k if self._left else 0

    @property
    def conflicts(self) -> int:
        """Conflicts so far."""
        return sum(search.conflicts for search in self._searches.values())

    def run(self, until: float = math.inf, conflicts: int = 2**62) -> int:
        """Continue until the result is known, a moment, or a number of conflicts in all; each piece has its share of
        the time.

        Returns `result`.
        """
        pieces = list(self._left)
        for i, piece in enumerate(pieces):
            if id(piece) not in self._searches:
                self._searches[id(piece)] = _search(piece.kernel.graph, self.k)
            search = self._searches[id(piece)]
            end = until if until == math.inf else clock() + (until - clock()) / (len(pieces) - i)
            result = search.run(end, search.conflicts + max(conflicts - self.conflicts, 0))
            if result == NONE_EXISTS:
                self.result = result
                self.certificate = Certificate(EXHAUSTIVE, self.k + 1, piece.vertices.astype(np.int64))
                return result
            if result == FOUND:
                piece.found = search.colors
                self._left.remove(piece)
        if not self._left:
            self.result = FOUND
        return self.result

    def colors(self) -> np.ndarray:
        """The coloring of the whole graph that was found."""
        return self._whole.colors()


def _search(G: Graph, k: int) -> Learning:
    """Clause learning for any coloring of a graph with k colors."""
    nothing = np.zeros(G.n, np.bool_), np.zeros(G.n + 1, np.int64), np.zeros(0, np.int32)
    instance = Instance(*unsigned(G), *nothing, np.ones(G.n), np.full(k, np.inf))
    return Learning(instance, np.full(G.n, -1, np.int32), True)
