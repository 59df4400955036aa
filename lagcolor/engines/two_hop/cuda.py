"""First-fit of vertices in nets on a GPU: by bits of nets (net_bits.py), or where these are large as in first_fit.cu.

There vertices are drawn in their order, each by a warp, which looks at all vertices of its nets. With bits rmat:20
takes 22 ms at distance 2 by id on one H200, and that way 226; but nets of many colors have many bits.

==========  ==================================================================
sequence    vertices, first colored first; None: by id
state       a color, or 2³² − 1 less the place of a vertex that has none
head        how many vertices have been drawn
==========  ==================================================================

Device memory in addition to the nets and their members: 4 bytes per vertex there, the colors themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...graph.nets import Nets, csr, offsets_of
from . import net_bits

SOURCE = dev.Source(__file__, "first_fit.cu", BLOCK=128, STATE_BITS=32)
WARP = 32
GROUPS = (4, 8, 32)  # lanes that read a net; four entries per lane at a time
FLIPPED = np.uint32(2**32 - 1)  # the state of a vertex without a color is this less its place


def first_fit_in_nets(nets: Nets, sequence: Any = None) -> Any:
    """Colors of sequential first-fit."""
    colors = net_bits.first_fit_by_bits(nets, sequence) if net_bits.fits(nets) else None
    return _drawn(nets, sequence) if colors is None else colors


def _drawn(nets: Nets, sequence: Any) -> Any:
    """Two hops per vertex, whatever the sizes of the nets."""
    cp, n = dev.cupy(), nets.n
    state = cp.empty(n, np.uint32)
    if n == 0:
        return state.view(np.int32)
    run = SOURCE.of(offsets_of(nets), GROUP=_group(nets))
    order, head = 0 if sequence is None else sequence, cp.zeros(1, np.uint32)
    run.launch("set_places", n, np.int64(n), order, FLIPPED, state)
    most = run.resident("color_in_nets")
    run.launch("color_in_nets", n * WARP, np.int64(n), order, *csr(nets), head, state, most=most)
    return state.view(np.int32)


def _group(nets: Nets) -> int:
    """Lanes per net: as many as a quarter of a mean net has vertices, at least."""
    mean = nets.m / max(nets.of_vertices.columns, 1)
    return next((lanes for lanes in GROUPS if mean <= 2 * lanes), GROUPS[-1])
