"""Whether NumPy does for what compiled code does faster: for the first entries of a process."""

from __future__ import annotations

from types import FunctionType
from typing import Any

ENTRIES = 1 << 20  # for so many NumPy takes as long as it takes to load compiled code that was kept, or less
CALL = 1 << 15  # entries that a call counts as besides its own: a loop over tiny graphs soon has the compiled code


class FirstEntries:
    """The first entries that a process passes to a function: fewer than are worth loading or compiling code for.

    Both ways must give the same. Where the code was never compiled, which takes ten times as long as loading it, a
    first small graph then does not wait for it; from the entry on that makes it pay, small graphs have the fast loop.

    Parameters
    ----------
    call : int, optional
        Entries that a call counts as besides its own, where that is not `CALL`.
    """

    def __init__(self, call: int | None = None) -> None:
        self._seen, self._call = 0, call

    def has(self, count: int) -> bool:
        """Whether a call with `count` more is still among them; from the first that is not on, none is."""
        self._seen += count + (CALL if self._call is None else self._call)
        return self._seen <= ENTRIES


def interpreted(compiled: Any) -> Any:
    """The same function run by Python, with what it calls: for loops over so little that compiling them takes longer.

    Parameters
    ----------
    compiled : numba dispatcher
        Of whole numbers that do not overflow, and without intrinsics.
    """
    plain = getattr(compiled, "py_func", compiled)
    names = {
        name: interpreted(found) if hasattr(found := plain.__globals__[name], "py_func") else found
        for name in plain.__code__.co_names
        if name in plain.__globals__
    }
    return FunctionType(plain.__code__, {"__builtins__": __builtins__, **names}, plain.__name__, plain.__defaults__)
