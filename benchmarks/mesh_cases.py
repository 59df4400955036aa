"""Meshes and contacts to color: blocks of hexahedra and of tetrahedra, Delaunay tetrahedra, and spheres that touch."""

from __future__ import annotations

from itertools import permutations

import numpy as np

CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))


def hexahedra(n: int, seed: int | None = None, local: bool = False) -> np.ndarray:
    """n³ hexahedra, nodes as in VTK; with a seed elements and nodes are shuffled, `local` each one's nodes, too."""
    return shuffled(np.stack([_corner(n, at) for at in CORNERS], axis=1), seed, local)


def tetrahedra(n: int, seed: int | None = None) -> np.ndarray:
    """6 n³ tetrahedra, six in each cube (Kuhn's)."""
    out = []
    for axes in permutations(range(3)):
        at, corners = [0, 0, 0], [(0, 0, 0)]
        for axis in axes:
            at[axis] = 1
            corners.append((at[0], at[1], at[2]))
        out.append(np.stack([_corner(n, corner) for corner in corners], axis=1))
    return shuffled(np.stack(out, axis=1).reshape(-1, 4), seed)


def delaunay(n: int, seed: int = 0) -> np.ndarray:
    """The tetrahedra of Delaunay's triangulation of n random points in a cube, in the order of Qhull."""
    from scipy.spatial import Delaunay

    return np.ascontiguousarray(Delaunay(np.random.default_rng(seed).random((n, 3))).simplices, np.int32)


def spheres(m: int, n: int, seed: int = 0) -> np.ndarray:
    """The m nearest pairs, or a few less, of n random points in a cube."""
    from scipy.spatial import cKDTree

    tree = cKDTree(np.random.default_rng(seed).random((n, 3)))
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if (tree.count_neighbors(tree, middle) - n) // 2 > m else (middle, high)
    return tree.query_pairs(low, output_type="ndarray").astype(np.int32)


def shuffled(cells: np.ndarray, seed: int | None, local: bool = False) -> np.ndarray:
    """The elements with other numbers of elements and of nodes; `local`: and in another order of each one's nodes."""
    if seed is not None:
        random = np.random.default_rng(seed)
        cells = random.permutation(cells.max() + 1)[cells][random.permutation(len(cells))]
        cells = random.permuted(cells, axis=1) if local else cells
    return np.ascontiguousarray(cells, np.int32)


def _corner(n: int, at: tuple[int, int, int]) -> np.ndarray:
    """The node of each cube at a corner."""
    i, j, k = at
    return np.arange((n + 1) ** 3).reshape((n + 1,) * 3)[k : k + n, j : j + n, i : i + n].ravel()
