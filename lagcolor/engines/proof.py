"""Whether k colors do, for a graph of any size: a decision for each piece of its kernel, the smallest first."""

from __future__ import annotations

import numpy as np

from semirings.runtime.compile_clock import clock

from ..core.graph import Graph
from ..problems.certificates import EXHAUSTIVE, Certificate
from .branch_and_bound import FOUND, NONE_EXISTS, UNKNOWN, Decision
from .pieces import Piece

__all__ = ["FOUND", "NONE_EXISTS", "UNKNOWN", "Proof"]


class Proof:
    """A search that goes on from call to call; that of a piece is made when it first runs.

    Parameters
    ----------
    G : Graph
        On the CPU.
    k : int
        From 1 on.

    Attributes
    ----------
    result : {FOUND, NONE_EXISTS, UNKNOWN}
        So far.
    certificate : Certificate or None
        With NONE_EXISTS: that every coloring has k + 1 colors.
    """

    def __init__(self, G: Graph, k: int) -> None:
        self.k = k
        self.certificate: Certificate | None = None
        self._whole = Piece(G, k, np.arange(G.n, dtype=np.uint32))
        self._left = sorted(self._whole.leaves(), key=lambda piece: piece.kernel.graph.n)
        self._decisions: dict[int, Decision] = {}
        self.result = UNKNOWN if self._left else FOUND

    @property
    def entries(self) -> int:
        """Vertices of the largest piece times colors: the size of the tables."""
        return self._left[-1].kernel.graph.n * self.k if self._left else 0

    @property
    def nodes(self) -> int:
        """Nodes so far."""
        return sum(decision.nodes for decision in self._decisions.values())

    def run(self, deadline: float | None = None, most: int = 2**62) -> int:
        """Go on until it is known, a moment, or so many nodes in all; each piece has its share of the time.

        Returns `result`.
        """
        pieces = list(self._left)
        for i, piece in enumerate(pieces):
            if id(piece) not in self._decisions:
                self._decisions[id(piece)] = Decision(piece.kernel.graph, self.k)
            decision = self._decisions[id(piece)]
            until = None if deadline is None else clock() + (deadline - clock()) / (len(pieces) - i)
            result = decision.run(until, decision.nodes + max(most - self.nodes, 0))
            if result == NONE_EXISTS:
                self.result = result
                self.certificate = Certificate(EXHAUSTIVE, self.k + 1, piece.vertices.astype(np.int64))
                return result
            if result == FOUND:
                piece.found = decision.colors
                self._left.remove(piece)
        if not self._left:
            self.result = FOUND
        return self.result

    def colors(self) -> np.ndarray:
        """The coloring of the whole graph that was found."""
        return self._whole.colors()
