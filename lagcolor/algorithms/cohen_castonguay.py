"""Cohen–Castonguay: several hashes per round; the local maxima and the local minima of each take a color.

==========  =====================================================================================
hashes      N; a round has 2N sets and 2N new colors
set         2j: the local maxima of hash j among uncolored vertices; 2j + 1: its local minima
sets        a bit for each set that contains a vertex; the vertex takes the color of the first
word        seed of the hashes of a round
base        the first color of the round
==========  =====================================================================================

Local maxima of a hash form an independent set, and so do local minima. A round colors about 1 − (1 − 2 / (d + 1))ᴺ of
the vertices of degree d, far more than with one hash. More hashes cost colors, because no set is maximal. On rmat20
N = 1 takes 35 rounds and 70 colors, N = 4 11 and 83, N = 16 5 and 127. With one hash for all rounds, N = 1 took 61 and
122, so each round draws new hashes.

The requested order is the first hash of the first round; all others are hashes of seed, round and id.

Progress: the uncolored vertex with the largest hash is a local maximum, and is colored.

With `fraction`, rounds end when that part of the vertices has colors. The others stay −1, and `notes["uncolored"]` is
their number. cuSPARSE's csrcolor gives each of them a color of its own.

References
----------
Cohen, Castonguay 2012, "Efficient graph matching and coloring on the GPU", GPU Technology Conference.
Naumov, Castonguay, Cohen 2015, "Parallel graph coloring with applications to the incomplete-LU factorization on
the GPU", NVIDIA technical report NVR-2015-001 (csrcolor).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device.bits import mix32
from ..base.device.compiled import njit
from ..base.device.intrinsics import ctz64
from ..base.log import Log
from ..base.options import number, whole
from ..engines.greedy.sequential import ONE, ONE32, ZERO
from ..engines.rounds.worklists import NULL, Rounds, renumber
from ..graph.graph import Graph
from ..graph.pattern import unsigned
from ..orders import Priorities
from ..orders.ties import seed_word
from ..problems.registry import coloring

SOURCE = dev.Source(__file__)
HASHES, MOST_HASHES = 4, 16  # 16: the sets of a round are the bits of a word
GOLDEN = 0x9E3779B9
MASK32 = np.uint64(2**32 - 1)


@coloring(
    "cohen_castonguay",
    style="kernel",
    paper="Naumov, Castonguay, Cohen 2015, csrcolor",
    bound="2 · hashes per round",
    passes=True,
    order="random",
    seed=0,
    needs=None,
    options={
        "hashes": "hashes per round, 1 to 16 (default 4): more make fewer rounds and more colors",
        "fraction": "part of the vertices to color, 0 to 1 (default); the rest stays -1, see notes['uncolored']",
    },
)
def cohen_castonguay(G: Graph, p: Priorities, log: Log, hashes: int = HASHES, fraction: float = 1.0) -> Any:
    """Local maxima and minima of several hashes per round take a color each (csrcolor)."""
    hashes, fraction = whole("hashes", hashes, 1, MOST_HASHES), number("fraction", fraction, 0, 1)
    enough = G.n - math.ceil(fraction * G.n)
    # The kernels compute the random order themselves: a hash of seed and id.
    first_hash = None if p.name == "random" else p.p
    run = _gpu if G.on_gpu else _cpu
    colors, left = run(G, first_hash, p.seed or 0, log, hashes, enough)
    if fraction < 1:
        log.notes["uncolored"] = left
    return colors


def _word(seed: int, r: int) -> int:
    """Seed of the hashes of round r; in round 0 the seed of the random order."""
    if r == 0:
        return seed_word(seed)
    return int(mix32((seed_word(seed) + r * GOLDEN) % 2**32))


def numbering(used: np.ndarray, sets: int) -> np.ndarray | None:
    """New numbers that map the used colors to 0 … k − 1; None if the colors have no gaps."""
    flags = (used[:, None] >> np.arange(sets, dtype=np.uint32) & 1).astype(bool).ravel()
    number = np.cumsum(flags, dtype=np.int32) - np.int32(1)
    top = int(np.flatnonzero(flags)[-1]) if flags.any() else -1
    return None if top < 0 or number[top] == top else number


# ---- GPU ---------------------------------------------------------------------------------------------------------


def _gpu(G: Graph, p: Any, seed: int, log: Log, hashes: int, enough: int) -> tuple[Any, int]:
    cp = dev.cupy()
    rounds = Rounds(G, SOURCE, HASHES=hashes)
    colors = rounds.uncolored()
    if G.n <= enough:
        colors.fill(-1)
        return colors, G.n
    first_hash = NULL if p is None else p
    left = rounds.run(log, first_hash, np.int64(seed_word(seed)), colors, stop=(np.int32(enough),))
    number = numbering(np.array(rounds.left_by_kernel, np.int32).view(np.uint32), 2 * hashes)
    if number is not None:
        renumber(colors, cp.asarray(number + np.int32(1)))
    return (cp.maximum(colors, np.int32(-1)) if left else colors), left


# ---- CPU ---------------------------------------------------------------------------------------------------------


def _cpu(G: Graph, p: Any, seed: int, log: Log, hashes: int, enough: int) -> tuple[np.ndarray, int]:
    indptr, indices = unsigned(G)
    odd = np.array([2 * j * GOLDEN + 1 & 2**32 - 1 for j in range(hashes)], np.uint64)
    colors, active = np.full(G.n, -1, np.int32), np.arange(G.n, dtype=np.uint32)
    used: list[int] = []
    while len(active) > enough:
        r, before = len(used), len(active)
        base = np.int32(2 * hashes * r)
        used.append(
            extrema(indptr, indices, p if r == 0 else None, colors, active, np.uint64(_word(seed, r)), base, odd)
        )
        active = active[colors[active] < 0]
        log.round(active=before, colored=before - len(active), conflicts=0)
    number = numbering(np.array(used, np.uint32), 2 * hashes)
    if number is not None:
        colors = np.where(colors < 0, np.int32(-1), number[colors])
    return colors, len(active)


@njit(cache=True, nogil=True)
def extrema(
    indptr: Any, indices: Any, p: Any, colors: Any, active: Any, word: Any, base: Any, odd: Any
) -> Any:  # fmt: skip
    """Color the vertices of `active` that are in a set; return a bit for each nonempty set."""
    used = ZERO
    first_odd = 0 if p is None else 1
    for v in active:
        key = mix32(np.uint64(v) ^ word)  # the common part of the hashes of v
        sets = (ONE << np.uint64(2 * odd.size)) - ONE
        for e in range(indptr[v], indptr[v + ONE32]):
            u = indices[e]
            if (colors[u] >= 0) & (colors[u] < base):
                continue
            other = mix32(np.uint64(u) ^ word)
            if p is not None:
                sets &= ~(ONE if p[u] > p[v] else ONE + ONE)
            for j in range(first_odd, odd.size):
                greater = (other * odd[j] & MASK32) > (key * odd[j] & MASK32)
                sets &= ~((ONE if greater else ONE + ONE) << np.uint64(2 * j))
            if sets == ZERO:
                break
        if sets != ZERO:
            which = ctz64(sets)
            used |= ONE << which
            colors[v] = base + np.int32(which)
    return used
