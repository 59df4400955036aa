"""maximal_independent_set: NetworkX's set for a seed, without a list of the remaining nodes for each choice.

NetworkX draws the k-th entry of ``list(available)``, where `available` is a set that shrinks. This module has an equal
set and removes the same nodes. It lists the set again only if removals have changed its order: CPython rebuilds the
table of a set after a removal that leaves more than a quarter of the table marked as removed. Until then a binary
indexed tree of the last list finds the k-th remaining node.

Cost: O(m + n log n), and a list per quarter of the table. NetworkX makes a list per node of the result.

References
----------
Fenwick 1994, "A new data structure for cumulative frequency tables".
"""

from __future__ import annotations

import sys
from typing import Any

import networkx as nx
import numpy as np

from ..base.device.compiled import njit
from .graph import BackendGraph

EMPTY, SLOT = sys.getsizeof(set()), 16  # bytes of a set with a table of SMALL, and of an entry of a larger one
SMALL = 8
GIVES_SETS = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 7)


def maximal_independent_set(G: BackendGraph, nodes: Any = None, seed: Any = None) -> list[Any] | set[Any]:
    """NetworkX's `maximal_independent_set`; a set from NetworkX 3.7 on, else a list."""
    chosen = _chosen(G, nodes, seed)
    return set(chosen) if GIVES_SETS else chosen


def _chosen(G: BackendGraph, nodes: Any, seed: Any) -> list[Any]:
    """The nodes of the set, in the order of their choice."""
    nodes = set(nodes) if nodes else {seed.choice(G.nodes)}
    if not all(node in G for node in nodes):
        raise nx.NetworkXUnfeasible(f"{nodes} is not a subset of the nodes of G")
    near = set().union(*(G.row(G.number[node]) for node in nodes))
    if near & nodes:
        raise nx.NetworkXUnfeasible(f"{nodes} is not an independent set of G")
    chosen = list(nodes)
    everything, gone = set(G.nodes), near.union(nodes)
    available = everything.difference(gone)
    # CPython marks a small number of removed nodes in a copy. For many, it fills a new set with the others.
    left = _Listed(G, available, len(gone) if len(everything) // 4 > len(gone) else 0)
    while available:
        node = left.nodes[left.at(seed.choice(range(len(available))))]
        chosen.append(node)
        left.remove([*G.row(G.number[node]), node])
    return chosen


class _Listed:
    """A set of nodes, a list of it, and a tree of the nodes of the list that remain in the set."""

    def __init__(self, G: BackendGraph, available: set[Any], marked: int) -> None:
        self._G, self._available = G, available
        self._places = np.empty(len(G), np.int32)
        self._list(marked)

    def _list(self, marked: int = 0) -> None:
        G = self._G
        self._most = (table(self._available) - 1) // 4
        self._marked = marked if marked <= self._most else 0
        self.nodes = list(self._available)
        numbers = self.nodes if G.graph.labels is None else [G.number[node] for node in self.nodes]
        self._places[:] = -1
        self._places[np.array(numbers, np.int32)] = np.arange(len(numbers), dtype=np.int32)
        self._tree = full_tree(len(numbers))

    def at(self, k: int) -> int:
        """Place in the list of the k-th remaining node."""
        return int(place(self._tree, k))

    def remove(self, nodes: list[Any]) -> None:
        """Remove nodes; some of them may be absent from the set."""
        before = len(self._available)
        self._available.difference_update(nodes)
        self._marked += before - len(self._available)
        if self._marked > self._most:
            self._list()
            return
        G = self._G
        numbers = nodes if G.graph.labels is None else [G.number[node] for node in nodes]
        take(self._tree, self._places, np.array(numbers, np.int32))


def table(nodes: set[Any]) -> int:
    """Number of entries in the hash table of a set."""
    size = sys.getsizeof(nodes)
    return SMALL if size == EMPTY else (size - EMPTY) // SLOT


@njit(cache=True, nogil=True)
def full_tree(n: int) -> Any:
    """Sums of n ones: entry i, from 1 on, sums the last l ones up to i, where l is the lowest set bit of i."""
    tree = np.empty(n + 1, np.int32)
    for i in range(n + 1):
        tree[i] = i & -i
    return tree


@njit(cache=True, nogil=True)
def place(tree: Any, k: int) -> int:
    """Place of the one that follows k ones."""
    at = 0
    step = 1
    while step * 2 < tree.size:
        step *= 2
    while step > 0:
        if at + step < tree.size and tree[at + step] <= k:
            at += step
            k -= tree[at]
        step //= 2
    return at


@njit(cache=True, nogil=True)
def take(tree: Any, places: Any, numbers: Any) -> None:
    """Set the places of these vertices to zero, and mark them as removed; a place −1 is removed already."""
    for v in numbers:
        i = places[v] + 1
        places[v] = -1
        while 0 < i < tree.size:
            tree[i] -= 1
            i += i & -i
