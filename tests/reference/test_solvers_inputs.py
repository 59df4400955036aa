"""What solvers take: formats, types of indices, unsorted rows, blocks; new values; and what they refuse, by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from contract.kinds import messy
from emulated import ENGINES
from solver_cases import CORPUS, array, dominant, host, on, poisson, vector

import lagcolor
from lagcolor import solvers
from lagcolor.solvers import multicolor_dilu, multicolor_ic0, multicolor_ilu0, multicolor_sor, symbolic

METHODS: list[Callable[..., Any]] = [multicolor_sor, multicolor_ilu0, multicolor_dilu, multicolor_ic0]
BY_NAME = [pytest.param(method, id=method.__name__.removeprefix("multicolor_")) for method in METHODS]


# ---- formats -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("b", [1, 2])
def test_unsorted_rows_and_duplicates_that_are_called_canonical(b: int) -> None:
    A = dominant(20, 0.2, 3, symmetric=True)
    B, C = messy(A, "csr"), messy(2 * A, "csr")
    B.has_canonical_format = C.has_canonical_format = True  # not so: it must not be relied on
    M, N = multicolor_ilu0(A, block_size=b), multicolor_ilu0(B, block_size=b)
    np.testing.assert_allclose(N @ vector(20), M @ vector(20), rtol=1e-13)
    N.update(C)
    np.testing.assert_allclose(N @ vector(20), M @ vector(20) / 2, rtol=1e-13)


def test_bsr_has_its_own_block_size() -> None:
    A = sp.kron(poisson(3), [[4.0, 1], [2, 5]])
    B = sp.bsr_array(A, blocksize=(2, 2))
    M, N = multicolor_sor(B, 1.1), multicolor_sor(sp.csr_array(A), 1.1, block_size=2)
    assert M.block_size == N.block_size == 2 and multicolor_sor(B, block_size=1).block_size == 1
    assert len(M.coloring) == 9 and M.coloring.n_colors == 2
    np.testing.assert_array_equal(M.order, N.order)
    np.testing.assert_array_equal(M @ vector(18), N @ vector(18))
    each = np.repeat(np.arange(len(B.indices)), 2)
    halves = sp.bsr_array((B.data[each] / 2, B.indices[each], 2 * B.indptr), shape=B.shape)  # which are added
    np.testing.assert_allclose(multicolor_sor(halves, 1.1) @ vector(18), M @ vector(18), rtol=1e-14)
    M.update(2 * B)
    np.testing.assert_allclose(M @ vector(18), N @ vector(18) / 2, rtol=1e-14)


@pytest.mark.parametrize("engine", ENGINES)
def test_both_ways_to_make_triangles_agree(engine: str) -> None:
    """By counting, or by sorting keys, which is for rows that are long on a GPU."""
    for make in CORPUS.values():
        P = lagcolor.Pattern.of(on(engine, make()))
        S = symbolic.Symbolic(P)
        diagonal, lower, upper = symbolic._sorted(P, S.place)
        np.testing.assert_array_equal(host(diagonal), host(S.diagonal))
        for mine, sorted_by_key in zip((*S.lower, *S.upper), (*lower, *upper), strict=True):
            np.testing.assert_array_equal(host(mine), host(sorted_by_key))


@pytest.mark.parametrize("engine", ENGINES)
def test_few_colors_where_few_do(engine: str) -> None:
    """Two on a bipartite graph; eight on a box of hexahedra, in the order of ids."""
    box = sp.diags_array([np.ones(9), np.ones(10), np.ones(9)], offsets=[-1, 0, 1])
    for A, k in (
        (poisson(7), 2),
        (sp.kron(sp.kron(box, box), box) + 30 * sp.eye_array(1000), 8),
        (dominant(9, 1, 1), 9),
    ):
        M = multicolor_sor(on(engine, sp.csr_array(A)))
        assert M.coloring.n_colors == M.notes["colors"] == k
        assert M.coloring.verified and M.coloring.verify().ok


def test_nothing_to_solve() -> None:
    for method in METHODS:
        for b in (1, 2):
            M = method(sp.csr_array((0, 0)), block_size=b)
            assert (M @ np.zeros(0)).shape == M.order.shape == (0,)
            M.sweep(np.zeros(0), np.zeros(0))
            M.sweep(np.zeros((0, 2)), np.zeros((0, 2)))


# ---- new values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", BY_NAME)
@pytest.mark.parametrize("b", [1, 3])
def test_update_takes_values_and_colors_nothing_again(
    engine: str, method: Any, b: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    A = dominant(24, 0.2, 3, symmetric=True)
    B = A.copy()
    B.data = np.where(A.data > 1, 3.0, 0.5) * A.data
    M, N = (method(on(engine, X), block_size=b) for X in (A, B))
    monkeypatch.setattr("lagcolor.solvers.operators.Symbolic", None)
    r = array(engine, vector(24))
    assert np.abs(host(M @ r) - host(N @ r)).max() > 1e-3
    M.update(on(engine, B))
    np.testing.assert_array_equal(host(M @ r), host(N @ r))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("b", [1, 3])
def test_update_refuses_another_pattern(engine: str, b: int) -> None:
    A = poisson(3)
    M, r = multicolor_ilu0(on(engine, A), block_size=b), array(engine, vector(9))
    before, swept = host(M @ r), array(engine, np.zeros(9))
    M.sweep(swept, r, iterations=2)
    more = A.toarray()
    more[5, 0] = 0.1
    moved = A.toarray()
    moved[5, 0], moved[5, 4] = moved[5, 4], 0
    for other in (more, moved):
        with pytest.raises(lagcolor.GraphError, match="update: row 5 has other columns"):
            M.update(on(engine, sp.csr_array(other)))
    with pytest.raises(lagcolor.GraphError, match=r"^update: the matrix has shape \(16, 16\)"):
        M.update(on(engine, poisson(4)))
    with pytest.raises(lagcolor.OptionError, match=r"take A.astype\('float64'\)"):
        M.update(on(engine, A.astype(np.float32)))
    bad = A.copy()
    bad.data[:] = 0
    with pytest.raises(lagcolor.GraphError, match=r"row 0 .*has a (zero|singular) pivot"):
        M.update(on(engine, bad))
    np.testing.assert_array_equal(host(M @ r), before)
    x = array(engine, np.zeros(9))
    M.sweep(x, r, iterations=2)
    np.testing.assert_array_equal(host(x), host(swept))  # with the matrix before


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pattern_changed_in_place_is_another(engine: str) -> None:
    A = on(engine, sp.csr_array([[3.0, 1, 0], [0, 3, 0], [1, 0, 3]]))
    M = multicolor_sor(A)
    A.indices[1] = 2
    with pytest.raises(lagcolor.GraphError, match=r"^update: row 0 has other columns"):
        M.update(A)


# ---- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", BY_NAME)
def test_rows_without_a_diagonal(engine: str, method: Any) -> None:
    A = poisson(4).toarray()
    A[6, 6] = 0
    with pytest.raises(lagcolor.GraphError, match="row 6 has no diagonal entry"):
        method(on(engine, sp.csr_array(A)))
    A[4:8, 4:8] = 0
    with pytest.raises(lagcolor.GraphError, match=r"^block row 2 \(rows 4 …\) has no diagonal block"):
        method(on(engine, sp.csr_array(A)), block_size=2)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_entries_that_are_not_finite(engine: str, b: int, bad: float) -> None:
    A = poisson(4)
    A.data[A.indptr[9] + 2] = bad
    column = A.indices[A.indptr[9] + 2]
    with pytest.raises(lagcolor.GraphError, match=rf"entry \(9, {column}\) is {bad}: .* mend row 9"):
        multicolor_ilu0(on(engine, A), block_size=b)
    with pytest.raises(lagcolor.GraphError, match=rf"entry \(9, {column}\)"):
        multicolor_sor(on(engine, poisson(4)), block_size=b).update(on(engine, A))
    if engine == "cpu" and b == 2:
        with pytest.raises(lagcolor.GraphError, match=rf"entry \(9, {column}\)"):
            multicolor_sor(sp.bsr_array(A, blocksize=(2, 2)))


def test_a_coloring_of_half_of_an_asymmetric_pattern_is_improper() -> None:
    """Row 0 needs column 3, and not the other way round: they still are neighbors."""
    A = sp.csr_array(np.eye(4) + np.eye(4, k=3))
    with pytest.raises(lagcolor.ColoringError, match=r"\(0, 3\)"):
        multicolor_sor(A, coloring=[0, 1, 1, 0])
    M = multicolor_sor(A, coloring=[0, 1, 1, 2])
    assert "entry (0, 3) is in it and (3, 0) is not" in M.notes["asymmetric"]
    np.testing.assert_allclose(np.linalg.inv(M @ np.eye(4)), A.toarray(), atol=1e-15)


@pytest.mark.parametrize("engine", ENGINES)
def test_colors_of_a_coloring_that_no_row_has_are_left_out(engine: str) -> None:
    """Such a color would add an empty step to each sweep."""
    A = on(engine, sp.csr_array(poisson(2).toarray()))
    G = lagcolor.Graph.of(A)
    passed = lagcolor.Coloring(array(engine, np.array([0, 2, 2, 0], np.int32)), G, "user", "user", verified=True)
    M = multicolor_ilu0(A, coloring=passed)
    assert M.notes["colors"] == M.coloring.n_colors == 2
    dense = [0, 1, 1, 0]
    np.testing.assert_array_equal(host(M.coloring.colors), dense)
    again = lagcolor.Coloring(array(engine, np.array(dense, np.int32)), G, "user", "user", verified=True)
    assert multicolor_ilu0(A, coloring=again).coloring is again


def test_what_is_no_square_sparse_matrix() -> None:
    dense = poisson(3).toarray()
    M = multicolor_sor(sp.csr_array(dense))
    for other in (dense, None):
        with pytest.raises(lagcolor.GraphError, match="solvers take sparse matrices"):
            M.update(other)
    M.update(sp.coo_array(dense))
    with pytest.raises(lagcolor.OptionError, match=r"of type longdouble|of type float128"):
        multicolor_sor(poisson(2).astype(np.longdouble))


def test_options() -> None:
    for make, how, match in (
        (multicolor_ilu0, {"shift": 1e308}, r"shift must be a number from 0 to 1e\+06"),
        (multicolor_ilu0, {"shift": -0.1}, r"shift must be a number from 0 to 1e\+06"),
    ):
        with pytest.raises(lagcolor.OptionError, match=match):
            make(poisson(3), **how)


def test_storage() -> None:
    A = poisson(3)
    with pytest.raises(lagcolor.GraphError, match=r"too large for storage='float32'.*leave storage out"):
        multicolor_sor(A * 1e60, storage="float32")
    assert multicolor_sor(A * 1e60).dtype == np.float64
    with pytest.raises(lagcolor.GraphError, match=r"the inverse of a pivot, is too large for .* scale the matrix"):
        multicolor_sor(A * 1e-60, storage="float32")
    multicolor_sor(A * 1e-60 * 1e60, storage="float32")
    A.setdiag(np.where(np.arange(9) == 4, 1e60, 4))  # whose inverse would be stored as zero
    with pytest.raises(lagcolor.GraphError, match=r"^the pivot of row 4 is too large for storage='float32'"):
        multicolor_sor(A, storage="float32")


def test_vectors_that_sweep_refuses() -> None:
    M, b = multicolor_sor(poisson(3)), np.ones(9)
    locked = np.zeros(9)
    locked.flags.writeable = False
    for x, right, match in [
        (np.zeros(8), b, r"x must be a NumPy array of shape \(9,\) or \(9, k\), not ndarray \(8,\)"),
        ([0.0] * 9, b, "x must be a NumPy array"),
        (np.zeros((9, 2)), b, "give both the same"),
        (np.zeros(9, int), b, r"x is of type int64 and is written to in place: take x.astype\('float64'\)"),
        (np.zeros(9), np.ma.array(b, mask=b), r"b must not have masked entries: .* b.filled\(value\)"),
        (np.zeros(9), b * 1j, r"take x.astype\('complex128'\)"),
        (locked, b, r"read-only.*take x.copy\(\)"),
    ]:
        with pytest.raises(lagcolor.GraphError, match=match):
            M.sweep(x, right)
    with pytest.raises(lagcolor.OptionError, match=r"^iterations must be a whole number from 0 on, not -1$"):
        M.sweep(np.zeros(9), b, iterations=-1)


def test_classes() -> None:
    """Each function returns an object of a public class that is a LinearOperator of the matrix's library."""
    for name in ("SOR", "ILU0", "IC0", "DILU"):
        M, kind = getattr(solvers, f"multicolor_{name.lower()}")(poisson(3)), getattr(solvers, f"Multicolor{name}")
        assert isinstance(M, kind) and isinstance(M, solvers.Multicolor) and isinstance(M, sla.LinearOperator)
        assert type(M).__name__ == kind.__name__ in solvers.__all__


def test_types_byte_orders_and_numpy_s_matrices() -> None:
    A, r = poisson(4), np.arange(16.0)
    M, wanted = multicolor_sor(A), np.zeros(16)
    M.sweep(wanted, r)
    whole = multicolor_sor(A.astype(np.int32))
    assert whole.dtype == multicolor_sor(sp.eye_array(3, format="csr", dtype=bool)).dtype == np.float64
    np.testing.assert_array_equal(whole @ np.arange(16), M @ r)
    other = sp.csr_array((A.data.astype(">f8"), A.indices, A.indptr), A.shape)
    np.testing.assert_array_equal(multicolor_sor(other) @ r, M @ r)
    column, x = np.asmatrix(r).T, np.asmatrix(np.zeros(16)).T
    np.testing.assert_array_equal(np.asarray(M.matvec(column)).ravel(), M @ r)
    M.sweep(x, column)
    np.testing.assert_array_equal(np.asarray(x).ravel(), wanted)
