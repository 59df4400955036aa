"""numba's `njit` for this package: what it compiles is kept on disk where that can be, and works where it cannot."""

from __future__ import annotations

import gc
import inspect
import os
import pickle
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from numba.core import caching

from semirings.runtime import caches
from semirings.runtime import compile_clock as compiling
from semirings.runtime.interrupts import deferred

from ..core.errors import CacheWarning
from .pipeline import Loops

REMEDY = "set NUMBA_CACHE_DIR to a folder that takes files"
CHECKSUM = 4  # bytes


YOUNG = 0  # the generation of objects that is collected
numba.typeof(np.empty(0))  # the first array whose type it looks up has it import `numpy.ma`: not in the time of a call


def njit(
    function: Callable[..., Any] | None = None, *, cache: bool = False, inner: bool = False, **options: Any
) -> Any:
    """`numba.njit`, where `cache` is a wish: no folder to write to, or no room in it, is no error.

    Parameters
    ----------
    function : callable, optional
    cache : bool
        Keep the machine code for other processes: in numba's folders, else in one for temporary files.
    inner : bool
        Only compiled code calls this function: it gets no entry for Python, which is a third of what a small function
        takes to compile.
    **options
        As of `numba.njit`; ``pipeline_class=numba.core.compiler.Compiler`` where the function is the user's, which may
        have what `Loops` leaves out.
    """
    if function is None:
        return lambda f: njit(f, cache=cache, inner=inner, **options)
    usual = {"no_cfunc_wrapper": True, "no_cpython_wrapper": inner, "pipeline_class": Loops}  # C calls none of them
    dispatcher: Any = numba.njit(**{**usual, **options})(function)
    is_compiled = hasattr(dispatcher, "enable_caching")  # NUMBA_DISABLE_JIT leaves a plain function
    if inner and is_compiled:
        dispatcher.add_overload = partial(_for_compiled_code, dispatcher)
        dispatcher._compile_for_args = partial(_refuse, dispatcher)
    elif is_compiled:
        dispatcher._compile_for_args = partial(_clocked, dispatcher, dispatcher._compile_for_args)
    if cache and is_compiled:
        try:
            dispatcher._cache = _Cache(function)
        except RuntimeError:  # no locator
            caches.warn(
                f"numba finds no folder to keep compiled code in, so each process compiles anew: {REMEDY}", CacheWarning
            )
    return dispatcher


def _clocked(dispatcher: Any, compile_or_load: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What numba calls where no code for such arguments is there yet, and never again.

    Ctrl-C takes effect afterwards. An exception inside of numba or llvmlite may leave types registered by half, and
    objects of LLVM with two owners, which both free them.
    """
    collects = gc.isenabled()
    gc.disable()  # a compiler makes much that lasts, and collections look at all of it again
    try:
        with compiling.clocked(), deferred():
            if not isinstance(dispatcher._cache, _Cache):  # which knows whether it is loaded
                compiling.line.begin()
            try:
                return compile_or_load(*args, **options)
            finally:
                if collects:
                    gc.collect(YOUNG)  # or the call that follows would do it, and its time would be the algorithm's
    finally:
        if collects:
            gc.enable()


def _for_compiled_code(dispatcher: Any, compiled: Any) -> None:
    """Add an overload that calls from Python do not find: there is no code for them, and they would end the process."""
    dispatcher.overloads[tuple(compiled.signature.args)] = compiled


def _refuse(dispatcher: Any, *args: Any, **options: Any) -> Any:
    raise TypeError(f"only compiled code calls {dispatcher.__qualname__}, which was declared with inner=True")


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
        if not caches.has_room(self._cache_path):
            return None
        caches.warn(
            f"numba's folders for compiled code take no files, so it is kept in {folder}: {REMEDY}", CacheWarning
        )
        return self


class _Code(caching.CompileResultCacheImpl):
    _locator_classes = [*caching.CompileResultCacheImpl._locator_classes, _TemporaryLocator]  # noqa: RUF012


class _Files(caching.IndexDataCacheFile):
    """numba's, each with a checksum: damaged machine code would end the process, or do something else."""

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return data + zlib.crc32(data).to_bytes(CHECKSUM, "little")

    def _load_index(self) -> Any:
        try:
            with open(self._index_path, "rb") as f:
                version, data = pickle.load(f), f.read()
        except FileNotFoundError:
            return {}
        stamp, overloads = _load(data) if version == self._version else (None, {})
        return overloads if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as f:
            return _load(f.read())


def _load(data: bytes) -> Any:
    whole = data[:-CHECKSUM]
    if zlib.crc32(whole).to_bytes(CHECKSUM, "little") != data[-CHECKSUM:]:
        raise pickle.UnpicklingError("damaged")
    return pickle.loads(whole)


class _Cache(caching.FunctionCache):
    """numba's, but that what cannot be read is compiled anew, and what cannot be written is kept elsewhere or not."""

    _impl_class = _Code

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._keep_in(self._impl.locator)

    def _keep_in(self, locator: Any) -> None:
        self._impl._locator, self._cache_path = locator, locator.get_cache_path()
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, locator.get_source_stamp())

    def _move(self) -> bool:
        """To the folder for temporary files, if it is not there yet and that has room."""
        if isinstance(self._impl.locator, _TemporaryLocator):
            return False
        locator = _TemporaryLocator.from_function(self._py_func, inspect.getfile(self._py_func))
        if locator is not None:
            self._keep_in(locator)
        return locator is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load_if_sound(sig, target_context)
        if found is None and not caches.has_room(self._cache_path) and self._move():  # another process has moved, too
            found = self._load_if_sound(sig, target_context)
        if found is None:
            compiling.line.begin()
        return found

    def _load_if_sound(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged pickle raises anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            try:
                self._save(sig, data)
            except OSError:
                if not self._move():
                    raise
                self._save(sig, data)
        except OSError as e:
            caches.warn(
                f"cannot keep compiled code in {self.cache_path} ({e.strerror or e}), "
                f"so each process compiles anew: {REMEDY}",
                CacheWarning,
            )

    def _save(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            raise
        except Exception:  # a damaged index
            self.flush()
            super().save_overload(sig, data)
