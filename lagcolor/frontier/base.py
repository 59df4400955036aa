"""The four operators: what they mean on every engine, and what they check."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from semirings.algebra import cast

from ..base.compile_clock import clock
from ..base.errors import OptionError
from ..base.options import choice, flag
from ..graph.graph import Graph
from . import checks
from .frontier import Frontier
from .functor import Functor, functor

BALANCES = ("auto", "thread", "warp", "block", "merge")
OUTPUTS = ("vertices", "edges", "bitmap", None)
INT32 = np.dtype(np.int32)


@functor("store(values, v, x); return false;")
def record(v: Any, x: Any, values: Any) -> Any:
    """What `neighbor_reduce` does with a sum where the caller does not say."""
    values[v] = x
    return False


class Operators:
    """Operators on one graph, on the device it lives on; made by `operators.on`.

    Every functor is a `Functor`; its further parameters are passed by name to the operator: arrays of the graph's
    device, of one dimension, or whole numbers. `balance` says how a GPU shares out the edges: a "thread", a "warp" or a
    "block" per vertex, "merge" for equally many edges per thread, "auto" for one of the first three by degree. It
    changes no result, but for the rounding of sums of floats.

    What cannot be used is an OptionError before any work, alike on every engine: an array of another device or type, or
    with fewer entries than there are vertices (edges) if the functor indexes it by vertex (edge); a float; a frontier
    of another graph.

    Attributes
    ----------
    G : Graph
    xp : module
        numpy or cupy.
    waits : bool
        Whether looking at a frontier makes the host wait for the device.
    """

    __module__ = "lagcolor.frontier.operators"
    G: Graph
    xp: Any
    waits = False
    # Of an engine: a bitmap of marks, a list of a bitmap's vertices, a bitmap of a list's, the sizes of lists, a list's
    # elements in ascending order on the host; and the operators after their checks.
    _bitmap: Any
    _listed: Any
    _marked: Any
    _look: Any
    _sorted: Any
    _advance: Any
    _elements: Any
    _reduce: Any

    # ---- frontiers -----------------------------------------------------------------------------------------

    def all(self) -> Frontier:
        """Every vertex."""
        raise NotImplementedError

    def frontier(self, vertices: Any) -> Frontier:
        """Make a list of vertices.

        Parameters
        ----------
        vertices : array of integers
            Vertices 0…n−1. On a GPU their range is not checked.

        Raises
        ------
        OptionError
            The argument is not a list of integers, or an index is not a vertex.
        """
        raise NotImplementedError

    def bitmap(self, marks: Any) -> Frontier:
        """Make a bitmap of the vertices whose mark is true.

        Parameters
        ----------
        marks : array of bool, shape (n,)
            The marks, which are copied.

        Returns
        -------
        Frontier
            The bitmap.

        Raises
        ------
        OptionError
            The array has another shape or type.
        """
        return self._bitmap(self.xp.array(checks.marks(marks, self.xp.ndarray, self.G.n), np.bool_))

    def to_list(self, F: Frontier) -> Frontier:
        """Convert a bitmap to a list of its vertices; a list is returned unchanged."""
        checks.frontier(F, self.G.indptr)
        return self._listed(F) if F.kind == "bitmap" else F

    def to_bitmap(self, F: Frontier) -> Frontier:
        """Convert a list of vertices to a bitmap; a bitmap is returned unchanged.

        Parameters
        ----------
        F : Frontier
            A list or bitmap of vertices.

        Returns
        -------
        Frontier
            The bitmap.

        Raises
        ------
        OptionError
            It is a list of edges.
        """
        checks.frontier(F, self.G.indptr)
        if F.kind == "edges":
            raise OptionError("a bitmap is of vertices, and this frontier is of edges")
        return F if F.kind == "bitmap" else self._marked(F)

    def read_sizes(self, frontiers: Sequence[Frontier]) -> list[int]:
        """Return the number of elements of each list. On a GPU the host waits once, and `bounds` become exact.

        Parameters
        ----------
        frontiers : iterable of Frontier
            The lists.

        Returns
        -------
        list of int
            The sizes.

        Raises
        ------
        OptionError
            One is a bitmap, or an `advance` with ``unique=True`` emitted a vertex more than once.
        """
        for F in frontiers:
            checks.frontier(F, self.G.indptr)
            if F.kind == "bitmap":
                raise OptionError(
                    "look counts lists, and this is a bitmap: make it one by ops.to_list, or ask ops.size"
                )
        return self._look(frontiers) if frontiers else []

    def size(self, F: Frontier) -> int:
        """Number of elements; on a GPU the host waits."""
        return self.read_sizes([self.to_list(F)])[0]

    def to_numpy(self, F: Frontier) -> np.ndarray:
        """The elements in ascending order, on the host."""
        return self._sorted(self.to_list(F))

    # ---- time ----------------------------------------------------------------------------------------------

    def mark(self) -> Any:
        """A mark in the stream, after all work that was submitted until now."""
        return clock()

    def milliseconds(self, marks: Sequence[Any]) -> list[float]:
        """Milliseconds between consecutive marks. On a GPU the host waits."""
        return [(b - a) * 1e3 for a, b in itertools.pairwise(marks)]

    # ---- operators -----------------------------------------------------------------------------------------

    def advance(
        self, F: Frontier, edge: Functor, *, out: str | None = "vertices", unique: bool = False,
        balance: str = "auto", **arguments: Any,
    ) -> Frontier | None:  # fmt: skip
        """Visit every edge from a vertex of `F`; if ``edge(v, u, e, …)`` is true, it goes into the next frontier.

        Parameters
        ----------
        F : Frontier
            A frontier of vertices.
        edge : Functor
            A function of vertex, neighbor and edge.
        out : {"vertices", "edges", "bitmap", None}
            The frontier to make: "vertices" has a neighbor as often as the functor is true for it, "edges" has edges,
            "bitmap" has each neighbor once, and None makes no frontier.
        unique : bool
            The functor is true at most once per neighbor (for example because it claims the neighbor). The list needs
            less memory.
        balance : {"auto", "thread", "warp", "block", "merge"}
            How the edges are distributed over threads.
        **arguments
            Further parameters of the functor.

        Returns
        -------
        Frontier or None
            The next frontier.
        """
        if out not in OUTPUTS:
            raise OptionError(f"out must be one of {', '.join(map(str, OUTPUTS))}, not {out!r}")
        F, balance = self._vertices("advance", F, balance)
        arguments = self._arguments({"edge": edge}, arguments)
        return self._advance(F, edge, out, flag("unique", unique), balance, arguments)

    def filter(self, F: Frontier, keep: Functor, **arguments: Any) -> Frontier:
        """The elements of `F` where ``keep(x, …)`` is true: vertices, or edges if `F` has edges."""
        F = self.to_list(F)
        return self._elements(F, keep, True, self._arguments({"element": keep}, arguments, F))

    def compute(self, F: Frontier, do: Functor, **arguments: Any) -> None:
        """Run ``do(x, …)`` on every element of `F`."""
        F = self.to_list(F)
        self._elements(F, do, False, self._arguments({"element": do}, arguments, F))

    def neighbor_reduce(
        self, F: Frontier, value: Functor, monoid: Any, then: Functor | None = None, *, balance: str = "auto",
        **arguments: Any,
    ) -> Any:  # fmt: skip
        """Sum ``value(v, u, e, …)`` over the neighbors u of each v of `F` and pass the sum to ``then(v, x, …)``.

        Parameters
        ----------
        F : Frontier
            Of vertices.
        value : Functor
            Of vertex, neighbor and edge. What it reads may change meanwhile only in ways that it does not see. It may
            be asked of an edge more than once; without branches it is fastest.
        monoid : Monoid or BinaryOp of `semirings`
            ``monoid[dtype]`` names the type of the sum; int32 by default. A sum may stop at a terminal value.
        then : Functor, optional
            Of vertex and sum; whether v goes into the next frontier.
        balance : {"auto", "thread", "warp", "block", "merge"}
        **arguments
            Further parameters of both functors.

        Returns
        -------
        Frontier, or array of shape (n,) where there is no `then`
            The array holds the sum of each vertex of `F`, elsewhere the identity.
        """
        monoid = checks.monoid(monoid)
        z = monoid.domain_of(INT32)
        F, balance = self._vertices("neighbor_reduce", F, balance)
        if then is not None:
            arguments = self._arguments({"value": value, "then": then}, arguments)
            return self._reduce(F, value, monoid, z, then, balance, arguments)
        arguments = self._arguments({"value": value}, arguments)
        values = self.xp.full(self.G.n, cast(monoid.identity(z), z)[()], z)
        self._reduce(F, value, monoid, z, record, balance, arguments | {"values": values})
        return values

    # ---- what the engines share ----------------------------------------------------------------------------

    def _vertices(self, operator: str, F: Frontier, balance: str) -> tuple[Frontier, str]:
        """The frontier as a list, and the word for the balance."""
        balance = choice("balance", balance, BALANCES)
        F = self.to_list(F)
        if F.kind == "edges":
            raise OptionError(f"{operator} starts from vertices, not edges: let compute or filter look at these")
        return F, balance

    def _arguments(self, roles: dict[str, Functor], given: dict[str, Any], F: Frontier | None = None) -> dict[str, Any]:
        """Functors and their arguments, checked; of the elements of `F`, if they are of elements."""
        checks.functors(roles)
        n, m = self.G.n, self.G.m
        return checks.arguments(roles, given, self.xp.ndarray, n, m, m if F is not None and F.kind == "edges" else n)

    def _frontier(
        self, kind: str, items: Any, begins: tuple[int, ...], bounds: tuple[int, ...], counts: Any = None
    ) -> Frontier:
        """A frontier of this graph."""
        return Frontier(self.G.indptr, kind, items, begins, bounds, counts)

    def _check_unique(self, counts: Sequence[int], bounds: Sequence[int]) -> None:
        for count, bound in zip(counts, bounds, strict=True):
            if count > bound:
                raise OptionError("advance(unique=True) put a vertex out more than once: claim it, or leave unique out")
