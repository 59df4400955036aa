"""The longest chain that crosses partitions: what bounds the number of rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.nets import Structure, csr
from ..device.compiled import njit
from ..engines.changes.settle import ROOM, around


def longest_chain(H: Structure, place: np.ndarray, owner: np.ndarray, core: np.ndarray) -> int:
    """The most edges between partitions on a chain of ever later vertices, none of which is in the core.

    Parameters
    ----------
    H : Structure
        The whole, on the CPU.
    place : array of int32, shape (n,)
        Positions in the order.
    owner : array of int32, shape (n,)
    core : array of bool, shape (n,)
    """
    sequence = np.empty(len(place), np.int32)
    sequence[place] = np.arange(len(place), dtype=np.int32)
    nets, net, members, member, closed = csr(H)
    # Offsets of one type, and all read-only, for one compiled loop.
    nets, members = (None if a is None else _plain(a.astype(np.int64)) for a in (nets, members))
    depth, room, begin = np.zeros(len(place), np.int32), np.empty(ROOM, np.int32), 0
    while begin < len(place):
        begin, needs = _walk(
            nets, _plain(net), members, member, closed, place, owner, core, sequence, begin, room, depth
        )
        room = np.empty(2 * needs, np.int32)
    return int(depth.max(initial=0))


def _plain(a: np.ndarray) -> np.ndarray:
    view = a.view()
    view.flags.writeable = False
    return view


@njit(cache=True, nogil=True)
def _walk(
    nets: Any, net: Any, members: Any, member: Any, closed: Any, place: Any, owner: Any, core: Any, sequence: Any,
    begin: Any, room: Any, depth: Any,
) -> Any:  # fmt: skip
    """The depth of a vertex is the most over earlier neighbors, one more where these are elsewhere.

    From position `begin` on; returns where it stopped for lack of room for neighbors, and how much it must have.
    """
    for k in range(begin, sequence.size):
        v = np.int64(sequence[k])
        if core[v]:
            continue
        count = around(v, nets, net, members, member, closed, room)
        if count > room.size:
            return k, count
        most = np.int32(0)
        for i in range(count):
            u = room[i]
            if place[u] < place[v] and not core[u]:
                deep = depth[u] + np.int32(owner[u] != owner[v])
                if deep > most:
                    most = deep
        depth[v] = most
    return sequence.size, np.int64(0)
