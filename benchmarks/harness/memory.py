"""Host memory of one run: by how much the process's resident set grew at its peak, as Linux counts it."""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .codes import Code

Meter = Callable[[Callable[[], Any]], tuple[Any, int | None]]
PROC = Path("/proc/self")
RESET_PEAK = "5"  # to clear_refs, see proc(5)
SLACK = 4 << 20  # bytes that a peak which has just been reset may be over the size: Linux counts pages in batches


class Memory:
    """Of each code's first run on a graph, which is not timed; its later runs are left alone.

    `meter` returns what a call returns, and the bytes that it took.
    """

    def __init__(self, meter: Meter | None = None) -> None:
        self._meter = meter or growth
        self._bytes: dict[Code, int | None] = {}

    def __getitem__(self, code: Code) -> int | None:
        return self._bytes[code]

    def of[T](self, code: Code, call: Callable[[], T]) -> T:
        """What the call returns; with `Memory[code]` known afterwards. What an earlier run gave must be let go of."""
        if code in self._bytes:
            return call()
        result, self._bytes[code] = self._meter(call)
        return result


def growth[T](call: Callable[[], T]) -> tuple[T, int | None]:
    """What a call returns, and the bytes that it added to the resident set at its peak.

    Files that it mapped, code for the most part, are not counted. None where /proc does not say.
    """
    _settle()
    before = _fresh_peak()
    result = call()
    if before is None:
        return result, None
    after = _sizes()
    mapped = max(0, after["RssFile"] - before["RssFile"])
    return result, max(0, after["VmHWM"] - before["VmRSS"] - mapped)


def _settle() -> None:
    """Give back what is free: a run that finds it in the process would not seem to take it."""
    gc.collect()
    if trim := _malloc_trim():
        trim(0)


@functools.cache
def _malloc_trim() -> Any:
    """glibc's; None elsewhere."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def _fresh_peak() -> dict[str, int] | None:
    """Sizes after the peak was set to what is resident now; None where that cannot be done."""
    try:
        (PROC / "clear_refs").write_text(RESET_PEAK)
        sizes = _sizes()
        return sizes if sizes["VmHWM"] - sizes["VmRSS"] <= SLACK and "RssFile" in sizes else None
    except (OSError, KeyError, ValueError):  # no Linux, or a sandbox with a /proc of its own
        return None


def _sizes() -> dict[str, int]:
    """Sizes of /proc/self/status in bytes."""
    lines = (line.split() for line in (PROC / "status").read_text().splitlines())
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if words[-1:] == ["kB"]}
