"""ECL-GC: Jones–Plassmann whose vertices take their colors early, where it is certain what those will be.

Each vertex keeps the colors that are still possible for it. Shortcut 1: it may take the best of them as soon as that
one is not possible for any earlier neighbor without a color. Shortcut 2: an earlier neighbor whose possible colors
are disjoint from its own is no longer pending. Neither changes a color: the result equals sequential first-fit.

Start with paper.py, the algorithms as printed. CPU: paper.py and cpu.py. GPU: gpu.py and ecl_gc.cu. Without shortcuts
it is Jones–Plassmann by polling. The paper's two color-reduction heuristics are `lagcolor.reduce(…,
method="heuristics")` (heuristics.py).

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 1 to 3.
"""

from __future__ import annotations

from typing import Any

from ...base.log import Log
from ...base.options import choice
from ...graph.graph import Graph
from ...orders import Priorities
from ...problems.registry import coloring
from .cpu import run_cpu
from .gpu import run_gpu

SHORTCUTS = ("both", "sc1", "sc2", "none")


@coloring(
    "ecl_gc",
    style="kernel",
    paper="Alabandi and Burtscher 2022, Algorithms 1 to 3",
    engines=("cpu", "cuda"),
    bound="Δ+1",
    oracle="first_fit",
    deterministic=True,
    order="largest_first",
    seed=0,
    needs="p",
    inline_on_gpu=("natural", "random", "largest_first"),
    options={"shortcuts": "both (default), sc1, sc2, none: which of the paper's two shortcuts are taken"},
)
def ecl_gc(G: Graph, p: Priorities, log: Log, shortcuts: str = "both") -> Any:
    """Jones–Plassmann with shortcuts that color a vertex before its earlier neighbors have colors."""
    shortcuts = choice("shortcuts", shortcuts, SHORTCUTS)
    sc1, sc2 = shortcuts in ("both", "sc1"), shortcuts in ("both", "sc2")
    if G.on_gpu:
        return run_gpu(G, p, sc1, sc2, log)
    return run_cpu(G, p, sc1, sc2, log)
