"""Meshes as blocks of elements, read from arrays, dicts and meshio; their pattern, edges and facets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from string import digits
from typing import Any, NamedTuple

import numpy as np

from ..base import device as dev
from ..base.errors import GraphError
from ..base.options import whole
from ..engines.elements import Rows, sorted_rows
from ..inputs.arrays import array_like, as_array
from ..inputs.checks import MOST_VERTICES
from ..inputs.ends import are_integers

MOST_SIDES = 1 << 28  # entries of a table of the elements of facets
FORMS = (
    "cells are an integer array of shape (elements, nodes per element), a pair such as ('tetra', array), a list of "
    "these, or a meshio mesh"
)


class Block(NamedTuple):
    """Elements of one type: its name, or None, and the nodes of each element; −1 is no node."""

    name: str | None
    nodes: Any


class Connectivity(NamedTuple):
    """All elements of a mesh."""

    blocks: list[Block]
    nodes: Any  # int32, shape (elements, width), C-contiguous; −1 is no node
    n_nodes: int

    @classmethod
    def of(cls, cells: Any, n_nodes: int | None = None, device: str | None = None) -> Connectivity:
        """Read anything that `color_elements` accepts."""
        blocks = [_checked(block) for block in _blocks(cells)]
        places = {dev.device_of(block.nodes) for block in blocks}
        if device is None and len(places) > 1:
            raise GraphError(f"blocks are on {' and '.join(sorted(places))}: pass device=, or copy them to one device")
        if device is not None:
            blocks = [Block(name, dev.to_device(nodes, device)) for name, nodes in blocks]
        with dev.using(blocks[0].nodes):
            nodes = blocks[0].nodes if len(blocks) == 1 else _side_by_side([block.nodes for block in blocks])
            points = getattr(cells, "points", None)
            n = whole("n_nodes", n_nodes, 0, MOST_VERTICES, none=True)
            if n is None and points is not None:
                n = len(points)
            return cls(blocks, nodes, _number_of_nodes(nodes, n))

    def of_one_dimension(self) -> Connectivity:
        """Return the mesh, or raise an error if its blocks have several dimensions."""
        known = {
            name: DIMENSIONS[base] for name, _ in self.blocks if (base := (name or "").rstrip(digits)) in DIMENSIONS
        }
        if len(set(known.values())) < 2:
            return self
        inside = ", ".join(repr(name) for name, d in known.items() if d == max(known.values()))
        raise GraphError(
            f"the mesh has elements of several dimensions ({', '.join(map(str, known))}): pass a list of the blocks "
            f"to color, such as [block for block in mesh.cells if block.type in ({inside},)], or of all, mesh.cells"
        )

    @property
    def rows(self) -> Rows:
        """Elements, with the nodes that they share."""
        return Rows(self.nodes, self.n_nodes)

    def parts(self, what: str) -> tuple[Any, Any]:
        """The different facets or edges of all elements (`what`: "facet" or "edge"), and their numbers by element.

        Several corners of an element may be one node. A part that then has too few different nodes is no facet or edge.

        Returns
        -------
        parts : array of int32, shape (parts, nodes)
            Nodes in rising order, −1 last.
        of_elements : array of int32, shape (elements, parts of an element)
            Numbers of the parts of each element; −1 is no part.
        """
        xp, found, sizes = dev.module_of(self.nodes), [], []
        shapes = [shape_of(name, nodes.shape[1]) for name, nodes in self.blocks]
        if len({SHAPES[shape].dimension for shape in shapes}) > 1:
            raise GraphError(
                f"{what}s of elements of several dimensions ({', '.join(shapes)}): pass blocks of one dimension only"
            )
        with dev.using(self.nodes):
            _with_all_corners(self.blocks, shapes)
            for (_, nodes), shape in zip(self.blocks, shapes, strict=True):
                own = [nodes[:, list(map(int, part))] for part in getattr(SHAPES[shape], what)]
                sizes.append(len(own))
                found.append(_side_by_side(own))
            counts = [len(block.nodes) for block in self.blocks]
            least = 2 if what == "edge" or not shapes else SHAPES[shapes[0]].dimension
            parts, number = _distinct(_side_by_side(found), least)
            begin, columns = 0, []
            for size, count in zip(sizes, counts, strict=True):  # sorted by place in the element, then by element
                columns.append(number[begin : begin + size * count].reshape(size, count).T)
                begin += size * count
            return parts, xp.ascontiguousarray(_side_by_side(columns))

    def sides(self, of_elements: Any, count: int) -> Rows:
        """Facets with their elements in place of nodes; −1 is no element. More than two elements may share a facet."""
        xp, size = dev.module_of(of_elements), of_elements.shape[1]
        with dev.using(of_elements):
            facet = of_elements.reshape(-1)
            inside = xp.flatnonzero(facet >= 0)
            order = inside[xp.argsort(facet[inside], kind="stable")]
            facet, element = facet[order], (order // max(size, 1)).astype(np.int32)
            rank = xp.arange(len(facet)) - xp.searchsorted(facet, facet)
            width = int(rank.max()) + 1 if len(rank) else 0
            if count * width > MOST_SIDES:
                raise GraphError(
                    f"facet {int(facet[int(rank.argmax())])} belongs to {width:,} elements, and a table of {count:,} "
                    f"facets as wide takes {count * width * 4 / 1e9:.3g} GB: leave out the elements at that facet"
                )
            out = xp.full((count, width), -1, np.int32)
            out[facet, rank] = element
            return Rows(out, len(of_elements))


def _blocks(cells: Any) -> list[Block]:
    """Return blocks with nodes as the caller passes them."""
    if hasattr(cells, "cells") and not hasattr(cells, "dtype"):
        cells = cells.cells
    if isinstance(cells, Mapping):
        if (key := next((key for key in cells if not isinstance(key, str)), None)) is not None:
            raise GraphError(f"the keys of a dict are type names, and {key!r} is none: pass list(cells.values())")
        cells = list(cells.items())
    if (block := _block(cells)) is not None:
        return [block]
    if not isinstance(cells, (list, tuple)):
        raise GraphError(f"a {type(cells).__name__} has no elements that can be read: {FORMS}")
    blocks = [block for block in takewhile(bool, map(_block, cells)) if block is not None]
    named = any(block.name is not None or as_array(block.nodes).ndim != 1 for block in blocks)
    return blocks if named and len(blocks) == len(cells) else [Block(None, cells)]


def _block(x: Any) -> Block | None:
    if isinstance(x, (list, tuple)):
        return Block(*x) if len(x) == 2 and isinstance(x[0], str) else None
    if hasattr(x, "data") and isinstance(getattr(x, "type", None), str):
        return Block(x.type, x.data)
    return None if as_array(x) is None else Block(None, x)


def _array(nodes: Any) -> Any:
    """Return nodes as an array, or raise an error about masked entries or a list that is none."""
    is_list = isinstance(nodes, (list, tuple))
    if any(map(np.ma.is_masked, nodes if is_list else [nodes])):
        raise GraphError(
            f"some nodes are masked: pass {'numpy.ma.stack(cells)' * is_list}.filled(-1), where −1 stands for no node"
        )
    if not is_list:
        return array_like(nodes)
    try:
        return np.asarray(nodes)
    except ValueError as e:
        uneven = all(isinstance(row, (list, tuple, np.ndarray)) and are_integers(list(row)) for row in nodes)
        why = "elements have different numbers of nodes: pad them with −1, or pass a block for each number"
        raise GraphError(f"{why if uneven else 'this list is no array of nodes'}; {FORMS}") from e


def _checked(block: Block) -> Block:
    """The block with its nodes as contiguous int32, after a check of their type, shape and range."""
    nodes, count = _array(block.nodes), nodes_of(block.name)
    if nodes.ndim in (1, 2) and len(nodes) == 0:
        nodes = nodes.reshape(0, nodes.shape[-1] if count is None else count)
    if nodes.ndim != 2:
        raise GraphError(f"cells have shape {tuple(nodes.shape)}: {FORMS}")
    if nodes.dtype.kind not in "iu" and nodes.size:
        raise GraphError(f"cells are of {nodes.dtype}, and nodes are integers: convert them with .astype(numpy.int64)")
    xp = dev.module_of(nodes)
    with dev.using(nodes):
        width = nodes.shape[1]
        if count is not None and count != width and (width < count or bool((nodes[:, count:] >= 0).any())):
            turn = "; if columns are elements, transpose by .T, or numpy.transpose for a list" * (len(nodes) == count)
            raise GraphError(f"elements of type {block.name!r} have {count} node{'s' * (count > 1)}, not {width}{turn}")
        if nodes.size and (nodes.dtype.kind == "i" or nodes.dtype.itemsize >= 4):
            low, high = int(nodes.min()), int(nodes.max())
            if low < -1 or high >= MOST_VERTICES:
                at = nodes.argmin() if low < -1 else nodes.argmax()
                raise _no_node(nodes, at, f"{MOST_VERTICES - 1}; −1 alone stands for no node")
        return Block(block.name, xp.ascontiguousarray(nodes, dtype=np.int32))


def _number_of_nodes(nodes: Any, n: int | None) -> int:
    """The largest node plus one; or n, if all nodes are less than n."""
    if not nodes.size:
        return n or 0
    largest = int(nodes.max())
    if n is not None and largest >= n:
        raise _no_node(nodes, (nodes >= n).argmax(), f"n_nodes − 1 = {n - 1}")
    return largest + 1 if n is None else n


def _no_node(nodes: Any, at: Any, last: str) -> GraphError:
    """Make the error for a number that is out of range, at a place among all numbers."""
    e, j = divmod(int(at), nodes.shape[1])
    return GraphError(f"element {e} has node {int(nodes[e, j])} at place {j}, and nodes are numbered from 0 to {last}")


def _side_by_side(blocks: list[Any]) -> Any:
    """All rows in one array with the width of the widest; shorter rows end with −1."""
    xp, width = dev.module_of(blocks[0]), max(block.shape[1] for block in blocks)
    out = xp.full((sum(len(block) for block in blocks), width), -1, np.int32)
    begin = 0
    for block in blocks:
        out[begin : begin + len(block), : block.shape[1]] = block
        begin += len(block)
    return out


def _with_all_corners(blocks: list[Block], shapes: list[str]) -> None:
    """Reject an element that has −1 in place of a corner."""
    begin = 0
    for (name, nodes), shape in zip(blocks, shapes, strict=True):
        none = nodes[:, : SHAPES[shape].corners] < 0
        if none.any():
            e, j = divmod(int(none.argmax()), none.shape[1])
            raise GraphError(
                f"element {begin + e} of type {name} has no node at corner {j}: pass elements of fewer corners, such "
                "as triangles among quadrilaterals, as another block"
            )
        begin += len(nodes)


def _distinct(rows: Any, least: int) -> tuple[Any, Any]:
    """Different sets of at least `least` nodes, in lexicographic order (−1 last); the number of each row's set."""
    xp = dev.module_of(rows)
    behind = np.int32(2**31 - 1)
    rows = sorted_rows(xp.where(rows < 0, behind, rows))
    twice = rows[:, 1:] == rows[:, :-1]
    if bool((twice & (rows[:, 1:] < behind)).any()):
        rows[:, 1:][twice] = behind
        rows = sorted_rows(rows)
    number = xp.full(len(rows), -1, np.int32)
    large = xp.flatnonzero((rows < behind).sum(axis=1) >= least)
    rows = rows[large]
    order = xp.lexsort(xp.ascontiguousarray(rows.T[::-1])) if rows.shape[0] else xp.zeros(0, np.int64)
    rows = rows[order]
    first = xp.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    number[large[order]] = xp.cumsum(first) - 1
    parts = rows[first]
    return xp.where(parts == behind, np.int32(-1), parts), number


