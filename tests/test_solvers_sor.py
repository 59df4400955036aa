"""Multicolor SOR against dense algebra and against sweeps of PyAMG over rows sorted by color."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lagcolor.solvers import multicolor_sor


def poisson(n: int) -> sp.csr_array:
    """The five-point Laplacian of a square."""
    T = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    I = sp.eye_array(n)  # noqa: E741
    return sp.csr_array(sp.kron(T, I) + sp.kron(I, T))


def dense_sor(A: np.ndarray, order: np.ndarray, b: int, omega: float, sweep: str, r: np.ndarray) -> np.ndarray:
    """M r by dense solves with the permuted matrix's triangles, of blocks."""
    P, block = A[np.ix_(order, order)], np.arange(len(A)) // b
    below, above = block[:, None] > block, block[:, None] < block
    D = np.where(below | above, 0, P) / omega
    L, U = D + np.where(below, P, 0), D + np.where(above, P, 0)
    out, r = np.empty(len(A)), r[order]
    if sweep == "symmetric":
        r = (2 - omega) * D @ np.linalg.solve(L, r)
    out[order] = np.linalg.solve(L if sweep == "forward" else U, r)
    return out


@pytest.mark.parametrize("sweep", ["symmetric", "forward", "backward"])
@pytest.mark.parametrize(("b", "omega"), [(1, 1.0), (1, 1.4), (2, 1.0), (3, 0.7)])
def test_one_application_and_one_sweep(sweep: str, b: int, omega: float) -> None:
    A = poisson(6)
    M = multicolor_sor(A, omega, sweep, block_size=b)
    r = np.random.default_rng(1).standard_normal(36)
    x = np.zeros(36)
    M.sweep(x, r)
    expected = dense_sor(A.toarray(), M.order, b, omega, sweep, r)
    np.testing.assert_allclose(M @ r, expected, rtol=1e-12)
    np.testing.assert_allclose(x, expected, rtol=1e-12)
