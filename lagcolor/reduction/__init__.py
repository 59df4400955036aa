"""Fewer colors from a proper coloring: `reduce` for users, and the functions below it for the qualities of `color`.

These take a canonical graph and int32 colors on its device, check nothing, and give a new array.
"""

from .classes import iterated_greedy
from .clique import clique_size
from .ejections import ejection
from .entry import METHODS, reduce
from .exchange import heuristics
from .two_colors import bipartite

__all__ = ["METHODS", "bipartite", "clique_size", "ejection", "heuristics", "iterated_greedy", "reduce"]
