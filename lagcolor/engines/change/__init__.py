"""Colors of a changed graph from the colors before the change.

`plain.py` has the loop in a dozen lines; start there. `incremental.py` finds changed rows and recolors the vertices
whose color is no longer first-fit, and `keep.py` those in conflict. `lagcolor.recolor` calls this folder.
The result is correct because first-fit in a fixed order has one solution: it equals a coloring from scratch.
"""
