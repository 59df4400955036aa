"""Edges of a graph: two edges of one color have no common end (edge coloring, chromatic index).

Edges are numbered 0, 1, … in the order of the rows, each from its smaller end. The verifier numbers them itself and
shares no code with `Graph.edges`. It sorts the edges by color and finds vertices that are ends of two edges of a class.
A graph on a GPU is checked there, by sorting pairs of color and end; if a pair occurs twice, the CPU names the edges.

References
----------
Vizing 1964, "On an estimate of the chromatic class of a p-graph": Δ or Δ + 1 colors.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.device.compiled import njit
from ..base.options import is_whole
from ..graph.graph import Graph
from ..graph.nets import Nets
from .on_cpu import inspect
from .report import SHOWN, Report, by_color, called
from .two_hop import Triples, named, neighbors


class EdgeNames(Sequence[tuple[Any, Any]]):
    """Names of the edges of a graph: pairs of the names of their ends."""

    labels: Any

    def __init__(self, G: Graph) -> None:
        self.G, self.labels = G, G.labels

    @functools.cached_property
    def ends(self) -> tuple[Any, Any]:
        """`Graph.edges`, on the CPU."""
        return tuple(dev.to_device(end, "cpu") for end in self.G.edges)

    @functools.cached_property
    def _numbers(self) -> dict[Any, int]:
        return {label: v for v, label in enumerate(self.labels)}

    @functools.cached_property
    def _keys(self) -> np.ndarray:
        """u n + v of each edge, increasing."""
        u, v = self.ends
        return u.astype(np.int64) * self.G.n + v

    def __len__(self) -> int:
        return self.G.n_edges

    def __getitem__(self, e: Any) -> Any:
        if isinstance(e, slice):
            return [self[i] for i in range(*e.indices(len(self)))]
        u, v = (int(end[e]) for end in self.ends)
        return (u, v) if self.labels is None else (self.labels[u], self.labels[v])

    def __iter__(self) -> Iterator[Any]:
        u, v = (end.tolist() for end in self.ends)
        if self.labels is None:
            return zip(u, v, strict=True)
        return zip(*(map(self.labels.__getitem__, end) for end in (u, v)), strict=True)

    def numbers(self, each: Any) -> np.ndarray:
        """Numbers of edges that are named from either end or by number; int64, −1 for unknown edges."""
        out, ends = np.full(len(each), -1, np.int64), np.full((len(each), 2), -1, np.int64)
        for i, name in enumerate(each):
            if is_whole(name) and 0 <= name < len(self):
                out[i] = name
            elif isinstance(name, tuple) and len(name) == 2:
                ends[i] = self._vertex(name[0]), self._vertex(name[1])
        return np.where(out < 0, self.find(*ends.T), out)

    def find(self, u: Any, v: Any) -> np.ndarray:
        """Numbers of edges by the numbers of their ends; int64, −1 if there is no such edge."""
        n, key = self.G.n, self._keys
        low, high = np.minimum(u, v), np.maximum(u, v)
        at = np.minimum(np.searchsorted(key, low * n + high), max(len(key) - 1, 0))
        there = (low >= 0) & (high < n)
        if len(key):
            there &= key[at] == low * n + high
        return np.where(there & bool(len(key)), at, -1)

    def _vertex(self, name: Any) -> int:
        if self.labels is None:
            return int(name) if is_whole(name) and 0 <= name < self.G.n else -1
        try:
            return self._numbers.get(name, -1)
        except TypeError:  # not hashable
            return -1


def structure(G: Graph) -> Nets:
    """Edges as `Nets`, with their names. The names refer to G, so they are not cached in it."""
    return Nets.incidence(G).called(EdgeNames(G))


def check(G: Graph, colors: Any) -> Report:
    """Check a coloring. See `Problem.verify`."""
    found = _faultless_on_gpu(G, colors)
    return found or inspect(G, colors, G.n_edges, None, named(_meetings, _sentence), EdgeNames(G), "edge")


def _faultless_on_gpu(G: Graph, colors: Any) -> Report | None:
    """Report on a complete coloring without faults, checked on a GPU; None if there are faults, or on a CPU."""
    colors = getattr(colors, "colors", colors)
    if not G.on_gpu or dev.device_of(colors) != G.device or colors.dtype != np.int32:
        return None
    if colors.shape != (G.n_edges,) or not G.m:
        return None
    least, largest = extremes.span(colors)
    if least < 0 or extremes.distinct(colors) != largest + 1:
        return None
    rows = G.rows_of_entries()
    later = rows < G.indices
    key = G.xp.concatenate([rows[later], G.indices[later]]).astype(np.int64) * (largest + 1)
    key += G.xp.concatenate([colors, colors])
    key.sort()
    return None if bool((key[1:] == key[:-1]).any()) else Report(largest + 1)


def _meetings(G: Graph, colors: np.ndarray) -> tuple[int, Triples]:
    """Count violations class by class, and list the first of them."""
    first, ends = np.zeros((SHOWN, 3), np.int64), np.empty((G.n_edges, 2), np.int32)
    count = int(meetings(G.indptr, G.indices, colors, by_color(colors), ends, np.full(G.n, -1), first))
    return count, first[: min(count, SHOWN)].tolist()


def _sentence(G: Graph, d: int, e: int, v: int, color: int) -> str:
    each = EdgeNames(G)
    return f"edges {each[d]!r} and {each[e]!r} both have color {color} and the end {called(v, G.labels)}"


@njit(cache=True, nogil=True)
def meetings(indptr: Any, indices: Any, colors: Any, order: Any, ends: Any, last: Any, first: Any) -> Any:
    """Count ends of edges that an earlier edge of the same color has; write the first as (edge, edge, end)."""
    count = e = 0
    for u in range(indptr.size - 1):
        for i in range(indptr[u], indptr[u + 1]):
            if indices[i] > u:
                ends[e, 0], ends[e, 1] = u, indices[i]
                e += 1
    for e in order:
        if colors[e] < 0:
            continue
        for v in ends[e]:
            if last[v] >= 0 and colors[last[v]] == colors[e]:
                if count < first.shape[0]:
                    first[count, 0], first[count, 1], first[count, 2] = last[v], e, v
                count += 1
            last[v] = e
    return count


def neighborhood(G: Graph, v: int) -> Any:
    """Edges that share an end with edge v, int32, increasing."""
    return neighbors(*Nets.incidence(G).patterns, v)


def upper_bound(G: Graph) -> int:
    """2Δ − 1, and at most one color per edge."""
    return min(G.n_edges, max(2 * G.max_degree - 1, 0))


def lower_bound(G: Graph) -> int:
    """Largest degree."""
    return G.max_degree
