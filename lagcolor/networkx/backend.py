"""The object that NetworkX calls. Nothing heavy is imported before a function runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import BackendGraph

# Nodes from which a call pays that has to convert its graph. Measured: docs/networkx.md.
FEWEST = {"greedy_color": 2000, "equitable_color": 100, "maximal_independent_set": 2000, "color": 5000}
# Of strategies that NetworkX takes longer for, and of all of them with interchange.
FEWEST_OF: Mapping[Any, int] = {"saturation_largest_first": 200, "DSATUR": 200, "independent_set": 100}
FEWEST_WITH_INTERCHANGE = 200


class Backend:
    """What the entry point `networkx.backends` gives; functions are named as NetworkX dispatches them."""

    @staticmethod
    def convert_from_nx(graph: Any, **_: Any) -> BackendGraph:
        """The graph converted. Attributes of nodes and edges stay behind: nothing here reads them."""
        from .graph import BackendGraph

        if getattr(graph, "_graph", None) is not None:  # a view: nobody tells it of changes of its graph
            graph.__networkx_cache__ = None
        return graph if isinstance(graph, BackendGraph) else BackendGraph.of(graph)

    @staticmethod
    def convert_to_nx(result: Any, **_: Any) -> Any:
        """A graph as NetworkX has them; other results as they are."""
        if getattr(result, "__networkx_backend__", None) == "lagcolor":
            return result.to_networkx()
        return result

    @staticmethod
    def can_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or why not."""
        if _argument(args, kwargs, 0, "G").is_directed():
            return "lagcolor colors undirected graphs"
        if name == "maximal_independent_set" and sys.implementation.name != "cpython":
            return "the set of a seed depends on how CPython iterates over sets"
        return True

    @staticmethod
    def should_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or why NetworkX is the faster one."""
        G = _argument(args, kwargs, 0, "G")
        fewest = FEWEST.get(name)
        if name == "greedy_color":
            strategy = _argument(args, kwargs, 1, "strategy", "largest_first")
            if callable(strategy):
                return "strategy functions are NetworkX's, or the caller's own"
            if _argument(args, kwargs, 2, "interchange", False):
                fewest = FEWEST_WITH_INTERCHANGE
            elif isinstance(strategy, str):
                fewest = FEWEST_OF.get(strategy, fewest)
        if _is_converted(G):
            return True
        if fewest is None:
            return "converting the graph takes longer than the check"
        return True if len(G) >= fewest else f"conversion pays from {fewest} nodes on"

    @staticmethod
    def greedy_color(*args: Any, **kwargs: Any) -> Any:
        """As of NetworkX; see greedy.py."""
        from .greedy import greedy_color

        return greedy_color(*args, **kwargs)

    @staticmethod
    def equitable_color(*args: Any, **kwargs: Any) -> Any:
        """As of NetworkX; see equitable.py."""
        from .equitable import equitable_color

        return equitable_color(*args, **kwargs)

    @staticmethod
    def is_coloring(*args: Any, **kwargs: Any) -> Any:
        """As of NetworkX; see checks.py."""
        from .checks import is_coloring

        return is_coloring(*args, **kwargs)

    @staticmethod
    def is_equitable(*args: Any, **kwargs: Any) -> Any:
        """As of NetworkX; see checks.py."""
        from .checks import is_equitable

        return is_equitable(*args, **kwargs)

    @staticmethod
    def maximal_independent_set(*args: Any, **kwargs: Any) -> Any:
        """As of NetworkX; see independent_set.py."""
        from .independent_set import maximal_independent_set

        return maximal_independent_set(*args, **kwargs)

    @staticmethod
    def color(*args: Any, **kwargs: Any) -> Any:
        """NetworkX's `bipartite.color`; see checks.py."""
        from .checks import two_colors

        return two_colors(*args, **kwargs)


backend = Backend()


def _argument(args: tuple[Any, ...], kwargs: Mapping[str, Any], at: int, name: str, default: Any = None) -> Any:
    return args[at] if len(args) > at else kwargs.get(name, default)


def _is_converted(G: Any) -> bool:
    """Whether NetworkX keeps the converted graph."""
    kept = getattr(G, "__networkx_cache__", None) or {}
    return bool(kept.get("backends", {}).get("lagcolor"))
