"""Jones–Plassmann's CUDA kernels beside sequential first-fit: on a GPU, and on the CPU where there is none."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace
from typing import Any

import emulated
import numpy as np
import pytest
from corpus import CORPUS, fewer, graph, random_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor import device
from lagcolor.core.result import Log
from lagcolor.orders import Priorities
from lagcolor.orders.ties import mix
from lagcolor.papers import jones_plassmann as jp

SMALL_GRAPHS = [name for name in CORPUS if name != "clique 1100"]  # that one takes the emulator minutes
ORDERS = [("natural", None), ("random", None), ("random", 2**40), ("largest_first", 7)]
FEW = {"BLOCK": 64, "LOW": 5, "HIGH": 20}  # so that small graphs have vertices for warps and for blocks
EMULATED = pytest.mark.emulated(macros=FEW)
WAYS = [pytest.param(2**22, id="one launch"), pytest.param(0, id="many launches")]


def use(patch: pytest.MonkeyPatch, small: int) -> None:
    """Graphs of up to `small` vertices and entries in one launch; sizes as in `FEW`."""
    for name, value in FEW.items():
        patch.setattr(jp, name, value)
    patch.setattr(jp, "THREADS", (1, 32, FEW["BLOCK"]))
    patch.setattr(jp, "AT_ONCE", small)
    patch.setattr(jp, "TAIL_BATCH", 3)


@pytest.fixture(params=WAYS)
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, request.param)


def colored(G: lagcolor.Graph, p: Priorities, shift: int = 0, log: Log | None = None) -> list[int]:
    """On the emulated device, from offsets that are `shift` more, and columns that begin as much earlier."""
    here = G.on("cuda")
    indptr = device.to_device((G.indptr + shift).astype(G.indptr.dtype), "cuda")
    assert not G.n or indptr[-1] == G.m + shift
    shifted: Any = SimpleNamespace(n=G.n, m=G.m, indptr=indptr, indices=here.indices.data.ptr - 4 * shift)
    return jp._gpu(shifted, p.on("cuda"), Log() if log is None else log).tolist()


def expected(G: lagcolor.Graph, order: str, seed: int | None) -> list[int]:
    return lagcolor.color(G, "greedy", order=Priorities.of(G, order, seed)).colors.tolist()


@EMULATED
@pytest.mark.parametrize("name", SMALL_GRAPHS)
def test_emulated_on_the_corpus(sizes: None, name: str) -> None:
    G = graph(name)
    for order, seed in ORDERS if G.m < 5000 else ORDERS[2:]:
        assert colored(G, Priorities.of(G, order, seed)) == expected(G, order, seed)


@EMULATED
@settings(max_examples=fewer(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(n=st.integers(1, 120), degree=st.floats(0, 40), seed=st.integers(0, 2**32 - 1), wide=st.booleans())
def test_emulated_on_random_graphs(sizes: None, n: int, degree: float, seed: int, wide: bool) -> None:
    G = random_graph(n, int(n * degree / 2), seed)
    G = lagcolor.Graph(G.indptr.astype(np.int64), G.indices) if wide else G
    assert colored(G, Priorities.of(G, "random", seed)) == expected(G, "random", seed)


@EMULATED
@pytest.mark.parametrize(("dtype", "last"), [(np.int32, 2**31 - 1), (np.int64, 2**31 + 100), (np.int64, 2**40)])
@pytest.mark.parametrize("degree", [4, 12, 60])
def test_offsets_near_the_end_of_their_type(sizes: None, dtype: type, last: int, degree: int) -> None:
    """The last rows end at entry `last`: a step past them must not wrap around."""
    G = random_graph(100, 50 * degree, degree)
    G = lagcolor.Graph(G.indptr.astype(dtype), G.indices)
    for order, seed in ORDERS:
        assert colored(G, Priorities.of(G, order, seed), shift=last - G.m) == expected(G, order, seed)


@EMULATED
@pytest.mark.parametrize("kernel", ["warp_round", "block_round"])
@pytest.mark.parametrize("missing", [0, 1023, 1024, 2047, 2500])
def test_more_colors_than_a_window(kernel: str, missing: int) -> None:
    """The last vertex of a star: its 2500 neighbours have all colors up to 2499 but for one."""
    n = 2501
    indptr = np.append(np.arange(n, dtype=np.int32), 2 * (n - 1)).astype(np.int32)
    indices = np.append(np.full(n - 1, n - 1), np.arange(n - 1)).astype(np.int32)
    colors = np.append(np.arange(n - 1)[::-1], -1).astype(np.int32)
    colors[colors == missing] = 3000  # of no matter
    progress, active, waiting = np.zeros(n, np.uint64), np.array([n - 1], np.int32), np.zeros(1, np.int32)
    run = emulated.kernel(jp.SOURCE, kernel, OFFSET_BITS=32, KEY=0, **FEW)
    args = (indptr, indices, 0, 0, colors, progress, active, np.ones(1, np.int32), np.zeros(1, np.int32), waiting)
    run((1,), (FEW["BLOCK"],), args)
    assert (colors[-1], waiting[0]) == (missing, 0)


@pytest.mark.emulated(macros={**FEW, "MOST": 4})
def test_a_long_chain_takes_several_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, 2**22)
    for name in ("path", "clique 70", "random dense"):
        G, log = graph(name), Log()
        p = Priorities.of(G, np.arange(G.n))  # from the end, so that who is looked at first waits
        assert colored(G, p, log=log) == lagcolor.color(G, "greedy", order=p).colors.tolist()
        assert log.rounds > 2 * 4


@EMULATED
@pytest.mark.parametrize("name", ["star", "rmat", "random dense"])
def test_rounds_of_a_trace_add_up(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    use(monkeypatch, 2**22)
    G, log = graph(name), Log(trace=True)
    p = Priorities.of(G, "random", 0)
    assert colored(G, p, log=log) == expected(G, "random", 0)
    active = [row["active"] for row in log.rows] + [0]
    assert active[0] == G.n and len(log.rows) == log.rounds
    assert [row["colored"] for row in log.rows] == [a - b for a, b in itertools.pairwise(active)]
    untraced = Log()
    colored(G, p, log=untraced)
    assert 1 <= untraced.rounds <= 3 * log.rounds


@EMULATED
def test_without_cooperative_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, 2**22)
    monkeypatch.setattr(jp, "has_cooperative_launch", lambda cp, device: False)
    monkeypatch.setattr(jp, "_in_one_launch", None)
    G = graph("rmat")
    assert colored(G, Priorities.of(G, "random", 0)) == expected(G, "random", 0)


def test_constants_of_both_sides() -> None:
    text = jp.SOURCE.with_suffix(".cuh").read_text()
    defined = dict(re.findall(r"^#define (BLOCK|LOW|HIGH) +(\d+)", text, re.MULTILINE))
    assert {k: int(v) for k, v in defined.items()} == {"BLOCK": jp.BLOCK, "LOW": jp.LOW, "HIGH": jp.HIGH}
    assert int(re.search(r"^#define DONE (\d+)", text, re.MULTILINE)[1]) > jp.LOW  # type: ignore[index]


@pytest.mark.parametrize("n", [1, 33, 10_000])
@pytest.mark.parametrize("seed", [None, 0, 2**63 + 5])
def test_the_hash_stands_for_the_priorities(n: int, seed: int | None) -> None:
    """In random order kernels compare hashes of ids, in natural order ids."""
    G = lagcolor.Graph(np.zeros(n + 1, np.int32), np.empty(0, np.int32))
    hashes = mix(np, np.arange(n, dtype=np.uint32), seed or 0)
    assert np.array_equal(np.argsort(~hashes), Priorities.of(G, "random", seed).sequence)
    assert np.array_equal(Priorities.of(G, "random", seed).keys, Priorities.of(G, "random", seed).p)


@pytest.mark.gpu
@pytest.mark.parametrize("small", WAYS)
@pytest.mark.parametrize(
    "spec", ["grid2d:10", "kron_g500:15", "rmat:14", "uniform:30000,4", "stencil27:20", "social:50000,12", "rgg:15"]
)
def test_on_families(monkeypatch: pytest.MonkeyPatch, spec: str, small: int) -> None:
    monkeypatch.setattr(jp, "AT_ONCE", small)
    G = lagcolor.generate.from_spec(spec)
    for H in (G, lagcolor.Graph(G.indptr.astype(np.int64), G.indices)):
        for order, seed in ORDERS:
            result = lagcolor.color(H.on("cuda"), "jones_plassmann", order=order, seed=seed)
            assert result.rounds >= 1
            assert result.to_numpy().tolist() == expected(G, order, 0 if seed is None else seed)


@pytest.mark.gpu
@pytest.mark.inner
def test_small_graphs_take_one_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    import cupy as cp

    monkeypatch.setattr(jp, "_in_many_launches", None)
    G = lagcolor.generate.from_spec("grid2d:10", device="cuda")
    p = Priorities.of(G, "random", 0)
    assert p.keys is None
    assert jp._kernels(0, 32, 1).resident >= cp.cuda.Device().attributes["MultiProcessorCount"]
    jp._gpu(G, p, Log())
    assert p._p is None and p._sequence is None


@pytest.mark.gpu
@pytest.mark.parametrize("small", WAYS)
@pytest.mark.parametrize("last", [2**31 - 1, 2**31 + 10**6])
def test_offsets_near_the_end_of_their_type_on_a_gpu(monkeypatch: pytest.MonkeyPatch, last: int, small: int) -> None:
    """The pointer to the columns is as much too low as the offsets are too high: nothing is read before the first."""
    import cupy as cp

    monkeypatch.setattr(jp, "AT_ONCE", small)
    G = lagcolor.generate.from_spec("kron_g500:13")
    here = G.on("cuda")
    with here.indices.device:
        indptr = cp.asarray((G.indptr + np.int64(last - G.m)).astype(np.int32 if last < 2**31 else np.int64))
        columns = cp.asarray(G.indices)
        for order, seed in ORDERS:
            p = Priorities.of(here, order, seed)
            H: Any = SimpleNamespace(n=G.n, m=G.m, indptr=indptr, indices=columns.data.ptr - 4 * (last - G.m))
            assert jp._gpu(H, p, Log()).get().tolist() == expected(G, order, seed)
