"""Distance 2: two vertices of one color are neither neighbors nor neighbors of one vertex."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..graph.graph import Graph
from ..graph.nets import Nets
from . import on_cpu, on_gpu
from .partial_distance2 import in_rows, most_constraints, named, neighbors
from .report import Report, called

structure: Callable[[Graph], Nets] = Nets.neighborhoods


def verify(x: Any, colors: Any, *, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """As `lagcolor.verify`, for this problem."""
    G = Graph.of(x)
    checks = on_cpu.neighborhoods, on_gpu.neighborhoods
    return on_cpu.inspect(G, colors, G.n, checks, FAULTS, G.labels).settled(allow_uncolored, errors)


def _sentence(G: Graph, u: int, v: int, center: int, color: int) -> str:
    why = "they are neighbors" if center in (u, v) else f"vertex {called(center, G.labels)} is a neighbor of both"
    return f"vertices {called(u, G.labels)} and {called(v, G.labels)} both have color {color}, and {why}"


FAULTS = named(partial(in_rows, closed=True), _sentence)


def neighborhood(G: Graph, v: int) -> Any:
    """The vertices at a distance of one or two from v, int32, rising."""
    direct = G.indices[int(G.indptr[v]) : int(G.indptr[v + 1])]
    return np.union1d(direct, neighbors(G, G, v)).astype(np.int32)


def upper_bound(G: Graph) -> int:
    """One more than the largest sum of the degrees of a vertex's neighbors."""
    with dev.using(G.indices):
        return min(G.n, 1 + most_constraints(G, G.degrees)) if G.n else 0


def lower_bound(G: Graph) -> int:
    """One more than the largest degree."""
    return G.max_degree + 1 if G.n else 0
