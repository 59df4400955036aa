"""Data on the second device while the first is current: the second does all the work, the first nothing.

Once on two emulated devices, where every allocation and launch is counted and a wrong one is an error,
and once on two real ones, where what is left of it on the first is memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import emulated
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import SHORT, graph
from emulated import GPU, LEDGER

import lagcolor
import semirings
from lagcolor.orders import ORDERS, Priorities

ON_GPU = [name for name, row in lagcolor.ALGORITHMS.items() if "cuda" in row.engines]
GPU_ORDERS = [name for name, row in ORDERS.items() if "cuda" in row.engines]
FAKE = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")


class Fake:
    """Two devices that count."""

    def __init__(self, cp: Any) -> None:
        self.cp = cp
        LEDGER.clear()

    def busy(self) -> int:
        """What the first device was asked for since."""
        return LEDGER.of(0)

    def worked(self) -> bool:
        """Whether the second has done anything."""
        return LEDGER.of(1) > 0


class Real:
    """Two GPUs; the first is watched by its memory: what it held unused is given back first, so that all shows."""

    def __init__(self, cp: Any) -> None:
        self.cp = cp
        with cp.cuda.Device(0):
            self.pool = cp.get_default_memory_pool()
            self.pool.free_all_blocks()
            self.before = self.pool.total_bytes()

    def busy(self) -> int:
        with self.cp.cuda.Device(0):
            return self.pool.total_bytes() - self.before


@pytest.fixture(scope="module", params=[pytest.param("fake", marks=FAKE), pytest.param("real", marks=pytest.mark.gpu)])
def cupy(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "real":
        import cupy as cp

        if cp.cuda.runtime.getDeviceCount() < 2:
            pytest.skip("needs two GPUs")
        yield cp
        return
    with emulated.emulated_gpu(devices=2) as e:
        yield e.cp


@pytest.fixture
def two(cupy: Any) -> Iterator[Any]:
    """Two devices, the first of them current before and after."""
    devices = (Fake if hasattr(cupy, "host_only") else Real)(cupy)
    yield devices
    assert cupy.cuda.runtime.getDevice() == 0, "the caller's device is current no more"
    assert not devices.busy()
    if isinstance(devices, Fake):  # memory of a real one that was used and given back leaves no trace
        assert devices.worked()


def second(cp: Any, G: lagcolor.Graph) -> lagcolor.Graph:
    """A graph on the second device."""
    with cp.cuda.Device(1):
        return lagcolor.Graph(cp.asarray(G.indptr), cp.asarray(G.indices))


def on_second(cp: Any, *arrays: Any) -> tuple[Any, ...]:
    with cp.cuda.Device(1):
        return tuple(cp.asarray(a) for a in arrays)


@pytest.mark.parametrize("name", ["random sparse", "star"])
@pytest.mark.parametrize("algorithm", ON_GPU)
def test_algorithms_run_where_the_data_are(two: Any, algorithm: str, name: str) -> None:
    G, row = graph(name), lagcolor.ALGORITHMS[algorithm]
    result = lagcolor.color(second(two.cp, G), algorithm, **SHORT.get(algorithm, {}))
    assert result.device == "cuda:1" and result.verified
    lagcolor.verify(G, result.to_numpy())
    assert result.n_colors == len(result.class_sizes)
    if row.deterministic and "cpu" in row.engines:
        order, seed = row.order, row.seed
        rest = {"order": order, "seed": seed} if row.reads_order else {}
        assert result.to_numpy().tolist() == lagcolor.color(G, algorithm, **rest).colors.tolist()


@pytest.mark.parametrize(
    ("quality", "limit"), [(None, None), ("fast", None), ("balanced", None), ("best", 1e-3)], ids=str
)
@pytest.mark.parametrize("name", ["random sparse", "clique 70", "grid"])
def test_qualities_run_where_the_data_are(two: Any, name: str, quality: str | None, limit: float | None) -> None:
    result = lagcolor.color(second(two.cp, graph(name)), quality=quality, time_limit=limit, trace=True)
    assert result.device == "cuda:1"
    lagcolor.verify(graph(name), result.to_numpy())


@pytest.mark.parametrize("method", ["heuristics", "iterated_greedy", "ejection"])
def test_reductions_run_where_the_data_are(two: Any, method: str) -> None:
    G = graph("random sparse")
    given = lagcolor.color(G, "che_baseline")
    result = lagcolor.reduce(second(two.cp, G), given.colors, method=method)
    assert result.device == "cuda:1" and result.n_colors <= given.n_colors
    lagcolor.verify(G, result.to_numpy())


@pytest.mark.parametrize("order", GPU_ORDERS)
def test_orders_are_made_where_the_data_are(two: Any, order: str) -> None:
    H = second(two.cp, graph("random dense"))
    p = Priorities.of(H, order, seed=3)
    assert p.p.device.id == p.sequence.device.id == 1
    assert p.sequence.get().tolist() == Priorities.of(graph("random dense"), order, seed=3).sequence.tolist()


@pytest.mark.parametrize("order", ["cpu", "second"])
def test_a_user_order_may_come_from_anywhere(two: Any, order: str) -> None:
    G = graph("random sparse")
    values = np.random.default_rng(1).permutation(G.n)
    given = values if order == "cpu" else on_second(two.cp, values)[0]
    result = lagcolor.color(second(two.cp, G), "jones_plassmann", order=given)
    assert result.to_numpy().tolist() == lagcolor.color(G, "greedy", order=values).colors.tolist()


def test_the_verifier_runs_where_the_data_are(two: Any) -> None:
    G = graph("random dense")  # over 4096 entries, so that the GPU's own kernel runs
    H, good = second(two.cp, G), lagcolor.color(G).colors
    for colors in (good, *on_second(two.cp, good)):
        assert lagcolor.verify(H, colors).n_conflicts == 0
    bad = good * 0
    assert lagcolor.verify(H, bad, errors="return").n_conflicts == G.n_edges


def _inputs(cp: Any, A: Any, sparse: Any) -> dict[str, Any]:
    """The same graph in every form that lives on a GPU."""
    A = A.tocoo()
    u, v, offsets, columns = on_second(cp, A.row, A.col, A.tocsr().indptr, A.tocsr().indices)
    (backwards,) = on_second(cp, np.stack([A.row[::-1], A.col[::-1]]))
    dense, ones = on_second(cp, A.toarray(), A.data)
    with cp.cuda.Device(1):
        matrices = {
            "csr": sparse.csr_matrix((ones, columns, offsets), shape=A.shape),
            "coo": sparse.coo_matrix((ones, (u, v)), shape=A.shape),
        }
    mixed = {"a pair of the host and a device": (A.row, v)}
    return {"pair": (u, v), "edge index": backwards, "dense": dense, **matrices, **mixed}


@pytest.mark.parametrize("form", ["pair", "edge index", "dense", "csr", "coo", "a pair of the host and a device"])
@pytest.mark.parametrize("symmetrize", [False, True])
def test_graphs_are_made_where_the_data_are(two: Any, form: str, symmetrize: bool) -> None:
    import cupyx.scipy.sparse as sparse

    A = graph("random sparse").to_scipy().astype(np.float32)
    if symmetrize:
        A = sp.triu(A)
    G = lagcolor.Graph.of(_inputs(two.cp, A, sparse)[form], symmetrize=symmetrize, n=A.shape[0])
    assert G.device == "cuda:1"
    assert G.on("cpu").indices.tolist() == graph("random sparse").indices.tolist()
    assert lagcolor.color(G).device == "cuda:1"


def test_an_error_of_conversion_leaves_the_device(two: Any) -> None:
    import cupyx.scipy.sparse as sparse

    A = sp.triu(graph("random sparse").to_scipy()).astype(np.float32)
    with pytest.raises(lagcolor.GraphError, match="not symmetric"):
        lagcolor.color(_inputs(two.cp, A, sparse)["coo"])


@pytest.mark.parametrize("kind", ["two arrays", "moved"])
def test_devices_that_differ(cupy: Any, kind: str) -> None:
    """Ends on two devices meet on that of the first; `device=` moves the graph."""
    A = graph("random sparse").to_scipy().tocoo()
    (v,) = on_second(cupy, A.col)
    x = (cupy.asarray(A.row), v) if kind == "two arrays" else (v, on_second(cupy, A.row)[0])
    result = lagcolor.color(x, device=None if kind == "two arrays" else "cuda:0")
    assert result.device == "cuda:0"
    lagcolor.verify(graph("random sparse"), result.to_numpy())


@pytest.mark.skipif("LAGCOLOR_TEST_DEVICE" in os.environ, reason="conftest gives the name another meaning")
def test_cuda_names_the_current_device(cupy: Any) -> None:
    G = graph("grid")
    with cupy.cuda.Device(1):
        assert G.on("cuda").device == lagcolor.color(G, device="cuda").device == "cuda:1"
    assert G.on("cuda").device == "cuda:0"
    with pytest.raises(lagcolor.DeviceError, match="numbered from 0"):
        G.on(f"cuda:{cupy.cuda.runtime.getDeviceCount()}")


def test_results_are_read_where_they_are(two: Any) -> None:
    G = graph("random sparse")
    result = lagcolor.color(second(two.cp, G), trace=True)
    offsets, vertices = result.groups()
    assert offsets.device.id == vertices.device.id == result.permutation().device.id == 1
    assert sorted(result.to_dict()) == list(range(G.n))
    assert "cuda:1" in repr(result)


def test_generated_graphs_are_made_where_they_are_wanted(two: Any) -> None:
    G = lagcolor.generate.from_spec("grid2d:9", device="cuda:1")
    assert G.device == "cuda:1" and lagcolor.color(G).n_colors >= 2


def _verbs(E: Any, A: Any, w: Any, mask: Any) -> Iterator[Callable[[], Any]]:
    s = semirings
    yield lambda: E.vxm(w, A, s.max_times)
    yield lambda: E.vxm(w, A, s.max_times, mask=mask)
    yield lambda: E.mxv(A, w, s.min_plus, mask=mask, complement=True)
    yield lambda: E.ewise_add(s.gt, w, mask)
    yield lambda: E.ewise_mult(s.times, w, mask)
    yield lambda: E.apply(s.plus, w, right=2)
    yield lambda: E.select(s.gt, w, 3)
    yield lambda: E.extract(w, [3, 1, 2])
    yield lambda: E.assign(E.dup(w), 7, mask=mask)
    yield lambda: E.scatter(E.dup(w), mask, 5)
    yield lambda: E.as_format(E.dup(w), "sparse")


def test_verbs_run_where_their_operands_are(two: Any) -> None:
    G, E, host = graph("random sparse"), semirings.engine("cuda"), semirings.engine("cpu")
    values = np.arange(1, G.n + 1, dtype=np.int32)
    w, mask = (E.from_numpy(*on_second(two.cp, x)) for x in (values, values % 3))
    A = E.matrix(*on_second(two.cp, G.indptr, G.indices), symmetric=True)
    there = [E.to_numpy(verb()) for verb in _verbs(E, A, w, mask)]
    on_host = (host.matrix(G.indptr, G.indices, symmetric=True), host.from_numpy(values), host.from_numpy(values % 3))
    here = [host.to_numpy(verb()) for verb in _verbs(host, *on_host)]
    assert [x.tolist() for x in there] == [x.tolist() for x in here]
    assert E.reduce(semirings.plus, w) == values.sum() and E.any(w) and E.nvals(w) == G.n


def test_operands_of_two_devices_are_an_error(cupy: Any) -> None:
    E = semirings.engine("cuda")
    u = E.from_numpy(np.arange(4))
    v = E.from_numpy(*on_second(cupy, np.arange(4)))
    with pytest.raises(semirings.DeviceError, match="ewise_add: operands on devices 0 and 1"):
        E.ewise_add(semirings.plus, u, v)


def test_frontier_operators_run_where_the_graph_is(two: Any) -> None:
    from lagcolor.frontier import operators

    ops = operators.on(second(two.cp, graph("random sparse")))
    F = ops.frontier(np.array([5, 3, 8], np.int32))
    assert ops.to_numpy(F).tolist() == [3, 5, 8]
    assert ops.size(ops.all()) == 500


@pytest.mark.parametrize("algorithm", ["ecl_gc", "jones_plassmann", "luby_is", "gunrock_is", "feluca"])
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_what_breaks_in_leaves_the_device(cupy: Any, algorithm: str, error: type[BaseException]) -> None:
    if not hasattr(cupy, "host_only"):
        pytest.skip("a real GPU does not refuse memory on demand")
    H = second(cupy, graph("random sparse"))
    lagcolor.color(H, algorithm)
    LEDGER.clear()

    def refuse(what: str, n_bytes: int) -> None:
        if what == "allocate" and n_bytes >= 4 * H.n:
            raise error

    with pytest.MonkeyPatch.context() as patch, pytest.raises(error):
        patch.setattr(GPU, "fail", refuse)
        lagcolor.color(H, algorithm)
    assert cupy.cuda.runtime.getDevice() == 0 and LEDGER.of(0) == 0
