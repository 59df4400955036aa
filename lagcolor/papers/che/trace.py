"""What each round of Che et al.'s colorings did, told from the colors: each color is that of one round."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...core.result import Log


def log_rounds(log: Log, G: Graph, colors: Any, phases: list[tuple[str, int]]) -> None:
    """Log the rounds of each phase in turn, of which only the last one of the first may have colored no vertex."""
    if not log.trace:
        log.rounds = sum(rounds for _, rounds in phases)
        return
    host, degrees = dev.to_device(colors, "cpu"), dev.to_device(G.degrees, "cpu")
    sizes = np.bincount(host, minlength=1)
    ends = np.cumsum(sizes)
    largest = np.maximum.reduceat(degrees[np.argsort(host, kind="stable")], ends - sizes) if G.n else sizes
    sums = np.bincount(host, weights=degrees, minlength=1)
    # Of vertices without a color before a round: those that it colors, and all later ones.
    active = np.cumsum(sizes[::-1])[::-1].tolist()
    most = np.maximum.accumulate(largest[::-1])[::-1].tolist()
    mean = (np.cumsum(sums[::-1])[::-1] / np.maximum(active, 1)).tolist()
    colored = sizes.tolist()
    names = [phase for phase, rounds in phases for _ in range(rounds)]
    nobody = phases[0][1] - 1 if len(names) > len(colored) else -1
    c = 0
    for r, phase in enumerate(names):
        given = r != nobody
        log.round(
            active=active[c], colored=colored[c] if given else 0, conflicts=0, color=c if given else None, phase=phase,
            max_degree=most[c], mean_degree=mean[c], ms=None,
        )  # fmt: skip
        c += given
