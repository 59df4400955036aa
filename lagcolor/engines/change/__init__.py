"""Colors of a changed graph from the colors before the change.

Start with `settle.py`, which recolors the vertices whose color is no longer first-fit. `differences.py` finds changed
rows. `lagcolor.recolor` calls this folder. Settling is correct because first-fit in a fixed order has one solution: the
result equals a coloring from scratch.
"""
