"""Degrees at distance 2 on a GPU: a warp or a block per vertex, as in two_hop_degrees.cu.

Device memory beside the nets and their members: 8 bytes per vertex, with the result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .. import device as dev
from ..core.nets import Hops

SOURCE = Path(__file__).with_name("two_hop_degrees.cu")
BLOCK, WARP = 128, 32
MANY = 512  # threads that count around one vertex with many entries in its nets
SLOTS = (256, 2048)  # of a warp's table
GROUPS = (4, 8, 32)  # lanes that read a net


def degrees(H: Hops) -> Any:
    """Other vertices that share a net with each, counted once.

    Parameters
    ----------
    H : Hops
        On a GPU, the current device.

    Returns
    -------
    array of int32, shape (n,)
    """
    cp, n = dev.cupy(), H.n
    out, many = cp.empty(n, np.int32), cp.empty(n, np.int32)
    if n == 0:
        return out
    nets, members = H.nets, H.members
    offsets = np.result_type(nets.indptr.dtype, members.indptr.dtype)
    mean = H.m / max(nets.columns, 1)
    around = float((members.degrees.astype(np.float64) ** 2).sum()) / n  # entries of the nets of a vertex
    macros = {
        "OFFSET_BITS": 8 * offsets.itemsize,
        "BLOCK": BLOCK,
        "SLOTS": SLOTS[0] if 2 * around <= SLOTS[0] else SLOTS[1],
        "GROUP": next((lanes for lanes in GROUPS if mean <= 2 * lanes), GROUPS[-1]),
    }
    few, rest = (dev.kernel(SOURCE, name, **macros) for name in ("count_few", "count_many"))
    of_vertices, of_nets = (pattern.indptr.astype(offsets, copy=False) for pattern in (nets, members))
    args = (np.int64(n), of_vertices, nets.indices, of_nets, members.indices, np.int32(H.closed))
    length, head = cp.zeros(1, np.uint32), cp.zeros(1, np.uint32)
    processors = dev.processors(cp.cuda.runtime.getDevice())
    blocks = min(-(-n * WARP // BLOCK), 8 * max(1, few.resident(BLOCK)) * processors)
    few((blocks,), (BLOCK,), (*args, out, many, length))
    rest((max(1, rest.resident(MANY)) * processors,), (MANY,), (*args, many, length, head, out))
    return out
