"""What multicolor factors are defined by, what breaks down and what errors advise, and the range of numbers."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import solver_cases as cases
from emulated import ENGINES
from solver_cases import applied, array, columns, dominant, host, on, poisson, vector

import lagcolor
from lagcolor.solvers import multicolor_dilu, multicolor_ic0, multicolor_ilu0, multicolor_sor

METHODS = {name: make for name, make in cases.METHODS.items() if name != "sor"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", ["ilu0", "dilu"])
def test_blocks_whose_own_diagonal_is_zero(engine: str, method: str) -> None:
    """Blocks with a zero diagonal have inverses, which need row pivots."""
    A = sp.csr_array(sp.kron(dominant(6, 0.4, 3), [[0.0, 2], [3, 1]]))
    r, M = vector(12), METHODS[method](on(engine, A), block_size=2)
    expected = applied(getattr(cases, method)(A, host(M.order), 2), host(M.order), r)
    np.testing.assert_allclose(host(M @ array(engine, r)), expected, rtol=1e-10)
    M = multicolor_sor(on(engine, A), 1.2, block_size=2)
    expected = applied(cases.sor(A, host(M.order), 2, 1.2, "symmetric"), host(M.order), r)
    np.testing.assert_allclose(host(M @ array(engine, r)), expected, rtol=1e-10)


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
    """Kershaw's matrix and its negative give a warning about the last pivot; M-matrices and updates to one do not."""
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
    """A stored zero on the diagonal without fill: the advice is to permute rows."""
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


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_asymmetry_is_measured_with_the_diagonal(engine: str, scale: float) -> None:
    """Units do not change how far a matrix is from Hermitian; a matrix that is near enough is accepted."""
    A = poisson(4).toarray()
    A[5, 6] = -0.9
    with pytest.raises(lagcolor.GraphError, match="is not the conjugate of its mirror image"):
        multicolor_ic0(on(engine, sp.csr_array(scale * A)))
    A[5, 6] = -1 + 1e-13
    multicolor_ic0(on(engine, sp.csr_array(scale * A)))


def stored(A: sp.csr_array, at: tuple[int, int], value: float) -> sp.csr_array:
    """With one more entry, of zero, too."""
    B = A.tocoo()
    i, j = (np.append(places, place) for places, place in zip(B.coords, at, strict=True))
    return sp.csr_array((np.append(B.data, value), (i, j)), A.shape)


def test_stored_zeros_on_the_diagonal() -> None:
    """Stored zeros work if elimination fills them in: here in row 4, of the second color, after its neighbors."""
    A = poisson(3).tolil()
    A[4, 4] = 0
    A, coloring = sp.coo_matrix(A), np.array([1, 0, 1, 0, 1, 0, 1, 0, 1])
    with pytest.raises(lagcolor.GraphError, match="row 4 has no diagonal entry: sweeps divide by it") as e:
        multicolor_ilu0(A, coloring=coloring)
    passed = {"A": A}
    exec(re.search(r"as by (.*), where elimination", str(e.value))[1], passed)  # type: ignore[index]
    M, r, B = multicolor_ilu0(passed["A"], coloring=coloring), vector(9), sp.csr_array(passed["A"])
    np.testing.assert_allclose(M @ r, applied(cases.ilu0(B, M.order, 1), M.order, r), rtol=1e-10)
    C = sp.bsr_array(sp.csr_array([[0.0, 0, 1, 2], [0, 0, 3, 1], [1, 2, 9, 0], [2, 1, 0, 9]]), blocksize=(2, 2))
    with pytest.raises(lagcolor.GraphError, match=r"block row 0 .* no diagonal block.*ilu0 with block_size=2"):
        multicolor_ilu0(C)
    C = C.tocsr()  # which does not tell the block size
    C.setdiag(C.diagonal())
    assert np.isfinite(multicolor_ilu0(C, coloring=[1, 0], block_size=2) @ np.ones(4)).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_complex_matrix_for_a_real_operator(engine: str) -> None:
    """An operator of its real part would be another one; the other way round is no loss."""
    A, Z = poisson(3), sp.csr_array(poisson(3) * (1 + 0.5j))
    with pytest.raises(lagcolor.OptionError, match=r"of type complex128, .* of float64: make the operator anew$"):
        multicolor_sor(on(engine, A)).update(on(engine, Z))
    with pytest.raises(lagcolor.OptionError, match=r"take A.astype\('complex128'\), or make the operator anew$"):
        multicolor_sor(on(engine, Z)).update(on(engine, A))
    with pytest.raises(lagcolor.OptionError, match=r"take A.astype\('complex64'\), or"):
        multicolor_sor(on(engine, Z.astype("c8"))).update(on(engine, Z))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", cases.METHODS)
@pytest.mark.parametrize("b", [1, 2])
def test_numbers_too_small_for_an_inverse(engine: str, name: str, b: int) -> None:
    """No shift and no order of rows helps."""
    tiny = sp.csr_array(poisson(4) * 1e-320)
    what = "4e-320 on its diagonal" if b == 1 else "a diagonal block of 4e-320 at most"
    with pytest.raises(
        lagcolor.GraphError, match=rf"row 0 .*has {what}, which has no inverse in float64: scale the m"
    ) as e:
        cases.METHODS[name](on(engine, tiny), block_size=b)
    assert "shift" not in str(e.value) and "permute" not in str(e.value)
    cases.METHODS[name](on(engine, sp.csr_array(tiny * 1e200 * 1e120)), block_size=b)
    with pytest.raises(lagcolor.GraphError, match=r"which has no inverse in float32: scale the matrix$"):
        cases.METHODS[name](on(engine, sp.csr_array((poisson(4) * 1e-42).astype("f4"))), block_size=b)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("b", "at"), [(1, (0, 15)), (2, (15, 0))])
