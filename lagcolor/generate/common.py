"""Functions that the families share: devices, checks of parameters, and random numbers by position, in blocks.

Word i of a stream depends only on seed, stream and i. So a graph has the same bytes on a CPU and a GPU, for any block
size and number of threads. All operations are integer arithmetic or correctly rounded float operations (+ − × ÷ √), but
not `log`, `exp` or `pow`, whose last bit differs between libraries.
"""

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

CPU_BLOCK = 1 << 16  # words of a block, which fit in a core's second-level cache
GPU_BLOCK = 1 << 26
MASK64 = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
MUL1, MUL2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@contextlib.contextmanager
def arrays_on(device: str) -> Iterator[Any]:
    """Yield `numpy`, or `cupy` with `device` current."""
    kind, index = dev.parse_device(device)
    if kind == "cpu":
        yield np
        return
    cp = dev.cupy()
    with cp.cuda.Device(index):
        yield cp


def whole(name: str, value: Any, low: int = 0, high: int = MOST_VERTICES) -> int:
    """Return `value` as an int from low to high."""
    return options.whole(name, value, low, high)


def real(name: str, value: Any, low: float = 0.0, high: float = 1.0) -> float:
    """Return `value` as a float from low to high; raise an OptionError for others, also for NaN."""
    return options.number(name, value, low, high)


def vertices(value: int, what: str) -> int:
    """Return `value` if int32 can number this many vertices; raise an OptionError otherwise."""
    if value > MOST_VERTICES:
        raise OptionError(f"{what} would have {value:,} vertices; ids are int32, so at most {MOST_VERTICES:,}")
    return value


def check_seed(seed: Any, rng: Any) -> int:
    """Return the seed, 0 … 2⁶⁴ − 1, or a number that `rng` draws; raise an OptionError for others."""
    return options.seed(options.seed_of(seed, rng, 0))


def blocks(xp: Any, count: int, fill: Callable[[int, int], None]) -> None:
    """Call ``fill(start, stop)``, which writes only its own slice, for blocks of 0 … count − 1; on threads of a CPU."""
    size = CPU_BLOCK if xp is np else GPU_BLOCK
    starts = range(0, count, size)
    threads = min(len(starts), dev.threads_for(None, count)) if xp is np else 1
    if threads <= 1:
        for start in starts:
            fill(start, min(start + size, count))
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda start: fill(start, min(start + size, count)), starts):
            pass  # reading a result raises the error of its block


