"""Acyclic coloring on a GPU, in rounds: vertices whose earlier neighbors have colors choose at once, some try again.

First-fit (first_fit.py) cannot be had in parallel: which colors are left for a vertex depends on trees of two colors,
and these on vertices far away. Here a vertex is ready once its earlier neighbors have colors, as in first-fit of
distance 1, and the trees have the vertices that are done, wherever in the order they are. A round:

- choose: each ready vertex takes the least color c that closes no cycle with what was colored in earlier rounds. If it
  has neighbors of one color d in several trees of c and d, it would unite them, and claims each but the first of them;
  of several claims to a tree the claim of the earliest vertex holds. (Trees are in the order of their least vertices.)
- keep: a vertex whose claims all hold keeps its color; the others are ready again in the next round.

No cycle comes to be: vertices that are ready at once are no neighbors, so on a cycle of two colors the new ones
alternate with trees, at least two of each. The last of these trees is between two vertices, and for neither it is
the first tree, so both have claimed it, and one has lost. The earliest ready vertex loses no claim, so each round
colors one. What is chosen depends on the state before the round alone, not on the schedule.

Where most of a graph is one long chain in the order, or vertices try again too often, a CPU is faster, and colors it by
first-fit.

At the end a last class of a few vertices is dissolved, if that can be done by coloring what is near anew.

Claims are kept in a hash table; vertices whose claims to different trees meet there may try again once more than they
had to. A neighbor that is neutral is claimed with the color itself.

==========  ==================================================================
sequence    vertices, first colored first; None: by id
place       of each vertex in it, −1 for vertices that are not; None: its id
color       the result; −2 − c before a vertex keeps the color c
pending     per vertex: earlier neighbors without a color
beside, up  per entry: elements of trees, and the element that each is under
claims      hash table of the trees that vertices of a round want to unite
==========  ==================================================================

Device memory in addition to the graph: 8 bytes per stored entry (12 with 64-bit offsets), and 20 to 24 bytes per vertex
by id, 4 more in another order, or 13 more for a small last class. Tables for hubs take up to 5 more (64-bit offsets:
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
BLOCKS = 2  # per multiprocessor, at most: more of them make each barrier slower
WARP = 32
CLAIMS = 1024  # places for claims, at least
LAST, AROUND = 64, 64  # largest last class that is colored again, and how many times as many vertices there are
REACH, ATTEMPTS = 3, 16
PER_ROUND = 500  # vertices and entries that a CPU passes in the time of a round
TRIES = 16  # choices of a color that take as long as a vertex or an entry takes on a CPU


def speculative_acyclic(G: Graph, sequence: Any, rows: int = 0, neutral: Any = None, *, log: Log) -> Any:
    """An acyclic coloring, the same on every run; first-fit on the CPU if few vertices are ready at a time."""
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
    """Size of the hash table of claims: part of the algorithm, since two claims to one place are one."""
    return max(CLAIMS, 1 << (n - 1).bit_length() >> 1)


def _without_last(rounds: AcyclicRounds, color: Any) -> Any:
    """The coloring with a smaller last class, or none, if that is of few vertices and so is what is around it.

    All that is near is colored again, in a random order, around what has colors. Speculation leaves such classes: one
    vertex of 40,000 of a mesh may have a fifth color, since it was colored after neighbors that come before it.
    """
    cp, near = dev.cupy(), None
    last, size = _last_class(color)
    for attempt in range(ATTEMPTS):
        if size > LAST or last < 2:  # no edge has one color
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
    """Vertices with a color at a distance of up to `REACH` from the `size` of a color: int32, rising.

    Some of them, where they are more than are colored again. They are few, so that a CPU sorts them.
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
    """Which of some vertices have a color, on the CPU."""
    return dev.to_device(color[dev.cupy().asarray(vertices)], "cpu") >= 0


def _last_class(color: Any) -> tuple[int, int]:
    return extremes.extremes(color)[1:3]


def _shuffled(cp: Any, vertices: Any, seed: int) -> Any:
    hashes = mix(cp, vertices, seed)
    hashes.sort()
    return unmix(hashes, seed).view(np.int32)


class AcyclicRounds:
    """Memory for colorings of one graph; parameters as above."""

    log: Log
    sides: Any
    pending: Any
    beside: Any
    up: Any
    claims: Any
    lists: tuple[Any, ...]
    tables: tuple[Any, ...]

    def __init__(self, G: Graph, rows: int, neutral: Any, log: Log) -> None:
        cp, n = dev.cupy(), G.n
        self.G, self.log = G, log
        self.sides = (NULL if neutral is None else neutral.view(np.uint8)), np.int32(rows)
        self.pending, self.beside = cp.empty(n, np.int32), cp.empty(G.m, np.int32)
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
        """Color a sequence in place; `around`: others have colors. False if it would take too many rounds."""
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
        """The parameters GRAPH_PARAMETERS and LIST_PARAMETERS."""
        G, mask = self.G, np.uint32(len(self.claims) - 1)
        state = color, self.pending, self.beside, self.up, self.claims, mask
        return G.indptr, G.indices, sequence, place, *self.sides, *state, *self.lists

    def _each(self, name: str, *args: Any) -> None:
        self._kernels.launch(name, self.G.n * WARP, *args, most=1 << 13)

    def _launch(self, args: tuple[Any, ...], state: Any, left: int) -> bool:
        """Launches of up to `ROUNDS` rounds each, until no vertex is left, or the last launch has colored too few."""
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
    """Global memory for the roots around hubs, of as many blocks as 4 bytes per vertex allow, or of one."""
    cp, most = dev.cupy(), G.max_degree
    if most <= WARP_MOST:
        return NULL, NULL, np.int64(0), np.int64(0), np.int32(1)
    places = 1 << (2 * most - 1).bit_length()
    blocks = max(1, min(running, G.n // (4 * most)))
    keys, least = cp.empty(blocks * places, G.indptr.dtype), cp.empty(blocks * most, np.int32)
    return keys, least, np.int64(places), np.int64(most), np.int32(blocks)
