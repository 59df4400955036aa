"""numba's `njit` for this package: with a cache folder of its own. What compiling takes, a listener counts.

numba is imported at the first call of a compiled function: calls on a GPU do without it, and the import takes half a
second. Until then a function is a `Later`. Before numba compiles one, the names and closures that it reads get numba's
own functions.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import threading
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any, overload

import numpy as np

from semirings.interrupts import deferred

from .. import caches, compile_clock

_lock = threading.RLock()


class Later[**P, R]:
    """A function that `decorate` gives to numba at its first call."""

    def __init__(self, function: Callable[P, R], decorate: Callable[[Any, Callable[P, R]], Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._decorate = function, decorate
        self._made: Any = None  # what numba makes of it
        self._ready: Any = None  # the same, with all that it calls

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return (self._ready or self.compiled)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what tools look for in any object
            raise AttributeError(name)
        return getattr(self.compiled, name)

    def __reduce__(self) -> str:
        return str(self.__qualname__)  # a function of a module, by its name

    @property
    def compiled(self) -> Any:
        """What numba makes of it."""
        if self._ready is None:
            with deferred(), compile_clock.clocked(), _lock:
                self._ready = self._link()
        return self._ready

    def _link(self) -> Any:
        if self._made is None:
            self._made = self._decorate(_numba(), self._function)
            try:
                self._link_others()
            except BaseException:  # the next call begins anew
                self._made = None
                raise
        return self._made

    def _link_others(self) -> None:
        """Let the names and closures that the function reads be numba's own functions."""
        space, names = self._function.__globals__, tuple(_names(self._function.__code__))
        modules = [vars(x) for x in map(space.get, names) if isinstance(x, ModuleType)]  # it may read a name of theirs
        for names_of, name in itertools.product((space, *modules), names):
            if isinstance(other := names_of.get(name), Later):
                names_of[name] = other._link()
        for cell in self._function.__closure__ or ():
            if isinstance(other := cell.cell_contents, Later):
                cell.cell_contents = other._link()


class Module:
    """A module that is imported when something of it is read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self._name), name)


@overload
def njit[**P, R](function: Callable[P, R], *, cache: bool = False, **options: Any) -> Later[P, R]: ...
@overload
def njit[**P, R](*, cache: bool = False, **options: Any) -> Callable[[Callable[P, R]], Later[P, R]]: ...
def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """`numba.njit`, where `cache` has no effect if no folder takes files."""
    if function is None:
        return lambda f: njit(f, cache=cache, **options)
    return Later(function, lambda numba, f: _decorated(f, cache, options))


def _decorated(function: Callable[..., Any], cache: bool, options: dict[str, Any]) -> Any:
    numba = _numba()
    folder = caches.for_numba(numba.config.CACHE_DIR) if cache and not numba.config.DISABLE_JIT else None
    if folder:
        # numba raises RuntimeError if the function has no source file, or if the folder takes no files any more.
        with contextlib.suppress(RuntimeError), _kept_in(folder, numba.config):
            return numba.njit(cache=True, **options)(function)
    return numba.njit(**options)(function)


@contextlib.contextmanager
def _kept_in(folder: str, config: Any) -> Iterator[None]:
    """Let numba keep what is decorated meanwhile in a folder, and only there. Other packages have their settings."""
    before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = folder, "UserProvidedCacheLocator"
    try:
        yield
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


def intrinsic(function: Callable[..., Any]) -> Later[..., Any]:
    """`numba.extending.intrinsic`."""
    return Later(function, lambda numba, f: numba.extending.intrinsic(f))


def _names(code: CodeType) -> Iterator[str]:
    """Names that a function reads, with functions inside of it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@functools.cache
def _numba() -> Any:
    import numba
    import numba.extending

    from . import numba_events as numba_events  # it begins to listen

    numba.typeof(np.empty(0))  # the first array makes numba import `numpy.ma`: here, and not in the time of a call
    return numba