def pairs(xp: Any, count: int, draw: Callable[[int, int], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return arrays u and v (int32) of `count` pairs; ``draw(start, stop)`` returns the pairs of a block."""
    u, v = xp.empty(count, np.int32), xp.empty(count, np.int32)

    def fill(start: int, stop: int) -> None:
        u[start:stop], v[start:stop] = draw(start, stop)

    blocks(xp, count, fill)
    return u, v


def offsets(xp: Any, degrees: Any, m: int) -> Any:
    """Return the offsets of rows of these lengths, in the offset type of a graph with m stored entries."""
    out = xp.zeros(len(degrees) + 1, offset_type(m))
    out[1:] = xp.cumsum(degrees)
    return out


def graph_of(u: Any, v: Any, n: int) -> Graph:
    """Return the graph of undirected pairs, on their device, without duplicates and self-loops."""
    G = Graph.of((u, v), n=n)
    return Graph(G.indptr, G.indices)  # a new object, which does not count the time of conversion as reading an input


def finalize(z: Any) -> Any:
    """splitmix64's finalizer, in place: a bijection of 64 bits (Steele, Lea, Flood 2014)."""
    z ^= z >> np.uint64(30)
    z *= np.uint64(MUL1)
    z ^= z >> np.uint64(27)
    z *= np.uint64(MUL2)
    z ^= z >> np.uint64(31)
    return z


def _finalize_int(z: int) -> int:
    z = ((z ^ (z >> 30)) * MUL1) & MASK64
    z = ((z ^ (z >> 27)) * MUL2) & MASK64
    return z ^ (z >> 31)


class Stream:
    """Random 64-bit words by position, by splitmix64; each random choice of a generator has its own stream."""

    __slots__ = ("base",)
    base: int

    def __init__(self, seed: int, key: int) -> None:
        self.base = _finalize_int((_finalize_int((seed + GOLDEN) & MASK64) + (key + 1) * GOLDEN) & MASK64)

    def words(self, xp: Any, start: int, stop: int) -> Any:
        """Return words start … stop − 1, uint64."""
        return self.at(xp.arange(start, stop, dtype=np.uint64))

    def at(self, i: Any) -> Any:
        """Return the words at the positions `i` (uint64), in a new array."""
        z = i * np.uint64(GOLDEN)
        z += np.uint64(self.base)
        return finalize(z)

    def below(self, xp: Any, start: int, stop: int, bound: Any) -> Any:
        """Return integers 0 … bound − 1 at positions start … stop − 1; see `below`."""
        return below(self.words(xp, start, stop), bound)

    def floats(self, xp: Any, start: int, stop: int) -> Any:
        """Return float64 numbers in [0, 1), multiples of 2⁻⁵³, at positions start … stop − 1."""
        return (self.words(xp, start, stop) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def below(words: Any, bound: Any) -> Any:
    """Scale words to 0 … bound − 1: the upper half of the 128-bit product, with a bias under 2⁻³²."""
    bound = np.uint64(bound) if isinstance(bound, int) else bound
    low = (words & np.uint64(0xFFFFFFFF)) * bound
    low >>= np.uint64(32)
    high = (words >> np.uint64(32)) * bound
    high += low
    high >>= np.uint64(32)
    return high.astype(np.int64)


def permutation(xp: Any, n: int, seed: int, key: int) -> Any:
    """Return a random permutation of 0 … n − 1, int32: vertices sorted by random word, then id."""
    return xp.argsort(Stream(seed, key).words(xp, 0, n), kind="stable").astype(np.int32)


class Shuffle:
    """A random bijection of 0 … n − 1, evaluated at any position without a table.

    A Feistel network over the bits of n − 1 is applied again to results over n − 1 until they are below n (Black and
    Rogaway 2002). This ends, because the network is a bijection of a set less than twice as large. n is 1 … 2⁶³.
    """

    ROUNDS = 6
    low_bits: np.integer[Any]
    low_mask: np.integer[Any]
    high_mask: np.integer[Any]
    rounds: list[Stream]

    def __init__(self, n: int, seed: int, key: int) -> None:
        bits = max((n - 1).bit_length(), 2)
        self.n = n
        self.low_bits = np.uint64(bits // 2)
        self.low_mask = np.uint64((1 << (bits // 2)) - 1)
        self.high_mask = np.uint64((1 << (bits - bits // 2)) - 1)
        self.rounds = [Stream(seed, key + r) for r in range(self.ROUNDS)]

    def at(self, xp: Any, i: Any) -> Any:
        """Return the images of the positions `i` (uint64, under n), uint64."""
        out = self._network(i)
        over = xp.flatnonzero(out >= np.uint64(self.n))
        while len(over):
            again = self._network(out[over])
            out[over] = again
            over = over[again >= np.uint64(self.n)]
        return out

    def _network(self, i: Any) -> Any:
        low, high = i & self.low_mask, i >> self.low_bits
        for r, stream in enumerate(self.rounds):
            if r % 2:
                high ^= stream.at(low) & self.high_mask
            else:
                low ^= stream.at(high) & self.low_mask
        high <<= self.low_bits
        high |= low
        return high


def power(xp: Any, x: Any, exponent: float) -> Any:
    """Return x ** exponent for 0 ≤ exponent < 1 (24 binary digits), by square roots: the same bits on every device."""
    out, root = xp.ones_like(x), x
    for _ in range(24):
        root = xp.sqrt(root)
        exponent *= 2
        if exponent >= 1:
            exponent -= 1
            out *= root
    return out
