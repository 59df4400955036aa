"""Python's own containers: lists (or any iterable) of pairs, and dicts from vertices to their neighbors.

A list or dict that can be read in two ways (edges, neighbors of vertices, rows of a matrix, or a table) is an error.
Its message has the code for each reading.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from numbers import Complex
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.errors import GraphError
from .ends import Ends, are_integers

_PAIR = "a pair of vertices, (u, v)"
IN_LISTS = "`{v: list(row) for v, row in x.items()}`"
IN_PAIRS = "`[(v, u) for v, row in x.items() for u in row]`"


def from_container(x: Any, takes: str) -> Ends | None:
    """Return the edges of a mapping or an iterable of pairs, such as NetworkX's ``G.edges``; None for others."""
    if isinstance(x, Mapping) and not isinstance(x, AbstractSet):
        return from_mapping(x, takes)
    return from_pairs(x, takes) if isinstance(x, Iterable) and not isinstance(x, str | bytes | bytearray) else None


def from_mapping(x: Mapping[Any, Any], takes: str) -> Ends:
    """Return the edges of a dict from vertices to neighbors: a list, set, array, or the keys of another mapping.

    An edge may be in the row of one end or of both, as in `networkx.Graph` of such a dict. The vertices are the keys in
    their order, and then the neighbors that are no keys.
    """
    nodes, rows = list(x), list(x.values())
    if {"nodes", "edges"} <= x.keys() or {"nodes", "links"} <= x.keys() or {"nodes", "adjacency"} <= x.keys():
        raise GraphError(node_link(x))
    for i, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) != 1:
            remedy = "pass the keys, `list(x)`" if is_pair(nodes[i]) else "put neighbors in a list"
            raise GraphError(
                f"a dict has the neighbors of each vertex, and the value of {nodes[i]!r} is {row!r}: {remedy}"
            )
        if isinstance(row, set | frozenset):
            rows[i] = in_order(row)
        elif not hasattr(row, "__len__"):
            rows[i] = list(row)
    if doubt := no_neighbors(x, rows, takes.partition(" ")[0]):
        raise GraphError(doubt)
    u = itertools.chain.from_iterable(map(itertools.repeat, nodes, map(len, rows)))
    return replace(Ends.of(list(u), list(itertools.chain.from_iterable(rows))), nodes=nodes)


def from_pairs(x: Iterable[Any], takes: str) -> Ends:
    """Return the edges of pairs; a tuple of three is an edge with a weight or NetworkX's attributes."""
    elements = x if isinstance(x, list | tuple) else list(x)
    if isinstance(x, set | frozenset) and not _are_numbers(elements):
        elements = in_order(x)
    edges, kinds = elements, set(map(type, elements))
    bad = {kind for kind in kinds if not issubclass(kind, tuple | list | np.ndarray)}
    if bad:
        at = next(i for i, e in enumerate(edges) if type(e) in bad)
        if not isinstance(edges[at], Iterable) or isinstance(edges[at], str | bytes | Mapping):
            raise _no_pair(x, elements, at, takes)
        edges = [tuple(in_order(e) if isinstance(e, set | frozenset) else e) if type(e) in bad else e for e in edges]
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
            raise GraphError(row_as_end(edges[at], at))
    elif edges and not isinstance(found.u, list):
        function = takes.partition(" ")[0]
        thirds = [e[2] for e in edges if len(e) == 3] if sizes != {2} else []
        if len(sizes) == 2 and are_integers(thirds):
            raise GraphError(neighbors_or_edges(function))
        if thirds and len(np.unique(found.u)) == len(edges) and is_adjacency(edges):
            raise GraphError(two_ends_or("a vertex and its neighbors", "{v: row for v, *row in x}", function))
        if len(thirds) == len(edges) == 3 and are_integers(thirds) and set(itertools.chain(*edges)) <= {0, 1}:
            raise GraphError(two_ends_or("be a row of a matrix", "numpy.array(x, float)", function))
        if len(sizes) == 1 and (base := first_of_neighbors(edges)) is not None:
            raise GraphError(neighbors_or_edges(function, base))


def in_order(x: set[Any] | frozenset[Any]) -> list[Any]:
    """Return the elements of a set in an order that does not depend on the hash seed; integers in any order."""
    elements = list(x)
    if len(elements) < 2 or are_integers(elements):
        return elements
    kinds = set(map(type, elements))
    if kinds == {tuple}:
        kinds = set(map(type, itertools.chain.from_iterable(elements)))
    return sorted(elements, key=None if kinds in ({str}, {int}) else _text)


def _are_numbers(edges: Sequence[Any]) -> bool:
    """Whether edges are tuples of integers, whose order has no effect."""
    return set(map(type, edges)) == {tuple} and are_integers(list(itertools.chain.from_iterable(edges)))


def _text(x: Any) -> str:
    """Return a text of a name or an edge that is the same in every process."""
    if isinstance(x, set | frozenset):
        return f"{{{', '.join(sorted(map(_text, x)))}}}"
    return f"({', '.join(map(_text, x))})" if isinstance(x, tuple) else repr(x)


