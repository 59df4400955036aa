"""Matrices for the tests of `lagcolor.solvers`, and what its methods mean, by dense algebra and plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from lagcolor.solvers import multicolor_dilu, multicolor_ic0, multicolor_ilu0, multicolor_sor


def poisson(n: int) -> sp.csr_array:
    """The five-point Laplacian of a square."""
    T = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    eye = sp.eye_array(n)
    return sp.csr_array(sp.kron(T, eye) + sp.kron(eye, T))


def dominant(n: int, density: float, seed: int, symmetric: bool = False) -> sp.csr_array:
    """Random entries, and a diagonal that is larger than the others of its row together."""
    rng = np.random.default_rng(seed)
    A = sp.random_array((n, n), density=density, rng=rng, data_sampler=lambda size: rng.uniform(-1, 1, size))
    A = sp.csr_array(A + A.T if symmetric else A)
    return sp.csr_array(A + sp.diags_array(abs(A).sum(axis=1) + 1))


def arrow(n: int) -> sp.csr_array:
    """A hub with an entry for each other row."""
    A = 2.0 * n * np.eye(n)
    A[0], A[:, 0] = 1, 1
    A[0, 0] = 2 * n
    return sp.csr_array(A)


def apart(n: int) -> sp.csr_array:
    """Two components, and rows with nothing but their diagonal."""
    return sp.csr_array(sp.block_diag([dominant(n, 0.3, 5, True), 3 * sp.eye_array(n), poisson(2)]))


METHODS: dict[str, Callable[..., Any]] = {
    "sor": multicolor_sor,
    "ilu0": multicolor_ilu0,
    "dilu": multicolor_dilu,
    "ic0": multicolor_ic0,
}


def vector(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(n)


def columns(M: Any, engine: str) -> np.ndarray:
    """An operator as a dense matrix."""
    return np.stack([host(M.matvec(array(engine, e))) for e in np.eye(M.shape[0], dtype=M.dtype)], axis=1)


CORPUS: dict[str, Callable[[], sp.csr_array]] = {
    "one": lambda: sp.csr_array([[4.0]]),
    "diagonal": lambda: sp.csr_array(sp.diags_array(np.arange(1.0, 8))),
    "path": lambda: sp.csr_array(sp.diags_array([-np.ones(8), 2.5 * np.ones(9), -np.ones(8)], offsets=[-1, 0, 1])),
    "grid": lambda: poisson(5),
    "random": lambda: dominant(24, 0.2, 1, True),
    "asymmetric": lambda: dominant(24, 0.15, 2),
    "arrow": lambda: arrow(12),
    "apart": lambda: apart(6),
}


def blocks(A: np.ndarray, b: int) -> list[list[np.ndarray]]:
    """A dense matrix as rows of b × b blocks, copied."""
    n = len(A) // b
    return [[A[i * b : i * b + b, j * b : j * b + b].copy() for j in range(n)] for i in range(n)]


def pattern(A: Any, order: np.ndarray, b: int) -> np.ndarray:
    """Which blocks of the permuted matrix have a stored entry, also of zero."""
    n, ones = len(order) // b, A.copy()
    ones.data = np.ones(len(A.data))
    return (permuted(ones, order).reshape(n, b, n, b) != 0).any(axis=(1, 3))


def parts(P: np.ndarray, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the parts of a matrix below, on and above the diagonal blocks."""
    block = np.arange(len(P)) // b
    below, above = block[:, None] > block, block[:, None] < block
    return np.where(below, P, 0), np.where(below | above, 0, P), np.where(above, P, 0)


def permuted(A: Any, order: np.ndarray) -> np.ndarray:
    """A dense matrix with its rows and columns in an order."""
    return A.toarray()[np.ix_(order, order)]


def sor(A: Any, order: np.ndarray, b: int, omega: float, sweep: str) -> np.ndarray:
    """The inverse of the preconditioner, of the permuted matrix."""
    L, D, U = parts(permuted(A, order), b)
    if sweep == "forward":
        return D / omega + L
    if sweep == "backward":
        return D / omega + U
    return omega / (2 - omega) * (D / omega + L) @ np.linalg.solve(D, D / omega + U)


def ilu0(A: Any, order: np.ndarray, b: int) -> np.ndarray:
    """L U of the permuted matrix: Saad 2003, algorithm 10.4, on blocks."""
    P = permuted(A, order)
    a, there = blocks(P, b), pattern(A, order, b)
    n = len(a)
    for i in range(n):
        for k in range(i):
            if there[i, k]:
                a[i][k] = a[i][k] @ np.linalg.inv(a[k][k])
                for j in range(k + 1, n):
                    if there[i, j]:
                        a[i][j] = a[i][j] - a[i][k] @ a[k][j]
    L, D, U = parts(np.block(a), b)
    return (L + np.eye(len(P))) @ (D + U)


def dilu(A: Any, order: np.ndarray, b: int) -> np.ndarray:
    """(D + L) D⁻¹ (D + U) of the permuted matrix: Barrett et al. 1994, figure 3.3."""
    P = permuted(A, order)
    a, n = blocks(P, b), len(P) // b
    pivots = [a[i][i] for i in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            pivots[j] = pivots[j] - a[j][i] @ np.linalg.inv(pivots[i]) @ a[i][j]
    D = np.zeros_like(P)
    for i, pivot in enumerate(pivots):
        D[i * b : i * b + b, i * b : i * b + b] = pivot
    L, _, U = parts(P, b)
    return (D + L) @ np.linalg.inv(D) @ (D + U)


def ic0(A: Any, order: np.ndarray, b: int) -> np.ndarray:
    """L Lᴴ of the permuted matrix, by columns and with square roots: Golub, Van Loan 2013, algorithm 11.5.1."""
    P = permuted(A, order)
    a, there, n = blocks(P, b), pattern(A, order, b), len(P) // b
    for k in range(n):
        a[k][k] = np.linalg.cholesky(a[k][k])
        for i in range(k + 1, n):
            if there[i, k]:
                a[i][k] = np.linalg.solve(a[k][k], a[i][k].conj().T).conj().T
        for j in range(k + 1, n):
            for i in range(j, n):
                if there[i, j] and there[i, k] and there[j, k]:
                    a[i][j] = a[i][j] - a[i][k] @ a[j][k].conj().T
    L, D, _ = parts(np.block(a), b)
    return (L + D) @ (L + D).conj().T


def applied(inverse: np.ndarray, order: np.ndarray, r: np.ndarray) -> np.ndarray:
    """M r, with M⁻¹ of the permuted matrix given."""
    out = np.empty(r.shape, np.result_type(inverse, r))
    out[order] = np.linalg.solve(inverse, r[order])
    return out


# ---- engines -------------------------------------------------------------------------------------------------


def on(engine: str, A: Any) -> Any:
    """A sparse matrix for an engine of `emulated.ENGINES`."""
    if engine == "cpu":
        return A
    import cupy as cp
    from cupyx.scipy.sparse import csr_matrix

    A = sp.csr_array(A)
    return csr_matrix(tuple(cp.asarray(x) for x in (A.data, A.indices, A.indptr)), shape=A.shape)


def array(engine: str, x: np.ndarray) -> Any:
    """A vector for it, copied."""
    if engine == "cpu":
        return x.copy()
    import cupy as cp

    return cp.array(x)


def host(x: Any) -> np.ndarray:
    """Back as NumPy's."""
    return x if isinstance(x, np.ndarray) else x.get()
