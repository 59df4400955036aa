"""What is done where first-fit with rules leaves vertices without a color: `max_colors` are too few for it.

First it is asked whether any coloring can keep the rules: a vertex may have no color left to it, or more than
`max_colors` vertices may be a clique. If neither is found, other colorings are made, one after the other, until one is
complete, each with an effort that depends on sizes alone, so that the result is the same on every run and device:

1. first-fit in the orders natural, largest_first and smallest_last;
2. DSATUR with lists, which is exact for two colors: a vertex with one color left comes before all others, and where
   there is none, both colors of the next vertex are alike, for no vertex of its part has a color or a list;
3. on small graphs all colorings, one after the other, which may also prove that none keeps the rules;
4. ejection with lists, which goes on from the best of these.

All of it runs on the CPU, of a copy of a graph on a GPU. Of problems at two hops the graph of the conflicting pairs is
made for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semirings.runtime.compile_clock import clock

from .. import device as dev
from ..core.errors import ColoringError
from ..core.graph import Graph
from ..core.nets import Structure
from ..core.result import Log
from ..core.task import NONE
from ..device import extremes
from ..engines.dsatur import dsatur_with_rules
from ..engines.greedy.rooms import first_fit_in_rooms
from ..engines.greedy.sequential import unsigned
from ..engines.greedy.tasks import first_fit_task
from ..engines.lists import Instance
from ..engines.lists.barred import without_colors
from ..engines.lists.ejection import Ejection
from ..engines.lists.exhaustive import FOUND, NONE_EXISTS, search_all
from ..engines.lists.lower import lower
from ..engines.recolor.clique import clique_size
from ..orders import Priorities
from . import Rules

ORDERS = ("natural", "largest_first", "smallest_last")
MOST = 1 << 26  # entries of the graph of conflicting pairs, counted in each net: up to half a gigabyte
EXHAUSTIVE = "exhaustive"  # the attempt that begins all colorings
READS, LEAST_READS = 64, 1 << 24  # entries that ejection reads: times those of the graph, and at least
SMALL, SMALL_READS = 1 << 16, 1 << 22  # vertices times colors up to which all colorings are begun, entries read then
BITS = 1 << 33  # of the colors barred to vertices; DSATUR is left out where there would be more
TWO = "with two colors all choices are forced, or free to exchange, and they end at a vertex with none left"
NO_COLORING = "all colorings were looked at, and none keeps them"
UNKNOWN = "none was found within the effort; whether there is one is unknown"


def complete(G: Structure, rules: Rules, first: tuple[str, Any], log: Log, seed: int) -> tuple[Any, str]:
    """The colors of an algorithm, where all vertices have one; else those of the first attempt that finds all."""
    name, colors = first
    with dev.using(colors):
        if not len(colors) or int(colors.min()) >= 0:
            return _noted(colors, log), ""
        search = _attempt(G, rules, (name, dev.to_device(colors, "cpu").copy()), log, seed)
        found_by = search.tried[-1]["name"]
        found_by = f"first_fit ({found_by})" if found_by in ORDERS else found_by
        return _noted(dev.to_device(search.colors, G.device), log), found_by


def _noted(colors: Any, log: Log) -> Any:
    """The colors; notes say how many under the largest are unused."""
    if gaps := extremes.largest(colors) + 1 - extremes.distinct(colors):
        log.notes["gaps"] = gaps
    return colors


def _attempt(G: Structure, rules: Rules, first: tuple[str, np.ndarray], log: Log, seed: int) -> Search:
    """A search with colors of all vertices, on the CPU; or the error, with what there is on the device of `G`."""
    here, graph = rules.on("cpu"), G.on("cpu").conflict_graph(MOST)
    if graph is None:
        raise _failure(first[1], rules, "the graph of conflicting pairs is too large for other attempts", G.device)
    search = Search(graph, here, log)
    search.keep(*first, 0.0)
    reason = search.why_impossible()
    if not reason:
        reason = search.run(seed)
    if search.left:
        raise _failure(search.colors, rules, reason, G.device)
    search.lower()
    return search


def _failure(colors: np.ndarray, rules: Rules, reason: str, device: str) -> ColoringError:
    e = ColoringError(
        f"{rules.limit}: no coloring that keeps the rules: {reason}. The best partial coloring "
        f"(`partial` of the error) leaves {int((colors < 0).sum())} of {len(colors)} vertices without a color"
    )
    e.partial, e.reason = dev.to_device(colors, device), reason
    return e


@dataclass
class Search:
    """The best partial coloring so far, on the CPU.

    Attributes
    ----------
    G : Graph
    rules : Rules
    log : Log
    colors : array of int32, shape (n,)
    left : int
        Vertices without a color.
    none_exists : bool
        All colorings were looked at, and none keeps the rules.
    tried : list of dict
    """

    G: Graph
    rules: Rules
    log: Log
    colors: Any = None
    left: int = 2**31
    none_exists: bool = False
    tried: list[dict[str, Any]] = field(default_factory=list)

    def keep(self, name: str, colors: np.ndarray, seconds: float) -> None:
        """Keep colors where they leave fewer vertices."""
        left = int(np.count_nonzero(colors < 0))
        self.tried.append({"name": name, "uncolored": left, "ms": round(seconds * 1e3, 3)})
        self.log.notes["tried"] = self.tried
        if left < self.left:
            self.colors, self.left = colors, left

    def attempt(self, name: str, make: Callable[[], np.ndarray]) -> None:
        """Keep the colors that `make` returns, unless there is a complete coloring already."""
        if self.left:
            begun = clock()
            colors = make()
            self.keep(name, colors, clock() - begun)

    def run(self, seed: int) -> str:
        """One attempt after the other; why none is complete."""
        for order in ORDERS:
            self.attempt(order, lambda order=order: self._first_fit(order))  # type: ignore[misc]
        if self.G.n * self.k <= BITS:
            self.attempt("dsatur", self._saturate)
            if self.left and self.k <= 2 and self.rules.capacity is None:
                return TWO
        if self.G.n * self.k <= SMALL:
            self.attempt(EXHAUSTIVE, self._search_all)
        if not self.none_exists:
            self.attempt("ejection", lambda: self._eject(seed))
        return NO_COLORING if self.none_exists else UNKNOWN

    @property
    def k(self) -> int:
        """Colors that attempts use."""
        return self.rules.enough(self.G.n)

    def why_impossible(self) -> str:
        """Why no coloring keeps the rules, as far as found; "" for unknown."""
        k = self.rules.max_colors or 0
        if k == self.k:  # else there are more colors than a list and neighbors bar
            v = without_colors(unsigned(self.G), self.colors, self.fixed, self.rules.lists(self.G.n), k)
            if v >= 0:
                return f"vertex {v} has no color left that is neither forbidden to it nor a fixed neighbor's"
        if clique_size(self.G, k + 1) > k:
            return f"there is a clique of {k + 1} vertices, which needs as many colors"
        return ""

    @property
    def fixed(self) -> np.ndarray:
        """Fixed colors, −1 for none."""
        return np.full(self.G.n, NONE, np.int32) if self.rules.fixed is None else self.rules.fixed

    def _first_fit(self, order: str) -> np.ndarray:
        sequence = Priorities.of(self.G, order, None).sequence
        if self.rules.capacity is not None:
            return first_fit_in_rooms(self.G, self.rules, sequence)
        return first_fit_task(self.G, self.rules.task(self.G.max_degree), sequence, threads=None)

    def _saturate(self) -> np.ndarray:
        return dsatur_with_rules(self.G, self.rules, Priorities.of(self.G, "largest_first", None).sequence, self.k)

    def _instance(self, colors: np.ndarray) -> Instance:
        """The graph with its rules; `room` is what these colors leave."""
        n, rules = self.G.n, self.rules
        room = rules.room_left(colors, self.k)
        return Instance(*unsigned(self.G), self.fixed >= 0, *rules.lists(n), rules.weight_of(n), room)

    def _search_all(self) -> np.ndarray:
        colors = self.fixed.copy()
        alike = self.rules.forbidden is None and not np.ndim(self.rules.capacity)
        outcome = search_all(self._instance(colors), colors, alike, SMALL_READS)
        self.none_exists = outcome == NONE_EXISTS
        return colors if outcome == FOUND else self.colors

    def _eject(self, seed: int) -> np.ndarray:
        tight = self.rules.capacity is not None
        colors, reads = self.colors.copy(), max(READS * self.G.m, LEAST_READS)
        return Ejection(self._instance(colors), colors, tight, seed).run(reads)

    def lower(self) -> None:
        """Lower the colors where rules allow it, so that gaps are those that rules cause."""
        if len(self.tried) > 1:
            lower(self._instance(self.colors), self.colors)
