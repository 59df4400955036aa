"""Approximate degeneracy (ADG): remove all vertices of at most (1 + ε) times the average degree, again and again.

Vertices removed later are colored earlier; those that went together are in tie order. First-fit then needs at
most 2(1 + ε)·degeneracy + 1 colors, for the average degree of a subgraph is at most twice the degeneracy.

Progress: the least degree never exceeds the average, so each round removes a vertex; for ε > 0 there
are O(log n) rounds, as at least ε / (1 + ε) of the vertices go in each.

The threshold is ⌊(1 + ε)·S / U⌋ for S the sum of the degrees of the U vertices left, in float64, one
multiplication and one division: the same on CPU and GPU, hence the same permutation.

References
----------
Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler 2020, "High-performance parallel graph coloring
with strong guarantees on work, depth, and quality" (Algorithm 1, ADG, as used in JP-ADG).
"""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from .. import device as dev
from ..errors import OptionError
from ..graph import Graph
from .by_key import by_key
from .stacks import unsigned

SOURCE = Path(__file__).with_suffix(".cu")
ROUNDS = Path(__file__).with_name("removal_rounds.cu")
EPS = 0.01
NO_LIMIT = 2.0**31  # over any degree
BATCH = 8  # rounds between two looks from the host
BLOCK, WARP, HUB = 256, 32, 2048  # as in removal_rounds.cu
TOGETHER = 4  # blocks a multiprocessor
ONE_LAUNCH = True


def approximate_degeneracy(G: Graph, seed: int | None, eps: float = EPS) -> Any:
    """Vertices by falling round of removal, ties by `seed` (Besta et al. 2020, ADG).

    Parameters
    ----------
    G : Graph
    seed : int or None
    eps : float
        ε ≥ 0: larger ones make fewer rounds and a looser bound.

    Returns
    -------
    array of int32, shape (n,)
        First colored first, on the graph's device.

    Raises
    ------
    OptionError
        `eps` is negative or not finite.
    """
    level, rounds = removal_rounds(G, eps)
    return by_key(G, level, rounds, seed)


def removal_rounds(G: Graph, eps: float = EPS) -> tuple[Any, int]:
    """Round in which each vertex goes, from 0 on: int32, shape (n,), on the graph's device; and how many there are.

    Raises
    ------
    OptionError
        `eps` is negative or not finite.
    """
    if isinstance(eps, (str, bool)) or not (math.isfinite(eps) and eps >= 0):
        raise OptionError(f"eps must be a number from 0 on, not {eps!r}")
    if G.on_gpu:
        if not ONE_LAUNCH:
            return _levels_gpu(G, 1.0 + eps)
        level, rounds = rounds_on_gpu(G, eps)
        return level, int(rounds[0])
    return levels(*unsigned(G), G.degrees.copy(), 1.0 + eps)


@njit(cache=True, nogil=True)
def levels(indptr: Any, indices: Any, degree: Any, factor: Any) -> Any:
    """Round in which each vertex goes, int32, and the number of rounds. `degree` is used up."""
    n = degree.size
    level = np.full(n, -1, np.int32)
    live = np.arange(n).astype(np.uint32)
    gone = np.empty(n, np.uint32)
    left = n
    total = indices.size
    step = 0
    while left > 0:
        threshold = math.floor(min(factor * total / left, NO_LIMIT))
        kept = 0
        for i in range(left):
            v = live[i]
            if degree[v] <= threshold:
                gone[i - kept] = v
                level[v] = step
                total -= degree[v]
            else:
                live[kept] = v
                kept += 1
        for i in range(left - kept):
            v = gone[i]
            for e in range(indptr[v], indptr[v + np.uint32(1)]):
                u = indices[e]
                if level[u] < 0:
                    degree[u] -= 1
                    total -= 1
        left = kept
        step += 1
    return level, step


def rounds_on_gpu(G: Graph, eps: float = EPS) -> tuple[Any, Any]:
    """As `removal_rounds` of a graph on a GPU, without a wait: the number of rounds is an array of one."""
    cp, n = dev.cupy(), G.n
    level, control = cp.empty(n, np.int32), cp.zeros(11, np.uint64)
    if n:
        kernel = dev.kernel(ROUNDS, "removal_rounds", OFFSET_BITS=8 * G.indptr.itemsize)
        groups = -(-n // WARP)
        blocks = min(_together(cp, cp.cuda.runtime.getDevice(), kernel), max(1, -(-max(n, G.m // 16) // BLOCK)))
        warps = blocks * (BLOCK // WARP)
        room = WARP * -(-groups // warps)
        factor = int(np.float64(1.0 + eps).view(np.int64))
        degree, lists, hubs = (
            cp.empty(n, np.int32),
            cp.empty(2 * room * warps, np.int32),
            cp.empty(G.m // HUB, np.int32),
        )
        args = (G.indptr, G.indices, n, G.m, factor, degree, level, lists, room, hubs)
        shared = (control[9:], control[:9], control[10:])  # where blocks meet, sums of three rounds, rounds
        kernel.kernel((blocks,), (BLOCK,), (*args, *shared), enable_cooperative_groups=True)
    return level, control[10:]


@functools.cache
def _together(cp: Any, device: int, kernel: Any) -> int:
    """Blocks of a kernel that surely run at the same time; 1 where the device promises no more."""
    attributes = cp.cuda.Device(device).attributes
    fit = cp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, BLOCK, 0)
    return max(1, attributes["CooperativeLaunch"] * attributes["MultiProcessorCount"] * min(fit, TOGETHER))


def _levels_gpu(G: Graph, factor: float) -> tuple[Any, int]:
    """The same in batches of rounds; rounds past the end do nothing."""
    cp = dev.cupy()
    level = cp.full(G.n, -1, np.int32)
    degree = G.degrees.copy()
    queue = cp.empty(G.n, np.int32)
    # Vertices left, sum of their degrees, vertices queued, degrees lost, rounds: see the .cu file.
    state = cp.array([G.n, G.m, 0, 0, 0], np.uint64)
    lanes = 8 if G.m < 16 * G.n else 32
    macros = {"OFFSET_BITS": 8 * G.indptr.itemsize, "LANES": lanes}
    collect, remove, close = (dev.kernel(SOURCE, f, **macros) for f in ("collect", "remove_round", "close_round"))
    most = 32 * cp.cuda.Device().attributes["MultiProcessorCount"]
    left, rounds = G.n, 0
    while left:
        for _ in range(BATCH):
            vertices = (np.int32(G.n), degree, np.float64(factor), state, queue, level)
            collect((min(-(-G.n // BLOCK), most),), (BLOCK,), vertices)
            rows = (G.indptr, G.indices, degree, state, queue, level)
            remove((min(-(-left * lanes // BLOCK), most),), (BLOCK,), rows)
            close((1,), (1,), (state,))
        left, *_, rounds = state.tolist()
    return level, rounds
