"""What the families share: the device, checks of parameters, and pairs drawn block by block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from semirings.sparse import offset_type

from ..base import device as dev
from ..base import options
from ..base.errors import OptionError
from ..graph.graph import MOST_VERTICES, Graph

CPU_BLOCK = 1 << 16  # words of a block stay in a core's second-level cache
GPU_BLOCK = 1 << 26


@contextlib.contextmanager
def arrays_on(device: str) -> Iterator[Any]:
    """numpy, or cupy with `device` current."""
    kind, index = dev.parse_device(device)
    if kind == "cpu":
        yield np
        return
    cp = dev.cupy()
    with cp.cuda.Device(index):
        yield cp


def whole(name: str, value: Any, low: int = 0, high: int = MOST_VERTICES) -> int:
    """`value` as an int from low to high."""
    return options.whole(name, value, low, high)


def real(name: str, value: Any, low: float = 0.0, high: float = 1.0) -> float:
    """`value` as a float from low to high, else an OptionError; NaN is none."""
    return options.number(name, value, low, high)


def vertices(value: int, what: str) -> int:
    """`value`, if int32 vertex ids can count so many."""
    if value > MOST_VERTICES:
        raise OptionError(f"{what} would have {value:,} vertices; ids are int32, so at most {MOST_VERTICES:,}")
    return value


def check_seed(seed: Any, rng: Any) -> int:
    """The seed, 0 … 2⁶⁴ − 1, or the number that `rng` draws, else an OptionError."""
    return options.seed(options.seed_of(seed, rng, 0))


def blocks(xp: Any, count: int, fill: Callable[[int, int], None]) -> None:
    """Call ``fill(start, stop)``, which writes to its own slice, for blocks of 0 … count − 1; in threads on a CPU."""
    size = CPU_BLOCK if xp is np else GPU_BLOCK
    starts = range(0, count, size)
    threads = min(len(starts), dev.threads_for(None, count)) if xp is np else 1
    if threads <= 1:
        for start in starts:
            fill(start, min(start + size, count))
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda start: fill(start, min(start + size, count)), starts):
            pass  # reading the results raises what a block raised


def pairs(xp: Any, count: int, draw: Callable[[int, int], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Arrays u and v (int32) of `count` pairs, where ``draw(start, stop)`` gives the pairs of a block."""
    u, v = xp.empty(count, np.int32), xp.empty(count, np.int32)

    def fill(start: int, stop: int) -> None:
        u[start:stop], v[start:stop] = draw(start, stop)

    blocks(xp, count, fill)
    return u, v


def offsets(xp: Any, degrees: Any, m: int) -> Any:
    """Row offsets of rows of these lengths, in the offset type of a graph of m stored entries."""
    out = xp.zeros(len(degrees) + 1, offset_type(m))
    out[1:] = xp.cumsum(degrees)
    return out


def graph_of(u: Any, v: Any, n: int) -> Graph:
    """The graph of undirected pairs, on their device; duplicates and self-loops fall away."""
    G = Graph.of((u, v), n=n)
    return Graph(G.indptr, G.indices)  # the time of conversion is part of the making, not of an input
