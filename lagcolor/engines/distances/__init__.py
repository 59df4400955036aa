"""Colorings with distances: frequencies of neighbors differ by d(u, v) at least (bandwidth coloring).

All of this runs on one core. Frequencies are int32, −1 without one; the span is the largest plus one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.graph import Graph
from ...core.pattern import unsigned
from ...rules import MOST_COLORS, Rules


class Instance(NamedTuple):
    """A graph with distances and lists, for compiled loops."""

    # `indptr` and `indices`: unsigned arrays
    indptr: Any
    indices: Any
    distances: Any  # array of int32: of each entry of `indices`
    fixed: Any  # array of int32: the frequency that a vertex must have, −1 where it is free
    # `offsets` and `forbidden`: CSR: frequencies that a vertex may not have
    offsets: Any
    forbidden: Any

    @classmethod
    def of(cls, G: Graph, rules: Rules) -> Instance:
        """Both are on the CPU."""
        fixed = np.full(G.n, -1, np.int32) if rules.fixed is None else rules.fixed
        return cls(*unsigned(G), rules.distances, fixed, *rules.lists(G.n))

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.fixed)


def limit_of(rules: Rules) -> int:
    """Frequencies from here on are not allowed."""
    return MOST_COLORS if rules.max_colors is None else rules.max_colors
