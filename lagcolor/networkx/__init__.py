"""A dispatch backend of NetworkX: calls of NetworkX's coloring functions run on lagcolor's engines.

NetworkX finds the backend by the entry points `networkx.backends` and `networkx.backend_info`. Its name is "lagcolor":
``nx.greedy_color(G, "DSATUR", backend="lagcolor")``, or ``nx.config.backend_priority = ["lagcolor"]`` for all calls.

==================  =================================================================================
info.py             the description of the backend; imported with NetworkX, so it imports nothing
backend.py          the object that NetworkX calls: conversion, can_run, should_run, the functions
graph.py            a NetworkX graph converted
greedy.py           greedy_color, equitable_color
independent_set.py  maximal_independent_set
checks.py           is_coloring, is_equitable, bipartite.color
==================  =================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import BackendGraph

__all__ = ["from_networkx"]


def from_networkx(G: Any) -> BackendGraph:
    """Convert a NetworkX graph once, for several calls of NetworkX functions.

    Parameters
    ----------
    G : networkx.Graph or networkx.MultiGraph
        An undirected graph.

    Returns
    -------
    BackendGraph
        NetworkX functions accept it as a graph, and run in this backend if the backend has them.

    Raises
    ------
    NotImplementedError
        The graph is directed.

    Examples
    --------
    >>> import networkx as nx
    >>> G = lagcolor.networkx.from_networkx(nx.petersen_graph())
    >>> colors = nx.greedy_color(G)  # by lagcolor, without another conversion
    >>> len(set(colors.values()))
    3
    """
    from .graph import BackendGraph

    return BackendGraph.of(G)
