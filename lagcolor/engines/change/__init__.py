"""Colors of a changed graph from the colors before the change.

`plain.py` has the loop in a dozen lines; start there. `settle.py` recolors the vertices whose color is no longer
first-fit, and `keep.py` those in conflict. `differences.py` finds changed rows. `lagcolor.recolor` calls this folder.
Settling is correct because first-fit in a fixed order has one solution: the result equals a coloring from scratch.
"""
