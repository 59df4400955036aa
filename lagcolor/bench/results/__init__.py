"""Measured runs: result files read, old forms and new, and compared.

>>> from lagcolor.bench import results as measurements
>>> results = measurements.read("results/")             # doctest: +SKIP
>>> best = measurements.front(results.on("rgg:20"))     # doctest: +SKIP
"""

from .compare import Speedup, beaten_by, default_baseline, front, geometric_mean, scaling, speedups
from .files import read
from .model import GraphFacts, Meta, Results, Run

__all__ = [
    "GraphFacts",
    "Meta",
    "Results",
    "Run",
    "Speedup",
    "beaten_by",
    "default_baseline",
    "front",
    "geometric_mean",
    "read",
    "scaling",
    "speedups",
]
