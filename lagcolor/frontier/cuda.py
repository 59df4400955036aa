"""The operators on a GPU: kernels are compiled for each functor at first use; the host waits only in `read_sizes`.

The length of a frontier stays on the device. If the host knows only a bound of it, kernels are launched for the bound,
and threads without work end at once.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from semirings import Monoid
from semirings.algebra import cast

from ..base import device as dev
from ..base.errors import DeviceError
from ..graph.graph import Graph
from . import checks, codegen
from .base import Operators
from .frontier import Frontier
from .functor import Functor

BLOCK = 256  # as in common.cuh of semirings
MOST_BLOCKS = 1 << 12  # with more elements a thread takes several
CLASSES = 3
THREAD_MOST, WARP_MOST = 32, 2048  # as in frontier.cuh
BY_CLASS = ("thread", "warp", "block")
LANES = {"thread": 1, "warp": 32, "block": BLOCK}
EMIT: dict[str | None, int] = {None: 0, "vertices": 1, "edges": 2, "bitmap": 3}
COUNTERS = 1024  # frontiers whose lengths are in one array
NULL = 0


@functools.cache
def _compiled(device: int, file: str, functors: tuple[tuple[str, Functor], ...], *key: Any) -> Any:
    types, macros, monoid, returns = key
    text = codegen.program(file, dict(functors), types, dict(macros), monoid, returns)
    return dev.module(text)


@functools.cache
def _function(device: int, name: str, *key: Any) -> Any:
    return _compiled(device, *key).kernel(name)


def _on_own_device(operators: type) -> type:
    """Class decorator: each public method runs with device number `_device` as the current device."""
    for name in dir(operators):
        method = getattr(operators, name)
        if not name.startswith("_") and inspect.isfunction(method):
            setattr(operators, name, _placed(method))
    return operators


def _placed(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        cuda = self.xp.cuda
        for name, x in kwargs.items():
            if getattr(getattr(x, "data", None), "device_id", self._device) != self._device:
                raise DeviceError(
                    f"{name} lives on GPU {x.device.id}, the graph on GPU {self._device}: "
                    f"copy it there, lagcolor.base.device.to_device(x, 'cuda:{self._device}')"
                )
        if cuda.runtime.getDevice() == self._device:
            return method(self, *args, **kwargs)
        with cuda.Device(self._device):
            return method(self, *args, **kwargs)

    return run


@_on_own_device
class CudaOperators(Operators):
    """Operators on a GPU; see `Operators`. `cp` is CuPy."""

    waits = True

    def __init__(self, G: Graph, cp: Any) -> None:
        self.G, self.xp = G, cp
        self._device = cp.cuda.runtime.getDevice()
        self._zeros: Any = None
        self._used = COUNTERS
        self._macros = (("OFFSET_BITS", 8 * G.indptr.itemsize), ("CLASSES", CLASSES))
        vertices, edges = G._cached("degree classes", self._survey)
        if vertices[1] == vertices[2] == 0:
            self._macros = (("OFFSET_BITS", 8 * G.indptr.itemsize), ("CLASSES", 1))
        self._class_vertices, self._class_edges = vertices, edges

    # ---- kernels -------------------------------------------------------------------------------------------

    def _launch(self, name: str, threads: int, args: tuple[Any, ...], file: str, *key: Any) -> None:
        function = _function(self._device, name, file, *(key or ((), (), self._macros, None, "bool")))
        function((max(1, min(-(-threads // BLOCK), MOST_BLOCKS)),), (BLOCK,), args)

    def _counts(self) -> Any:
        """Return three zeros on the device, from an array of many."""
        if self._used == COUNTERS:
            self._zeros, self._used = self.xp.zeros((COUNTERS, CLASSES), np.uint64), 0
        self._used += 1
        return self._zeros[self._used - 1]

    def _call(self, roles: dict[str, Functor], arguments: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return values and types of the arguments of functors."""
        values = tuple(arguments[name] for name in codegen.argument_names(roles))
        return values, tuple(None if isinstance(x, int) else x.dtype for x in values)

    def _survey(self) -> tuple[list[int], list[int]]:
        """Return the numbers of vertices and of edges of each degree class."""
        totals = self.xp.zeros(2 * CLASSES, np.uint64)
        if self.G.n:
            self._launch("survey", self.G.n, (self.G.indptr, self.G.n, totals), "lists.cu")
        numbers = totals.tolist()
        return numbers[:CLASSES], numbers[CLASSES:]

    # ---- frontiers -----------------------------------------------------------------------------------------

    def _empty_list(self, kind: str, bounds: tuple[int, ...]) -> Frontier:
        """Return an empty list whose parts have the capacities `bounds`."""
        begins = (0, bounds[0], bounds[0] + bounds[1])
        items = self.xp.empty(max(1, sum(bounds)), self.G.indptr.dtype if kind == "edges" else np.int32)
        return self._frontier(kind, items, begins, bounds, self._counts())

    def _output(self, F: Frontier) -> tuple[int, ...]:
        """Return kernel arguments for a list as output: items, counts, begins of the parts, and the end."""
        return (F.items, F.counts, *F.begins, F.bound)

    def _classified(self, vertices: Any, marks: Any, size: int) -> Frontier:
        bounds = tuple(min(size, k) for k in self._class_vertices) if vertices is None else (size,) * CLASSES
        if self._macros[1][1] == 1:
            bounds = (size, 0, 0)
        F = self._empty_list("vertices", bounds)
        if size:
            args = (NULL if vertices is None else vertices, NULL if marks is None else marks, size, self.G.indptr)
            self._launch("classify", size, (*args, *self._output(F)), "lists.cu")
        return F

    def all(self) -> Frontier:
        return self.G._cached("all vertices by degree class", self._all)

    def _all(self) -> Frontier:
        bounds = tuple(self._class_vertices)
        if sum(k > 0 for k in bounds) > 1:
            F = self._classified(None, None, self.G.n)
            F.bounds = bounds
            return F
        return self._frontier("vertices", None, (0, 0, 0), bounds, self.xp.array(bounds, np.uint64))

    def frontier(self, vertices: Any) -> Frontier:
        if dev.is_cupy(vertices):
            checks.listed(vertices)
        else:
            vertices = checks.vertices(vertices, self.G.n)
        vertices = self.xp.atleast_1d(self.xp.asarray(vertices, np.int32))
        F = self._classified(vertices, None, len(vertices))
        F.distinct = len(vertices) < 2
        return F

    def _bitmap(self, marks: Any) -> Frontier:
        return self._frontier("bitmap", marks, (0, 0, 0), (self.G.n, 0, 0))

    def _listed(self, F: Frontier) -> Frontier:
        return self._classified(None, F.items, self.G.n)

    def _marked(self, F: Frontier) -> Frontier:
        marks = self.xp.zeros(self.G.n, np.bool_)
        for part, bound in self._parts(F):
            self._launch("mark", bound, (*self._input(F, part), marks), "lists.cu")
        return self._bitmap(marks)

    def _look(self, frontiers: Sequence[Frontier]) -> list[int]:
        table = self.xp.stack([F.counts for F in frontiers]).tolist()
        for F, counts in zip(frontiers, table, strict=True):
            self._check_unique(counts, F.bounds)
            F.bounds = tuple(counts)
        return [sum(counts) for counts in table]

    def _sorted(self, F: Frontier) -> np.ndarray:
        self.read_sizes([F])
        if F.items is None:
            return np.arange(F.bound, dtype=np.int32)
        items = self.xp.asnumpy(F.items)
        return np.sort(np.concatenate([items[b : b + k] for b, k in zip(F.begins, F.bounds, strict=True)]))

    def mark(self) -> Any:
        event = self.xp.cuda.Event()
        event.record()
        return event

    def milliseconds(self, marks: Sequence[Any]) -> list[float]:
        if marks:
            marks[-1].synchronize()
        return [self.xp.cuda.get_elapsed_time(a, b) for a, b in itertools.pairwise(marks)]

    def _parts(self, F: Frontier) -> list[tuple[int, int]]:
        """Return the parts that may have elements, with the bounds of their lengths."""
        return [(part, bound) for part, bound in enumerate(F.bounds) if bound]

    def _input(self, F: Frontier, part: int) -> tuple[Any, ...]:
        return (NULL if F.items is None else F.items, F.begins[part], F.counts, part, F.bounds[part])

    # ---- operators -----------------------------------------------------------------------------------------

    def _ends(self, F: Frontier, part: int, bound: int) -> Any:
        """Return the running sum of the degrees of a part's vertices."""
        degrees = self.xp.empty(bound, np.int64)
        self._launch("degrees_of", bound, (*self._input(F, part), self.G.indptr, degrees), "lists.cu")
        return self.xp.cumsum(degrees)

    def _edge_bound(self, F: Frontier) -> int:
        """Return an upper bound of the edges from a list. If vertices may repeat, the host waits for their number."""
        if F.distinct:
            most = (THREAD_MOST, WARP_MOST, self.G.n)
            return sum(min(k * d, e) for k, d, e in zip(F.bounds, most, self._class_edges, strict=True))
        return sum(int(self._ends(F, *part)[-1]) for part in self._parts(F))

    def _emitted(self, F: Frontier, out: str | None, unique: bool) -> tuple[Any, ...]:
        """Return an empty frontier for the output of an advance from `F`, and the kernel arguments for it."""
        if out is None:
            return None, (NULL,) * 6
        if out == "bitmap":
            marks = self._bitmap(self.xp.zeros(self.G.n, np.bool_))
            return marks, (marks.items, *(NULL,) * 5)
        if out == "vertices" and unique:
            bounds = tuple(self._class_vertices)
        else:
            edges = self._edge_bound(F)
            bounds = (edges, 0, 0)
            if out == "vertices":  # a distinct list visits each edge at most once
                bounds = tuple(min(edges, e) if F.distinct else edges for e in self._class_edges)
        emitted = self._empty_list(out, bounds)
        emitted.distinct = F.distinct if out == "edges" else unique
        return emitted, self._output(emitted)

    def _advance(
        self, F: Frontier, edge: Functor, out: str | None, unique: bool, balance: str, arguments: dict[str, Any]
    ) -> Frontier | None:
        roles = {"edge": edge}
        values, types = self._call(roles, arguments)
        key = ("advance.cu", tuple(roles.items()), types, (*self._macros, ("EMIT", EMIT[out])), None)
        emitted, output = self._emitted(F, out, unique)
        for part, bound in self._parts(F):
            args: tuple[Any, ...] = (*self._input(F, part), self.G.indptr, self.G.indices)
            way = BY_CLASS[part] if balance == "auto" else balance
            threads = bound * LANES.get(way, 1)
            if way == "merge":
                args += (self._ends(F, part, bound),)
                threads = self._class_edges[part]
            self._launch(f"advance_{way}", threads, (*args, *output, *values), *key, "bool" if out else "void")
        return emitted

    def _elements(self, F: Frontier, f: Functor, keep: bool, arguments: dict[str, Any]) -> Any:
        roles = {"element": f}
        values, types = self._call(roles, arguments)
        macros = (*self._macros, ("KEEP", int(keep)), ("EDGES", int(F.kind == "edges")))
        key = ("elementwise.cu", tuple(roles.items()), types, macros, None, "bool" if keep else "void")
        selected = self._selected(F) if keep else None
        for part, bound in self._parts(F):
            output = (NULL,) * 3 if selected is None else (selected.items, selected.begins[part], selected.counts)
            self._launch("elements", bound, (*self._input(F, part), *output, *values), *key)
        return selected

    def _selected(self, F: Frontier) -> Frontier:
        selected = self._empty_list(F.kind, F.bounds)
        selected.distinct = F.distinct
        return selected

    def _reduce(
        self, F: Frontier, value: Functor, monoid: Monoid, z: np.dtype, then: Functor, balance: str,
        arguments: dict[str, Any],
    ) -> Frontier:  # fmt: skip
        roles = {"value": value, "then": then}
        values, types = self._call(roles, arguments)
        key = ("neighbor_reduce.cu", tuple(roles.items()), types, self._macros, (monoid, z), "bool")
        selected = self._selected(F)
        for part, bound in self._parts(F):
            args = (*self._input(F, part), self.G.indptr, self.G.indices)
            output = (selected.items, selected.begins[part], selected.counts)
            way = BY_CLASS[part] if balance == "auto" else balance
            if way != "merge":
                self._launch(f"reduce_{way}", bound * LANES[way], (*args, *output, *values), *key)
                continue
            identity = cast(monoid.identity(z), z)[()]  # a bool is summed in a word of 4 bytes
            sums = self.xp.full(bound, identity, np.uint32 if z == np.bool_ else z)
            args += (self._ends(F, part, bound), sums)
            self._launch("reduce_merge", self._class_edges[part], (*args, *values), *key)
            self._launch("reduce_finish", bound, (*self._input(F, part), sums, *output, *values), *key)
        return selected
