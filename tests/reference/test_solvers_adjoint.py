"""The conjugate transposes of multicolor operators, and operators that were pickled or copied."""

from __future__ import annotations

import copy
import pickle
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from emulated import ENGINES
from solver_cases import array, columns, dominant, host, on

import lagcolor
from lagcolor.solvers import multicolor_dilu, multicolor_ic0, multicolor_ilu0, multicolor_sor

MAKERS: dict[str, Callable[..., Any]] = {
    "forward": lambda A, **how: multicolor_sor(A, 1.3, "forward", **how),
    "backward": lambda A, **how: multicolor_sor(A, 0.7, "backward", **how),
    "ssor": lambda A, **how: multicolor_sor(A, 1.2, **how),
    "ilu0": lambda A, **how: multicolor_ilu0(A, shift=0.1, **how),
    "dilu": multicolor_dilu,
}


def matrix(dtype: str = "float64", seed: int = 2) -> sp.csr_array:
    """With a pattern that is not symmetric."""
    A = dominant(24, 0.12, seed).astype(dtype)
    return sp.csr_array(A + 0.4j * dominant(24, 0.05, seed + 1)) if dtype == "complex128" else A


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("dtype", "b"), [("float64", 1), ("complex128", 3)])
def test_adjoint(engine: str, name: str, dtype: str, b: int) -> None:
    M = MAKERS[name](on(engine, matrix(dtype)), block_size=b)
    np.testing.assert_allclose(columns(M.H, engine), columns(M, engine).conj().T, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(host(M.H.order), host(M.order))


def test_it_is_made_once_and_anew_after_an_update() -> None:
    M = multicolor_ilu0(matrix(), storage="float32", block_size=2)
    assert M.H is M.H
    B = matrix()
    B.data = B.data * np.linspace(1, 2, B.nnz)
    M.update(B)
    np.testing.assert_allclose(columns(M.H, "cpu"), columns(M, "cpu").T, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", [*MAKERS, "ic0"])
def test_the_adjoint_s_own_is_the_first(name: str) -> None:
    """The adjoint of the adjoint is the first operator unless one has new values; it does not keep its memory alive."""
    A = dominant(24, 0.2, 4, symmetric=True)
    M = (MAKERS | {"ic0": multicolor_ic0})[name](A, block_size=2)
    assert M.H.H is M and M.H.H.H is M.H
    if name == "ic0":
        assert M.H is M
        return
    former = M.H
    M.update(sp.csr_array(2 * A))
    assert former.H is not M and M.H is not former and M.H.H is M
    np.testing.assert_allclose(columns(former, "cpu"), 2 * columns(M, "cpu").conj().T, rtol=1e-12, atol=1e-15)
    changed = M.H
    changed.update(sp.csr_array(A))
    assert M.H is not changed and changed.H is not M
    np.testing.assert_allclose(columns(M.H, "cpu"), columns(M, "cpu").conj().T, rtol=1e-9, atol=1e-12)
    last, alive, dense = M.H, weakref.ref(M), columns(M, "cpu")
    del M
    assert alive() is None
    np.testing.assert_allclose(columns(last.H, "cpu"), dense, rtol=1e-9, atol=1e-12)


def test_methods_that_need_it() -> None:
    """Biconjugate gradients apply both; the transpose is there as well."""
    A, b = matrix(), np.random.default_rng(3).standard_normal(24)
    M = multicolor_ilu0(A)
    x, info = sla.bicg(A, b, M=M, rtol=1e-10)
    assert info == 0 and np.linalg.norm(b - A @ x) <= 1e-9 * np.linalg.norm(b)
    np.testing.assert_allclose(M.T @ b, columns(M, "cpu").T @ b, rtol=1e-10)
    np.testing.assert_allclose(M.rmatvec(b), M.T @ b, rtol=1e-10)


def again(M: Any, how: str) -> Any:
    return pickle.loads(pickle.dumps(M)) if how == "pickle" else copy.deepcopy(M) if how == "deep" else copy.copy(M)


@pytest.mark.parametrize("engine", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("name", [*MAKERS, "ic0"])
def test_pickled_and_copied(engine: str, name: str) -> None:
    """A copy is an equal operator with equal order, and new values in it do not change the original."""
    A, r = dominant(24, 0.2, 4, symmetric=True), array(engine, np.random.default_rng(5).standard_normal(24))
    M = (MAKERS | {"ic0": multicolor_ic0})[name](on(engine, A), block_size=2, balance=True)
    expected = host(M @ r)
    for how in ("pickle", "deep", "copy"):
        N = again(M, how)
        assert type(N) is type(M) and N.coloring.algorithm == M.coloring.algorithm
        np.testing.assert_array_equal(host(N.order), host(M.order))
        np.testing.assert_array_equal(host(N @ r), expected)
        N.update(on(engine, sp.csr_array(2 * A)))
        np.testing.assert_allclose(host(N @ r), expected / 2, rtol=1e-12)
        np.testing.assert_array_equal(host(M @ r), expected)
        assert lagcolor.verify(N.coloring.graph, N.coloring).ok


@pytest.mark.parametrize("engine", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_a_warning_comes_once(engine: str) -> None:
    """Copies and adjoints of the operator do not repeat it; new values may warn again."""
    kershaw = sp.csr_array([[3.0, -2, 0, 2], [-2, 3, -2, 0], [0, -2, 3, -2], [2, 0, -2, 3]])
    A = on(engine, kershaw)
    with pytest.warns(lagcolor.PivotWarning):
        M = multicolor_dilu(A, coloring=np.arange(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        others = [M.H, *(again(M, how) for how in ("pickle", "deep", "copy"))]
        again(others[1], "pickle")
    for N in others:
        assert N.notes["pivots"] == M.notes["pivots"]
        with pytest.warns(lagcolor.PivotWarning):
            N.update(on(engine, sp.csr_array(2 * kershaw)))
