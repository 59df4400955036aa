"""Meshes for tests and benchmarks: blocks of hexahedra and of tetrahedra, shuffled or not."""

from __future__ import annotations

from itertools import permutations

import numpy as np


def hexahedra(n: int, seed: int | None = None, local: bool = False) -> np.ndarray:
    """n³ hexahedra, nodes as in VTK; with a seed elements and nodes are shuffled, `local` each one's nodes, too."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    return _shuffled(np.stack([_corner(n, at) for at in corners], axis=1), seed, local)


def tetrahedra(n: int, seed: int | None = None) -> np.ndarray:
    """6 n³ tetrahedra, six in each cube (Kuhn's)."""
    out = []
    for axes in permutations(range(3)):
        at, corners = np.zeros(3, int), [(0, 0, 0)]
        for axis in axes:
            at[axis] = 1
            corners.append(tuple(at.tolist()))
        out.append(np.stack([_corner(n, corner) for corner in corners], axis=1))
    return _shuffled(np.stack(out, axis=1).reshape(-1, 4), seed, False)


def _corner(n: int, at: tuple[int, ...]) -> np.ndarray:
    grid = np.arange((n + 1) ** 3).reshape((n + 1,) * 3)
    return grid[tuple(slice(d, d + n) for d in reversed(at))].ravel()


def _shuffled(cells: np.ndarray, seed: int | None, local: bool) -> np.ndarray:
    if seed is not None:
        random = np.random.default_rng(seed)
        cells = random.permutation(cells.max() + 1)[cells][random.permutation(len(cells))]
        cells = random.permuted(cells, axis=1) if local else cells
    return np.ascontiguousarray(cells, np.int32)


def share_a_node(colors: np.ndarray, cells: np.ndarray) -> bool:
    """Whether two elements of one color share a node, by sets."""
    seen: set[tuple[int, int]] = set()
    for color, nodes in zip(colors.tolist(), cells.tolist(), strict=True):
        mine = {(color, v) for v in nodes if v >= 0}
        if seen & mine:
            return True
        seen |= mine
    return False
