"""The baseline of Che et al.: an independent set of local maxima of random values takes one color per round.

Rounds follow the paper: two loops over whole rows of uncolored vertices, and the host reads a count. On a GPU one
thread processes each vertex, so the row of a hub delays its round. This is the imbalance that the paper studies. `jpl`
colors the same sets in less time. On a CPU a list of the uncolored vertices replaces the test of all vertices.

=============  ===========================================================
p              node_val: priorities, a permutation, so without ties
colors         color, −1 while uncolored
=============  ===========================================================

A vertex is colored one round after the last of its larger neighbors. The number of colors is therefore the number of
vertices on the longest path of increasing priorities; Δ + 1 does not bound it. Every round colors at least the
uncolored vertex of greatest priority, so rounds end.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithms 1 to 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import njit
from ...base.log import Log
from ...engines.greedy.sequential import ONE32
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders import Priorities
from ...problems.registry import coloring

SOURCE = dev.Source(__file__)
PAPER = "Che, Rodgers, Beckmann, Reinhardt 2015, Algorithm"


@coloring(
    "che_baseline",
    style="kernel",
    paper=f"{PAPER} 1",
    bound="rounds",
    passes=True,
    order="random",
    seed=0,
    needs="p",
)
def che_baseline(G: Graph, p: Priorities, log: Log) -> Any:
    """Local maxima of random values take one color per round."""
    state = CheRounds(G)
    log_rounds(log, G, state.colors, [("random", random_labelling(state, p))])
    return state.colors


def random_labelling(state: CheRounds, p: Priorities) -> int:
    """Run rounds by the priorities `p` until all vertices have colors; return their number."""
    rounds = 0
    while state.left:
        state.advance(p.p)
        rounds += 1
    return rounds


class CheRounds:
    """The state between rounds, on the device of the graph."""

    def __init__(self, G: Graph) -> None:
        xp = G.xp
        self.G, self.left, self.n_colors = G, G.n, 0
        self.colors = xp.full(G.n, -1, np.int32)
        self.maxima = xp.empty(G.n, np.int32)
        self.active = np.arange(0 if G.on_gpu else G.n, dtype=np.uint32)  # without a color

    def advance(self, value: Any, flag: Any = None) -> int:
        """Run a round; return how many vertices it colored. `flag` (int32) marks vertices with an equal neighbor."""
        self._first_loop(value, flag)
        colored = self._second_loop(value, flag)
        self.left -= colored
        self.n_colors += colored > 0
        return colored

    def _first_loop(self, value: Any, flag: Any) -> None:
        G = self.G
        if G.on_gpu:
            args = (G.indptr, G.indices, value, self.colors, self.maxima, _or_null(flag), G.n)
            SOURCE.of(G.indptr).launch("che_maxima", G.n, *args)
        else:
            maxima(*unsigned(G), value, self.colors, self.active, self.maxima, flag)

    def _second_loop(self, value: Any, flag: Any) -> int:
        if self.G.on_gpu:
            colored = dev.cupy().zeros(1, np.int32)
            args = (value, self.colors, self.maxima, _or_null(flag), self.G.n, self.n_colors, colored)
            SOURCE.of(self.G.indptr).launch("che_assign", self.G.n, *args)
            return int(colored[0])
        number = assign(value, self.colors, self.active, self.maxima, flag, np.int32(self.n_colors))
        self.active = self.active[self.colors[self.active] < 0]
        return number


def _or_null(flag: Any) -> Any:
    return 0 if flag is None else flag


@njit(cache=True, nogil=True)
def maxima(indptr: Any, indices: Any, value: Any, colors: Any, active: Any, max_array: Any, flag: Any) -> Any:
    """First loop: greatest value around each vertex of `active`, and its flag; return the length of the longest row."""
    longest = np.int64(0)
    for i in active:
        greatest = np.int32(-1)
        duplicate = False
        for j in range(indptr[i], indptr[i + ONE32]):
            u = indices[j]
            if colors[u] < 0:
                duplicate |= value[u] == value[i]
                greatest = max(greatest, value[u])
        longest = max(longest, np.int64(indptr[i + ONE32]) - np.int64(indptr[i]))
        max_array[i] = greatest
        if flag is not None and duplicate:
            flag[i] = 1
    return longest


@njit(cache=True, nogil=True)
def assign(value: Any, colors: Any, active: Any, max_array: Any, flag: Any, k: Any) -> Any:
    """Second loop: color the local maxima; return their number."""
    colored = 0
    for i in active:
        if (flag is None or flag[i] == 0) and value[i] > max_array[i]:
            colors[i] = k
            colored += 1
    return colored


def log_rounds(log: Log, G: Graph, colors: Any, phases: list[tuple[str, int]]) -> None:
    """Log the rounds of each phase; each has a color, except that the last of the first phase may color no vertex."""
    if not log.trace:
        log.rounds = sum(rounds for _, rounds in phases)
        return
    host, degrees = dev.to_device(colors, "cpu"), dev.to_device(G.degrees, "cpu")
    sizes = np.bincount(host, minlength=1)
    ends = np.cumsum(sizes)
    largest = np.maximum.reduceat(degrees[np.argsort(host, kind="stable")], ends - sizes) if G.n else sizes
    sums = np.bincount(host, weights=degrees, minlength=1)
    # The vertices that are uncolored before a round are colored by it or by later rounds.
    active = np.cumsum(sizes[::-1])[::-1].tolist()
    most = np.maximum.accumulate(largest[::-1])[::-1].tolist()
    mean = (np.cumsum(sums[::-1])[::-1] / np.maximum(active, 1)).tolist()
    colored = sizes.tolist()
    names = [phase for phase, rounds in phases for _ in range(rounds)]
    empty = phases[0][1] - 1 if len(names) > len(colored) else -1
    c = 0
    for r, phase in enumerate(names):
        colors_any = r != empty
        log.round(
            active=active[c], colored=colored[c] if colors_any else 0, conflicts=0, color=c if colors_any else None,
            phase=phase, max_degree=most[c], mean_degree=mean[c], ms=None,
        )  # fmt: skip
        c += colors_any
