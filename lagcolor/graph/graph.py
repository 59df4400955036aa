"""The canonical graph: a symmetric sparsity pattern in CSR form on one device."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from semirings import sparse

from .. import inputs
from ..base import imported_from
from ..base.compile_clock import importing
from ..base.log import listened
from ..base.messages import counted
from ..base.options import flag
from .pattern import Pattern
from .specs import resolve

MOST_VERTICES = sparse.MOST_ROWS


@imported_from("lagcolor")
class Graph(Pattern):
    """An undirected graph in canonical CSR form; immutable.

    A graph is a `Pattern` that is symmetric and has no diagonal. All algorithms rely on this and do not check it again.

    Use `Graph.of` to convert an input. ``Graph(indptr, indices)`` checks the types of its arrays and trusts the numbers
    in them: with a wrong one, later calls read memory out of bounds.

    Parameters
    ----------
    indptr : array, shape (n + 1,)
        Row offsets, int32 or int64, NumPy or CuPy. int32 offsets are copied to int64 if m is too large for them.
    indices : array of int32, shape (m,)
        The column of each stored entry. m counts each undirected edge twice.
    labels : sequence of length n, optional
        The names of the vertices, such as NetworkX nodes. None if they are the numbers 0…n−1.
    convert_seconds : float
        The time of the conversion from the input.

    Attributes
    ----------
    n : int
        Number of vertices.

    Examples
    --------
    >>> G = lagcolor.Graph.of(([0, 1, 2], [1, 2, 0]))
    >>> G
    <Graph: 3 vertices, 3 edges, on cpu>
    >>> G.n, G.n_edges, G.max_degree
    (3, 3, 2)
    """

    __slots__ = ("n",)
    n: int
    hops: ClassVar[int] = 1
    closed: ClassVar[bool] = False

    def __init__(self, indptr: Any, indices: Any, labels: Any = None, convert_seconds: float = 0.0) -> None:
        super().__init__(indptr, indices, len(indptr) - 1, labels, labels, convert_seconds)
        object.__setattr__(self, "n", self.rows)

    @classmethod
    @listened
    def of(  # type: ignore[override]  # a graph has no shape, and may be made symmetric
        cls, x: Any, *, symmetrize: bool = False, n: int | None = None, device: str | None = None, progress: Any = None
    ) -> Graph:
        """Convert an input to a canonical graph.

        Parameters
        ----------
        x : graph-like
            *A matrix*: a sparse matrix or array of SciPy or CuPy (any format; indices of 32 or 64 bits), a
            `graphblas.Matrix`, a sparse tensor of torch (COO, CSR, CSC) or JAX (BCOO, BCSR), or a dense square NumPy or
            CuPy array. Its pattern must be symmetric. All stored entries count, also zeros (BSR counts whole blocks);
            values are not read. In a dense array, and in DIA format, which pads with zeros, only nonzeros count.

            *A graph*: networkx (also a multigraph, or a directed graph with edges in both directions), igraph,
            rustworkx, or a NetworkX graph that was converted for lagcolor's backend.

            *Undirected edges*, in one direction or both: a list or any other iterable of pairs; a dict from vertices to
            their neighbors (lists, sets, dicts); a table with two columns (pandas, polars, pyarrow, or any object with
            ``__arrow_c_stream__``); a tuple of index arrays (u, v); or integers of shape (2, m) or (m, 2): NumPy, CuPy,
            or any array with ``__dlpack__`` (torch, JAX). Vertices are whole numbers from 0 on, or names: strings or
            other hashable objects. Names become the `labels` of the graph, in the order of their first occurrence. So
            do NetworkX nodes and keys of a dict.

            *A path*: see `lagcolor.io.read`. *A generator*, if there is no such file: "rgg:16" (see
            `lagcolor.generate`). *A Graph* is returned unchanged. *A Pattern* is converted as a matrix.
        symmetrize : bool
            Interpret every stored entry or directed edge as an undirected edge, instead of raising an error if its
            mirror image is missing.
        n : int, optional
            Number of vertices, for undirected edges between numbers. Default: the largest number plus one. In lists,
            tables, files and NumPy arrays of shape (m, 2), if fewer than a quarter of the numbers up to a largest of at
            least 1000 occur, they become labels, and n is their count. If the input has a size, n must agree.
        device : str, optional
            The device of the result. Default: the device of `x`.
        progress : callable, True or None
            See `lagcolor.color`.

        Returns
        -------
        Graph
            The graph. It shares the arrays of the input if they are canonical (int32 columns, sorted rows, no
            diagonal). Do not write to them afterwards.

        Raises
        ------
        GraphError
            The input has another type, is not an undirected graph, or can be read in two ways. The message names the
            first wrong entry, or has code for each reading.
        FormatError, OSError
            A file is malformed, or there is neither a file nor a generator with this name.
        DeviceError
            The call requests a GPU, and there is none.

        Warns
        -----
        NumberingWarning
            The vertices of edges seem to count from 1.

        See Also
        --------
        Pattern.of : Convert a matrix that is not symmetric.
        lagcolor.io.read : Read a graph from a file, with options of the format.

        Examples
        --------
        >>> lagcolor.Graph.of([("a", "b"), ("b", "c")]).labels
        ['a', 'b', 'c']
        """
        return graph_of(x, symmetrize, n, device)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return self.m // 2

    @property
    def edges(self) -> tuple[Any, Any]:
        """The ends u and v of each edge, u < v, in the order of the rows: int32, on the graph's device; cached."""
        return self._cached("edges", self._edges)

    def _edges(self) -> tuple[Any, Any]:
        if not self.on_gpu:
            with importing():
                from .passes_cpu import ends

            return ends(self.indptr, self.indices)
        rows = self.rows_of_entries()
        once = rows < self.indices
        return rows[once], self.indices[once]

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The graph itself; see `lagcolor.graph.nets.Structure`."""
        return (self,)

    def conflict_graph(self, most_reads: int) -> Graph:
        """The graph itself."""
        return self

    @property
    def T(self) -> Graph:  # noqa: N802 (as in NumPy)
        """The graph itself."""
        return self

    def _of(self, indptr: Any, indices: Any) -> Any:
        return Graph(indptr, indices, self.labels, self.convert_seconds)

    def __repr__(self) -> str:
        return f"<Graph: {counted(self.n, 'vertices')}, {counted(self.n_edges, 'edges')}, on {self.device}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph, (self.indptr, self.indices, self.labels, self.convert_seconds)


def graph_of(
    x: Any, symmetrize: bool = False, n: int | None = None, device: str | None = None, simple: bool = False
) -> Graph:
    """Convert as `Graph.of`; `simple`: parallel edges are an error."""
    if isinstance(x, Graph) and n is None:  # before any import: this call takes some microseconds
        return x if device is None else x.on(device)
    symmetrize = symmetrize is not False and flag("symmetrize", symmetrize)
    if simple and getattr(x, "copies", None) is not None:  # a graph of NetworkX's backend, which has each edge once
        x = x.to_networkx()
    if isinstance(x, str) or hasattr(type(x), "__networkx_backend__"):
        x = resolve(x, device)
    if not isinstance(x, Graph):
        if isinstance(x, Pattern):
            x = inputs.matrix_of(x.indptr, x.indices, x.shape, x.labels)
        options: dict[str, Any] = {"symmetrize": symmetrize, "n": n, "device": device, "simple": simple}
        if not isinstance(x, (str, os.PathLike)):
            return Graph(*inputs.arrays_of(x, **options))
        with importing():
            from .files import arrays_of_file
        return Graph(*arrays_of_file(x, **options))._of_file(x)
    inputs.check_vertices(x.n, None if n is None else inputs.whole(n))
    return x if device is None else x.on(device)
