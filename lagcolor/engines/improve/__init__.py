"""Fewer colors from a proper coloring: ejections, iterated greedy, tabu search, and searches with lists.

Start with `ejections.py`. `classes.py` is iterated greedy, `tabu/` has TabuCol and its relatives, and `lists/` has
searches where each vertex has a list of allowed colors. `lagcolor.reduce`, the qualities and rules use them.
The functions that this file exports take a canonical graph and int32 colors on its device, check nothing, and return a
new array. The first use of a function imports its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.compile_clock import load

if TYPE_CHECKING:
    from .classes import iterated_greedy
    from .ejections import eject_by_work, ejection

__all__ = ["eject_by_work", "ejection", "iterated_greedy"]
MODULES = {"eject_by_work": "ejections", "ejection": "ejections", "iterated_greedy": "classes"}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(load(f".{MODULES[name]}", __name__), name)
    globals()[name] = value
    return value
