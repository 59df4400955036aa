"""numba's `njit` for this package: what it compiles is kept on disk where that can be, and works where it cannot."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any

import numba
from numba.core import caching

from . import caches

REMEDY = "set NUMBA_CACHE_DIR to a folder that takes files"


def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """`numba.njit`, where `cache` is a wish: no folder to write to, or no room in it, is no error.

    Parameters
    ----------
    function : callable, optional
    cache : bool
        Keep the machine code for other processes: in numba's folders, else in one for temporary files.
    **options
        As of `numba.njit`.
    """
    if function is None:
        return lambda f: njit(f, cache=cache, **options)
    dispatcher = numba.njit(**options)(function)
    if cache and hasattr(dispatcher, "enable_caching"):  # NUMBA_DISABLE_JIT leaves a plain function
        try:
            dispatcher._cache = _Cache(function)
        except RuntimeError:  # no locator
            caches.warn(f"numba finds no folder to keep compiled code in, so each process compiles anew: {REMEDY}")
    return dispatcher


class _TemporaryLocator(caching.InTreeCacheLocator):
    """The user's folder for temporary files, if no other takes files."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        folder = caches.temporary_folder()
        if folder is None or not os.path.exists(py_file):
            return None
        self = cls(py_func, py_file)
        self._cache_path = os.path.join(folder, cls.get_suitable_cache_subpath(py_file))
        try:
            self.ensure_cache_path()
        except OSError:
            return None
        caches.warn(f"numba's folders for compiled code take no files, so it is kept in {folder}: {REMEDY}")
        return self


class _Code(caching.CompileResultCacheImpl):
    _locator_classes = [*caching.CompileResultCacheImpl._locator_classes, _TemporaryLocator]  # noqa: RUF012


class _Cache(caching.FunctionCache):
    """numba's, but that what cannot be read is compiled anew, and what cannot be written is not kept."""

    _impl_class = _Code

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            try:
                super().save_overload(sig, data)
            except (EOFError, pickle.UnpicklingError):  # a damaged index
                self.flush()
                super().save_overload(sig, data)
        except OSError as e:
            caches.warn(
                f"cannot keep compiled code in {self.cache_path} ({e.strerror or e}), "
                f"so each process compiles anew: {REMEDY}"
            )
