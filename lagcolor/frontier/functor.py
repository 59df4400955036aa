"""Functors: small functions of a vertex or an edge, in Python and in CUDA C++.

The helpers below have the same name and meaning in both languages (frontier.cuh has the C++ versions):

==========================  ==================================================================
load(a, i)                  a[i], if other threads may write it
store(a, i, x)              a[i] = x, if other threads may read it
claim(a, i, expected, x)    a[i] = x if it is `expected`; return whether it was
add(a, i, x)                a[i] += x; return the old value
least(a, i, x)              a[i] = min(a[i], x)
join(a, i, x)               a[i] |= x, for unsigned types
==========================  ==================================================================

On the GPU they are relaxed atomics of device scope; on the CPU an operator runs on one thread.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base import imported_from
from ..base.device.compiled import njit


@imported_from("lagcolor.frontier.operators")
@dataclass(frozen=True, eq=False)
class Functor:
    """A function for all engines. Use the decorator `functor`.

    Attributes
    ----------
    python : callable
        The Python function, which Numba compiles for the CPU.
    cuda : str
        The body of the function in CUDA C++, with the parameter names of `python`.
    parameters : tuple of str
        Names of the parameters: first those that the operator passes (vertex, edge …), then the caller's.
    """

    python: Callable[..., Any]
    cuda: str
    parameters: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self.python.__name__

    @functools.cached_property
    def compiled(self) -> Any:
        """The compiled `python`. It is not cached on disk, because Numba cannot look up loops by their functor."""
        return njit(self.python)

    def extra(self, own: int, arguments: dict[str, Any]) -> tuple[Any, ...]:
        """Return the values of the parameters after the first `own`, from the call's keyword arguments."""
        return tuple(arguments[name] for name in self.parameters[own:])


def functor(cuda: str) -> Callable[[Callable[..., Any]], Functor]:
    """Combine a Python function and the body of the same function in CUDA into a `Functor` (a decorator).

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
    """Return a[i]."""
    return a[i]


@njit(cache=True)
def store(a: Any, i: Any, x: Any) -> None:
    """Set a[i] = x."""
    a[i] = x


@njit(cache=True)
def claim(a: Any, i: Any, expected: Any, x: Any) -> Any:
    """Set a[i] to x if it is `expected`; return whether it was."""
    if a[i] != expected:
        return False
    a[i] = x
    return True


@njit(cache=True)
def add(a: Any, i: Any, x: Any) -> Any:
    """Add x to a[i]; return the old value."""
    old = a[i]
    a[i] = old + x
    return old


@njit(cache=True)
def least(a: Any, i: Any, x: Any) -> None:
    """Set a[i] = min(a[i], x)."""
    if x < a[i]:
        a[i] = x


@njit(cache=True)
def join(a: Any, i: Any, x: Any) -> None:
    """Set the bits of x in a[i]."""
    a[i] |= x
