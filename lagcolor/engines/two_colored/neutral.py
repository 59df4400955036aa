"""Make colors neutral (−1) that no recovery needs.

An entry that is alone in its sum at only one end needs the color of its other end. An entry that is alone at both ends
needs either color, and one that is alone at neither end (in a two-colored tree that is not a star) needs both. So the
needed colors cover a graph of colors, whose edges are the pairs that need one of their colors. For a bicoloring this
graph is bipartite, and a largest matching gives a smallest cover. For a symmetric matrix it is any graph: the color
with the most uncovered pairs is chosen repeatedly; then colors are dropped whose pairs all have another chosen color.

References
----------
Montoison, Dalle, Gebremedhin 2025, "Revisiting sparse matrix coloring and bicoloring", post-processing; Kőnig 1931,
"Gráfok és mátrixok".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from ...base import device as dev
from ...base.device import extremes
from ...graph.graph import Graph
from .direct import choices


def without_unneeded(G: Graph, colors: Any, rows: int = 0, diagonal: Any = None) -> Any:
    """Return the coloring with −1 for colors that no entry needs, and other colors renumbered 0 … k−1 in order."""
    k = extremes.largest(colors) + 1
    needed = np.zeros(k, bool)
    if diagonal is not None:
        needed[dev.to_device(colors, "cpu")[dev.to_device(diagonal, "cpu")]] = True
        if needed.all():
            return colors
    pairs = choices(G, colors, needed)
    a, b = np.divmod(pairs, max(k, 1))
    needed[_bipartite_cover(a, b, k) if rows else _cover(a, b, k)] = True
    if needed.all():
        return colors
    names = np.append(np.where(needed, np.cumsum(needed) - 1, -1), -1).astype(np.int32)
    return G.xp.asarray(names)[colors]


def _bipartite_cover(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    """Return a smallest set (int64) with an end of each pair, if possible from b."""
    graph = csr_array((np.ones(len(a), np.int8), (a, b)), shape=(k, k))
    to = maximum_bipartite_matching(graph, perm_type="row")  # partner in a of each b
    # Kőnig: follow alternating paths from vertices of b without a partner. The cover has a on paths and b off paths.
    reached = np.zeros(k, bool)
    reached[b] = True
    reached &= to < 0
    left = np.zeros(k, bool)
    partner = np.full(k, -1)
    partner[to[to >= 0]] = np.flatnonzero(to >= 0)
    while True:
        new = np.unique(a[reached[b]])
        new = new[~left[new]]
        if not len(new):
            break
        left[new] = True
        reached[partner[new]] = True
    right = np.zeros(k, bool)
    right[b] = True
    return np.flatnonzero(left | (right & ~reached))


def _cover(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    """Return a minimal set (int64) with an end of each pair.

    Choose the number in most pairs first, the least in ties. Then drop numbers that later ones made needless, in order.
    """
    chosen = np.zeros(k, bool)
    every, order = (a, b), []
    while len(a):
        c = int(np.argmax(np.bincount(a, minlength=k) + np.bincount(b, minlength=k)))
        chosen[c] = True
        order.append(c)
        off = (a != c) & (b != c)
        a, b = a[off], b[off]
    a, b = every
    for c in order:
        chosen[c] = not (chosen[b[a == c]].all() and chosen[a[b == c]].all())
    return np.flatnonzero(chosen)
