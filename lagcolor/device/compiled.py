"""numba's `njit` for this package: a cache folder that falls back, and a listener to numba's events.

numba takes its compiler lock to load or to compile a function. The listener counts that time as `compile_seconds`, and
defers Ctrl-C: an exception inside numba or llvmlite leaves types and objects of LLVM that later calls cannot use.
"""

from __future__ import annotations

import functools
import gc
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numba
import numpy as np
from numba.core import event

from semirings.runtime import caches, compile_clock
from semirings.runtime.interrupts import deferred

from ..core.errors import CacheWarning

YOUNG = 0  # the generation of objects that is collected
LOCK, COMPILE = "numba:compiler_lock", "numba:compile"
REMEDY = "set NUMBA_CACHE_DIR to a folder that takes files"
numba.typeof(np.empty(0))  # the first array makes numba import `numpy.ma`: here, and not in the time of a call


def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """`numba.njit`, where `cache` has no effect if no folder takes files."""
    if function is None:
        return lambda f: njit(f, cache=cache, **options)
    return numba.njit(cache=cache and _has_folder(), **options)(function)


@functools.cache
def _has_folder() -> bool:
    """Whether numba can keep compiled code; sets its folder to one for temporary files where its own take none."""
    if _takes_files():
        return True
    folder = caches.temporary_folder()
    if folder is not None:
        numba.config.CACHE_DIR = folder
        if _takes_files():
            where = f"numba's folders for compiled code take no files, so it is kept in {folder}"
            caches.warn(f"{where}: {REMEDY}", CacheWarning)
            return True
    caches.warn(
        f"numba finds no folder to keep compiled code in, so each process compiles anew: {REMEDY}", CacheWarning
    )
    return False


def _takes_files() -> bool:
    try:
        stats = getattr(numba.njit(cache=True)(_takes_files), "stats", None)  # a plain function: NUMBA_DISABLE_JIT
    except RuntimeError:  # numba finds no folder
        return False
    return stats is None or caches.has_room(stats.cache_path)


class _Listener(event.Listener):
    """Clocks the outermost lock of each thread; without Ctrl-C, and without collections of what a compiler makes."""

    def __init__(self) -> None:
        self._thread = threading.local()

    def on_start(self, event: Any) -> None:
        if event.kind == COMPILE:
            compile_clock.line.begin()
            return
        self._thread.depth = depth = getattr(self._thread, "depth", 0) + 1
        if depth == 1:
            self._thread.stack = stack = ExitStack()
            stack.enter_context(compile_clock.clocked())
            stack.enter_context(deferred())
            if gc.isenabled():
                gc.disable()
                stack.callback(gc.enable)
                stack.callback(gc.collect, YOUNG)  # or the call that follows would do it

    def on_end(self, event: Any) -> None:
        if event.kind == LOCK:
            self._thread.depth -= 1
            if not self._thread.depth:
                self._thread.stack.close()  # may raise KeyboardInterrupt


_listener = _Listener()
for _kind in (LOCK, COMPILE):
    event.register(_kind, _listener)
