"""Graphs colored from their folders in bounded memory: the colors of the same graphs in memory, and clear errors."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from emulated import EMULATED, ENGINES, GPU, LEDGER

import lagcolor
from lagcolor.base import device as dev
from lagcolor.scale.disk import Writer, coloring

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution
from benchmarks.memory import taken

ORDERS = ["natural", None, "random", "random_spread", "largest_first", "largest_log_first"]
GRAPHS = {
    "rmat": "rmat:9",
    "hubs": "barabasi_albert:700,40",
    "rgg": "rgg:9",
    "grid": "grid2d:24",
    "isolated": ([0, 5], [3, 9]),
    "clique": np.ones((130, 130)) - np.eye(130),
    "edgeless": np.zeros((5, 5)),
}


@pytest.fixture(autouse=True)
def little(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs in little memory: little stays free, more on a GPU, where each array takes whole pages."""
    monkeypatch.setattr(coloring, "SLACK", 1 << 20 if request.node.get_closest_marker("gpu") else 1 << 10)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, lagcolor.Graph]]:
    """A folder of each graph, and the graph."""
    root, out = tmp_path_factory.mktemp("folders"), {}
    for name, x in GRAPHS.items():
        G = lagcolor.Graph.of(x)
        lagcolor.io.write(root / f"{name}.csr", G)
        out[name] = root / f"{name}.csr", G
    G = lagcolor.Graph.of("uniform:1500,40")
    lagcolor.io.write(root / "wide.csr", G)
    return out | {"wide": (root / "wide.csr", G)}


def least(path: Path, order: Any, device: str) -> int:
    """The least memory that will do, as the error for less says."""
    with pytest.raises(lagcolor.OptionError, match="is too little for") as caught:
        lagcolor.color(path, order=order, device=device, memory=1)
    return int(str(caught.value).partition("pass ")[2].split()[0])


def on(engine: str) -> str:
    return "cpu" if engine == "cpu" else "cuda"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_colors_equal_colors_in_memory(folders: Any, graph: str, engine: str) -> None:
    """In the least memory, and in more."""
    path, G = folders[graph]
    for order in ORDERS if engine != "emulated" else ("natural", None, "random"):
        want = lagcolor.color(G, "first_fit", order=order, threads=1)
        few = least(path, order, on(engine))
        for memory in (few, 3 * few, "1GB") if graph == "rgg" or order == "natural" else (2 * few,):
            result = lagcolor.color(path, order=order, memory=memory, device=on(engine), verify=True)
            assert (result.to_numpy() == want.colors).all() and result.verified
            assert (result.order, result.seed, result.n_colors) == (want.order, want.seed, want.n_colors)
            assert result.device == ("cpu" if engine == "cpu" else f"cuda:{dev.parse_device('cuda')[1]}")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_least_memory(folders: Any, engine: str) -> None:
    """An order takes more than the coloring, where sorting computes it."""
    path, G = folders["wide"]
    slack = coloring.SLACK
    assert least(path, "largest_log_first", on(engine)) == 40 * G.n + slack
    fewest = least(path, "natural", on(engine))
    assert 4 * G.n < fewest - slack < 20 * G.n
    with pytest.raises(lagcolor.OptionError, match="too little"):
        lagcolor.color(path, order="largest_log_first", memory=fewest, device=on(engine))


def test_own_priorities_and_seeds(folders: Any) -> None:
    path, G = folders["rmat"]
    before = sorted(path.parent.rglob("*"))
    own = np.arange(G.n) * 7 % 50
    for order, seed in ((own, None), ("random", 5), ("largest_first", 2)):
        result = lagcolor.color(path, order=order, seed=seed, memory=least(path, order, "cpu"))
        assert (result.colors == lagcolor.color(G, "first_fit", order=order, seed=seed, threads=1).colors).all()
    assert sorted(path.parent.rglob("*")) == before  # the folder is alone


