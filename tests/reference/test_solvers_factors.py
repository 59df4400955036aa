"""Multicolor ILU(0), DILU and IC(0) against plain loops, and against what the factors are defined by."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
import solver_cases as cases
from emulated import ENGINES
from solver_cases import CORPUS, applied, array, dominant, host, on, poisson, vector

import lagcolor
from lagcolor.solvers import cpu, multicolor_dilu, multicolor_ic0, multicolor_ilu0, multicolor_sor

METHODS = {name: make for name, make in cases.METHODS.items() if name != "sor"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CORPUS)
def test_corpus(engine: str, method: str, name: str) -> None:
    A = CORPUS[name]()
    if method == "ic0" and name == "asymmetric":
        pytest.skip("IC(0) is for Hermitian matrices")
    M = METHODS[method](on(engine, A))
    r, order = vector(A.shape[0]), host(M.order)
    expected = applied(getattr(cases, method)(A, order, 1), order, r)
    np.testing.assert_allclose(host(M @ array(engine, r)), expected, rtol=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", ["ilu0", "dilu"])
def test_blocks_whose_own_diagonal_is_zero(engine: str, method: str) -> None:
    """They have inverses, which take row pivots."""
    A = sp.csr_array(sp.kron(dominant(6, 0.4, 3), [[0.0, 2], [3, 1]]))
    r, M = vector(12), METHODS[method](on(engine, A), block_size=2)
    expected = applied(getattr(cases, method)(A, host(M.order), 2), host(M.order), r)
    np.testing.assert_allclose(host(M @ array(engine, r)), expected, rtol=1e-10)
    M = multicolor_sor(on(engine, A), 1.2, block_size=2)
    expected = applied(cases.sor(A, host(M.order), 2, 1.2, "symmetric"), host(M.order), r)
    np.testing.assert_allclose(host(M @ array(engine, r)), expected, rtol=1e-10)


@pytest.mark.parametrize("b", [1, 2])
def test_ilu0_is_the_matrix_on_its_pattern(b: int) -> None:
    A = dominant(30, 0.2, 4)
    M = multicolor_ilu0(A, block_size=b)
    product = np.linalg.inv(M @ np.eye(30))
    there = np.kron(cases.pattern(A, np.arange(30), b), np.ones((b, b))) > 0
    assert (~there).any()
    np.testing.assert_allclose(product[there], A.toarray()[there], atol=1e-10)
    assert np.abs(product[~there]).max() > 1e-3  # fill that it leaves out


def test_dilu_has_the_diagonal_and_on_a_grid_is_ilu0() -> None:
    A = dominant(30, 0.2, 4)
    product = np.linalg.inv(multicolor_dilu(A) @ np.eye(30))
    np.testing.assert_allclose(np.diag(product), A.diagonal(), rtol=1e-12)
    grid, r = poisson(6), vector(36)
    np.testing.assert_allclose(multicolor_dilu(grid) @ r, multicolor_ilu0(grid) @ r, rtol=1e-12)


@pytest.mark.parametrize("b", [1, 3])
def test_ic0_is_symmetric_to_rounding_and_cg_converges(b: int) -> None:
    A = poisson(12)
    M = multicolor_ic0(A, block_size=b)
    dense = M @ np.eye(144)
    np.testing.assert_allclose(dense, dense.T, rtol=1e-12, atol=1e-15)
    rhs = A @ vector(144)
    x, info = sla.cg(A, rhs, M=M, rtol=1e-10)
    assert info == 0 and np.linalg.norm(rhs - A @ x) <= 1e-9 * np.linalg.norm(rhs)
    np.testing.assert_array_equal(M.H @ rhs, M @ rhs)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("b", [1, 2])
def test_threads_give_the_same(method: str, b: int, monkeypatch: pytest.MonkeyPatch) -> None:
    A, r = dominant(200, 0.03, 3, symmetric=True), vector(200)
    expected = METHODS[method](A, block_size=b, threads=1) @ r
    for limit in (0, 60):
        monkeypatch.setattr(cpu, "WHOLE", limit)
        np.testing.assert_array_equal(METHODS[method](A, block_size=b, threads=3) @ r, expected)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("method", cases.METHODS)
def test_a_singular_row_is_named_by_any_number_of_threads(
    method: str, b: int, dtype: Any, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread meets the zero, and goes on; a division of complex numbers by zero raises in numba."""
    monkeypatch.setattr(cpu, "WHOLE", 0)
    A = sp.csr_array(sp.kron(poisson(8), sp.eye_array(b)), dtype=dtype)
    rows = np.repeat(np.arange(64 * b), np.diff(A.indptr))
    A.data[np.isin(rows // b, 40) | np.isin(A.indices // b, 40)] = 0
    where = "^row 40 has a zero|^row 40 has no positive" if b == 1 else r"^block row 40 \(rows 80 to 81\) has "
    with pytest.raises(lagcolor.GraphError, match=where):
        cases.METHODS[method](A, block_size=b, threads=threads)


# ---- what breaks down ----------------------------------------------------------------------------------------

KERSHAW = sp.csr_array([[3.0, -2, 0, 2], [-2, 3, -2, 0], [0, -2, 3, -2], [2, 0, -2, 3]])  # definite, and has no IC(0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("b", [1, 2])
def test_ic0_names_the_row_and_a_shift_that_helps(engine: str, b: int) -> None:
    """Kershaw 1978: positive definite, and the last pivot is negative. With 2 × 2 blocks, of Kronecker products."""
    A = sp.csr_array(sp.kron(KERSHAW, sp.eye_array(b)))
    assert np.linalg.eigvalsh(A.toarray()).min() > 0
    mine, colors, shift = on(engine, A), np.arange(4), 0.0
    with pytest.raises(lagcolor.GraphError, match="^row 3 has" if b == 1 else r"^block row 3 \(rows 6 to 7\) has"):
        multicolor_ic0(mine, coloring=colors, block_size=b)
    for _ in range(12):
        try:
            M = multicolor_ic0(mine, coloring=colors, block_size=b, shift=shift)
            break
        except lagcolor.GraphError as e:
            shift = float(re.search(r"as shift=([\d.e-]+),", str(e))[1])  # type: ignore[index]
    assert 0 < shift < 1
    shifted = sp.csr_array(A + shift * sp.diags_array(A.diagonal()))
    r = vector(4 * b)
    expected = applied(cases.ic0(shifted, np.arange(4 * b), b), np.arange(4 * b), r)
    np.testing.assert_allclose(host(M @ array(engine, r)), expected, rtol=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", ["ilu0", "dilu"])
@pytest.mark.parametrize("b", [1, 2])
def test_a_zero_pivot_names_its_row(engine: str, method: str, b: int) -> None:
    """Row 1's becomes zero in elimination; rows after it, which divide by it, are not named."""
    dense = np.array([[2.0, 2, 0, 0], [2, 2, 1, 0], [0, 1, 5, 1], [0, 0, 1, 5]])
    A = on(engine, sp.csr_array(sp.kron(dense, sp.eye_array(b))))
    match = "^row 1 has a zero pivot: take" if b == 1 else r"^block row 1 \(rows 2 to 3\) has a singular pivot: take"
    with pytest.raises(lagcolor.GraphError, match=match) as e:
        METHODS[method](A, coloring=np.arange(4), block_size=b)
    if method == "ilu0":
        shift = float(re.search(r"as shift=([\d.e-]+),", str(e.value))[1])  # type: ignore[index]
        multicolor_ilu0(A, coloring=np.arange(4), block_size=b, shift=shift)
    else:
        multicolor_sor(A, coloring=np.arange(4), block_size=b)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("b", [1, 2])
def test_dilu_warns_of_pivots_that_lose_their_sign(engine: str, b: int) -> None:
    """Of Kershaw's matrix the last one's; also of its negative, and not of M-matrices or after an update to one."""
    A = sp.csr_array(sp.kron(KERSHAW, sp.eye_array(b)))
    mild = sp.csr_array(sp.kron(KERSHAW + 9 * sp.eye_array(4), sp.eye_array(b)))
    where = (
        "^row 3 has a pivot of another sign" if b == 1 else r"^block row 3 \(rows 6 to 7\) has a pivot that is not def"
    )
    for sign in (1, -1):
        with pytest.warns(lagcolor.PivotWarning, match=where + r".* \(1 of 4 pivots\).*multicolor_ilu0 or") as caught:
            M = multicolor_dilu(on(engine, sign * A), coloring=np.arange(4), block_size=b)
        assert caught[0].filename == __file__ and M.notes["pivots"] == str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        M.update(on(engine, mild))
        assert "pivots" not in M.notes
        before = host(M @ array(engine, vector(4 * b)))
        with pytest.raises(lagcolor.PivotWarning):
            M.update(on(engine, A))
        np.testing.assert_array_equal(host(M @ array(engine, vector(4 * b))), before)
        multicolor_dilu(on(engine, poisson(6)), block_size=b)
        multicolor_dilu(on(engine, sp.csr_array(1j * poisson(6))), block_size=b)
        multicolor_ilu0(on(engine, A), coloring=np.arange(4), block_size=b)  # as the message says
        multicolor_sor(on(engine, A), coloring=np.arange(4), block_size=b)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", cases.METHODS)
def test_blocks_that_only_rounding_keeps_from_being_singular(engine: str, method: str) -> None:
    """[.1 .3; .3 .9] has an inverse of 1e16 in doubles; a block with rows of other scales has a good one."""
    make = cases.METHODS[method]
    good, bad = np.diag([1.0, 1e20]), np.array([[0.1, 0.3], [0.3, 0.9]])
    assert abs(np.linalg.det(bad)) < 1e-16
    make(on(engine, sp.csr_array(sp.block_diag([good, good]))), block_size=2)
    with pytest.raises(lagcolor.GraphError, match=r"^block row 1 \(rows 2 to 3\) has (a singular|no positive)"):
        make(on(engine, sp.csr_array(sp.block_diag([good, bad]))), block_size=2)
    with pytest.raises(lagcolor.GraphError, match=r"^block row 0 \(rows 0 to 2\) has (a singular|no positive)"):
        make(on(engine, sp.csr_array(np.array([[2.0, 3, 4], [3, 4, 5], [4, 5, 6]]))), block_size=3)


@pytest.mark.parametrize("engine", ENGINES)
def test_advice_where_no_shift_helps(engine: str) -> None:
    """A stored zero on the diagonal, of which every part is zero, too: rows are to be permuted."""
    A = sp.csr_array((np.array([0.0, 1, 1, 0]), [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    for make in (multicolor_ilu0, multicolor_dilu):
        with pytest.raises(lagcolor.GraphError, match=r"^row 0 has a zero pivot: permute rows so that the diagonal is"):
            make(on(engine, A))
        make(on(engine, sp.csr_array(A[[1, 0]])))
    with pytest.raises(lagcolor.GraphError, match=r"^row 0 has a zero on the diagonal: .*; permute rows"):
        multicolor_sor(on(engine, A))
    with pytest.raises(lagcolor.GraphError, match=r"^row 2 has no positive diagonal, .*: take multicolor_ilu0"):
        multicolor_ic0(on(engine, sp.csr_array(np.diag([1.0, 2, -1]))))
    multicolor_ilu0(on(engine, sp.csr_array(np.diag([1.0, 2, -1]))))
    tiny = sp.csr_array(np.diag([1.0, 1e-310]))
    with pytest.raises(lagcolor.GraphError, match=r"^row 1 has 1e-310 on its diagonal, .* float64: scale the matrix"):
        multicolor_sor(on(engine, tiny))
    multicolor_sor(on(engine, tiny * 1e20))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_zero_on_the_diagonal_that_fills_in(engine: str) -> None:
    dense = np.array([[2.0, 1, 0], [1, 0, 1], [0, 1, 3]])
    A = sp.csr_array(np.where(np.eye(3) == 1, 9, dense))
    A.data[A.indices == np.repeat(np.arange(3), np.diff(A.indptr))] = np.diag(dense)
    M, r = multicolor_ilu0(on(engine, A), coloring=np.arange(3)), vector(3)
    np.testing.assert_allclose(host(M @ array(engine, r)), np.linalg.solve(dense, r), rtol=1e-12)
    with pytest.raises(lagcolor.GraphError, match="row 1 has a zero on the diagonal"):
        multicolor_sor(on(engine, A))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("b", [1, 2])
def test_ic0_of_a_matrix_that_is_not_hermitian(engine: str, b: int) -> None:
    A = poisson(4).toarray()
    A[5, 6] = -0.9
    entry = "entry (5, 6)" if b == 1 else "block (2, 3)"
    mirror = "entry (6, 5)" if b == 1 else "block (3, 2)"
    with pytest.raises(lagcolor.GraphError, match="not Hermitian") as e:
        multicolor_ic0(on(engine, sp.csr_array(A)), block_size=b)
    assert entry in str(e.value) or mirror in str(e.value)
    alone = poisson(4).toarray()
    alone[0, 15] = 0.5
    with pytest.raises(lagcolor.GraphError, match="mirror image is not; take multicolor_ilu0, or"):
        multicolor_ic0(on(engine, sp.csr_array(alone)), block_size=b)
    mended = (alone + alone.conj().T) / 2  # as the message says
    multicolor_ic0(on(engine, sp.csr_array(mended)), block_size=b)
    with pytest.raises(lagcolor.GraphError, match=r"\(3, 3\) is not the conjugate"):
        multicolor_ic0(on(engine, sp.csr_array(poisson(4) + 1j * np.diag(np.arange(16.0) == 3))))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_asymmetry_is_measured_with_the_diagonal(engine: str, scale: float) -> None:
    """The same matrix in other units is as far from Hermitian, and one that is as near is taken."""
    A = poisson(4).toarray()
    A[5, 6] = -0.9
    with pytest.raises(lagcolor.GraphError, match="is not the conjugate of its mirror image"):
        multicolor_ic0(on(engine, sp.csr_array(scale * A)))
    A[5, 6] = -1 + 1e-13
    multicolor_ic0(on(engine, sp.csr_array(scale * A)))
