"""`lagcolor.color(x)` itself among the codes: "auto:fast", "auto:balanced", "auto:best=2" (seconds), "auto:best=25x".

The last one's time limit is 25 times what fast takes on the same graph, so that one name serves graphs of every size.
"""

from __future__ import annotations

import re
import statistics
from typing import NamedTuple

import lagcolor
from lagcolor.base.errors import OptionError
from lagcolor.base.options import DEFAULT_SEED

STYLE = "auto"
NAMES = ("auto:fast", "auto:balanced", "auto:best=5x", "auto:best=25x", "auto:best=100x")
FORM = re.compile(r"auto:(?:(?P<short>fast|balanced)|best=(?P<limit>\d+(?:\.\d+)?)(?P<times>x?))")
FAST_RUNS = 5


class Quality(NamedTuple):
    """A quality and its time limit: seconds, or a multiple of the time of fast."""

    quality: str
    limit: float | None = None
    times_fast: bool = False


def is_quality(name: str) -> bool:
    """Whether a name stands for a quality, not for an algorithm."""
    return name.startswith("auto:")


def parse(name: str) -> Quality:
    """What a name stands for."""
    found = FORM.fullmatch(name)
    if found is None or (found["limit"] and float(found["limit"]) == 0):
        raise OptionError(
            f"no quality {name!r}: auto:fast, auto:balanced, auto:best=2 (seconds) or auto:best=25x (times fast)"
        )
    if found["short"]:
        return Quality(found["short"])
    return Quality("best", float(found["limit"]), bool(found["times"]))


def seconds(quality: Quality, G: lagcolor.Graph) -> float | None:
    """The time limit on a graph; runs fast a few times if it is a multiple of that."""
    if quality.limit is None or not quality.times_fast:
        return quality.limit
    runs = [color(Quality("fast"), G, None) for _ in range(1 + FAST_RUNS)][1:]
    return quality.limit * statistics.median(run.order_seconds + run.seconds for run in runs)


def color(quality: Quality, G: lagcolor.Graph, limit: float | None, seed: int | None = None) -> lagcolor.Coloring:
    """One call on a new `Graph`, which has no cached degrees or orders of an earlier run."""
    fresh = lagcolor.Graph(G.indptr, G.indices)
    return lagcolor.color(
        fresh, quality=quality.quality, time_limit=limit, seed=DEFAULT_SEED if seed is None else seed, verify=False
    )
