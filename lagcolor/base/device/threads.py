"""The same compiled loop on several threads of the CPU, with the slots that they share.

Loops wait for each other as in barriers.py only.
"""

from __future__ import annotations

import functools
import os
import threading
from _thread import allocate_lock, start_new_thread  # threading.Thread takes longer than small loops
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from .. import compile_clock as compiling
from ..errors import OptionError
from ..options import whole

LEAST = 1 << 18  # work below which a second thread costs more than it brings
EACH = 1 << 16  # work of a thread, at least: it takes ten times as long as starting one more
LIMITS, MANY = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), 1 << 30  # variables of the environment; no limit
A_CORE, ALWAYS = 4, 16  # threads per core that a call may request, and threads that are allowed on any machine
SPINS = 1000  # looks before the core is offered to others
SELDOM = np.int64(SPINS)  # looks that have been, for who offers it from the first look on
LINE = 8  # int64 of a cache line
GROUPS = Path("/sys/fs/cgroup")
_most: ContextVar[int | None] = ContextVar("most", default=None)


def count(threads: int | None, work: int, least: int = LEAST) -> int:
    """How many threads to start: as asked, else one per core the process may use, but fewer for little work.

    As asked, no more than four per core (16 on a small machine), nor than there are entries: threads that wait for
    each other take the longer the more there are, and each has memory of its own.
    """
    if threads is None:
        return 1 if work < least else max(1, min(_wanted(), _most.get() or work, work // EACH))
    return min(whole("threads", threads, 1), max(ALWAYS, A_CORE * _cores()), max(work, 1))


@contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """Where no number of threads is given, `count` starts so many at most within; None: one per core."""
    token = _most.set(None if threads is None else whole("threads", threads, 1))
    try:
        yield
    finally:
        _most.reset(token)


def for_graph(threads: int | None, G: Any, log: Any, most: int | None = None) -> int:
    """`count` for the edges of a graph, up to `most`; if fewer than requested, ``log.notes["threads"]`` says so."""
    started = count(threads, G.m)
    if most is not None:
        started = min(started, most)
    if threads is not None and started < threads and not G.on_gpu:
        log.notes["threads"] = started
    return started


def _cores() -> int:
    """The cores that the process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _wanted() -> int:
    """Threads of a call at most: by cores, quota, and the variables of numba and OpenMP that are numbers over 0."""
    stated = (os.environ.get(name, "").partition(",")[0].strip() for name in LIMITS)
    limits = [int(x) for x in stated if x.isdecimal() and len(x) < 10]
    return min(_cores(), _quota() or MANY, *(x or MANY for x in limits))


@functools.cache
def _quota() -> int | None:
    """The cores' worth of time that the process's control group has (Linux, version 2); None: no limit."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    return quota_of(GROUPS, next((line.partition("::")[2] for line in lines if line.startswith("0::")), "/"))


def quota_of(groups: Path, own: str) -> int | None:
    """The least quota of a control group and those around it, in cores, rounded up; None where there is none."""
    quotas, path = list[int](), Path(own.strip("/"))
    for name in (path, *path.parents):
        try:
            quota, period = (groups / name / "cpu.max").read_text().split()
            quotas.append(-(-int(quota) // int(period)))
        except (OSError, ValueError):  # "max", or no such group here
            pass
    return min(quotas, default=None)


def run(loop: Callable[[int], object], threads: int, barriers: bool = False, shared: Any = None) -> None:
    """Call ``loop(0)`` … ``loop(threads - 1)`` at once (compiled with nogil) and wait for all.

    Whatever breaks in, either all threads begin or none does; only the loop in the caller may be cut short. Where one
    fails, those that wait for it end.
    """
    if threads <= 1:
        loop(0)
        return
    first = 0 if barriers and threading.get_ident() == threading.main_thread().ident else 1  # not the caller's
    team = _Team(loop, first, threads, shared)
    before = compiling.seconds()
    faults, todo = team.faults, iter(range(threads - 1, first - 1, -1))
    while not team.over:
        try:
            for i in todo:
                _start(team.member, i, threads)
            if team.verdict.setdefault("begin", True) and first:
                first = 0
                loop(0)
            team.done.acquire()
        except BaseException as e:
            team.fail(e)
            if not team.verdict.setdefault("begin", False):
                team.gate.release()
                break
    own = compiling.seconds() - before
    compiling.add(max(0.0, max(team.compiled, default=0.0) - own))  # at once with this thread's own
    if faults:
        raise faults[0]


def _start(member: Callable[[int], None], i: int, threads: int) -> None:
    try:
        start_new_thread(member, (i,))
    except RuntimeError:
        raise OptionError(f"the system cannot start {threads} threads for one coloring: ask for fewer") from None


class _Team:
    """Threads for loops `first` … `threads` - 1; the first caller decides whether they begin."""

    def __init__(self, loop: Callable[[int], object], first: int, threads: int, shared: Any = None) -> None:
        self._loop, self._first, self._shared = loop, first, shared
        self._others = [None] * (threads - first - 1)  # one less for each that ends: the last finds none
        self.faults: list[BaseException] = []
        self.compiled: list[float] = []  # seconds, of threads that compiled something
        self.verdict: dict[str, bool] = {}
        self.over: list[bool] = []
        self.gate, self.done = allocate_lock(), allocate_lock()
        self.gate.acquire()
        self.done.acquire()

    def fail(self, fault: BaseException) -> None:
        """Note why a thread has ended, and end those that wait for it: the first fault is the cause of all others."""
        self.faults.append(fault)
        if self._shared is not None:
            self._shared[-1] = 1  # one aligned store of 8 bytes

    def member(self, i: int) -> None:
        """What a thread does. The last to be started opens the gate, for a caller may be broken into on its way."""
        if i == self._first:
            if self.verdict.setdefault("begin", True):
                self.gate.release()
        elif "begin" not in self.verdict:
            with self.gate:
                pass
        if not self.verdict["begin"]:
            return
        try:
            self._loop(i)
        except BaseException as e:
            self.fail(e)
        if spent := compiling.seconds():
            self.compiled.append(spent)
        try:
            self._others.pop()
        except IndexError:
            self.over.append(True)
            self.done.release()


class AbandonedError(RuntimeError):
    """A thread that this one waits for has failed."""


def slots(count: int) -> np.ndarray:
    """Zeros (int64) that threads share, and one more, a cache line further on: whether one of them has failed."""
    return np.zeros(count + LINE, np.int64)
