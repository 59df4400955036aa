"""Speculative first-fit by vertices (Deveci et al. 2016, VB and VBBIT): color at once, then repair conflicts.

A round gives every listed vertex the least color that it sees on none of its neighbors; neighbors that choose at the
same time may choose the same color. `speculative_vb` marks the colors seen in an array FORBIDDEN of fixed size,
`speculative_vbbit` in bits. If every color of the range is taken, the row is read again for the next range.

Differences from the paper, which all save reads:

- On a GPU a vertex detects its conflict and chooses its new color in one pass, without a separate detection phase.
- Two neighbors conflict in the first round only if neither saw the color of the other. The later one then saw an
  uncolored neighbor *before* it. Only such vertices are checked; on a CPU this holds in each round.
- The vertices of a warp choose in eight turns by a hash of the id. Otherwise adjacent vertices of a mesh would all
  choose color 0 at once.
- Vertices of high degree choose first, each by a warp or a block. If k rivals are in conflict, all would choose the
  same color again. So a vertex with r preferred rivals skips (r − 1) / 2 free colors, at most 32, and a clique takes
  few rounds. The final colors are renumbered without gaps.

==========  ======================================================================================
before      total order that the first round roughly follows; the later of two vertices in conflict moves
keeps       in other rounds the vertex of larger hash keeps its color (CPU: the earlier vertex)
following   list of the next round: vertices that may conflict, or have moved (CPU: have lost their color)
==========  ======================================================================================

Proper: a vertex that moves avoids all vertices that stay. So all conflicts after a round are between two vertices that
moved in it, and both are checked again. Progress: after the first round, the most preferred listed vertex does not move
(CPU: keeps its color), so lists shrink. At most degree + 1 colors: a vertex skips no more colors than rivals that share
a color.

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
