"""How many threads of a CPU a call starts. `parallel/` runs loops on them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ..options import whole

LEAST = 1 << 18  # work below which a second thread costs more than it brings
EACH = 1 << 16  # work of a thread, at least: it takes ten times as long as starting one more
LIMITS, MANY = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), 1 << 30  # variables of the environment; no limit
A_CORE, ALWAYS = 4, 16  # threads per core that a call may request, and threads that are allowed on any machine
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
    """Limit the threads of calls of `count` without a number, within this block. None keeps the limit around it."""
    token = _most.set(_most.get() if threads is None else whole("threads", threads, 1))
    try:
        yield
    finally:
        _most.reset(token)


def limited[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """A public call whose keyword `threads` limits all of its work: the input, the coloring and the check."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs.get("threads") is None:
            return function(*args, **kwargs)
        with at_most(kwargs["threads"]):  # type: ignore[arg-type]
            return function(*args, **kwargs)

    return call


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
