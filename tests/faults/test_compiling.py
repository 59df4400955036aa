"""What compiling takes is in `compile_seconds` and in no other time; on a terminal a line says that it goes on."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from corpus import graph
from emulated import GPU as EMULATED_GPU
from emulated import available

import lagcolor
from lagcolor.api import session, warm_up
from lagcolor.api.result import fewest
from lagcolor.base import compile_clock as compiling
from lagcolor.base import device as dev
from lagcolor.base.device.compiled import njit
from lagcolor.base.device.source import at_once
from lagcolor.base.progress import StatusLine

ROOT = Path(__file__).parents[2]


class Clock:
    """A clock that moves only on request."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(compiling, "time", clock)
    monkeypatch.setattr(compiling, "_thread", compiling.Spent())
    return clock


def test_a_stopwatch_stands_still_while_code_is_compiled(clock: Clock) -> None:
    begun = compiling.clock()
    with session.Clock(lagcolor.generate.path(2)) as watch:
        clock.work(1)
        with compiling.clocked():
            clock.work(10)
            assert (compiling.clock(), compiling.seconds()) == (begun + 1, 10)
            with compiling.clocked():  # code that it needs
                clock.work(20)
            clock.work(30)
        clock.work(2)
    assert watch.seconds == 3.0
    assert (compiling.clock(), compiling.seconds()) == (begun + 3, 60)
    with pytest.raises(ZeroDivisionError), compiling.clocked():
        clock.work(5)
        raise ZeroDivisionError
    assert compiling.seconds() == 65


def test_loading_is_counted_without_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first dispatcher compiles the function, the second one loads it from the cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    begun: list[int] = []
    monkeypatch.setattr(compiling.line, "begin", begun.append)
    home = tmp_path / "home.py"
    home.write_text("def double(x):\n    return 2 * x\n")
    space: dict[str, Any] = {"__name__": "lagcolor"}  # which numba imports when it loads
    exec(compile(home.read_text(), str(home), "exec"), space)
    for _ in range(2):
        double, before = njit(space["double"], cache=True), compiling.seconds()
        assert double(21) == 42
        assert compiling.seconds() > before
        assert begun == ["double"]
    assert double.stats.cache_hits


LAUNCHED = """
import numpy as np
from lagcolor.base.device.parallel import launch, parallel, share, slots

@parallel
def double(t, shared, threads, x):
    for i in share(t, threads, x.size):
        x[i] *= 2

x = np.arange(10.0)
launch(double, 2, slots(0), np.int64(2), x)
assert x[5] == 10
print(sum(double.on_all.stats.cache_hits.values()))
"""


def test_a_second_process_loads_launchers(tmp_path: Path) -> None:
    """A second process loads the launchers of loops that `parallel` decorates."""
    home = tmp_path / "home.py"
    home.write_text(LAUNCHED)
    where = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for expected in ("0", "1"):
        out = subprocess.run([sys.executable, str(home)], env=where, capture_output=True, text=True, check=False)
        assert out.stdout.strip() == expected, out.stderr


def named(function: Any) -> Any:
    """A function of the package."""
    function.__module__ = "lagcolor"
    return function


def test_ctrl_c_is_raised_after_a_function_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception inside of the compiler leaves numba and LLVM in a state that later calls cannot use."""
    plus = njit(named(lambda x: x + 1))
    monkeypatch.setattr(compiling.line, "begin", lambda what: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        plus(1)
    assert len(plus.signatures) == 1
    assert gc.isenabled() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert plus(1) == 2


def test_results_say_what_compiling_took() -> None:
    """In every place that has the other times."""
    G = lagcolor.generate.cycle(5)
    old = lagcolor.color(G)
    for call in (
        lambda **how: lagcolor.color(G, **how),
        lambda **how: lagcolor.reduce(G, np.arange(5), **how),
        lambda **how: lagcolor.balance(G, np.array([0, 1, 0, 1, 2]), **how),
        lambda **how: lagcolor.recolor(G, old, keep=True, **how),
    ):
        assert call(progress=lambda _: compiling.add(1.5)).compile_seconds >= 1.5
        assert call().compile_seconds == 0
    result, other = lagcolor.color(G), lagcolor.color(G)
    assert result.provenance()["compile_seconds"] == 0 and "compile" not in repr(result)
    result.compile_seconds, other.compile_seconds = 1.25, 2.0
    assert "1.2 s to load code" in repr(result)
    assert fewest([result, other]).compile_seconds == 3.25


def test_a_terminal_shows_that_code_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a line that is taken back; or a line of progress says it in place of a line of its own."""
    written: list[str] = []
    error = SimpleNamespace(isatty=lambda: True, write=written.append, flush=lambda: None)
    monkeypatch.setattr(sys, "stderr", error)
    line = compiling.Line()
    monkeypatch.setattr(compiling, "line", line)
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    with StatusLine("coloring x", shown=True) as shown:
        with compiling.clocked():
            line.begin("first_fit")
            line._say(line._timer)  # as its timer does
            assert shown.parts() == ("", "coloring x", "compiling first_fit …")
        assert shown.parts() == ("", "coloring x", "")
    assert not written
    with compiling.clocked():
        line.begin("first_fit")
        line._say(line._timer)
    text = "compiling first_fit …"
    assert written == [text, "\b \b" * len(text)]
    error.isatty = lambda: False
    line.begin("first_fit")
    assert line._timer is None