def _no_pair(x: Any, elements: Sequence[Any], at: int, takes: str) -> GraphError:
    kind, e = f"{type(x).__module__}.{type(x).__qualname__}", elements[at]
    shown = repr(e) if len(repr(e)) <= 60 else repr(e)[:57] + "…"
    remedy = rows(elements, takes.partition(" ")[0]) if elements is x else ""
    return GraphError(f"cannot read {kind}: element {at} is {shown}, not {_PAIR}{remedy}; {takes}")


def two_lists(x: Sequence[Any], function: str) -> str:
    """Return the error about a list of two lists of one length; it has a call of `function` for each reading."""
    size, of_graph = len(x[0]), function == "Graph.of"
    edges = "edges" if of_graph else "entries"
    readings = [
        (size in (2, 3), f"two {edges}", "list(map(tuple, x))"),
        (True, "the two ends of each edge" if of_graph else "the row and the column of each entry", "tuple(x)"),
        (
            size not in (2, 3),
            "the neighbors of each vertex" if of_graph else "the columns of each row",
            "dict(enumerate(x))",
        ),
        (_numeric(x) and (size == 2 or not of_graph), "the rows of a matrix", "numpy.array(x, float)"),
    ]
    found = [f"{what}: `{function}({code})`" for fits, what, code in readings if fits]
    takes = (
        "; Graph.of takes a list of pairs, a pair of lists (u, v), and an edge index of shape (2, m)"
        if of_graph
        else ""
    )
    return f"a list of two lists of {size} has several readings, say which: {'; '.join(found)}{takes}"


def rows(x: Sequence[Any], function: str) -> str:
    """Return what to pass for a sequence whose elements are no pairs of vertices; "" if they are no sequences."""
    if not all(isinstance(row, (list, tuple, set, frozenset, np.ndarray)) for row in x):
        return ""
    what = "neighbors of each vertex" if function == "Graph.of" else "columns of each row"
    neighbors = f"if it has the {what}, pass `dict(enumerate(x))`"
    size = len(x[0])
    if any(isinstance(row, (set, frozenset)) or len(row) != size for row in x):
        return f"; {neighbors}"
    numbered = size == 3 and all(_is_vertex(e) or isinstance(e, str) for row in x for e in row[:2])
    numbered = numbered and all(row[0] != row[1] for row in x)
    edges = "; if it has two ends and a number in each row, pass `tuple(map(list, zip(*x)))[:2]`" * numbered
    if not _numeric(x):
        return f"{edges}; {neighbors}"
    square = len(x) == size
    vertices = all(_is_vertex(e) for row in x for e in row)
    repeated = vertices and any(len(set(row)) < size for row in x)  # rare in a list of neighbors
    if square and repeated:
        vertices = False
    matrix = square or repeated or not vertices or function == "Pattern.of"
    dense = f"if it has the rows of a matrix, pass `numpy.array(x){' != 0' * numbered}`"
    return edges + "".join(f"; {advice}" for fits, advice in ((matrix, dense), (vertices, neighbors)) if fits)


def first_of_neighbors(x: Any) -> int | None:
    """Return the number, 0 or 1, of the vertex whose neighbors the first row may be; None if each row is an edge.

    A row of neighbors contains numbers of other rows, and row j contains i if row i contains j. None if both readings
    are the same graph. `x` is an array or a list.
    """
    return next((base for base in (0, 1) if _seem_neighbors(x, base)), None)


def _seem_neighbors(x: Any, base: int) -> bool:
    """Whether rows may be the neighbors of vertices, as in `first_of_neighbors`, numbered from `base` on."""
    n, is_array = len(x), hasattr(x, "dtype")

    def row(i: int) -> list[Any]:
        return x[i].tolist() if is_array else list(x[i])

    first = row(0)
    # The first row rules out nearly all edge lists.
    if not are_integers(first) or not all(base <= j < n + base and base in row(int(j) - base) for j in first):
        return False
    a = x if is_array else np.array(list(map(list, x)))
    xp = dev.module_of(a)
    if a.dtype.kind not in "iu" or int(a.min()) < base or int(a.max()) >= n + base:
        return False
    k = len(first)
    i, j = xp.repeat(xp.arange(n), k), a.ravel().astype(np.int64) - base
    if bool((xp.bincount(j, minlength=n) != k).any()):
        return False
    there, mirrored = xp.sort(i * n + j), xp.sort(j * n + i)
    if bool((i == j).any() | (there[1:] == there[:-1]).any() | (there != mirrored).any()):
        return False
    u, v = j[::k], j[1::k]
    edges = xp.unique(xp.concatenate([u * n + v, v * n + u]))
    return len(edges) != len(there) or bool((edges != there).any())


def neighbors_or_edges(function: str, base: int = 0) -> str:
    """Return the error about a list of edges or of the neighbors of each vertex; `function` as in `two_lists`."""
    what = ("an edge", "neighbors of vertex i") if function == "Graph.of" else ("an entry", "columns of row i")
    return (
        f"each element may be {what[0]}, and element i{' - 1' * base} may have the {what[1]}: say which, with "
        f"`{function}(tuple(map(list, zip(*x)))[:2])` or `{function}(dict(enumerate(x{', 1' * base})))`"
    )


