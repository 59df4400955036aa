"""Several GPUs color one graph with the colors of one CPU: emulated devices, whose threads take turns at random."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import emulated
import numpy as np
import pytest
import scipy.sparse as sp
from corpus import CORPUS, graph

import lagcolor
from lagcolor.cli import main
from lagcolor.engines.greedy import cuda as greedy_cuda
from lagcolor.scale.disk import Folder
from lagcolor.scale.gpus import color, distribute, mesh
from lagcolor.scale.gpus import parts as parts_module
from lagcolor.scale.gpus.check import verify

SPREAD = "largest_first_spread"
FAMILIES = ["grid2d:20", "uniform:300,4", "rgg:8", "kron_g500:8", "clique:100"]
LARGE = [*FAMILIES, "stencil27:60", "rgg:17", "uniform:300000,4", "kron_g500:15", "path:9999"]


def expected(G: lagcolor.Graph, order: Any = SPREAD, seed: int | None = 0) -> np.ndarray:
    return lagcolor.color(G, "greedy", order=order, seed=seed).colors


@pytest.fixture(params=[1, 3])  # of each test: tests with a mark enter theirs before, and leave it after a module
def gpus(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A number of devices."""
    if not emulated.available():
        pytest.skip("no C++ compiler")
    with emulated.emulated_gpu(devices=request.param, seed=request.param, processors=2) as e:
        yield e


@pytest.mark.parametrize("spec", FAMILIES)
def test_colors_equal_colors_of_one_cpu(gpus: Any, spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    D = distribute(G)
    result = color(D)
    assert np.array_equal(result.colors, expected(G))
    assert len(D.parts) >= min(gpus.gpu.devices, 2)
    verify(D, result.colors, spread=0 if G.max_degree < 64 else None)
    assert (result.notes["messages"] > 0) == (len(D.parts) > 1)


@pytest.mark.emulated(devices=3)
def test_corpus() -> None:
    for name in CORPUS:
        if (G := graph(name)).m < 6000:
            assert np.array_equal(lagcolor.color(G, device="cuda:*").colors, expected(G)), name


@pytest.mark.emulated(devices=3, seed=3, processors=2)
@pytest.mark.parametrize("order", ["natural", "random", "largest_log_first", "user"])
def test_orders(order: str) -> None:
    for spec in ("rgg:8", "kron_g500:8"):
        G = lagcolor.generate.from_spec(spec)
        passed = np.random.default_rng(1).permutation(G.n) if order == "user" else order
        result = lagcolor.color(G, order=passed, seed=5, device="cuda:*")
        assert np.array_equal(result.colors, expected(G, passed, 5))
        assert (result.order, result.seed, result.algorithm) == (order, 5, "first_fit")


@pytest.mark.emulated(devices=3)
def test_offsets_of_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_module, "offset_type", lambda m: np.int64)
    for spec in ("rgg:8", "kron_g500:8"):
        G = lagcolor.generate.from_spec(spec)
        assert np.array_equal(color(distribute(G)).colors, expected(G))


@pytest.mark.emulated(devices=3, macros={"INDEX_BITS": 5})
def test_places_with_hubs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few and with more hubs than a key has bits for."""
    monkeypatch.setattr(greedy_cuda, "INDEX_BITS", 5)
    for spec in ("kron_g500:8", "kron_g500:6", "clique:70"):
        G = lagcolor.generate.from_spec(spec)
        assert np.array_equal(lagcolor.color(G, device="cuda:*").colors, expected(G))


@pytest.mark.emulated(devices=3)
def test_parts() -> None:
    G = lagcolor.generate.from_spec("uniform:1000,5")
    D = distribute(G, ["cuda:2", "gpu:0"])
    assert D.devices == (2, 0) and D.bounds[0] == 0 and D.bounds[-1] == G.n and D.m == G.m
    assert [p.first % 32 for p in D.parts] == [0, 0]
    work = [p.n + p.m for p in D.parts]
    assert max(work) < 1.2 * min(work)
    assert [part.indices.device.id for part in D.parts] == [2, 0]
    assert repr(D) == "<Distributed: 1,000 vertices, 4,967 edges, on cuda:2 and cuda:0>"
    path = distribute(lagcolor.generate.path(640), "cuda:0,cuda:1")  # a state and a color go each way, in bytes
    assert path.boundary == 2
    notes = color(path).notes
    assert notes["messages"] == 4 and notes["bytes"] == 4


@pytest.mark.emulated(devices=2)
def test_colors_are_where_the_graph_was() -> None:
    G = lagcolor.generate.from_spec("rgg:8")
    there = G.on("cuda:1")
    result = lagcolor.color(there, device=["cuda:0", "cuda:1"])
    assert result.device == "cuda:1" and np.array_equal(result.colors.get(), expected(G))
    assert result.verified
    matrix = sp.csr_array(G.to_scipy())
    result = lagcolor.color(matrix, device="cuda:0,cuda:1")
    assert result.device == "cpu" and np.array_equal(result.colors, expected(G))


@pytest.mark.emulated(devices=2)
def test_in_place() -> None:
    """Parts stay where they are, and are colored as often as you like, in any order."""
    G = lagcolor.generate.from_spec("grid2d:20")
    D = distribute(G)
    for order, seed in ((SPREAD, 0), ("natural", 1), (SPREAD, 3), (SPREAD, 0)):
        assert np.array_equal(lagcolor.color(D, order=order, seed=seed).colors, expected(G, order, seed))
    best = lagcolor.color(D, order=("natural", SPREAD))
    assert best.n_colors == 2


@pytest.mark.emulated(devices=2)
def test_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each GPU gets its rows from the mapped arrays, in pieces."""
    G = lagcolor.generate.from_spec("rgg:8")
    named = lagcolor.Graph(G.indptr, G.indices, labels=[f"v{i}" for i in range(G.n)])
    lagcolor.io.write(tmp_path / "rgg.csr", named)
    monkeypatch.setattr(parts_module, "CHUNK", 100)
    monkeypatch.setattr(Folder, "check", None)  # nothing reads all of it
    for x in (str(tmp_path / "rgg.csr"), Folder.open(tmp_path / "rgg.csr")):
        result = lagcolor.color(x, device="cuda:*")
        assert result.verified and result.device == "cpu" and np.array_equal(result.colors, expected(G))
        assert result.to_dict()["v3"] == result.colors[3]


