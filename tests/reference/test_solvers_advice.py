"""What errors and notes of solvers advise: done as they say, it helps; blocks are called so."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from emulated import ENGINES
from solver_cases import METHODS, dominant, on, poisson

import lagcolor
from lagcolor.solvers import multicolor_ic0, multicolor_ilu0, multicolor_sor

FORMATS = ["csr", "coo", "bsr"]


def without_a_diagonal_entry(format: str, kind: str) -> Any:
    A = poisson(3).tolil()
    A[4, 4] = 0
    A = sp.csr_array(A)
    A.eliminate_zeros()
    return (sp.csr_array if kind == "array" else sp.csr_matrix)(A).asformat(format)


def stored(A: sp.csr_array, at: tuple[int, int], value: float) -> sp.csr_array:
    """With one more entry, of zero, too."""
    B = A.tocoo()
    i, j = (np.append(places, place) for places, place in zip(B.coords, at, strict=True))
    return sp.csr_array((np.append(B.data, value), (i, j)), A.shape)


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", FORMATS)
def test_stored_zeros_on_the_diagonal(format: str, kind: str) -> None:
    """They serve where elimination fills them in: here in row 4, of the second color, after its neighbors."""
    A, coloring = without_a_diagonal_entry(format, kind), np.array([1, 0, 1, 0, 1, 0, 1, 0, 1])
    with pytest.raises(lagcolor.GraphError, match="row 4 has no diagonal entry: sweeps divide by it") as e:
        multicolor_ilu0(A, coloring=coloring, block_size=1)
    given = {"A": A}
    exec(re.search(r"as by (.*), where elimination", str(e.value))[1], given)  # type: ignore[index]
    M, r = multicolor_ilu0(given["A"], coloring=coloring, block_size=1), np.ones(9)
    assert np.isfinite(M @ r).all()


def test_stored_zeros_of_a_diagonal_block() -> None:
    """With the block size, which a CSR matrix does not tell."""
    A = sp.bsr_array(sp.csr_array([[0.0, 0, 1, 2], [0, 0, 3, 1], [1, 2, 9, 0], [2, 1, 0, 9]]), blocksize=(2, 2))
    with pytest.raises(
        lagcolor.GraphError, match=r"block row 0 .* no diagonal block.*multicolor_ilu0 with block_size=2"
    ):
        multicolor_ilu0(A)
    A = A.tocsr()
    A.setdiag(A.diagonal())
    assert np.isfinite(multicolor_ilu0(A, coloring=[1, 0], block_size=2) @ np.ones(4)).all()


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
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("b", [1, 2])
def test_numbers_too_small_for_an_inverse(engine: str, name: str, b: int) -> None:
    """No shift and no order of rows helps."""
    tiny = sp.csr_array(poisson(4) * 1e-320)
    what = "4e-320 on its diagonal" if b == 1 else "a diagonal block of 4e-320 at most"
    with pytest.raises(
        lagcolor.GraphError, match=rf"row 0 .*has {what}, which has no inverse in float64: scale the m"
    ) as e:
        METHODS[name](on(engine, tiny), block_size=b)
    assert "shift" not in str(e.value) and "permute" not in str(e.value)
    METHODS[name](on(engine, sp.csr_array(tiny * 1e200 * 1e120)), block_size=b)
    with pytest.raises(lagcolor.GraphError, match=r"which has no inverse in float32: scale the matrix$"):
        METHODS[name](on(engine, sp.csr_array((poisson(4) * 1e-42).astype("f4"))), block_size=b)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("at", [(0, 15), (15, 0)])
def test_ic0_of_a_stored_zero_without_its_mirror_image(engine: str, b: int, at: tuple[int, int]) -> None:
    """The matrix is Hermitian, and its pattern is not symmetric; another such entry that is not zero counts first."""
    A, (i, j) = stored(poisson(4), at, 0), at
    assert A.nnz == poisson(4).nnz + 1
    entry = re.escape(f"entry ({i}, {j})" if b == 1 else f"block ({i // 2}, {j // 2})")
    said = rf"^the pattern is not symmetric: {entry} is stored, as zero, .*: call A\.eliminate_zeros\(\)$"
    with pytest.raises(lagcolor.GraphError, match=said):
        multicolor_ic0(on(engine, A), block_size=b)
    one = re.escape("entry (9, 1)" if b == 1 else "block (4, 0)")
    with pytest.raises(lagcolor.GraphError, match=rf"not Hermitian: {one} is there, and its mirror image is not"):
        multicolor_ic0(on(engine, stored(A, (9, 1), 1.0)), block_size=b)
    A.eliminate_zeros()
    multicolor_ic0(on(engine, A), block_size=b)


@pytest.mark.parametrize("name", METHODS)
def test_entries_of_blocks_are_updated_by_blocks(name: str) -> None:
    """Full ones or not: what was made of a CSR matrix takes the BSR matrix of the same blocks."""
    A = dominant(24, 0.1, 5, symmetric=True)
    B = sp.csr_array(A * 2)
    assert A.nnz < A.tobsr((3, 3)).data.size
    M, wanted = (METHODS[name](X, block_size=3) for X in (A, B))
    r = np.random.default_rng(1).standard_normal(24)
    M.update(B.tobsr((3, 3)))
    np.testing.assert_allclose(M @ r, wanted @ r, rtol=1e-13)
    x, y = np.zeros(24), np.zeros(24)
    M.sweep(x, r, iterations=2)
    wanted.sweep(y, r, iterations=2)
    np.testing.assert_allclose(x, y, rtol=1e-12)
    M.update(A)
    assert np.abs(M @ r - 2 * (wanted @ r)).max() < 1e-13
    with pytest.raises(lagcolor.GraphError, match="block row 0 has other columns"):
        M.update(sp.eye_array(24, format="csr").tobsr((3, 3)))
    bad = B.tobsr((3, 3))
    bad.data[2, 1, 1] = np.nan
    with pytest.raises(lagcolor.GraphError, match="is nan: a solver needs finite numbers"):
        M.update(bad)
