"""Incremental first-fit after a change of a graph.

First-fit in an order is the only coloring in which each vertex has the least color that no earlier neighbor has. So
the color of a vertex can only be wrong if its row changed, or if an earlier neighbor got another color. If the color of
a vertex changes from a to b, this affects later neighbors of color b, or of a color above a.

On a CPU a heap contains the vertices that may be wrong, the earliest first. When a vertex is popped, all earlier ones
are correct, so each is colored once. On a GPU one launch of incremental.cu copies the colors and recolors in rounds.
Device memory in addition to the graph and the colors: 3 bits per vertex, and 4 bytes per visit of the limit.

`changed_vertices` finds the changed rows if the caller does not name them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.device import threads_for
from ...base.device.bits import in_window, mix32
from ...base.device.compiled import inner, njit
from ...base.device.heaps import pop, push
from ...base.device.intrinsics import ctz64
from ...base.device.parallel import launch, parallel, share, slots
from ...base.device.pinned import Pinned
from ...graph.graph import Graph
from ...graph.nets import Structure, csr, offsets_of
from ...graph.pattern import entries_of, unsigned
from ...orders import Priorities
from ...orders.ties import seed_word

SOURCE = dev.Source(__file__, BLOCK=1024)
ROWS_BLOCK = 256  # block size of the other kernels
LONG = 256  # a block processes a vertex with more entries around it
SHARE = 4  # with more than n / SHARE visits, coloring from scratch is faster
NO_LIMIT = 2**62  # visits, or rounds on a GPU
ROUNDS, AT_ONCE = 64, 4096  # limit of rounds on a GPU; or n / SHARE visits, with this number of warps at once
HEAD, OUTCOME = 72, 4  # of incremental.cu: bytes before the marks (`Words`), numbers of `Outcome`
NUMBERS, LONG_NUMBERS, FLAGS = range(3)
BY_ID, BY_HASH, BY_PLACE = range(3)
ZERO, SHIFT = np.uint64(0), np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
ONE = np.uint64(1)


class Turns(NamedTuple):
    """Position of a vertex in the order, computed from the vertex alone, so that it does not depend on changes."""

    kind: int  # earlier is BY_ID: the smaller id; BY_HASH: the larger hash of seed and id; BY_PLACE: the smaller place
    word: np.uint32  # hash of the seed
    place: Any  # array of int32: empty for the other kinds

    @classmethod
    def of(cls, p: Priorities) -> Turns:
        """Return the keys of an order; a permutation is computed only if neither id nor hash determines it."""
        xp = p.G.xp
        none = xp.empty(0, np.int32)
        if p.is_natural:
            return cls(BY_ID, np.uint32(0), none)
        if p.name == "random":
            return cls(BY_HASH, np.uint32(seed_word(p.seed or 0)), none)
        place = xp.empty(p.G.n, np.int32)
        place[p.sequence] = xp.arange(p.G.n, dtype=np.int32)
        return cls(BY_PLACE, np.uint32(0), place)


class Neighbors(NamedTuple):
    """Constraints of each vertex: the members of its nets, and of net v with `own`. A graph is its own nets."""

    nets: np.ndarray
    net: np.ndarray
    members: np.ndarray
    member: np.ndarray
    own: int
    hops: int

    @classmethod
    def of(cls, H: Structure) -> Neighbors:
        """Return the constraints of a structure on the CPU."""
        nets, net, members, member, closed = csr(H)
        if H.hops == 2:
            return cls(nets, net, members, member, int(closed), 2)
        return cls(nets, net, nets, net, 1, 1)


class Change(NamedTuple):
    """Old colors, and the vertices whose color may be wrong, on the device of the graph."""

    colors: Any  # array of int32: colors of the first vertices, −1 for no color; the others have no color
    # array of int32, perhaps with duplicates. On a GPU also int64, perhaps out of range, or bool, one per vertex
    vertices: Any
    count: Any = None  # array of one uint32, optional: number of `vertices`, if only the GPU knows it

    @property
    def form(self) -> int:
        """Form of the vertices, for incremental.cu."""
        return {"int32": NUMBERS, "int64": LONG_NUMBERS, "bool": FLAGS}[self.vertices.dtype.name]

    def numbers(self, xp: Any) -> Any:
        """Return the vertices as an array of int32."""
        if self.form == FLAGS:
            return xp.flatnonzero(self.vertices).astype(np.int32)
        return self.vertices[: None if self.count is None else int(self.count[0])].astype(np.int32, copy=False)

    def of_all(self, H: Structure) -> Any:
        """Return a copy of the colors, extended to all vertices."""
        colors, k = H.xp.empty(H.n, np.int32), len(self.colors)
        colors[:k], colors[k:] = self.colors, -1
        return colors


class Updated(NamedTuple):
    """Result of `first_fit_again`."""

    colors: Any  # array of int32; None if it would take too many visits
    visits: int
    rounds: int
    outside: bool = False  # whether vertices are out of range; then the other fields are meaningless


def first_fit_again(
    H: Structure, turns: Turns, change: Change, share: int | None = SHARE, begin: Callable[[], object] = lambda: None
) -> Updated:
    """Restore first-fit, in at most n / `share` visits or, if that is more, two per initial vertex.

    On a GPU the rounds are limited, too, since a round of one vertex takes as long as a round of thousands. If `share`
    is None, there is no limit; then no row may have changed, all vertices must have colors, and a GPU changes them in
    place. `begin` is called before the launch.
    """
    if H.on_gpu:
        return _on_gpu(H, turns, change, share, begin)
    colors = change.of_all(H)
    vertices, most = change.vertices, NO_LIMIT
    if share is not None:
        vertices = widened(H, np.concatenate([vertices, np.flatnonzero(colors < 0).astype(np.int32)]))
        most = max(2 * len(vertices), H.n // share)
    heap, pending = np.empty(H.n, np.uint64), np.zeros(H.n, np.bool_)
    visits = int(from_heap(Neighbors.of(H), turns, colors, vertices, most, heap, pending))
    return Updated(None if visits < 0 else colors, visits, 1)


def widened(H: Structure, vertices: Any) -> Any:
    """Return the initial vertices: at distance 2 a changed row affects all its members."""
    if isinstance(H, Graph):
        return vertices
    return H.xp.unique(H.xp.concatenate([vertices, entries_of(H.of_vertices, vertices)[1]])).astype(np.int32)


def _on_gpu(H: Any, turns: Turns, change: Change, share: int | None, begin: Callable[[], object]) -> Updated:
    """Do `first_fit_again` in one launch."""
    cp, n, old, form = dev.cupy(), H.n, change.colors, change.form
    count = len(change.vertices)
    if share is None:
        least, most, most_rounds, capacity, colors = NO_LIMIT, NO_LIMIT, NO_LIMIT, 3 * n, old
    else:
        least, most_rounds, colors = n // share, max(n // share // AT_ONCE, ROUNDS), cp.empty(n, np.int32)
        most = capacity = max(n if form == FLAGS or change.count is not None or H.hops == 2 else 2 * count, least)
    head = HEAD + 4 * 3 * -(-n // 32)
    space = cp.cuda.alloc(head + 4 * capacity)
    named = form, change.vertices, count, 0 if change.count is None else change.count
    rule = turns.kind, turns.word, turns.place if len(turns.place) else 0
    limits = int(share is not None), LONG, least, most, most_rounds, capacity

    def clear() -> None:
        begin()
        cp.cuda.runtime.memsetAsync(space.ptr, 0, head, cp.cuda.get_current_stream().ptr)

    with Pinned.take(2 * OUTCOME) as found:
        where = space.ptr + head, space.ptr, found.ptr
        args = (n, len(old), old, colors, *named, *csr(H, 0), *rule, *limits, *where)
        # One block per multiprocessor: more blocks make each barrier slower.
        kernels(H).cooperative("first_fit_again", n * 32, *args, most=1, before=clear)
        found.launched()
        rounds, visits, too_many, outside = found.wait().view(np.int64).tolist()
    return Updated(None if too_many else colors, visits, rounds, bool(outside))


def kernels(H: Structure) -> Any:
    """Return the compiled kernels of incremental.cu."""
    return SOURCE.of(offsets_of(H), HOPS=H.hops)


@inner()
def turn_of(v: Any, turns: Any) -> Any:
    """Return a key that is smaller for an earlier vertex; its lower half is the vertex."""
    first = np.uint64(v)
    if turns.kind == BY_HASH:
        first = LOW - mix32(np.uint32(v) ^ turns.word)
    elif turns.kind == BY_PLACE:
        first = np.uint64(turns.place[v])
    return first << SHIFT | np.uint64(v)


@njit(cache=True, nogil=True, inline="always")
def nets_of(v: Any, a: Any) -> Any:
    """Return where the nets of v begin and end; with `own` net v is the last."""
    first = np.int64(a.nets[v])
    last = np.int64(a.nets[v + 1]) if a.hops == 2 else first
    return first, last + a.own


@njit(cache=True, nogil=True, inline="always")
def members_at(v: Any, i: Any, end: Any, a: Any) -> Any:
    """Return where the members of net i of v begin and end."""
    net = np.int64(v) if a.own and i == end - 1 else np.int64(a.net[i])
    return np.int64(a.members[net]), np.int64(a.members[net + 1])


@njit(cache=True, nogil=True)
def from_heap(a: Any, turns: Any, colors: Any, vertices: Any, most: Any, heap: Any, pending: Any) -> Any:
    """Recolor in order until no vertex is affected; return the visits, −1 above the limit. `pending`: in the heap."""
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
    """Return the least color that no earlier vertex around v has."""
    base = np.int64(0)
    while True:
        mask = ZERO
        start, end = nets_of(v, a)
        for i in range(start, end):
            first, last = members_at(v, i, end, a)
            for e in range(first, last):
                u = np.int64(a.member[e])
                bit = in_window(colors[u], base)
                if bit and turn_of(u, turns) < mine:
                    mask |= bit
        if ~mask != ZERO:
            return base + np.int64(ctz64(~mask))
        base += np.int64(64)


def changed_vertices(new: Graph, old: Graph) -> tuple[Any, Any]:
    """Return common vertices whose rows differ, int32; on a GPU the second array has their number."""
    n, old = min(new.n, old.n), old.on(new.device)
    if not new.on_gpu:
        return differing_rows(n, *unsigned(new), *unsigned(old)), None
    with dev.using(new.indices):
        return differing_on_gpu(n, new, old)


def differing_on_gpu(n: int, a: Graph, b: Graph) -> tuple[Any, Any]:
    """Do `changed_vertices` on a GPU, with 32 rows per warp."""
    cp, offsets = dev.cupy(), np.result_type(a.indptr.dtype, b.indptr.dtype)
    items, count = cp.empty(n, np.int32), cp.zeros(1, np.uint32)
    rows = [x for g in (a, b) for x in (g.indptr.astype(offsets, copy=False), g.indices)]
    SOURCE.of(offsets, HOPS=1).launch("differing_rows", n, np.int64(n), *rows, items, count, block=ROWS_BLOCK)
    return items, count


def differing_rows(n: int, *rows: np.ndarray) -> np.ndarray:
    """Return the rows that differ between two graphs; each thread compares the same number of rows."""
    workers = threads_for(None, len(rows[1]))
    differs = np.empty(n, np.bool_)
    launch(_compare, workers, slots(0), rows, differs, np.int64(workers))
    return np.flatnonzero(differs).astype(np.int32)


@parallel
def _compare(t: Any, shared: Any, rows: Any, differs: Any, workers: Any) -> None:
    """Compare the rows of a share; a row is read to its end, so that the loop is vectorized."""
    a_rows, a, b_rows, b = rows
    for v in share(t, workers, differs.size):
        i, j = np.uint64(a_rows[v]), np.uint64(b_rows[v])
        size = np.uint64(a_rows[v + ONE]) - i
        other = np.uint32(0)
        if size != np.uint64(b_rows[v + ONE]) - j:
            other = np.uint32(1)
        else:
            for k in range(size):
                other |= a[i + k] ^ b[j + k]
        differs[v] = other != 0
