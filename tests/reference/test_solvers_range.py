"""Matrices whose numbers are near the ends of their type's range, and factors kept in a narrower one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from emulated import ENGINES
from solver_cases import METHODS, array, columns, dominant, host, on, poisson

import lagcolor
from lagcolor.solvers import multicolor_ic0, multicolor_sor

# Types, and factors of a matrix whose inverse pivots have no squares in them.
SCALES = [("float32", 1e-25), ("float64", 1e-160), ("complex64", 1e-25)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("dtype", "factor"), SCALES)
@pytest.mark.parametrize("b", [1, 2])
def test_a_factor_of_the_matrix_is_one_of_the_operator(
    engine: str, name: str, dtype: str, factor: float, b: int
) -> None:
    A = poisson(4)
    if np.dtype(dtype).kind == "c":
        A = sp.csr_array(A + 0.5j * (sp.triu(A, 1) - sp.tril(A, -1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        M = METHODS[name](on(engine, sp.csr_array((A * factor).astype(dtype))), block_size=b)
        N = METHODS[name](on(engine, A), block_size=b)
    wide = np.result_type(dtype, np.float64)
    found = columns(M, engine).astype(wide) * factor
    np.testing.assert_allclose(found, columns(N, engine), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("b", [1, 2])
def test_ic0_of_numbers_whose_doubles_are_out_of_range(engine: str, b: int) -> None:
    A = poisson(4)
    found = columns(multicolor_ic0(on(engine, sp.csr_array(A * 4e307)), block_size=b), engine)
    np.testing.assert_allclose(found * 4e307, columns(multicolor_ic0(on(engine, A), block_size=b), engine), rtol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_narrow_storage_stays_symmetric_to_rounding(engine: str, name: str, b: int, dtype: str) -> None:
    """For CG, which would otherwise stall at the digits of the storage."""
    A = dominant(40, 0.1, 5, symmetric=True)
    if dtype == "complex128":
        A = sp.csr_array(A + 0.3j * (sp.triu(A, 1) - sp.tril(A, -1)))
    M = columns(METHODS[name](on(engine, A), block_size=b, storage="float32"), engine)
    assert np.abs(M - M.conj().T).max() < 1e-14 * np.abs(M).max()


@pytest.mark.parametrize("engine", ENGINES)
def test_products_of_narrow_numbers_are_wide(engine: str) -> None:
    """Of an inverse pivot of 1e25 and an entry of 1e22, which float32 has, and their product not."""
    A, ones = sp.csr_array([[1e-25, 1e22], [1e22, 1e37]]), array(engine, np.ones(2))
    M, N = (multicolor_sor(on(engine, A), storage=storage) for storage in ("float32", None))
    found = host(M @ ones)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, host(N @ ones), rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", METHODS)
def test_inverses_under_the_least_normal_number_are_refused(engine: str, name: str) -> None:
    """On a CPU, too, which has such numbers with fewer digits: a GPU makes zeros of them."""
    A = on(engine, sp.csr_array(np.diag([1.0, 1e38])))
    with pytest.raises(
        lagcolor.GraphError, match=r"^the pivot of row 1 is too large .*, which has inverses .* up to 8e37"
    ):
        METHODS[name](A, storage="float32")
    METHODS[name](on(engine, sp.csr_array(np.diag([1.0, 8e37]))), storage="float32")
