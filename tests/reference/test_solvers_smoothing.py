"""`sweep`: vectors of all shapes and types, shared memory, old values that do not count; and solvers on threads."""

from __future__ import annotations

import contextlib
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from emulated import ENGINES
from solver_cases import array, host, on, poisson, vector

import lagcolor
from lagcolor import solvers
from lagcolor.solvers import cpu, cpu_matrix, multicolor_sor

# From a vector of 48 numbers: a solution and a right-hand side of it.
SHARED = {
    "one vector": lambda v: (v[:16], v[:16]),
    "columns next to each other": lambda v: (v.reshape(16, 3)[:, 1:3], v.reshape(16, 3)[:, :2]),
    "slices that begin apart": lambda v: (v[:16], v[7:23]),
    "slices the other way round": lambda v: (v[7:23], v[:16]),
    "the same numbers backwards": lambda v: (v[:16], v[15::-1]),
    "one behind the other backwards": lambda v: (v[23:7:-1], v[:16]),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", SHARED)
def test_a_solution_in_the_memory_of_its_right_hand_side(engine: str, case: str) -> None:
    """The right-hand side is what it was before the call."""
    M, numbers = multicolor_sor(on(engine, poisson(4)), 1.2), np.random.default_rng(1).standard_normal(48)
    x, b = SHARED[case](array(engine, numbers))
    wanted, right = x.copy(), b.copy()
    M.sweep(wanted, right, iterations=2)
    M.sweep(x, b, iterations=2)
    np.testing.assert_array_equal(host(x), host(wanted))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_real_view_of_a_complex_solution(engine: str) -> None:
    numbers = np.random.default_rng(1).standard_normal((16, 2)) + 1j
    M, X = multicolor_sor(on(engine, poisson(4)), 1.2), array(engine, numbers)
    B = X.view(np.float64)[:, 1:3]  # an imaginary and a real part
    wanted = X.copy()
    M.sweep(wanted, B.copy(), iterations=2)
    M.sweep(X, B, iterations=2)
    np.testing.assert_array_equal(host(X), host(wanted))


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


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sweep", ["symmetric", "forward", "backward"])
@pytest.mark.parametrize(("b", "bad"), [(1, np.nan), (2, np.inf), (3, np.nan)])
def test_gauss_seidel_reads_no_old_value_of_its_first_color(engine: str, sweep: str, b: int, bad: float) -> None:
    """Gauss–Seidel overwrites the old values; with another factor they are used, and non-finite ones spread."""
    A, r = poisson(6), np.random.default_rng(1).standard_normal(36)
    M = multicolor_sor(on(engine, A), 1.0, sweep, block_size=b)
    colors = np.repeat(M.coloring.to_numpy(), b)
    first = colors == (colors.max() if sweep == "backward" else 0)
    swept = []
    for old in (bad, 7.0):
        x = array(engine, np.where(first, old, 1.0))
        M.sweep(x, array(engine, r), iterations=2)
        swept.append(host(x))
    np.testing.assert_array_equal(*swept)
    assert np.isfinite(swept[0]).all()
    x: Any = array(engine, np.where(first, bad, 1.0))
    multicolor_sor(on(engine, A), 1.1, sweep, block_size=b).sweep(x, array(engine, r))
    assert not np.isfinite(host(x)).all()


@pytest.mark.parametrize(("threads", "alone"), [(1, 0), (2, 0), (2, 1 << 13)])
def test_memory_does_not_grow_with_iterations(threads: int, alone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A color per row, and threads that wait for each other after each of them, or never."""
    monkeypatch.setattr(cpu, "WHOLE", alone)
    A, r = poisson(20), np.ones(400)
    M, expected = (multicolor_sor(A, coloring=np.arange(400), threads=count) for count in (threads, 1))
    M.sweep(np.zeros(400), r)  # loads code
    x, y = np.zeros(400), np.zeros(400)
    tracemalloc.start()
    try:
        M.sweep(x, r, iterations=100)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 100_000
    expected.sweep(y, r, iterations=100)
    np.testing.assert_array_equal(x, y)


def test_threads_wait_for_each_color(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each of many iterations: one that is ahead reads what another has not done yet."""
    monkeypatch.setattr(cpu, "WHOLE", 0)
    A, r = poisson(60), vector(3600)
    for omega in (1.0, 1.3):
        swept = [np.zeros(3600) for _ in range(3)]
        for threads, x in enumerate(swept, 1):
            multicolor_sor(A, omega, threads=threads).sweep(x, r, iterations=100)
        assert np.array_equal(swept[1], swept[0]) and np.array_equal(swept[2], swept[0])


METHODS = ("sor", "dilu", "ic0", "ilu0")
ROW = 3001  # of the first color


@contextlib.contextmanager
def on_threads(threads: int) -> Iterator[None]:
    """All loops use this number of threads, as on a machine with more cores and with larger matrices."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (cpu, cpu_matrix):
            patch.setattr(module, "threads_for", lambda *_: threads)
        patch.setattr(cpu_matrix, "LEAST_WORK", 1)
        patch.setattr(cpu, "WHOLE", 100)
        yield


def matrix(spec: str, dtype: str) -> Any:
    G = lagcolor.generate.from_spec(spec)
    A = sp.csr_array((np.full(G.m, -1, dtype), G.indices, G.indptr), (G.n, G.n))
    A = (A + sp.diags_array(G.degrees.astype(dtype) + 1, format="csr")).tocsr()
    A.sort_indices()
    return A


def numbers(A: Any, method: str, b: int) -> list[Any]:
    """Return the results of an operator for a vector, before and after its values change."""
    r, found = np.random.default_rng(0).standard_normal(A.shape[0]).astype(A.dtype), list[Any]()
    M = getattr(solvers, f"multicolor_{method}")(A, block_size=b)
    for _ in range(2):
        x = np.zeros_like(r)
        M.sweep(x, r, iterations=2)
        found += [M @ r, x]
        M.update(A * A.dtype.type(2))
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("spec", "dtype", "b"), [("stencil27:12", "float64", 1), ("rmat:10", "complex128", 2)])
def test_any_number_of_threads_gives_the_same(spec: str, dtype: str, b: int, method: str) -> None:
    """Any number of threads gives equal results, also more threads than the at most 62 parts of a step."""
    A = matrix(spec, dtype)
    expected = numbers(A, method, b)
    for threads in (1, 3, 64):
        with on_threads(threads):
            assert all(map(np.array_equal, numbers(A, method, b), expected)), threads


FAULTS = [
    ("sor", False, np.nan, 2),
    ("sor", True, np.inf, 1),
    ("ilu0", True, 0, 1),
    ("ic0", True, -9, 2),
    ("ic0", False, -2, 1),
]


@pytest.mark.parametrize(("method", "diagonal", "value", "b"), FAULTS)
def test_faults_are_named_on_threads(method: str, diagonal: bool, value: float, b: int) -> None:
    """Several threads name the faults that one thread names. A division of complex numbers by zero raises in numba."""
    A, message = matrix("grid2d:80", "complex128"), list[str]()
    row = slice(A.indptr[ROW], A.indptr[ROW + 1])
    A.data[row][(A.indices[row] == ROW) if diagonal else 0] = value
    for threads in (1, 3):
        with on_threads(threads), pytest.raises(lagcolor.GraphError) as caught:
            getattr(solvers, f"multicolor_{method}")(A, block_size=b)
        message.append(str(caught.value))
    assert message[0] == message[1] and str(ROW) in message[0]