class Shape(NamedTuple):
    """Dimension, corners, and the places of the nodes of edges and facets; nodes after corners are of higher order."""

    dimension: int
    corners: int
    edge: tuple[str, ...]
    facet: tuple[str, ...]


SHAPES = {
    "line": Shape(1, 2, ("01",), ("0", "1")),
    "triangle": Shape(2, 3, ("01", "12", "20"), ("01", "12", "20")),
    "quad": Shape(2, 4, ("01", "12", "23", "30"), ("01", "12", "23", "30")),
    "tetra": Shape(3, 4, ("01", "12", "20", "03", "13", "23"), ("012", "013", "123", "023")),
    "pyramid": Shape(
        3, 5, ("01", "12", "23", "30", "04", "14", "24", "34"), ("0123", "014", "124", "234", "304"),
    ),
    "wedge": Shape(
        3, 6, ("01", "12", "20", "34", "45", "53", "03", "14", "25"), ("012", "345", "0143", "1254", "2035"),
    ),
    "hexahedron": Shape(
        3, 8, ("01", "12", "23", "30", "45", "56", "67", "74", "04", "15", "26", "37"),
        ("0321", "4567", "0154", "1265", "2376", "3047"),
    ),
}  # fmt: skip
DIMENSIONS = {"vertex": 0, "polygon": 2} | {name: shape.dimension for name, shape in SHAPES.items()}


def shape_of(name: str | None, width: int) -> str:
    """Return the name of the shape of elements of a type such as "tetra10"."""
    if name is None:
        names = " or ".join(f'("{one}", cells)' for one, shape in SHAPES.items() if shape.corners == width)
        raise GraphError(
            f"{width} nodes per element do not determine which of them form a facet or an edge: name the type of the "
            f"elements{', as in ' * bool(names)}{names}; there are {', '.join(SHAPES)}"
        )
    base = name.rstrip(digits)
    if base not in SHAPES or nodes_of(name) is None:
        raise GraphError(f"facets and edges of type {name!r} are not known; there are {', '.join(SHAPES)}")
    return base


def nodes_of(name: str | None) -> int | None:
    """Return the number of nodes of elements of a type, or None if the type is unknown."""
    base = (name or "").rstrip(digits)
    least = SHAPES[base].corners if base in SHAPES else 1
    count = int((name or "")[len(base) :] or least)
    return count if count >= least and (base in SHAPES or base == "vertex") else None
