"""First-fit again where a change makes it necessary.

First-fit in an order is the only coloring in which each vertex has the least color that no earlier neighbor has. So
only a vertex whose row changed, or one of whose earlier neighbors got another color, can be wrong. Of the later
neighbors of a vertex whose color goes from a to b those are affected that have b, or a color over a.

On a CPU a heap has the vertices that may be wrong, the earliest first: when a vertex is taken all earlier ones are
right, so that each is colored once. On a GPU they are taken in rounds, as in settle.cu; device memory without the graph
and the colors: 12 bytes per vertex.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import device as dev
from ...core.nets import Structure, csr, offsets_of
from ...device.bits import mix32
from ...device.compiled import njit
from ...device.cooperative import launch_cooperative
from ...device.heaps import pop, push
from ...device.intrinsics import ctz64
from ...orders import Priorities
from ...orders.ties import seed_word

SOURCE = Path(__file__).with_name("settle.cu")
BLOCK = 128
LONG = 2048  # degree from which a block has a row
BLOCKS = 2  # per multiprocessor: lists are short, and more blocks make each barrier slower
NO_LIMIT = 2**62  # visits
BY_ID, BY_HASH, BY_PLACE = range(3)
WORD = np.uint64(64)
ZERO, SHIFT = np.uint64(0), np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


class Turns(NamedTuple):
    """When the turn of a vertex comes, from the vertex alone, so that a change of others does not reshuffle an order.

    Attributes
    ----------
    kind : int
        BY_ID: the smaller id is earlier; BY_HASH: the larger hash of seed and id; BY_PLACE: the smaller place.
    word : uint32
        Of the seed.
    place : array of int32
        Empty for the other kinds.
    """

    kind: int
    word: np.uint32
    place: Any

    @classmethod
    def of(cls, p: Priorities) -> Turns:
        """Those of an order; the permutation is made only where neither id nor hash tells it."""
        xp = p.G.xp
        none = xp.empty(0, np.int32)
        if p.is_natural:
            return cls(BY_ID, np.uint32(0), none)
        if p.name == "random":
            return cls(BY_HASH, np.uint32(seed_word(p.seed or 0)), none)
        place = xp.empty(p.G.n, np.int32)
        place[p.sequence] = xp.arange(p.G.n, dtype=np.int32)
        return cls(BY_PLACE, np.uint32(0), place)


class Around(NamedTuple):
    """What constrains each vertex, for compiled loops: the members of the nets that it is in.

    With `own` net v is one of them. A graph is nets alone, each vertex in its own.
    """

    nets: np.ndarray
    net: np.ndarray
    members: np.ndarray
    member: np.ndarray
    own: int
    hops: int

    @classmethod
    def of(cls, H: Structure) -> Around:
        """Of a structure on the CPU."""
        nets, net, members, member, closed = csr(H)
        if H.hops == 2:
            return cls(nets, net, members, member, int(closed), 2)
        return cls(nets, net, nets, net, 1, 1)


def settle(H: Structure, turns: Turns, colors: Any, vertices: Any, most: int = NO_LIMIT) -> tuple[int, int] | None:
    """Make colors those of first-fit again, in place; the vertices visited, and the rounds that took.

    None if that takes more than `most` visits.
    """
    if H.on_gpu:
        return _on_gpu(H, turns, colors, vertices, most)
    heap, pending = np.empty(H.n, np.uint64), np.zeros(H.n, np.bool_)
    visits = int(from_heap(Around.of(H), turns, colors, vertices, most, heap, pending))
    return None if visits < 0 else (visits, 1)


def _on_gpu(H: Any, turns: Turns, colors: Any, vertices: Any, most: int) -> tuple[int, int] | None:
    """The same in one launch."""
    cp = dev.cupy()
    n, k = H.n, len(vertices)
    if k == 0:
        return 0, 0
    kernel = dev.kernel(SOURCE, "settle", **macros(H, BLOCK if H.patterns[-1].max_degree >= LONG else 32))
    items, mark = cp.empty(2 * n, np.int32), cp.zeros(n, np.uint32)  # two lists in turn; the last round of each vertex
    items[n : n + k] = vertices
    mark[vertices] = 1
    state = cp.zeros(3 + 1, np.uint32)  # lengths of the lists of three rounds in turn, and blocks that arrived
    state[1] = k
    found = cp.zeros(3, np.uint64)
    place = turns.place if len(turns.place) else 0
    rule = np.int32(turns.kind), turns.word, place
    args = (np.int64(n), np.uint64(most), *csr(H, 0), *rule, items, state, mark, colors, found, state[3:])
    launch_cooperative(cp, kernel, BLOCK, -(-n * 32 // BLOCK), args, BLOCKS)
    rounds, visits, given_up = (int(x) for x in found.get())
    return None if given_up else (visits, rounds)


def macros(H: Structure, group: int) -> dict[str, int]:
    """Those of settle.cu, for groups of so many threads."""
    return {"OFFSET_BITS": 8 * offsets_of(H).itemsize, "BLOCK": BLOCK, "GROUP": group, "HOPS": H.hops}


@njit(cache=True, nogil=True)
def turn_of(v: Any, turns: Any) -> Any:
    """A number that is smaller for an earlier vertex; its low half is the vertex."""
    first = np.uint64(v)
    if turns.kind == BY_HASH:
        first = LOW - mix32(np.uint32(v) ^ turns.word)
    elif turns.kind == BY_PLACE:
        first = np.uint64(turns.place[v])
    return first << SHIFT | np.uint64(v)


@njit(cache=True, nogil=True, inline="always")
def nets_of(v: Any, a: Any) -> Any:
    """Where the nets of v begin and end; net v is the last, if it is one of them."""
    first = np.int64(a.nets[v])
    last = np.int64(a.nets[v + 1]) if a.hops == 2 else first
    return first, last + a.own


@njit(cache=True, nogil=True, inline="always")
def members_at(v: Any, i: Any, end: Any, a: Any) -> Any:
    """Where the members of net i of v begin and end."""
    net = np.int64(v) if a.own and i == end - 1 else np.int64(a.net[i])
    return np.int64(a.members[net]), np.int64(a.members[net + 1])


@njit(cache=True, nogil=True)
def from_heap(a: Any, turns: Any, colors: Any, vertices: Any, most: Any, heap: Any, pending: Any) -> Any:
    """Vertices in their order until no more is affected: how many, or −1 where they are more than the limit.

    `pending`: in the heap, which has no vertex twice.
    """
    filled, visits = 0, 0
    for v in vertices:
        if not pending[v]:
            pending[v] = True
            push(heap, filled, turn_of(np.int64(v), turns))
            filled += 1
    while filled:
        mine = pop(heap, filled)
        filled -= 1
        v = np.int64(mine & LOW)
        pending[v] = False
        if visits == most:
            return -1
        visits += 1
        old, new = np.int64(colors[v]), np.int64(least(v, a, mine, turns, colors))
        if old == new:
            continue
        colors[v] = new
        start, end = nets_of(v, a)
        for i in range(start, end):
            first, last = members_at(v, i, end, a)
            for e in range(first, last):
                u = np.int64(a.member[e])
                c = np.int64(colors[u])
                if u != v and not pending[u] and (c == new or (c > old and old >= 0) or c < 0):
                    turn = turn_of(u, turns)
                    if turn > mine:
                        pending[u] = True
                        push(heap, filled, turn)
                        filled += 1
    return visits


@njit(cache=True, nogil=True)
def least(v: Any, a: Any, mine: Any, turns: Any, colors: Any) -> Any:
    """The least color that no earlier vertex around v has."""
    base = np.int64(0)
    while True:
        mask = ZERO
        start, end = nets_of(v, a)
        for i in range(start, end):
            first, last = members_at(v, i, end, a)
            for e in range(first, last):
                u = np.int64(a.member[e])
                k = np.uint64(np.int64(colors[u]) - base)
                if k < WORD and turn_of(u, turns) < mine:
                    mask |= np.uint64(1) << k
        if ~mask != ZERO:
            return base + np.int64(ctz64(~mask))
        base += np.int64(64)
