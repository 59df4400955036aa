"""One local search for a coloring with k colors: TabuCol or PartialCol, a slice of iterations at a time.

References
----------
Hertz, de Werra 1987, "Using tabu search techniques for graph coloring" (TabuCol); Galinier, Hao 1999, "Hybrid
evolutionary algorithms for graph coloring", whose tenure and table of conflicts these are.
Blöchliger, Zufferey 2008, "A graph coloring heuristic using partial solutions and a reactive tabu scheme"
(PartialCol, dynamic tenure and FOO).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph import Graph
from ...device import large_pages
from ...device.bits import below
from ...device.compiled import njit
from ...device.intrinsics import LANES
from ..greedy.sequential import unsigned
from . import partialcol_cpu, tabucol_cpu
from .moves import BEST, BUCKETS, HELD, SLOTS, TIME, State

MOVES = ("tabucol", "partialcol", "foo_partialcol")
LARGEST_DEGREE = HELD - 1


def table_bytes(n: int, k: int) -> int:
    """Size of the table of conflicts."""
    return 2 * n * -(-k // LANES) * LANES


class LocalSearch:
    """A search for a coloring with k colors; deterministic for seed, colors to begin with, and iterations.

    Parameters
    ----------
    G : Graph
        On the CPU, of degrees up to `LARGEST_DEGREE`.
    k : int
        From 2 on.
    seed : int
    moves : {"tabucol", "partialcol", "foo_partialcol"}

    Attributes
    ----------
    colors, best : array of int32, shape (n,)
        The present coloring and the best so far: with edges in conflict (TabuCol), or incomplete, −1 (PartialCol).
    """

    def __init__(self, G: Graph, k: int, seed: int, moves: str = MOVES[0]) -> None:
        n, width = G.n, -(-k // LANES) * LANES
        self.n, self.k, self.moves = n, k, moves
        self.colors, self.best = np.zeros(n, np.int32), np.zeros(n, np.int32)
        self.near = large_pages(n * width, np.uint16)
        self.width = width
        self.listed, self.place, ties = np.zeros(n, np.uint32), np.full(n, -1, np.int32), np.zeros(n, np.uint32)
        self.slots, self.buckets = np.zeros((5, SLOTS), np.int64), np.full(BUCKETS, -1, np.int32)
        self.at, self.rng = np.zeros(8, np.int64), np.array([seed % 2**64], np.uint64)
        sizes = np.uint64(k), np.uint64(width), np.uint64(width // LANES)
        lists = self.listed, self.place, ties, self.slots, self.buckets, self.at, self.rng
        self._state = State(*unsigned(G), *sizes, self.colors, self.best, self.near, *lists)

    def begin(self, colors: np.ndarray) -> None:
        """From these colors, under k each; −1 stands for none: TabuCol then takes a random one."""
        self.colors[:] = colors
        if self.moves == MOVES[0]:
            fill(self.colors, self._state.k, self.rng)
            tabucol_cpu.begin(self._state)
        else:
            partialcol_cpu.begin(self._state)

    def steps(self, most: int) -> int:
        """So many iterations at most; returns how many until all was well."""
        if self.moves == MOVES[0]:
            return int(tabucol_cpu.steps(self._state, most))
        return int(partialcol_cpu.steps(self._state, most, self.moves == MOVES[2]))

    @property
    def value(self) -> int:
        """The least objective so far; 0: `best` is a proper coloring."""
        return int(self.at[BEST])

    @property
    def iterations(self) -> int:
        """Since it began."""
        return int(self.at[TIME])


@njit(cache=True, nogil=True)
def fill(colors: Any, k: Any, rng: Any) -> None:
    """Random colors for vertices without."""
    for v in range(np.uint64(colors.size)):
        if colors[v] < 0:
            colors[v] = below(rng, k)
