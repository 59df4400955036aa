"""Hash coloring: vertices propose neighbors, which reuse a color that their hash table allows; conflicts are resolved.

==========  ============================================================================================
R           the paper's random numbers: priorities, a permutation, so without ties
C           colors, −1 while uncolored
H           hash table of `size` entries per vertex: 1 + colors of neighbors, 0 if free
used        for each color, 1 if a vertex has it (UsedColors)
trial       upper half: −1 − the last round in which a vertex was proposed; lower half: the color that it tried
lost        1 + the last round in which a vertex lost a conflict
again       1 for a vertex that tried the color of an earlier colored neighbor
==========  ============================================================================================

A round has three compute operators, each with a loop per vertex:

- color: every uncolored vertex proposes the uncolored vertices of greatest and of least priority in its closed
  neighborhood. Each proposed vertex tries the least used color that is not in its table, or else a new color: in
  round k 2k for the greatest, 2k + 1 for the least (the paper's color + 1 and color + 2).
- conflict resolution: of two neighbors with the same color, one loses it.
- hash generation: an uncolored vertex enters its neighbors' new colors into its table, in the order of its row. A
  color goes to the entry of its remainder, or to the next free entry. A full table ignores further colors, so later
  trials can be in conflict with colored neighbors.

The colors do not depend on the schedule: a vertex that is proposed as greatest and as least tries the smaller of the
two colors, and the operators read only colors of earlier rounds.

The paper does not specify which of two vertices in conflict loses its color, or why the rounds end. Here it is the
vertex colored later, and within a round the vertex of lower priority. A vertex that lost to an earlier colored neighbor
whose color is not in its table would always try the same color, so from then on it takes new colors.

Progress: the uncolored vertex w of greatest priority proposes itself. It can only lose to a colored neighbor, and at
most once, because its next color is new and no vertex that tries it has a greater priority. Colored vertices stay
colored, so n vertices take at most 2n rounds.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithm 6. Line 12 always compares
with R[v]; the implementation follows the text, "the largest random number relative to all neighbors".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.device.compiled import njit
from ...base.log import Log
from ...base.options import whole
from ...frontier.operators import Operators, functor, least, on, store
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .enactor import PAPER, close_gaps, until_colored

ENTRIES = 32  # not specified in the paper; 128 bytes per vertex
LOW = 2**32 - 1


@njit(cache=True)
def forbids(H: Any, size: Any, v: Any, c: Any) -> Any:
    """True if the table of v contains color c."""
    for i in range(size):
        x = H[v * size + (c + i) % size]
        if x == c + 1:
            return True
        if x == 0:
            return False
    return False


@functor(
    """
    if (C[v] >= 0) return;
    int ends[2] = {v, v};
    for (long long e = indptr[v]; e < indptr[v + 1]; e++) {
        int u = indices[e];
        if (C[u] >= 0) continue;
        if (R[u] > R[ends[0]]) ends[0] = u;
        if (R[u] < R[ends[1]]) ends[1] = u;
    }
    for (int end = 0; end < 2; end++) {
        long long x = ends[end], c = again[x] ? 2 * k : 0;
        for (; c < 2 * k; c++) {
            if (!used[c]) continue;
            bool forbidden = false;
            for (long long j = 0; j < size; j++) {
                int entry = H[x * size + (c + j) % size];
                forbidden = entry == c + 1;
                if (forbidden || entry == 0) break;
            }
            if (!forbidden) break;
        }
        least(trial, x, -(k + 1) * (1ll << 32) + (c < 2 * k ? c : 2 * k + end));
    }
    """
)
def propose(
    v: Any, C: Any, R: Any, indptr: Any, indices: Any, H: Any, size: Any, used: Any, again: Any, trial: Any, k: Any
) -> None:
    """HashColorOp: propose colors for the vertices of greatest and least priority in the closed neighborhood."""
    if C[v] >= 0:
        return
    largest = smallest = v
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        if C[u] >= 0:
            continue
        if R[u] > R[largest]:
            largest = u
        if R[u] < R[smallest]:
            smallest = u
    for end in range(2):
        x = smallest if end else largest
        c = 2 * k if again[x] else 0
        while c < 2 * k and (not used[c] or forbids(H, size, x, c)):
            c += 1
        least(trial, x, (-(k + 1) << 32) + (c if c < 2 * k else 2 * k + end))


@functor(
    """
    long long own = trial[v];
    if (C[v] >= 0 || own >> 32 != -(k + 1)) return;
    int c = (int)own;
    for (long long e = indptr[v]; e < indptr[v + 1]; e++) {
        int u = indices[e];
        bool older = C[u] == c;
        if (older) again[v] = 1;
        if (older || (trial[u] == own && R[u] > R[v])) lost[v] = k + 1;
    }
    """
)
def resolve(v: Any, C: Any, R: Any, indptr: Any, indices: Any, trial: Any, again: Any, lost: Any, k: Any) -> None:
    """Conflict resolution: mark a proposed vertex that loses its color to a neighbor."""
    own = trial[v]
    if C[v] >= 0 or own >> 32 != -(k + 1):
        return
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        older = C[u] == own & LOW
        if older:
            again[v] = 1
        if older or (trial[u] == own and R[u] > R[v]):
            lost[v] = k + 1


@functor(
    """
    if (C[v] >= 0) return;
    if (trial[v] >> 32 == -(k + 1) && lost[v] != k + 1) {
        C[v] = (int)trial[v];
        store(used, C[v], 1);
        return;
    }
    store(left, i, 1);
    for (long long e = indptr[v]; e < indptr[v + 1]; e++) {
        int u = indices[e];
        if (trial[u] >> 32 != -(k + 1) || lost[u] == k + 1) continue;
        int c = (int)trial[u];
        for (long long j = 0; j < size; j++) {
            long long at = v * size + (c + j) % size;
            if (H[at] == 0) H[at] = c + 1;
            if (H[at] == c + 1) break;
        }
    }
    """
)
def generate(
    v: Any, indptr: Any, indices: Any, C: Any, trial: Any, lost: Any, H: Any, size: Any, used: Any, left: Any,
    i: Any, k: Any,
) -> None:  # fmt: skip
    """Hash generation: fix the color of a vertex that did not lose; others add new colors to their tables."""
    if C[v] >= 0:
        return
    if trial[v] >> 32 == -(k + 1) and lost[v] != k + 1:
        C[v] = trial[v] & LOW
        store(used, C[v], 1)
        return
    store(left, i, 1)
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        if trial[u] >> 32 != -(k + 1) or lost[u] == k + 1:
            continue
        c = trial[u] & LOW
        for j in range(size):
            at = v * size + (c + j) % size
            if H[at] == 0:
                H[at] = c + 1
            if H[at] == c + 1:
                break


@coloring(
    "gunrock_hash",
    style="frontier",
    paper=f"{PAPER} 6",
    bound="2 a round",
    passes=True,
    order="random",
    seed=0,
    needs="p",
    options={"table": f"entries in the hash table of forbidden colors of each vertex; default {ENTRIES}"},
)
def gunrock_hash(G: Graph, p: Priorities, log: Log, table: int = ENTRIES) -> Any:
    """Speculative coloring of proposed neighbors, with a lossy hash table of forbidden colors per vertex."""
    return color_by_hash(on(G), p.p, log, whole("table", table, 1, of="entries"))


def color_by_hash(ops: Operators, R: Any, log: Log, table: int) -> Any:
    """Color with the operators of an engine; `R` are priorities."""
    G, xp = ops.G, ops.xp
    size = min(table, max(G.max_degree, 1))  # a vertex enters at most one color per neighbor
    C, H = xp.full(G.n, -1, np.int32), xp.zeros(G.n * size, np.int32)
    again, lost, trial = xp.zeros(G.n, np.int32), xp.zeros(G.n, np.int32), xp.zeros(G.n, np.int64)
    used = xp.zeros(64, np.int32)
    rows = {"indptr": G.indptr, "indices": G.indices}

    def step(k: int, left: Any, i: int) -> None:
        nonlocal used
        if 2 * k + 2 > len(used):
            used = xp.concatenate([used, xp.zeros_like(used)])
        all_, shared = ops.all(), {"C": C, "trial": trial, "k": k, **rows}
        ops.compute(all_, propose, R=R, H=H, size=size, used=used, again=again, **shared)
        ops.compute(all_, resolve, R=R, again=again, lost=lost, **shared)
        ops.compute(all_, generate, lost=lost, H=H, size=size, used=used, left=left, i=i, **shared)

    close_gaps(ops, C, 2 * until_colored(ops, C, log, step, lost))
    return C
