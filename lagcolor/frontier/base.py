"""The four operators: their definition for all engines, and their checks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from semirings.algebra import cast

from ..base import imported_from
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
    """Store a sum: the default `then` of `neighbor_reduce`."""
    values[v] = x
    return False


@imported_from("lagcolor.frontier.operators")
class Operators:
    """Operators on one graph, on the device of the graph. `operators.on` returns them.

    Functions on edges and vertices are instances of `Functor`. Pass their further parameters to the operator by name:
    arrays of one dimension on the graph's device, or whole numbers. `balance` selects how a GPU distributes the edges:
    a "thread", a "warp" or a "block" per vertex, "merge" for the same number of edges per thread, "auto" for one of the
    first three by degree. It does not change results, except for the rounding of sums of floats.

    Operators raise OptionError before any work, on all engines, for: an array of another device or type, or
    with fewer entries than vertices (edges) if the functor indexes it by vertex (edge); a float; a frontier
    of another graph.

    Attributes
    ----------
    G : Graph
    xp : module
        numpy or cupy.
    waits : bool
        Whether the host waits for the device when it reads a frontier.
    """

    G: Graph
    xp: Any
    waits = False
    # Methods of an engine: a bitmap from marks, a list from a bitmap, a bitmap from a list, the sizes of lists, the
    # elements of a list in ascending order on the host; and the operators after their checks.
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
        """Return the frontier of all vertices."""
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
            The frontier is a list of edges.
        """
        checks.frontier(F, self.G.indptr)
        if F.kind == "edges":
            raise OptionError("a bitmap marks vertices, and this frontier has edges")
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
            A frontier is a bitmap, or an `advance` with ``unique=True`` emitted a vertex more than once.
        """
        for F in frontiers:
            checks.frontier(F, self.G.indptr)
            if F.kind == "bitmap":
                raise OptionError("read_sizes needs lists, and this is a bitmap: use ops.to_list or ops.size")
        return self._look(frontiers) if frontiers else []

    def size(self, F: Frontier) -> int:
        """Return the number of elements; on a GPU the host waits."""
        return self.read_sizes([self.to_list(F)])[0]

    def to_numpy(self, F: Frontier) -> np.ndarray:
        """Return the elements in ascending order, on the host."""
        return self._sorted(self.to_list(F))

    # ---- time ----------------------------------------------------------------------------------------------

    def mark(self) -> Any:
        """Return a mark in the stream, after all work that has been submitted."""
        return clock()

    def milliseconds(self, marks: Sequence[Any]) -> list[float]:
        """Return the milliseconds between consecutive marks. On a GPU the host waits."""
        return [(b - a) * 1e3 for a, b in itertools.pairwise(marks)]

    # ---- operators -----------------------------------------------------------------------------------------

    def advance(
        self, F: Frontier, edge: Functor, *, out: str | None = "vertices", unique: bool = False,
        balance: str = "auto", **arguments: Any,
    ) -> Frontier | None:  # fmt: skip
        """Visit each edge from a vertex of `F`. If ``edge(v, u, e, …)`` is true, it goes into the next frontier.

        Parameters
        ----------
        F : Frontier
            A frontier of vertices.
        edge : Functor
            A function of vertex, neighbor and edge.
        out : {"vertices", "edges", "bitmap", None}
            The kind of the next frontier: "vertices" has a neighbor once per edge whose functor is true, "edges" has
            edges, "bitmap" has each neighbor once. None: no frontier.
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
        """Return the elements x of `F` with a true ``keep(x, …)``: vertices, or edges if `F` has edges."""
        F = self.to_list(F)
        return self._elements(F, keep, True, self._arguments({"element": keep}, arguments, F))

    def compute(self, F: Frontier, do: Functor, **arguments: Any) -> None:
        """Call ``do(x, …)`` on each element of `F`."""
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
            A frontier of vertices.
        value : Functor
            A function of vertex, neighbor and edge. Other threads must not change the result of a call. It may be
            called more than once per edge, and is fastest without branches.
        monoid : Monoid or BinaryOp of `semirings`
            The operation. ``monoid[dtype]`` selects the type of the sum; default: int32. A sum may stop at a terminal
            value.
        then : Functor, optional
            A function of vertex and sum. If it is true, the vertex goes into the next frontier.
        balance : {"auto", "thread", "warp", "block", "merge"}
            How the edges are distributed over threads.
        **arguments
            Further parameters of both functors.

        Returns
        -------
        Frontier or array, shape (n,)
            The next frontier. Without `then` an array: the sum of each vertex of `F`, elsewhere the identity.
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

    # ---- shared by the engines -------------------------------------------------------------------------------

    def _vertices(self, operator: str, F: Frontier, balance: str) -> tuple[Frontier, str]:
        """Return the frontier as a list, and the checked balance."""
        balance = choice("balance", balance, BALANCES)
        F = self.to_list(F)
        if F.kind == "edges":
            raise OptionError(f"{operator} starts from vertices, not edges: use compute or filter for edges")
        return F, balance

    def _arguments(self, roles: dict[str, Functor], named: dict[str, Any], F: Frontier | None = None) -> dict[str, Any]:
        """Check functors and their named arguments, and return these; `F`: the frontier of functors on elements."""
        checks.functors(roles)
        n, m = self.G.n, self.G.m
        return checks.arguments(roles, named, self.xp.ndarray, n, m, m if F is not None and F.kind == "edges" else n)

    def _frontier(
        self, kind: str, items: Any, begins: tuple[int, ...], bounds: tuple[int, ...], counts: Any = None
    ) -> Frontier:
        """Return a frontier of this graph."""
        return Frontier(self.G.indptr, kind, items, begins, bounds, counts)

    def _check_unique(self, counts: Sequence[int], bounds: Sequence[int]) -> None:
        for count, bound in zip(counts, bounds, strict=True):
            if count > bound:
                raise OptionError("advance(unique=True) emitted a vertex more than once: claim it, or omit unique")