def test_many_rows_and_colors_of_two_types(tmp_path: Path) -> None:
    """Rows in parts on a CPU; the first color over 60 is in the second part."""
    n, first = 70_000, 40_000
    u, v = np.triu_indices(90, 1)
    chain = np.arange(n - 1)
    edges = np.concatenate([np.column_stack([u, v]) + first, np.column_stack([chain, chain + 1])])
    lagcolor.io.write(tmp_path / "clique.csr", edges.tolist())
    G = lagcolor.Graph.of(tmp_path / "clique.csr")
    for order in ("natural", "random", None):
        result = lagcolor.color(tmp_path / "clique.csr", order=order, memory="10MB", trace=True)
        assert result.notes["blocks"] == len(result.trace) == 3
        assert (result.colors == lagcolor.color(G, order=order, quality="fast").colors).all()
    colors = result.colors.copy()
    colors[1] = colors[0]  # in the first part alone
    with pytest.raises(lagcolor.ColoringError, match=r"the first \(0, 1\): both have color"):
        lagcolor.verify(tmp_path / "clique.csr", colors, memory="10MB")


def test_memory_is_for_folders(tmp_path: Path) -> None:
    for none in (tmp_path / "none.csr", "rgg:8"):
        with pytest.raises(FileNotFoundError, match="no such folder, and memory is for a graph in a folder"):
            lagcolor.color(none, memory="1GB")
    (tmp_path / "e.txt").write_text("0 1\n1 2\n")
    with pytest.raises(lagcolor.OptionError, match=r"e\.txt is a file: leave memory out, or .*lagcolor\.convert makes"):
        lagcolor.color(tmp_path / "e.txt", memory="1GB")


def copied(path: Path, to: Path) -> Path:
    shutil.copytree(path, to)
    return to


def overwrite(path: Path, element: int, value: int, dtype: str) -> None:
    with open(path, "r+b") as f:
        f.seek(128 + element * np.dtype(dtype).itemsize)
        f.write(np.array(value, dtype).tobytes())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("damage", ["loop", "repeated", "falls", "negative", "too large"])
def test_damaged_rows_are_found(folders: Any, tmp_path: Path, damage: str, engine: str) -> None:
    """By the check, and by the coloring on a CPU, which needs no check for that; on a GPU entries are in range."""
    path, G = folders["grid"]
    v = 40
    begin, end = map(int, G.indptr[v : v + 2])
    loop = begin + int(np.searchsorted(G.indices[begin:end], v))  # where a self-loop leaves the row rising
    element, value = {
        "loop": (loop, v), "repeated": (begin, int(G.indices[begin + 1])), "falls": (begin + 1, 0),
        "negative": (begin, -1), "too large": (end - 1, G.n),
    }[damage]  # fmt: skip
    bad = copied(path, tmp_path / "bad.csr")
    overwrite(bad / "indices.npy", element, value, "<i4")
    message = r"damaged folder of a graph: row 40 of indices\.npy"
    with pytest.raises(lagcolor.FormatError, match=message):
        lagcolor.verify(bad, np.arange(G.n), memory="30kB")
    for order in ("natural", None) if engine == "cpu" or damage in ("negative", "too large") else ():
        with pytest.raises(lagcolor.FormatError, match=message):
            lagcolor.color(bad, order=order, memory=200_000 + coloring.SLACK, device=on(engine), verify=False)


def test_offsets_that_fall(folders: Any, tmp_path: Path) -> None:
    path, _ = folders["rmat"]
    bad = copied(path, tmp_path / "bad.csr")
    overwrite(bad / "indptr.npy", 7, 10**6, "<i8")
    with pytest.raises(lagcolor.FormatError, match=r"indptr\.npy falls, or is out of range, between rows 0 and 512"):
        lagcolor.color(bad, memory="200kB")


