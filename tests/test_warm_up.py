"""What benchmarks do before the clock starts, so that no time holds compiling or loading."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpus import graph
from emulated import GPU as EMULATED_GPU

import lagcolor
from lagcolor.run import warm_up


def test_small_graphs() -> None:
    """Over 64 colors, an odd number, and few; for huge graphs one over the size from which kernels differ."""
    dense, grid = (lagcolor.Graph(graph(g).indptr.astype(np.int64), graph(g).indices) for g in ("clique 70", "grid"))
    kernel, algebra = lagcolor.ALGORITHMS["ecl_gc"], lagcolor.ALGORITHMS["luby_is"]
    for G, row, isolated, sizes in (
        (dense, kernel, (), [71, 3]),
        (dense, kernel, (1000,), [71, 3, 1071]),
        (dense, algebra, (), [5, 3]),
        (grid, kernel, (), [5, 3]),
    ):
        small = list(warm_up.small_graphs(G, row, isolated))
        assert [g.n for g in small] == sizes
        assert {g.indptr.dtype for g in small} == {np.dtype(np.int64)}
        colors = [sizes[0], 2, 71][: len(sizes)]
        assert [lagcolor.color(g, verify=True).n_colors for g in small] == colors


def test_each_choice_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word or a flag may take other code; a number or an array takes the same."""
    monkeypatch.setattr(warm_up, "_WARM", set())
    ran: list[dict[str, Any]] = []
    row = replace(lagcolor.ALGORITHMS["che_work_stealing"], run=lambda G, p, log, **options: ran.append(options))
    for options in ({}, {"schedule": "paper"}, {"schedule": "worklist"}, {"steal": False}, {"queues": 2}):
        warm_up.warm_up(graph("grid"), row, None, False, options)
        assert ran and all(given == options for given in ran)
        ran.clear()
        warm_up.warm_up(graph("grid"), row, None, False, options)
        assert not ran
    warm_up.warm_up(graph("grid"), row, None, False, {"queues": 3})
    assert not ran


@pytest.mark.emulated(warms=True)
@pytest.mark.parametrize("algorithm", ["che_baseline", "che_hybrid", "che_work_stealing"])
def test_che_is_loaded_beforehand(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "_WARM", set())
    row, G = lagcolor.ALGORITHMS[algorithm], graph("rmat").on("cuda")
    for options in ({}, {"schedule": "worklist"}):
        warm_up.warm_up(G, row, None, False, options)
        before = len(EMULATED_GPU.texts)
        lagcolor.color(G, algorithm, verify=False, **options)
        assert len(EMULATED_GPU.texts) == before > 0


@pytest.mark.emulated(warms=True)
def test_isolated_vertices_beside_small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as it takes for the kernels of a larger graph."""
    row, other = lagcolor.ALGORITHMS["first_fit"], lagcolor.ALGORITHMS["ecl_gc"]
    cpu = lagcolor.generate.from_spec("path:2000")
    assert warm_up.beside(cpu, row) == ()
    G = cpu.on("cuda")
    small = lagcolor.generate.from_spec("clique:600").on("cuda")
    assert warm_up.beside(G, row) == (1024,) and warm_up.beside(G, other) == ()
    assert warm_up.beside(small, row) == (1024,)  # more entries than one block takes
    monkeypatch.setattr(warm_up, "SURE", 1999)
    assert warm_up.beside(G, row) == (1024, warm_up.SORTED)
    monkeypatch.setattr(warm_up, "HUGE", 1000)
    assert warm_up.beside(G, row) == (1024, warm_up.SORTED, 1000) and warm_up.beside(G, other) == (1000,)
    sizes = [g.n for g in warm_up.small_graphs(G, row, (9, 50))]
    assert sizes == [71, 3, 80, 121]


@pytest.mark.gpu
def test_small_graphs_on_a_gpu() -> None:
    """Where kernels are chosen by the frontier, there are graphs of many kinds."""
    G = lagcolor.Graph(graph("grid").indptr.astype(np.int64), graph("grid").indices).on("cuda")
    small = list(warm_up.small_graphs(G, lagcolor.ALGORITHMS["gunrock_is"]))
    assert [g.n for g in small[2:]] == [3600, 2**10, 2**15, 2**13]
    assert {(g.device, g.indptr.dtype.char) for g in small} == {(G.device, "l")}
    assert small[-1].max_degree > 1000


CPU = """
import numba.core.caching as caching, lagcolor, numpy as np
from lagcolor import api
from lagcolor.search.load_code import rehearse
from lagcolor.device import first
from lagcolor.run.warm_up import warm_up

