"""Colors that no recovery needs become neutral (−1).

An entry that is alone in its sum at one end only needs the color of its other end. One that is alone at both ends needs
either color, and one that is alone at neither (in a two-colored tree that is no star) needs both. So the colors that
are kept cover a graph of colors, whose edges are the pairs that need one of their colors. Of a bicoloring that graph is
bipartite, and a smallest cover comes from a largest matching. Of a symmetric matrix it is any graph: the color with the
most pairs left is kept, again and again, and then those go whose pairs all have another color that is kept.

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
    """The coloring with −1 for colors that no entry needs, and the others renamed 0 … k−1 in the same order."""
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
    """A smallest set with an end of each pair, of b rather than of a: numbers, int64."""
    graph = csr_array((np.ones(len(a), np.int8), (a, b)), shape=(k, k))
    to = maximum_bipartite_matching(graph, perm_type="row")  # of each b: its a
    # Kőnig: alternating paths from vertices of b without a partner; a on them is in the cover, b off them.
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
    beside = np.zeros(k, bool)
    beside[b] = True
    return np.flatnonzero(left | (beside & ~reached))


def _cover(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    """A minimal set with an end of each pair: numbers, int64.

    The number in the most pairs comes first, the least of several. What later ones made needless goes, first in first.
    """
    kept = np.zeros(k, bool)
    every, order = (a, b), []
    while len(a):
        c = int(np.argmax(np.bincount(a, minlength=k) + np.bincount(b, minlength=k)))
        kept[c] = True
        order.append(c)
        off = (a != c) & (b != c)
        a, b = a[off], b[off]
    a, b = every
    for c in order:
        kept[c] = not (kept[b[a == c]].all() and kept[a[b == c]].all())
    return np.flatnonzero(kept)
