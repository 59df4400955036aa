"""Loops on several threads of the CPU: all or none begin where they wait for each other, and Ctrl-C hangs nothing."""

from __future__ import annotations

import _thread
import functools
import inspect
import json
import operator
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from contract import public
from waiting import until

import lagcolor
from lagcolor import derivatives, mesh, pauli, solvers
from lagcolor.base import device as dev
from lagcolor.base.device.parallel import pool, python, run, slots

BOTH = pytest.mark.parametrize("waits", [False, True])


@BOTH
def test_each_loop_runs_once(waits: bool) -> None:
    ran: list[int] = []
    run(ran.append, 5, slots(0) if waits else None)
    assert sorted(ran) == list(range(5))


@BOTH
def test_first_fault_is_raised_when_all_have_ended(waits: bool) -> None:
    ran: list[int] = []

    def loop(i: int) -> None:
        if i == 1:
            raise ZeroDivisionError
        time.sleep(0.05)
        ran.append(i)

    with pytest.raises(ZeroDivisionError):
        run(loop, 3, slots(0) if waits else None)
    assert sorted(ran) == [0, 2]


@BOTH
@pytest.mark.parametrize(
    ("fault", "raised"), [(RuntimeError("can't start new thread"), lagcolor.OptionError), (KeyboardInterrupt(), None)]
)
def test_none_begins_where_not_all_start(
    fault: BaseException, raised: type[BaseException] | None, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops that wait for each other would wait for ever for the one that is not there."""
    ran: list[int] = []

    start_new_thread = python.start_new_thread

    def start(member: Callable[[int], None], words: tuple[int]) -> None:
        if words == (2,):
            raise fault
        start_new_thread(member, words)

    monkeypatch.setattr(python, "start_new_thread", start)
    before = _thread._count()
    with pytest.raises(raised or type(fault), match="cannot start 4 threads" if raised else None):
        run(ran.append, 4, slots(0) if waits else None)
    until(lambda: _thread._count() <= before)
    assert ran == []


@BOTH
def test_ctrl_c_between_two_starts_ends_all(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller cannot tell whether a start that was broken into has brought a thread: all or none begin."""
    ran: list[int] = []
    start_new_thread = python.start_new_thread

    def start(member: Callable[[int], None], words: tuple[int]) -> None:
        start_new_thread(member, words)
        if words == (0 if waits else 1,):
            raise KeyboardInterrupt

    monkeypatch.setattr(python, "start_new_thread", start)
    before = _thread._count()
    with pytest.raises(KeyboardInterrupt):
        run(ran.append, 3, slots(0) if waits else None)
    until(lambda: _thread._count() <= before)
    assert sorted(ran) in ([], [0, 1, 2])


@BOTH
def test_an_alarm_waits_for_the_loops_too(waits: bool) -> None:
    """Any exception of a signal's handler, not Ctrl-C's alone: its thread must not go on while others still write."""

    class LateError(BaseException):
        pass

    def ring(*_: object) -> None:
        raise LateError

    ended: list[int] = []

    def loop(i: int) -> None:
        if i == 1:
            os.kill(os.getpid(), signal.SIGALRM)
        if i:
            time.sleep(0.2)
            ended.append(i)

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(LateError):
            run(loop, 3, slots(0) if waits else None)
        assert sorted(ended) == [1, 2]
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("algorithm", [row.name for row in lagcolor.ALGORITHMS.values() if row.threaded])
def test_threads_are_capped(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are requested, and the notes say how many there were."""
    G = lagcolor.generate.from_spec("rmat:10")
    lagcolor.color(G, algorithm, threads=3)  # the warm-up is done
    row, started = lagcolor.ALGORITHMS[algorithm], []
    start_new_thread = python.start_new_thread

    def start(member: Callable[[int], None], words: tuple[int]) -> None:
        started.append(words[0])
        start_new_thread(member, words)

    monkeypatch.setattr(python, "start_new_thread", start)
    monkeypatch.setattr(dev, "_cores", lambda: 2)
    result = lagcolor.color(G, algorithm, verify=True, threads=10**4)
    assert max(started, default=0) < 16
    assert result.notes["threads"] == (2 if algorithm == "head" else 16)  # HEAD: a thread per parent at most
    if row.deterministic:
        assert np.array_equal(result.colors, lagcolor.color(G, algorithm, threads=1).colors)


def test_quotas_and_the_environment_limit_the_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least quota of a control group and its parents counts; variables that are no number are ignored."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    monkeypatch.setattr(dev, "_quota", lambda: None)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    for value, expected in (("1,4", 1), ("10000", cores), ("0", cores), ("9" * 5000, cores), ("many", cores)):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert dev.threads_for(None, 10**9) == expected
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert dev.threads_for(None, 10**9) == 1
    assert dev.threads_for(3, 10**9) == 3
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "cpu.max").write_text("max 100000\n")
    (tmp_path / "a" / "cpu.max").write_text("250000 100000\n")
    assert dev.quota_of(tmp_path, "a/b") == 3
    assert dev.quota_of(tmp_path, "none") is None


SIDE = 400  # a grid of SIDE × SIDE has work for 8 threads


@functools.cache
def grid() -> Any:
    return lagcolor.generate.from_spec(f"grid2d:{SIDE}").to_scipy()


@functools.cache
def of_grid() -> lagcolor.Coloring:
    return lagcolor.color(grid(), "first_fit", "natural")


def quads() -> np.ndarray:
    at = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    return np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1).reshape(-1, 4)


WORDS = np.random.default_rng(0).integers(2, size=2048, dtype=bool)


def differ(us: Any, vs: Any) -> Any:
    return WORDS[us[:, None] ^ vs]


def matrix() -> Any:
    return grid() + 5 * sp.eye_array(SIDE**2, format="csr")


LIMITED: dict[str, Callable[[int | None], object]] = {
    "color": lambda t: lagcolor.color(grid(), threads=t),
    "color, rules": lambda t: lagcolor.color(grid(), fixed={0: 3}, balance=True, threads=t),
    "color, orders": lambda t: lagcolor.color(grid(), order=("natural", "random"), threads=t),
    "color, distance2": lambda t: lagcolor.color(grid(), problem="distance2", threads=t),
    "color, edges": lambda t: lagcolor.color(grid(), problem="edges", threads=t),
    "equitable": lambda t: lagcolor.equitable(grid(), 5, threads=t),
    "balance": lambda t: lagcolor.balance(grid(), of_grid().colors, threads=t),
    "color_implicit": lambda t: lagcolor.color_implicit(differ, len(WORDS), "random", balance=True, threads=t),
    "fd_jacobian": lambda t: derivatives.fd_jacobian(lambda x: grid() @ (x * x), np.ones(SIDE**2), grid(), threads=t),
    "color_nodes": lambda t: mesh.color_nodes(quads(), quality="fast", threads=t),
    "color_edges": lambda t: mesh.color_edges(("quad", quads()), threads=t),
    "color_facets": lambda t: mesh.color_facets(("quad", quads()), threads=t),
    "recolor": lambda t: lagcolor.recolor(grid(), of_grid(), threads=t),
    "reduce": lambda t: lagcolor.reduce(grid(), of_grid().colors, method="iterated_greedy", rounds=1, threads=t),
    "verify": lambda t: lagcolor.verify(grid(), of_grid().colors, threads=t),
    "color_pairs": lambda t: lagcolor.color_pairs(np.stack(grid().nonzero(), axis=1), SIDE**2, threads=t),
    "pauli.group": lambda t: pauli.group(pauli.random(1500, 12, seed=0), threads=t),
    "jacobian": lambda t: derivatives.jacobian(grid(), threads=t),
    "hessian": lambda t: derivatives.hessian(matrix(), quality="fast", threads=t),
    "color_elements": lambda t: mesh.color_elements(quads(), threads=t),
    "multicolor_ilu0": lambda t: solvers.multicolor_ilu0(matrix(), threads=t).update(matrix() * 2),
}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The threads that calls start, as on a machine with 8 cores."""
    out: list[object] = []
    of_grid()  # on threads of its own

    def noted(start: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: out.append(args) or start(*args)

    monkeypatch.setattr(dev, "_wanted", lambda: 8)
    monkeypatch.setattr(pool, "_pool", pool._Pool())
    for module in (pool, python):
        monkeypatch.setattr(module, "start_new_thread", noted(module.start_new_thread))
    return out


@pytest.mark.parametrize("call", LIMITED)
def test_one_thread_is_for_the_input_the_coloring_and_the_check(call: str, started: list[object]) -> None:
    LIMITED[call](1)
    assert not started
    LIMITED[call](None)
    assert started


WITH_THREADS = {
    *("balance", "color", "color_implicit", "color_pairs", "equitable", "recolor", "reduce", "verify", "pauli.group"),
    *(f"derivatives.{name}" for name in ("jacobian", "hessian", "fd_jacobian")),
    *(f"derivatives.jax.{name}" for name in ("jacobian", "value_and_jacobian", "hessian")),
    *(f"derivatives.torch.{name}" for name in ("jacobian", "value_and_jacobian", "hessian")),
    *(f"mesh.color_{of}" for of in ("elements", "nodes", "edges", "facets")),
    *(f"solvers.multicolor_{of}" for of in ("sor", "dilu", "ic0", "ilu0")),
}


def test_calls_that_color_or_solve_have_threads() -> None:
    """Zero threads are refused before any work."""
    signatures = public.flat(json.loads(public.STORED.read_text()))
    found = {name for name, what in signatures.items() if what[:1] == "(" and ", threads: " in what}
    assert found == {f"lagcolor.{name}" for name in WITH_THREADS}
    for name in WITH_THREADS:
        if "jax" not in name and "torch" not in name:
            function = operator.attrgetter(name)(lagcolor)
            needed = [
                p for p in inspect.signature(function).parameters.values() if p.default is p.empty and p.kind <= 1
            ]
            with pytest.raises(lagcolor.OptionError, match=r"^threads must be a whole number from 1 on"):
                function(*[matrix()] * len(needed), threads=0)


def test_a_limit_is_of_all_work(started: list[object]) -> None:
    lagcolor.color(grid(), threads=2, partial="fewest", max_colors=2)
    assert len(started) == 1


def test_ctrl_c_waits_for_loops_that_wait_for_each_other() -> None:
    """Loops that wait for each other do not run in the thread that Ctrl-C ends."""
    ended: list[int] = []

    def loop(i: int) -> None:
        assert threading.current_thread() is not threading.main_thread()
        if i == 0:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        ended.append(i)

    with pytest.raises(KeyboardInterrupt):
        run(loop, 3, slots(0))
    assert sorted(ended) == [0, 1, 2]
