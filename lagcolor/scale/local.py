"""What one partition holds: its own vertices, the ghosts that they need, and which of its colors the others need.

Vertex v needs the colors of its earlier neighbors, and no others. So a ghost is a vertex of another partition that is
*earlier* than one of the partition's own that it constrains; later ones are left out, with their entries. Both sides
find that out by the same comparison, each from its own rows: the ghosts of p that q owns are what q sends to p, in the
order of their ids.

At distance 2, and for columns and rows, vertices constrain each other through nets (`lagcolor.core.nets.Nets`): the
partition has all nets of its vertices, and of these the members that are its own, or earlier than one that is.

Local numbers: own vertices 0 … by id, then ghosts by owner and id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.graph import Graph
from ..core.nets import Nets
from ..core.pattern import Pattern
from .keys import GlobalOrder, Keys
from .partition import OwnerOf

RowsOf = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # ids → offsets and columns of their rows


@dataclass(frozen=True)
class Shard:
    """What is read of the whole for one partition, by global ids (int64).

    Attributes
    ----------
    ids : array of int64
        The partition's own vertices, rising.
    indptr, indices : array of int64
        Their neighbors, or the nets that they are in.
    nets : array of int64, optional
        At distance 2: the ids of these nets, rising.
    net_indptr, members : array of int64, optional
        The vertices in them.
    """

    ids: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    nets: np.ndarray | None = None
    net_indptr: np.ndarray | None = None
    members: np.ndarray | None = None


@dataclass(frozen=True)
class Partition:
    """One partition, ready to be solved.

    Attributes
    ----------
    rank, parts : int
    ids : array of int64
        Global ids, rising among the own vertices.
    own : int
        How many vertices are its own; the others are ghosts.
    H : Structure
        By local numbers. A row of a ghost has own vertices alone.
    keys : Keys
        Of all of `ids`.
    place : array of int32
        Position in the order, of all of `ids`: the smaller is earlier.
    sequence : array of int32
        Own vertices, the earliest first.
    ghosts : dict from rank to slice
        The local numbers of the ghosts that this rank owns.
    sends : dict from rank to array of int32
        Own vertices whose colors this rank needs, by id.
    """

    rank: int
    parts: int
    ids: np.ndarray
    own: int
    H: Any
    keys: Keys
    place: Any
    sequence: Any
    ghosts: dict[int, slice]
    sends: dict[int, Any]

    @property
    def boundary(self) -> int:
        """Ghosts: how many colors come from others."""
        return len(self.ids) - self.own

    def local(self, ids: np.ndarray) -> np.ndarray:
        """The local numbers of global ids, −1 of those that are not here: int32."""
        order = np.argsort(self.ids)
        if not len(order):
            return np.full(len(ids), -1, np.int32)
        at = np.minimum(np.searchsorted(self.ids, ids, sorter=order), len(order) - 1)
        found = order[at]
        return np.where(self.ids[found] == ids, found, -1).astype(np.int32)

    def on(self, device: str) -> Partition:
        """The same with the arrays that coloring reads on another device; ids and keys stay on the CPU."""
        from .. import device as dev

        def moved(a: Any) -> Any:
            return dev.to_device(a, device)

        sends = {q: moved(a) for q, a in self.sends.items()}
        arrays = self.H.on(device), self.keys, moved(self.place), moved(self.sequence)
        return Partition(self.rank, self.parts, self.ids, self.own, *arrays, self.ghosts, sends)


def through_nets(
    ids: np.ndarray, indptr: np.ndarray, indices: np.ndarray, members_of: RowsOf, closed: bool
) -> Shard:  # fmt: skip
    """A shard of vertices that constrain each other through nets."""
    if closed:
        indptr, indices = _with_own(indptr, indices, ids)
    nets = np.unique(indices)
    net_indptr, members = members_of(nets)
    if closed:
        net_indptr, members = _with_own(net_indptr, members, nets)
    return Shard(ids, indptr, indices, nets, net_indptr, members)


def build(rank: int, parts: int, own: Shard, owner_of: OwnerOf, order: GlobalOrder) -> Partition:
    """The partition of a shard."""
    every = np.unique(np.concatenate([own.ids, own.indices if own.members is None else own.members]))
    keys = order.keys(every)
    around = _Around(rank, own, every, owner_of(every), keys.places(), np.searchsorted(every, own.ids))
    kept, pairs = around.by_edges() if own.members is None else around.by_nets()
    ghosts = np.unique(kept.column[around.owner[kept.column] != rank])
    ghosts = ghosts[np.lexsort((ghosts, around.owner[ghosts]))]
    held = np.concatenate([around.mine, ghosts])
    number = np.full(len(every), -1, np.int64)
    number[held] = np.arange(len(held))
    k = len(own.ids)
    H = kept.graph(number, len(held), k) if own.nets is None else kept.hops(number, len(held), len(own.nets))
    place = around.place[held]
    slices = {q: slice(k + a, k + b) for q, a, b in _groups(around.owner[ghosts])}
    sends = {q: pairs[a:b, 1].astype(np.int32) for q, a, b in _groups(pairs[:, 0])}
    sequence = np.argsort(place[:k]).astype(np.int32)
    found = Keys(keys.major[held], keys.minor[held])
    return Partition(rank, parts, every[held], k, H, found, place, sequence, slices, sends)


@dataclass(frozen=True)
class _Entries:
    """Entries that a partition keeps: row (local number of an own vertex, or of a net) and column (in `every`)."""

    row: np.ndarray
    column: np.ndarray

    def graph(self, number: np.ndarray, size: int, own: int) -> Graph:
        """The symmetric graph on local numbers."""
        row, column = self.row, number[self.column]
        ghost = column >= own
        return Graph(*_csr(np.append(row, column[ghost]), np.append(column, row[ghost]), size))

    def hops(self, number: np.ndarray, size: int, nets: int) -> Nets:
        """Vertices and nets on local numbers."""
        vertex = number[self.column]
        there, back = _csr(vertex, self.row, size), _csr(self.row, vertex, nets)
        return Nets(Pattern(*there, nets), Pattern(*back, size))


@dataclass(frozen=True)
class _Around:
    """A shard and all vertices that constrain its own: `every`, with owner and place; `mine` are its own among them."""

    rank: int
    own: Shard
    every: np.ndarray
    owner: np.ndarray
    place: np.ndarray
    mine: np.ndarray

    def by_edges(self) -> tuple[_Entries, np.ndarray]:
        """Entries kept, and pairs (rank, own vertex that it needs), rising."""
        row = np.repeat(np.arange(len(self.own.ids)), np.diff(self.own.indptr))
        column = np.searchsorted(self.every, self.own.indices)
        inside = self.owner[column] == self.rank
        earlier = self.place[column] < self.place[self.mine[row]]
        needed = ~inside & ~earlier
        keep = inside | earlier
        return _Entries(row[keep], column[keep]), _pairs(self.owner[column[needed]], row[needed])

    def by_nets(self) -> tuple[_Entries, np.ndarray]:
        """The same through nets: of each net and partition the latest member decides what that partition needs."""
        assert self.own.members is not None and self.own.nets is not None and self.own.net_indptr is not None
        net = np.repeat(np.arange(len(self.own.nets)), np.diff(self.own.net_indptr))
        column = np.searchsorted(self.every, self.own.members)
        owner, place = self.owner[column], self.place[column]
        by_group = np.lexsort((owner, net))
        g_net, g_owner = net[by_group], owner[by_group]
        new = np.ones(len(g_net), bool)
        new[1:] = (g_net[1:] != g_net[:-1]) | (g_owner[1:] != g_owner[:-1])
        starts = np.flatnonzero(new)
        latest = np.maximum.reduceat(place[by_group], starts) if len(starts) else place
        g_net, g_owner = g_net[starts], g_owner[starts]
        own = np.full(len(self.own.nets), -1, np.int64)
        own[g_net[g_owner == self.rank]] = latest[g_owner == self.rank]
        inside = owner == self.rank
        keep = inside | (place < own[net])
        other = g_owner != self.rank
        pairs = self._needed(net[inside], column[inside], g_net[other], g_owner[other], latest[other])
        return _Entries(net[keep], column[keep]), pairs

    def _needed(
        self, net: np.ndarray, column: np.ndarray, g_net: np.ndarray, g_owner: np.ndarray, latest: np.ndarray
    ) -> np.ndarray:
        """Pairs (rank, own vertex): each own member of a net, with each partition that has a later one there."""
        assert self.own.nets is not None
        counts = np.bincount(net, minlength=len(self.own.nets))
        starts = np.cumsum(counts) - counts
        sizes = counts[g_net]
        group = np.repeat(np.arange(len(g_net)), sizes)
        within = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        member = column[starts[g_net[group]] + within]
        earlier = self.place[member] < latest[group]
        return _pairs(g_owner[group[earlier]], np.searchsorted(self.mine, member[earlier]))


def _with_own(indptr: np.ndarray, indices: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same rows, each with its own id as one more entry."""
    return indptr + np.arange(len(indptr)), np.insert(indices, indptr[1:], ids)


def _pairs(rank: np.ndarray, vertex: np.ndarray) -> np.ndarray:
    """Pairs, each once, rising: int64, shape (k, 2)."""
    return np.unique(np.stack([rank.astype(np.int64), vertex.astype(np.int64)], axis=1), axis=0)


def _groups(rank: np.ndarray) -> list[tuple[int, int, int]]:
    """(value, first, last + 1) of runs of a sorted array."""
    values, first = np.unique(rank, return_index=True)
    ends = np.append(first, len(rank))[1:]
    return list(zip(values.tolist(), first.tolist(), ends.tolist(), strict=True))


def _csr(row: np.ndarray, column: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """CSR of entries, none twice: int64 offsets, int32 columns that rise."""
    order = np.lexsort((column, row))
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(row, minlength=rows)[:rows])])
    return indptr.astype(np.int64), column[order].astype(np.int32)
