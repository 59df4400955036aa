"""IPGC and its relatives: modes, the trace, and the CUDA kernels run on the CPU where there is no GPU."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace
from typing import Any

import cuda_emulator
import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import device as dev
from lagcolor.kernels import chen, ipgc
from lagcolor.result import Log

MODES = ("topology", "data", "hybrid")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
EMULATED = pytest.mark.skipif(not cuda_emulator.available(), reason="the emulator needs g++")
CUPY = cuda_emulator.Cupy()
MODULES: dict[Any, Any] = {}


def emulated_kernel(path: Any, name: str, **defines: object) -> Any:
    """What `device.kernel` gives, from the emulator: includes pasted in, macros in front."""
    key = (path, *sorted(defines.items()))
    if key not in MODULES:
        seen: set[str] = set()

        def paste(m: re.Match[str]) -> str:
            if m[1] in seen:
                return ""
            seen.add(m[1])
            return re.sub(r'^#include "(.*)"$', paste, (dev.INCLUDE_DIR / m[1]).read_text(), flags=re.MULTILINE)

        text = re.sub(r'^#include "(.*)"$', paste, path.read_text(), flags=re.MULTILINE)
        text = re.sub(r"\s*__launch_bounds__\(.*?\)", "", text).replace("#pragma once", "")
        text = re.sub(r"__global__ void\s+", "__global__ void ", text)
        macros = "".join(f"#define {k} {v}\n" for k, v in (*defines.items(), ("__forceinline__", "inline")))
        MODULES[key] = CUPY.RawModule(macros + text)
    return MODULES[key].get_function(name)


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPU code of this module's algorithms on NumPy arrays."""
    fake = SimpleNamespace(cupy=lambda: CUPY, kernel=emulated_kernel)
    monkeypatch.setattr(ipgc, "dev", fake)
    monkeypatch.setattr(chen, "dev", fake)


def check(G: lagcolor.Graph, colors: Any) -> int:
    assert colors.dtype == np.int32
    report = lagcolor.verify(G, colors)
    assert report.n_colors <= G.max_degree + 1
    return report.n_colors


def limits(G: lagcolor.Graph) -> list[int]:
    return [-1, G.n, int(0.6 * G.n)]


@EMULATED
@pytest.mark.parametrize("name", CORPUS)
def test_kernels_on_the_corpus(emulated: None, name: str) -> None:
    G = graph(name)
    if G.n == 0:
        return
    for limit in limits(G):
        check(G, ipgc._gpu(G, limit, Log()))


@EMULATED
@pytest.mark.parametrize("name", ["grid", "rmat", "clique 70", "random dense"])
def test_kernels_in_many_launches(emulated: None, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Room for two rounds only, so that worklists are handed from launch to launch."""
    monkeypatch.setattr(ipgc, "ROUNDS", 2)
    G = graph(name)
    for limit in limits(G):
        log = Log(trace=True)
        check(G, ipgc._gpu(G, limit, log))
        assert sum(row["colored"] for row in log.rows) == log.rows[0]["active"] == G.n


def one_color(G: lagcolor.Graph, limit: int) -> tuple[np.ndarray, list[list[int]]]:
    """The kernel's later rounds from the worst of states: every vertex listed with color 0. Colors, and the records."""
    degrees, blocks, most = G.degrees, 1, 2 * G.n + 2
    parts = [
        np.flatnonzero(degrees <= 31),
        np.flatnonzero((degrees > 31) & (degrees < 512)),
        np.flatnonzero(degrees > 511),
    ]
    words = (1 << 31 | np.floor(np.log2(np.maximum(degrees, 1))).astype(np.uint32) << 25).astype(np.uint32)
    lists = np.concatenate([*reversed(parts), np.full(G.n, -1)]).astype(np.int32)
    head, records = np.zeros(16, np.uint64), np.zeros((most + 1, 16), np.uint64)
    head[2], head[3] = len(parts[2]), len(parts[1])
    records[0, :3] = [len(part) for part in parts]
    kernel = emulated_kernel(ipgc.SOURCE, "ipgc_rounds", OFFSET_BITS=8 * G.indptr.itemsize)
    args = (G.indptr, G.indices, G.n, words, lists[: G.n].copy(), lists, 0, limit, 0, most, head, records)
    kernel.kernel((blocks,), (256,), (*args, np.zeros(2, np.uint32)), enable_cooperative_groups=True)
    assert int(head[1]) < most
    return words.view(np.int32), records[: int(head[1])].tolist()


@EMULATED
@pytest.mark.parametrize(
    "name", ["isolated among others", "star", "odd cycle", "clique 70", "crown", "grid", "random sparse", "rmat"]
)
def test_later_rounds_from_one_color(name: str) -> None:
    G = graph(name)
    for limit in limits(G):
        colors, records = one_color(G, limit)
        check(G, colors)
        active = [int(sum(r[:3])) for r in records]
        assert active[0] == G.n
        assert all(a > b for a, b in itertools.pairwise(active))  # each round settles a vertex
        assert [bool(r[7]) for r in records] == [a > limit for a in active]


@EMULATED
@given(n=st.integers(1, 90), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1))
def test_later_rounds_on_random_graphs(n: int, density: float, seed: int) -> None:
    G = random_graph(n, int(density * n * n / 3), seed)
    for limit in limits(G):
        check(G, one_color(G, limit)[0])


