"""Fewer colors from a proper coloring: what `lagcolor.reduce` and the qualities of `color` are made of.

These take a canonical graph and int32 colors on its device, check nothing, and give a new array.
"""

from .classes import iterated_greedy
from .clique import clique_size
from .ejections import ejection
from .two_colors import bipartite

__all__ = ["bipartite", "clique_size", "ejection", "iterated_greedy"]
