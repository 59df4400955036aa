"""The hybrid of Che et al.: degree labelling while it colors, then random labelling.

Degree labelling colors a vertex whose degree exceeds the degree of each uncolored neighbor. Hubs go first, and later
rounds have vertices of few and similar neighbors. One with an uncolored neighbor of its own degree has the paper's
duplicate flag. Neither of the two can be colored before the other, so the flag, once set, is there to stay, and a
vertex that waits for a flagged one waits in vain too, until random labelling.

============  ==============================================================================
degrees       degree[]: values of the first phase
p             node_val[]: priorities, a permutation, values of the second
switch        when the second begins (the paper's color[] ≠ color'[], thr and usrdef())
least         a round of the first phase that colors fewer is its last
============  ==============================================================================

A round that colors no vertex gives no color, and none of degree labelling after it would color any: so every
policy switches then at the latest, and rounds end.

k − 1 vertices of falling degrees lead to a vertex v that degree labelling colors in round k, so its color is at most
the number of distinct degrees over d(v), hence at most Δ − d(v). Welsh and Powell's bound B = max min(dᵢ + 1, i)
over the i-th largest degrees dᵢ holds for first-fit; with one color per round it holds up to a factor only: the first
phase takes fewer than 2B colors, and a path of falling degrees shows that it may take more than B.

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
NO_END = 2**31 - 1  # rounds: degree labelling takes no more than there are degrees


@dataclass(frozen=True)
class RoundStatistics:
    """The statistics of a round of degree labelling, for a function that decides when to switch.

    Attributes
    ----------
    round : int
        From 1 on.
    active, colored : int
        Vertices without a color before the round, and those that it colored.
    """

    round: int
    active: int
    colored: int
    _graph: Graph = field(repr=False)
    _colors: Any = field(repr=False)
    _n_colors: int = field(repr=False)

    @property
    def left(self) -> int:
        """Vertices without a color after the round."""
        return self.active - self.colored

    @property
    def degrees(self) -> Any:
        """Degrees of the vertices without a color after the round, int32, on the graph's device."""
        with dev.using(self._colors):  # colors of later rounds are greater, so that later calls tell the same
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
        "switch": "when random labelling takes over: none_colored (default), a number of rounds, below:N "
        "(after a round that colors fewer than N), or a function of a round's RoundStatistics",
    },
)
def che_hybrid(G: Graph, p: Priorities, log: Log, switch: Switch = NONE_COLORED) -> Any:
    """Local maxima of the degrees take one color per round, then local maxima of random values."""
    state = CheRounds(G)
    first = degree_labelling(state, *policy(switch))
    degree_colors = state.n_colors
    second = random_labelling(state, p)
    log.notes |= {"degree_rounds": first, "degree_colors": degree_colors, "random_rounds": second}
    log_rounds(log, G, state.colors, [("degree", first), ("random", second)])
    return state.colors


def policy(switch: Any) -> tuple[int, int, Decide | None]:
    """Rounds of degree labelling at most, what each must color to go on, and who decides else."""
    if callable(switch):
        return NO_END, 1, switch
    if isinstance(switch, str) and switch == NONE_COLORED:
        return NO_END, 1, None
    if isinstance(switch, str) and switch.startswith(BELOW) and switch[len(BELOW) :].isdecimal():
        least = float(switch[len(BELOW) :])  # of as many digits as there are
        return NO_END, int(min(max(1, least), NO_END)), None
    if is_whole(switch) and switch >= 0:
        return min(int(switch), NO_END), 1, None
    raise OptionError(
        f"switch must be {NONE_COLORED!r}, a number of rounds from 0 on, '{BELOW}N' with N the vertices that a "
        f"round must color to be followed by another, or a function of RoundStatistics, not {switch!r}"
    )


def degree_labelling(state: CheRounds, most: int, least: int, decide: Decide | None) -> int:
    """Up to `most` rounds, until one colors fewer than `least`, or `decide` says so; how many."""
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
