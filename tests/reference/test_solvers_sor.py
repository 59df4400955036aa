"""Multicolor SOR against dense algebra, PyAMG's sweeps over rows sorted by color, and a loop of plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from emulated import ENGINES
from solver_cases import CORPUS, applied, array, dominant, host, on, poisson, sor, vector

import lagcolor
from lagcolor.solvers import multicolor_sor

SWEEPS = ["symmetric", "forward", "backward"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CORPUS)
def test_corpus(engine: str, name: str) -> None:
    A = CORPUS[name]()
    r = vector(A.shape[0])
    M = multicolor_sor(on(engine, A), 1.2)
    order = host(M.order)
    np.testing.assert_allclose(
        host(M @ array(engine, r)), applied(sor(A, order, 1, 1.2, "symmetric"), order, r), rtol=1e-11
    )
    assert ("asymmetric" in M.notes) == (name == "asymmetric")
    assert M.coloring.verify().ok


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("name", ["grid", "asymmetric", "arrow", "apart"])
def test_sweeps_are_pyamg_s_over_rows_sorted_by_color(engine: str, sweep: str, name: str) -> None:
    relaxation = pytest.importorskip("pyamg.relaxation.relaxation")
    A = CORPUS[name]()
    n = A.shape[0]
    M = multicolor_sor(on(engine, A), sweep=sweep)
    mine, theirs, b = array(engine, vector(n, 2)), vector(n, 2), vector(n, 3)
    M.sweep(mine, array(engine, b), iterations=3)
    relaxation.gauss_seidel_indexed(sp.csr_matrix(A), theirs, b, host(M.order), iterations=3, sweep=sweep)
    np.testing.assert_allclose(host(mine), theirs, rtol=1e-12, atol=1e-14)


def test_ssor_is_symmetric_and_definite_and_cg_converges() -> None:
    A = poisson(12)
    M = multicolor_sor(A, 1.5)
    dense = M @ np.eye(144)
    np.testing.assert_allclose(dense, dense.T, rtol=1e-12, atol=1e-15)
    assert np.linalg.eigvalsh(dense).min() > 0
    b, steps = A @ vector(144), {"with": 0, "without": 0}

    def count(name: str) -> Any:
        def more(_: Any) -> None:
            steps[name] += 1

        return more

    x, info = sla.cg(A, b, M=M, rtol=1e-10, callback=count("with"))
    sla.cg(A, b, rtol=1e-10, callback=count("without"))
    assert info == 0 and np.linalg.norm(b - A @ x) <= 1e-9 * np.linalg.norm(b)
    assert steps["with"] < steps["without"]


def test_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where some colors are small enough for one thread, and others are not."""
    from lagcolor.solvers import cpu

    A = dominant(300, 0.02, 3)
    r, alone = vector(300), []
    expected = multicolor_sor(A, 1.1, threads=1)
    for limit in (0, 300, 600, 1 << 20):
        monkeypatch.setattr(cpu, "WHOLE", limit)
        M = multicolor_sor(A, 1.1, threads=3)
        alone.append(int(M._engine.whole.sum()))
        np.testing.assert_array_equal(M @ r, expected @ r)
        mine, theirs = np.zeros(300), np.zeros(300)
        M.sweep(mine, r, iterations=3)
        expected.sweep(theirs, r, iterations=3)
        np.testing.assert_array_equal(mine, theirs)
    assert alone[0] == 0 and 0 < alone[1] < alone[3] == M.coloring.n_colors


@pytest.mark.parametrize("engine", ENGINES)
def test_narrow_storage_rounds_the_matrix_alone(engine: str) -> None:
    A, r = dominant(30, 0.2, 4), vector(30)
    M, N = (multicolor_sor(on(engine, A), 1.1, storage=s) for s in (None, "float32"))
    wide, narrow = (host(x @ array(engine, r)) for x in (M, N))
    assert narrow.dtype == np.float64
    assert 1e-10 < np.abs(wide - narrow).max() / np.abs(wide).max() < 1e-6
    rounded = A.astype(np.float32).astype(np.float64)
    x, r = array(engine, np.zeros(30)), array(engine, r)
    N.sweep(x, r, iterations=60)
    # The diagonal's inverses are rounded, too, which moves the fixed point by as much.
    np.testing.assert_allclose(host(x), np.linalg.solve(rounded.toarray(), host(r)), rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_right_hand_sides_of_other_shapes_and_types(engine: str) -> None:
    A = poisson(4)
    M = multicolor_sor(on(engine, A), 1.2)
    R = np.random.default_rng(3).standard_normal((16, 3))
    dense = np.stack([host(M @ array(engine, R[:, i].copy())) for i in range(3)], axis=1)
    np.testing.assert_array_equal(host(M @ array(engine, R)), dense)
    np.testing.assert_array_equal(host(M @ array(engine, R[:, 0] + 1j * R[:, 1])), dense[:, 0] + 1j * dense[:, 1])
    np.testing.assert_array_equal(host(M.matvec(array(engine, R[:, :1].copy()))), dense[:, :1])
    X, one = array(engine, np.zeros((16, 3))), array(engine, np.zeros(16))
    M.sweep(X, array(engine, R), iterations=2)
    M.sweep(one, array(engine, R[:, 1].copy()), iterations=2)
    np.testing.assert_array_equal(host(X)[:, 1], host(one))
    z = array(engine, np.zeros(16, complex))
    M.sweep(z, array(engine, R[:, 0] + 1j * R[:, 1]), iterations=2)
    np.testing.assert_array_equal(host(z), host(X)[:, 0] + 1j * host(X)[:, 1])


def test_vectors_with_strides_and_without_leave_to_write() -> None:
    A = poisson(4)
    M, r = multicolor_sor(A, 1.2), vector(16)
    apart = np.zeros(48)
    apart[::3] = r
    locked = r.copy()
    locked.flags.writeable = False
    for same in (apart[::3], locked, r.astype(np.longdouble), r[::-1].copy()[::-1]):
        np.testing.assert_array_equal(M @ same, M @ r)
    x, y = np.zeros(48), np.zeros(16)
    M.sweep(x[1::3], locked)
    M.sweep(y, r)
    np.testing.assert_array_equal(x[1::3], y)
    assert not x[::3].any() and not x[2::3].any()
    before = y.copy()
    M.sweep(y, r, iterations=0)
    np.testing.assert_array_equal(y, before)


@pytest.mark.parametrize("b", [1, 3])
def test_a_given_coloring_and_balanced_classes(b: int) -> None:
    A = poisson(6)
    n = 36 // b
    alone = np.arange(n)[::-1]  # a color per row: Gauss-Seidel from the last to the first
    M = multicolor_sor(A, 1.3, "forward", coloring=alone, block_size=b)
    np.testing.assert_array_equal(M.order.reshape(n, b)[:, 0] // b, np.arange(n)[::-1])
    r = vector(36)
    np.testing.assert_allclose(M @ r, applied(sor(A, M.order, b, 1.3, "forward"), M.order, r), rtol=1e-12)
    uneven = lagcolor.color(M.coloring.graph)
    assert multicolor_sor(A, coloring=uneven, block_size=b).coloring is uneven
    even = multicolor_sor(dominant(60, 0.1, 2), balance=True)
    sizes = even.coloring.class_sizes
    assert sizes.max() - sizes.min() <= 1 or sizes.max() <= 1.05 * sizes.min()
    np.testing.assert_allclose(
        even @ vector(60), applied(sor(dominant(60, 0.1, 2), even.order, 1, 1, "symmetric"), even.order, vector(60))
    )
