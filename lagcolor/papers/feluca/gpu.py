"""Feluca on a GPU: both stages, and what the trace reports of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import device as dev
from ...graph import Graph
from ...orders import Priorities
from ...result import Log
from .cpu import report
from .dag import Dag
from .launch import BLOCK, classes, grid, kernel
from .options import Plan
from .recursion_gpu import Recursion
from .spread_gpu import everyone, spread


def color(G: Graph, D: Dag, plan: Plan, p: Priorities, log: Log, threads: int | None) -> Any:
    """The colors of a DAG's ids."""
    cp = dev.cupy()
    marks = [cp.cuda.Event() for _ in range(3)] if log.trace else []
    _record(marks, 0)
    rounds, seen = 0, None
    if plan.recursion:
        colors, left, sizes, rounds, seen = Recursion(G, D, plan, p, log).run()
    else:
        sizes = classes(G)
        colors, left = cp.full(D.n, -1, np.int32), everyone(D, sizes)
    _record(marks, 1)
    limit = plan.initial + rounds if plan.recursion else 0  # a round adds one color at most
    if len(left):
        passes = spread(D, colors, left, sizes, limit, plan.spread)
        report(log, len(left), cp.asnumpy(colors[left]) if log.trace and passes is None else None, passes)
    colors = close_gaps(colors, used(colors, max(limit, D.max_degree + 1)) if seen is None else seen)
    log.notes["left"] = len(left)
    _record(marks, 2)
    if marks:
        marks[2].synchronize()
        for k, stage in enumerate(("recursion_ms", "spread_ms")):
            log.notes[stage] = cp.cuda.get_elapsed_time(marks[k], marks[k + 1])
    return colors


def _record(marks: list[Any], k: int) -> None:
    if marks:
        marks[k].record()


def used(colors: Any, limit: int) -> np.ndarray:
    """Which of the colors below `limit` are in use, one bit each, as bytes; the host waits to know."""
    cp = dev.cupy()
    words = cp.zeros(-(-limit // 32), np.uint32)
    blocks = min(grid(len(colors))[0], 1024)
    kernel("recursion.cu", "used", np.dtype(np.int32))((blocks,), (BLOCK,), (colors, len(colors), words))
    return cp.asnumpy(words).view(np.uint8)


def close_gaps(colors: Any, bits: np.ndarray) -> Any:
    """Rename the colors so that none is unused; `bits` are those in use."""
    seen = np.unpackbits(bits, bitorder="little")
    n_colors = int(np.count_nonzero(seen))
    if seen[:n_colors].all():
        return colors
    names = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return dev.cupy().asarray(names)[colors]
