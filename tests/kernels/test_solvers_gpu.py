"""Multicolor sweeps and incomplete factors on a GPU against dense algebra, on the emulated device and on a real one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import emulated
import numpy as np
import pytest
import scipy.sparse as sp
import solver_cases as cases
from emulated.runtime import LEDGER

import lagcolor
from lagcolor import solvers
from lagcolor.base import device as dev
from lagcolor.solvers import gpu, multicolor_ilu0, multicolor_sor
from lagcolor.solvers.gpu import MODES, GPUBackend, structure
from lagcolor.solvers.gpu.factors import inverses
from lagcolor.solvers.gpu.slices import LONG
from lagcolor.solvers.symbolic import Symbolic

ON = emulated.ENGINES[1:]
pytestmark = pytest.mark.inner
SWEEPS = ("symmetric", "forward", "backward")


def matrix(n: int, b: int = 1, dtype: str = "float64", hub: int = 0, seed: int = 0) -> sp.csr_array:
    """Diagonally dominant, of a random symmetric pattern of full b × b blocks; `hub`: entries of row and column 0."""
    rng = np.random.default_rng(seed)
    pattern = (rng.random((n, n)) < 4 / n) | np.eye(n, dtype=bool)
    pattern[0, :hub] = True
    A = np.kron(pattern | pattern.T, np.ones((b, b))) * rng.standard_normal((n * b, n * b))
    if np.dtype(dtype).kind == "c":
        A = A + 1j * A * rng.standard_normal(A.shape)
    return sp.csr_array((A + np.diag(1 + 2 * np.abs(A).sum(axis=1))).astype(dtype))


def on_gpu(A: sp.csr_array) -> Any:
    """A cupyx matrix."""
    return cases.on("cuda", A)


def vector(n: int, dtype: str, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n) + (1j * rng.standard_normal(n) if np.dtype(dtype).kind == "c" else 0)
    return np.asarray(x, dtype)


class Dense:
    """Sweeps by dense algebra, as a reference."""

    def __init__(self, A: sp.csr_array, order: np.ndarray, b: int) -> None:
        self.A, self.order, self.b = A, order, b

    def apply(self, r: np.ndarray, sweep: str, omega: float) -> np.ndarray:
        return cases.applied(cases.sor(self.A, self.order, self.b, omega, sweep), self.order, r)


def symbolic(A: sp.csr_array, b: int) -> tuple[Symbolic, Any]:
    """The structure of a matrix on the device, and its blocks there."""
    cp = dev.cupy()
    blocks = A.tobsr((b, b))
    P = lagcolor.Pattern(cp.asarray(blocks.indptr), cp.asarray(blocks.indices, np.int32), A.shape[0] // b)
    values = np.ascontiguousarray(blocks.data if b > 1 else blocks.data.ravel())
    return Symbolic(P, b), cp.asarray(values)


def loaded(A: sp.csr_array, b: int, omega: float, dtype: str, **how: Any) -> tuple[GPUBackend, Dense]:
    """Sweeps launched in a given mode. By default one block alone does no color."""
    if how["mode"] != "launches":
        how = {"small": 0} | how
    S, values = symbolic(A, b)
    E = GPUBackend(S, dtype, **how)
    E.load(
        values[S.lower.source], values[S.upper.source], inverses(values[S.diagonal]) * A.dtype.type(omega), 2 - omega
    )
    order = dev.to_device(S.order, "cpu")
    return E, Dense(A, (order[:, None] * b + np.arange(b)).ravel(), b)


HOW = [
    pytest.param(1, 1, 80, {"lanes": 1, "ahead": 4}, id="a lane per row, a row of a warp"),
    pytest.param(1, 2, 80, {"lanes": 1, "ahead": 1}, id="blocks of 2, a row of a warp"),
    pytest.param(2, 1, 0, {"lanes": 2, "ahead": 3, "large": 0, "small": 1}, id="the last color puts out all"),
    pytest.param(3, 3, 0, {"lanes": 8, "ahead": 1}, id="blocks of 3, 8 lanes"),
]


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("seed", "b", "hub", "how"), HOW)
def test_ways_to_launch(kind: str, mode: str, seed: int, b: int, hub: int, how: dict[str, int]) -> None:
    n = 90 if hub else 40
    E, D = loaded(matrix(n, b, hub=hub, seed=seed), b, 1.2, "float64", mode=mode, **how)
    assert E.sweeps.mode == mode
    cp = dev.cupy()
    if hub:  # its row is long
        assert hub > LONG * how["lanes"] and (E.sweeps.layout.table[:, 2] < E.sweeps.layout.table[:, 3]).any()
    for sweep in SWEEPS:
        for seed in (1, 2):  # a graph is launched again, for another vector
            r, out = vector(n * b, "float64", seed), cp.full(n * b, np.nan)
            E.apply(cp.asarray(r), out, sweep)
            np.testing.assert_allclose(dev.to_device(out, "cpu"), D.apply(r, sweep, 1.2), rtol=1e-10, atol=1e-10)
        x, r = vector(n * b, "float64", 3), vector(n * b, "float64", 4)
        mine = cp.asarray(x)
        E.smooth(mine, cp.asarray(r), 1.2, sweep, 2)
        for _ in range(2):
            x = x + D.apply(r - D.A @ x, sweep, 1.2)
        np.testing.assert_allclose(dev.to_device(mine, "cpu"), x, rtol=1e-9, atol=1e-9)


WAITS = [
    pytest.param("emulated", marks=pytest.mark.emulated(seed=seed, processors=3, occupancy=2)) for seed in (None, 1)
]


@pytest.mark.parametrize("kind", [*WAITS, ON[1]])
def test_blocks_that_wait_for_each_other(kind: str) -> None:
    """A cooperative launch with small colors among large ones; twice, for the barrier's counter is 0 again."""
    A = sp.csr_array(sp.block_diag([matrix(6, hub=6), matrix(250), np.kron(np.eye(3), 2 + np.eye(8))]))
    E, D = loaded(A, 1, 1.0, "float64", mode="cooperative", lanes=32, small=30)
    sizes = E.sweeps.layout.table[:, 3]
    assert (sizes <= 30).sum() > 1 and (sizes > 48).any()
    cp, r = dev.cupy(), vector(A.shape[0], "float64")
    for _ in range(2):
        out = cp.zeros(len(r))
        E.apply(cp.asarray(r), out, "symmetric")
        np.testing.assert_allclose(dev.to_device(out, "cpu"), D.apply(r, "symmetric", 1.0), rtol=1e-10, atol=1e-10)