first.ENTRIES = 0  # compiled loops from the first graph on, and not from wherever others have had enough of them
loaded, load, timed = [], caching.Cache.load_overload, api.timed

def watched(self, *args):
    loaded.append(str(self))
    return load(self, *args)

def watched_run(G, run, log, then):
    loaded.clear()
    out = timed(G, run, log, then)
    assert not loaded, (name, spec, loaded)
    return out

caching.Cache.load_overload, api.timed = watched, watched_run
names = [name for name, row in lagcolor.ALGORITHMS.items() if "cpu" in row.engines]
for spec in ("rmat:10", "kron_g500:13", "grid2d:60", "grid2d:300"):
    G = lagcolor.generate.from_spec(spec)
    for name in names:
        warm_up(G, lagcolor.ALGORITHMS[name], None, False, {})
        lagcolor.color(G, name, verify=False)
    name = "balanced"
    rehearse(G, name)
    lagcolor.color(G, quality=name, verify=False)
G, keys = lagcolor.generate.from_spec("rmat:10"), np.arange(1024) % 100
for name in names:
    row, spec = lagcolor.ALGORITHMS[name], "rmat:10, again"
    if row.reads_order:
        warm_up(G, row, keys, True, {})
        lagcolor.color(G, name, order=keys, trace=True, verify=False)
    for threads in (1, 2) if "threads" in row.options else ():
        warm_up(G, row, None, False, {"threads": threads})
        lagcolor.color(G, name, threads=threads, verify=False)
print("ok")
"""

GPU = """
import cupy.cuda.compiler as compiler, lagcolor, numpy as np
from lagcolor import api
from lagcolor.search.load_code import rehearse
from lagcolor.run.warm_up import warm_up

late, loaded, load, timed = [], [], compiler._compile_module_with_cache, api.timed

def watched(source, *args, **options):
    loaded.append(" | ".join(line for line in source.splitlines() if line.startswith(("#define", "// variants")))[:300]
                  or source[:300])
    return load(source, *args, **options)

def watched_run(G, run, log, then):
    loaded.clear()
    out = timed(G, run, log, then)
    if loaded:
        late.append(f"{name} on {spec}: {loaded}")
    return out

compiler._compile_module_with_cache, api.timed = watched, watched_run
names = [name for name, row in lagcolor.ALGORITHMS.items() if "cuda" in row.engines]
short = {"memetic": {"steps": 100, "pairs": 1, "brood": 2}}
for spec in ("rmat:11", "kron_g500:14", "grid2d:70", "rgg:14", "delaunay:14"):
    G = lagcolor.generate.from_spec(spec).on("cuda")
    for name in names:
        warm_up(G, lagcolor.ALGORITHMS[name], None, False, short.get(name, {}))
        lagcolor.color(G, name, verify=False, **short.get(name, {}))
    name = "balanced"
    rehearse(G, name)
    lagcolor.color(G, quality=name, verify=False)
G, keys, spec = lagcolor.generate.from_spec("rmat:11").on("cuda"), np.arange(2048) % 100, "rmat:11, keys"
for name in names:
    if lagcolor.ALGORITHMS[name].reads_order:
        warm_up(G, lagcolor.ALGORITHMS[name], keys, False, short.get(name, {}))
        lagcolor.color(G, name, order=keys, verify=False, **short.get(name, {}))
print(*late or ["ok"], sep="\\n")
"""


@pytest.mark.timeout(1800)  # with empty caches it compiles every algorithm
@pytest.mark.parametrize("program", [CPU, pytest.param(GPU, marks=pytest.mark.gpu)], ids=["cpu", "cuda"])
def test_nothing_is_compiled_or_loaded_while_time_is_taken(program: str) -> None:
    """In a process of its own; the last graph of the CPU's is one for several threads."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("ok\n", 0), done.stdout + done.stderr
