"""Algorithms that reduce the colors of a proper coloring: ejections, iterated greedy, tabu search, searches with lists.

Start with `ejections.py`. `classes.py` is iterated greedy, `tabu/` has TabuCol and its relatives, and `lists/` has
searches in which each vertex has a list of allowed colors. `lagcolor.reduce`, the qualities and the rules use them.
Public functions take a canonical graph and int32 colors on its device, check nothing, and return a new array.
"""
