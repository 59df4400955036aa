"""numba's `njit` for this package: with a cache folder that falls back. What compiling takes, a listener counts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from semirings.runtime import caches

from ..core.errors import CacheWarning
from . import numba_events as numba_events  # it begins to listen

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
        numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]
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
