"""Orders by degree: largest first, largest logarithm first, and largest first with ties spread by runs of 32 ids.

Ties by id make chains of dependent vertices as long as a mesh is wide. Ties by hash scatter the memory accesses of
threads. The spread orders are between the two: 32 consecutive ids stay together, in the order of their reversed bits,
so that adjacent ids do not wait for each other in a chain. Runs are distributed by hash over about as many groups as a
vertex has neighbors, or in `random_spread` all in random order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.compile_clock import load
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from .by_key import by_key
from .ties import BITS, MOST_BITS, NTH, RUN, mix, tie_order

SOURCE = dev.Source(__file__)


def largest_first(G: Graph, seed: int | None) -> Any:
    """Largest degree first (Welsh and Powell 1967)."""
    if seed is None and not G.on_gpu:
        return load(".degree_cpu", __package__).sort_by_degree(unsigned(G)[0])
    return by_degree(G, seed)


def by_degree(G: Any, seed: int | None) -> Any:
    """Largest degree first; `G` can have computed edges."""
    return by_key(G, G.degrees, G.max_degree, seed)


def largest_log_first(G: Graph, seed: int | None) -> Any:
    """Largest ⌈log₂ degree⌉ first (Hasenplaugh, Kaler, Schardl, Leiserson 2014, LLF); degree 0 counts as 1."""
    xp = G.xp
    # ⌈log₂ d⌉ is the bit length of d − 1, which float64 represents exactly for every int32.
    key = xp.frexp(xp.maximum(G.degrees - 1, 0).astype(np.float64))[1].astype(np.int32)
    return by_key(G, key, max(G.max_degree - 1, 0).bit_length(), seed)


def largest_first_spread(G: Graph, seed: int | None) -> Any:
    """Largest degree first, then lower group, then by run (seed None counts as 0): int32, shape (n,)."""
    xp, n = G.xp, G.n
    if not G.on_gpu:
        return load(".degree_cpu", __package__).sort_spread(unsigned(G)[0], seed or 0)
    ids = by_run(xp, n)
    if n == 0:
        return ids
    key = ((G.max_degree - G.degrees).astype(np.int64) << MOST_BITS) | tie_group(G, seed or 0)
    return ids[xp.argsort(key[ids], kind="stable")]


def random_spread(G: Any, seed: int | None) -> Any:
    """Runs of 32 ids by hash, larger hash first (seed None counts as 0): int32, shape (n,)."""
    return by_run(G.xp, G.n, tie_order(G.xp, -(-G.n // RUN), seed or 0))


def tie_group(G: Graph, seed: int) -> Any:
    """Group of each vertex, int32, shape (n,): first bits of the hash of its run, more bits for larger degrees."""
    xp, degrees = G.xp, G.degrees
    first_bits = xp.full(G.n, MOST_BITS, np.uint32)
    for under, b in reversed(BITS):
        first_bits[degrees < under] = b
    run = xp.arange(G.n, dtype=np.uint32) // np.uint32(RUN)
    return (mix(xp, run, seed) >> (np.uint32(32) - first_bits)).astype(np.int32)


def by_run(xp: Any, n: int, numbers: Any = None) -> Any:
    """All ids, int32: the runs `numbers`, each with its ids by reversed bits."""
    runs = -(-n // RUN)
    if numbers is None:
        numbers = xp.arange(runs, dtype=np.int32)
    if xp is not np and not dev.is_rocm():
        return _by_run_on_gpu(xp, n, numbers)
    ids = (numbers[:, None] * np.int32(RUN) + xp.asarray(NTH)).ravel()
    return ids if n % RUN == 0 else ids[ids < n]


def _by_run_on_gpu(cp: Any, n: int, numbers: Any) -> Any:
    """All ids of the runs `numbers`, on a GPU."""
    ids, place, runs = cp.empty(n, np.int32), cp.empty(1, np.int32), len(numbers)
    if n:
        run = SOURCE.of()
        run.launch("find_last", runs, numbers, np.int32(runs), place)
        run.launch("ids_of_runs", runs * RUN, numbers, np.int32(runs), np.int32(n), place, ids)
    return ids
