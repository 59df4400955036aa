"""Reduce the colors of a star coloring or bicoloring on a CPU: repeat first-fit, with vertices of high colors earlier.

After each first-fit, vertices with a color over the goal gain a random weight from one to two. The heaviest vertices
come first in the next one, ties in the order of ids.

Progress: the number of repetitions is limited.

References
----------
Joslin, Clements 1999, "'Squeaky wheel' optimization".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...graph.bipartite import Augmented
from ...graph.graph import Graph
from .cover import numbered
from .first_fit import star


def fewer_stars(
    G: Graph, colors: np.ndarray, turns: int, seed: int = 0, least: int = 1, goes_on: Callable[[], bool] = lambda: True
) -> np.ndarray:
    """Return star colors, at most as many as in `colors`; stop at `least` colors.

    `goes_on` is called before each of up to `turns` repetitions; the search ends if it returns False. In a bicoloring
    the colors of rows come first, and neutral vertices (−1) stay neutral.
    """
    random, weight = np.random.default_rng(seed), np.zeros(G.n)
    P = G.pattern if isinstance(G, Augmented) else None
    rows, neutral = (0, None) if P is None else (P.rows, colors < 0)
    colored = np.flatnonzero(colors >= 0).astype(np.int32)
    best, k = colors, int(colors.max(initial=-1)) + 1
    while turns > 0 and k > least and goes_on():
        weight += (colors >= k - 1) * (1 + random.random(G.n))
        each = weight[colored]
        heavy = np.flatnonzero(each)
        heavy = heavy[np.argsort(-each[heavy], kind="stable")]
        colors = star(G, np.concatenate([colored[heavy], colored[each == 0]]), rows, neutral)
        colors = colors if P is None else numbered(P, colors)
        if (found := int(colors.max(initial=-1)) + 1) < k:
            best, k = colors, found
        turns -= 1
    return best
