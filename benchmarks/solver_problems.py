"""Linear systems for solvers: made with fixed seeds on a CPU or a GPU, or of real patterns.

Each is a matrix, a right-hand side, the size of its blocks, and whether it is symmetric positive definite. On grids
entries are computed for all neighbors at once, on the device itself; Dirichlet conditions leave boundary nodes out.
"""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.spatial

import lagcolor
from lagcolor.base import device as dev

# From the folder of real graphs: matrices with their own values, and patterns with the values of a Laplacian.
OWN_VALUES = ("C/1138_bus.mtx.gz", "C/bcsstk13.mtx.gz")
PATTERNS = (
    "C/bricks-hex27.npz", "C/copter2.npz", "C/fe_body.npz", "C/mdual.npz", "C/sphere-P2tet.npz", "C/bcsstk33.npz",
    "C/finan512.npz", "C/t60k.graph.gz", "A/USA-road-d.NY.npz",
)  # fmt: skip
SHIFT = 1e-3  # added to a Laplacian's diagonal


@dataclass
class Problem:
    """A x = b."""

    # `spec` names the generator and its arguments
    name: str
    spec: str
    A: Any  # sparse matrix in CSR, of SciPy or cupyx
    b: Any  # array
    block_size: int = 1
    definite: bool = True  # symmetric positive definite; else for methods that do not need it


def csr(xp: Any, data: Any, indices: Any, indptr: Any) -> Any:
    """A CSR matrix of the library that goes with the arrays."""
    shape = (len(indptr) - 1,) * 2
    if xp is np:
        return sp.csr_array((data, indices, indptr), shape=shape)
    from cupyx.scipy.sparse import csr_matrix

    return csr_matrix((data, indices, indptr), shape=shape)


def moved(A: sp.csr_array, device: str) -> Any:
    """A matrix of SciPy, on the device."""
    A = sp.csr_array(A)
    A.sort_indices()
    xp = np if device == "cpu" else dev.cupy()
    return csr(xp, *(xp.asarray(x) for x in (A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32))))


def _right(xp: Any, n: int) -> Any:
    return xp.asarray(np.random.default_rng(5).standard_normal(n))


def _module(device: str) -> Any:
    return np if device == "cpu" else dev.cupy()


# ---- on grids ------------------------------------------------------------------------------------------------------


def _of_stencil(xp: Any, sides: tuple[int, int, int], steps: list[tuple[int, ...]], values: Any) -> Any:
    """The matrix with values[s] at the neighbor by steps[s] of each node of a box, if there is one.

    Parameters
    ----------
    xp : module
    sides : tuple of int
        Nodes in z, y, x; numbered with x fastest.
    steps : list of tuple of int
        In z, y, x; in the order of the neighbors' numbers.
    values : array, shape (n, s) or (n, s, b, b)
    """
    n = int(np.prod(sides))
    node = xp.arange(n, dtype=np.int32)
    x, y, z = node % sides[2], node // sides[2] % sides[1], node // (sides[2] * sides[1])
    inside = xp.empty((n, len(steps)), bool)
    neighbor = xp.empty((n, len(steps)), np.int32)
    for s, (dz, dy, dx) in enumerate(steps):
        at = [(q + d, side) for q, d, side in zip((z, y, x), (dz, dy, dx), sides, strict=True)]
        inside[:, s] = (at[0][0] >= 0) & (at[0][0] < at[0][1])
        for q, side in at[1:]:
            inside[:, s] &= (q >= 0) & (q < side)
        neighbor[:, s] = node + (dz * sides[1] + dy) * sides[2] + dx
    b = values.shape[-1] if values.ndim == 4 else 1
    counts = xp.repeat(inside.sum(axis=1) * b, b)
    indptr = xp.zeros(n * b + 1, np.int32)
    indptr[1:] = xp.cumsum(counts)
    if b == 1:
        return csr(xp, values[inside], neighbor[inside], indptr)
    rows = (n, b, len(steps), b)  # of each node: its rows, and of each all columns of all neighbors
    there = xp.broadcast_to(inside[:, None, :, None], rows)
    columns = xp.broadcast_to(neighbor[:, None, :, None] * b + xp.arange(b, dtype=np.int32), rows)
    return csr(xp, values.transpose(0, 2, 1, 3)[there], columns[there], indptr)


