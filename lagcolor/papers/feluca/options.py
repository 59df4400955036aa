"""The options of Feluca, checked, and turned into the whole numbers that both engines compute with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...graph import Graph
from ...options import choice, number, whole

MILLION = 1_000_000  # α and fraction in millionths: exact comparisons, the same on CPU and GPU
SPREADS = ("pipeline", "vertex")
LAYOUTS = ("edges", "csr")
LONGEST = 64  # colors of a NeighborColors array: what one machine word holds
FEWEST = 8  # initial colors of graphs of low degree


@dataclass(frozen=True)
class Plan:
    """How one graph is colored.

    Attributes
    ----------
    initial : int
        Size of COLORS at the start.
    length : int
        Of NeighborColors.
    alpha : int
        In millionths; the recursion ends once active ≤ (1 + α) conflicting in two rounds running. −1: never.
    fraction : int
        In millionths; it ends once more than this share of the vertices is colored. −1: never.
    spread : str or None
        Of the second stage; None: in order, but the pipeline where many are left to a GPU.
    layout : str
    """

    initial: int
    length: int
    alpha: int
    fraction: int
    spread: str | None
    layout: str

    @property
    def recursion(self) -> bool:
        """Whether there is a first stage at all."""
        return self.fraction != 0

    def switches(self, n: int, conflicts: list[int]) -> bool:
        """Whether the second stage takes over, after these numbers of conflicting vertices."""
        now = conflicts[-1]
        if self.fraction >= 0 and (n - now) * MILLION > self.fraction * n:
            return True
        if self.alpha < 0 or len(conflicts) < 3:
            return False
        return all(
            before * MILLION <= (MILLION + self.alpha) * after
            for before, after in zip(conflicts[-3:-1], conflicts[-2:], strict=True)
        )


def plan(G: Graph, alpha: Any, fraction: Any, length: Any, initial: Any, spread: Any, layout: Any) -> Plan:
    """The plan for a graph.

    Raises
    ------
    OptionError
        An option is out of its range.
    """
    fraction = number("fraction", fraction, 0, 1, none=True)
    alpha = number("alpha", alpha, 0, 1000)
    length = whole("length", length, 2, LONGEST)
    initial = whole("initial", initial, 1, of="colors", none=True)
    spread, layout = choice("spread", spread, SPREADS, none=True), choice("layout", layout, LAYOUTS)
    if initial is None:
        initial = max(FEWEST, G.m // max(G.n, 1) + 1)
    return Plan(
        initial=min(initial, G.max_degree + 1),
        length=length,
        alpha=round(alpha * MILLION) if fraction is None else -1,
        fraction=-1 if fraction is None else round(fraction * MILLION),
        spread=spread,
        layout=layout,
    )
