"""`sweep`: solutions that share memory with right-hand sides, old values that do not count, and what threads share."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from emulated import ENGINES
from solver_cases import array, host, on, poisson

from lagcolor.base import device as dev
from lagcolor.solvers import multicolor_sor
from lagcolor.solvers.operators import _overlap

# From a vector of 48 numbers: a solution and a right-hand side of it.
SHARED = {
    "columns beside each other": lambda v: (v.reshape(16, 3)[:, 1:3], v.reshape(16, 3)[:, :2]),
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
def test_what_overlaps(engine: str) -> None:
    """Ranges of addresses, of which those that only touch share nothing."""
    v = array(engine, np.zeros(48))
    for x, b, shared in [
        (v[:16], v[16:32], False),
        (v[16:32], v[:16], False),
        (v[:17], v[16:32], True),
        (v[31:15:-1], v[:16], False),
        (v[31:15:-1], v[:17], True),
        (v[:16], v[15:16], True),
        (v[:0], v, False),
        (v.reshape(2, 24)[:, :1], v[:16], True),
        (v, v.copy(), False),
    ]:
        assert _overlap(x, b) is shared
    if engine != "cpu":
        assert dev.is_cupy(v)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sweep", ["symmetric", "forward", "backward"])
@pytest.mark.parametrize("b", [1, 2, 3])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_gauss_seidel_reads_no_old_value_of_its_first_color(engine: str, sweep: str, b: int, bad: float) -> None:
    """They are overwritten; of a relaxation with another factor they are a part, and spread."""
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


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("alone", [0, 1 << 13])
def test_memory_does_not_grow_with_iterations(threads: int, alone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A color per row, and threads that wait for each other after each of them, or never."""
    from lagcolor.solvers import cpu

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
    from lagcolor.solvers import cpu

    monkeypatch.setattr(cpu, "WHOLE", 0)
    A, r = poisson(60), np.random.default_rng(1).standard_normal(3600)
    for omega in (1.0, 1.3):
        swept = []
        for threads in (1, 2, 3):
            x = np.zeros(3600)
            multicolor_sor(A, omega, threads=threads).sweep(x, r, iterations=200)
            swept.append(x)
        np.testing.assert_array_equal(swept[1], swept[0])
        np.testing.assert_array_equal(swept[2], swept[0])
