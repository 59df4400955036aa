"""The canonical graph: a symmetric sparsity pattern in CSR form on one device."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, ClassVar

from semirings import sparse
from semirings.runtime.compile_clock import importing

from ..progress import listened
from .pattern import Pattern
from .specs import resolve

INT32_MAX = 2**31 - 1
MOST_VERTICES = sparse.MOST_ROWS


@functools.cache
def _inputs() -> ModuleType:
    """What makes graphs of objects, imported at first use."""
    with importing():
        from .. import inputs

    return inputs


class Graph(Pattern):
    """An undirected graph in canonical CSR form; immutable.

    A `Pattern` that is symmetric and has no diagonal: every algorithm may rely on that, too, and checks nothing again.

    Use `Graph.of` to make one from anything; `Graph(indptr, indices)` trusts its arguments.

    Parameters
    ----------
    indptr : array, shape (n + 1,)
        Row offsets, int32 or int64, NumPy or CuPy; int32 ones are copied to int64 where m is too large for them.
    indices : array of int32, shape (m,)
        Column of each stored entry; m counts each undirected edge twice.
    labels : sequence of length n, optional
        The user's name of each vertex (NetworkX nodes, say); None where these are 0…n−1.
    convert_seconds : float
        What making it from the user's input took.

    Examples
    --------
    >>> G = lagcolor.Graph.of(([0, 1, 2], [1, 2, 0]))
    >>> G
    <Graph: 3 vertices, 3 edges, on cpu>
    >>> G.n, G.n_edges, G.max_degree
    (3, 3, 2)
    """

    __slots__ = ()
    hops: ClassVar[int] = 1
    closed: ClassVar[bool] = False

    def __init__(self, indptr: Any, indices: Any, labels: Any = None, convert_seconds: float = 0.0) -> None:
        super().__init__(indptr, indices, len(indptr) - 1, labels, labels, convert_seconds)

    @classmethod
    @listened
    def of(  # type: ignore[override]  # a graph has no shape, and may be made symmetric
        cls, x: Any, symmetrize: bool = False, n: int | None = None, device: str | None = None, *, progress: Any = None
    ) -> Graph:
        """The canonical graph of anything that holds one.

        Parameters
        ----------
        x : object
            *A matrix*: scipy.sparse (any format), cupyx.scipy.sparse, `graphblas.Matrix`, a sparse tensor of torch
            (COO, CSR, CSC) or JAX (BCOO, BCSR), or a dense square NumPy or CuPy array. Its pattern must be
            symmetric. Stored entries count, also stored zeros (so BSR counts whole blocks), and values are never
            read; a dense array counts where it is not zero, and so does scipy's DIA format, where zeros are padding.
            *A graph*: networkx (multigraphs and directed ones too, whose edges must then come in both
            directions), igraph, rustworkx, or what NetworkX has converted for lagcolor's backend.
            *Undirected edges*, each given in one direction or both: a list, or any iterable, of pairs; a dict from
            vertices to their neighbors (lists, sets, dicts); a table with two columns (pandas, polars, pyarrow, or
            anything with ``__arrow_c_stream__``); a tuple of index arrays (u, v); or an edge index of shape (2, m):
            NumPy, CuPy, or anything with ``__dlpack__`` (torch, JAX).
            *A path*: see `lagcolor.io.read`. *A generator*, where there is no such file: "rgg:16" (see
            `lagcolor.generate`).
            *A Graph*: itself. *A Pattern*: as a matrix.

            Vertices of edges are whole numbers from 0 on, or names: strings, or anything hashable. Names are the
            graph's `labels`, in the order in which they first occur, as are nodes of NetworkX and keys of a dict.
        symmetrize : bool
            Take every stored entry or directed edge for an undirected edge, instead of raising where
            its mirror image is missing.
        n : int, optional
            Number of vertices of undirected edges between numbers; default: largest + 1, and for lists, tables and
            files whose largest is over 1000 and of whose numbers fewer than a quarter occur, as many as occur, which
            are then labels. Inputs that say how many vertices there are must say the same.
        device : str, optional
            Where to make the graph and leave it; default: where `x` lives.
        progress : callable, True or None
            As for `lagcolor.color`.

        Returns
        -------
        Graph
            With the input's own arrays where they are canonical already (int32 columns, sorted rows, no
            diagonal): do not write to them afterwards.

        Raises
        ------
        GraphError
            The input is none of these, or no undirected graph; the first offender is named.
        FormatError, OSError
            A file is malformed, or there is neither such a file nor such a generator.
        DeviceError
            A GPU was asked for and there is none.

        Warns
        -----
        NumberingWarning
            The vertices of edges seem to count from 1.
        """
        if isinstance(x, Graph) and n is None:  # of calls that take some microseconds imports are a part
            return x if device is None else x.on(device)
        inputs = _inputs()
        x = resolve(x, device)
        if not isinstance(x, Graph):
            if isinstance(x, Pattern):
                x = inputs.matrix_of(x.indptr, x.indices, x.shape, x.labels)
            return Graph(*inputs.arrays_of(x, symmetrize=symmetrize, n=n, device=device))
        inputs.check_vertices(x.n, None if n is None else inputs.whole(n))
        return x if device is None else x.on(device)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return self.m // 2

    @property
    def edges(self) -> tuple[Any, Any]:
        """The ends u and v of each edge, u < v, in the order of the rows: int32, on the graph's device; kept."""
        return self._cached("edges", self._edges)

    def _edges(self) -> tuple[Any, Any]:
        if not self.on_gpu:
            with importing():
                from .incidence import ends

            return ends(self.indptr, self.indices)
        rows = self.rows_of_entries()
        once = rows < self.indices
        return rows[once], self.indices[once]

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Itself; see `lagcolor.core.nets.Structure`."""
        return (self,)

    def conflict_graph(self, most_reads: int) -> Graph:
        """Itself."""
        return self

    @property
    def T(self) -> Graph:  # noqa: N802 (as in NumPy)
        """Itself."""
        return self

    def on(self, device: str) -> Graph:
        """The same graph on "cpu", "cuda" or "cuda:1"; itself where it is there already."""
        arrays = self._arrays_on(device)
        return self if arrays is None else Graph(*arrays, labels=self.labels, convert_seconds=self.convert_seconds)

    def __repr__(self) -> str:
        return f"<Graph: {self.n:,} vertices, {self.n_edges:,} edges, on {self.device}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph, (self.indptr, self.indices, self.labels, self.convert_seconds)
