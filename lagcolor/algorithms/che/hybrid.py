"""The hybrid of Che et al.: degree labelling as long as it colors vertices, then random labelling.

Degree labelling colors a vertex whose degree exceeds the degree of each uncolored neighbor. Hubs come first; vertices
of later rounds have few neighbors, of similar degree. A vertex with an uncolored neighbor of equal degree gets the
paper's duplicate flag. Neither of the two can be colored before the other, so the flag stays. Flagged vertices, and
vertices that wait for them, are colored by random labelling.

============  ==============================================================================
degrees       degree[]: values of the first phase
p             node_val[]: priorities, a permutation, values of the second phase
switch        start of the second phase (the paper's color[] ≠ color'[], thr and usrdef())
least         the first phase ends after a round that colors fewer vertices than this
============  ==============================================================================

After a round of degree labelling that colors no vertex, no later round would color any. Every policy therefore switches
at that point at the latest, and rounds end.

If degree labelling colors v in round k, a path of k − 1 vertices of decreasing degrees leads to v. Its color is thus at
most the number of distinct degrees over d(v), hence at most Δ − d(v). Welsh and Powell's bound B = max min(dᵢ + 1, i)
over the i-th largest degrees dᵢ holds for first-fit. With one color per round, the first phase takes fewer than 2B
colors, and more than B on a path of decreasing degrees.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithm 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base import device as dev
from ...base.errors import OptionError
from ...base.log import Log
from ...base.options import is_whole
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .local_maxima import PAPER, CheRounds, log_rounds, random_labelling

NONE_COLORED, BELOW = "none_colored", "below:"
NO_END = 2**31 - 1  # rounds; degree labelling takes at most one per distinct degree


@dataclass(frozen=True)
class RoundStatistics:
    """Statistics of a round of degree labelling, passed to a function that decides when to switch.

    Attributes
    ----------
    round : int
        Number of the round, from 1 on.
    active, colored : int
        Number of uncolored vertices before the round, and of vertices that it colored.
    """

    round: int
    active: int
    colored: int
    _graph: Graph = field(repr=False)
    _colors: Any = field(repr=False)
    _n_colors: int = field(repr=False)

    @property
    def left(self) -> int:
        """Number of uncolored vertices after the round."""
        return self.active - self.colored

    @property
    def degrees(self) -> Any:
        """Degrees of the uncolored vertices after the round, int32, on the graph's device."""
        with dev.using(self._colors):  # later rounds use larger colors, so later calls return the same degrees
            return self._graph.degrees[(self._colors < 0) | (self._colors >= self._n_colors)]


Decide = Callable[[RoundStatistics], bool]
Switch = str | int | Decide


@coloring(
    "che_hybrid",
    style="kernel",
    paper=f"{PAPER} 3",
    bound="rounds",
    passes=True,
    order="random",
    seed=0,
    needs="p",
    options={
        "switch": "when random labelling begins: none_colored (default), a number of rounds, below:N "
        "(after a round that colors fewer than N vertices), or a function of RoundStatistics",
    },
)
def che_hybrid(G: Graph, p: Priorities, log: Log, switch: Switch = NONE_COLORED) -> Any:
    """Local maxima of the degree take one color per round, then local maxima of random values."""
    state = CheRounds(G)
    first = degree_labelling(state, *policy(switch))
    degree_colors = state.n_colors
    second = random_labelling(state, p)
    log.notes |= {"degree_rounds": first, "degree_colors": degree_colors, "random_rounds": second}
    log_rounds(log, G, state.colors, [("degree", first), ("random", second)])
    return state.colors


def policy(switch: Any) -> tuple[int, int, Decide | None]:
    """Maximum number of rounds, minimum number of vertices that a round must color, and the user's function."""
    if callable(switch):
        return NO_END, 1, switch
    if isinstance(switch, str) and switch == NONE_COLORED:
        return NO_END, 1, None
    if isinstance(switch, str) and switch.startswith(BELOW) and switch[len(BELOW) :].isdecimal():
        least = float(switch[len(BELOW) :])  # a float accepts any number of digits
        return NO_END, int(min(max(1, least), NO_END)), None
    if is_whole(switch) and switch >= 0:
        return min(int(switch), NO_END), 1, None
    raise OptionError(
        f"switch must be {NONE_COLORED!r}, a number of rounds from 0 on, '{BELOW}N' to switch after a round that "
        f"colors fewer than N vertices, or a function of RoundStatistics, not {switch!r}"
    )


def degree_labelling(state: CheRounds, most: int, least: int, decide: Decide | None) -> int:
    """Run up to `most` rounds, until one colors fewer than `least` or `decide` returns True; return their number."""
    G, rounds = state.G, 0
    flag = G.xp.zeros(G.n, np.int32)
    while (active := state.left) and rounds < most:
        colored = state.advance(G.degrees, flag)
        rounds += 1
        if colored < least:
            break
        if decide and decide(RoundStatistics(rounds, active, colored, G, state.colors, state.n_colors)):
            break
    return rounds
