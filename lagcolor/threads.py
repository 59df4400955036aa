"""The same compiled loop on several threads of the CPU."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from .errors import OptionError
from .options import whole


def count(threads: int | None, work: int, least: int = 1 << 18) -> int:
    """How many threads to start: as asked, else one a core the process may use, but one for little work.

    Parameters
    ----------
    threads : int or None
    work : int
        Entries to visit.
    least : int
        Below this much work a second thread costs more than it brings.

    Raises
    ------
    OptionError
        `threads` is no whole number from 1 on.
    """
    if threads is None:
        return 1 if work < least else _cores()
    return whole("threads", threads, 1)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(loop: Callable[[int], object], threads: int, together: bool = False) -> None:
    """Call ``loop(0)`` … ``loop(threads - 1)`` at once (compiled with nogil) and wait for all.

    Parameters
    ----------
    loop : callable
    threads : int
    together : bool
        Loops wait for each other. None begins before all threads are there; and the caller's thread, the only one
        that Ctrl-C ends, has none: nobody waits for a loop that will not come.

    Raises
    ------
    OptionError
        The system has no room for so many threads.
    BaseException
        The first that any of them raised; Ctrl-C once all loops have ended.
    """
    faults: list[BaseException] = []
    apart, started = together and threads > 1, False
    gate, verdict = threading.Event(), dict[str, bool]()

    def guarded(i: int) -> None:
        try:
            loop(i)
        except BaseException as e:
            faults.append(e)

    def behind_gate(i: int) -> None:
        if i == 0:  # the last to start opens it: opened by the caller, threads would wake on one core
            verdict.setdefault("begin", True)
            gate.set()
        gate.wait()
        if verdict["begin"]:
            guarded(i)

    body = behind_gate if apart else guarded
    others = [
        threading.Thread(target=body, args=(i,), name=f"lagcolor-{i}")
        for i in range(threads - 1, -1 if apart else 0, -1)
    ]
    try:
        for t in others:
            t.start()
        started = True
    except RuntimeError:
        faults.append(OptionError(f"the system cannot start {threads} threads for one coloring: ask for fewer"))
    except KeyboardInterrupt as e:
        faults.append(e)
    if not started:
        verdict.setdefault("begin", False)
        gate.set()
    elif not apart:
        guarded(0)
    for t in others:
        while t.is_alive():
            try:
                t.join()
            except KeyboardInterrupt as e:
                faults.append(e)
    if faults:
        raise faults[0]
