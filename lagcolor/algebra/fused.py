"""The four colorings of this folder with each round fused into one CuPy kernel over raw CSR arrays.

Same rounds, same colors; what fusing saves is the vectors between the verbs and the launches. One
thread works on a vertex, as in the paper's GraphBLAST, and stops at the first neighbour that decides.

======  =====================================================================================
w       weights p + 1, never changed here: who still is a candidate follows from c
c       color from 1 on, 0 uncolored
k       color or round at hand
======  =====================================================================================

A vertex waits for the first neighbour in its row that is larger and uncolored, and keeps its number in
its own word of c, negative: a round reads two words of it. What lost: reading the rows anew each round
(kron_g500-logn21 17 s), keeping the edge and not the neighbour (fd7-200 3.0 ms).

Shared words change monotonely: c from not positive to its final value, `out` and `front` to rising k. Within a
launch a neighbour that has just been colored k still counts as the candidate that it was when the
round began, so that it does not matter who is first.

Every `BATCH` rounds the host asks whether anyone is left; rounds after the last find nothing to do.
Counting in the rounds themselves lost: an atomic a warp on one counter doubled the time of fd7-200.

Reference: Osama, Truong, Yang, Buluç, Owens 2019, "Graph Coloring on the GPU", Algorithms 2 to 4.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import device as dev
from ..graph import Graph
from ..priorities import Priorities
from ..registry import ALGORITHMS, coloring
from ..result import Log
from . import jones_plassmann_gb, jones_plassmann_min, luby_is, luby_mis  # noqa: F401  (registered before their variants)

BATCH = 16
INNER = 4  # rounds of luby_mis_fused between two looks at whether anyone is undecided

PREAMBLE = (
    f"#define BATCH {BATCH}\n"
    + r"""
__device__ __forceinline__ int look(const int* at) {
    int x;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
    return x;
}
__device__ __forceinline__ void put(int* at, int x) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" :: "l"(at), "r"(x) : "memory");
}
// Whether i still waits: for a larger neighbour that has no c yet, or got k in this round. While it does, c[i] is
// -1 - that neighbour, so that a round costs a look at it; all before `cursor` are settled for good.
template <class O>
__device__ __forceinline__ bool waits(
    int i, int k, O begin, O end, const int* indices, const int* w, int* c, O* cursor) {
    O e = begin;
    if (c[i] < 0) {
        const int cu = look(&c[-1 - c[i]]);
        if (cu <= 0 || cu == k) return true;
        e = *cursor;
    }
    const int wi = w[i];
    for (; e < end; e++) {
        const int u = indices[e];
        if (w[u] > wi) {
            const int cu = look(&c[u]);
            if (cu <= 0 || cu == k) {
                *cursor = e + 1;
                put(&c[i], -1 - u);
                return true;
            }
        }
    }
    return false;
}
"""
)

WAITS = "waits(i, {k}, indptr[i], indptr[i + 1], &indices[0], &w[0], &{c}[0], &cursor[i])"

# One independent set: vertex i takes color k where no candidate beside it has a larger weight.
IS_ROUND = f"if (c[i] <= 0 && !{WAITS.format(k='k', c='c')}) put(&c[i], k);"

# A round towards a maximal independent set of color k: join, leave the race for k, or stay undecided.
MIS_ROUND = r"""
    const int k = state[0];
    if (c[i] == 0 && out[i] != k) {
        bool joins = true, leaves = false;
        for (O e = indptr[i]; e < indptr[i + 1] && !leaves; e++) {
            const int u = indices[e];
            if (w[u] > w[i]) {
                const int cu = look(&c[u]);
                leaves = cu == k;
                joins = joins && (cu != 0 || look(&out[u]) == k);
            }
        }
        if (leaves) put(&out[i], k);
        else if (joins) put(&c[i], k);
    }
