"""numba's `njit` for this package: with a cache folder of its own. What compiling takes, a listener counts.

This module imports numba, which takes half a second. Calls on a GPU do without it: functions import the modules with
compiled loops where a CPU needs them.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, overload

import numpy as np

from semirings.interrupts import deferred

from .. import caches, compile_clock

with deferred(), compile_clock.clocked():
    import numba
    import numba.extending
    from llvmlite import ir as ir
    from numba.core import cgutils as cgutils
    from numba.core import types as types

    from . import numba_events as numba_events  # it begins to listen

    numba.typeof(np.empty(0))  # the first array makes numba import `numpy.ma`: here, and not in the time of a call

_lock = threading.RLock()  # modules may be imported by several threads at once
config: Any = numba.config
intrinsic: Callable[..., Any] = numba.extending.intrinsic


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
