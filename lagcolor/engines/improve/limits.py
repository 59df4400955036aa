"""What rounds of ejections have in common on a CPU and a GPU: what vertices weigh, and what ends a search."""

from __future__ import annotations

from typing import NamedTuple

HEAVIEST = 65535  # for sums in 32 bits; past degree 65,535 weights count without their lower bits, and as odd
A_VERTEX = 8  # work of a listed vertex in a round, in addition to the entries of its row
KNEE, FIRST, GAIN = 128, 7, 9  # of d neighbors above k − 3, d · min(d, KNEE) / 2^FIRST weighs; / 2^GAIN is gained
SAVED, STOPPED, PAUSED = 1, 2, 3  # as in ejections.cu


class Limits(NamedTuple):
    """What ends a search: rounds and work, and those since the list was shorter than ever; see `Rule`."""

    rounds: int
    stuck: int
    work: int
    stuck_work: int
    listed: int
