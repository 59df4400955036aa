"""Runs GPU code on the emulator with offsets near the end of int32, where signed overflow is an error.

The offsets of the graph are raised by a base and the pointer to its columns is lowered by as much, so that offsets end
where offsets of a graph of 2³¹ entries would, and none of these need be there. Each case has a process of its own.

python overflow_child.py "[LAST, …]": prints how each case ended ("" where well) for each last offset, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import emulated
import numpy as np
from reduction_cases import colors_for

import lagcolor
from lagcolor.base import device as dev

OVERFLOW = 3  # how a child ends then


class Columns(np.ndarray):
    """Columns whose address, as kernels get it, is the address of entry 0 although they begin with entry `base`."""

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
    indptr = indptr.astype(np.int32 if last < 2**31 else np.int64)
    return lagcolor.Graph(emulated.ndarray(indptr, 0), emulated.ndarray(columns, 0))


def graph(degree: int) -> lagcolor.Graph:
    """A graph whose last row, which ends at the last offset, has this number of entries; the others have a few."""
    ends = np.random.default_rng(degree).integers(0, max(degree, 60), (2, 400))
    n = max(degree, 60)
    return lagcolor.Graph.of((np.r_[ends[0], np.full(degree, n)], np.r_[ends[1], np.arange(degree)]), n=n + 1)


def in_order_of_degrees(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    from lagcolor.engines.greedy import cuda

    cuda.first_fit_small = lambda *_: None  # in several launches
    return cuda.first_fit(H, 0)


def natural(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    from lagcolor.engines.greedy import cuda_natural

    macros = {"OFFSET_BITS": 8 * H.indptr.itemsize, "STATE_BITS": 8, "BLOCK": 64, "LIST_SIZE": 24}
    kernel = emulated.kernel(cuda_natural.SOURCE, "color_natural", **macros)
    state, colors, small = np.full(G.n, 0x80, np.uint8), np.full(G.n, -1, np.int32), np.zeros(4, np.uint32)
    graph = G.n, int(H.indptr[-1]), 1, H.indptr, H.indices
    kernel((1,), (64,), (*graph, small[2:], small, small[3:], state, colors, 0, 0))


def iterated_greedy(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    from lagcolor.engines.improve.classes import iterated_greedy

    return iterated_greedy(H, dev.to_device(colors_for(G, 3), "cuda"), rounds=1)


def ejection(G: lagcolor.Graph, H: lagcolor.Graph) -> Any:
    """A round for the last vertex alone, which has no color and must take one of three."""
    from lagcolor.engines.improve.ejections import SOURCE

    kernel = emulated.kernel(SOURCE, "save_colors", OFFSET_BITS=8 * H.indptr.itemsize, GROUP=32, BLOCK=256)
    colors, state, wish = np.zeros(G.n, np.int32), np.zeros(G.n, np.uint64), np.full(G.n, -1, np.int32)
    colors[-1] = 3
    lists, flags, words, out = (
        np.zeros(3 * G.n, np.int32),
        np.zeros(G.n, np.uint8),
        np.zeros(26, np.int32),
        np.zeros(12, np.int32),
    )
    rule = 9, 0, 0, 9, 0, 2**40, 0, 2**40, 1, 0, 0, 0
    arrays = colors, state, wish, lists, flags, words
    kernel((1,), (256,), (H.indptr, H.indices, G.n, *arrays, *rule, 1, 3, 99, 2**40, 1, 8, 0, 1, 8, 9, 1, out))
    assert 0 < colors[-1] < 3


# Each with the degree of the last vertex: for the loop of a thread, a warp or a block.
CASES: dict[str, tuple[Callable[[lagcolor.Graph, lagcolor.Graph], Any], int]] = {
    "in_order, low": (in_order_of_degrees, 50),
    "in_order, high": (in_order_of_degrees, 90),
    "in_order, natural": (natural, 50),
    "iterated_greedy": (iterated_greedy, 50),
    "ejection": (ejection, 90),
}


def ended(case: Callable[..., Any], degree: int, last: int) -> str:
    """How a case ended in a process of its own: "" where well."""
    child = os.fork()
    if child == 0:
        try:
            G = graph(degree)
            case(G, raised(G, last))
            os._exit(0)
        except emulated.EmulatorError as e:
            os._exit(OVERFLOW if "signed overflow" in str(e) else 1)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status):
        return {0: "", OVERFLOW: "trap"}.get(os.WEXITSTATUS(status), "error")
    return "crash"


def main(lasts: list[int]) -> dict[str, list[str]]:
    """How each case ended, for each last offset."""
    with emulated.emulated_gpu():
        return {name: [ended(*case, last) for last in lasts] for name, case in CASES.items()}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