"""

# After some rounds: the next color where nobody is undecided. state = color, steps that left someone uncolored.
MIS_STEP = r"""
    if (!undecided[0]) state[0]++;
    if (uncolored[0]) state[1]++;
"""

# The frontier of round k, and the colors beside it scattered into `taken`.
JP_ROUND = (
    """
    unsigned long long seen = 0;  // colors under 64, gathered over a warp before they are scattered
"""
    + f"    if (front[i] <= 0 && !{WAITS.format(k='k', c='front')}) {{"
    + r"""
        for (O a = indptr[i]; a < indptr[i + 1]; a++) {
            const int ca = c[indices[a]];
            if (ca < 64) seen |= 1ull << ca;
            else if (look(&taken[ca]) != k) put(&taken[ca], k);
        }
        put(&front[i], k);
    }
    const unsigned here = __activemask();
    for (int step = 16; step > 0; step /= 2) {
        const unsigned long long other = __shfl_down_sync(here, seen, step);
        if (here == 0xffffffffu) seen |= other;
    }
    if (here != 0xffffffffu || (threadIdx.x & 31) == 0)
        for (; seen; seen &= seen - 1) {
            const int ca = __ffsll(seen) - 1;
            if (look(&taken[ca]) != k) put(&taken[ca], k);
        }
"""
)

# The least color that round k found free, for all of its frontier.
JP_ASSIGN = r"""
    if (front[i] == k) {
        int least = 1;
        while (taken[least] == k) least++;
        c[i] = least;
    }
"""

# Scatter-min-color: vertex i takes the least color free beside it once all larger neighbours have theirs.
MIN_ROUND = (
    f"if (c[i] <= 0 && !{WAITS.format(k='-1', c='c')}) {{"
    + r"""
        unsigned long long seen = ~0ull;
        int base = -63;
        while (seen == ~0ull) {  // every color of the last window is taken: look at the next 64
            base += 64;
            seen = 0;
            for (O e = indptr[i]; e < indptr[i + 1]; e++) {
                const int u = indices[e];
                const unsigned j = w[u] > w[i] ? look(&c[u]) - base : 64u;
                if (j < 64u) seen |= 1ull << j;
            }
        }
        put(&c[i], base + __ffsll(~seen) - 1);
        when[i] = k;
    }
"""
)

CSR = "raw O indptr, raw int32 indices, raw int32 w"
# Name → what a kernel reads, what it writes (CuPy passes the former as const), its body.
KERNELS = {
    "is_round": (f"{CSR}, int32 k", "raw int32 c, raw O cursor", IS_ROUND),
    "mis_round": (f"{CSR}, raw int32 state", "raw int32 c, raw int32 out", MIS_ROUND),
    "mis_step": ("raw bool undecided, raw bool uncolored", "raw int32 state", MIS_STEP),
    "jp_round": (f"{CSR}, raw int32 c, int32 k", "raw int32 front, raw O cursor, raw int32 taken", JP_ROUND),
    "jp_assign": ("raw int32 front, raw int32 taken, int32 k", "raw int32 c", JP_ASSIGN),
    "min_round": (f"{CSR}, int32 k", "raw int32 c, raw O cursor, raw int32 when", MIN_ROUND),
}


@functools.cache
def kernel(name: str) -> Any:
    """The ElementwiseKernel of a row of `KERNELS`; `O` is the type of the offsets."""
    return dev.cupy().ElementwiseKernel(*KERNELS[name], f"lagcolor_{name}", preamble=PREAMBLE, no_return=True)


def variant(of: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register ``rounds(cp, G, w, log) -> c`` as the fused writing of algorithm `of`."""
    row = ALGORITHMS[of]

    def register(rounds: Callable[..., Any]) -> Callable[..., Any]:
        def run(G: Graph, p: Priorities, log: Log) -> Any:
            cp = dev.cupy()
            return rounds(cp, G, p.p + np.int32(1), log) - np.int32(1) if G.n else cp.empty(0, np.int32)

        run.__doc__ = rounds.__doc__
        coloring(
            f"{of}_fused", style="algebra", paper=row.paper, engines=("cuda",), bound=row.bound, oracle=row.oracle,
            deterministic=True, order=row.order, seed=row.seed, needs="p", variant_of=of,
        )(run)  # fmt: skip
        return rounds

    return register


