"""Runs GPU code on the emulator with offsets near the end of int32, where signed overflow is a trap.

The offsets of the graph are raised by a base and the pointer to its columns is lowered by as much, so that offsets end
where those of a graph of 2³¹ entries would, and none of these need be there. Each case has a process of its own.

python overflow_child.py "[LAST, …]" CASE …: prints how each ended ("" where well) for each last offset, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import cuda_emulator
import numpy as np
from reduction_cases import CUPY, EmulatedGraph, colors_for

import lagcolor
from lagcolor import device as dev
from lagcolor.priorities import Priorities
from lagcolor.registry import ALGORITHMS
from lagcolor.result import Log

DEGREES = (7, 50, 300)
TRAPS = ["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]


class Columns(np.ndarray):
    """Columns whose address, as kernels get it, is that of entry 0 although they begin with entry `base`."""

    base_entry = 0

    def __array_finalize__(self, of: Any) -> None:
        self.base_entry = getattr(of, "base_entry", 0)

    @property
    def ctypes(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(data=self.__array_interface__["data"][0] - 4 * self.base_entry)


def raised(G: lagcolor.Graph, last: int) -> lagcolor.Graph:
    """`G` on the emulator with offsets that end at `last`."""
    columns = G.indices.copy().view(Columns)
    columns.base_entry = last - G.m
    indptr = G.indptr.astype(np.int64) + (last - G.m)
    return EmulatedGraph(indptr.astype(np.int32 if last < 2**31 else np.int64), columns)


def graph(degree: int) -> lagcolor.Graph:
    """A graph whose last row, which ends at the last offset, has so many entries; the others have a few."""
    ends = np.random.default_rng(degree).integers(0, max(degree, 60), (2, 400))
    n = max(degree, 60)
    return lagcolor.Graph.of((np.r_[ends[0], np.full(degree, n)], np.r_[ends[1], np.arange(degree)]), n=n + 1)


def in_order_of_degrees(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    from test_in_order import first_fit_emulated

    return first_fit_emulated(H, 0)


def natural(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    from lagcolor.kernels import in_order

    macros = {"OFFSET_BITS": 8 * H.indptr.itemsize, "STATE_BITS": 8, "BLOCK": 64, "ROOM": 24}
    kernel = cuda_emulator.kernel(in_order.NATURAL, "color_natural", **macros)
    state, colors, small = np.full(G.n, 0x80, np.uint8), np.full(G.n, -1, np.int32), np.zeros(4, np.uint32)
    kernel((1,), (64,), (G.n, H.indptr[-1], 1, H.indptr, H.indices, small[2:], small, small[3:], state, colors))


def in_sequence(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    from lagcolor.kernels.in_sequence import first_fit_in_sequence

    return first_fit_in_sequence(H, np.arange(G.n, dtype=np.int32))


def algorithm(name: str, **options: Any) -> Callable[[lagcolor.Graph, lagcolor.Graph], Any]:
    def run(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
        row = ALGORITHMS[name]
        order = row.default_order(True)[0]
        p = Priorities.of(H, "natural" if order == "largest_first_spread" else order, row.seed)
        return row.run(H, p, Log(), **options)

    return run


def reduction(name: str, **options: Any) -> Callable[[lagcolor.Graph, lagcolor.Graph], Any]:
    def run(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
        from lagcolor import reduction

        return getattr(reduction, name)(H, colors_for(G, 3), **options)

    return run


def exchange(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    from lagcolor.reduction.exchange import exchange

    return exchange(H, colors_for(G, 3), 0)


CASES: dict[str, Callable[[lagcolor.Graph, lagcolor.Graph], Any]] = {
    "in_order": in_order_of_degrees,
    "in_order_natural": natural,
    "in_sequence": in_sequence,
    "iterated_greedy": reduction("iterated_greedy", rounds=1),
    "ejection": reduction("ejection", passes=2.0),
}


def trapped(case: Callable[..., Any], degree: int, last: int) -> str:
    """How a case ended in a process of its own: "" where well."""
    child = os.fork()
    if child == 0:
        try:
            G = graph(degree)
            case(G, raised(G, last))
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    return "" if status == 0 else "error" if os.WIFEXITED(status) else "trap"


def main(lasts: list[int], names: list[str]) -> dict[str, list[str]]:
    """How each of these cases ended, for each last offset: the worst over degrees for a thread, a warp and a block."""
    cuda_emulator.OVERFLOW[:] = TRAPS
    dev.cupy, dev.kernel = lambda: CUPY, cuda_emulator.kernel
    return {
        name: [max(trapped(CASES.get(name) or algorithm(name), d, last) for d in DEGREES) for last in lasts]
        for name in names or CASES
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]), sys.argv[2:])))
