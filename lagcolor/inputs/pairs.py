"""Python's own containers: lists (or any iterable) of pairs, and dicts from vertices to their neighbors."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.errors import GraphError
from . import lists
from .ends import Ends

_PAIR = "a pair of vertices, (u, v)"


def from_container(x: Any, takes: str) -> Ends | None:
    """The edges of a mapping or of an iterable of pairs; None for anything else."""
    if isinstance(x, Mapping):
        return from_mapping(x)
    return from_pairs(x, takes) if isinstance(x, Iterable) and not isinstance(x, str | bytes | bytearray) else None


def from_mapping(x: Mapping[Any, Any]) -> Ends:
    """Vertex → its neighbors: a list, set, array or another mapping, whose keys count.

    An edge may be in the row of one end or of both, as in `networkx.Graph` of such a dict. Vertices are those
    of the keys, in their order, and then neighbors that are no keys.
    """
    nodes, rows = list(x), list(x.values())
    for i, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) != 1:
            remedy = "pass the keys, `list(x)`" if _is_pair(nodes[i]) else "put neighbors in a list"
            raise GraphError(
                f"a dict has the neighbors of each vertex, and the value of {nodes[i]!r} is {row!r}: {remedy}"
            )
        if not hasattr(row, "__len__"):
            rows[i] = list(row)
    u = itertools.chain.from_iterable(map(itertools.repeat, nodes, map(len, rows)))
    return replace(Ends.of(list(u), list(itertools.chain.from_iterable(rows))), nodes=nodes)


def from_pairs(x: Iterable[Any], takes: str) -> Ends:
    """Edges, each a tuple or list of two; a tuple of three is an edge with a weight or NetworkX's attributes."""
    edges = x if isinstance(x, list | tuple) else list(x)
    kinds = set(map(type, edges))
    bad = {kind for kind in kinds if not issubclass(kind, tuple | list | np.ndarray)}
    if bad:
        at = next(i for i, e in enumerate(edges) if type(e) in bad)
        if not isinstance(edges[at], Iterable) or isinstance(edges[at], str | bytes | Mapping):
            raise _no_pair(x, edges, at, takes)
        edges = [tuple(e) if type(e) in bad else e for e in edges]
    sizes = set(map(len, edges))
    if sizes <= {2}:
        flat = list(itertools.chain.from_iterable(edges))
        return Ends.of(flat[::2], flat[1::2])
    for i, e in enumerate(edges):
        if len(e) != 2 and not (len(e) == 3 and isinstance(e, tuple)):
            raise _no_pair(x, edges, i, takes)
    return Ends.of([e[0] for e in edges], [e[1] for e in edges])


def _no_pair(x: Any, edges: Sequence[Any], at: int, takes: str) -> GraphError:
    kind, e = f"{type(x).__module__}.{type(x).__qualname__}", edges[at]
    shown = repr(e) if len(repr(e)) <= 60 else repr(e)[:57] + "…"
    remedy = lists.rows(edges, takes.partition(" ")[0]) if edges is x else ""
    return GraphError(f"cannot read {kind}: element {at} is {shown}, not {_PAIR}{remedy}; {takes}")


def _is_pair(x: Any) -> bool:
    return isinstance(x, tuple) and len(x) == 2
