"""Edges and facets of elements, by the names and the order of nodes that meshio and VTK have."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..base.errors import GraphError


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


BY_WIDTH = {2: ["line"], 3: ["triangle"], 4: ["tetra", "quad"], 5: ["pyramid"], 6: ["wedge"], 8: ["hexahedron"]}


def shape_of(name: str | None, width: int) -> str:
    """The shape of elements of a type such as "tetra10"."""
    if name is None:
        names = " or ".join(f'("{one}", cells)' for one in BY_WIDTH.get(width, ()))
        raise GraphError(
            f"{width} nodes per element do not tell which of them form a facet or an edge: name the type of the "
            f"elements{', as in ' * bool(names)}{names}; there are {', '.join(SHAPES)}"
        )
    base = re.sub(r"\d+$", "", name)
    if base not in SHAPES:
        raise GraphError(f"facets and edges of type {name!r} are not known; there are {', '.join(SHAPES)}")
    if width < SHAPES[base].corners:
        raise GraphError(f"elements of type {name!r} have {SHAPES[base].corners} corners, and these have {width} nodes")
    return base


def dimension_of(name: str | None) -> int | None:
    """The dimension of elements of a type; None if the type is not known."""
    base = re.sub(r"\d+$", "", name or "")
    return SHAPES[base].dimension if base in SHAPES else {"vertex": 0, "polygon": 2}.get(base)


def places(shape: str, what: str) -> list[list[int]]:
    """The places of the nodes of each "facet" or "edge" of an element."""
    return [[int(digit) for digit in part] for part in getattr(SHAPES[shape], what)]
