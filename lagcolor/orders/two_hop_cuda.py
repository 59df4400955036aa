"""Degrees at distance 2 on a GPU: a warp or a block per vertex, as in two_hop_degrees.cu.

Device memory in addition to the nets and their members: 8 bytes per vertex, with the result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..base import device as dev
from ..graph.nets import Nets, csr, offsets_of

SOURCE = Path(__file__).with_name("two_hop_degrees.cu")
BLOCK, WARP = 128, 32
MANY = 512  # threads that count around one vertex with many entries in its nets
SLOTS = (256, 2048)  # of a warp's table
GROUPS = (4, 8, 32)  # lanes that read a net


def degrees(nets: Nets) -> Any:
    """Other vertices that share a net with each, counted once."""
    cp, n = dev.cupy(), nets.n
    out, many = cp.empty(n, np.int32), cp.empty(n, np.int32)
    if n == 0:
        return out
    mean = nets.m / max(nets.of_vertices.columns, 1)
    around = nets.members.degree_extremes.squares / n if nets.m else 0  # entries of the nets of a vertex
    macros = {
        "OFFSET_BITS": 8 * offsets_of(nets).itemsize,
        "BLOCK": BLOCK,
        "SLOTS": SLOTS[0] if 2 * around <= SLOTS[0] else SLOTS[1],
        "GROUP": next((lanes for lanes in GROUPS if mean <= 2 * lanes), GROUPS[-1]),
    }
    few, rest = (dev.kernel(SOURCE, name, **macros) for name in ("count_few", "count_many"))
    args = (np.int64(n), *csr(nets))
    length, head = cp.zeros(1, np.uint32), cp.zeros(1, np.uint32)
    processors = dev.processors(cp.cuda.runtime.getDevice())
    blocks = min(-(-n * WARP // BLOCK), 8 * max(1, few.resident(BLOCK)) * processors)
    few((blocks,), (BLOCK,), (*args, out, many, length))
    rest((max(1, rest.resident(MANY)) * processors,), (MANY,), (*args, many, length, head, out))
    return out