@pytest.mark.emulated(devices=2)
def test_threads_color_one_after_the_other() -> None:
    G = lagcolor.generate.from_spec("rgg:8")
    D, right = distribute(G), expected(G)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: color(D).colors, range(8)))
    assert all(np.array_equal(colors, right) for colors in results)


@pytest.mark.emulated(devices=3)
@pytest.mark.parametrize("name, sides", [("grid2d", (30, 20)), ("stencil27", (9,))])
def test_meshes_made_in_parts(name: str, sides: tuple[int, ...]) -> None:
    G = lagcolor.generate.from_spec(f"{name}:{','.join(map(str, sides))}")
    D = mesh(name, *sides)
    assert len(D.parts) == 3 and (D.n, D.m) == (G.n, G.m)
    assert np.array_equal(np.concatenate([p.indices.get() for p in D.parts]), G.indices)
    result = lagcolor.color(D, verify=True)
    assert result.verified and np.array_equal(result.colors.get(), expected(G))
    assert f"{G.n_edges:,} edges" in repr(result) and result.device == "cuda:0"
    verify(D, result.colors, spread=0)


@pytest.mark.emulated(devices=2)
def test_the_check_finds_faults() -> None:
    D = mesh("grid2d", 20)
    colors = color(D).colors.get()
    for v in (0, 399):
        for wrong, message in ((-1, "1 uncolored"), (1 - colors[v], "[24] conflicting|2 conflicting"), (5, None)):
            changed = colors.copy()
            changed[v] = wrong
            if message is None:  # proper, but not the least color
                assert verify(D, changed).n_colors == 6
                with pytest.raises(lagcolor.ColoringError, match="1 vertices with another color"):
                    verify(D, changed, spread=0)
            else:
                with pytest.raises(lagcolor.ColoringError, match=message):
                    verify(D, changed)


@pytest.mark.emulated(devices=2)
def test_a_launch_that_fails() -> None:
    """Kernels that were launched before it stop waiting, and the next coloring starts anew."""
    G = lagcolor.generate.from_spec("rgg:8")
    D, seen = distribute(G), []

    def fail(what: str, how: Any) -> None:
        if what == "launch" and how in ("color_low", "color_in_sequence"):
            seen.append(how)
            if len(seen) == 2:
                raise RuntimeError("no such luck")

    color(D)
    for order in (SPREAD, "natural"):
        seen.clear()
        emulated.GPU.fail = fail
        with pytest.raises(RuntimeError, match="no such luck"):
            color(D, order)
        emulated.GPU.fail = None
        stopped = [stored for stored in D._cache.values() if getattr(stored, "broken", False)]
        assert [int(stop[0]) != 0 for stored in stopped for stop in stored.stops] == [True, True]
        assert np.array_equal(color(D, order).colors, expected(G, order, 0))


@pytest.mark.emulated(devices=2)
def test_errors() -> None:
    G = lagcolor.generate.from_spec("grid2d:8")
    for device, message in (
        (["cuda:0", "cuda:5"], "this machine has 2 CUDA device"),
        (["cuda:1", "cuda:1"], "name GPU 1 twice"),
        (["cpu", "cuda:1"], "must be GPUs"),
        ([], "an empty list of devices"),
    ):
        with pytest.raises(lagcolor.DeviceError, match=message):
            lagcolor.color(G, device=device)
    with pytest.raises(lagcolor.OptionError, match="takes the whole graph on one device"):
        lagcolor.color(G, device="cuda:*", order="smallest_last")
    with pytest.raises(lagcolor.OptionError, match="by must be 'contiguous' on several GPUs"):
        distribute(G, by="metis")
    with pytest.raises(lagcolor.OptionError, match="leave device out"):
        lagcolor.color(distribute(G), device="cuda:0")