CROSS = [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]


def poisson(width: int, device: str) -> Problem:
    """−Δ in a cube by seven points."""
    xp, n = _module(device), width**3
    values = xp.broadcast_to(xp.asarray([-1.0, -1, -1, 6, -1, -1, -1]), (n, 7))
    A = _of_stencil(xp, (width,) * 3, CROSS, values)
    return Problem(f"Poisson {width}³", f"poisson:{width}", A, _right(xp, n))


def convection(width: int, device: str) -> Problem:
    """−Δ u + v · ∇ u in a cube, v a vortex in x and y with a stream in z, by seven points, upwind; v · h up to 2."""
    xp, n = _module(device), width**3
    node = xp.arange(n)
    x, y = ((q + 0.5) / width - 0.5 for q in (node % width, node // width % width))
    v = (xp.full(n, 1.0), 4 * x, -4 * y)  # in z, y, x, times the mesh width
    values = xp.empty((n, 7))
    for axis, (before, after) in enumerate(((0, 6), (1, 5), (2, 4))):
        values[:, before] = -1 - xp.maximum(v[axis], 0)
        values[:, after] = -1 - xp.maximum(-v[axis], 0)
    values[:, 3] = 6 + sum(xp.abs(q) for q in v)
    A = _of_stencil(xp, (width,) * 3, CROSS, values)
    return Problem(f"convection {width}³", f"convection:{width}", A, _right(xp, n), definite=False)


def elasticity(width: int, device: str) -> Problem:
    """Linear elasticity of a cube of width³ trilinear hexahedra, fixed at z = 0; stiff and soft elements, 10 to 1.

    Three displacements per node; Poisson's ratio 0.3; which elements are stiff is random, a half of them.
    """
    xp = _module(device)
    K = hexahedron(0.3)
    young = xp.asarray(np.where(np.random.default_rng(6).random((width,) * 3) < 0.5, 1.0, 10.0))
    nodes = (width + 1,) * 3
    steps = list(itertools.product((-1, 0, 1), repeat=3))
    values = xp.zeros((*nodes, 27, 3, 3))
    corners = list(itertools.product((0, 1), repeat=3))
    for (i, a), (j, c) in itertools.product(enumerate(corners), repeat=2):
        s = steps.index(tuple(q - p for p, q in zip(a, c, strict=True)))
        here = tuple(slice(p, p + width) for p in a)
        values[(*here, s)] += young[..., None, None] * xp.asarray(K[3 * i : 3 * i + 3, 3 * j : 3 * j + 3])
    free = (width, width + 1, width + 1)  # nodes over z = 0
    A = _of_stencil(xp, free, steps, values[1:].reshape(-1, 27, 3, 3))
    return Problem(f"elasticity {width}³", f"elasticity:{width}", A, _right(xp, A.shape[0]), block_size=3)


def hexahedron(nu: float) -> np.ndarray:
    """The stiffness matrix of the unit cube, E = 1: corners by z, y, x, displacements (x, y, z); 2³ Gauss points."""
    lame, mu = nu / ((1 + nu) * (1 - 2 * nu)), 1 / (2 * (1 + nu))
    D = np.diag([2 * mu] * 3 + [mu] * 3)
    D[:3, :3] += lame
    corners = np.array(list(itertools.product((0, 1), repeat=3)))[:, ::-1]  # x, y, z
    K = np.zeros((24, 24))
    for point in itertools.product((0.5 - 0.5 / 3**0.5, 0.5 + 0.5 / 3**0.5), repeat=3):
        factor = np.where(corners == 1, point, 1 - np.array(point))
        slope = np.where(corners == 1, 1.0, -1.0)
        g = np.stack([slope[:, d] * np.delete(factor, d, axis=1).prod(axis=1) for d in range(3)], axis=1)
        B = np.zeros((6, 24))
        for d in range(3):
            B[d, d::3] = g[:, d]
        for row, (p, q) in enumerate(((1, 2), (0, 2), (0, 1)), 3):
            B[row, p::3], B[row, q::3] = g[:, q], g[:, p]
        K += B.T @ D @ B / 8
    return K


# ---- on a CPU ------------------------------------------------------------------------------------------------------


def tetrahedra(width: int, device: str) -> Problem:
    """−Δ by linear elements on the Delaunay tetrahedra of a lattice of width³ points, each moved at random.

    By up to 0.4 of the lattice's width along each axis. Points on the hull are left out. Tetrahedra nearly flat,
    under 10⁻³ of the mean volume, count as having that volume.
    """
    rng = np.random.default_rng(7)
    points = np.stack(np.meshgrid(*(np.arange(width, dtype=float),) * 3, indexing="ij"), -1).reshape(-1, 3)
    points += rng.uniform(-0.4, 0.4, points.shape)
    mesh = scipy.spatial.Delaunay(points)
    T = mesh.simplices
    edges = points[T[:, 1:]] - points[T[:, :1]]
    cross = np.stack([np.cross(edges[:, i - 2], edges[:, i - 1]) for i in range(3)], axis=1)
    sixfold = np.einsum("ti,ti->t", edges[:, 0], cross[:, 0])
    sixfold = np.sign(sixfold) * np.maximum(np.abs(sixfold), 1e-3)
    g = cross / sixfold[:, None, None]
    g = np.concatenate([-g.sum(axis=1, keepdims=True), g], axis=1)
    K = np.einsum("tid,tjd->tij", g, g) * np.abs(sixfold[:, None, None]) / 6
    i, j = np.repeat(T, 4, axis=1).ravel(), np.tile(T, (1, 4)).ravel()
    A = sp.coo_array((K.ravel(), (i, j)), (len(points),) * 2).tocsr()
    inner = np.setdiff1d(np.arange(len(points)), mesh.convex_hull)
    A = sp.csr_array(A[inner][:, inner])
    A = sp.csr_array((A + A.T) / 2)
    name = f"tetrahedra {A.shape[0] / 1000:.0f} k"
    return Problem(name, f"tetrahedra:{width}", moved(A, device), _right(_module(device), A.shape[0]))


def laplacian(file: Path, device: str) -> Problem:
    """The Laplacian of a graph, unweighted, and `SHIFT` on its diagonal."""
    G = lagcolor.Graph.of(file)
    adjacency = sp.csr_array(G.to_scipy(), dtype=np.float64)
    A = sp.diags_array(adjacency.sum(axis=1) + SHIFT) - adjacency
    name = file.name.partition(".")[0]
    return Problem(f"{name} (Laplacian)", f"laplacian:{file.name}", moved(A, device), _right(_module(device), G.n))


def own_values(file: Path, device: str) -> Problem:
    """A matrix of a Matrix Market file."""
    with gzip.open(file) as f:
        A = sp.csr_array(scipy.io.mmread(f, spmatrix=False))
    name = file.name.partition(".")[0]
    return Problem(name, f"file:{file.name}", moved(A, device), _right(_module(device), A.shape[0]))


MAKERS: dict[str, Callable[[int, str], Problem]] = {
    "poisson": poisson, "convection": convection, "elasticity": elasticity, "tetrahedra": tetrahedra,
}  # fmt: skip
SUITES = {
    "cuda": ("poisson:128", "poisson:200", "tetrahedra:70", "elasticity:64", "convection:128"),
    "cpu": ("poisson:64", "tetrahedra:35", "elasticity:24", "convection:64"),
}


def made(spec: str, device: str) -> Problem:
    """A problem by its maker's name and width.

    Raises
    ------
    ValueError
        There is no such maker.
    """
    name, _, width = spec.partition(":")
    if name not in MAKERS or not width.isdigit():
        raise ValueError(f"no problem {spec!r}: NAME:WIDTH with a name of {', '.join(MAKERS)}")
    return MAKERS[name](int(width), device)


def real(folder: Path) -> Iterator[Callable[[str], Problem]]:
    """Yield functions that load the problems of a folder of real graphs on a device."""
    for names, maker in ((OWN_VALUES, own_values), (PATTERNS, laplacian)):
        for name in names:
            if (folder / name).exists():
                yield partial(maker, folder / name)
