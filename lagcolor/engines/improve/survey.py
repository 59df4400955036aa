"""What samples of a graph on a GPU tell of it, in one launch and one wait; survey_cpu.py looks on a CPU.

========  ====================================================================
odd       whether a search from one of some vertices found an odd cycle, so that two colors do not do
mesh      whether it is a structured mesh (survey_cpu.py)
twins     whether most vertices seem to have a twin (twins.py)
row       what the neighbors of a vertex in the middle add to its id (lattice.py); empty where these are over 63
========  ====================================================================
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph

SOURCE = dev.Source(__file__, block=1024)
# As in survey.cu: rows, and vertices that may have twins; entries of `row`; balls.
ROWS, TWINS, ROW, BALLS = 64, 16, 63, 32
LONG, GOLDEN = 512, 0x9E3779B1  # the largest degree that is looked at; the golden ratio as a fraction of 2³²
WORDS = 2 * ROWS + TWINS + 1 + ROW + 1  # as in survey.cu: Found
LONELY = 3  # of the vertices, so many may have no twin
USUAL = 4  # samples whose rows are alike, at least


class Survey(NamedTuple):
    """What there is, as above."""

    odd: bool
    mesh: bool
    twins: bool
    row: tuple[int, ...]


def survey(G: Graph) -> Survey:
    """Of a graph on a GPU that has vertices."""
    with dev.using(G.indices):
        run = SOURCE.of(G.indptr)
        words = run.read("survey", (3 + BALLS,), np.int64(G.n), G.indptr, G.indices, count=WORDS)
    hashes, words = words[: 2 * ROWS].view(np.uint64), words[2 * ROWS :]
    twins, size, row, odd = words[:TWINS], int(words[TWINS]), words[TWINS + 1 : -1], bool(words[-1])
    return Survey(odd, is_regular(hashes), TWINS - int(twins.sum()) <= LONELY, tuple(row[:size].tolist()))


def is_regular(hashes: np.ndarray) -> bool:
    """Whether half of the rows of a sample are alike to some others; 0 is no hash."""
    counts = Counter(hashes.tolist())  # half of the time of np.unique
    counts[0] = 0
    return 2 * sum(count for count in counts.values() if count >= USUAL) >= ROWS
