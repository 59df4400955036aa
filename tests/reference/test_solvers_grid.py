"""Every method of `lagcolor.solvers` against dense algebra: matrices of all shapes, types of numbers, and blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
import solver_cases as cases
from emulated import ENGINES
from solver_cases import CORPUS, array, dominant, host, on, poisson

import lagcolor
from lagcolor.solvers import multicolor_dilu, multicolor_ic0, multicolor_ilu0, multicolor_sor

TYPES = [("float32", 1), ("float64", 2), ("float64", 3), ("complex64", 3), ("complex128", 1), ("complex128", 2)]
ROUNDING = {"float32": 3e-6, "float64": 1e-14, "complex64": 3e-6, "complex128": 1e-14}
OMEGA = 1.3
SWEEPS = ("symmetric", "forward", "backward")
METHODS: dict[str, Callable[..., Any]] = {
    **{f"sor {sweep}": partial(multicolor_sor, omega=OMEGA, sweep=sweep) for sweep in SWEEPS},
    "ilu0": multicolor_ilu0,
    "dilu": multicolor_dilu,
    "ic0": multicolor_ic0,
}
ROWS = 7  # of blocks
NOT_HERMITIAN = r"is not Hermitian: .* is not the conjugate of its mirror"


def matrix(dtype: str, b: int, hermitian: bool = False, seed: int = 0) -> sp.csr_array:
    """Diagonally dominant, with blocks that lack entries; complex numbers have imaginary parts all over.

    Else its pattern is not symmetric; if Hermitian, only its diagonal is real.
    """
    rng, n = np.random.default_rng([seed, b]), ROWS * b
    there = np.kron(rng.random((ROWS, ROWS)) < 0.4, np.ones((b, b))) * (rng.random((n, n)) < 0.8)
    within = np.kron(np.eye(ROWS), np.ones((b, b)))
    A = (there + within > 0) * rng.uniform(0.3, 1, (n, n)) * rng.choice([-1, 1], (n, n))
    if dtype[0] == "c":
        A = A * np.exp(1j * rng.uniform(0.3, 1.2, (n, n)))
    if hermitian:
        A = A + A.conj().T
        return sp.csr_array((A - np.diag(np.diag(A)) + np.diag(abs(A).sum(axis=1) + 1)).astype(dtype))
    turn = np.exp(0.7j) if dtype[0] == "c" else 1
    return sp.csr_array((A + turn * np.diag(2 * abs(A).sum(axis=1) + 1)).astype(dtype))


def vector(n: int, dtype: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) + (1j * rng.standard_normal(n) if dtype[0] == "c" else 0)).astype(dtype)


def applied(A: sp.csr_array, order: np.ndarray, b: int, method: str, r: np.ndarray, omega: float = OMEGA) -> np.ndarray:
    """M r of a method by its definition, in double precision."""
    wide = A.astype(np.result_type(A.dtype, np.float64))
    name, _, sweep = method.partition(" ")
    how = (b, omega, sweep or "symmetric") if name == "sor" else (b,)
    return cases.applied(getattr(cases, name)(wide, order, *how), order, r)


def close(found: Any, expected: np.ndarray, tolerance: float) -> None:
    np.testing.assert_allclose(host(found), expected, rtol=0, atol=30 * tolerance * abs(expected).max())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("dtype", "b"), TYPES)
def test_by_definition(engine: str, method: str, b: int, dtype: str) -> None:
    """One application, two improvements, new values, and factors in single precision."""
    A, n = matrix(dtype, b, method == "ic0"), ROWS * b
    mine = on(engine, A)
    M = METHODS[method](mine, block_size=b)
    r, x, tolerance = vector(n, dtype, 1), vector(n, dtype, 2), ROUNDING[dtype]
    order = host(M.order)
    expected = applied(A, order, b, method, r)
    found = M @ array(engine, r)
    assert M.dtype == found.dtype == dtype and M.block_size == b
    close(found, expected, tolerance)
    improved = array(engine, x)
    M.sweep(improved, array(engine, r), iterations=2)
    assert improved.dtype == dtype
    for _ in range(2):  # of SOR a sweep from zero is an application
        x = x + applied(A, order, b, method, r - A @ x)
    close(improved, x, tolerance)
    M.update(on(engine, sp.csr_array(2 * A)))
    close(M @ array(engine, r), expected / 2, tolerance)
    if tolerance < 1e-8:
        narrow = METHODS[method](mine, block_size=b, storage="float32") @ array(engine, r)
        assert narrow.dtype == dtype and abs(host(narrow) - expected).max() > 1e-10 * abs(expected).max()
        close(narrow, expected, ROUNDING["float32"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", cases.METHODS)
@pytest.mark.parametrize("name", CORPUS)
def test_corpus(engine: str, method: str, name: str) -> None:
    if method == "ic0" and name == "asymmetric":
        return
    A = CORPUS[name]()
    M, r = cases.METHODS[method](on(engine, A)), cases.vector(A.shape[0])
    close(M @ array(engine, r), applied(A, host(M.order), 1, method, r, 1.0), 1e-13)
    assert ("asymmetric" in M.notes) == (name == "asymmetric")
    assert M.coloring.verify().ok


@pytest.mark.parametrize(
    "make", [partial(multicolor_sor, omega=1.5), multicolor_ic0, partial(multicolor_ic0, block_size=3)]
)
def test_symmetric_ones_are_definite_and_cg_converges(make: Any) -> None:
    A = poisson(12)
    M = make(A)
    dense = M @ np.eye(144)
    np.testing.assert_allclose(dense, dense.T, rtol=1e-12, atol=1e-15)
    assert np.linalg.eigvalsh(dense).min() > 0
    b, steps = A @ cases.vector(144), {"with": list[Any](), "without": list[Any]()}
    x, info = sla.cg(A, b, M=M, rtol=1e-10, callback=steps["with"].append)
    sla.cg(A, b, rtol=1e-10, callback=steps["without"].append)
    assert info == 0 and np.linalg.norm(b - A @ x) <= 1e-9 * np.linalg.norm(b)
    assert len(steps["with"]) < len(steps["without"])


@pytest.mark.parametrize("b", [1, 3])
def test_a_passed_coloring_and_balanced_classes(b: int) -> None:
    A, n, r = poisson(6), 36 // b, cases.vector(36)
    alone = np.arange(n)[::-1]  # a color per row: Gauss-Seidel from the last to the first
    M = multicolor_sor(A, OMEGA, "forward", coloring=alone, block_size=b)
    np.testing.assert_array_equal(M.order.reshape(n, b)[:, 0] // b, np.arange(n)[::-1])
    close(M @ r, applied(A, M.order, b, "sor forward", r), 1e-13)
    uneven = lagcolor.color(M.coloring.graph)
    assert multicolor_sor(A, coloring=uneven, block_size=b).coloring is uneven
    sizes = multicolor_sor(dominant(60, 0.1, 2), balance=True).coloring.class_sizes
    assert sizes.max() - sizes.min() <= 1 or sizes.max() <= 1.05 * sizes.min()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("dtype", "b"), [("complex64", 1), ("complex128", 3)])
def test_ic0_of_complex_matrices(engine: str, b: int, dtype: str) -> None:
    """Hermitian ones, whose IC(0) is Hermitian and definite; symmetric ones and a complex diagonal are refused."""
    A = matrix(dtype, b, hermitian=True)
    dense = A.toarray()
    assert abs(dense.imag).max() > 0.2 and not dense.diagonal().imag.any()
    M, eye = multicolor_ic0(on(engine, A), block_size=b), np.eye(len(dense), dtype=dtype)
    found = np.stack([host(M @ array(engine, column)) for column in eye], axis=1)
    np.testing.assert_allclose(found, found.conj().T, rtol=0, atol=10 * ROUNDING[dtype] * abs(found).max())
    assert abs(found.imag).max() > 1e-3 * abs(found).max() and np.linalg.eigvalsh(found).min() > 0
    symmetric, tilted, one_sided = dense + 0, dense + 0, dense + 0
    i, j = (int(k[0]) for k in np.nonzero(np.triu(dense, b)))
    symmetric[j, i] = symmetric[i, j]  # not conjugate
    tilted[2 * b, 2 * b] += 0.5j
    one_sided[i, j] = one_sided[i, j].conj()
    named = {f"({j // b}, {i // b})", f"({i // b}, {j // b})"}
    for wrong, entries in ((symmetric, named), (one_sided, named), (tilted, {"(2, 2)"})):
        with pytest.raises(lagcolor.GraphError, match=NOT_HERMITIAN) as e:
            multicolor_ic0(on(engine, sp.csr_array(wrong)), block_size=b)
        assert any(entry in str(e.value) for entry in entries)
        multicolor_ilu0(on(engine, sp.csr_array(wrong)), block_size=b)  # as the message says
        multicolor_ic0(on(engine, sp.csr_array((wrong + wrong.conj().T) / 2)), block_size=b)
