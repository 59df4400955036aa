"""One of several threads fails: those that wait for it end, and the caller gets its error.

The tests cover every compiled loop with waiting threads. One thread fails before the other threads begin: before a
barrier, or after it has taken vertices. The time limit below ends a test that hangs.
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from solver_cases import poisson

import lagcolor
from lagcolor.base.device.compiled import njit
from lagcolor.base.device.intrinsics import fetch_add
from lagcolor.base.device.parallel import pool
from lagcolor.engines.greedy import copies, natural
from lagcolor.engines.greedy import threads as greedy
from lagcolor.engines.greedy.sequential import flag_bytes
from lagcolor.engines.improve import ejections, ejections_cpu
from lagcolor.engines.two_colored import star_windows
from lagcolor.engines.two_colored.stars import OrderedGraph
from lagcolor.engines.two_hop import windows
from lagcolor.graph.nets import Nets
from lagcolor.graph.pattern import unsigned
from lagcolor.inputs import transpose_cpu
from lagcolor.orders import degree_cpu, hash_order
from lagcolor.solvers import cpu, multicolor_ilu0, multicolor_sor

pytestmark = pytest.mark.timeout(300)  # seconds; compiling takes most of them
WORKERS = 3
PACKAGE = Path(lagcolor.__file__).parent


class BrokenError(Exception):
    """Why the thread fails."""


class Loop(NamedTuple):
    """A compiled function that several threads call, and what calls it."""

    home: Any
    name: str
    call: Callable[[], object]
    claim: Callable[..., object] = lambda *_: None  # what the thread takes before it fails


def breaking(loop: Loop) -> Any:
    """The function, whose first thread fails; the others begin then."""
    function, first, failed = getattr(loop.home, loop.name), threading.Lock(), threading.Event()

    def call(*args: Any) -> Any:
        if first.acquire(blocking=False):
            try:
                loop.claim(*args)
                raise BrokenError
            finally:
                failed.set()
        failed.wait()
        return function.on_all(*args)

    return SimpleNamespace(on_all=call)


@njit
def claim(shared: Any, count: Any) -> None:
    fetch_add(shared, np.uint64(0), count)


def take(*args: Any) -> None:
    """A chunk, of the arguments of `copies.color_share`: where the next one begins is known."""
    copies.take(args[2], args[4], args[6], args[1], copies.CHUNK, args[-1])


def grid() -> lagcolor.Graph:
    return lagcolor.generate.from_spec("grid2d:50")


def full() -> lagcolor.Pattern:
    """Two columns more than a pass of one thread has, all in one net."""
    n = windows.LEAST + 2
    return lagcolor.Pattern(np.array([0, n]), np.arange(n, dtype=np.int32), n)


def by_chunks(G: lagcolor.Graph, wide: bool) -> Any:
    graph = (*unsigned(G), np.arange(G.n, dtype=np.uint32))
    if wide:
        return greedy._run(graph, WORKERS, 100, np.uint16, (), flag_bytes(G.max_degree))
    return greedy.by_chunks(*graph, WORKERS, 100)


def on_one_state(G: lagcolor.Graph) -> Any:
    graph = (*unsigned(G), np.arange(G.n, dtype=np.uint32))
    return greedy._on_one_state(graph, np.arange(0, G.n + 1, 100, dtype=np.uint64), WORKERS)


def in_ranges(lattice: bool) -> Any:
    """Colors of a lattice, or of a graph in which few neighbors have ids near each other."""
    G = grid() if lattice else lagcolor.generate.from_spec("uniform:100000,12")
    return natural.first_fit_by_id(*unsigned(G), WORKERS)


def eject(G: lagcolor.Graph) -> Any:
    run = ejections.CPUEjections(G, np.arange(G.n, dtype=np.int32) % 50, 50, 0)
    limits, out = ejections.Rule.of_passes(1.0, G.n, G.m).limits(50), np.empty(G.n, np.int32)
    return ejections_cpu.save_all(run.arrays, out, 50, 48, run.salt, limits, WORKERS)


def in_windows(G: lagcolor.Graph) -> Any:
    ordered = OrderedGraph.of(G, np.arange(G.n, dtype=np.int32), 0)
    return star_windows.color_in_windows(ordered, np.zeros(4 * G.n, np.uint64), 0, WORKERS)


def reverse(G: lagcolor.Graph) -> tuple[Nets, np.ndarray]:
    return Nets.neighborhoods(G), np.arange(G.n, dtype=np.uint32)[::-1].copy()


def exchange(G: lagcolor.Graph) -> Any:
    entries = transpose_cpu.Entries(G.indptr, G.indices, by_rows=True)
    return transpose_cpu._by_ranges(*transpose_cpu._shared(entries, WORKERS), G.n, repeats=True)


A, R = poisson(40), np.ones(1600)
LOOPS = {
    "sort": Loop(degree_cpu, "sort_share", lambda: degree_cpu.sort_by_degree(unsigned(grid())[0], WORKERS)),
    "passes": Loop(windows, "color_passes", lambda: windows.first_fit(Nets.columns(full()), None, WORKERS)),
    "rows in order": Loop(windows, "copy_rows", lambda: windows.copied(*reverse(grid()), WORKERS)),
    "hashed": Loop(hash_order, "sort_share", lambda: hash_order.by_hash(5000, 1, WORKERS)),
    "chunks": Loop(greedy, "color_chunks", lambda: on_one_state(grid())),
    "natural": Loop(natural, "color_ranges", lambda: in_ranges(False), lambda *a: claim(a[1], 1)),
    "lattice": Loop(natural, "guess_and_check", lambda: in_ranges(True)),
    "copies": Loop(copies, "color_share", lambda: by_chunks(grid(), False), take),
    "wide copies": Loop(copies, "color_share", lambda: by_chunks(grid(), True), take),
    "stars": Loop(star_windows, "color_windows", lambda: in_windows(grid())),
    "factor": Loop(cpu.loops, "factor", lambda: multicolor_ilu0(A, threads=WORKERS)),
    "apply": Loop(cpu.loops, "apply", lambda: multicolor_ilu0(A, threads=WORKERS) @ R),
    "exchange": Loop(transpose_cpu, "_exchange", lambda: exchange(grid())),
    "smooth": Loop(cpu.loops, "smooth", lambda: multicolor_sor(A, threads=WORKERS).sweep(R.copy(), R, iterations=3)),
    "ejections": Loop(ejections_cpu, "save_share", lambda: eject(grid())),
    "transpose": Loop(
        transpose_cpu, "_sort", lambda: transpose_cpu.transpose(grid().indptr, grid().indices, grid().n, WORKERS)
    ),
}
WAITS = {
    "orders/degree_cpu.py", "orders/hash_order.py", "engines/greedy/copies.py", "engines/greedy/natural.py",
    "engines/greedy/threads.py", "engines/improve/ejections_cpu.py", "engines/two_colored/star_windows.py",
    "base/device/parallel/__init__.py", "engines/two_hop/windows.py", "inputs/transpose_cpu.py",
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_all_threads_end_where_one_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = LOOPS[name]
    monkeypatch.setattr(cpu, "WHOLE", 0)
    monkeypatch.setattr(degree_cpu, "ALONE", 0)
    monkeypatch.setattr(star_windows, "FEW", 0)
    monkeypatch.setattr(pool, "HAS_SEMAPHORES", False)  # where a share begins by a call of Python, which can fail
    loop.call()  # compiled, so that the others wait while one fails
    with monkeypatch.context() as patch:
        patch.setattr(loop.home, loop.name, breaking(loop))
        with pytest.raises(BrokenError):
            loop.call()
    loop.call()  # nothing of it is left


def names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def test_no_loop_waits_otherwise() -> None:
    """A module that waits has a test above, and does so by what ends with a thread that fails."""
    waits = set()
    for path in PACKAGE.rglob("*.py"):
        name, tree = path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))
        waits |= {name} if names(tree) & {"barrier", "look_again"} else set()
        for node in ast.walk(tree):
            if isinstance(node, ast.While) and names(node.test) & {"load_acquire", "load_relaxed"}:
                assert names(node) & {"look_again", "fetch_add", "take"}, f"{name}, line {node.lineno}"
    assert waits == WAITS
