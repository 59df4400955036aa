"""Edge colorings of rustworkx and gcol: python edge_colorings.py CODE EDGES.npz OUT.npy prints milliseconds.

The file has n, u and v. OUT gets the color of each edge. Making the graph object is not timed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def rustworkx(name: str, n: int, pairs: list[tuple[int, int]]) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """A call, and what makes colors in the order of the edges of its result."""
    import rustworkx as rx

    G = rx.PyGraph(multigraph=False)
    G.add_nodes_from(range(n))
    G.add_edges_from_no_data(pairs)
    call = {"greedy": rx.graph_greedy_edge_color, "misra-gries": rx.graph_misra_gries_edge_color}[name]
    return lambda: call(G), lambda found: [found[e] for e in range(len(pairs))]


def gcol(name: str, n: int, pairs: list[tuple[int, int]]) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Return a call of gcol with its default strategy, and a function to read its colors."""
    import gcol as library
    import networkx as nx

    G = nx.Graph(pairs)
    return lambda: library.edge_coloring(G), lambda found: [found[p] if p in found else found[p[::-1]] for p in pairs]


def main() -> None:
    """Color, write and print."""
    code, path, out = sys.argv[1:]
    data = np.load(path)
    library, _, name = code.partition(" ")
    pairs = list(zip(data["u"].tolist(), data["v"].tolist(), strict=True))
    call, colors = {"rustworkx": rustworkx, "gcol": gcol}[library](name, int(data["n"]), pairs)
    begun = time.perf_counter()
    found = call()
    print((time.perf_counter() - begun) * 1e3)
    np.save(out, np.array(colors(found), np.int32))


if __name__ == "__main__":
    main()
