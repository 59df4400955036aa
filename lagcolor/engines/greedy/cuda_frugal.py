"""First-fit in any order on a GPU with little memory: 8 bytes a vertex, the sequence and the colors among them.

A warp draws the next vertex of the sequence and reads its row once (first_fit_high.cu): what it waits for was drawn
before it, hence a running warp has it in hand. A warp is much for a vertex of low degree, and as much as a hub gets, so
that the ways that take more memory are faster.

==========  =================================================================================
sequence    vertices, first colored first
state       a color or 2³² − 1 less the place of the vertex (first_fit.cuh), 4 bytes a vertex
==========  =================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...graph import Graph
from .cuda import HIGH

BLOCK, WARPS = 256, 8  # threads a block, vertices that it colors at a time
LATEST = np.uint32(2**31)  # the state of a vertex that is in no sequence: later than all that are


def first_fit_in_sequence(G: Graph, sequence: Any, colors: Any = None) -> Any:
    """Colors of sequential first-fit.

    Parameters
    ----------
    G : Graph
        On a GPU.
    sequence : array of int32, shape (k,)
        Vertices, none twice, first colored first, on the same device.
    colors : array of int32, shape (n,), optional
        Of vertices that are not in the sequence; −1 for none, who constrain nobody.

    Returns
    -------
    array of int32, shape (n,)
    """
    cp, n = dev.cupy(), G.n
    k, ticket = len(sequence), cp.zeros(1, np.uint32)
    if colors is not None:
        state = cp.where(colors < 0, LATEST, colors).astype(np.uint32)
    else:
        state = cp.empty(n, np.uint32) if k == n else cp.full(n, LATEST, np.uint32)
    if k == 0:
        return _public(cp, state)
    macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "STATE_BITS": 32, "GROUP": 32}
    set_turns, color = (dev.kernel(HIGH, name, **macros) for name in ("set_turns", "color_high"))
    set_turns((-(-k // BLOCK),), (BLOCK,), (np.int32(k), sequence, state))
    properties = cp.cuda.Device(cp.cuda.runtime.getDevice()).attributes
    most = int(properties["MultiProcessorCount"]) * int(properties["MaxThreadsPerMultiProcessor"]) // BLOCK
    args = (np.int32(0), np.int32(k), sequence, G.indptr, G.indices, ticket, state)
    color((min(-(-k // WARPS), most),), (BLOCK,), args)
    return state.view(np.int32) if k == n else _public(cp, state)


def _public(cp: Any, state: Any) -> Any:
    """Colors of states, −1 for vertices without one."""
    return cp.where(state >= LATEST, np.int32(-1), state.view(np.int32)).astype(np.int32)
