"""What settle.cu does, launched: first-fit again after a change, rows that differ, and pairs of one color.

==========  =================================================================================
list        two lists of vertices in turn
mark        the last round that has a vertex
counts      lengths of lists of three rounds in turn
==========  =================================================================================

Device memory beside the graph and the colors: 12 bytes per vertex, for `conflicts` 8 per pair.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...core.graph import Graph
from ...core.nets import Structure, csr, offsets_of
from ...device.cooperative import launch_cooperative
from .turns import Turns

SOURCE = Path(__file__).with_name("settle.cu")
BLOCK = 128
LONG = 2048  # degree from which a block has a row
PAIRS = 4096  # of one color, for which there is room at first
BLOCKS = 2  # per multiprocessor: lists are short, and more blocks make each barrier slower


def settle_on_gpu(H: Any, turns: Turns, colors: Any, vertices: Any, most: int) -> tuple[int, int] | None:
    """As `settle`: visits and rounds, or None."""
    cp = dev.cupy()
    n, k = H.n, len(vertices)
    if k == 0:
        return 0, 0
    kernel = dev.kernel(SOURCE, "settle", **_macros(H, BLOCK if H.patterns[-1].max_degree >= LONG else 32))
    items, mark = cp.empty(2 * n, np.int32), cp.zeros(n, np.uint32)
    items[n : n + k] = vertices
    mark[vertices] = 1
    state = cp.zeros(3 + 1, np.uint32)  # counts, and blocks that arrived
    state[1] = k
    found = cp.zeros(3, np.uint64)
    place = turns.place if len(turns.place) else 0
    rule = np.int32(turns.kind), turns.word, place
    args = (np.int64(n), np.uint64(most), *csr(H, 0), *rule, items, state, mark, colors, found, state[3:])
    launch_cooperative(cp, kernel, BLOCK, -(-n * 32 // BLOCK), args, BLOCKS)
    rounds, visits, given_up = (int(x) for x in found.get())
    return None if given_up else (visits, rounds)


def differing_rows(a: Graph, b: Graph) -> Any:
    """The vertices of both graphs, on one GPU, whose rows differ: int32, rising."""
    cp, n = dev.cupy(), min(a.n, b.n)
    items, count = cp.empty(n, np.int32), cp.zeros(1, np.uint32)
    if n == 0:
        return items
    offsets = np.result_type(a.indptr.dtype, b.indptr.dtype)
    macros = {"OFFSET_BITS": 8 * offsets.itemsize, "BLOCK": BLOCK, "GROUP": 32, "HOPS": 1}
    rows = [x for g in (a, b) for x in (g.indptr.astype(offsets, copy=False), g.indices)]
    dev.kernel(SOURCE, "differing_rows", **macros)(_grid(n), (BLOCK,), (np.int64(n), *rows, items, count))
    return cp.sort(items[: int(count[0])])


def conflicts_on_gpu(H: Structure, colors: Any, vertices: Any = None) -> np.ndarray:
    """Pairs of one color that constrain each other, some twice, one of `vertices` (None: all): int32, (pairs, 2)."""
    cp = dev.cupy()
    n = H.n if vertices is None else len(vertices)
    room, kernel = PAIRS, dev.kernel(SOURCE, "conflicts", **_macros(H, 32))
    while n:
        pairs, count = cp.empty((room, 2), np.int32), cp.zeros(1, np.uint32)
        args = (np.int64(n), 0 if vertices is None else vertices, *csr(H, 0), colors, np.uint32(room), pairs, count)
        kernel(_grid(n), (BLOCK,), args)
        found = int(count[0])
        if found <= room:
            return pairs[:found].get()
        room = found
    return np.empty((0, 2), np.int32)


def _macros(H: Structure, group: int) -> dict[str, int]:
    return {"OFFSET_BITS": 8 * offsets_of(H).itemsize, "BLOCK": BLOCK, "GROUP": group, "HOPS": H.hops}


def _grid(groups: int) -> tuple[int]:
    return (-(-groups * 32 // BLOCK),)
