"""Loops on several threads of the CPU: all or none begin where they wait for each other, and Ctrl-C hangs nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import lagcolor
from lagcolor import threads

BOTH = pytest.mark.parametrize("together", [False, True])
# In a process of its own, for what hangs here would hang the tests: Ctrl-C at ten moments of a coloring.
INTERRUPTED = """
import os, signal, sys, threading, time
import lagcolor

algorithm, options = sys.argv[1], {sys.argv[2]: 3}
G = lagcolor.generate.from_spec("rmat:15")
lagcolor.color(G, algorithm, **options)
start = time.perf_counter()
lagcolor.color(G, algorithm, **options)
spent = time.perf_counter() - start
for i in range(10):
    ctrl_c = threading.Timer(spent * i / 10, os.kill, (os.getpid(), signal.SIGINT))
    try:
        ctrl_c.start()
        stop = time.perf_counter() + 2  # it may be lost, in a destructor say
        while time.perf_counter() < stop:
            lagcolor.color(G, algorithm, **options)
    except KeyboardInterrupt:
        pass
mine = [t for t in threading.enumerate() if t.name.startswith("lagcolor")]
for t in mine:
    t.join(20)
print([t.name for t in mine if t.is_alive()], flush=True)
os._exit(0)  # with threads that never end there is no other way
"""


@BOTH
@pytest.mark.parametrize("n", [1, 2, 5])
def test_each_loop_runs_once(n: int, together: bool) -> None:
    ran: list[int] = []
    threads.run(ran.append, n, together)
    assert sorted(ran) == list(range(n))


@BOTH
def test_first_fault_is_raised_when_all_have_ended(together: bool) -> None:
    ran: list[int] = []

    def loop(i: int) -> None:
        if i == 1:
            raise ZeroDivisionError
        time.sleep(0.05)
        ran.append(i)

    with pytest.raises(ZeroDivisionError):
        threads.run(loop, 3, together)
    assert sorted(ran) == [0, 2]


@pytest.mark.parametrize(
    ("fault", "raised"), [(RuntimeError("can't start new thread"), lagcolor.OptionError), (KeyboardInterrupt(), None)]
)
def test_none_begins_where_not_all_start(
    fault: BaseException, raised: type[BaseException] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops that wait for each other would wait for ever for the one that is not there."""
    ran: list[int] = []

    class Thread(threading.Thread):
        def start(self) -> None:
            if self.name == "lagcolor-2":
                raise fault
            super().start()

    monkeypatch.setattr(threads.threading, "Thread", Thread)
    with pytest.raises(raised or type(fault), match="cannot start 4 threads" if raised else None):
        threads.run(ran.append, 4, together=True)
    for t in threading.enumerate():
        if t.name.startswith("lagcolor"):
            t.join(10)
    assert ran == []


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
        threads.run(loop, 3, together=True)
    assert sorted(ended) == [0, 1, 2]


@pytest.mark.parametrize(
    ("algorithm", "option"),
    [("che_baseline", "threads"), ("che_work_stealing", "queues"), ("ecl_gc", "threads"), ("dec_adg_itr", "threads")],
)
def test_ctrl_c_leaves_no_thread_behind(algorithm: str, option: str) -> None:
    """Nor does it end in another exception, as in the middle of a numba function that returns arrays in a tuple."""
    words = [sys.executable, "-c", INTERRUPTED, algorithm, option]
    where = Path(__file__).parents[1]
    done = subprocess.run(words, cwd=where, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr
