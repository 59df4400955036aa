"""Acyclic coloring on a GPU, in rounds: launches of speculative.cu. What a round is: speculative.py.

==========  ==================================================================
sequence    vertices, first colored first; None: by id
place       of each vertex in it, −1 for vertices that are not; None: its id
color       the result; −2 − c before a vertex keeps the color c
pending     per vertex: earlier neighbors without a color
beside, up  per entry: elements of trees, and the element that each is under
claims      hash table of the trees that vertices of a round want to unite
==========  ==================================================================

Device memory beside the graph: 8 bytes per stored entry (12 with 64-bit offsets), and 20 to 24 bytes per vertex by id,
4 more in another order. Tables for hubs take up to 5 more (64-bit offsets: 9), or 20 bytes (36) per neighbor of the
largest hub, if that is more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import device as dev
from ...device.cooperative import launch_cooperative
from ...graph import Graph
from ...result import Log
from ..worklists import BLOCK, CLASSES, NULL, ROUNDS, ROW

SOURCE = Path(__file__).with_name("speculative.cu")
THREAD_MOST, WARP_MOST = 256, 2048  # largest degrees of the tables of a warp and of a block
BLOCKS = 2  # per multiprocessor, at most: more of them make each barrier slower
WARPS = BLOCK // 32
CLAIMS = 1024  # places for claims, at least


def speculative_acyclic(
    G: Graph, sequence: Any = None, rows: int = 0, neutral: Any = None, log: Log | None = None
) -> Any:  # fmt: skip
    """An acyclic coloring, the same on every run.

    Parameters
    ----------
    G : Graph
        On a GPU, the current device.
    sequence : array of int32, optional
        The vertices to color, first colored first, on the same device; None: all, by id.
    rows : int
        If not 0, the graph is bipartite, vertices below have even colors and the others odd ones.
    neutral : array of bool, shape (n,), optional
        Vertices that have no color (−1), and all of whose neighbors have different ones; not in the sequence.
    log : Log, optional
        Gets a row per round.

    Returns
    -------
    array of int32, shape (n,)
        −1 for vertices that are not in the sequence.

    Raises
    ------
    DeviceError
        The device has no cooperative launches.
    MemoryError
        The device has none left.
    """
    cp, n = dev.cupy(), G.n
    color = cp.empty(n, np.int32)
    if n == 0:
        return color
    place: Any = NULL
    if sequence is None:
        sequence = NULL
    else:
        place = cp.full(n, -1, np.int32)
        place[sequence] = cp.arange(len(sequence), dtype=np.int32)
    claims = cp.full(places_for_claims(n), -1, np.int64).view(np.uint64)
    sets = cp.empty(G.m, np.int32), cp.empty(G.m, G.indptr.dtype)
    left_out = NULL if neutral is None else neutral.view(np.uint8)
    order = sequence, place, left_out, np.int32(rows)
    graph = (G.indptr, G.indices, *order, color, cp.empty(n, np.int32), *sets, claims, np.uint32(len(claims) - 1))
    lists, state = _lists(G), cp.zeros(ROW * (ROUNDS + 1) + 2, np.int32)
    _kernel(G, "begin_all")((min(-(-n // WARPS), 1 << 13),), (BLOCK,), (*graph, *lists, state))
    _rounds(G, (*graph, *lists), state, Log() if log is None else log)
    return color


def places_for_claims(n: int) -> int:
    """Size of the hash table of claims: part of the algorithm, since two claims to one place are one."""
    return max(CLAIMS, 1 << (n - 1).bit_length() >> 1)


def _kernel(G: Graph, name: str) -> Any:
    macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "THREAD_MOST": THREAD_MOST, "WARP_MOST": WARP_MOST}
    return dev.kernel(SOURCE, name, **macros)


def _lists(G: Graph) -> tuple[Any, ...]:
    """The parameters LIST_PARAMETERS of worklists.cuh: two lists with room for all vertices of each class."""
    middle = hubs = 0
    if G.max_degree > THREAD_MOST:
        middle, hubs = min(G.n, G.m // (THREAD_MOST + 1)), min(G.n, G.m // (WARP_MOST + 1))
    stride = G.n + middle + hubs
    items = dev.cupy().empty(2 * stride, np.int32)
    return NULL, items, np.int64(G.n), np.int64(G.n + middle), np.int64(stride), np.int32(G.n)


def _tables(G: Graph) -> tuple[Any, ...]:
    """Global memory for the roots around hubs, of as many blocks as 4 bytes per vertex allow, or of one."""
    cp, most = dev.cupy(), G.max_degree
    if most <= WARP_MOST:
        return NULL, NULL, np.int64(0), np.int64(0), np.int32(1)
    places = 1 << (2 * most - 1).bit_length()
    blocks = max(1, min(BLOCKS * dev.processors(cp.cuda.runtime.getDevice()), G.n // (4 * most)))
    keys, least = cp.empty(blocks * places, G.indptr.dtype), cp.empty(blocks * most, np.int32)
    return keys, least, np.int64(places), np.int64(most), np.int32(blocks)


def _rounds(G: Graph, args: tuple[Any, ...], state: Any, log: Log) -> None:
    """Launches of up to `ROUNDS` rounds each, until no vertex is ready."""
    cp, kernel, tables = dev.cupy(), _kernel(G, "color_rounds"), _tables(G)
    first, arrived, at = 1, state[-2:-1], state[-1:]
    blocks = -(-G.n // WARPS)
    while True:
        given = (*args, np.int32(first), np.int32(ROUNDS), state, arrived, at, *tables)
        launch_cooperative(cp, kernel, BLOCK, blocks, given, BLOCKS)
        rows = cp.asnumpy(state)[:-2].reshape(ROUNDS + 1, ROW)
        ready = rows[:, :CLASSES].sum(axis=1)
        done = ROUNDS if ready[:-1].all() else int(np.argmin(ready))
        for active, lost in zip(ready[:done].tolist(), rows[:done, CLASSES].tolist(), strict=True):
            log.round(active=active, colored=active - lost, conflicts=lost, ms=None)
        first += done
        if not ready[done]:
            return
        state.fill(0)
        state[:CLASSES] = cp.asarray(rows[done, :CLASSES])
