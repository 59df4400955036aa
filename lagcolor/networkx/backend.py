"""The object that NetworkX calls. Nothing heavy is imported before a function runs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import BackendGraph

# Number of nodes from which a call with a conversion takes less time; docs/how_to/networkx.md lists these numbers.
FEWEST = {"greedy_color": 2000, "equitable_color": 100, "maximal_independent_set": 2000, "color": 5000}
# The same limit for strategies on which NetworkX is slower, and for all strategies with interchange.
FEWEST_OF: Mapping[Any, int] = {"saturation_largest_first": 200, "DSATUR": 200, "independent_set": 100}
FEWEST_WITH_INTERCHANGE = 200
# Function, by the name under which NetworkX dispatches it → module.
MODULES = {
    "greedy_color": "greedy",
    "equitable_color": "greedy",
    "is_coloring": "checks",
    "is_equitable": "checks",
    "maximal_independent_set": "independent_set",
    "color": "checks",
}


class Backend:
    """The object of the entry point `networkx.backends`, with a function for each name that NetworkX dispatches."""

    @staticmethod
    def convert_from_nx(graph: Any, **_: Any) -> BackendGraph:
        """Convert a graph, without the attributes of nodes and edges, which no function here reads."""
        from .graph import BackendGraph

        if getattr(graph, "_graph", None) is not None:  # a view does not notice changes of its graph
            graph.__networkx_cache__ = None
        return graph if isinstance(graph, BackendGraph) else BackendGraph.of(graph)

    @staticmethod
    def convert_to_nx(result: Any, **_: Any) -> Any:
        """Convert a graph to a NetworkX graph; other results are unchanged."""
        if getattr(result, "__networkx_backend__", None) == "lagcolor":
            return result.to_networkx()
        return result

    @staticmethod
    def can_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or the reason why the backend cannot run the call."""
        if _argument(args, kwargs, 0, "G").is_directed():
            return "lagcolor colors undirected graphs"
        if name == "maximal_independent_set" and sys.implementation.name != "cpython":
            return "the set of a seed depends on how CPython iterates over sets"
        return True

    @staticmethod
    def should_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or the reason why NetworkX takes less time."""
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
        return True if len(G) >= fewest else f"conversion takes less time than it saves from {fewest} nodes on"

    def __getattr__(self, name: str) -> Any:
        """A function that NetworkX dispatches, imported at first use."""
        if name not in MODULES:
            raise AttributeError(name)
        return getattr(importlib.import_module(f".{MODULES[name]}", __package__), name)


backend: Backend = Backend()


def _argument(args: tuple[Any, ...], kwargs: Mapping[str, Any], at: int, name: str, default: Any = None) -> Any:
    return args[at] if len(args) > at else kwargs.get(name, default)


def _is_converted(G: Any) -> bool:
    """Whether NetworkX has the converted graph in its cache."""
    cache = getattr(G, "__networkx_cache__", None) or {}
    return bool(cache.get("backends", {}).get("lagcolor"))
