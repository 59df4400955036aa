"""What samples of a graph on a GPU tell of it, in one launch and one wait; `mesh` and `twins` look on a CPU.

========  ====================================================================
odd       whether a search from one of some vertices found an odd cycle, so that two colors do not do
mesh      whether it is a structured mesh (mesh.py)
twins     whether most vertices seem to have a twin (twins.py)
========  ====================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph

SOURCE = dev.Source(__file__, block=1024)
ROWS, TWINS, BALLS = 64, 16, 32  # rows, vertices that may have twins, and balls, as in survey.cu
LONG, GOLDEN = 512, 0x9E3779B1  # the largest degree that is looked at; the golden ratio as a fraction of 2³²
WORDS = 2 * ROWS + TWINS + 1  # as in survey.cu: Found
LONELY = 3  # of the vertices, so many may have no twin
USUAL = 4  # samples whose rows are alike, at least


class Survey(NamedTuple):
    """What there is, as above."""

    odd: bool
    mesh: bool
    twins: bool


def survey(G: Graph) -> Survey:
    """Of a graph on a GPU that has vertices."""
    with dev.using(G.indices):
        run = SOURCE.of(G.indptr)
        words = run.read("survey", (2 + BALLS,), np.int64(G.n), G.indptr, G.indices, count=WORDS)
    hashes, words = words[: 2 * ROWS].view(np.uint64), words[2 * ROWS :]
    twins, odd = words[:TWINS], bool(words[-1])
    _, counts = np.unique(hashes[hashes > 0], return_counts=True)
    return Survey(odd, is_regular(counts), TWINS - int(twins.sum()) <= LONELY)


def is_regular(counts: np.ndarray) -> bool:
    """Whether half of the rows are alike to some others; how many there are of each kind."""
    return bool(2 * counts[counts >= USUAL].sum() >= ROWS)


def spread(count: int, n: int) -> np.ndarray:
    """Vertices from all over the graph: equal distances may all end where planes begin, as in a cube of 128³."""
    return ((np.arange(1, count + 1, dtype=np.int64) * GOLDEN) % 2**32) * n >> 32
