"""Any order on several GPUs: each GPU takes its vertices in the order of all, whose places are computed before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.several import Launch, each, marks, share, wait
from ...engines.greedy.cuda_sequence import HEAD, LOW, NO_LIMIT, PLACES, SOURCE, WARP
from ...graph.graph import Graph
from ...orders import Priorities
from .parts import Distributed, Done, colored


def order(D: Distributed, name: Any, seed: int | None) -> list[tuple[Any, Any]]:
    """Return for each part its vertices in the order (global ids), and their places in the order of all: int32.

    The first GPU computes the order, from the degrees of all vertices.
    """
    cp, home = dev.cupy(), D.devices[0]
    with cp.cuda.Device(home):
        degrees = cp.concatenate([dev.to_device(_degrees(part), f"cuda:{home}") for part in D.parts])
        indptr = cp.concatenate([cp.zeros(1, np.int64), cp.cumsum(degrees.astype(np.int64))])
        del degrees
        sequence = Priorities.of(Graph(indptr, cp.empty(0, np.int32)), name, seed=seed).sequence
        places = [cp.flatnonzero((sequence >= p.first) & (sequence < p.last)).astype(np.int32) for p in D.parts]
        mine = [(sequence[at], at) for at in places]
        cp.cuda.get_current_stream().synchronize()
    out = each(D.devices, lambda i, device: tuple(dev.to_device(a, f"cuda:{device}") for a in mine[i]))
    wait(D.devices)  # memory on the first GPU can be freed after it is copied
    return out


def _degrees(part: Any) -> Any:
    with dev.cupy().cuda.Device(part.device):
        out = dev.cupy().diff(part.indptr)
        dev.cupy().cuda.get_current_stream().synchronize()
        return out


def color(D: Distributed, ordered: list[tuple[Any, Any]]) -> Done:
    """Return the colors of each part, in an order that `order` has returned."""
    cp, states = dev.cupy(), D.states(np.uint32)

    def begin(i: int, device: int) -> Launch:
        part, (sequence, places) = D.parts[i], ordered[i]
        run = SOURCE.of(part.indptr, SYSTEM=1)
        n, first, grid = np.int64(part.n), np.int32(part.first), (-(-part.n // PLACES),)
        head, counts = cp.zeros(HEAD // 8, np.uint64), cp.empty(grid[0], np.int32)
        listed = cp.empty(min(part.n, part.m // LOW), np.int32)
        state = states.arrays[i]
        if len(listed):
            run.launch("find_high", grid, n, part.indptr, head)
        run.launch("set_places", grid, n, sequence, places, part.indptr, head, counts, state, first)
        if len(listed):
            run.launch("list_high", grid, n, sequence, part.indptr, head, counts, listed, first)
        running = share(D.devices, i, run.resident("color_in_sequence"))
        m = np.int64(max(part.m, 1))
        graph = (part.indptr, part.indices, head, state, first, states.tables[i])
        args = (n, m, sequence, places, listed, NO_LIMIT, *graph)
        blocks = min(-(-part.n * WARP // run.block), running)
        return Launch(device, run.kernel("color_in_sequence"), blocks, run.block, args)

    begun = marks(D.devices)
    return colored(D, begun, states, each(D.devices, begin))