def test_ic0_of_a_stored_zero_without_its_mirror_image(engine: str, b: int, at: tuple[int, int]) -> None:
    """The matrix is Hermitian, and its pattern is not symmetric; another such entry that is not zero counts first."""
    A, (i, j) = stored(poisson(4), at, 0), at
    assert A.nnz == poisson(4).nnz + 1
    entry = re.escape(f"entry ({i}, {j})" if b == 1 else f"block ({i // 2}, {j // 2})")
    text = rf"^the pattern is not symmetric: {entry} is stored, as zero, .*: call A\.eliminate_zeros\(\)$"
    with pytest.raises(lagcolor.GraphError, match=text):
        multicolor_ic0(on(engine, A), block_size=b)
    one = re.escape("entry (9, 1)" if b == 1 else "block (4, 0)")
    with pytest.raises(lagcolor.GraphError, match=rf"not Hermitian: {one} is there, and its mirror image is not"):
        multicolor_ic0(on(engine, stored(A, (9, 1), 1.0)), block_size=b)
    A.eliminate_zeros()
    multicolor_ic0(on(engine, A), block_size=b)


def test_entries_of_blocks_are_updated_by_blocks() -> None:
    """An operator of a CSR matrix takes the BSR matrix of the same blocks, full or not."""
    A = dominant(24, 0.1, 5, symmetric=True)
    B, r = sp.csr_array(A * 2), vector(24)
    assert A.nnz < A.tobsr((3, 3)).data.size
    M, wanted = (multicolor_ilu0(X, block_size=3) for X in (A, B))
    M.update(B.tobsr((3, 3)))
    np.testing.assert_allclose(M @ r, wanted @ r, rtol=1e-13)
    M.update(A)
    assert np.abs(M @ r - 2 * (wanted @ r)).max() < 1e-13
    with pytest.raises(lagcolor.GraphError, match="block row 0 has other columns"):
        M.update(sp.eye_array(24, format="csr").tobsr((3, 3)))
    bad = B.tobsr((3, 3))
    bad.data[2, 1, 1] = np.nan
    with pytest.raises(lagcolor.GraphError, match="is nan: a solver needs finite numbers"):
        M.update(bad)


# Types, sizes of blocks, and factors of a matrix whose inverse pivots have no squares in them.
SCALES = [("float32", 1, 1e-25), ("float64", 2, 1e-160), ("float64", 1, 4e307), ("complex64", 2, 1e-25)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", cases.METHODS)
@pytest.mark.parametrize(("dtype", "b", "factor"), SCALES)
def test_a_factor_of_the_matrix_is_one_of_the_operator(
    engine: str, name: str, dtype: str, b: int, factor: float
) -> None:
    A = poisson(4)
    if np.dtype(dtype).kind == "c":
        A = sp.csr_array(A + 0.5j * (sp.triu(A, 1) - sp.tril(A, -1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        M = cases.METHODS[name](on(engine, sp.csr_array((A * factor).astype(dtype))), block_size=b)
        N = cases.METHODS[name](on(engine, A), block_size=b)
    wide = np.result_type(dtype, np.float64)
    found = columns(M, engine).astype(wide) * factor
    np.testing.assert_allclose(found, columns(N, engine), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", cases.METHODS)
@pytest.mark.parametrize(("b", "dtype"), [(1, "float64"), (2, "complex128")])
def test_narrow_storage_stays_symmetric_to_rounding(engine: str, name: str, b: int, dtype: str) -> None:
    """For CG, which would otherwise stall at the digits of the storage."""
    A = dominant(40, 0.1, 5, symmetric=True)
    if dtype == "complex128":
        A = sp.csr_array(A + 0.3j * (sp.triu(A, 1) - sp.tril(A, -1)))
    M = columns(cases.METHODS[name](on(engine, A), block_size=b, storage="float32"), engine)
    assert np.abs(M - M.conj().T).max() < 1e-14 * np.abs(M).max()


@pytest.mark.parametrize("engine", ENGINES)
def test_products_of_narrow_numbers_are_wide(engine: str) -> None:
    """An inverse pivot of 1e25 and an entry of 1e22 fit float32, but their product does not."""
    A, ones = sp.csr_array([[1e-25, 1e22], [1e22, 1e37]]), array(engine, np.ones(2))
    M, N = (multicolor_sor(on(engine, A), storage=storage) for storage in ("float32", None))
    found = host(M @ ones)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, host(N @ ones), rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", cases.METHODS)
def test_inverses_under_the_least_normal_number_are_refused(engine: str, name: str) -> None:
    """On a CPU, too, which has such numbers with fewer digits: a GPU makes zeros of them."""
    A = on(engine, sp.csr_array(np.diag([1.0, 1e38])))
    with pytest.raises(
        lagcolor.GraphError, match=r"^the pivot of row 1 is too large .*, which has inverses .* up to 8e37"
    ):
        cases.METHODS[name](A, storage="float32")
    cases.METHODS[name](on(engine, sp.csr_array(np.diag([1.0, 8e37]))), storage="float32")
