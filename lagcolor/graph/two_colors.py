"""Two-colorings: union-find with parities, in one pass over the edges, which stops at the first odd cycle.

A link is ``2 · ancestor + parity`` in 32 bits; the parity is 1 if the vertex is on the other side than the ancestor.
The ends of each edge are on different sides. If they are in two trees, the larger root is hooked under the
smaller; if they are in one tree, their parities must differ. At the end the root of a tree is the smallest vertex of
its component, which gets color 0, for any schedule.

A breadth-first search would take as many rounds as the graph has levels: 2046 for a grid of 1024 × 1024.

References
----------
Union-find by index with halving of paths: Tarjan, van Leeuwen 1984; concurrent hooking: Jayanti, Tarjan 2016, and
Jaiganesh, Burtscher 2018 (ECL-CC).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import load
from .graph import Graph
from .pattern import unsigned

SOURCE = dev.Source(__file__, block=512)
EACH = 8  # entries per thread in two_colors.cu


def bipartite(G: Graph) -> Any | None:
    """Return a proper coloring with two colors, or None if the graph has an odd cycle."""
    if G.on_gpu:
        with dev.using(G.indices):
            return on_gpu(dev.cupy(), G)
    colors = np.empty(G.n, np.int32)
    return colors if load(".passes_cpu", __package__).sides(*unsigned(G), colors.view(np.uint32)) else None


def on_gpu(cp: Any, G: Graph) -> Any | None:
    """Return two colors by four launches (two_colors.cu), or None. The last launch reports an odd cycle to the host."""
    if G.m == 0:
        return cp.zeros(G.n, np.int32)
    run, n = SOURCE.of(G.indptr), np.int32(G.n)
    link, colors, odd = cp.empty(G.n, np.int32), cp.empty(G.n, np.int32), cp.empty(1, np.int32)
    run.launch("hang", G.n, G.indptr, G.indices, n, link, odd)
    run.launch("to_roots", G.n, n, link, odd, link, np.int32(-1), np.int64(0))
    run.launch("unite", -(-G.m // EACH), G.indptr, G.indices, n, np.int64(G.m), link, odd)
    return None if run.read("to_roots", G.n, n, link, odd, colors, np.int32(1), count=1)[0] else colors
