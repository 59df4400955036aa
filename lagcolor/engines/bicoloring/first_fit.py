"""Bicolorings by first-fit: rows and columns are colored as the vertices of their bipartite graph, in one order.

Rows have even colors and columns odd ones while they are colored, so that no color is of both: each vertex takes the
least color of its own kind that leaves a star (acyclic) coloring. Then colors of rows come first, and colors that no
entry needs become neutral. The paper colors the graph without this distinction, and parts colors that are of both
afterwards; with it there are fewer (rectangular matrices, smallest last, star 1 %, acyclic 7 % on average).

References
----------
Montoison, Dalle, Gebremedhin 2025, "Revisiting sparse matrix coloring and bicoloring"; Gebremedhin, Tarafdar, Manne,
Pothen 2007, Algorithms 4.1 and 5.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...augmented import Augmented
from ...orders import Priorities
from ...registry import coloring
from ...result import Log
from ..acyclic.first_fit import acyclic
from ..star.first_fit import star
from .neutral import without_unneeded

PAPER = "Montoison et al. 2025; Gebremedhin et al. 2007, Algorithm"
ROW: dict[str, Any] = {
    "style": "sequential",
    "engines": ("cpu",),
    "oracle": "first_fit",
    "deterministic": True,
    "order": "smallest_last",
    "seed": None,
    "needs": "sequence",
    "options": {"postprocess": "make colors neutral that no entry needs, those of rows first; default: True"},
}


@coloring("first_fit", problem="star_bicoloring", paper=f"{PAPER} 4.1", bound="rows + columns", **ROW)
def star_bicoloring(G: Augmented, p: Priorities, log: Log, postprocess: bool = True) -> np.ndarray:
    """Star bicoloring: the least color that keeps the colored part a star coloring, rows' and columns' apart."""
    return _bicoloring(star, G, p, log, postprocess)


@coloring("first_fit", problem="acyclic_bicoloring", paper=f"{PAPER} 5.1", bound="rows + columns", **ROW)
def acyclic_bicoloring(G: Augmented, p: Priorities, log: Log, postprocess: bool = True) -> np.ndarray:
    """Acyclic bicoloring: the least color that keeps the colored part acyclic, rows' and columns' apart."""
    return _bicoloring(acyclic, G, p, log, postprocess)


def _bicoloring(
    engine: Callable[..., np.ndarray], G: Augmented, p: Priorities, log: Log, postprocess: bool
) -> np.ndarray:
    rows = G.pattern.rows
    colors = engine(G, p.sequence, rows) >> 1 if rows else np.zeros(G.n, np.int32)
    colors[rows:] += colors[:rows].max(initial=-1) + 1
    log.round(active=G.n, colored=G.n, conflicts=0)
    return without_unneeded(G, colors, rows) if postprocess else colors
