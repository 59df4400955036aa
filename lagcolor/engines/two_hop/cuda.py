"""First-fit of vertices in nets on a GPU; each net stores its colors as bits (net_bits.cu).

If nets are large, or need many bits, warps take vertices in order instead, and each reads all vertices of its nets
(first_fit.cu): rmat:20 at distance 2 by id takes 226 ms that way, and 22 by bits (one H200).

==========  ==================================================================
sequence    vertices in the order of coloring; None: by id
earlier     number of earlier vertices in the nets of each vertex, counted once per shared net
bits        colors of each net, 64 per word
number      number of colors of each net, if nets have several words
color       colors; at first the position of each vertex in the sequence
state       without bits: color, or 2³² − 1 − position of an uncolored vertex
head        number of vertices taken so far
==========  ==================================================================

Device memory in addition to the nets and their members: 8 bytes per vertex and 8 per net, for up to 64 colors; else 8
per vertex, 4 per net and 8 per 64 colors and net, at first up to 64 per vertex and 8 per entry. Without bits 4 per
vertex.

References
----------
Gebremedhin, Manne, Pothen 2005, Algorithms 3.1 and 4.1, define the colors. Bits per net are as in windows.py. We know
no paper that compares the number of colors of a net with the number of earlier vertices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...graph.nets import Nets, csr, offsets_of

BY_WARPS = dev.Source(__file__, "first_fit.cu", BLOCK=128, STATE_BITS=32)
WARP = 32
GROUPS = (4, 8, 32)  # lanes that read a net; four entries per lane at a time
FLIPPED = np.uint32(2**32 - 1)  # the state of an uncolored vertex is this minus its position
BY_BITS = dev.Source(__file__, "net_bits.cu", BLOCK=128)
COLORS = 64  # colors of a word
ONE_WORD = 40  # largest net that tries one word: first-fit needs up to about 1.6 times as many colors
LARGEST = 2048  # largest net in which all pairs are compared
LANES = (1, 8, 32)  # lanes of a vertex, and of a net
WIDE_LANES = 128  # lanes of a vertex if nets have several words: large degrees then take the time
# Blocks per multiprocessor, by lanes. With more blocks, waiting vertices slow down the others through the cache. With
# 2 / 4 / 8 / 16 on one H200, random order: grid2d:1000 0.21 / 0.25 / 0.37 / 0.56 ms, rgg:20 0.86 / 0.63 / 0.89 / 1.27;
# by id grid2d:1000 27 / 16 / 12 / 17; random runs of ids road:3200 7.6 / 4.3 / 4.6 / 4.9.
BLOCKS = {1: 4, 8: 4, 32: 2, 128: 4}
CHUNK = 4  # several words of a net are a multiple of this
BYTES = 64  # most bytes of bits per vertex, in addition to 8 per entry


def first_fit_in_nets(nets: Nets, sequence: Any = None) -> Any:
    """Return the colors of sequential first-fit."""
    colors = first_fit_by_bits(nets, sequence) if fits(nets) else None
    return _by_warps(nets, sequence) if colors is None else colors


def _by_warps(nets: Nets, sequence: Any) -> Any:
    """Color with two hops per vertex, for nets of any size."""
    cp, n = dev.cupy(), nets.n
    state = cp.empty(n, np.uint32)
    if n == 0:
        return state.view(np.int32)
    run = BY_WARPS.of(offsets_of(nets), GROUP=_group(nets))
    order, head = 0 if sequence is None else sequence, cp.zeros(1, np.uint32)
    run.launch("set_places", n, np.int64(n), order, FLIPPED, state)
    most = run.resident("color_in_nets")
    run.launch("color_in_nets", n * WARP, np.int64(n), order, *csr(nets), head, state, most=most)
    return state.view(np.int32)


def _group(nets: Nets) -> int:
    """Return the lanes per net: at least half of the mean size of a net, up to a warp."""
    mean = nets.m / max(nets.of_vertices.columns, 1)
    return next((lanes for lanes in GROUPS if mean <= 2 * lanes), GROUPS[-1])


def fits(nets: Nets) -> bool:
    """Return whether nets are small enough for bits, and the bits take little memory compared with the nets."""
    if nets.largest_net > LARGEST or nets.of_vertices.max_degree * nets.largest_net >= 2**32:
        return False
    return 8 * _words(nets) * nets.of_vertices.columns <= BYTES * nets.n + 8 * nets.m


def first_fit_by_bits(nets: Nets, sequence: Any = None) -> Any:
    """Return the colors of sequential first-fit, or None if they do not fit into the bits."""
    cp, n = dev.cupy(), nets.n
    color, earlier = cp.empty(n, np.int32), cp.zeros(n, np.uint32)
    if n == 0:
        return color
    if sequence is not None:
        _kernels(nets, 1, 0).launch("set_places", n, np.int64(n), sequence, np.uint32(0), color)
    lanes = _lanes(nets.m / max(nets.of_vertices.columns, 1), 4)
    number, place = nets.members.rows, 0 if sequence is None else color
    args = np.int64(number), place, *csr(nets)[2:], earlier
    _kernels(nets, lanes, 0).launch("count_earlier", number * lanes, *args)
    words = _words(nets)
    while 8 * words * nets.of_vertices.columns <= 2 * (BYTES * n + 8 * nets.m):
        if _color(nets, sequence, words, earlier, color):
            return color
        words = max(2 * words, CHUNK)
    return None


def _color(nets: Nets, sequence: Any, words: int, earlier: Any, color: Any) -> bool:
    """Color with `words` words per net; return whether they are enough."""
    cp, n, wide = dev.cupy(), nets.n, words > 1
    bits = cp.zeros(nets.of_vertices.columns * words, np.uint64)
    number = cp.zeros(nets.of_vertices.columns, np.uint32) if wide else 0
    head = cp.zeros(2, np.uint32)
    lanes = WIDE_LANES if wide else _lanes(nets.m / n, 7)
    run = _kernels(nets, lanes, int(wide))
    order, (*rows, _, _, closed) = 0 if sequence is None else sequence, csr(nets)
    args = (*rows, closed, np.int32(words), earlier, bits, number, head, head[1:], color)
    most = run.resident("color_by_bits", BLOCKS[lanes])
    run.launch("color_by_bits", n * lanes, np.int64(n), order, *args, most=most)
    return not int(head[1])


def _words(nets: Nets) -> int:
    """Return the words per net to try first: first-fit needs few more colors than a large net has vertices."""
    return 1 if nets.largest_net <= ONE_WORD else CHUNK * -(-5 * nets.largest_net // (4 * COLORS * CHUNK))


def _lanes(mean: float, alone: int) -> int:
    """Return the lanes of a row: one up to a mean of `alone`, more for longer rows."""
    return LANES[0] if mean <= alone else LANES[1] if mean <= 32 else LANES[2]


def _kernels(nets: Nets, lanes: int, wide: int) -> Any:
    return BY_BITS.of(offsets_of(nets), GROUP=lanes, WIDE=wide)
