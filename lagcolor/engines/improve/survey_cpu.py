"""Properties of a graph on a CPU, estimated from samples: whether it is a structured mesh or has twins (twins.py).

In a grid, and in a finite-element matrix on a grid, the rows of most vertices, relative to the vertex, have the same
few patterns: one, or one for each unknown of a node. Such a mesh needs far fewer colors in the order of ids than with
high degrees first. Unstructured meshes have as many patterns as rows, and gain nothing from the order of ids.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import inner, njit
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .survey import GOLDEN, LONELY, LONG, ROWS, TWINS, is_regular

ONE, HALF = np.uint64(1), np.uint64(32)
PRIME, SOME = np.uint64(0x9E3779B97F4A7C15), np.uint64(1 << 63)


def is_mesh(G: Graph) -> bool:
    """Return whether half of the sampled rows are equal to others, relative to their vertices."""
    hashes = np.zeros(ROWS, np.uint64)
    hash_rows(*unsigned(G), hashes)
    return is_regular(hashes)


def has_twins(G: Graph) -> bool:
    """Return whether most sampled vertices seem to have a twin."""
    return bool(G.n and sample(*unsigned(G)) <= LONELY)


@njit(cache=True, nogil=True, inline="always")
def spread(i: Any, n: Any) -> Any:
    """Return sample i of n vertices. Not equidistant: all could be at the start of planes, as in a cube of 128³."""
    return (np.uint64((i + 1) * GOLDEN) & np.uint64(0xFFFFFFFF)) * n >> HALF


@njit(cache=True, nogil=True)
def hash_rows(indptr: Any, indices: Any, hashes: Any) -> None:
    """Hash rows relative to their vertices; hashes of empty and long rows stay 0."""
    n = np.uint64(indptr.size - 1)
    for i in range(hashes.size if n > 0 else 0):
        v = spread(i, n)
        begin, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE])
        if begin < end <= begin + np.uint64(LONG):
            h = SOME
            for e in range(begin, end):
                h = (h ^ (np.uint64(indices[e]) - v)) * PRIME
                h ^= h >> np.uint64(29)
            hashes[i] = h | SOME


@njit(cache=True, nogil=True)
def sample(indptr: Any, indices: Any) -> int:
    """Count sampled vertices without a twin, until there are more than LONELY."""
    n, lonely = np.uint64(indptr.size - 1), 0
    for i in range(TWINS):
        v = spread(i, n)
        lonely += not has_twin(indptr, indices, v)
        if lonely > LONELY:
            break
    return lonely


@inner()
def has_twin(indptr: Any, indices: Any, v: Any) -> bool:
    """Return whether a neighbor has the degree of v, and its closed row the same minimum, maximum and sum."""
    begin, end = np.uint64(indptr[v]), np.uint64(indptr[v + ONE])
    if end - begin > LONG:
        return False
    for e in range(begin, end):
        u = np.uint64(indices[e])
        b, last = np.uint64(indptr[u]), np.uint64(indptr[u + ONE])
        if last - b != end - begin or min(np.uint64(indices[b]), u) != min(np.uint64(indices[begin]), v):
            continue
        if max(np.uint64(indices[last - ONE]), u) != max(np.uint64(indices[end - ONE]), v):
            continue
        difference = np.int64(u) - np.int64(v)
        for i in range(end - begin):
            difference += np.int64(indices[b + i]) - np.int64(indices[begin + i])
        if difference == 0:
            return True
    return False
