"""Ctrl-C at any instant of the verbs on a CPU: it arrives, memory stays sound, and later colors are right."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from waiting import PATIENCE

import lagcolor
import semirings
from lagcolor.base import compile_clock, log
from lagcolor.base.log import listened
from lagcolor.base.progress import Progress
from semirings import interrupts

ROOT = Path(__file__).parents[2]
# Ctrl-C where python-graphblas has given NumPy's memory to GraphBLAS, and NumPy does not know yet.
BETWEEN_TWO_OWNERS = """
import os, signal, sys
import numpy as np
import semirings

E, received = semirings.engine("cpu"), 0
E.from_numpy(np.arange(3))  # python-graphblas loads its parts now
homes = [sys.modules[f"graphblas.core.ss.{name}"] for name in ("vector", "matrix")]
unclaim = homes[0].unclaim_buffer

def late(array):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10):
        pass
    unclaim(array)

def make(i):
    x = np.arange(1000 + i)
    if i % 3 == 0:
        E.from_numpy(x)
    elif i % 3 == 1:
        E.from_numpy(x, x % 2 == 0)
    else:
        E.matrix(np.arange(1001), np.arange(1000), ncols=1000)

for i in range(60):
    make(i)
    try:
        for home in homes:
            home.unclaim_buffer = late
        make(i)
    except KeyboardInterrupt:
        received += 1
    finally:
        for home in homes:
            home.unclaim_buffer = unclaim
print(received)
"""


def test_memory_has_one_owner_whenever_ctrl_c_arrives() -> None:
    command = [sys.executable, "-c", BETWEEN_TWO_OWNERS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.stdout == "60\n", done.stderr[-2000:]


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):
        pass


def test_deferred_until_the_end() -> None:
    """By the thread that has the handler; a handler that is not Python's own stays."""
    received: list[str] = []
    before = signal.signal(signal.SIGINT, lambda *_: received.append("Ctrl-C"))
    try:
        with interrupts.deferred():
            ctrl_c()
            thread = threading.Thread(target=lambda: semirings.engine("cpu").from_numpy(np.arange(3)))
            thread.start()
            thread.join()
            assert received == []
        assert received == ["Ctrl-C"]
        for handler in (signal.SIG_IGN, signal.SIG_DFL):
            signal.signal(signal.SIGINT, handler)
            with interrupts.deferred():
                assert signal.getsignal(signal.SIGINT) == handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_second_one_at_the_end_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C arrives after the handler was restored: no later verb raises for earlier signals."""
    real = interrupts.signal

    def restored(number: int, handler: Any) -> None:
        real(number, handler)
        if handler is signal.default_int_handler:
            ctrl_c()

    E = semirings.engine("cpu")
    u = E.from_numpy(np.arange(3))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr(interrupts, "signal", restored)
        with pytest.raises(KeyboardInterrupt), interrupts.deferred():
            ctrl_c()
        monkeypatch.undo()
        try:
            E.apply(semirings.identity, u)
        except KeyboardInterrupt:
            pytest.fail("no test sent this one")
    finally:
        signal.signal(signal.SIGINT, before)


SWEEPS = """
import os, signal, sys, threading, time
import numpy as np
import scipy.sparse as sp
from lagcolor.solvers import multicolor_sor

n = 300
line = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1])
A = (sp.eye_array(n * n) * 5 - sp.kronsum(line, line)).tocsr()
b = np.ones(n * n)
S = multicolor_sor(A, threads=int(sys.argv[1]))
S.sweep(b * 0, b, iterations=2)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    S.sweep(b * 0, b, iterations=10**9)
except KeyboardInterrupt:
    print("received")
