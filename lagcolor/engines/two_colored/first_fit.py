"""Star and acyclic coloring by first-fit on a CPU: each vertex in turn takes the least color that is allowed.

A color is forbidden to v if a neighbor has it; stars.py and forests.py define the other forbidden colors. Two loops
color both problems:

- `narrow`, for up to 32 colors and then, in words of 64 bits, up to 64: sets of colors are words of the state of a
  vertex, 0 before it is colored. Word 0 has its color as a bit, word 1 the colors of its neighbors.
- `wide`, from the first vertex that needs another color on: marks per color, and a pass over two hops, as in the paper.

Between the two, stars have sets of several words (stars.py).

In bicolorings the vertices under `rows` have even colors and the others odd ones. A neutral vertex has no color, and
all of its neighbors have different colors.

Memory, without the graph and the order. Star: 20 bytes per vertex, colors included, for up to 32 colors; 52 for up to
64; 228 for up to 256, and more while rows take at most 32 bytes per stored entry (64 while they are copied); after that
the maximum of these bytes and of 16 per vertex (24 in bicolorings) with 2 bytes and an offset per stored entry.

References
----------
Gebremedhin, Tarafdar, Manne, Pothen 2007, "New acyclic and star coloring algorithms with application to computing
Hessians", Algorithms 4.1 and 5.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device import threads_for
from ...base.device.compiled import inner, njit
from ...base.device.intrinsics import ctz64
from ...base.device.parallel import launch, parallel, share, slots
from ...graph.graph import Graph
from ...problems.task import UNLIMITED
from ..greedy.sequential import ahead
from . import forests, stars
from .direct import alone, opposite
from .star_windows import color_in_windows
from .stars import WORD, OrderedGraph, color_in_sets, entry, palette, widest

ONE32 = np.uint32(1)
ZERO, ONE = np.uint64(0), np.uint64(1)


def star(
    G: Graph, sequence: np.ndarray, rows: int = 0, neutral: np.ndarray | None = None, most: int = UNLIMITED
) -> Any:
    """Return first-fit star colors (int32); may return None if more than `most` colors (per side) are needed."""
    ordered, colors, state = _in_words(G, OrderedGraph.of(G, sequence, rows), stars.SHIFT, neutral, None)
    if len(ordered.sequence) and most <= WORD:
        return None
    ordered = color_in_sets(G, ordered, colors, state, neutral, most)
    if len(ordered.sequence):
        if most <= WORD * widest(G):
            return None
        del state  # before more memory is allocated
        own = alone(G, colors)
        own |= (colors < 0)[G.indices]  # uncolored vertices have no hubs
        hub = ~opposite(G, own)
        del own
        if not wide(ordered, colors, ordered.marks(), neutral, hub, None, most):
            return None
    return colors


def acyclic(
    G: Graph, sequence: np.ndarray, rows: int = 0, neutral: np.ndarray | None = None, most: int = UNLIMITED
) -> Any:
    """Return first-fit acyclic colors (int32); parameters as in `star`."""
    ordered, colors = _in_words(G, OrderedGraph.of(G, sequence, rows), forests.SHIFT, neutral, forests.Forest.of(G))[:2]
    if len(ordered.sequence):
        if most <= WORD:
            return None
        joined, marks = forests.Joined.of(G), ordered.marks()
        forests.join_colored(ordered.indptr, ordered.indices, colors, joined.tree, marks[0], joined.edges)
        if not wide(ordered, colors, marks, neutral, None, joined, most):
            return None
    return colors


def _in_words(
    G: Graph, ordered: OrderedGraph, shift: np.uint64, neutral: np.ndarray | None, forest: forests.Forest | None
) -> tuple[OrderedGraph, np.ndarray, np.ndarray]:
    """Color in words of 32 bits, then 64; return the graph with the remaining vertices, the colors and the state."""
    done, workers = 0, threads_for(None, G.m)
    state: np.ndarray = np.zeros(G.n << int(shift), np.uint32)
    for dtype in (np.uint32, np.uint64):
        if done < len(ordered.sequence):
            state = state.astype(dtype, copy=False)
            if forest is None and neutral is None:
                ordered, done = color_in_windows(ordered, state, done, workers)
            done = narrow(ordered, state, neutral, forest, done)
    colors = np.empty(G.n, np.int32)
    launch(read_colors, workers, slots(0), state, shift, colors, np.int64(workers))
    return ordered._replace(sequence=ordered.sequence[done:]), colors, state


@parallel
def read_colors(t: Any, shared: Any, state: Any, shift: Any, colors: Any, workers: Any) -> None:
    """Write the color of each vertex of a share, or −1."""
    for v in share(t, workers, colors.size):
        bit = np.uint64(state[np.uint64(v) << shift])
        colors[v] = np.int32(ctz64(bit)) if bit else np.int32(-1)


@njit(cache=True, nogil=True)
def narrow(ordered: Any, state: Any, neutral: Any, forest: Any, begin: Any) -> Any:
    """Color from position `begin` on; return the first one that needs more bits than a word, or n. No forest: stars."""
    indptr, indices, sequence, rows = ordered
    shift = stars.SHIFT if forest is None else forests.SHIFT
    n = np.uint64(sequence.size)
    i = np.uint64(begin)
    while i < n:
        ahead(indptr, indices, sequence, i)
        v = sequence[i]
        near = ZERO
        many = ZERO
        apart = ZERO
        e = indptr[v]
        while e < indptr[v + ONE32]:
            w = np.uint64(indices[e]) << shift
            bit = np.uint64(state[w])
            many |= near & bit
            near |= bit
            if neutral is not None and bit == ZERO:
                apart |= state[w | ONE]
            e += ONE32
        if forest is None:
            apart |= stars.forbidden_by_stars(indptr, indices, state, v, many)
        free = ~(near | apart) & palette(v, rows, state)
        if forest is not None:
            unsure = forests.around_twice(indptr, indices, state, v, many) if many else ZERO
            turn = np.int64(i) << 6
            while free & (~free + ONE) & unsure and forests.closes(ordered, state, forest, turn, v, many, free):
                free &= free - ONE
        if free == ZERO:
            return np.int64(i)
        color = free & (~free + ONE)
        if forest is None:
            stars.place(ordered, state, v, color, near, many, None)
        else:
            forests.place(ordered, state, forest, v, color, near)
        if neutral is not None:
            mark_neutral(ordered, state, neutral, shift, v, color)
        i += ONE
    return np.int64(n)


@inner()
def mark_neutral(ordered: Any, state: Any, neutral: Any, shift: Any, v: Any, color: Any) -> None:
    """Add the color of v to the neighbor colors of its neutral neighbors."""
    e = ordered.indptr[v]
    while e < ordered.indptr[v + ONE32]:
        u = ordered.indices[e]
        if neutral[u]:
            state[np.uint64(u) << shift | ONE] |= color
        e += ONE32


@njit(cache=True, nogil=True)
def wide(ordered: Any, colors: Any, marks: Any, neutral: Any, hub: Any, joined: Any, most: Any) -> bool:
    """Color with up to `most` colors; return False if these are too few. `hub`: for stars; `joined`: for forests."""
    indptr, indices, sequence, rows = ordered
    taken, near, many = marks[0], marks[1], marks[2]
    step = np.int64(2) if rows else np.int64(1)
    for i in range(sequence.size):
        v = sequence[i]
        stamp = np.int32(i + 1)
        forbid(ordered, i, colors, marks, neutral, hub, joined)
        color = np.int64(1) if rows and v >= rows else np.int64(0)
        while taken[color] == stamp:
            color += step
        if color >= most:
            return False
        e = indptr[v]
        while e < indptr[v + ONE32]:
            w = indices[e]
            a = colors[w]
            if a >= 0:
                f = indptr[w]
                while f < indptr[w + ONE32] and colors[indices[f]] != color:
                    f += ONE32
                found = f < indptr[w + ONE32]
                if hub is not None:
                    if many[a] == stamp:
                        hub[entry(indptr, indices, w, v)] = True
                    if found:
                        hub[e] = True
                        hub[entry(indptr, indices, indices[f], w)] = True
                if joined is not None:
                    if near[a] == stamp:
                        near[a] = -stamp
                        joined.edges[a] = e
                    else:
                        forests.union(joined.tree, e, joined.edges[a])
                    if found:
                        forests.union(joined.tree, e, f)
            e += ONE32
        colors[v] = color
    return True


@inner(forceinline=True)
def forbid(ordered: Any, i: Any, colors: Any, marks: Any, neutral: Any, hub: Any, joined: Any) -> None:
    """Mark the colors that are forbidden to the vertex at position i, and the colors of its neighbors."""
    indptr, indices = ordered.indptr, ordered.indices
    taken, near, many = marks[0], marks[1], marks[2]
    v, stamp = ordered.sequence[i], np.int32(i + 1)
    end = indptr[v + ONE32]
    e = indptr[v]
    while e < end:
        c = colors[indices[e]]
        e += ONE32
        if c >= 0:
            if near[c] == stamp:
                many[c] = stamp
            near[c] = stamp
            taken[c] = stamp
    e = indptr[v]
    while e < end:
        w = indices[e]
        alone = neutral is not None and neutral[w]
        shared = colors[w] >= 0 and many[colors[w]] == stamp
        if hub is not None:
            if alone or shared:
                take_around(ordered, w, colors, None, taken, stamp)
            elif colors[w] >= 0:
                take_around(ordered, w, colors, hub, taken, stamp)
        if joined is not None:
            if alone:
                take_around(ordered, w, colors, None, taken, stamp)
            elif shared:
                forests.take_cycles(ordered, v, e, colors, joined, taken, stamp)
        e += ONE32


@njit(cache=True, nogil=True, inline="always")
def take_around(ordered: Any, w: Any, colors: Any, hub: Any, taken: Any, stamp: Any) -> None:
    """Forbid the colors of all neighbors of w, or only of neighbors that are hubs of its edges."""
    f = ordered.indptr[w]
    while f < ordered.indptr[w + ONE32]:
        if hub is None or hub[f]:
            c = colors[ordered.indices[f]]
            if c >= 0:
                taken[c] = stamp
        f += ONE32