@emulated.EMULATED
def test_no_space_for_blocks_that_wait() -> None:
    """Then each step is launched."""
    with emulated.emulated_gpu(processors=2, space=0):
        E, D = loaded(matrix(60), 1, 1.0, "float64", mode="cooperative", small=0)
        r, out = vector(60, "float64"), dev.cupy().zeros(60)
        E.apply(dev.cupy().asarray(r), out, "symmetric")
        np.testing.assert_allclose(out.get(), D.apply(r, "symmetric", 1.0), rtol=1e-10)
        assert emulated.GPU.refused and "lower_color" in [name for name, _ in emulated.GPU.grids]


@pytest.mark.parametrize("kind", ON)
def test_within_a_capture(kind: str) -> None:
    """A caller who captures a graph gets the launches, which do their work when the graph is launched."""
    cp = dev.cupy()
    E, D = loaded(matrix(40), 1, 1.0, "float64", mode="graph")
    r, out = vector(40, "float64"), cp.zeros(40)
    passed = cp.asarray(r)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        E.apply(passed, out, "symmetric")  # memory of this stream
        out.fill(0)
        stream.synchronize()
        stream.begin_capture()
        E.apply(passed, out, "symmetric")
        graph = stream.end_capture()
        stream.synchronize()
        assert not dev.to_device(out, "cpu").any()
        graph.launch(stream)
        stream.synchronize()
    np.testing.assert_allclose(dev.to_device(out, "cpu"), D.apply(r, "symmetric", 1.0), rtol=1e-10)


@pytest.mark.parametrize("kind", ON)
def test_streams_do_not_meet(kind: str) -> None:
    cp = dev.cupy()
    E, D = loaded(matrix(60), 1, 1.0, "float64", mode="graph")
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
    rs = [vector(60, "float64", seed) for seed in range(3)]
    passed, outs = [cp.asarray(r) for r in rs], [cp.zeros(60) for _ in rs]
    cp.cuda.runtime.deviceSynchronize()
    for _ in range(3):
        for stream, r, out in zip(streams, passed, outs, strict=True):
            with stream:
                E.apply(r, out, "symmetric")
    cp.cuda.runtime.deviceSynchronize()
    assert len(E.sweeps._states) == 3
    for r, out in zip(rs, outs, strict=True):
        np.testing.assert_allclose(dev.to_device(out, "cpu"), D.apply(r, "symmetric", 1.0), rtol=1e-10)


