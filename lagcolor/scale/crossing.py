"""The longest chain that crosses partitions: what bounds the number of rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.compiled import njit
from ..engines.changes.settle import around, arrays


def longest_chain(H: Any, place: np.ndarray, owner: np.ndarray, core: np.ndarray) -> int:
    """The most edges between partitions on a chain of ever later vertices, none of which is in the core.

    Parameters
    ----------
    H : Graph or Hops
        The whole, on the CPU.
    place : array of int32, shape (n,)
        Positions in the order.
    owner : array of int32, shape (n,)
    core : array of bool, shape (n,)
    """
    sequence = np.empty(len(place), np.int32)
    sequence[place] = np.arange(len(place), dtype=np.int32)
    nets, net, members, member, closed = arrays(H)
    # Offsets of one type, and writable, for one compiled loop.
    offsets = nets.astype(np.int64), None if members is None else members.astype(np.int64)
    return int(_walk(offsets[0], net, offsets[1], member, closed, place, owner, core, sequence))


@njit(cache=True, nogil=True)
def _walk(
    nets: Any, net: Any, members: Any, member: Any, closed: Any, place: Any, owner: Any, core: Any, sequence: Any
) -> Any:
    """The largest depth: that of a vertex is the most over earlier neighbors, one more where these are elsewhere."""
    depth, room, longest = np.zeros(place.size, np.int32), np.empty(64, np.int32), np.int32(0)
    for v in sequence:
        if core[v]:
            continue
        count, room = around(np.int64(v), nets, net, members, member, closed, room)
        most = np.int32(0)
        for i in range(count):
            u = room[i]
            if place[u] < place[v] and not core[u]:
                most = max(most, depth[u] + np.int32(owner[u] != owner[v]))
        depth[v] = most
        longest = max(longest, most)
    return longest
