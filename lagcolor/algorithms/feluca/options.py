"""The options of Feluca, checked, and turned into the whole numbers that both engines compute with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.options import choice, number, whole
from ...graph.graph import Graph

MILLION = 1_000_000  # α and fraction in millionths: exact comparisons, the same on CPU and GPU
TRAVERSALS = ("all", "levels")
SPREADS = ("pipeline", "at_once", "vertex")
LONGEST = 64  # colors of a NeighborColors array: a word of bits holds those after the least


@dataclass(frozen=True)
class FelucaOptions:
    """How one graph is colored."""

    initial: int  # size of COLORS at the start
    length: int  # of NeighborColors
    alpha: int  # in millionths. The recursion ends once active ≤ (1 + α) conflicting in two rounds running. −1: never
    fraction: int  # in millionths. The recursion ends once more than this share of the vertices is colored. −1: never
    traversal: str
    spread: str

    @property
    def recursion(self) -> bool:
        """Whether there is a first stage at all."""
        return self.fraction != 0

    def switches(self, n: int, colored: int, rounds: Sequence[tuple[int, int]]) -> bool:
        """Whether the second stage takes over."""
        if self.fraction >= 0 and colored * MILLION > self.fraction * n:
            return True
        if self.alpha < 0 or len(rounds) < 2:
            return False
        return all(active * MILLION <= (MILLION + self.alpha) * conflicts for active, conflicts in rounds[-2:])


def plan(G: Graph, options: Mapping[str, Any]) -> FelucaOptions:
    """The plan for a graph."""
    fraction = number("fraction", options["fraction"], 0, 1, none=True)
    alpha = number("alpha", options["alpha"], 0, 1000)
    initial = whole("initial", options["initial"], 1, of="colors", none=True)
    return FelucaOptions(
        initial=min(G.m // max(G.n, 1) + 1 if initial is None else initial, G.max_degree + 1),
        length=whole("length", options["length"], 2, LONGEST),
        alpha=round(alpha * MILLION) if fraction is None else -1,
        fraction=-1 if fraction is None else round(fraction * MILLION),
        traversal=choice("traversal", options["traversal"], TRAVERSALS),
        spread=choice("spread", options["spread"], SPREADS),
    )