FIRST_CALLS = """
import sys
from lagcolor.base import compile_clock as compiling

watching, late = False, []

def hook(event, args):
    loading = getattr(compiling._thread, "begun", None) is not None
    if watching and not loading and event == "exec" and getattr(args[0], "co_filename", "").endswith(".py"):
        late.append(f"{what}: {args[0].co_filename}")

sys.addaudithook(hook)
import numpy as np, lagcolor
from lagcolor.problems.registry import TABLES
from lagcolor import ORDERS, balance, color, recolor, reduce
G, mesh = lagcolor.generate.from_spec("rgg:6"), lagcolor.generate.from_spec("grid2d:8")
open("graph.col", "w").write("p edge 3 2\\ne 1 2\\ne 2 3\\n")
rows = [(problem, name) for problem in TABLES for name, row in TABLES[problem].items() if "cpu" in row.engines]
calls = {f"{problem}, {name}": lambda p=problem, a=name: color(G, a, problem=p) for problem, name in rows}
calls |= {f"order {name}": lambda name=name: color(G, order=name) for name in ORDERS}
pairs = [G.rows_of_entries(), G.indices]
for name, x in {"matrix": G.to_scipy(), "dense": G.to_scipy().toarray(), "pairs": pairs, "file": "graph.col"}.items():
    for problem in ("distance1", "columns"):
        calls |= {f"{problem} of a {name}": lambda x=x, p=problem: color(x, problem=p)}
for quality, more in (("balanced", {}), ("best", {"time_limit": 0.01})):
    calls |= {f"{quality}, {x.n}": lambda x=x, q=quality, more=more: color(x, quality=q, **more) for x in (G, mesh)}
calls["rules"] = lambda: color(G, max_colors=20)
calls["few colors"] = lambda: color(mesh, fixed={0: 0}, max_colors=3)
calls["reduce"] = lambda: reduce(G, np.arange(G.n))
calls["balance"] = lambda: balance(G, color(G))
calls["recolor"] = lambda: recolor(G, color(G), keep=True)
for what, call in calls.items():
    watching = True
    call()
    watching = False
print(*late or ["ok"], sep="\\n")
"""


@pytest.mark.timeout(1800)  # with empty caches it compiles every algorithm
def test_nothing_is_imported_in_the_time_of_a_first_call(tmp_path: Path) -> None:
    """Imports are in `compile_seconds`. The process of the test makes every call for the first time."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", FIRST_CALLS]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("ok\n", 0), done.stdout + done.stderr


GPU_ALONE = """
import sys
import numpy as np
from emulated import emulated_gpu
with emulated_gpu():
    import cupy as cp, cupyx.scipy.sparse as sparse
    import lagcolor
    A = lagcolor.generate.grid2d(190).to_scipy()
    arrays = (cp.asarray(x) for x in (A.data.astype(float), A.indices, A.indptr))
    B = sparse.csr_matrix(tuple(arrays), A.shape)
    for name in [m for m in sys.modules if m.partition(".")[0] in ("lagcolor", "numba", "llvmlite")]:
        del sys.modules[name]
    import lagcolor  # anew, as in a process that does nothing else
    G = lagcolor.Graph.of(B)
    print(*(lagcolor.color(G, quality=quality, verify=True).n_colors for quality in ("fast", "balanced")))
    print("numba" in sys.modules, "llvmlite" in sys.modules)
    lagcolor.color(A)
    print("numba" in sys.modules)
"""


@pytest.mark.skipif(not available(), reason="needs a C++ compiler")
def test_a_call_on_a_gpu_does_not_import_numba() -> None:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in ("", "tests", "tools"))}
    done = subprocess.run([sys.executable, "-c", GPU_ALONE], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["5", "2", "False", "False", "True"], done.stderr


@pytest.mark.emulated(devices=2)
def test_kernels_are_compiled_at_once(clock: Clock) -> None:
    """For the device that is current; the time of all counts once, for the caller."""
    cp, together, devices = dev.cupy(), threading.Barrier(3, timeout=60), []

    def load() -> None:
        with compiling.clocked():
            together.wait()
            clock.work(5)
            devices.append(cp.cuda.runtime.getDevice())

    with cp.cuda.Device(1):
        at_once(cp, [load] * 3)
        assert devices == [1] * 3
    assert compiling.seconds() == 15 and clock.now == 115


@pytest.mark.emulated(warms=True)
def test_code_is_loaded_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "_WARM", set())
    row, G = lagcolor.ALGORITHMS["che_hybrid"], graph("rmat").on("cuda")
    warm_up.warm_up(G, row, None, False, {})
    before = len(EMULATED_GPU.texts)
    lagcolor.color(G, "che_hybrid", verify=False)
    assert len(EMULATED_GPU.texts) == before > 0
    assert {g.device for g in warm_up.small_graphs(G)} == {G.device}


def test_ctrl_c_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best so far of a small graph is of no use."""

    def run(G: Any, p: Any, log: Any, **options: Any) -> Any:
        log.notes["interrupted"] = True
        return np.zeros(G.n, np.int32)

    monkeypatch.setattr(warm_up, "_WARM", set())
    with pytest.raises(KeyboardInterrupt):
        warm_up.warm_up(graph("grid"), replace(lagcolor.ALGORITHMS["greedy"], run=run), None, False, {})
    assert not warm_up._WARM


def test_no_standard_error_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    compiling.line.begin("first_fit")
    compiling.line.end()


def test_progress_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress works without standard error, as in a service on Windows."""
    monkeypatch.setattr(sys, "stderr", None)
    assert lagcolor.color(lagcolor.generate.cycle(5), progress=True).n_colors == 3
