"""Which vertices two graphs do not have in common, or not with the same row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import threads_for
from ...base.device.parallel import launch, parallel, share, slots
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from .incremental import ROWS_BLOCK, SOURCE

ONE = np.uint64(1)


def changed_vertices(new: Graph, old: Graph) -> tuple[Any, Any]:
    """The vertices of both whose row differs: int32, on the device of `new`, ascending on a CPU.

    On a GPU there are only as many of them as the second array says, of one number.
    """
    n, old = min(new.n, old.n), old.on(new.device)
    if not new.on_gpu:
        return _on_cpu(n, *unsigned(new), *unsigned(old)), None
    with dev.using(new.indices):
        return _on_gpu(n, new, old)


def _on_gpu(n: int, a: Graph, b: Graph) -> tuple[Any, Any]:
    """By warps of 32 rows each."""
    cp, offsets = dev.cupy(), np.result_type(a.indptr.dtype, b.indptr.dtype)
    items, count = cp.empty(n, np.int32), cp.zeros(1, np.uint32)
    rows = [x for g in (a, b) for x in (g.indptr.astype(offsets, copy=False), g.indices)]
    SOURCE.of(offsets, HOPS=1).launch("differing_rows", n, np.int64(n), *rows, items, count, block=ROWS_BLOCK)
    return items, count


def _on_cpu(n: int, *rows: np.ndarray) -> np.ndarray:
    """Rows of a graph that differ from the rows of another, in parts of equally many vertices, one per thread."""
    workers = threads_for(None, len(rows[1]))
    differs = np.empty(n, np.bool_)
    launch(_compare, workers, slots(0), rows, differs, np.int64(workers))
    return np.flatnonzero(differs).astype(np.int32)


@parallel
def _compare(t: Any, shared: Any, rows: Any, differs: Any, workers: Any) -> None:
    """Whether the rows of a share differ; all of a row is read, so that several entries are compared at once."""
    a_rows, a, b_rows, b = rows
    for v in share(t, workers, differs.size):
        i, j = np.uint64(a_rows[v]), np.uint64(b_rows[v])
        size = np.uint64(a_rows[v + ONE]) - i
        other = np.uint32(0)
        if size != np.uint64(b_rows[v + ONE]) - j:
            other = np.uint32(1)
        else:
            for k in range(size):
                other |= a[i + k] ^ b[j + k]
        differs[v] = other != 0
