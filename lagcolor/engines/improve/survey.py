"""Properties of a graph on a GPU, estimated from samples in one launch and one wait; survey_cpu.py is for a CPU.

========  ====================================================================
odd       whether searches from some vertices found an odd cycle, so that two colors are not enough
mesh      whether it is a structured mesh (survey_cpu.py)
twins     whether most vertices seem to have a twin (twins.py)
row       ids of the neighbors of a vertex in the middle, minus its id (lattice.py); empty if there are more than 63
========  ====================================================================
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ...base import device as dev
from ...graph.graph import Graph

SOURCE = dev.Source(__file__, block=1024)
# As in survey.cu: sampled rows; vertices checked for twins; entries of `row`; balls.
ROWS, TWINS, ROW, BALLS = 64, 16, 63, 32
LONG, GOLDEN = 512, 0x9E3779B1  # longer rows are skipped; the golden ratio as a fraction of 2³²
WORDS = 2 * ROWS + TWINS + 1 + ROW + 1  # 32-bit words of `Found` in survey.cu
LONELY = 3  # maximum number of sampled vertices without a twin
USUAL = 4  # minimum number of samples with the same row


class Survey(NamedTuple):
    """Properties of a graph; see the table of this module."""

    odd: bool
    mesh: bool
    twins: bool
    row: tuple[int, ...]


def survey(G: Graph) -> Survey:
    """Return the properties of a graph on a GPU. The graph must have vertices."""
    with dev.using(G.indices):
        run = SOURCE.of(G.indptr)
        words = run.read("survey", (3 + BALLS,), np.int64(G.n), G.indptr, G.indices, count=WORDS)
    hashes, words = words[: 2 * ROWS].view(np.uint64), words[2 * ROWS :]
    twins, size, row, odd = words[:TWINS], int(words[TWINS]), words[TWINS + 1 : -1], bool(words[-1])
    return Survey(odd, is_regular(hashes), TWINS - int(twins.sum()) <= LONELY, tuple(row[:size].tolist()))


def is_regular(hashes: np.ndarray) -> bool:
    """Return whether half of the sampled rows equal at least USUAL − 1 others; 0 is no hash."""
    counts = Counter(hashes.tolist())  # half of the time of np.unique
    counts[0] = 0
    return 2 * sum(count for count in counts.values() if count >= USUAL) >= ROWS
