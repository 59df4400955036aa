"""The operators on the CPU: one thread, with loops that Numba specializes for each functor."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from semirings import BinaryOp, Monoid

from ..base.device.compiled import njit
from ..graph.graph import Graph
from . import checks
from .base import Operators
from .frontier import Frontier
from .functor import Functor


class CpuOperators(Operators):
    """Operators on a CPU; see `Operators`."""

    xp: Any

    def __init__(self, G: Graph) -> None:
        self.G, self.xp = G, np

    def _list(self, kind: str, items: Any) -> Frontier:
        return self._frontier(kind, items, (0,), (len(items),))

    def all(self) -> Frontier:
        return self._list("vertices", np.arange(self.G.n, dtype=np.int32))

    def frontier(self, vertices: Any) -> Frontier:
        return self._list("vertices", checks.vertices(vertices, self.G.n))

    def _bitmap(self, marks: Any) -> Frontier:
        return self._frontier("bitmap", marks, (0,), (self.G.n,))

    def _listed(self, F: Frontier) -> Frontier:
        return self._list("vertices", np.flatnonzero(F.items).astype(np.int32))

    def _marked(self, F: Frontier) -> Frontier:
        marks = np.zeros(self.G.n, bool)
        marks[F.items] = True
        return self._bitmap(marks)

    def _look(self, frontiers: Sequence[Frontier]) -> list[int]:
        return [F.bound for F in frontiers]

    def _sorted(self, F: Frontier) -> np.ndarray:
        return np.sort(F.items)

    def _advance(
        self, F: Frontier, edge: Functor, out: str | None, unique: bool, balance: str, arguments: dict[str, Any]
    ) -> Frontier | None:
        G, f, extra = self.G, edge.compiled, edge.extra(3, arguments)
        if out == "bitmap":
            marks = np.zeros(G.n, bool)
            mark_from(G.indptr, G.indices, F.items, f, extra, marks)
            return self._bitmap(marks)
        if out is None:
            visit_from(G.indptr, G.indices, F.items, f, extra)
            return None
        bound = G.n if unique and out == "vertices" else degree_sum(G.indptr, F.items)
        items = np.empty(bound, np.int32 if out == "vertices" else G.indptr.dtype)
        count = advance_from(G.indptr, G.indices, F.items, f, extra, out == "edges", items)
        self._check_unique([count], [bound])
        return self._list(out, items[:count].copy())

    def _elements(self, F: Frontier, f: Functor, keep: bool, arguments: dict[str, Any]) -> Any:
        extra = f.extra(1, arguments)
        if not keep:
            compute_on(F.items, f.compiled, extra)
            return None
        selected = np.empty_like(F.items)
        count = filter_to(F.items, f.compiled, extra, selected)
        return self._list(F.kind, selected[:count].copy())

    def _reduce(
        self, F: Frontier, value: Functor, monoid: Monoid, z: np.dtype, then: Functor, balance: str,
        arguments: dict[str, Any],
    ) -> Frontier:  # fmt: skip
        G = self.G
        ends = np.array([monoid.identity(z), monoid.terminal(z) if monoid.terminal(z) is not None else 0], z)
        stop = 2 if monoid.is_any else int(monoid.terminal(z) is not None)
        selected = np.empty_like(F.items)
        count = reduce_from(
            G.indptr, G.indices, F.items, value.compiled, value.extra(3, arguments), addition(monoid.op), ends, stop,
            then.compiled, then.extra(2, arguments), selected,
        )  # fmt: skip
        return self._list("vertices", selected[:count].copy())


@functools.cache
def addition(op: BinaryOp) -> Any:
    """Return a compiled operator on two numbers."""
    f: Any = op.python or op.numpy
    if inspect.isfunction(f):
        return njit(f)

    def call(x: Any, y: Any) -> Any:  # here f is a ufunc
        return f(x, y)

    return njit(call)


@njit(cache=True, nogil=True)
def degree_sum(indptr: Any, vertices: Any) -> Any:
    """Return the number of edges from some vertices."""
    total = np.int64(0)
    for v in vertices:
        total += indptr[v + 1] - indptr[v]
    return total


@njit(nogil=True)
def advance_from(indptr: Any, indices: Any, vertices: Any, edge: Any, extra: Any, edges: Any, out: Any) -> Any:
    """List neighbors or edges whose functor is true; return their number, which may exceed the size of `out`."""
    count = 0
    for v in vertices:
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if edge(v, u, e, *extra):
                if count < out.size:
                    out[count] = e if edges else u
                count += 1
    return count


@njit(nogil=True)
def mark_from(indptr: Any, indices: Any, vertices: Any, edge: Any, extra: Any, marks: Any) -> None:
    """Mark each neighbor whose functor is true."""
    for v in vertices:
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if edge(v, u, e, *extra):
                marks[u] = True


@njit(nogil=True)
def visit_from(indptr: Any, indices: Any, vertices: Any, edge: Any, extra: Any) -> None:
    """Call the functor on each edge."""
    for v in vertices:
        for e in range(indptr[v], indptr[v + 1]):
            edge(v, indices[e], e, *extra)


@njit(nogil=True)
def filter_to(items: Any, keep: Any, extra: Any, selected: Any) -> Any:
    """List the elements whose functor is true, in order; return their number."""
    count = 0
    for x in items:
        if keep(x, *extra):
            selected[count] = x
            count += 1
    return count


@njit(nogil=True)
def compute_on(items: Any, do: Any, extra: Any) -> None:
    """Call the functor on each element."""
    for x in items:
        do(x, *extra)


@njit(nogil=True)
def reduce_from(
    indptr: Any, indices: Any, vertices: Any, value: Any, value_extra: Any, add: Any, ends: Any, stop: Any,
    then: Any, then_extra: Any, selected: Any,
) -> Any:  # fmt: skip
    """Sum over neighbors, in the type of `ends` (identity, terminal); return the number of vertices `then` selects."""
    count = 0
    s = np.empty(2, ends.dtype)
    for v in vertices:
        s[0] = ends[0]
        for e in range(indptr[v], indptr[v + 1]):
            s[1] = value(v, indices[e], e, *value_extra)
            s[0] = s[1] if stop == 2 else add(s[0], s[1])
            if stop == 2 or (stop == 1 and s[0] == ends[1]):
                break
        if then(v, s[0], *then_extra):
            selected[count] = v
            count += 1
    return count
