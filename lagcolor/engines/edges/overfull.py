"""Connected parts with more edges than Δ colors can have: of 2 r + 1 vertices a class has at most r edges.

References
----------
Chetwynd, Hilton 1986, "Star multigraphs with three vertices of maximum degree" (overfull graphs).
"""

from __future__ import annotations

import numpy as np

from ...core.components import components
from ...core.graph import Graph
from ...core.nets import Nets


def graph_of(H: Nets) -> Graph:
    """The graph whose edges these are, without labels; a row of `members` has them in the order of the neighbors."""
    u, v = H.of_vertices.indices.reshape(-1, 2).T
    return Graph(H.members.indptr, (u ^ v)[H.members.indices] ^ H.members.rows_of_entries())


def overfull(H: Nets, G: Graph) -> np.ndarray:
    """The edges of the smallest such part, int64, rising; none where there is none. On the CPU."""
    count, part = components(G)
    vertices = np.bincount(part, minlength=count)
    entries = np.bincount(part, G.degrees, count).astype(np.int64)  # of each edge two
    over = np.flatnonzero(entries > 2 * G.max_degree * (vertices // 2))
    if not len(over):
        return np.empty(0, np.int64)
    smallest = over[entries[over].argmin()]
    return np.flatnonzero(part[H.of_vertices.indices[::2]] == smallest)