@pytest.mark.parametrize("engine", ENGINES)
def test_whoever_listens_may_end_it(folders: Any, engine: str) -> None:
    class EnoughError(Exception):
        pass

    def listen(progress: lagcolor.base.progress.Progress) -> None:
        assert progress.stage == "coloring"
        assert progress.unit == "vertices"
        raise EnoughError

    threads = threading.active_count()
    with pytest.raises(EnoughError):
        lagcolor.color(
            folders["hubs"][0], order="natural", memory=100_000 + coloring.SLACK, device=on(engine), progress=listen
        )
    assert threading.active_count() == threads


def test_the_check_of_a_folder_reports_what_that_in_memory_does(folders: Any) -> None:
    path, G = folders["rmat"]
    good = lagcolor.color(G).colors
    rng = np.random.default_rng(1)
    for fault in range(6):
        colors = good.copy()
        where = rng.integers(0, G.n, 9)
        if fault:
            colors[where] = [0, -1, G.n + 5, -7, int(colors.max()) + 2][fault - 1]
        want = lagcolor.verify(G, colors, errors="return")
        assert lagcolor.verify(path, colors, errors="return", memory="30kB") == want
        assert lagcolor.verify(path, colors.astype(np.int64), errors="return", memory="30kB") == want
        if not want.ok:
            with pytest.raises(lagcolor.ColoringError, match="not a valid coloring"):
                lagcolor.verify(path, colors, memory="30kB")


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_the_check_of_colors_of_other_types(folders: Any, dtype: Any) -> None:
    """Colors over int32 are out of range, as in memory, and equal ones are in conflict; different ones are not."""
    path, G = folders["grid"]
    good = lagcolor.color(G).colors.astype(dtype)
    top = np.iinfo(dtype).max
    for colors in (
        good, good[::-1], good + dtype(100), top - good, np.where(good == 0, top, good), np.full(G.n, top, dtype),
        np.arange(G.n).astype(dtype), np.where(np.arange(G.n) == 7, np.iinfo(dtype).min, good),
    ):  # fmt: skip
        want = lagcolor.verify(G, colors, errors="return")
        assert lagcolor.verify(path, colors, errors="return", memory="30kB") == want
    if dtype == np.int8:
        return
    apart = (np.arange(G.n) + 2**32).astype(dtype)
    report = lagcolor.verify(path, apart, errors="return", memory="30kB")
    assert report.n_conflicts == 0 and report.out_of_range[0] == (0, 2**32)
    with pytest.raises(lagcolor.ColoringError, match=f"vertex 0 has color {good[0] + dtype(2**32)}: colors go from 0"):
        lagcolor.verify(path, good + dtype(2**32), memory="30kB")  # which int32 would wrap to the good ones


