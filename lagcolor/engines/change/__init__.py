"""Colors of a changed graph from the colors before the change.

`plain.py` has the loop in a dozen lines; start there. `incremental.py` recolors the vertices whose color is no longer
first-fit, and `keep.py` those in conflict. `differences.py` finds changed rows. `lagcolor.recolor` calls this folder.
The result is correct because first-fit in a fixed order has one solution: it equals a coloring from scratch.
"""
