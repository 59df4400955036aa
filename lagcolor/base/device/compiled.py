"""numba's `njit` for this package: with a cache folder of its own. What compiling takes, a listener counts.

This module imports numba, which takes half a second. Calls on a GPU do without it: functions import the modules with
compiled loops where a CPU needs them.

numba takes its compiler lock to load or to compile a function. Ctrl-C waits for its end: an exception inside numba or
llvmlite would leave types and objects of LLVM that later calls cannot use.
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

    numba.typeof(np.empty(0))  # the first array makes numba import `numpy.ma`: here, and not in the time of a call

_lock = threading.RLock()  # modules may be imported by several threads at once
config: Any = numba.config
intrinsic: Callable[..., Any] = numba.extending.intrinsic
LOCK, COMPILE = "numba:compiler_lock", "numba:compile"
OURS = "lagcolor"  # whose functions are worth a line on a terminal


@overload
def njit[**P, R](function: Callable[P, R], *, cache: bool = False, **options: Any) -> Callable[P, R]: ...
@overload
def njit[**P, R](*, cache: bool = False, **options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """`numba.njit`, where `cache` has no effect if no folder takes files."""
    if function is None:
        return lambda f: njit(f, cache=cache, **options)
    with compile_clock.clocked():
        folder = caches.for_numba(config.CACHE_DIR) if cache and not config.DISABLE_JIT else None
        if folder:
            # numba raises RuntimeError if the function has no source file, or if the folder takes no files any more.
            with contextlib.suppress(RuntimeError), _kept_in(folder):
                return numba.njit(cache=True, **options)(function)
        return numba.njit(**options)(function)


def inner[F: Callable[..., Any]](**options: Any) -> Callable[[F], F]:
    """For functions that only compiled functions call: without an entry for Python, which takes time to compile."""
    plain = numba.extending.register_jitable
    decorator: Callable[[F], F] = plain(**options) if options else plain  # without options it takes the function
    return decorator


@njit(inline="always")
def filled(shape: Any, value: Any, kind: Any) -> Any:
    """As `np.full`, in compiled functions: that one, `np.zeros` and `np.arange` each take 0.1 s more to compile."""
    x = np.empty(shape, kind)
    x[:] = value
    return x


@contextlib.contextmanager
def _kept_in(folder: str) -> Iterator[None]:
    """Let numba keep what is decorated meanwhile in a folder, and only there. Other packages have their settings."""
    with _lock:
        before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = folder, "UserProvidedCacheLocator"
        try:
            yield
        finally:
            config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


class CompileListener(event.Listener):
    """Clocks the outermost lock of each thread, which defers Ctrl-C and garbage collection."""

    def __init__(self) -> None:
        self._thread = threading.local()

    def on_start(self, event: Any) -> None:
        if event.kind == COMPILE:
            function = event.data["dispatcher"]
            module = getattr(function, "__module__", None) or ""  # none if code comes from exec
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
            except BaseException:  # numba then takes no lock, and no end follows
                self._thread.depth = 0
                stack.close()
                raise

    def on_end(self, event: Any) -> None:
        if event.kind == LOCK:
            self._thread.depth -= 1
            if not self._thread.depth:
                self._thread.stack.close()  # may raise KeyboardInterrupt


def _collect() -> None:
    """What numba made is looked through for garbage while the clock stands still, and not in the time of a call."""
    gc.enable()
    if gc.get_count()[0] > gc.get_threshold()[0]:
        gc.collect(1)


listener: CompileListener = CompileListener()
event.register(LOCK, listener)
event.register(COMPILE, listener)
