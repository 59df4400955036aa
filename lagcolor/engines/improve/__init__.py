"""Fewer colors from a proper coloring: ejections, iterated greedy, tabu search, and searches with lists.

Start with `ejections.py`. `classes.py` is iterated greedy, `tabu/` has TabuCol and its relatives, and `lists/` has
searches where each vertex has a list of allowed colors. `lagcolor.reduce`, the qualities and rules use them.
Public functions take a canonical graph and int32 colors on its device, check nothing, and return a new array.
"""