def until_colored(cp: Any, G: Graph, log: Log, when: Any, launch: Callable[[int], None]) -> None:
    """Call ``launch(k)`` for rounds k = 1, 2 … until `when`, the round of each vertex, has no 0 left."""
    first = 1
    while first == 1 or bool((when <= 0).any()):
        for k in range(first, first + BATCH):
            launch(k)
        first += BATCH
    if not log.trace:
        log.rounds = int(when.max())
        return
    left = G.n
    for colored in cp.bincount(when)[1:].tolist():  # few bins, many atomics: 1.5 ms for 8 M vertices
        log.round(active=left, colored=colored, conflicts=0, ms=None)
        left -= colored


@variant("luby_is")
def luby_is_fused(cp: Any, G: Graph, w: Any, log: Log) -> Any:
    """`luby_is` with one kernel a round."""
    c, cursor = cp.zeros(G.n, np.int32), cp.empty_like(G.indptr)
    round_ = kernel("is_round")
    until_colored(cp, G, log, c, lambda k: round_(G.indptr, G.indices, w, k, c, cursor, size=G.n))
    return c


@variant("luby_mis")
def luby_mis_fused(cp: Any, G: Graph, w: Any, log: Log) -> Any:
    """`luby_mis` with one kernel a round; rounds in which the color changes find nobody undecided."""
    c, out = cp.zeros(G.n, np.int32), cp.zeros(G.n, np.int32)
    state = cp.array([1, 0], np.int32)
    round_, step = kernel("mis_round"), kernel("mis_step")
    left, inner = G.n, 1 if log.trace else INNER
    while left:
        for _ in range(1 if log.trace else BATCH // INNER):
            for _ in range(inner):
                round_(G.indptr, G.indices, w, state, c, out, size=G.n)
            uncolored = c == 0
            step((uncolored & (out != state[0])).any(), uncolored.any(), state, size=1)
        before, left = left, int(G.n - cp.count_nonzero(c))
        if log.trace:
            log.round(active=before, colored=before - left, conflicts=0)
    log.rounds = inner * (int(state[1]) + 1)
    return c


@variant("jones_plassmann_gb")
def jones_plassmann_gb_fused(cp: Any, G: Graph, w: Any, log: Log) -> Any:
    """`jones_plassmann_gb` with one kernel for the frontier and the colors beside it, and one that assigns."""
    c, front = cp.zeros(G.n, np.int32), cp.zeros(G.n, np.int32)
    cursor = cp.empty_like(G.indptr)
    taken = [cp.zeros(1024, np.int32)]
    round_, assign = kernel("jp_round"), kernel("jp_assign")

    def launch(k: int) -> None:
        if k + 2 > len(taken[0]):  # colors up to k can come up; what a round took is of no use to the next
            taken[0] = cp.zeros(2 * k, np.int32)
        round_(G.indptr, G.indices, w, c, k, front, cursor, taken[0], size=G.n)
        assign(front, taken[0], k, c, size=G.n)

    until_colored(cp, G, log, front, launch)
    return c


@variant("jones_plassmann_min")
def jones_plassmann_min_fused(cp: Any, G: Graph, w: Any, log: Log) -> Any:
    """`jones_plassmann_min` with one kernel a round: scatter-min-color."""
    c, when = cp.zeros(G.n, np.int32), cp.zeros(G.n, np.int32)
    cursor = cp.empty_like(G.indptr)
    round_ = kernel("min_round")
    until_colored(cp, G, log, when, lambda k: round_(G.indptr, G.indices, w, k, c, cursor, when, size=G.n))
    return c