@pytest.mark.emulated(devices=2, peers=False)
def test_no_peer_access() -> None:
    with pytest.raises(lagcolor.DeviceError, match="GPU 0 cannot reach the memory of GPU 1"):
        lagcolor.color("grid2d:8", device="cuda:*")


@pytest.mark.gpu
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("spec", LARGE)
def test_on_real_gpus(spec: str, count: int) -> None:
    import cupy as cp

    if cp.cuda.runtime.getDeviceCount() < count:
        pytest.skip("needs two GPUs")
    G = lagcolor.generate.from_spec(spec)
    D = distribute(G, [f"cuda:{device}" for device in range(count)])
    for order, seed in ((SPREAD, 0), (SPREAD, 7), ("random", 1), (SPREAD, 0)):
        result = color(D, order, seed=seed)
        assert np.array_equal(result.colors, expected(G, order, seed)), (order, seed)
        verify(D, result.colors, spread=seed if order == SPREAD and G.max_degree < 64 else None)


ON_ONE = [pytest.param(spec, marks=pytest.mark.emulated(seed=4, processors=4)) for spec in FAMILIES[1:4]]
ON_ONE += [pytest.param(spec, marks=pytest.mark.gpu, id=f"{spec}-cuda") for spec in LARGE]


@pytest.mark.parametrize("spec", ON_ONE)
def test_parts_on_one_device(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several parts on the first device, each with a share of its blocks, in place of devices."""
    G = lagcolor.generate.from_spec(spec)
    for count in (2, 3):
        monkeypatch.setattr(parts_module, "numbers", lambda devices, count=count: (0,) * count)
        D = distribute(G)
        assert D.devices == (0,) * len(D.parts) and len(D.parts) > 1
        for order, seed in ((SPREAD, 0), (SPREAD, 7), ("random", 1), (SPREAD, 0)):
            result = color(D, order, seed=seed)
            assert np.array_equal(result.colors, expected(G, order, seed)), (order, seed)
            verify(D, result.colors, spread=seed if order == SPREAD and G.max_degree < 64 else None)


@pytest.mark.gpu
def test_meshes_on_real_gpus() -> None:
    """All that are there."""
    D = mesh("stencil27", 50, 40, 70)
    G = lagcolor.generate.stencil27(50, 40, 70)
    assert D.m == G.m and np.array_equal(color(D).colors.get(), expected(G))
    with pytest.raises(lagcolor.ColoringError, match="conflicting"):
        verify(D, np.zeros(D.n, np.int32))


@pytest.mark.emulated(devices=2)
def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "colors.npy"
    assert main(["color", "grid2d:20", "--device", "cuda:1,cuda:0", "--out", str(out), "--json"]) == 0
    assert np.array_equal(np.load(out), expected(lagcolor.generate.grid2d(20)))
    printed = json.loads(capsys.readouterr().out)
    assert sorted(part["device"] for part in printed["notes"]["parts"]) == ["cuda:0", "cuda:1"]


def two_gpus() -> Any:
    """CuPy, where there are two GPUs."""
    import cupy as cp

    if cp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs")
    return cp


@pytest.mark.gpu
@pytest.mark.parametrize("full", [0, 1])
@pytest.mark.parametrize("megabytes", [32, 90])  # too little for a part, and for its coloring
def test_a_gpu_without_memory(full: int, megabytes: int) -> None:
    """An error, and the next call is right."""
    cp = two_gpus()
    G, pool = lagcolor.generate.uniform(4_000_000, 4), cp.get_default_memory_pool()
    try:
        with cp.cuda.Device(full):
            pool.free_all_blocks()
            pool.set_limit(size=pool.used_bytes() + (megabytes << 20))
        with pytest.raises(MemoryError):
            lagcolor.color(G, device="cuda:0,cuda:1")
    finally:
        with cp.cuda.Device(full):
            pool.set_limit(size=0)
    assert np.array_equal(lagcolor.color(G, device="cuda:0,cuda:1").colors, expected(G))


CHILD = """
import lagcolor
D = lagcolor.scale.gpus.distribute(lagcolor.generate.uniform(2_000_000, 8), "cuda:0,cuda:1")
lagcolor.color(D)
print("works", flush=True)
while True:
    lagcolor.color(D)
"""


@pytest.mark.gpu
def test_another_process_is_killed() -> None:
    """Colors are right while another process takes both GPUs, and once it has been killed."""
    two_gpus()
    G = lagcolor.generate.uniform(300_000, 4)
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "works\n"
        for _ in range(3):
            assert np.array_equal(lagcolor.color(G, device="cuda:0,cuda:1").colors, expected(G))
        assert child.poll() is None
        child.kill()
    assert child.returncode == -signal.SIGKILL
    assert np.array_equal(lagcolor.color(G, device="cuda:0,cuda:1").colors, expected(G))
