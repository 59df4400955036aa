"""ECL-GC: Jones–Plassmann whose vertices take their colors early, where it is certain what those will be.

Each vertex keeps the colors that are still possible for it. Shortcut 1: it may take the best of them as soon as no
earlier neighbour without a color considers that one. Shortcut 2: an earlier neighbour whose possible colors do not
meet its own need not be waited for. Neither changes a color: the answer is that of sequential first-fit.

Its `seconds` include making the order, which it does itself, on all threads.

GPU: gpu.py and ecl_gc.cu. CPU: cpu.py, which says what runs when.

References
----------
Alabandi, Burtscher 2022, "Improving the speed and quality of parallel graph coloring", ACM Trans. Parallel
Computing 9(3), Algorithms 1 to 3.
"""

from __future__ import annotations

from typing import Any

from ... import device as dev
from ...errors import OptionError
from ...graph import Graph
from ...orders import Priorities
from ...registry import coloring
from ...result import Log

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
    seed=None,
    on_cuda=("largest_first_spread", 0),
    needs=None,
    options={
        "shortcuts": "both, sc1, sc2, none: those of the paper; default: what is fastest, which may do without",
        "threads": "CPU threads, at most; default: one a core, or one alone for small graphs",
    },
)
def ecl_gc(G: Graph, p: Priorities, log: Log, shortcuts: str | None = None, threads: int | None = None) -> Any:
    """Parallel first-fit with shortcuts that color a vertex before its earlier neighbours have colors."""
    if shortcuts is not None and shortcuts not in SHORTCUTS:
        raise OptionError(f"shortcuts must be one of {', '.join(SHORTCUTS)}, not {shortcuts!r}")
    if G.on_gpu:
        from .gpu import run_gpu

        return run_gpu(G, p, shortcuts=shortcuts, trace_log=log, xp=dev.cupy())
    from .cpu import run_cpu

    return run_cpu(G, p, shortcuts=shortcuts, log=log, threads=threads)
