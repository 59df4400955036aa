"""Result files: their schema, one writer and one reader; the runs in them, compared.

>>> from benchmarks.harness import results as measurements
>>> results = measurements.read("results/")             # doctest: +SKIP
>>> best = measurements.front(results.on("rgg:20"))     # doctest: +SKIP
"""

from .compare import Speedup, beaten_by, default_baseline, front, geometric_mean, scaling, speedups
from .lines import ResultFile, by_graph, of_kind, read_lines
from .model import GraphFacts, Meta, Results, Run, load_of
from .reading import of_lines, read
from .schema import SCHEMA, Row

__all__ = [
    "SCHEMA",
    "GraphFacts",
    "Meta",
    "ResultFile",
    "Results",
    "Row",
    "Run",
    "Speedup",
    "beaten_by",
    "by_graph",
    "default_baseline",
    "front",
    "geometric_mean",
    "load_of",
    "of_kind",
    "of_lines",
    "read",
    "read_lines",
    "scaling",
    "speedups",
]
