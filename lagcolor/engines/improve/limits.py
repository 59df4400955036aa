"""Constants and limits of ejections on a CPU and a GPU: weights of vertices, and when a search ends."""

from __future__ import annotations

from typing import NamedTuple

HEAVIEST = 65535  # for sums in 32 bits; for degrees above 65,535 weights lose their lower bits, and become odd
A_VERTEX = 8  # work of a listed vertex in a round, in addition to the entries of its row
KNEE, FIRST, GAIN = 128, 7, 9  # d = degree − (k − 3): weight d · min(d, KNEE) / 2^FIRST, increment / 2^GAIN
SAVED, STOPPED, PAUSED = 1, 2, 3  # as in ejections.cu


class Limits(NamedTuple):
    """Limits of a search: rounds and work, in total and since the list was last shorter than ever; see `Rule`."""

    rounds: int
    stuck: int
    work: int
    stuck_work: int
    listed: int