@EMULATED
@pytest.mark.parametrize("data_driven", [False, True])
@pytest.mark.parametrize("name", CORPUS)
def test_chen_on_the_corpus(emulated: None, name: str, data_driven: bool) -> None:
    G = graph(name)
    log = Log(trace=True)
    if G.n:
        check(G, chen._gpu(G, log, data_driven))
        assert sum(row["colored"] for row in log.rows) == G.n


@pytest.mark.parametrize("kind", DEVICES)
@pytest.mark.parametrize("mode", MODES)
def test_modes_and_their_trace(kind: str, mode: str) -> None:
    G = random_graph(3000, 30_000, 5)
    for H in (0.0, 0.6, 1.0):
        result = lagcolor.color(G.on(kind), "ipgc", mode=mode, H=H, trace=True, verify=True)
        limit = {"topology": -1, "data": G.n, "hybrid": int(H * G.n)}[mode]
        assert [row["mode"] for row in result.trace] == [
            "topology" if row["active"] > limit else "data" for row in result.trace
        ]
        assert result.trace[0]["active"] == G.n == sum(row["colored"] for row in result.trace)
        assert result.trace[0]["conflicts"] == 0
        assert all(row["ms"] >= 0 for row in result.trace)


@pytest.mark.parametrize("algorithm", ["ipgc", "chen_topology", "chen_data"])
def test_one_thread_is_first_fit(algorithm: str) -> None:
    """Alone, a thread sees every color of its round: the answer is that of sequential first-fit."""
    for name in CORPUS:
        G = graph(name)
        expected = lagcolor.color(G, "greedy").colors
        assert np.array_equal(lagcolor.color(G, algorithm, threads=1).colors, expected), name


@pytest.mark.parametrize("algorithm", ["ipgc", "chen_topology", "chen_data"])
def test_threads_in_each_others_way(algorithm: str) -> None:
    """Dense graphs in short chunks, so that conflicts do happen; no matter how many, the coloring is proper."""
    G = random_graph(600, 60_000, 3)
    for _ in range(20):
        check(G, lagcolor.color(G, algorithm, threads=4, verify=False).colors)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "both"}, "mode must be one of topology, data, hybrid, not 'both'"),
        ({"H": 1.5}, "H must be a number from 0 to 1, the share of the vertices on the worklist, not 1.5"),
        ({"H": float("nan")}, "H must be a number from 0 to 1"),
        ({"H": True}, "H must be a number from 0 to 1"),
        ({"H": "half"}, "H must be a number from 0 to 1"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("grid"), "ipgc", **options)


def hubs(n: int, count: int) -> lagcolor.Graph:
    """Hubs joined to each other and to every vertex."""
    u = np.repeat(np.arange(count), n)
    return lagcolor.Graph.of((u, np.tile(np.arange(n), count)), n=n)


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", ["ipgc", "chen_topology", "chen_data"])
def test_many_hubs_on_gpu(algorithm: str) -> None:
    """Forty hubs of a million neighbours: over 65,535, and all in each other's way."""
    G = hubs(1_000_000, 40).on("cuda")
    assert lagcolor.color(G, algorithm, verify=True).n_colors == 41


@pytest.mark.gpu
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("spec", ["grid2d:300", "stencil27:30", "rmat:15", "kron_g500:13", "clique:1500", "road:200"])
def test_repeats_on_gpu(spec: str, mode: str) -> None:
    """Schedules differ from run to run; every one must be proper."""
    G = lagcolor.generate.from_spec(spec).on("cuda")
    for _ in range(10):
        result = lagcolor.color(G, "ipgc", mode=mode, verify=True)
        assert result.n_colors <= G.max_degree + 1