"""


@pytest.mark.parametrize("threads", ["1", "3"])
def test_sweeps_without_end_are_interrupted(threads: str) -> None:
    done = subprocess.run([sys.executable, "-c", SWEEPS, threads], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout == "received\n", done.stderr


# ---- searches --------------------------------------------------------------------------------------------------------

LATE = 0.2  # seconds of a search until the interrupt
MOST = 0.5  # seconds that it may go on
BEST: dict[str, Any] = {"quality": "best", "time_limit": 60}
EXACT: dict[str, Any] = {"algorithm": "exact", "nodes": 10**9}


@functools.cache
def matrix(density: float) -> Any:
    A = sp.triu(sp.random_array((300, 300), density=2 * density, rng=1, data_sampler=lambda size: np.ones(size)), 1)
    return (A + A.T).tocsr()


@functools.cache
def snark() -> lagcolor.Graph:
    """A flower snark: whether three colors do for its edges is a long search."""
    k = 201
    near = [(i, x * k + i) for i in range(k) for x in (1, 2, 3)] + [(k + i, k + (i + 1) % k) for i in range(k)]
    around = [*range(2 * k, 4 * k)]
    return lagcolor.Graph.of([*near, *zip(around, around[1:] + around[:1], strict=True)])


def colored(density: float, **how: Any) -> Callable[..., Any]:
    return lambda **more: lagcolor.color(matrix(density), **how, **more)


FEW: dict[str, Any] = {"max_colors": 20}
CALLS: dict[str, Callable[..., Any]] = {
    "best": colored(0.3, **BEST),
    "best, fixed": colored(0.3, **BEST, fixed={0: 4}),
    "best, max_colors": colored(0.3, **BEST, **FEW),
    "best, equitable": colored(0.3, **BEST, equitable=True),
    "best, capacity and fewest": colored(0.3, **BEST, **FEW, capacity=12, partial="fewest"),
    "exact": colored(0.3, **EXACT),
    "exact, max_colors": colored(0.3, **EXACT, **FEW),
    "best, columns": colored(0.015, **BEST, problem="columns"),
    "best, star": colored(0.015, **BEST, problem="star"),
    "best, acyclic_bicoloring": colored(0.015, **BEST, problem="acyclic_bicoloring"),
    "best, edges": lambda **how: lagcolor.color(snark(), problem="edges", **BEST, **how),
    "fewest, edges": colored(0.015, **BEST, problem="edges", partial="fewest", max_colors=8),
    "reduce, ejection": lambda **how: lagcolor.reduce(matrix(0.3), range(300), passes=None, time_limit=60, **how),
    "reduce, iterated_greedy": lambda **how: lagcolor.reduce(
        matrix(0.3), range(300), method="iterated_greedy", rounds=10**6, **how
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_the_call_with_what_it_has(name: str) -> None:
    """By `progress`, where the call also compiles what it needs, and by Ctrl-C."""
    begun: list[float] = []

    def listener(now: Progress) -> None:
        if now.stage in ("coloring", "reducing"):
            begun.append(compile_clock.clock())
            if begun[-1] - begun[0] > LATE:
                raise KeyboardInterrupt

    ended_by(name, lambda: None, progress=listener)
    ended_by(name, lambda: os.kill(os.getpid(), signal.SIGINT))


def ended_by(name: str, interrupt: Callable[[], None], **how: Any) -> None:
    """Make a call and interrupt it; the processor's time of this thread does not depend on other processes."""
    timer = threading.Timer(LATE, interrupt)
    compiled, spent = compile_clock.seconds(), time.thread_time()
    timer.start()
    try:
        result = CALLS[name](**how)
        assert result.notes["interrupted"] and result.verify() is not None
    except KeyboardInterrupt as e:  # there is no coloring yet, but a partial one
        assert "max_colors" in name and (getattr(e.__cause__, "partial", None) >= 0).any()
    finally:
        timer.join()
    assert time.thread_time() - spent - (compile_clock.seconds() - compiled) < LATE + MOST
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_that_was_an_interrupt_is_one() -> None:
    """numba makes it a SystemError, where a compiled function returns an array."""

    @listened
    def call(cause: BaseException, *, progress: Any = None) -> None:
        raise SystemError("returned a result with an exception set") from cause

    with pytest.raises(KeyboardInterrupt):
        call(KeyboardInterrupt())
    with pytest.raises(SystemError) as caught:
        call(ValueError())
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("call", ["balance", "color"])
def test_an_interrupt_of_balancing_leaves_a_coloring(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no color is added to reach the ratio."""
    monkeypatch.setattr(log, "EVERY", 0.0)
    G, begun = lagcolor.generate.rmat(12, seed=0), list[Progress]()
    fewest = lagcolor.color(G)
    last = 1 if call == "balance" else 1 + len(fewest.notes["tried"])  # rounds of the search come first

    def listener(now: Progress) -> None:
        if now.stage in ("balancing", "coloring") and now.done >= last and not begun:
            begun.append(now)
            os.kill(os.getpid(), signal.SIGINT)

    if call == "balance":
        result = lagcolor.balance(G, fewest, progress=listener)
    else:
        result = lagcolor.color(G, balance=True, progress=listener)
    assert result.notes["interrupted"] and result.verified and result.n_colors == fewest.n_colors