def test_verified_is_false_without_the_check(folders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = folders["grid"]
    check, seen, color = coloring.check.verify, [], coloring.on_cpu.color

    monkeypatch.setattr(coloring.check, "verify", lambda *a, **k: (seen.append(a), check(*a, **k)))
    assert lagcolor.color(path, memory="1MB", verify=True).verified and len(seen) == 1
    assert not lagcolor.color(path, memory="1MB", verify=False).verified and len(seen) == 1
    monkeypatch.setattr(coloring.on_cpu, "color", lambda *a: 0 * color(*a))
    with pytest.raises(lagcolor.ColoringError, match="not a valid coloring"):
        lagcolor.color(path, memory="1MB", verify=True)
    assert not lagcolor.color(path, memory="1MB", verify=False).verified


def test_what_the_check_refuses(folders: Any, tmp_path: Path) -> None:
    path, G = folders["rmat"]
    for colors, why in (([0, 1], r"shape \(512,\)"), (np.zeros(G.n), "integers, not float64")):
        with pytest.raises(lagcolor.ColoringError, match=why):
            lagcolor.verify(path, colors, memory="1MB")
    with pytest.raises(lagcolor.OptionError, match="memory=9 is too little for colors of int64: pass 26624 or more"):
        lagcolor.verify(path, np.zeros(G.n, int), memory=9)
    one_sided = tmp_path / "half.csr"
    for rows, where in ((([1, 0], [1]), "1 conflicting entries above the diagonal, 0 below"),
                        (([0, 1], [0]), "0 conflicting entries above the diagonal, 1 below")):  # fmt: skip
        with Writer(one_sided, 2, force=True) as out:
            out.append(*rows)
            out.publish()
        with pytest.raises(lagcolor.GraphError, match=f"not symmetric: {where}"):
            lagcolor.verify(one_sided, [0, 0], memory="1MB")


def test_labels_come_with_the_colors(tmp_path: Path) -> None:
    G = lagcolor.Graph.of([("a", "b"), ("b", "c")])
    lagcolor.io.write(tmp_path / "named.csr", G)
    assert lagcolor.color(tmp_path / "named.csr", memory="1MB", order="natural").to_dict() == {"a": 0, "b": 1, "c": 0}


@pytest.mark.parametrize("order", ["natural", None])
def test_memory_used_on_a_cpu(folders: Any, order: str | None) -> None:
    """In a folder of four times the memory that is allowed."""
    path, G = folders["wide"]
    memory = (4 * G.m + 8 * G.n) // 4
    peak, _ = taken(lambda: lagcolor.color(path, order=order, memory=memory, verify=False))
    assert peak <= memory


@EMULATED
def test_memory_used_on_a_gpu_emulated(folders: Any) -> None:
    """The device has no byte more than is allowed, in a graph of four times that."""
    path, G = folders["wide"]
    memory = (4 * G.m + 8 * G.n) // 4
    for order in ("natural", None):
        want = lagcolor.color(G, "first_fit", order=order).colors
        gc.collect()
        GPU.memory = LEDGER.live[0] + memory
        result = lagcolor.color(path, order=order, memory=memory, device="cuda")
        assert (result.to_numpy() == want).all()
        assert result.notes["held"] <= memory
        del result


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_is_written_to_meanwhile(folders: Any, tmp_path: Path, engine: str) -> None:
    """Its size stays the same, and its time of change does not; the error comes with the first block."""
    bad = copied(folders["hubs"][0], tmp_path / "bad.csr")

    def listen(_: lagcolor.base.progress.Progress) -> None:
        os.utime(bad / "indices.npy", (1, 1))

    with pytest.raises(lagcolor.FormatError, match="it was changed while it was read"):
        lagcolor.color(bad, order="natural", memory=100_000 + coloring.SLACK, device=on(engine), progress=listen)


@pytest.mark.gpu
def test_memory_used_on_a_gpu(tmp_path: Path) -> None:
    """No more of the device than is allowed, for a folder of four times that.

    What is free on the device says it; that is not looked at where other workers' tests use the device.
    """
    import cupy as cp

    G = lagcolor.generate.stencil27(100, device="cuda")
    lagcolor.io.write(tmp_path / "large.csr", G.on("cpu"))
    memory = (4 * G.m + 8 * G.n) // 4
    want = {order: lagcolor.color(G, "first_fit", order).to_numpy() for order in ("natural", None)}
    del G
    pool, alone = cp.get_default_memory_pool(), "PYTEST_XDIST_WORKER" not in os.environ
    for order in want:
        lagcolor.color(tmp_path / "large.csr", order=order, memory=memory, device="cuda", verify=False)  # loads kernels
        gc.collect()
        pool.free_all_blocks()
        free, least_free, over = cp.cuda.runtime.memGetInfo()[0], [2**62], threading.Event()

        def look(least_free: list[int] = least_free, over: threading.Event = over) -> None:
            while not over.is_set():
                least_free[0] = min(least_free[0], cp.cuda.runtime.memGetInfo()[0])

        watch = threading.Thread(target=look)
        watch.start()
        try:
            result = lagcolor.color(tmp_path / "large.csr", order=order, memory=memory, device="cuda", verify=False)
        finally:
            over.set()
            watch.join()
        assert (result.to_numpy() == want[order]).all()
        assert 0 < result.notes["held"] <= memory
        assert not alone or free - least_free[0] <= memory + (32 << 20)  # the driver gives memory in pieces
        del result
