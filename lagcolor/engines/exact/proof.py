"""Decide whether k colors are enough for a graph: for each component of its kernel, the smallest first."""

from __future__ import annotations

import math

import numpy as np

from ...base.compile_clock import clock
from ...graph.components import components, induced
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...problems.certificates import EXHAUSTIVE, Certificate
from ..improve.lists import FOUND, NONE_EXISTS, UNKNOWN, Instance
from .k_core import Core
from .learning import Learning

MOST = 1000  # a kernel of more components is not split


class Proof:
    """A search for k colors; calls of `run` continue it. The search of a component is created when it first runs."""

    k: int
    result: int  # FOUND, NONE_EXISTS or UNKNOWN
    certificate: Certificate | None  # with NONE_EXISTS: certifies that every coloring has k + 1 colors

    def __init__(self, G: Graph, k: int) -> None:
        self.k, self.certificate, self._kernel = k, None, Core(G, k)
        n = self._kernel.graph.n
        self._colors = np.full(n, -1, np.int32)
        count, component = components(self._kernel.graph)
        parts = [np.arange(n)] if n else []
        if 1 < count <= MOST:
            parts = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
        self._left = sorted(parts, key=len)
        self._searches: dict[int, Learning] = {}  # by the first vertex
        self.result = UNKNOWN if self._left else FOUND

    @property
    def entries(self) -> int:
        """Size of the tables: vertices of the largest component times colors."""
        return len(self._left[-1]) * self.k if self._left else 0

    @property
    def conflicts(self) -> int:
        """Number of conflicts so far."""
        return sum(search.conflicts for search in self._searches.values())

    def run(self, until: float = math.inf, conflicts: int = 2**62) -> int:
        """Continue until `result` is known, the time `until` (parts share it) or a number of conflicts; return it."""
        parts = list(self._left)
        for i, part in enumerate(parts):
            search = self._searches.get(part[0]) or self._searches.setdefault(part[0], self._search(part))
            end = until if until == math.inf else clock() + (until - clock()) / (len(parts) - i)
            result = search.run(end, search.conflicts + max(conflicts - self.conflicts, 0))
            if result == NONE_EXISTS:
                self.result = result
                self.certificate = Certificate(EXHAUSTIVE, self.k + 1, self._kernel.vertices[part].astype(np.int64))
                return result
            if result == FOUND:
                self._colors[part] = search.colors
                self._left = [other for other in self._left if other is not part]
        if not self._left:
            self.result = FOUND
        return self.result

    def colors(self) -> np.ndarray:
        """Return the coloring of the whole graph, with FOUND."""
        return self._kernel.extend(self._colors)

    def _search(self, part: np.ndarray) -> Learning:
        """Create a clause-learning search for a coloring of a component with k colors."""
        G, n = self._kernel.graph, len(part)
        nothing = np.zeros(n, np.bool_), np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
        graph = unsigned(G if n == G.n else induced(G, part))
        instance = Instance(*graph, *nothing, np.ones(n), np.full(self.k, np.inf))
        return Learning(instance, np.full(n, -1, np.int32), True)
