"""Python functions on several threads.

A Python thread takes 80 µs to begin on a virtual machine with 16 cores, because it needs the interpreter's lock.
Systems other than Linux also run compiled loops in this way.
"""

from __future__ import annotations

import threading
from _thread import allocate_lock, start_new_thread  # threading.Thread takes longer than small loops
from collections.abc import Callable

import numpy as np

from ... import compile_clock as compiling
from ...errors import OptionError


def run(loop: Callable[[int], object], threads: int, shared: np.ndarray | None = None) -> None:
    """Call ``loop(0)`` … ``loop(threads - 1)`` at the same time (compiled with nogil), and wait for all.

    For loops that wait for each other, `shared` is their `slots`: all of them begin or none does, and if one fails, the
    others end. An exception that a signal raises in the caller is raised after the loops have ended.
    """
    if threads <= 1:
        loop(0)
        return
    # A signal can end a loop in the main thread, and loops that wait for it would never end. So these run elsewhere.
    first = 0 if shared is not None and threading.get_ident() == threading.main_thread().ident else 1
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
    compiling.add(max(0.0, max(team.compiled, default=0.0) - own))  # this thread has counted its own seconds
    if faults:
        raise faults[0]


def _start(member: Callable[[int], None], i: int, threads: int) -> None:
    try:
        start_new_thread(member, (i,))
    except RuntimeError:
        raise OptionError(f"the system cannot start {threads} threads for one coloring: request fewer") from None


class _Team:
    """Threads for loops `first` … `threads` - 1; the first thread to set `verdict` decides whether they begin."""

    def __init__(self, loop: Callable[[int], object], first: int, threads: int, shared: np.ndarray | None) -> None:
        self._loop, self._first, self._shared = loop, first, shared
        self._others = [None] * (threads - first - 1)  # each thread that ends removes an element; the last finds none
        self.faults: list[BaseException] = []
        self.compiled: list[float] = []  # seconds that threads have spent on compiling
        self.verdict: dict[str, bool] = {}
        self.over: list[bool] = []
        self.gate, self.done = allocate_lock(), allocate_lock()
        self.gate.acquire()
        self.done.acquire()

    def fail(self, fault: BaseException) -> None:
        """Note why a thread has failed, and end the threads that wait for it; the first fault caused all others."""
        self.faults.append(fault)
        if self._shared is not None:
            self._shared[-1] = 1  # one aligned store of 8 bytes

    def member(self, i: int) -> None:
        """Run loop i on its thread. The last thread opens the gate, because a signal may interrupt the caller."""
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
