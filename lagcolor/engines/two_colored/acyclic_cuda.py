"""Acyclic coloring on a GPU in rounds: vertices whose earlier neighbors have colors choose at once; some try again.

First-fit (first_fit.py) is not parallel: the colors that are left for a vertex depend on two-colored trees, and the
trees on distant vertices. Here a vertex is ready as soon as its earlier neighbors have colors, as in first-fit of
distance 1, and trees have all colored vertices, earlier or later in the order. A round has two steps:

- choose: each ready vertex takes the least color c that closes no cycle with the colors of earlier rounds. If it
  has neighbors of one color d in several trees of c and d, it would unite these trees, and claims each but the first.
  The earliest vertex wins a tree that several claim. (Trees are in the order of their least vertices.)
- keep: a vertex that has won all its claims keeps its color; the others are ready again in the next round.

No cycle arises: vertices that are ready at the same time are not adjacent, so on a two-colored cycle the new vertices
alternate with trees, at least two of each. The last of these trees is between two new vertices and is the first tree
of neither, so both have claimed it, and one has lost. The earliest ready vertex loses no claim, so each round
colors at least one vertex. Choices depend only on the state before the round, not on the schedule.

A CPU colors by first-fit if it is faster: if most of the graph is one chain, or vertices try again too often.

At the end a last class of a few vertices is removed, if coloring the vertices around it again needs no more colors.

Claims are stored in a hash table. If claims to different trees collide, vertices may try again once more than
necessary. A neutral neighbor is claimed together with the color.

==================  ==================================================================
sequence            vertices in the order of coloring; None: by id
place               position of each vertex in it, −1 for other vertices; None: its id
color               colors; −2 − c before a vertex keeps the color c
pending             per vertex: number of uncolored earlier neighbors
element_color, up   per entry: color of an element, and the element above it in the tree
claims              hash table of the trees that vertices of a round want to unite
==================  ==================================================================

Device memory in addition to the graph: 8 bytes per stored entry (12 with 64-bit offsets), and 20 to 24 bytes per vertex
by id, 4 more in another order, or 13 more for a small last class. Tables for hubs need up to 5 more (64-bit offsets:
9), or 20 bytes (36) per neighbor of the largest hub, if that is more.

References
----------
Gebremedhin, Tarafdar, Manne, Pothen 2007, Algorithm 5.1 (the condition, and sets of edges); Jones, Plassmann 1993
(which vertices are ready).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import entries_of
from ...orders.ties import mix, unmix
from ..rounds.worklists import CLASSES, NULL, ROUNDS, ROW
from .first_fit import acyclic

SOURCE = dev.Source(__file__, "acyclic.cu")
THREAD_MOST, WARP_MOST = 256, 2048  # largest degrees of the tables of a warp and of a block
BLOCKS = 2  # most blocks per multiprocessor: with more, each barrier is slower
WARP = 32
CLAIMS = 1024  # smallest hash table of claims
LAST, AROUND = 64, 64  # largest last class that is colored again; at most n / AROUND vertices are colored again
REACH, ATTEMPTS = 3, 16
PER_ROUND = 500  # vertices and entries that a CPU processes in the time of a round
TRIES = 16  # choices of a color in the time that a CPU needs for a vertex or an entry


def speculative_acyclic(G: Graph, sequence: Any, rows: int = 0, neutral: Any = None, *, log: Log) -> Any:
    """Return an acyclic coloring, the same on each run; first-fit on the CPU if few vertices are ready at a time."""
    color = dev.cupy().full(G.n, -1, np.int32)
    if G.n == 0:
        return color
    rounds = AcyclicRounds(G, rows, neutral, log)
    if rounds.run(color, sequence):
        return _without_last(rounds, color)
    log.notes["chain"] = (
        "colored on the CPU, in a copy of the graph: in this order most vertices wait for each other, or try again"
    )
    order = np.arange(G.n, dtype=np.int32) if sequence is None else sequence.get()
    return G.xp.asarray(acyclic(Graph.on(G, "cpu"), order, rows, None if neutral is None else neutral.get()))


def places_for_claims(n: int) -> int:
    """Return the size of the hash table of claims. It determines colors, because claims may collide."""
    return max(CLAIMS, 1 << (n - 1).bit_length() >> 1)


def _without_last(rounds: AcyclicRounds, color: Any) -> Any:
    """Return the coloring without its last class, or with a smaller one, if few vertices are in it and around it.

    All vertices near the class are colored again, in random order. Speculation leaves small classes: one vertex of
    40,000 of a mesh may have a fifth color, because later neighbors were colored before it.
    """
    cp, near = dev.cupy(), None
    last, size = _last_class(color)
    for attempt in range(ATTEMPTS):
        if size > LAST or last < 2:  # two colors are needed
            break
        if near is None:
            near = _near(rounds, color, last, size)
        if len(near) > len(color) // AROUND:
            break
        again = color.copy()
        again[near] = -1
        rounds.run(again, _shuffled(cp, near, attempt), around=True)
        found = _last_class(again)
        if found < (last, size):
            color, (last, size), near = again, found, None
    return color


def _near(rounds: AcyclicRounds, color: Any, last: int, size: int) -> Any:
    """Return the colored vertices at a distance of up to `REACH` from the last class: int32, ascending.

    Stop early if there are more than are colored again. They are few, so a CPU sorts them.
    """
    G, xp = rounds.G, rounds.G.xp
    listed, length = xp.empty(size, np.int32), xp.zeros(1, np.int32)
    rounds._each("list_class", color, np.int32(G.n), np.int32(last), listed, length)
    near = np.sort(dev.to_device(listed, "cpu"))
    for _ in range(REACH):
        if np.count_nonzero(_has_color(color, near)) > G.n // AROUND:
            break
        near = np.union1d(near, dev.to_device(entries_of(G, xp.asarray(near))[1], "cpu"))
    return xp.asarray(near[_has_color(color, near)])


def _has_color(color: Any, vertices: np.ndarray) -> np.ndarray:
    """Return which of some vertices have a color, on the CPU."""
    return dev.to_device(color[dev.cupy().asarray(vertices)], "cpu") >= 0


def _last_class(color: Any) -> tuple[int, int]:
    return extremes.extremes(color)[1:3]


def _shuffled(cp: Any, vertices: Any, seed: int) -> Any:
    hashes = mix(cp, vertices, seed)
    hashes.sort()
    return unmix(hashes, seed).view(np.int32)


class AcyclicRounds:
    """Kernels and memory for colorings of one graph; parameters as in `speculative_acyclic`."""

    log: Log
    sides: Any
    pending: Any
    element_color: Any
    up: Any
    claims: Any
    lists: tuple[Any, ...]
    tables: tuple[Any, ...]

    def __init__(self, G: Graph, rows: int, neutral: Any, log: Log) -> None:
        cp, n = dev.cupy(), G.n
        self.G, self.log = G, log
        self.sides = (NULL if neutral is None else neutral.view(np.uint8)), np.int32(rows)
        self.pending, self.element_color = cp.empty(n, np.int32), cp.empty(G.m, np.int32)
        self.up = cp.empty(G.m, G.indptr.dtype)
        self.claims = cp.empty(places_for_claims(n), np.int64)
        middle = hubs = 0
        if G.max_degree > THREAD_MOST:
            middle, hubs = min(n, G.m // (THREAD_MOST + 1)), min(n, G.m // (WARP_MOST + 1))
        stride = n + middle + hubs
        items = cp.empty(2 * stride, np.int32)
        self._kernels = SOURCE.of(G.indptr, THREAD_MOST=THREAD_MOST, WARP_MOST=WARP_MOST)
        self.lists = NULL, items, np.int64(n), np.int64(n + middle), np.int64(stride), np.int32(n)
        self.tables = _tables(G, BLOCKS * self._kernels.processors)

    def run(self, color: Any, sequence: Any, around: bool = False) -> bool:
        """Color a sequence in place; `around`: other vertices have colors. Return False if rounds are too many."""
        cp, place = dev.cupy(), NULL
        if sequence is not None:
            place = cp.full(self.G.n, -1, np.int32)
            place[sequence] = cp.arange(len(sequence), dtype=np.int32)
        self.claims.fill(-1)
        args = self._graph(color, NULL if sequence is None else sequence, place)
        state = cp.zeros(ROW * (ROUNDS + 1) + 2, np.int32)
        self._each("begin_all", *args, state)
        if around:
            self._each("unite_all", *args)
        return self._launch(args, state, self.G.n if sequence is None else len(sequence))

    def _graph(self, color: Any, sequence: Any, place: Any) -> tuple[Any, ...]:
        """Return the arguments for GRAPH_PARAMETERS and LIST_PARAMETERS."""
        G, mask = self.G, np.uint32(len(self.claims) - 1)
        state = color, self.pending, self.element_color, self.up, self.claims, mask
        return G.indptr, G.indices, sequence, place, *self.sides, *state, *self.lists

    def _each(self, name: str, *args: Any) -> None:
        self._kernels.launch(name, self.G.n * WARP, *args, most=1 << 13)

    def _launch(self, args: tuple[Any, ...], state: Any, left: int) -> bool:
        """Launch `ROUNDS` rounds at a time until no vertex is left (True), or a CPU would be faster (False)."""
        cp = dev.cupy()
        first, arrived, at, tries = 1, state[-2:-1], state[-1:], 0
        while True:
            arguments = (*args, np.int32(first), np.int32(ROUNDS), state, arrived, at, *self.tables)
            self._kernels.cooperative("color_rounds", self.G.n * WARP, *arguments, most=BLOCKS)
            rows = cp.asnumpy(state)[:-2].reshape(ROUNDS + 1, ROW)
            ready = rows[:, :CLASSES].sum(axis=1)
            done = ROUNDS if ready[:-1].all() else int(np.argmin(ready))
            for active, lost in zip(ready[:done].tolist(), rows[:done, CLASSES].tolist(), strict=True):
                self.log.round(active=active, colored=active - lost, conflicts=lost, ms=None)
            first += done
            colored = int(rows[:done, :CLASSES].sum() - rows[:done, CLASSES].sum())
            left -= colored
            if not ready[done]:
                return True
            tries += int(ready[:done].sum())
            if max(done * (left / colored) * PER_ROUND, tries / TRIES) > self.G.n + self.G.m:
                return False
            state.fill(0)
            state[:CLASSES] = cp.asarray(rows[done, :CLASSES])


def _tables(G: Graph, running: int) -> tuple[Any, ...]:
    """Return tables of roots around hubs, for as many blocks as 4 bytes per vertex allow, at least one."""
    cp, most = dev.cupy(), G.max_degree
    if most <= WARP_MOST:
        return NULL, NULL, np.int64(0), np.int64(0), np.int32(1)
    places = 1 << (2 * most - 1).bit_length()
    blocks = max(1, min(running, G.n // (4 * most)))
    keys, least = cp.empty(blocks * places, G.indptr.dtype), cp.empty(blocks * most, np.int32)
    return keys, least, np.int64(places), np.int64(most), np.int32(blocks)
