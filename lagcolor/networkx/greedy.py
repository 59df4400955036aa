"""greedy_color and equitable_color. A strategy is a sequence of nodes for first-fit; DSATUR has an engine.

NetworkX's strategies break ties in this way:

========================  ============================================================================================
largest_first             node order (a stable sort by degree)
saturation_largest_first  degree, then node order
random_sequential         Python's `random` shuffles the nodes
connected_sequential_*    components by their first node; each from the first node of its set; neighbors as stored
smallest_last             the first node of a set; here lagcolor's order of this name
independent_set           the first node of least degree in a set; here the first in node order
========================  ============================================================================================

In NetworkX's degrees, each parallel edge counts, and self-loops count twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.coloring import greedy_coloring as theirs

from ..api.balance import equitable
from ..api.color import color
from ..api.verify import verify
from ..base.errors import OptionError
from ..base.options import is_whole
from ..engines.exact.dsatur import ENDLESS, color_all
from ..engines.greedy.interchange import with_interchange
from ..graph.components import breadth_first
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..orders.independent_sets import independent_sets
from ..orders.traversals import depth_first
from .graph import BackendGraph


def greedy_color(G: BackendGraph, strategy: Any = "largest_first", interchange: bool = False) -> dict[Any, int]:
    """NetworkX's `greedy_color`."""
    if len(G) == 0:  # NetworkX does not check the strategy of an empty graph
        return {}
    strategy = theirs.STRATEGIES.get(strategy, strategy)
    if not callable(strategy):
        raise nx.NetworkXError(f"strategy must be callable or a valid string. {strategy} not valid.")
    if interchange and strategy in _NO_INTERCHANGE:
        raise nx.NetworkXPointlessConcept(f"interchange cannot be used with {_NO_INTERCHANGE[strategy]}")
    if strategy is theirs.strategy_saturation_largest_first:
        return _dsatur(G)
    if strategy not in _SEQUENCES:
        return nx.greedy_color.orig_func(G.to_networkx(), strategy, interchange)
    sequence = _SEQUENCES[strategy](G)
    if interchange:
        colors = with_interchange(*unsigned(G.graph), sequence.view(np.uint32), G.graph.max_degree)
        verify(G.graph, colors)
        return G.by_node(colors)
    earlier = np.empty(len(G), np.int32)
    earlier[sequence] = np.arange(len(G), 0, -1, dtype=np.int32)
    return G.by_node(color(G.graph, order=earlier).colors, sequence)


def _dsatur(G: BackendGraph) -> dict[Any, int]:
    """Colors of DSATUR with ties by degree, by node, in the order of coloring."""
    ties = Priorities.of(G.graph, G.degree).sequence.view(np.uint32)
    colors, slots, _ = color_all(*unsigned(G.graph), ties, ENDLESS)
    verify(G.graph, colors)
    sequence = np.empty(len(G), np.int32)
    sequence[slots.astype(np.uint32)] = np.arange(len(G), dtype=np.int32)
    return G.by_node(colors, sequence)


def _largest_first(G: BackendGraph) -> np.ndarray:
    return np.argsort(-G.degree, kind="stable").astype(np.int32)


def _random_sequential(G: BackendGraph) -> np.ndarray:
    nodes = list(range(len(G)))
    nx.utils.create_py_random_state(None).shuffle(nodes)
    return np.array(nodes, np.int32)


def _connected(G: BackendGraph, traverse: Callable[[Any, Any, Any], tuple[Any, Any]] = breadth_first) -> np.ndarray:
    """Nodes, component by component, in a traversal from NetworkX's first node."""
    indptr, indices = G.indptr, G.indices
    found, starts = breadth_first(indptr, indices, np.arange(len(G), dtype=np.int32))
    roots = found[starts]
    nodes, bounds = found.tolist(), [*starts.tolist(), len(G)]
    for i, (begin, end) in enumerate(itertools.pairwise(bounds)):
        if end - begin == 1:
            continue
        # The order of a set depends on its insertions: NetworkX inserts in the order of this traversal.
        component: set[Any] = set()
        for v in nodes[begin:end]:
            component.add(v if G.graph.labels is None else G.nodes[v])
        first = next(iter(component))
        roots[i] = first if G.graph.labels is None else G.number[first]
    return traverse(indptr, indices, roots)[0]


_SEQUENCES: dict[Any, Callable[[BackendGraph], np.ndarray]] = {
    theirs.strategy_largest_first: _largest_first,
    theirs.strategy_random_sequential: _random_sequential,
    theirs.strategy_smallest_last: lambda G: Priorities.of(G.graph, "smallest_last").sequence,
    theirs.strategy_independent_set: lambda G: independent_sets(G.graph, None),
    theirs.strategy_connected_sequential: _connected,
    theirs.strategy_connected_sequential_bfs: _connected,
    theirs.strategy_connected_sequential_dfs: lambda G: _connected(G, depth_first),
}
_NO_INTERCHANGE = {
    theirs.strategy_independent_set: "independent_set",
    theirs.strategy_saturation_largest_first: "saturation_largest_first",
}


def equitable_color(G: BackendGraph, num_colors: int) -> dict[Any, int]:
    """NetworkX's `equitable_color` by `lagcolor.equitable`: class sizes differ by at most 1."""
    if not is_whole(num_colors):
        raise OptionError(f"num_colors must be a whole number, not {num_colors!r}")
    most = int(G.degree.max(initial=0))
    if most >= num_colors:
        raise nx.NetworkXAlgorithmError(
            f"Graph has maximum degree {most}, needs {most + 1} (> {num_colors}) colors for guaranteed coloring."
        )
    if G.has_loops:
        raise NotImplementedError("a node that is its own neighbor has no proper color")
    return G.by_node(equitable(G.graph, num_colors).colors)
