"""Rows of very many entries on a GPU, which have a block each: stars and R-MAT graphs, with few entries as limit."""

from __future__ import annotations

from typing import Any

import emulated
import numpy as np
import pytest
import scipy.sparse as sp
from emulated import ENGINES
from solver_cases import applied, array, host, on, sor

import lagcolor
from lagcolor.solvers import gpu, multicolor_ilu0, multicolor_sor

ON = ENGINES[1:]
LIMIT = 12  # entries of a hub here
SWEEPS = ["symmetric", "forward", "backward"]
GRAPHS = ["star:3000", "rmat:6"]  # the hub of the star has more batches of entries than a block has warps


@pytest.fixture(autouse=True)
def small_hubs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "HUB", LIMIT)


def matrix(spec: str, b: int = 1, dtype: str = "float64") -> sp.csr_array:
    """Of the graph's pattern, in full b × b blocks; each row's diagonal is larger than the rest of it."""
    G, rng = lagcolor.generate.from_spec(spec), np.random.default_rng(1)
    A = sp.csr_array(sp.kron(G.to_scipy(), np.ones((b, b))), dtype=np.result_type(dtype, np.float64))
    A.data = rng.standard_normal(A.nnz) * (np.exp(1j * rng.uniform(0, 7, A.nnz)) if dtype[0] == "c" else 1)
    return sp.csr_array(A + sp.diags_array(1 + 2 * abs(A).sum(axis=1))).astype(dtype)


def vector(n: int, seed: int, dtype: str = "float64") -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) + (1j * rng.standard_normal(n) if dtype[0] == "c" else 0)).astype(dtype)


def hubs(M: Any) -> int:
    return int(M._engine.sweeps.layout.hubs.sum())


@pytest.mark.parametrize("engine", ON)
@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("spec", GRAPHS)
def test_sweeps_are_pyamg_s_over_rows_sorted_by_color(engine: str, sweep: str, spec: str) -> None:
    relaxation = pytest.importorskip("pyamg.relaxation.relaxation")
    A = matrix(spec)
    n = A.shape[0]
    M = multicolor_sor(on(engine, A), sweep=sweep)
    assert hubs(M) == 1 if spec.startswith("star") else hubs(M) > 2
    mine, theirs, b = array(engine, vector(n, 2)), vector(n, 2), vector(n, 3)
    M.sweep(mine, array(engine, b), iterations=2)
    relaxation.gauss_seidel_indexed(sp.csr_matrix(A), theirs, b, host(M.order), iterations=2, sweep=sweep)
    np.testing.assert_allclose(host(mine), theirs, rtol=1e-12, atol=1e-14)


CASES = [(1, "float64", None), (1, "float32", None), (2, "float64", "float32"), (3, "complex128", None)]


@pytest.mark.parametrize("engine", ON)
@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize(("b", "dtype", "storage"), CASES)
def test_applications(engine: str, sweep: str, b: int, dtype: str, storage: str | None) -> None:
    """Also with blocks, complex numbers and factors in a narrow type."""
    A, tolerance = matrix("rmat:5", b, dtype), 1e-5 if "32" in (storage or dtype) else 1e-11
    M = multicolor_sor(on(engine, A), 1.3, sweep, block_size=b, storage=storage)
    r, order = vector(A.shape[0], 1, dtype), host(M.order)
    assert hubs(M)
    wide = A.astype(np.result_type(dtype, np.float64))
    expected = applied(sor(wide, order, b, 1.3, sweep), order, r)
    np.testing.assert_allclose(host(M @ array(engine, r)), expected, rtol=tolerance, atol=tolerance * abs(r).max())


@pytest.mark.parametrize("engine", ON)
@pytest.mark.parametrize("large", [1 << 20, 0])
@pytest.mark.parametrize("mode", gpu.MODES)
def test_ways_to_launch(engine: str, mode: str, large: int) -> None:
    """The last step puts out all rows, or each its own; a cooperative launch is none where there are hubs."""
    A = matrix("rmat:6")
    M = multicolor_sor(on(engine, A), 1.2)
    sweeps, n = M._engine.sweeps, A.shape[0]
    how = {"mode": mode, "small": 1, "large": large}
    sweeps = M._engine.sweeps = gpu.Sweeps(sweeps.layout, M.dtype, **how)
    assert sweeps.mode == ("graph" if mode == "cooperative" else mode)
    M._load(M._layout.values(M._A))
    order, r = host(M.order), [vector(n, seed) for seed in (1, 2)]
    for x in r:  # a graph is launched again, for another vector
        expected = applied(sor(A, order, 1, 1.2, "symmetric"), order, x)
        np.testing.assert_allclose(host(M @ array(engine, x)), expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("engine", ON)
def test_the_same_on_each_run(engine: str) -> None:
    """To the last bit, and as a warp per row to rounding; factors are loaded into the same rows."""
    A, r = on(engine, matrix("star:150")), array(engine, vector(150, 4))
    for make in (multicolor_sor, multicolor_ilu0):
        M = make(A)
        assert hubs(M) == 1
        first = host(M @ r)
        for _ in range(3):
            np.testing.assert_array_equal(host(M @ r), first)
            np.testing.assert_array_equal(host(make(A) @ r), first)


@pytest.mark.parametrize("seed", range(3))
def test_in_any_schedule(seed: int) -> None:
    found = []
    for how in ({"seed": seed}, {}):
        with emulated.emulated_gpu(processors=2, **how):
            M = multicolor_sor(on("cuda", matrix("rmat:6")))
            emulated.GPU.grids.clear()
            found.append(host(M @ array("cuda", vector(64, 5))))
            launched = [blocks for name, blocks in emulated.GPU.grids if name == "hub_rows"]
            assert launched and min(launched) >= 1
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("engine", ON)
def test_fewer_entries_than_the_limit(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row with one entry less than a hub has none of its blocks."""
    A = on(engine, matrix("star:150"))
    for limit, count in ((149, 1), (150, 0)):
        monkeypatch.setattr(gpu, "HUB", limit)
        assert hubs(multicolor_sor(A)) == count
