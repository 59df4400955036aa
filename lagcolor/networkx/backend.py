"""The object that NetworkX calls. Nothing heavy is imported before a function runs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import BackendGraph

# Nodes from which a call pays that has to convert its graph. Measured: docs/measurements/networkx.md.
FEWEST = {"greedy_color": 2000, "equitable_color": 100, "maximal_independent_set": 2000, "color": 5000}
# Of strategies that NetworkX takes longer for, and of all of them with interchange.
FEWEST_OF: Mapping[Any, int] = {"saturation_largest_first": 200, "DSATUR": 200, "independent_set": 100}
FEWEST_WITH_INTERCHANGE = 200
# Where the functions are, which have the names under which NetworkX dispatches them.
MODULES = {
    "greedy_color": "greedy",
    "equitable_color": "greedy",
    "is_coloring": "checks",
    "is_equitable": "checks",
    "maximal_independent_set": "independent_set",
    "color": "checks",
}


class Backend:
    """What the entry point `networkx.backends` gives; functions are named as NetworkX dispatches them."""

    @staticmethod
    def convert_from_nx(graph: Any, **_: Any) -> BackendGraph:
        """The graph converted. Attributes of nodes and edges stay behind: nothing here reads them."""
        from .graph import BackendGraph

        if getattr(graph, "_graph", None) is not None:  # a view: it is not notified of changes of its graph
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

    def __getattr__(self, name: str) -> Any:
        """A function that NetworkX dispatches, imported at first use."""
        if name not in MODULES:
            raise AttributeError(name)
        return getattr(importlib.import_module(f".{MODULES[name]}", __package__), name)


backend: Backend = Backend()


def _argument(args: tuple[Any, ...], kwargs: Mapping[str, Any], at: int, name: str, default: Any = None) -> Any:
    return args[at] if len(args) > at else kwargs.get(name, default)


def _is_converted(G: Any) -> bool:
    """Whether NetworkX keeps the converted graph."""
    kept = getattr(G, "__networkx_cache__", None) or {}
    return bool(kept.get("backends", {}).get("lagcolor"))