@pytest.mark.gpu
@pytest.mark.parametrize("mode", MODES)
def test_threads_share_a_stream(mode: str) -> None:
    """The launches of a call stay together."""
    cp = dev.cupy()
    E, D = loaded(matrix(200), 1, 1.0, "float64", mode=mode, small=0)
    rs = [vector(200, "float64", seed) for seed in range(8)]
    passed, expected = [cp.asarray(r) for r in rs], [D.apply(r, "symmetric", 1.0) for r in rs]
    E.apply(passed[0], cp.zeros(200), "symmetric")

    def often(k: int) -> float:
        with passed[k].device:
            out, worst = cp.zeros(200), 0.0
            for _ in range(50):
                E.apply(passed[k], out, "symmetric")
                worst = max(worst, float(abs(out - cp.asarray(expected[k])).max()))
        return worst

    with ThreadPoolExecutor(8) as pool:
        assert max(pool.map(often, range(8))) < 1e-10


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("method", ["ilu0", "dilu"])
@pytest.mark.parametrize(("b", "hub"), [(1, 30), (3, 0), (2, 30)])
def test_factors(kind: str, method: str, b: int, hub: int) -> None:
    """Factors of matrices with several lanes per row; one row is long."""
    A = matrix(36, b, hub=hub)
    M, r = getattr(solvers, f"multicolor_{method}")(on_gpu(A), block_size=b), vector(36 * b, "float64")
    order = dev.to_device(M.order, "cpu")
    expected = cases.applied(getattr(cases, method)(A, order, b), order, r)
    np.testing.assert_allclose(dev.to_device(M @ dev.cupy().asarray(r), "cpu"), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize(("n", "hub"), [(1, 0), (60, 0), (120, 100)])
def test_structure(kind: str, n: int, hub: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both triangles of an unsymmetric pattern as SciPy has them, also where rows are too long for the kernels."""
    A = matrix(n, hub=hub)
    A.data = np.arange(1.0, A.nnz + 1)  # which entry it is, and 1
    A = sp.csr_array(A - sp.triu(A, n // 3))
    A.setdiag(-1)
    S, values = symbolic(A, 1)
    for longest in (structure.LONGEST, 0):
        monkeypatch.setattr(structure, "LONGEST", longest)
        S = Symbolic(pattern_of(A), 1, S.coloring)
        order = dev.to_device(S.order, "cpu")
        B = sp.csr_array(A[order][:, order])
        for T, part in ((S.lower, sp.csr_array(sp.tril(B, -1))), (S.upper, sp.csr_array(sp.triu(B, 1)))):
            part.sort_indices()
            np.testing.assert_array_equal(dev.to_device(T.indptr, "cpu"), part.indptr)
            np.testing.assert_array_equal(dev.to_device(T.indices, "cpu"), part.indices)
            np.testing.assert_array_equal(dev.to_device(values[T.source], "cpu"), part.data)
        assert (dev.to_device(values[S.diagonal], "cpu") == -1).all()
        lower, upper = (dev.to_device(values[T.source], "cpu") for T in (S.lower, S.upper))
        found, transposed = dev.to_device(S.mirror, "cpu"), sp.csr_array(B.T)
        rows = np.repeat(np.arange(n), np.diff(dev.to_device(S.lower.indptr, "cpu")))
        expected = transposed[rows, dev.to_device(S.lower.indices, "cpu")] if len(rows) else np.zeros(0)
        np.testing.assert_array_equal(np.append(upper, 0)[found], np.asarray(expected).ravel())
        assert len(found) == len(lower)


def pattern_of(A: sp.csr_array) -> lagcolor.Pattern:
    """The pattern of a matrix on the device."""
    cp = dev.cupy()
    return lagcolor.Pattern(cp.asarray(A.indptr), cp.asarray(A.indices, np.int32), A.shape[0])


@pytest.mark.parametrize("kind", ON)
def test_graph(kind: str) -> None:
    """Without its diagonal where the pattern is symmetric; none where a mirror image or a diagonal entry is missing."""
    A = matrix(150, hub=90)
    found = structure.off_diagonal(pattern_of(A))
    assert found is not None
    expected = lagcolor.Graph.of(A)
    np.testing.assert_array_equal(dev.to_device(found[0], "cpu"), expected.indptr)
    np.testing.assert_array_equal(dev.to_device(found[1], "cpu"), expected.indices)
    rows = np.repeat(np.arange(150), np.diff(A.indptr))
    for gone in (np.flatnonzero(rows == A.indices)[77], np.flatnonzero(rows < A.indices)[3]):
        keep = np.arange(A.nnz) != gone
        B = sp.csr_array((A.data[keep], (rows[keep], A.indices[keep])), A.shape)
        assert structure.off_diagonal(pattern_of(B)) is None


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("b", [2, 3, 5])
def test_blocks(kind: str, b: int) -> None:
    """The blocks of SciPy, also if a block lacks entries."""
    some = sp.csr_array(sp.random_array((12 * b, 12 * b), density=0.05, rng=np.random.default_rng(b)))
    full = matrix(12, b)
    for A in (some, full, _shifted(full, b, 1), _shifted(full, 1, b), _shifted(full, b, b)):
        A.sort_indices()
        wanted = A.tobsr((b, b))
        wanted.sort_indices()
        indptr, indices, scatter = (dev.to_device(x, "cpu") for x in structure.blocks(pattern_of(A), b))
        np.testing.assert_array_equal(indptr, wanted.indptr)
        np.testing.assert_array_equal(indices, wanted.indices)
        flat = np.zeros(wanted.data.size)
        flat[scatter] = A.data
        np.testing.assert_array_equal(flat.reshape(-1, b, b), wanted.data)
        assert (structure._full_blocks(pattern_of(A), b) is not None) == (A.nnz == wanted.data.size)


@emulated.EMULATED
@pytest.mark.parametrize("kind", [pytest.param("emulated", marks=emulated.EMULATED)])
def test_structure_writes_in_its_arrays_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written beyond the arrays, even if the last rows have fewer entries than the blocks assume."""
    cp = dev.cupy()
    empty, stored = cp.empty, []

    def guarded(shape: Any, dtype: Any = float, order: str = "C") -> Any:
        size = int(np.prod(shape))
        whole = empty(size + 64, dtype, order)
        whole.fill(-7)
        stored.append(whole[size:])
        return whole[:size].reshape(shape)

    monkeypatch.setattr(cp, "empty", guarded)
    A = np.zeros((12, 12))
    A[0] = 1
    A[1:3, :6] = 1
    assert structure.off_diagonal(pattern_of(sp.csr_array(A))) is None
    A[:] = 0
    A[-2] = A[:4, :4] = 1
    structure.blocks(pattern_of(sp.csr_array(A)), 2)
    assert stored and all((dev.to_device(x, "cpu") == -7).all() for x in stored)


def _shifted(A: sp.csr_array, rows: int, columns: int) -> sp.csr_array:
    """The matrix with the entries of its last rows rolled by a number of columns."""
    B = A.toarray()
    B[-rows:] = np.roll(B[-rows:], columns, axis=1)
    return sp.csr_array(B)


@emulated.EMULATED
def test_what_is_asked_of_the_device() -> None:
    """On a small matrix launches dominate: their number is limited, and an application does not wait."""
    with emulated.emulated_gpu():
        cp, A = dev.cupy(), on_gpu(matrix(300))
        multicolor_sor(A).matvec(cp.ones(300))  # loads code
        asked = lambda: sum(LEDGER.counts[0, kind] for kind in ("launch", "kernel"))  # noqa: E731
        LEDGER.clear()
        M = multicolor_sor(A)
        assert 10 < asked() <= 22
        LEDGER.clear()
        M.update(A)
        assert 2 < asked() <= 5
        M.matvec(r := cp.ones(300))
        LEDGER.clear()
        M.matvec(r)
        assert asked() == 1 and not LEDGER.counts[0, "synchronization"] and not LEDGER.counts[0, "copy"]


# ---- rows of very many entries, which have a block each ----------------------------------------------------


@pytest.fixture
def small_hubs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "HUB", 12)  # entries


def of_graph(spec: str, b: int = 1, dtype: str = "float64") -> sp.csr_array:
    """Return a matrix with a graph's pattern in full b × b blocks, diagonally dominant."""
    G, rng = lagcolor.generate.from_spec(spec), np.random.default_rng(1)
    A = sp.csr_array(sp.kron(G.to_scipy(), np.ones((b, b))), dtype=np.result_type(dtype, np.float64))
    A.data = rng.standard_normal(A.nnz) * (np.exp(1j * rng.uniform(0, 7, A.nnz)) if dtype[0] == "c" else 1)
    return sp.csr_array(A + sp.diags_array(1 + 2 * abs(A).sum(axis=1))).astype(dtype)


def hubs(M: Any) -> int:
    return int(M._engine.sweeps.layout.hubs.sum())


@pytest.mark.parametrize("engine", ON)
@pytest.mark.parametrize(("spec", "sweep"), [("star:3000", "symmetric"), ("rmat:6", "forward"), ("rmat:6", "backward")])
def test_hubs_sweeps_are_pyamg_s_over_rows_sorted_by_color(
    small_hubs: None, engine: str, sweep: str, spec: str
) -> None:
    """The hub of the star has more batches of entries than a block has warps."""
    relaxation = pytest.importorskip("pyamg.relaxation.relaxation")
    A = of_graph(spec)
    n = A.shape[0]
    M = multicolor_sor(cases.on(engine, A), sweep=sweep)
    assert hubs(M) == 1 if spec.startswith("star") else hubs(M) > 2
    mine, theirs, b = cases.array(engine, vector(n, "float64", 2)), vector(n, "float64", 2), vector(n, "float64", 3)
    M.sweep(mine, cases.array(engine, b), iterations=2)
    relaxation.gauss_seidel_indexed(sp.csr_matrix(A), theirs, b, cases.host(M.order), iterations=2, sweep=sweep)
    np.testing.assert_allclose(cases.host(mine), theirs, rtol=1e-12, atol=1e-14)


CASES = [
    (1, "float32", None, "symmetric"), (2, "float64", "float32", "forward"), (3, "complex128", None, "backward"),
]  # fmt: skip


@pytest.mark.parametrize("engine", ON)
@pytest.mark.parametrize(("b", "dtype", "storage", "sweep"), CASES)
def test_applications_with_hubs(
    small_hubs: None, engine: str, b: int, dtype: str, storage: str | None, sweep: str
) -> None:
    """Applications with hubs, also with blocks, complex numbers and factors in a narrow type."""
    A, tolerance = of_graph("rmat:5", b, dtype), 1e-5 if "32" in (storage or dtype) else 1e-11
    M = multicolor_sor(cases.on(engine, A), 1.3, sweep, block_size=b, storage=storage)
    r, order = vector(A.shape[0], dtype), cases.host(M.order)
    assert hubs(M)
    wide = A.astype(np.result_type(dtype, np.float64))
    expected = cases.applied(cases.sor(wide, order, b, 1.3, sweep), order, r)
    np.testing.assert_allclose(
        cases.host(M @ cases.array(engine, r)), expected, rtol=tolerance, atol=tolerance * abs(r).max()
    )


@pytest.mark.parametrize("engine", ON)
@pytest.mark.parametrize(("mode", "large"), [("launches", 0), ("graph", 1 << 20), ("cooperative", 0)])
def test_ways_to_launch_hubs(small_hubs: None, engine: str, mode: str, large: int) -> None:
    """The last step puts out all rows, or each its own; a cooperative launch is none where there are hubs."""
    A = of_graph("rmat:6")
    M = multicolor_sor(cases.on(engine, A), 1.2)
    sweeps, n = M._engine.sweeps, A.shape[0]
    how = {"mode": mode, "small": 1, "large": large}
    sweeps = M._engine.sweeps = gpu.Sweeps(sweeps.layout, M.dtype, **how)
    assert sweeps.mode == ("graph" if mode == "cooperative" else mode)
    M._load(M._layout.values(M._A))
    order, r = cases.host(M.order), [vector(n, "float64", seed) for seed in (1, 2)]
    for x in r:  # a graph is launched again, for another vector
        expected = cases.applied(cases.sor(A, order, 1, 1.2, "symmetric"), order, x)
        np.testing.assert_allclose(cases.host(M @ cases.array(engine, x)), expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("engine", ON)
def test_hubs_are_the_same_on_each_run(small_hubs: None, engine: str) -> None:
    """To the last bit, and as a warp per row to rounding; factors are loaded into the same rows."""
    A, r = cases.on(engine, of_graph("star:150")), cases.array(engine, vector(150, "float64", 4))
    for make in (multicolor_sor, multicolor_ilu0):
        M = make(A)
        assert hubs(M) == 1
        first = cases.host(M @ r)
        for _ in range(3):
            np.testing.assert_array_equal(cases.host(M @ r), first)
            np.testing.assert_array_equal(cases.host(make(A) @ r), first)


@emulated.EMULATED
def test_hubs_in_a_schedule(small_hubs: None) -> None:
    found = []
    for how in ({"seed": 1}, {}):
        with emulated.emulated_gpu(processors=2, **how):
            M = multicolor_sor(cases.on("cuda", of_graph("rmat:6")))
            emulated.GPU.grids.clear()
            found.append(cases.host(M @ cases.array("cuda", vector(64, "float64", 5))))
            launched = [blocks for name, blocks in emulated.GPU.grids if name == "hub_rows"]
            assert launched and min(launched) >= 1
    np.testing.assert_array_equal(*found)
