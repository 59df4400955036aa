"""Rounds of Che et al.'s colorings on threads of a CPU: the twin of rounds.cu.

In a round every uncolored vertex that no uncolored neighbour's value is over takes the round's color. A vertex waits
for the first such neighbour of its row; as long as the values stay, those before it are looked at no more.
Each thread has a share of the vertices and a list of those of them that are left; a round costs it a look at one
color a vertex, and one meeting with the other threads.

==========  ========================================================================================
value       priorities, or degrees (`ties`), int32
colors      −1, then for a vertex that degree labelling cannot color TIED, then its final color
cursor      the edge to the neighbour that a vertex waits for
listed      vertices of the lists, share after share, and beside each the neighbour that it waits for
state       vertices without a color, the next color, rounds done, how many the last one colored
==========  ========================================================================================

Colors are written and read through relaxed atomics; one of the round at hand counts as none, so that the result does
not depend on who is first. With few vertices left one thread goes on alone: a meeting costs more than the round.

References
----------
Che, Rodgers, Beckmann, Reinhardt 2015, "Graph Coloring on the GPU and Some Techniques to Improve Load
Imbalance", Algorithms 1 and 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import threads as cpu_threads
from ...device.compiled import njit
from ...device.intrinsics import fence, fetch_add, load_relaxed, store_relaxed, yield_core
from ...engines.greedy.sequential import ONE, ONE32, unsigned
from ...graph import Graph

TIED = np.int32(-2)
LEFT, NEXT_COLOR, ROUNDS, COLORED = range(4)  # of `state`
ARRIVAL = np.int64(1 << 40)  # meeting: threads that have come, above what they add up
SPINS = 200  # looks at a meeting before the core is offered to others
LOOKS = 1 << 26  # vertices of rounds in one call
ALONE = 1 << 13  # vertices left from which one thread goes on alone


def whole_rounds(left: int) -> int:
    """Rounds of a fraction of a second in all, between which Ctrl-C is heard."""
    return max(1, LOOKS // max(left, 1))


class CpuRounds:
    """The state between rounds; see `che_gpu.GpuRounds`, which does the same."""

    def __init__(self, G: Graph, threads: int) -> None:
        self.G, self.threads = G, threads
        self.indptr, self.indices = unsigned(G)
        self.colors = np.full(G.n, -1, np.int32)
        self.cursor = np.empty(G.n, self.indptr.dtype)
        self.listed = np.empty((2, G.n), np.uint32)
        edges = np.linspace(0, G.m, threads + 1)  # as many edges a thread, nearly
        self.begins = np.searchsorted(G.indptr[: G.n], edges).astype(np.uint32)
        self.begins[0], self.begins[-1] = 0, G.n
        self.lengths = np.zeros(threads, np.int64)
        self.state = np.array([G.n, 0, 0, 0], np.int64)

    def advance(self, p: Any, fresh: bool, rounds: int, least: int = 0) -> int:
        """Up to `rounds` rounds; see `che_gpu.GpuRounds.advance`."""
        value, ties = (self.G.degrees, True) if p is None else (p, False)
        words = np.zeros(3, np.int64)
        workers = self.threads if self.left > ALONE else 1
        rounds = min(rounds, whole_rounds(self.left))

        def work(i: int) -> None:
            rounds_of_thread(
                i, workers, self.indptr, self.indices, value, self.colors, self.cursor, self.listed, self.begins,
                self.lengths, self.state, words, ties, fresh, rounds, least, ALONE,
            )  # fmt: skip

        cpu_threads.run(work, workers, barriers=True)
        return int(self.state[ROUNDS])

    @property
    def left(self) -> int:
        """Vertices without a color."""
        return int(self.state[LEFT])

    @property
    def n_colors(self) -> int:
        """Colors given so far."""
        return int(self.state[NEXT_COLOR])

    @property
    def last(self) -> int:
        """How many the last round colored."""
        return int(self.state[COLORED])


@njit(cache=True, nogil=True)
def barrier_and_sum(words: Any, turn: Any, me: Any, threads: Any, mine: Any) -> Any:
    """Wait until all threads have come to meeting number `turn`; the sum of what each brings.

    `words` are three, all 0, that take turns. Nobody waits for ever: who has come only waits, and all come.
    """
    here = np.uint64(turn % 3)
    fence()  # what was written before the meeting, all see after it
    fetch_add(words, here, ARRIVAL + mine)
    spins = 0
    while load_relaxed(words, here) // ARRIVAL < threads:
        spins += 1
        if spins > SPINS:
            yield_core()
    fence()
    if me == 0:  # all have left the word of the meeting before, and none comes to it before the next but one
        store_relaxed(words, np.uint64((turn + 2) % 3), np.int64(0))
    return load_relaxed(words, here) % ARRIVAL


@njit(cache=True, nogil=True)
def rounds_of_thread(
    me: Any, threads: Any, indptr: Any, indices: Any, value: Any, colors: Any, cursor: Any, listed: Any, begins: Any,
    lengths: Any, state: Any, words: Any, ties: Any, fresh: Any, rounds: Any, least: Any, alone: Any,
) -> None:  # fmt: skip
    """What thread `me` does in up to `rounds` rounds; where `threads` is 1 it has all shares."""
    first, last = (0, lengths.size) if threads == 1 else (me, me + 1)
    left, k, done = state[LEFT], np.int32(state[NEXT_COLOR]), 0
    colored = np.int64(least)
    while done < rounds and left > 0 and colored >= least:
        mine = np.int64(0)
        for share in range(first, last):
            begin = np.uint64(begins[share])
            kept = begin
            i = begin
            stop = np.uint64(begins[share + 1]) if fresh else begin + np.uint64(lengths[share])
            while i < stop:
                v = np.uint32(i)
                if fresh:
                    e = indptr[v]
                    searching = load_relaxed(colors, np.uint64(v)) < 0
                    if not searching:
                        i += ONE
                        continue
                else:
                    v = listed[0, i]
                    u = listed[1, i]
                    c = load_relaxed(colors, np.uint64(u))
                    searching = c >= 0 and c != k
                    e = cursor[v] + ONE32
                i += ONE
                if searching:
                    value_of_v = value[v]
                    end = indptr[v + ONE32]
                    while e < end:
                        u = indices[e]
                        if value[u] >= value_of_v:
                            c = load_relaxed(colors, np.uint64(u))
                            if c < 0 or c == k:
                                break
                        e += ONE32
                    if e == end:
                        store_relaxed(colors, np.uint64(v), k)
                        mine += 1
                        continue
                    if ties and value[u] == value_of_v:
                        store_relaxed(colors, np.uint64(v), TIED)
                        continue
                    cursor[v] = e
                elif ties and c == TIED:  # waits for one that is never colored
                    store_relaxed(colors, np.uint64(v), TIED)
                    continue
                listed[0, kept] = v
                listed[1, kept] = u
                kept += ONE
            lengths[share] = np.int64(kept - begin)
        fresh = False
        # Alone it must not touch `words`: another thread may still be reading the last meeting's.
        colored = mine if threads == 1 else barrier_and_sum(words, done, me, threads, mine)
        left -= colored
        k += np.int32(colored > 0)
        done += 1
        if threads > 1 and left <= alone:
            if me != 0:
                return
            first, last, threads = 0, lengths.size, 1
    if me == 0:
        state[LEFT], state[NEXT_COLOR], state[ROUNDS], state[COLORED] = left, k, done, colored
