"""Union-find with parities on one core of a CPU: see two_colors.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.device.compiled import njit

ONE = np.uint32(1)


@njit(cache=True, nogil=True)
def sides(indptr: Any, indices: Any, link: Any) -> bool:
    """Write each vertex's side to `link` (uint32), which serves as links before; False at the first odd cycle."""
    n = np.uint32(link.size)
    v = np.uint32(0)
    while v < n:
        mine = v << ONE  # root of v's tree and the side of v, kept in a register
        alone = True
        for e in range(indptr[v], indptr[v + ONE]):
            u = indices[e]
            if u > v:
                break
            other = link[u]
            side = ONE  # of v, seen from u
            while True:  # ends: an ancestor has a smaller number than its descendants
                above = link[other >> ONE]
                if above >> ONE == other >> ONE:
                    break
                above ^= other & ONE
                link[u] = above
                side ^= above & ONE
                u = above >> ONE
                other = link[u]
            other ^= side
            if alone:
                alone = False
            elif mine >> ONE == other >> ONE:
                if mine != other:
                    return False
                continue
            elif mine >> ONE > other >> ONE:
                link[mine >> ONE] = other ^ (mine & ONE)
            else:
                link[other >> ONE] = mine ^ (other & ONE)
                other = mine
            mine = other
        link[v] = mine
        v += ONE
    for w in range(link.size):  # ancestors come first, and know their root by now
        up = link[w]
        link[w] = link[up >> ONE] ^ (up & ONE) if up >> ONE != w else up
    for w in range(link.size):
        link[w] &= ONE
    return True
