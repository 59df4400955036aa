"""numba's `njit` with a cache folder for this package. A listener counts the time of compiling.

This module imports numba, which takes half a second. Calls on a GPU do not need numba: functions import the modules
with compiled loops only if they run on a CPU.

numba takes its compiler lock to load or to compile a function. Ctrl-C waits until the lock is released: an exception
inside numba or llvmlite would leave types and objects of LLVM that later calls cannot use.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, overload

import numpy as np

from semirings.interrupts import deferred

from .. import caches, compile_clock

with deferred(), compile_clock.clocked():
    import numba
    import numba.extending
    from llvmlite import ir as ir
    from numba.core import cgutils as cgutils
    from numba.core import event
    from numba.core import types as types

    numba.typeof(np.empty(0))  # numba imports `numpy.ma` for the first array: here, and not in the time of a call

_lock = threading.RLock()  # modules may be imported by several threads at once
config: Any = numba.config
intrinsic: Callable[..., Any] = numba.extending.intrinsic
LOCK, COMPILE = "numba:compiler_lock", "numba:compile"
OURS = "lagcolor"  # the package whose functions are shown on a terminal while they are compiled


@overload
def njit[**P, R](function: Callable[P, R], *, cache: bool = False, **options: Any) -> Callable[P, R]: ...
@overload
def njit[**P, R](*, cache: bool = False, **options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """Decorate as `numba.njit`; `cache` has no effect if no folder takes files."""
    if function is None:
        return lambda f: njit(f, cache=cache, **options)
    with compile_clock.clocked():
        folder = caches.for_numba(config.CACHE_DIR) if cache and not config.DISABLE_JIT else None
        if folder:
            # numba raises RuntimeError if the function has no source file, or if the folder takes no files any more.
            with contextlib.suppress(RuntimeError), _cache_in(folder):
                return numba.njit(cache=True, **options)(function)
        return numba.njit(**options)(function)


def inner[F: Callable[..., Any]](**options: Any) -> Callable[[F], F]:
    """Decorate a function that only compiled functions call: an entry for Python would take time to compile."""
    plain = numba.extending.register_jitable
    decorator: Callable[[F], F] = plain(**options) if options else plain  # without options it is the decorator itself
    return decorator


@njit(inline="always")
def filled(shape: Any, value: Any, kind: Any) -> Any:
    """Return a new array of one value: `np.full`, `np.zeros` and `np.arange` take 0.1 s more each to compile."""
    x = np.empty(shape, kind)
    x[:] = value
    return x


@contextlib.contextmanager
def _cache_in(folder: str) -> Iterator[None]:
    """Let numba store the functions that a block decorates in a folder; other packages keep their settings."""
    with _lock:
        before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = folder, "UserProvidedCacheLocator"
        try:
            yield
        finally:
            config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


class CompileListener(event.Listener):
    """Count the time of the outermost lock of each thread, and defer Ctrl-C and garbage collection until its end."""

    def __init__(self) -> None:
        self._thread = threading.local()

    def on_start(self, event: Any) -> None:
        if event.kind == COMPILE:
            function = event.data["dispatcher"]
            module = getattr(function, "__module__", None) or ""  # None if the code comes from exec
            if module.partition(".")[0] == OURS:
                compile_clock.line.begin(function.__name__.lstrip("_"))
            return
        self._thread.depth = depth = getattr(self._thread, "depth", 0) + 1
        if depth == 1:
            self._thread.stack = stack = ExitStack()
            try:
                stack.enter_context(deferred())
                stack.enter_context(compile_clock.clocked())
                if gc.isenabled():
                    gc.disable()
                    stack.callback(_collect)
            except BaseException:  # numba then takes no lock, and does not call `on_end`
                self._thread.depth = 0
                stack.close()
                raise

    def on_end(self, event: Any) -> None:
        if event.kind == LOCK:
            self._thread.depth -= 1
            if not self._thread.depth:
                self._thread.stack.close()  # may raise KeyboardInterrupt


def _collect() -> None:
    """Collect numba's garbage while the clock stops, and not in the time of a call."""
    gc.enable()
    if gc.get_count()[0] > gc.get_threshold()[0]:
        gc.collect(1)


listener: CompileListener = CompileListener()
event.register(LOCK, listener)
event.register(COMPILE, listener)
