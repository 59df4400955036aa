"""Bicolorings by first-fit, or in rounds on a GPU: rows and columns are the vertices of their bipartite graph.

Rows and columns are colored in one order. During coloring rows have even colors and columns odd ones, so they share no
color: each vertex takes the least color of its kind that leaves a star (acyclic) coloring. Then colors are renumbered,
rows first, and colors that no entry needs become neutral. The paper colors the graph without this distinction, and
splits shared colors afterwards. That needs more colors (rectangular matrices, smallest last: star 1 %, acyclic 7 %
on average).

In an arrow matrix first-fit gives all rows one color, so that each column needs its own color. So rows and columns
that need no color are neutral from the start (`cover`): lp_dfl001, star: 11 colors, and 228 without.
A neutral vertex has no sum of its own color, so all of its neighbors must have different colors.

References
----------
Montoison, Dalle, Gebremedhin 2025, "Revisiting sparse matrix coloring and bicoloring"; Gebremedhin, Tarafdar, Manne,
Pothen 2007, Algorithms 4.1 and 5.1; Gebremedhin, Manne, Pothen 2005, section 5, for neutral vertices and covers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...base.log import Log
from ...base.options import flag
from ...graph.bipartite import Augmented
from ...orders import Priorities
from ...problems.registry import coloring
from .acyclic_cuda import speculative_acyclic
from .cover import neutral, numbered, others
from .first_fit import acyclic, star
from .neutral import without_unneeded
from .star_cuda import star_on_gpu

PAPER = "Montoison et al. 2025; Gebremedhin et al. 2007, Algorithm"
ROW: dict[str, Any] = {
    "style": "kernel",
    "engines": ("cpu", "cuda"),
    "oracle": "first_fit",
    "deterministic": True,
    "order": "smallest_last",
    "seed": None,
    "needs": "sequence",
    "options": {
        "postprocess": "make colors neutral that no entry needs, rows first; default: True",
        "cover": "color only rows and columns that cover all entries, with few dense ones; default: True",
    },
}


@coloring("first_fit", problem="star_bicoloring", paper=f"{PAPER} 4.1", bound="rows + columns", **ROW)
def star_bicoloring(G: Augmented, p: Priorities, log: Log, postprocess: bool = True, cover: bool = True) -> Any:
    """Star bicoloring: the least color that leaves a star coloring; rows and columns share no color."""
    return bicoloring(partial(star_on_gpu, log=log) if G.on_gpu else star, G, p, log, postprocess, cover)


@coloring(
    "first_fit", problem="acyclic_bicoloring", paper=f"{PAPER} 5.1", bound="rows + columns",
    **ROW | {"style": "sequential", "engines": ("cpu",)},
)  # fmt: skip
def acyclic_bicoloring(G: Augmented, p: Priorities, log: Log, postprocess: bool = True, cover: bool = True) -> Any:
    """Acyclic bicoloring: the least color that leaves an acyclic coloring; rows and columns share no color."""
    return bicoloring(acyclic, G, p, log, postprocess, cover)


@coloring(
    "speculative",
    problem="acyclic_bicoloring",
    paper="rounds after Gebremedhin et al. 2007, Algorithm 5.1; Montoison et al. 2025",
    bound="rows + columns",
    **ROW | {"engines": ("cuda",), "oracle": None, "order": "random"},
)
def speculative(G: Augmented, p: Priorities, log: Log, postprocess: bool = True, cover: bool = True) -> Any:
    """Acyclic bicoloring: many rows and columns at once take the least color of their side that closes no cycle."""
    return bicoloring(partial(speculative_acyclic, log=log), G, p, log, postprocess, cover)


def bicoloring(
    engine: Callable[..., Any], G: Augmented, p: Priorities, log: Log, postprocess: bool, cover: bool
) -> Any:
    """Return a bicoloring by an engine that gives rows even and columns odd colors."""
    postprocess, cover = flag("postprocess", postprocess), flag("cover", cover)
    P, xp = G.pattern, G.xp
    without = G._cached("neutral", lambda: neutral(P)) if cover else xp.zeros(G.n, bool)
    sequence = others(P, p.sequence, without)
    # Rows have even colors, and columns odd ones.
    colors = engine(G, sequence, P.rows, without) if P.rows else xp.where(without, np.int32(-1), np.int32(0))
    colors = numbered(P, colors)
    if not log.rounds:
        log.round(active=G.n, colored=len(sequence), conflicts=0)
    return without_unneeded(G, colors, P.rows) if postprocess else colors
