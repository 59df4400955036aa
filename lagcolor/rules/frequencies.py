"""Colorings with distances: attempts at a smaller span, or at any coloring where first-fit leaves vertices without one.

1. First-fit in the order of the call; fast ends here where all vertices have a frequency.
2. First-fit in natural order and by falling sums of distances, and by saturation.
3. Local search with growing weights: where no coloring is complete at `max_colors`, and then at one less than the span,
   again after each success, until the span is the lower bound of a clique. It is limited by entries read, for best by
   the time limit.

All of it runs on the CPU, of a copy of a graph on a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from .. import device as dev
from ..core.graph import Graph
from ..core.log import Log
from ..device import extremes
from ..engines.distances import Instance, limit_of
from ..engines.distances.bounds import lower_bound
from ..engines.distances.breakout import Breakout, without_conflicts
from ..engines.distances.first_fit import by_saturation, first_fit, sums_of
from ..runtime.compile_clock import clock
from . import Rules
from .attempts import UNKNOWN, failure, noted

TABLE = 1 << 24  # vertices times span up to which there are tables: 12 bytes each
# Entries that searches read for each of a table, and at most: for smaller spans together, and for any coloring.
READS, MOST_READS = 1 << 12, 1 << 25
READS_FOR_ONE, MOST_FOR_ONE = 1 << 14, 1 << 27
FIRST_FIT, NATURAL, SUMS = "first_fit", "natural", "largest_distances_first"
SATURATION, BREAKOUT = "saturation", "breakout"


def color(
    G: Graph, rules: Rules, first: Any, log: Log, seed: int, quality: str = "fast", until: float = -math.inf
) -> tuple[Any, str]:
    """Colors that keep the rules, and which attempt made them: "" for `first`, the colors of the row.

    Best goes on until the moment `until`.
    """
    here = rules.on("cpu")
    instance = Instance.of(G.on("cpu"), here)
    search = Search(instance, limit_of(rules), log, seed, until)
    search.keep("", dev.to_device(first, "cpu").copy(), 0.0)
    if G.on_gpu:
        log.notes["distances"] = "kept on the CPU, of a copy of the graph"
    if quality != "fast" or search.left:
        search.bound, search.why = lower_bound(instance, G.labels)
        _attempt_all(search, quality)
    log.lower_bound = max(log.lower_bound, search.bound)
    if search.left:
        over = search.bound > search.limit
        reason = search.why if over else UNKNOWN
        raise failure(search.colors, rules, reason, G)
    return noted(dev.to_device(search.colors, G.device), log), search.found_by


def _attempt_all(search: Search, quality: str) -> None:
    """The attempts in turn, with the best so far on Ctrl-C where there is one."""
    try:
        with search.log.best_so_far(lambda: not search.left):
            for name, make in search.greedy():
                if not search.ended(quality == "fast"):
                    search.attempt(name, make)
            if search.left and search.bound <= search.limit:
                search.breakout(search.limit, min(READS_FOR_ONE * search.table, MOST_FOR_ONE))
            if quality != "fast":
                search.shrink(min(READS * search.table, MOST_READS) if quality == "balanced" else 0)
    except MemoryError as e:  # what is found stays
        search.log.notes["memory"] = f"a further attempt ran out of memory: {e}"


@dataclass
class Search:
    """The coloring with the fewest vertices left out so far, and of these the one with the smallest span."""

    instance: Instance
    limit: int  # frequencies from here on are not allowed
    log: Log
    seed: int
    until: float  # moment until which local search goes on, whatever it has read
    # `bound` and `why`: a span that every coloring has at least, and the reason
    bound: int = 0
    why: str = ""
    colors: Any = None  # array of int32
    # `left` and `span`: vertices without a frequency; the largest frequency plus one
    left: int = 2**31
    span: int = 0
    found_by: str = ""
    tried: list[dict[str, Any]] = field(default_factory=list)

    @property
    def table(self) -> int:
        """Vertices times frequencies."""
        return self.instance.n * min(self.limit, max(self.span, 1))

    def keep(self, name: str, colors: np.ndarray, seconds: float) -> None:
        """Keep colors where they are better."""
        left, span = int(np.count_nonzero(colors < 0)), extremes.largest(colors) + 1
        row = {"name": name or FIRST_FIT, "colors": span, "uncolored": left, "ms": round(seconds * 1e3, 3)}
        self.tried.append(row)
        self.log.notes["tried"] = self.tried
        if (left, span) < (self.left, self.span):
            self.colors, self.left, self.span, self.found_by = colors, left, span, name

    def attempt(self, name: str, make: Callable[[], np.ndarray]) -> None:
        """Keep the colors that `make` returns where they are better."""
        begun = clock()
        colors = make()
        self.keep(name, colors, clock() - begun)

    def ended(self, any_does: bool) -> bool:
        """Whether no attempt can be better, or any complete coloring will do and there is one."""
        return not self.left and (any_does or self.span <= self.bound)

    def greedy(self) -> list[tuple[str, Callable[[], np.ndarray]]]:
        """Attempts of one pass each."""
        instance, limit = self.instance, self.limit
        heaviest = np.argsort(-sums_of(instance), kind="stable").astype(np.int32)
        rows: list[tuple[str, Callable[[], np.ndarray]]] = [
            (NATURAL, partial(first_fit, instance, None, limit)),
            (SUMS, partial(first_fit, instance, heaviest, limit)),
        ]
        most = min(limit, self.span)
        if instance.n * most <= TABLE:
            rows.append((SATURATION, partial(by_saturation, instance, most)))
        return rows

    def breakout(self, k: int, reads: int) -> int:
        """Look for a coloring of span k, limited by a number of entries and `until`; returns how many were read."""
        if self.instance.n * k > TABLE:
            self.log.notes["quality"] = "no local search: the vertices times the span are too many"
            return reads
        begun, walk = clock(), Breakout(self.instance, self.colors, k, self.seed)
        found = walk.run(reads, self.until)
        colors = walk.best if found else without_conflicts(self.instance, walk.best)
        if not found and self.left:
            colors = first_fit(self.instance._replace(fixed=colors), None, self.limit)
        self.keep(BREAKOUT, colors, clock() - begun)
        return int(walk.at[3])

    def shrink(self, reads: int) -> None:
        """One less than the span, again after each success."""
        while not self.left and self.span > self.bound and (reads > 0 or clock() < self.until):
            before = self.span
            reads -= self.breakout(self.span - 1, max(reads, 0))
            if self.span == before:
                break
