"""Degrees at distance 2 on a GPU: a warp or a block per vertex, as in two_hop_degrees.cu.

Device memory in addition to the nets and their members: 8 bytes per vertex, with the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..graph.nets import Nets, csr, offsets_of

SOURCE = dev.Source(__file__, "two_hop_degrees.cu", BLOCK=128)
WARP = 32
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
    slots = SLOTS[0] if 2 * around <= SLOTS[0] else SLOTS[1]
    group = next((lanes for lanes in GROUPS if mean <= 2 * lanes), GROUPS[-1])
    run, args = SOURCE.of(offsets_of(nets), SLOTS=slots, GROUP=group), (np.int64(n), *csr(nets))
    length, head = cp.zeros(1, np.uint32), cp.zeros(1, np.uint32)
    run.launch("count_few", n * WARP, *args, out, many, length, most=8 * run.resident("count_few"))
    blocks = run.resident("count_many", block=MANY)
    run.launch("count_many", (blocks,), *args, many, length, head, out, block=MANY)
    return out
