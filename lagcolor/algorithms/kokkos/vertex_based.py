"""Speculative first-fit, vertex by vertex (Deveci et al. 2016, VB and VBBIT): color at once, then mend what clashes.

A round colors every listed vertex with the least color that it sees none of its neighbors have; neighbors that
choose at the same time may choose the same. `speculative_vb` notes the colors seen in an array FORBIDDEN of fixed size,
`speculative_vbbit` in bits; where every color of the range is taken, the row is read again for the next range.

Departures from the paper, all to read less:

- On a GPU conflicts are detected by the vertex that mends them, in one pass with the choice of its new color, not in a
  phase of their own.
- Two neighbors can clash in the first round only if neither saw the other's color, and then the later of them saw
  a neighbor *before* it that had none. Only such vertices are looked at again; on a CPU in each round.
- A warp's vertices choose in eight turns by a hash of the id: neighbors that sit side by side in a mesh would
  otherwise all choose color 0 at once.
- Vertices of high degree choose first, each by a warp or a block. Of k rivals that clash with each other all would
  choose the same color again, so that a vertex with r preferred rivals passes over (r − 1) / 2 free colors, 32 at
  most: a clique then takes few rounds. Colors unused in the end are closed up.

==========  ======================================================================================
before      a total order that the first round roughly follows; of two that clash in it the later moves
keeps       in other rounds the one of larger hash keeps its color (CPU: the earlier one)
following   who must look again: vertices that may clash, or have moved (CPU: that have lost their color)
==========  ======================================================================================

Proper: after a round all conflicts are between two vertices that moved in it, for one that moves avoids all that
stay; both are looked at again. Progress: in each round but the first, of the listed vertices the most preferred
one does not move (CPU: keeps its color), so lists shrink. Never more than degree + 1 colors per vertex: a vertex passes
over colors only where its rivals share one.

References
----------
Deveci, Boman, Devine, Rajamanickam 2016, "Parallel graph coloring for manycore architectures", IPDPS
(VB and VBBIT).
Rokos, Gorman, Kelly 2015, "A fast and scalable graph coloring algorithm for multi-core and many-core
architectures", Euro-Par (detecting and mending in one pass).
"""

from __future__ import annotations

from typing import Any

from ...base.device import threads_for_graph
from ...base.log import Log
from ...engines.rounds.first_fit import speculate
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring

PAPER = "Deveci, Boman, Devine, Rajamanickam 2016"
ROW: dict[str, Any] = {
    "style": "kernel", "bound": "Δ+1", "deterministic": False, "needs": "sequence", "threaded": True,
}  # fmt: skip


@coloring("speculative_vb", paper=f"{PAPER}, VB", **ROW)
def speculative_vb(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit by vertices, with an array of forbidden colors."""
    return _color(G, p, log, threads, bits=False)


@coloring("speculative_vbbit", paper=f"{PAPER}, VBBIT", variant_of="speculative_vb", **ROW)
def speculative_vbbit(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Speculative first-fit by vertices, with bits for forbidden colors."""
    return _color(G, p, log, threads, bits=True)


def _color(G: Graph, p: Priorities, log: Log, threads: int | None, bits: bool) -> Any:
    return speculate(G, p, log, threads_for_graph(threads, G, log), bits)
