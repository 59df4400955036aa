"""The canonical graph: a symmetric sparsity pattern in CSR form on one device."""

from __future__ import annotations

from typing import Any

import numpy as np

from semirings import limits

from . import device as dev
from .errors import GraphError

INT32_MAX = 2**31 - 1
MOST_VERTICES = limits.MOST_ROWS


class Graph:
    """An undirected graph in canonical CSR form; immutable.

    Every algorithm may rely on this and checks nothing again: the pattern is symmetric, without
    self-loops and duplicates, rows are sorted, columns are int32, offsets are int32 (int64 from
    2³¹ − 2¹⁶ stored entries on, so that kernels may step past the end of a row), arrays are
    C-contiguous and read-only on the CPU. There are at most 2³¹ − 2¹⁶ vertices.

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
    """

    __slots__ = ("_cache", "convert_seconds", "indices", "indptr", "labels")

    def __init__(self, indptr: Any, indices: Any, labels: Any = None, convert_seconds: float = 0.0) -> None:
        self.indptr = _read_only(_offsets(indptr, len(indices)))
        self.indices = _read_only(indices)
        self.labels = labels
        self.convert_seconds = convert_seconds
        self._cache: dict[str, Any] = {}

    @classmethod
    def of(cls, x: Any, symmetrize: bool = False, n: int | None = None, device: str | None = None) -> Graph:
        """The canonical graph of anything that holds one.

        Parameters
        ----------
        x : object
            *A matrix*: scipy.sparse (any format), cupyx.scipy.sparse, `graphblas.Matrix`, or a dense
            square NumPy or CuPy array. Its pattern must be symmetric. Stored entries count, also stored
            zeros (so BSR counts whole blocks), and values are never read; a dense array counts where it
            is not zero, and so does scipy's DIA format, where zeros are padding.
            *A graph*: networkx (multigraphs and directed ones too, whose edges must then come in both
            directions) or igraph. Node names survive as `Graph.labels`.
            *Undirected edges*, each given in one direction or both: a tuple of index arrays (u, v), or
            an edge index of shape (2, m): NumPy, CuPy, or anything with ``__dlpack__`` (torch, JAX).
            *A path*: see `lagcolor.io.read`.
            *A Graph*: itself.
        symmetrize : bool
            Take every stored entry or directed edge for an undirected edge, instead of raising where
            its mirror image is missing.
        n : int, optional
            Number of vertices of undirected edges; default: largest index + 1. With other inputs it
            must be the number they have.
        device : str, optional
            Where to make the graph and leave it; default: where `x` lives.

        Returns
        -------
        Graph
            With the input's own arrays where they are canonical already (int32 columns, sorted rows, no
            diagonal): do not write to them afterwards.

        Raises
        ------
        GraphError
            The input is none of these, or no undirected graph; the first offender is named.
        DeviceError
            A GPU was asked for and there is none.
        """
        from .inputs import arrays_of, check_vertices, whole

        if not isinstance(x, Graph):
            return cls(*arrays_of(x, symmetrize=symmetrize, n=n, device=device))
        check_vertices(x.n, None if n is None else whole(n))
        return x if device is None else x.on(device)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of stored entries: twice the number of undirected edges."""
        return len(self.indices)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return self.m // 2

    @property
    def device(self) -> str:
        """ "cpu", "cuda:0" …"""
        return dev.device_of(self.indices)

    @property
    def on_gpu(self) -> bool:
        """Whether the arrays are CuPy's."""
        return dev.is_cupy(self.indices)

    @property
    def xp(self) -> Any:
        """The array module of this graph: numpy or cupy."""
        return dev.module_of(self.indices)

    @property
    def degrees(self) -> Any:
        """Degree of each vertex, int32, on the graph's device."""
        return self._cached("degrees", lambda: _read_only(self.xp.diff(self.indptr).astype(np.int32)))

    @property
    def max_degree(self) -> int:
        """Largest degree, 0 for a graph without vertices."""
        return self._cached("max_degree", lambda: int(self.degrees.max()) if self.n else 0)

    def on(self, device: str) -> Graph:
        """The same graph on "cpu", "cuda" or "cuda:1"; itself where it is there already."""
        kind, index = dev.parse_device(device)
        if self.device == (kind if kind == "cpu" else f"cuda:{index}"):
            return self
        indptr, indices = (dev.to_device(a, device) for a in (self.indptr, self.indices))
        return Graph(indptr, indices, labels=self.labels, convert_seconds=self.convert_seconds)

    def to_scipy(self) -> Any:
        """The pattern as a ``scipy.sparse.csr_array`` of ones (int8), on the CPU."""
        import scipy.sparse as sp

        g = self.on("cpu")
        return sp.csr_array((np.ones(g.m, np.int8), g.indices.copy(), g.indptr.copy()), shape=(g.n, g.n))

    def _cached(self, key: str, make: Any) -> Any:
        if key not in self._cache:
            with dev.using(self.indices):
                self._cache[key] = make()
        return self._cache[key]

    def __repr__(self) -> str:
        return f"<Graph: {self.n:,} vertices, {self.n_edges:,} edges, on {self.device}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph, (self.indptr, self.indices, self.labels, self.convert_seconds)

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(self, "_cache"):
            raise GraphError(f"a Graph is immutable: cannot set {name!r}; make a new one with Graph.of")
        object.__setattr__(self, name, value)


def _offsets(indptr: Any, m: int) -> Any:
    """Row offsets in a type that holds more than m by what loops step past the end."""
    if indptr.itemsize == 8 or limits.offset_type(m) is np.int32:
        return indptr
    with dev.using(indptr):
        return indptr.astype(np.int64)


def _read_only(a: Any) -> Any:
    """A read-only view of a NumPy array, which leaves the caller's own array writable."""
    if not isinstance(a, np.ndarray) or not a.flags.writeable:
        return a
    view = a.view()
    view.flags.writeable = False
    return view
