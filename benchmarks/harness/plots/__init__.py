"""Plots of result files: time against colors, speed-ups, distance from the floor, qualities, growth.

Read `comparison` first. The page of `report` and `tools/update_pictures.py` call these functions. `lagcolor.plot` has
the style, drawings of colorings, and `save`.

>>> from benchmarks.harness import plots
>>> axes = plots.pareto("results", "rgg:20")  # doctest: +SKIP
"""

from .comparison import floors, fronts, pareto, speedups
from .qualities import qualities
from .series import degrees, rounds, scaling

__all__ = ["degrees", "floors", "fronts", "pareto", "qualities", "rounds", "scaling", "speedups"]
