"""Fewer colors from a proper coloring: the engines of `lagcolor.reduce` and of the qualities of `lagcolor.color`.

These functions take a canonical graph and int32 colors on its device, check nothing, and return a new array. The
first use of a function imports its module.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ...runtime.compile_clock import importing

if TYPE_CHECKING:
    from .chordal import perfect
    from .classes import iterated_greedy
    from .clique import clique_at_top, clique_size
    from .ejections import eject_by_work, ejection
    from .two_colors import bipartite

__all__ = [
    "bipartite",
    "clique_at_top",
    "clique_size",
    "eject_by_work",
    "ejection",
    "iterated_greedy",
    "perfect",
]
MODULES = {
    "bipartite": "two_colors",
    "clique_at_top": "clique",
    "clique_size": "clique",
    "eject_by_work": "ejections",
    "ejection": "ejections",
    "iterated_greedy": "classes",
    "perfect": "chordal",
}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with importing():
        value = getattr(importlib.import_module(f".{MODULES[name]}", __name__), name)
    globals()[name] = value
    return value