def is_adjacency(x: Sequence[Any]) -> bool:
    """Whether each row may be a vertex and its neighbors: row j contains i if row i contains j."""
    of = {row[0]: row[1:] for row in x}
    try:
        return all(v != u and u in of.get(v, ()) for u, row in of.items() for v in row)
    except TypeError:  # the third element is not hashable, hence no vertex
        return False


def two_ends_or(what: str, code: str, function: str) -> str:
    """Return the error about tuples of three that may be edges with a number, or `what`, which `code` reads."""
    return (
        f"each element may have two ends and a number, or {what}: say which, with "
        f"`{function}(tuple(map(list, zip(*x)))[:2])` or `{function}({code})`"
    )


def row_as_end(element: Any, at: int) -> str:
    """Return the error about pairs of a vertex and a dict, as in NetworkX's ``G.adjacency()`` and libpysal."""
    return (
        f"element {at} is {repr(element)[:60]}, and no vertex is a dict: if it is a vertex with its neighbors, pass "
        "`dict(x)`; of weights of libpysal pass `x.neighbors` or `x.sparse`"
    )


def node_link(x: Mapping[Any, Any]) -> str:
    """Return the error about a dict with the keys of JSON graphs."""
    key = next(name for name in ("edges", "links", "adjacency") if name in x)
    call = "adjacency_graph(x)" if key == "adjacency" else f"node_link_graph(x, edges={key!r})"
    return (
        f"a dict with the keys 'nodes' and {key!r} may be JSON data of a graph: pass `networkx.{call}`, or a list of "
        f"pairs. If it has the neighbors of each vertex, pass {IN_PAIRS}"
    )


def no_neighbors(x: Mapping[Any, Any], rows: list[Any], function: str) -> str:
    """Return the error about a dict that may have something else than neighbors; "" if it seems to have neighbors.

    In a dict of neighbors, some neighbors are keys, unless each edge is in the row of one end only.
    """
    from .tables import ends_among

    of_graph = function == "Graph.of"
    try:
        if doubt := _numbered(x, rows, of_graph):
            return doubt
        if any(v in x for row in rows for v in row):
            return ""
    except TypeError:  # not hashable, which raises another error later
        return ""
    if rows and all(isinstance(row, Mapping) for row in rows) and (all(map(is_pair, x)) or (of_graph and any(rows))):
        what = "edges, `list(x)`, with attributes" if all(map(is_pair, x)) else "vertices with attributes, and no edges"
        return f"a dict of dicts whose keys are in no other dict may have {what}; if it has neighbors, pass {IN_LISTS}"
    if of_graph and rows and all(map(is_pair, rows)):
        return (
            "a dict of pairs whose keys are in no pair may have the ends of each edge, `list(x.values())`; if it "
            f"has two neighbors of each vertex, pass {IN_LISTS}"
        )
    if len({len(row) for row in rows}) == 1 and (found := ends_among(list(x))) is not None:
        u, v = (list(x)[k] for k in found)
        return (
            f"a dict with the keys {u!r} and {v!r} may have the columns of a table, "
            f"`(list(x[{u!r}]), list(x[{v!r}]))`; if it has neighbors, pass {IN_PAIRS}"
        )
    texts = (str(v) for v in itertools.chain.from_iterable(rows) if str(v) in x)
    if of_graph and all(isinstance(v, str) and v.isdecimal() for v in x) and (text := next(texts, None)) is not None:
        return (
            f"a dict with the key {text!r} and the neighbor {text}, as JSON makes it, may have one vertex or two: pass "
            "`{int(v): row for v, row in x.items()}` or " + IN_PAIRS
        )
    return ""


def _numbered(x: Mapping[Any, Any], rows: list[Any], of_graph: bool) -> str:
    """Return the error about rows of one length that may be numbered edges or rows of a matrix; "" for neighbors."""
    n, sizes = len(x), set(map(len, rows))
    if of_graph and n > 1 and sizes == {2} and list(x) in (list(range(n)), list(range(1, n + 1))):
        if not all(v != u and v in x and u in x[v] for u, row in x.items() for v in row):
            return (
                "a dict of pairs with the keys 0, 1, 2 … or 1, 2, 3 … may have the ends of each edge, "
                f"`list(map(tuple, x.values()))`; if it has two neighbors of each vertex, pass {IN_PAIRS}"
            )
    elif n > 2 and sizes == {n} and any(len(set(row)) < n for row in rows):
        return (
            "a dict whose rows are as long as the dict and have a number twice may have the rows of a matrix, "
            f"`numpy.array(list(x.values()), float)`; if it has neighbors, pass {IN_PAIRS}"
        )
    return ""


def is_pair(x: Any) -> bool:
    """Whether x is a tuple of two."""
    return isinstance(x, tuple) and len(x) == 2


def _numeric(x: Sequence[Any]) -> bool:
    return all(isinstance(e, (Complex, np.bool_)) for row in x for e in row)


def _is_vertex(e: Any) -> bool:
    return isinstance(e, (int, np.integer)) and not isinstance(e, bool) and int(e) >= 0
