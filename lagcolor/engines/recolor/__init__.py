"""Fewer colors from a proper coloring: what `lagcolor.reduce` and the qualities of `color` are made of.

These take a canonical graph and int32 colors on its device, check nothing, and give a new array.
"""

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
