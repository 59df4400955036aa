"""Star coloring by first-fit: each vertex in turn takes the least color that leaves a star coloring.

A color is forbidden to v if a neighbor has it, or if it would make a path on four vertices with two colors:

- v inside: v has two neighbors of one color; then all colors around these two;
- v at its end: v – w – x – y, where y has the color of w; then the color of x.

The paper keeps the star of each edge and its hub, and walks two hops for the second case. Here each vertex w keeps the
set that this case forbids (`hubs`): colors of its neighbors x that have another neighbor of the color of w. So one hop
is enough, while sets of colors fit in a word: `narrow`, for up to 32 colors and then, in words of 64 bits, up to 64. A
set changes at most once per edge and only where a color comes to be beside a vertex for the second time, when the first
vertex of that color is looked for.

From the first vertex that needs another color on, `wide` keeps one byte per stored entry: (w, x) is set if x is the
hub of the star of that edge, so has another neighbor of the color of w. It walks two hops, as the paper does.

Memory beside the graph and the order: 20 bytes per vertex, with the colors, for up to 32 of them; 36 for up to 64; else
36, or 16 (24 where two sides have colors apart) and a byte per stored entry, whichever is more.

References
----------
Gebremedhin, Tarafdar, Manne, Pothen 2007, "New acyclic and star coloring algorithms with application to computing
Hessians", Algorithm 4.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings.runtime.compile_clock import importing

from ...core.graph import Graph
from ...core.registry import coloring
from ...core.result import Log
from ...device.compiled import njit
from ...device.intrinsics import ctz64
from ...orders import Priorities
from ..greedy.sequential import ahead, unsigned
from .chains import ready_at_a_time

ONE32 = np.uint32(1)
ZERO, ONE, EIGHT, WORD = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(64)
BIT, NEAR, MANY, HUBS = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)  # words of the state of a vertex
FOUR = np.uint64(2)  # as a shift
EVEN, ALL = np.uint64(0x5555555555555555), np.uint64(0xFFFFFFFFFFFFFFFF)
# A step of a chain takes some 3 µs on one H200, more where degrees are larger. Milliseconds by id there / on a CPU, and
# vertices ready at a time: grid2d:1000 395 / 44, 8; band100k 8,800 / 7; the 27-point stencil of 128³ 6,550 / 466;
# rgg:18 377 / 92, 146. In orders with more it is the GPU: rgg:18 in random runs of ids 13, 482.
READY = 256
CROWDED = 2000  # mean, over the entries, of the degrees of their ends: 10 to 50 for meshes and R-MAT graphs


@coloring(
    "first_fit",
    problem="star",
    style="kernel",
    paper="Gebremedhin et al. 2007, Algorithm 4.1",
    engines=("cpu", "cuda"),
    bound="Δ²+1",
    oracle="first_fit",
    deterministic=True,
    order="natural",
    seed=None,
    needs="sequence",
)
def first_fit(G: Graph, p: Priorities, log: Log) -> Any:
    """Star coloring: the least color that keeps the colored part a star coloring; sequential on a CPU."""
    log.round(active=G.n, colored=G.n, conflicts=0, ms=None)
    if G.on_gpu:
        return star_on_gpu(G, None if p.is_natural else p.sequence, log=log)
    return star(G, p.sequence)


def star_on_gpu(
    G: Graph, sequence: Any = None, rows: int = 0, neutral: Any = None, log: Log | None = None
) -> Any:  # fmt: skip
    """`star` of a graph on the current device; where hubs or chains would hold it up, by a CPU with up to 64 colors.

    On a GPU a vertex looks at all vertices around each neighbor, and waits for the earlier ones, so that the neighbors
    of a hub are colored one after the other, each after a look at all of them; and in an order like that of a grid's
    ids few vertices are ready at a time (chains.py). A CPU keeps sets of up to 64 colors instead; with more of them it
    walks as far.
    """
    with importing():
        from .cuda import first_fit_star

    held_up = {}
    if float((G.degrees.astype(np.float64) ** 2).sum()) > CROWDED * G.m:
        held_up["hubs"] = "the neighbors of a hub are one chain"
    elif ready_at_a_time(G, sequence) < READY:
        held_up["chain"] = "in this order few vertices can be colored at a time"
    if held_up:
        on_cpu = Graph.on(G, "cpu")
        order = np.arange(G.n, dtype=np.int32) if sequence is None else sequence.get()
        without = None if neutral is None else neutral.get()
        state, done = in_words(*unsigned(on_cpu), order.view(np.uint32), np.uint32(rows), without)
        if done == len(order):
            if log is not None:
                for key, why in held_up.items():
                    log.notes[key] = f"colored on the CPU, in a copy of the graph: {why}"
            return G.xp.asarray(colors_of(state, FOUR))
    return first_fit_star(G, sequence, rows, neutral)


def star(G: Graph, sequence: np.ndarray, rows: int = 0, neutral: np.ndarray | None = None) -> np.ndarray:
    """First-fit star colors, int32, in the order of `sequence`."""
    indptr, indices = unsigned(G)
    order, sides = np.ascontiguousarray(sequence).view(np.uint32), np.uint32(rows)
    state, done = in_words(indptr, indices, order, sides, neutral)
    colors = colors_of(state, FOUR)
    del state
    if done < len(order):
        hub = np.zeros(G.m, np.uint8)
        marks = np.zeros((3, 2 * (G.n + 1) if rows else G.n + 1), np.int32)
        mark_hubs(indptr, indices, colors, hub, marks[0])
        wide(indptr, indices, order, colors, hub, marks, sides, done, neutral)
    return colors


def in_words(
    indptr: np.ndarray, indices: np.ndarray, sequence: np.ndarray, rows: Any, neutral: np.ndarray | None
) -> tuple[np.ndarray, int]:  # fmt: skip
    """The state of all vertices, in words of 32 bits or, where these are too few, 64; and how many have a color."""
    state = np.zeros(4 * (len(indptr) - 1), np.uint32)
    done = narrow(indptr, indices, sequence, state, rows, neutral, 0)
    if done < len(sequence):
        state = widened(state)
        done = narrow(indptr, indices, sequence, state, rows, neutral, done)
    return state, done


def colors_of(state: np.ndarray, shift: Any) -> np.ndarray:
    """The colors of states whose first word has a color as a bit, or none: int32."""
    colors = np.empty(len(state) >> int(shift), np.int32)
    read_colors(state, shift, colors)
    return colors


def widened(state: np.ndarray) -> np.ndarray:
    """Words of 32 bits as words of 64, in memory that grows: `state` is used up."""
    state.resize(2 * len(state), refcheck=False)
    wide_words = state.view(np.uint64)
    widen(state, wide_words)
    return wide_words


@njit(cache=True, nogil=True)
def read_colors(state: Any, shift: Any, colors: Any) -> None:
    """Fill `colors` for `colors_of`."""
    for v in range(colors.size):
        bit = np.uint64(state[np.uint64(v) << shift])
        colors[v] = np.int32(ctz64(bit)) if bit else np.int32(-1)


@njit(cache=True, nogil=True)
def widen(words: Any, wide_words: Any) -> None:
    """From the last on, for both are one memory: what is written is twice as far as what is read, or there."""
    for i in range(wide_words.size - 1, -1, -1):
        wide_words[i] = np.uint64(words[i])


@njit(cache=True, nogil=True, inline="always")
def palette(v: Any, rows: Any, state: Any) -> Any:
    """The colors that v may have, as bits of a word of the state."""
    words = ALL >> (WORD - EIGHT * np.uint64(state.itemsize))
    if rows == 0:
        return words
    return (EVEN if v < rows else EVEN << ONE) & words


@njit(cache=True, nogil=True)
def narrow(indptr: Any, indices: Any, sequence: Any, state: Any, rows: Any, neutral: Any, first: Any) -> Any:
    """Color from position `first` on while the bits of a word are enough; returns the first that needs more, or n.

    Words of the state of a vertex, 0 before it is colored: its color as a bit; colors beside it; those on two or more
    of its neighbors; colors of neighbors that have another neighbor of its color. Of neutral vertices only the last is
    not 0: all colors beside it.
    """
    n = np.uint64(sequence.size)
    i = np.uint64(first)
    while i < n:
        ahead(indptr, indices, sequence, i)
        v = sequence[i]
        start = indptr[v]
        end = indptr[v + ONE32]
        near = ZERO
        many = ZERO
        e = start
        while e < end:
            bit = np.uint64(state[np.uint64(indices[e]) << FOUR])
            many |= near & bit
            near |= bit
            e += ONE32
        taken = near
        e = start
        while e < end:
            w = np.uint64(indices[e]) << FOUR
            taken |= state[w | NEAR] if state[w] & many else state[w | HUBS]
            e += ONE32
        free = ~taken & palette(v, rows, state)
        if free == ZERO:
            return np.int64(i)
        place(indptr, indices, state, v, free & (~free + ONE), near, many, neutral)
        i += ONE
    return np.int64(n)


@njit(cache=True, nogil=True, inline="always")
def place(
    indptr: Any, indices: Any, state: Any, v: Any, color: Any, near: Any, many: Any, neutral: Any
) -> None:  # fmt: skip
    """Give v a color, and keep the sets of its neighbors."""
    hubs = ZERO
    e = indptr[v]
    end = indptr[v + ONE32]
    while e < end:
        u = indices[e]
        e += ONE32
        w = np.uint64(u) << FOUR
        bit = np.uint64(state[w])
        if bit == ZERO:
            if neutral is not None and neutral[u]:
                state[w | HUBS] |= color
            continue
        if state[w | NEAR] & color:
            hubs |= bit
            if state[w | MANY] & color == ZERO:
                state[w | MANY] |= color
                f = indptr[u]
                while state[np.uint64(indices[f]) << FOUR] != color:
                    f += ONE32
                state[(np.uint64(indices[f]) << FOUR) | HUBS] |= bit
        else:
            state[w | NEAR] |= color
        if bit & many:
            state[w | HUBS] |= color
    at = np.uint64(v) << FOUR
    state[at] = color
    state[at | NEAR] = near
    state[at | MANY] = many
    state[at | HUBS] = hubs


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


@njit(cache=True, nogil=True)
def mark_hubs(indptr: Any, indices: Any, colors: Any, hub: Any, last: Any) -> None:
    """Set the byte of each entry (w, x) for which x has another neighbor of the color of w, as `wide` keeps them.

    `last` is zero, with a place per color; x + 1 tells that x has seen a color, −x − 1 that it has twice.
    """
    for x in range(colors.size):
        if colors[x] < 0:
            continue
        for again in range(2):
            e = indptr[x]
            while e < indptr[x + 1]:
                w = indices[e]
                c = colors[w]
                e += ONE32
                if c < 0:
                    continue
                if again == 0:
                    last[c] = -x - 1 if last[c] == x + 1 or last[c] == -x - 1 else x + 1
                elif last[c] == -x - 1:
                    hub[entry(indptr, indices, w, np.uint32(x))] = 1


@njit(cache=True, nogil=True)
def wide(
    indptr: Any, indices: Any, sequence: Any, colors: Any, hub: Any, marks: Any, rows: Any, first: Any,
    neutral: Any,
) -> None:  # fmt: skip
    """Color from position `first` on, with any number of colors.

    Rows of `marks` have, per color, the last vertex (+ 1, by position) that was forbidden it, saw it on a neighbor, and
    saw it on two.
    """
    taken, near, many = marks[0], marks[1], marks[2]
    for j in range(taken.size):
        taken[j] = 0
    step = np.int64(2) if rows else np.int64(1)
    for i in range(first, sequence.size):
        v = sequence[i]
        stamp = np.int32(i + 1)
        start = indptr[v]
        end = indptr[v + ONE32]
        e = start
        while e < end:
            c = colors[indices[e]]
            e += ONE32
            if c >= 0:
                if near[c] == stamp:
                    many[c] = stamp
                near[c] = stamp
                taken[c] = stamp
        e = start
        while e < end:
            w = indices[e]
            e += ONE32
            all_ = neutral is not None and neutral[w]
            if colors[w] >= 0:
                all_ = many[colors[w]] == stamp
            elif not all_:
                continue
            f = indptr[w]
            while f < indptr[w + ONE32]:
                x = indices[f]
                if (all_ or hub[f]) and colors[x] >= 0:
                    taken[colors[x]] = stamp
                f += ONE32
        c = np.int64(1) if rows and v >= rows else np.int64(0)
        while taken[c] == stamp:
            c += step
        e = start
        while e < end:
            w = indices[e]
            if colors[w] >= 0:
                if many[colors[w]] == stamp:
                    hub[entry(indptr, indices, w, v)] = 1
                f = indptr[w]
                while f < indptr[w + ONE32] and colors[indices[f]] != c:
                    f += ONE32
                if f < indptr[w + ONE32]:
                    hub[e] = 1
                    hub[entry(indptr, indices, indices[f], w)] = 1
            e += ONE32
        colors[v] = c
