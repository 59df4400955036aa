"""Meshes of the benchmarks for tests, and what elements of one color may not do."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # benchmarks/ is not part of the distribution

from benchmarks.mesh_cases import delaunay, hexahedra, spheres, tetrahedra

__all__ = ["delaunay", "hexahedra", "share_a_node", "spheres", "tetrahedra"]


def share_a_node(colors: np.ndarray, cells: np.ndarray) -> bool:
    """Whether two elements of one color share a node, by sets."""
    seen: set[tuple[int, int]] = set()
    for color, nodes in zip(colors.tolist(), cells.tolist(), strict=True):
        mine = {(color, v) for v in nodes if v >= 0}
        if seen & mine:
            return True
        seen |= mine
    return False
