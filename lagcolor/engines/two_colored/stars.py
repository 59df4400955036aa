"""What star coloring forbids: colors that would make a path on four vertices with two colors.

- v inside: v has two neighbors of one color; then all colors around these two;
- v at its end: v – w – x – y, where y has the color of w; then the color of x.

The paper keeps the star of each edge and its hub, and walks two hops for the second case. Here each vertex w keeps the
set that this case forbids (HUBS): colors of its neighbors x that have another neighbor of the color of w. So one hop is
enough while sets of colors fit in a word. A set changes at most once per edge, and only where a color comes to be
around a vertex for the second time, when the first vertex of that color is looked for.

Past 64 colors there is a byte per stored entry instead: (w, x) is set if x is the hub of the star of that edge, so has
another neighbor of the color of w.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.device.intrinsics import fetch_or

ONE32 = np.uint32(1)
ZERO = np.uint64(0)
SHIFT = np.uint64(2)  # four words per vertex
# Words after the color: colors around the vertex; see above; colors on two or more of its neighbors.
NEAR, HUBS, MANY = np.uint64(1), np.uint64(2), np.uint64(3)


@njit(cache=True, nogil=True, inline="always")
def beside_hubs(indptr: Any, indices: Any, state: Any, v: Any, many: Any) -> Any:
    """The colors that would be in a path on four vertices with v; `many`: those of two neighbors or more."""
    taken = ZERO
    e = indptr[v]
    while e < indptr[v + ONE32]:
        w = np.uint64(indices[e]) << SHIFT
        taken |= state[w | NEAR] if state[w] & many else state[w | HUBS]
        e += ONE32
    return taken


@njit(cache=True, nogil=True, inline="always")
def place(walk: Any, state: Any, v: Any, color: Any, near: Any, many: Any, threads: Any) -> None:
    """Give v a color, and keep the sets of its neighbors; with `threads`, others may add to HUBS as well."""
    indptr, indices = walk.indptr, walk.indices
    hubs = ZERO
    e = indptr[v]
    end = indptr[v + ONE32]
    while e < end:
        w = np.uint64(indices[e]) << SHIFT
        bit = np.uint64(state[w])
        e += ONE32
        if bit == ZERO:
            continue
        if state[w | NEAR] & color:
            hubs |= bit
            if state[w | MANY] & color == ZERO:
                state[w | MANY] |= color
                f = indptr[indices[e - ONE32]]
                while state[np.uint64(indices[f]) << SHIFT] != color:
                    f += ONE32
                add(state, (np.uint64(indices[f]) << SHIFT) | HUBS, bit, threads)
        else:
            state[w | NEAR] |= color
        if bit & many:
            add(state, w | HUBS, color, threads)
    at = np.uint64(v) << SHIFT
    state[at] = color
    state[at | NEAR] = near
    state[at | MANY] = many
    state[at | HUBS] = hubs


@njit(cache=True, nogil=True, inline="always")
def add(state: Any, at: Any, bit: Any, threads: Any) -> None:
    """Set a bit of a word, atomically with `threads`."""
    if threads is None:
        state[at] |= bit
    else:
        fetch_or(state, at, state.dtype.type(bit))


@njit(cache=True, nogil=True, inline="always")
def entry(indptr: Any, indices: Any, u: Any, v: Any) -> Any:
    """Place of v in the sorted row of u, which has it."""
    low = indptr[u]
    high = indptr[u + ONE32]
    while high - low > ONE32:
        middle = low + ((high - low) >> ONE32)
        if indices[middle] <= v:
            low = middle
        else:
            high = middle
    return low
