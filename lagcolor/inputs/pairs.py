"""Python's own containers: lists (or any iterable) of pairs, and dicts from vertices to their neighbors."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.errors import GraphError
from . import lists
from .ends import Ends, are_integers

_PAIR = "a pair of vertices, (u, v)"


def from_container(x: Any, takes: str) -> Ends | None:
    """The edges of a mapping or of an iterable of pairs; None for anything else.

    A mapping that is a set as well has edges for its keys, as NetworkX's ``G.edges``.
    """
    if isinstance(x, Mapping) and not isinstance(x, AbstractSet):
        return from_mapping(x, takes)
    return from_pairs(x, takes) if isinstance(x, Iterable) and not isinstance(x, str | bytes | bytearray) else None


def from_mapping(x: Mapping[Any, Any], takes: str) -> Ends:
    """Vertex → its neighbors: a list, set, array or another mapping, whose keys count.

    An edge may be in the row of one end or of both, as in `networkx.Graph` of such a dict. Vertices are those
    of the keys, in their order, and then neighbors that are no keys.
    """
    nodes, rows = list(x), list(x.values())
    if {"nodes", "edges"} <= x.keys() or {"nodes", "links"} <= x.keys() or {"nodes", "adjacency"} <= x.keys():
        raise GraphError(lists.node_link(x))
    for i, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) != 1:
            remedy = "pass the keys, `list(x)`" if lists.is_pair(nodes[i]) else "put neighbors in a list"
            raise GraphError(
                f"a dict has the neighbors of each vertex, and the value of {nodes[i]!r} is {row!r}: {remedy}"
            )
        if isinstance(row, set | frozenset):
            rows[i] = in_order(row)
        elif not hasattr(row, "__len__"):
            rows[i] = list(row)
    if doubt := lists.no_neighbors(x, rows, takes.partition(" ")[0]):
        raise GraphError(doubt)
    u = itertools.chain.from_iterable(map(itertools.repeat, nodes, map(len, rows)))
    return replace(Ends.of(list(u), list(itertools.chain.from_iterable(rows))), nodes=nodes)


def from_pairs(x: Iterable[Any], takes: str) -> Ends:
    """Edges, each a tuple or list of two; a tuple of three is an edge with a weight or NetworkX's attributes."""
    elements = x if isinstance(x, list | tuple) else list(x)
    if isinstance(x, set | frozenset) and not _are_numbers(elements):
        elements = in_order(x)
    edges, kinds = elements, set(map(type, elements))
    bad = {kind for kind in kinds if not issubclass(kind, tuple | list | np.ndarray)}
    if bad:
        at = next(i for i, e in enumerate(edges) if type(e) in bad)
        if not isinstance(edges[at], Iterable) or isinstance(edges[at], str | bytes | Mapping):
            raise _no_pair(x, elements, at, takes)
        edges = [_in_tuple(e) if type(e) in bad else e for e in edges]
    sizes = set(map(len, edges))
    if sizes <= {2}:
        flat = list(itertools.chain.from_iterable(edges))
        found = Ends.of(flat[::2], flat[1::2])
    else:
        for i, e in enumerate(edges):
            with_data = len(e) == 3 and isinstance(e, tuple) and not isinstance(elements[i], set | frozenset)
            if len(e) != 2 and not with_data:
                raise _no_pair(x, elements, i, takes)
        found = Ends.of([e[0] for e in edges], [e[1] for e in edges])
    _no_neighbors(found, edges, sizes, takes)
    return found


def _no_neighbors(found: Ends, edges: Sequence[Any], sizes: set[int], takes: str) -> None:
    """Raise an error if an edge may be the neighbors of a vertex, or a vertex and its neighbors."""
    if isinstance(found.v, list):
        at = next((i for i, v in enumerate(found.v) if isinstance(v, Mapping)), None)
        if at is not None:
            raise GraphError(lists.row_as_end(edges[at], at))
    elif edges and not isinstance(found.u, list):
        function = takes.partition(" ")[0]
        thirds = [e[2] for e in edges if len(e) == 3] if sizes != {2} else []
        if len(sizes) == 2 and are_integers(thirds):
            raise GraphError(lists.neighbors_or_edges(function))
        if thirds and len(np.unique(found.u)) == len(edges) and lists.is_adjacency(edges):
            raise GraphError(lists.two_ends_or("a vertex and its neighbors", "{v: row for v, *row in x}", function))
        if len(thirds) == len(edges) == 3 and are_integers(thirds) and set(itertools.chain(*edges)) <= {0, 1}:
            raise GraphError(lists.two_ends_or("be a row of a matrix", "numpy.array(x, float)", function))
        if len(sizes) == 1 and (base := lists.first_of_neighbors(edges)) is not None:
            raise GraphError(lists.neighbors_or_edges(function, base))


def in_order(x: set[Any] | frozenset[Any]) -> list[Any]:
    """The elements of a set in an order that the hash seed of the process does not change; integers in any order."""
    elements = list(x)
    if len(elements) < 2 or are_integers(elements):
        return elements
    kinds = set(map(type, elements))
    if kinds == {tuple}:
        kinds = set(map(type, itertools.chain.from_iterable(elements)))
    return sorted(elements, key=None if kinds in ({str}, {int}) else _text)


def _are_numbers(edges: Sequence[Any]) -> bool:
    """Whether edges are tuples of integers, whose sequence changes nothing."""
    return set(map(type, edges)) == {tuple} and are_integers(list(itertools.chain.from_iterable(edges)))


def _text(x: Any) -> str:
    """A text of a name or an edge that is the same in every process."""
    if isinstance(x, set | frozenset):
        return f"{{{', '.join(sorted(map(_text, x)))}}}"
    return f"({', '.join(map(_text, x))})" if isinstance(x, tuple) else repr(x)


def _in_tuple(e: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(in_order(e)) if isinstance(e, set | frozenset) else tuple(e)


def _no_pair(x: Any, elements: Sequence[Any], at: int, takes: str) -> GraphError:
    kind, e = f"{type(x).__module__}.{type(x).__qualname__}", elements[at]
    shown = repr(e) if len(repr(e)) <= 60 else repr(e)[:57] + "…"
    remedy = lists.rows(elements, takes.partition(" ")[0]) if elements is x else ""
    return GraphError(f"cannot read {kind}: element {at} is {shown}, not {_PAIR}{remedy}; {takes}")
