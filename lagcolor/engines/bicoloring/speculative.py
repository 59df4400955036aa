"""Acyclic bicolorings on a GPU: the rounds of acyclic coloring, of the bipartite graph of rows and columns.

Neutral rows and columns, and colors of their own for both sides, are as in first_fit.py. What a round is:
engines/acyclic/speculative.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...core.bipartite import Augmented
from ...core.registry import coloring
from ...core.result import Log
from ...orders import Priorities
from ..acyclic.cuda import speculative_acyclic
from .first_fit import ROW, bicoloring


@coloring(
    "speculative",
    problem="acyclic_bicoloring",
    paper="rounds after Gebremedhin et al. 2007, Algorithm 5.1; Montoison et al. 2025",
    bound="rows + columns",
    **ROW | {"engines": ("cuda",), "oracle": None, "order": "smallest_log_last"},
)
def speculative(G: Augmented, p: Priorities, log: Log, postprocess: bool = True, cover: bool = True) -> Any:
    """Acyclic bicoloring: the least color of a side that closes no cycle, of many rows and columns at once."""
    return bicoloring(partial(speculative_acyclic, log=log), G, p, log, postprocess, cover)
