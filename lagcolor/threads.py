"""The same compiled loop on several threads of the CPU."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

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


def run(loop: Callable[[int], object], threads: int) -> None:
    """Call ``loop(0)`` … ``loop(threads - 1)`` at once (compiled with nogil) and wait for all.

    Raises
    ------
    BaseException
        The first that any of them raised.
    """
    faults: list[BaseException] = []

    def guarded(i: int) -> None:
        try:
            loop(i)
        except BaseException as e:
            faults.append(e)

    others = [threading.Thread(target=guarded, args=(i,), name=f"lagcolor-{i}") for i in range(1, threads)]
    for t in others:
        t.start()
    guarded(0)
    for t in others:
        t.join()
    if faults:
        raise faults[0]
