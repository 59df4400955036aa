"""Loops on several threads of the CPU: all or none begin where they wait for each other, and Ctrl-C hangs nothing."""

from __future__ import annotations

import _thread
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
from waiting import PATIENCE, until

import lagcolor
from lagcolor.base.device import threads
from lagcolor.base.device.parallel import launch, python, run, slots
from lagcolor.orders import Priorities, degree_cpu

BOTH = pytest.mark.parametrize("waits", [False, True])
# In a process of its own, for what hangs here would hang the tests: Ctrl-C at ten moments of a coloring.
INTERRUPTED = """
import os, signal, sys, threading, time
import lagcolor
from lagcolor.base.device.parallel import python

algorithm, options = sys.argv[1], {"threads": 3}
G = lagcolor.generate.from_spec("rmat:15")
lagcolor.color(G, algorithm, **options)
start = time.perf_counter()
lagcolor.color(G, algorithm, **options)
spent = time.perf_counter() - start
heard = 0
for i in range(10):
    sent, after = threading.Event(), 0

    def send(sent=sent):
        os.kill(os.getpid(), signal.SIGINT)
        sent.set()

    try:
        threading.Timer(spent * i / 10, send).start()
        while after < 20:  # it may be lost, in a destructor say
            after += sent.is_set()
            lagcolor.color(G, algorithm, **options)
    except KeyboardInterrupt:
        heard += 1

def frames(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back

def left():
    return sum(any(f.f_code.co_filename == python.__file__ for f in frames(top)) for top in
               sys._current_frames().values())

stop = time.perf_counter() + 1000
while left() and time.perf_counter() < stop:
    time.sleep(0.01)
print(left(), heard, flush=True)
os._exit(0)  # with threads that never end there is no other way
"""


@BOTH
@pytest.mark.parametrize("n", [1, 2, 5])
def test_each_loop_runs_once(n: int, waits: bool) -> None:
    ran: list[int] = []
    run(ran.append, n, slots(0) if waits else None)
    assert sorted(ran) == list(range(n))


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
def test_a_break_in_before_the_last_thread_begins_ends_all(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_ctrl_c_waits_for_loops_that_wait_for_each_other() -> None:
    """None of them is in the thread that Ctrl-C ends."""
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


def test_a_caller_that_no_signal_breaks_into_takes_part() -> None:
    where: list[bool] = []
    callers: list[int] = []

    def call() -> None:
        callers.append(threading.get_ident())
        run(lambda i: where.append((threading.get_ident() == callers[0]) == (i == 0)), 3, slots(0))

    caller = threading.Thread(target=call)
    caller.start()
    caller.join()
    assert where == [True] * 3


@pytest.mark.parametrize("algorithm", [row.name for row in lagcolor.ALGORITHMS.values() if "threads" in row.options])
def test_threads_are_capped(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are asked for, and the notes say how many it were."""
    G = lagcolor.generate.from_spec("rmat:10")
    lagcolor.color(G, algorithm, threads=3)  # the warm-up is done
    row, started = lagcolor.ALGORITHMS[algorithm], []
    start_new_thread = python.start_new_thread

    def start(member: Callable[[int], None], words: tuple[int]) -> None:
        started.append(words[0])
        start_new_thread(member, words)

    monkeypatch.setattr(python, "start_new_thread", start)
    monkeypatch.setattr(threads, "_cores", lambda: 2)
    result = lagcolor.color(G, algorithm, verify=True, threads=10**4)
    assert max(started, default=0) < 16
    assert result.notes["threads"] == (2 if algorithm == "head" else 16)  # HEAD: a thread per parent at most
    if row.deterministic:
        assert np.array_equal(result.colors, lagcolor.color(G, algorithm, threads=1).colors)


def test_the_cap_grows_with_the_cores_and_ends_at_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_cores", lambda: 100)
    monkeypatch.setattr(threads, "_wanted", lambda: 100)
    assert threads.count(10**4, 10**6) == 400
    assert threads.count(10**4, 7) == 7
    assert threads.count(3, 0) == 1
    assert threads.count(3, 10) == 3
    assert threads.count(None, 10**8) == 100
    assert threads.count(None, 10**6) == 15


def test_what_is_started_as_asked_is_in_no_note() -> None:
    assert "threads" not in lagcolor.color(lagcolor.generate.cycle(50), "ipgc", threads=3).notes


@pytest.mark.parametrize("algorithm", ["first_fit", "dec_adg_itr"])
def test_ctrl_c_leaves_no_thread_behind(algorithm: str) -> None:
    """Nor does it end in another exception, as in the middle of a numba function that returns arrays in a tuple."""
    words = [sys.executable, "-c", INTERRUPTED, algorithm]
    where = Path(__file__).parents[2]
    done = subprocess.run(words, cwd=where, capture_output=True, text=True, timeout=PATIENCE)
    left, heard = map(int, done.stdout.split() or (-1, 0))
    assert left == 0, done.stderr
    assert heard >= 5


@pytest.mark.parametrize(("given", "expected"), [(None, 3), (1, 1), (2, 2), (5, 3)])
def test_an_order_is_made_on_so_many_threads(given: int | None, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sorted for an algorithm with `threads` keeps to them, on a graph that pays for more."""
    started = []

    def noted(loop: Callable[..., int], count: int, *args: Any) -> None:
        started.append(count)
        launch(loop, count, *args)

    monkeypatch.setattr(threads, "_wanted", lambda: 3)
    monkeypatch.setattr(degree_cpu, "launch", noted)
    G = lagcolor.Graph.of((np.arange(9), np.arange(1, 10)), n=1 << 18)
    lagcolor.color(G, quality="fast", threads=given)
    assert started == [expected]
    Priorities.of(G, "largest_first_spread", seed=0).sequence  # noqa: B018
    assert started == [expected, 3]


def test_an_order_for_no_threads_is_refused() -> None:
    with pytest.raises(lagcolor.OptionError, match="threads"):
        lagcolor.color([(0, 1)], threads=0)


def test_quotas_and_the_environment_limit_the_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a control group and those around it, the least; of variables that are no number, nothing."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    monkeypatch.setattr(threads, "_quota", lambda: None)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    for value, expected in (
        ("1", 1),
        ("1,4", 1),
        ("10000", cores),
        ("0", cores),
        ("9" * 5000, cores),
        ("many", cores),
        ("", cores),
    ):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert threads.count(None, 10**9) == expected
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert threads.count(None, 10**9) == 1
    assert threads.count(3, 10**9) == 3
    monkeypatch.undo()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "cpu.max").write_text("max 100000\n")
    (tmp_path / "a" / "cpu.max").write_text("250000 100000\n")
    assert threads.quota_of(tmp_path, "a/b") == 3
    assert threads.quota_of(tmp_path, "none") is None
