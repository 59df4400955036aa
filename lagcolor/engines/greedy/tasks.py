"""Exact first-fit of a `Task`: each active vertex in turn takes the least color allowed that no neighbor has.

The loop of a CPU is in tasks_cpu.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import sparse

from ...base import device as dev
from ...base.compile_clock import importing
from ...base.device import extremes
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...problems.task import NONE, Palette, Task
from .cuda_sequence import first_fit_in_sequence


def first_fit_task(G: Graph, task: Task, order: Any = None, *, in_place: bool = False) -> Any:
    """Colors of sequential first-fit, on one core and on a GPU."""
    with dev.using(G.indices):
        sequence = task.sequence(G, order)
        if G.on_gpu:
            return _on_gpu(G, task, sequence, in_place)
        colors = task.begin(G, sequence, in_place)
        with importing():
            from .tasks_cpu import color_in_chunks

        palette = task.palette(np, G.n)
        given = None if palette is None else tuple(palette)
        color_in_chunks(unsigned(G), sequence.view(np.uint32), colors, 1, len(sequence), given)
        return colors


def _on_gpu(G: Graph, task: Task, sequence: Any, in_place: bool) -> Any:
    """By first_fit_in_sequence; colors that a palette forbids act as additional neighbors."""
    palette = task.palette(G.xp, G.n)
    if palette is None or (task.forbidden is None and isinstance(task.first, int) and task.first == 0):
        colors = first_fit_in_sequence(G, sequence, task.fixed, palette and palette.limit)
    else:
        wide = _with_forbidden(G, sequence, task.fixed, palette, task.limit is not None)
        colors = first_fit_in_sequence(*wide)[: G.n]
    if in_place:
        task.fixed[:] = colors
        return task.fixed
    return colors


def _with_forbidden(
    G: Graph, sequence: Any, fixed: Any, palette: Palette, limited: bool
) -> tuple[Graph, Any, Any, Any]:
    """A graph that has a vertex per forbidden color, of that color, as neighbor of those it is forbidden to.

    With the sequence, colors and limits (None unless `limited`) that first_fit_in_sequence takes.
    """
    xp, n = G.xp, G.n
    begins = xp.zeros(n + 1, np.int64)  # 0 … first − 1 are forbidden, too
    begins[1:] = xp.cumsum(palette.first.astype(np.int64))
    below = (xp.arange(int(begins[-1])) - begins[_rows(xp, begins)]).astype(np.int32)
    k = max(extremes.largest(palette.forbidden), extremes.largest(below)) + 1
    parts = ((G.indptr, G.indices), (palette.offsets, palette.forbidden + np.int32(n)), (begins, below + np.int32(n)))
    rows, indices = _side_by_side(xp, parts)
    indptr = xp.full(n + k + 1, len(indices), np.int64)
    indptr[: n + 1] = rows
    before = xp.full(n, NONE, np.int32) if fixed is None else fixed
    wide = Graph(indptr.astype(np.result_type(G.indptr.dtype, sparse.offset_type(len(indices)))), indices)
    most = xp.concatenate([palette.limit, xp.zeros(k, np.int32)]) if limited else None
    return wide, sequence, xp.concatenate([before, xp.arange(k, dtype=np.int32)]), most


def _side_by_side(xp: Any, parts: tuple[tuple[Any, Any], ...]) -> tuple[Any, Any]:
    """One CSR from several: each row has the entries of the first, then the entries of the second …"""
    offsets = [part[0].astype(np.int64) for part in parts]
    indices = xp.empty(sum(len(part[1]) for part in parts), np.int32)
    for i, (_, values) in enumerate(parts):
        rows, at = _rows(xp, offsets[i]), xp.arange(len(values))
        for j, other in enumerate(offsets):
            if j != i:
                at += other[rows + 1 if j < i else rows]
        indices[at] = values
    return sum(offsets), indices


def _rows(xp: Any, indptr: Any) -> Any:
    """The row of each entry of a CSR."""
    return xp.searchsorted(indptr, xp.arange(int(indptr[-1]), dtype=indptr.dtype), side="right") - 1
