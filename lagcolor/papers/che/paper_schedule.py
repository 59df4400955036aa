"""Rounds as Che et al. write them: two loops, over whole rows of the vertices without a color; the host reads a count.

On a GPU one thread processes each vertex, so that a hub's row delays its round: the imbalance that the paper is about.
engines/independent_sets has the same rounds and colors in less time. A CPU has this schedule only, and a list of the
vertices without a color in place of the test of all.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithms 1 to 3.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...device.compiled import njit
from ...engines.greedy.sequential import ONE32, unsigned

SOURCE = Path(__file__).with_suffix(".cu")
BLOCK = 256


class PaperRounds:
    """The state between rounds, on the device of the graph; see `engines.independent_sets.GpuRounds`."""

    def __init__(self, G: Graph) -> None:
        xp = dev.cupy() if G.on_gpu else np
        self.G, self.left, self.n_colors, self.last = G, G.n, 0, 0
        self.colors = xp.full(G.n, -1, np.int32)
        self._maxima = xp.empty(G.n, np.int32)
        self._flag = xp.zeros(G.n, np.int32)
        self._active = np.arange(0 if G.on_gpu else G.n, dtype=np.uint32)  # without a color
        self._first, self._second = (
            (self._maxima_on_gpu, self._assign_on_gpu) if G.on_gpu else (self._maxima_on_cpu, self._assign_on_cpu)
        )

    def advance(self, p: Any, fresh: bool, rounds: int, least: int = 0) -> int:
        """Up to `rounds` rounds; see `engines.independent_sets.GpuRounds.advance`."""
        value, flag = (self.G.degrees, self._flag) if p is None else (p, None)
        done = 0
        while done < rounds and self.left and (done == 0 or self.last >= least):
            self._first(value, flag)
            self.last = self._second(value, flag)
            self.left -= self.last
            self.n_colors += self.last > 0
            done += 1
        return done

    def _maxima_on_cpu(self, value: Any, flag: Any) -> None:
        maxima(*unsigned(self.G), value, self.colors, self._active, self._maxima, flag)

    def _assign_on_cpu(self, value: Any, flag: Any) -> int:
        colored = assign(value, self.colors, self._active, self._maxima, flag, np.int32(self.n_colors))
        self._active = self._active[self.colors[self._active] < 0]
        return colored

    def _kernel(self, name: str) -> Any:
        return dev.kernel(SOURCE, name, OFFSET_BITS=8 * self.G.indptr.itemsize)

    def _maxima_on_gpu(self, value: Any, flag: Any) -> None:
        G, flags = self.G, 0 if flag is None else flag
        args = (G.indptr, G.indices, value, self.colors, self._maxima, flags, G.n)
        self._kernel("che_maxima")((-(-G.n // BLOCK),), (BLOCK,), args)

    def _assign_on_gpu(self, value: Any, flag: Any) -> int:
        n, colored, flags = self.G.n, dev.cupy().zeros(1, np.int32), 0 if flag is None else flag
        args = (value, self.colors, self._maxima, flags, n, self.n_colors, colored)
        self._kernel("che_assign")((-(-n // BLOCK),), (BLOCK,), args)
        return int(colored[0])


@njit(cache=True, nogil=True)
def maxima(indptr: Any, indices: Any, value: Any, colors: Any, active: Any, max_array: Any, flag: Any) -> Any:
    """The first loop: the greatest value beside each vertex of `active`, and its flag; length of the longest row."""
    longest = np.int64(0)
    for i in active:
        greatest = np.int32(-1)
        duplicate = False
        for j in range(indptr[i], indptr[i + ONE32]):
            u = indices[j]
            if colors[u] < 0:
                duplicate |= value[u] == value[i]
                greatest = max(greatest, value[u])
        longest = max(longest, np.int64(indptr[i + ONE32]) - np.int64(indptr[i]))
        max_array[i] = greatest
        if flag is not None and duplicate:
            flag[i] = 1
    return longest


@njit(cache=True, nogil=True)
def assign(value: Any, colors: Any, active: Any, max_array: Any, flag: Any, k: Any) -> Any:
    """The second loop: color the local maxima; how many."""
    colored = 0
    for i in active:
        if (flag is None or flag[i] == 0) and value[i] > max_array[i]:
            colors[i] = k
            colored += 1
    return colored
