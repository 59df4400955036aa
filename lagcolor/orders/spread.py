"""Orders that are spread over the ids by runs of 32, so that memory access stays near: by degree, and at random.

Ties by id alone make chains of dependent vertices as long as a mesh is wide; ties by hash alone send every thread to
another place in memory. Here 32 vertices in a row stay together, in the order of their ids with the bits reversed (so
that neighbours in the row do not wait one for the other in turn), and runs are spread over about as many groups as a
vertex has neighbours, or all of them lie at random.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from semirings.runtime.compile_clock import importing

from ..core.graph import Graph
from ..device import threads
from .ties import mix, tie_order

RUN = 32
BITS = ((4, 2), (16, 4), (64, 5))  # under this degree, so many bits of hash
MOST_BITS = 8
NTH = np.array([int(f"{i:05b}"[::-1], 2) for i in range(RUN)], np.int32)  # bits reversed; its own inverse


@functools.cache
def bits(degrees: int) -> np.ndarray:
    """How many bits of hash distinguish vertices of each degree under `degrees`, int64."""
    out = np.full(degrees, MOST_BITS)
    for under, b in reversed(BITS):
        out[:under] = b
    return out


def tie_group(G: Graph, seed: int) -> Any:
    """Group of each vertex, int32, shape (n,): the first bits of its run's hash, more of them for larger degrees."""
    xp, degrees = G.xp, G.degrees
    first_bits = xp.full(G.n, MOST_BITS, np.uint32)
    for under, b in reversed(BITS):
        first_bits[degrees < under] = b
    run = xp.arange(G.n, dtype=np.uint32) // np.uint32(RUN)
    return (mix(xp, run, seed) >> (np.uint32(32) - first_bits)).astype(np.int32)


def by_run(xp: Any, n: int, first: Any = None) -> Any:
    """All ids, int32: runs that begin with `first`, one after another, within each ids by their bits reversed."""
    if first is None:
        first = xp.arange(0, n, RUN, dtype=np.int32)
    ids = (first[:, None] + xp.asarray(NTH)).ravel()
    return ids if n % RUN == 0 else ids[ids < n]


def random_spread(G: Any, seed: int | None) -> Any:
    """Runs of 32 ids by hash, the larger first (seed None counts as 0): int32, shape (n,).

    Parameters
    ----------
    G : Graph or Nets
        Of which its number of vertices and its device count.
    seed : int or None
    """
    return by_run(G.xp, G.n, tie_order(G.xp, -(-G.n // RUN), seed or 0) * np.int32(RUN))


def largest_first_spread(G: Graph, seed: int | None) -> Any:
    """Largest degree first, then the lower group, then by run (seed None counts as 0): int32, shape (n,)."""
    xp, n = G.xp, G.n
    if not G.on_gpu:
        with importing():
            from . import degree_sort

        offsets = G.indptr.view(f"u{G.indptr.itemsize}")
        return degree_sort.largest_first_spread(offsets, seed or 0, threads.count(None, G.n), bits(64), MOST_BITS)
    ids = by_run(xp, n)
    if n == 0:
        return ids
    key = ((G.max_degree - G.degrees).astype(np.int64) << MOST_BITS) | tie_group(G, seed or 0)
    return ids[xp.argsort(key[ids], kind="stable")]
