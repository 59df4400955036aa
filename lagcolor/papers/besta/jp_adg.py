"""JP-ADG: Jones–Plassmann in the approximate degeneracy order, which bounds colors by the degeneracy of the graph.

The order (lagcolor/orders/approximate_degeneracy.py, ε = 0.01) removes vertices of at most (1 + ε) times the
average degree, all at once, in O(log n) rounds; no vertex has over 2(1 + ε)d earlier neighbours, for d the degeneracy.
First-fit in it takes at most 2.02 d + 1 colors. Another order loses that bound, and is colored in the same way.

CPU: `jones_plassmann`. GPU: `ecl_gc`, whose shortcuts a chain of vertices waits less by, with the rounds of removal as
keys: only neighbours are compared, so that nothing is sorted and no permutation is made. `seconds` include the order.
Lost: `jones_plassmann` (rmat22, 90 ms for 7.5 on an H200), and ECL-GC by a sorted permutation (8.6 ms).

References
----------
Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler 2020, "High-performance parallel graph coloring
with strong guarantees on work, depth, and quality", SC20 (JP-ADG).
"""

from __future__ import annotations

from typing import Any

from ... import device as dev
from ...graph import Graph
from ...orders import Priorities
from ...orders.approximate_degeneracy import rounds_on_gpu
from ...registry import coloring
from ...result import Log
from ..ecl_gc.gpu import run_gpu
from ..jones_plassmann import jones_plassmann


@coloring(
    "jp_adg",
    style="kernel",
    paper="Besta et al. 2020, JP-ADG",
    engines=("cpu", "cuda"),
    bound="Δ+1; 2.02 d + 1 in its own order",
    oracle="first_fit",
    deterministic=True,
    order="approximate_degeneracy",
    seed=0,
    needs=None,
    options={"threads": "CPU threads; default: one a core where that pays, else one"},
)
def jp_adg(G: Graph, p: Priorities, log: Log, threads: int | None = None) -> Any:
    """Jones–Plassmann in the approximate degeneracy order: at most 2.02 times the degeneracy, plus 1, colors."""
    if not G.on_gpu:
        return jones_plassmann(G, p, log, threads)
    keys = rounds_on_gpu(G)[0] if p.name == "approximate_degeneracy" else None
    return run_gpu(G, p, shortcuts=None, trace_log=log, xp=dev.cupy(), keys=keys)
