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
        """Return the number of events on the first device."""
        return LEDGER.of(0)

    def worked(self) -> bool:
        """Whether the second has done anything."""
        return LEDGER.of(1) > 0


class Real:
    """Two GPUs; the first is watched by its memory: its unused memory is given back first, so that all shows."""

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


@pytest.mark.parametrize("algorithm", ON_GPU)
def test_algorithms_run_where_the_data_are(two: Any, algorithm: str) -> None:
    G, row = graph("random sparse"), lagcolor.ALGORITHMS[algorithm]
    result = lagcolor.color(second(two.cp, G), algorithm, **SHORT.get(algorithm, {}))
    assert result.device == "cuda:1" and result.verified
    assert all(x.device.id == 1 for x in (*result.groups(), result.permutation()))
    lagcolor.verify(G, result.to_numpy())
    if row.deterministic and "cpu" in row.engines:
        rest = {"order": row.order, "seed": row.seed} if row.reads_order else {}
        assert result.to_numpy().tolist() == lagcolor.color(G, algorithm, **rest).colors.tolist()


CALLS: dict[str, Callable[[lagcolor.Graph], lagcolor.Coloring]] = {
    "fast": lambda H: lagcolor.color(H, quality="fast", trace=True),
    "balanced": lambda H: lagcolor.color(H, quality="balanced", trace=True),
    "best": lambda H: lagcolor.color(H, quality="best", time_limit=1e-3),
    "an order of the CPU": lambda H: lagcolor.color(H, "jones_plassmann", order=np.arange(H.n)),
    "reduce": lambda H: lagcolor.reduce(H, lagcolor.color(H, quality="fast")),
    "heuristics": lambda H: lagcolor.reduce(H, lagcolor.color(H, "che_baseline"), method="heuristics"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["random dense", "clique 70"])  # over 4096 entries, so that the GPU's verifier runs
def test_calls_run_where_the_data_are(two: Any, name: str, call: str) -> None:
    H = second(two.cp, graph(name))
    result = CALLS[call](H)
    assert result.device == "cuda:1" and lagcolor.verify(H, result.colors).n_conflicts == 0
    lagcolor.verify(graph(name), result.to_numpy())


@pytest.mark.parametrize("order", GPU_ORDERS)
def test_orders_are_made_where_the_data_are(two: Any, order: str) -> None:
    H = second(two.cp, graph("random dense"))
    p = Priorities.of(H, order, seed=3)
    assert p.p.device.id == p.sequence.device.id == 1
    assert p.sequence.get().tolist() == Priorities.of(graph("random dense"), order, seed=3).sequence.tolist()


def _inputs(cp: Any, A: Any, sparse: Any) -> dict[str, Any]:
    """Return a graph in every form that can be on a GPU."""
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
    x = _inputs(two.cp, sp.triu(A) if symmetrize else A, sparse)[form]
    G = lagcolor.Graph.of(x, symmetrize=symmetrize, n=A.shape[0])
    assert G.device == "cuda:1"
    assert G.on("cpu").indices.tolist() == graph("random sparse").indices.tolist()


def test_devices_that_differ(cupy: Any) -> None:
    """Ends on two devices meet on the device of the first; `device=` moves the graph."""
    A = graph("random sparse").to_scipy().tocoo()
    u, v = on_second(cupy, A.row, A.col)
    for x, device in (((cupy.asarray(A.row), v), None), ((u, v), "cuda:0")):
        result = lagcolor.color(x, device=device)
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


@pytest.mark.parametrize("algorithm", ["ecl_gc", "luby_is", "feluca"])
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


def test_an_error_of_conversion_leaves_the_device(two: Any) -> None:
    import cupyx.scipy.sparse as sparse

    A = sp.triu(graph("random sparse").to_scipy()).astype(np.float32)
    with pytest.raises(lagcolor.GraphError, match="not symmetric"):
        lagcolor.color(_inputs(two.cp, A, sparse)["coo"])
