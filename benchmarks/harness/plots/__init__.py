"""Plots of result files: time against colors, speed-ups, distance from the floor, qualities, growth.

Read `comparison` first. `lagcolor.plot` has the style, the drawings of colorings, and `save`. The page of `report` and
`tools/update_pictures.py` call these. The hues are those of `lagcolor.plot`.

>>> from benchmarks.harness import plots
>>> axes = plots.pareto("results", "rgg:20")  # doctest: +SKIP
"""

from .comparison import floors, fronts, pareto, speedups
from .qualities import qualities
from .series import degrees, rounds, scaling

__all__ = ["degrees", "floors", "fronts", "pareto", "qualities", "rounds", "scaling", "speedups"]
