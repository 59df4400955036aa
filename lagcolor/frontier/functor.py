"""The one thing an algorithm writes: a small function of a vertex or an edge, in Python and in CUDA C++.

The helpers below have one name and one meaning in both languages (frontier.cuh has the other half):

==========================  ==================================================================
load(a, i)                  a[i], which other threads may be writing
store(a, i, x)              a[i] = x, which other threads may be reading
claim(a, i, expected, x)    a[i] = x where it is `expected`; whether this call did it
add(a, i, x)                a[i] += x; the old value
least(a, i, x)              a[i] = min(a[i], x)
join(a, i, x)               a[i] |= x, of an unsigned type
==========================  ==================================================================

On the GPU they are relaxed atomics of the whole device; on the CPU an operator is one thread.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base.device.compiled import njit


@dataclass(frozen=True, eq=False)
class Functor:
    """A function for every engine, made by `functor`.

    Attributes
    ----------
    python : callable
        Numba compiles it for the CPU.
    cuda : str
        The body of the same function in CUDA C++, its parameters named as in `python`.
    parameters : tuple of str
        Their names: first what the operator passes (vertex, edge …), then those the caller names.
    """

    __module__ = "lagcolor.frontier.operators"
    python: Callable[..., Any]
    cuda: str
    parameters: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self.python.__name__

    @functools.cached_property
    def compiled(self) -> Any:
        """`python`, for Numba's callers. Nothing is cached on disk: Numba finds no loop again by its functor."""
        return njit(self.python)

    def extra(self, own: int, arguments: dict[str, Any]) -> tuple[Any, ...]:
        """Values of the parameters after the first `own`, from the call's keyword arguments."""
        return tuple(arguments[name] for name in self.parameters[own:])


def functor(cuda: str) -> Callable[[Callable[..., Any]], Functor]:
    """Combine a Python function and the body of the same function in CUDA to one `Functor` (a decorator).

    Parameters
    ----------
    cuda : str
        Statements in C++. They end in ``return`` if the function returns a value. Arrays are pointers, numbers
        ``long long``, vertices ``int``, edges ``offset_t``.

    Returns
    -------
    callable
        A decorator of the Python function.

    Examples
    --------
    >>> @functor("return load(level, u) < 0;")
    ... def unseen(v, u, e, level):
    ...     return level[u] < 0
    """

    def make(python: Callable[..., Any]) -> Functor:
        return Functor(python, cuda, tuple(inspect.signature(python).parameters))

    return make


@njit(cache=True)
def load(a: Any, i: Any) -> Any:
    """a[i]."""
    return a[i]


@njit(cache=True)
def store(a: Any, i: Any, x: Any) -> None:
    """a[i] = x."""
    a[i] = x


@njit(cache=True)
def claim(a: Any, i: Any, expected: Any, x: Any) -> Any:
    """Set a[i] to x where it is `expected`; whether it was."""
    if a[i] != expected:
        return False
    a[i] = x
    return True


@njit(cache=True)
def add(a: Any, i: Any, x: Any) -> Any:
    """Add x to a[i]; the old value."""
    old = a[i]
    a[i] = old + x
    return old


@njit(cache=True)
def least(a: Any, i: Any, x: Any) -> None:
    """a[i] = min(a[i], x)."""
    if x < a[i]:
        a[i] = x


@njit(cache=True)
def join(a: Any, i: Any, x: Any) -> None:
    """``a[i] |= x``."""
    a[i] |= x
