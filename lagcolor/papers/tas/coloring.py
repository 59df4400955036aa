"""Optimistic partial distance-2 coloring by vertices and by nets, with balanced classes (Taş, Kaya, Saule 2017).

A round colors, without regard to what other threads do meanwhile, and then takes colors away where two vertices of a
net have the same. Either half may go by vertices, over the nets of each (O(Σ |net|²) in all), or by nets (O(Σ |net|)),
which does not look at the other nets of a vertex, and so leaves more to the next round. Rounds of nets pay while most
vertices have no color.

=======  ==============================================================================
variant  rounds that color by nets, and rounds that look for conflicts by nets
=======  ==============================================================================
V-V      0, 0: as ColPack's parallel code
V-N1     0, 1
V-N2     0, 2
N1-N2    1, 2
N2-N2    2, 2
=======  ==============================================================================

By nets, a net hands its vertices without a color, and those whose color it has seen before, the colors |net| − 1, … 0
that it has not seen (reverse first-fit): no more than the largest net has to have. By vertices, each takes the least
color that none in its nets has; `heuristic` chooses another, from what a thread knows by itself:

- B1: vertices of even id take the largest color that is free up to the largest the thread has given; vertices of odd
  id, the least;
- B2: the least that is free from where the vertex before left off, then from 0; the next begins one further, but in
  the lower third of the colors.

One thread finds conflicts only where colors were given by nets. Proper: a color is kept only where, by one of the two
ways, no other vertex of a net with a smaller id (of a net: that came before) has it, when no color is being given.
Progress: rounds by nets are few; in the others the vertex of least id always keeps its color.

Taken from where: the variants, their names and the four loops from ColPack's code for partial distance 2, whose
comments cite the paper's Algorithms (net-based ones as Algorithm 8), and from its abstract. The text of the paper was
not at hand. So B1 and B2 have its idea, two heuristics that cost no pass of their own, but were not compared with its
pseudocode, and the table of variants leaves out variants whose rounds all look for conflicts by nets.

References
----------
Taş, Kaya, Saule 2017, "Greed is good: parallel algorithms for bipartite-graph partial coloring on multicore
architectures", ICPP; ColPack, BGPC_OMP_SpeculativeIterative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.log import Log
from ...core.nets import Nets
from ...core.options import choice
from ...core.pattern import unsigned
from ...core.registry import coloring
from ...device import threads as cpu_threads
from ...device.pool import launch
from ...engines.worklists import without_gaps
from ...orders import Priorities
from . import loops

VARIANTS = {"V-V": (0, 0), "V-N1": (0, 1), "V-N2": (0, 2), "N1-N2": (1, 2), "N2-N2": (2, 2)}
BALANCE: dict[str | None, Any] = {None: loops.FIRST_FIT, "B1": loops.B1, "B2": loops.B2}


@coloring(
    "tas",
    problem=("columns", "rows", "distance2"),
    style="kernel",
    paper="Taş, Kaya and Saule 2017",
    engines=("cpu",),
    bound="first-fit",
    deterministic=False,
    reads_order=False,
    needs=None,
    options={
        "variant": "rounds by nets: V-V, V-N1, V-N2, N1-N2 or N2-N2; default: N1-N2",
        "heuristic": "B1 or B2: color classes of more even sizes; default: neither",
        "threads": "CPU threads, at most; default: one per core, or one for small graphs",
    },
)
def tas(
    nets: Nets, p: Priorities, log: Log, variant: str = "N1-N2", heuristic: str | None = None,
    threads: int | None = None,
) -> np.ndarray:  # fmt: skip
    """Optimistic rounds that color by vertices or by nets, and then take conflicting colors away by either."""
    by_nets, removals = VARIANTS[choice("variant", variant, tuple(VARIANTS))]
    choose = BALANCE[choice("heuristic", heuristic, ("B1", "B2"), none=True)]
    state, work, done = _State(nets, cpu_threads.count(threads, nets.m)), np.arange(nets.n, dtype=np.uint32), 0
    while len(work):
        if done < by_nets:
            state.color_by_nets()
        else:
            state.color_by_vertices(work, choose)
        before = len(work)
        work = state.conflicts_by_nets() if done < removals else state.conflicts_by_vertices(work)
        done += 1
        log.round(active=before, colored=before - len(work), conflicts=len(work))
    return without_gaps(state.colors)


class _State:
    """The arrays of a run, and its threads."""

    def __init__(self, nets: Nets, workers: int) -> None:
        self.hops = of_vertices, members, _ = unsigned(nets.of_vertices), unsigned(nets.members), nets.closed
        self.workers, self.n_nets = workers, nets.of_vertices.columns
        self.colors = np.full(nets.n, -1, np.int32)
        self.largest = nets.largest_net
        self.room = max(int(loops.most_near(*of_vertices, members[0], nets.closed)), self.largest) + 1

    def color_by_vertices(self, work: np.ndarray, choose: int) -> None:
        """Give each of `work` a color that none in its nets is seen to have."""
        self._share(loops.color_vertices_on_all, len(work), work, self.hops, self.colors, self.room, choose)

    def color_by_nets(self) -> None:
        """Give vertices without a color, or with one that a net has twice, colors in the sight of one net."""
        sizes = self.room, self.largest
        self._share(loops.color_nets_on_all, self.n_nets, self.n_nets, self.hops[1:], self.colors, *sizes)

    def conflicts_by_vertices(self, work: np.ndarray) -> np.ndarray:
        """The vertices of `work` that have a color of a vertex of smaller id in one of their nets; they lose it."""
        lost = np.zeros(len(work), np.bool_)
        self._share(loops.find_in_vertices_on_all, len(work), work, self.hops, self.colors, lost)
        self.colors[work[lost]] = -1
        return work[lost]

    def conflicts_by_nets(self) -> np.ndarray:
        """All vertices without a color, once each net has taken away those that it has seen before."""
        self._share(loops.clear_in_nets_on_all, self.n_nets, self.n_nets, self.hops[1:], self.colors, self.room)
        return np.flatnonzero(self.colors < 0).astype(np.uint32)

    def _share(self, loop: Callable[..., int], count: int, *args: Any) -> None:
        """Launch a loop, whose threads take chunks of 0 … count − 1."""
        workers = max(1, min(self.workers, -(-count // loops.CHUNK)))
        launch(loop, workers, cpu_threads.slots(1), *args)
