"""Host memory of one run: the growth of the resident set at its peak, from Linux."""

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
SLACK = 4 << 20  # slack of a peak over the size after a reset, in bytes, because Linux counts pages in batches


class Memory:
    """Memory of each code's first run on a graph, which is not timed; later runs are not measured.

    `meter` returns the result of a call, and the bytes that it took.
    """

    def __init__(self, meter: Meter | None = None) -> None:
        self._meter = meter or growth
        self._bytes: dict[Code, int | None] = {}

    def __getitem__(self, code: Code) -> int | None:
        return self._bytes[code]

    def of[T](self, code: Code, call: Callable[[], T]) -> T:
        """Return the result of a call, and store its memory as `Memory[code]`. Release earlier results before."""
        if code in self._bytes:
            return call()
        result, self._bytes[code] = self._meter(call)
        return result


def growth[T](call: Callable[[], T]) -> tuple[T, int | None]:
    """Return the result of a call, and the bytes that it added to the resident set at its peak.

    Mapped files, mostly code, are not counted. None if /proc has no numbers.
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
    """Return free memory to the system, so that a run cannot reuse it unnoticed."""
    gc.collect()
    if trim := _malloc_trim():
        trim(0)


@functools.cache
def _malloc_trim() -> Any:
    """Return malloc_trim of glibc, or None."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def _fresh_peak() -> dict[str, int] | None:
    """Sizes after the peak was set to what is resident now; None if that cannot be done."""
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
