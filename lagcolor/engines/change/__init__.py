"""Recoloring of a changed graph, from its colors before the change.

`plain.py` has the loop in a dozen lines; start there. `incremental.py` finds changed rows and recolors the vertices
whose color is no longer first-fit; `keep.py` recolors vertices in conflict. `lagcolor.recolor` calls this package.
The result is correct because first-fit in a fixed order has one solution: it equals a coloring from scratch.
"""
