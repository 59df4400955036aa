"""Arrays: a pair (u, v), edges of shape (2, m) or (m, 2), a dense matrix (dense.py); from NumPy, CuPy or DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.errors import GraphError, LagcolorError
from . import checks, lists
from .canonical import Structure
from .dense import dense
from .ends import NO_NUMBERS, Ends, are_integers, integers_of
from .matrices import COLUMNS, DENSE, square

# DLPack's numbers for memory of CUDA devices.
_DLPACK_CUDA = (2, 13)


def from_arrays(x: Any) -> Structure | Ends | None:
    """Return the structure of an array, or the ends of a tuple of two; None for anything else."""
    if isinstance(x, (tuple, list)):
        return pair(x)
    a = as_array(x)
    if a is None:
        return None
    if a.ndim != 2:
        raise GraphError(
            f"an array of shape {tuple(a.shape)} is no graph: a dense matrix has shape (n, n), edges (2, m) or (m, 2)"
        )
    if a.dtype.kind in NO_NUMBERS and 2 in a.shape:
        return _names(a)
    if a.shape == (2, 2) and a.dtype.kind in "iu":
        before = "" if a is x else f", after `x = {array_of(x, a, 'x')}`"
        raise GraphError(
            "an integer array of shape (2, 2) may be an edge index, two edges, or a dense matrix: say which"
            f"{before}, with Graph.of((x[0], x[1])) or Graph.of((x[:, 0], x[:, 1])) or "
            f"Graph.of({dev.module_of(a).__name__}.asarray(x, float))"
        )
    if a.shape[0] == 2 and a.shape[1] != 2:
        if a.size and a.dtype.kind in "fcb":
            raise GraphError(
                f"edge_index must be integers, not {a.dtype}: convert with {whole(x)} if every entry is a "
                f"vertex number; {COLUMNS.format(_columns(x, a))}"
            )
        return Structure("edges", a[0], a[1], None, names=("edge_index[0]", "edge_index[1]"))
    if a.shape[1] == 2 and a.shape[0] != 2:
        return _rows_of_ends(x, a)
    if a.shape[1] == 3 and not isinstance(a, np.ma.MaskedArray):
        _refuse_weighted(x, a)
    square(a.shape, _columns(x, a))
    return dense(a, diagonal=False, name=array_of(x, a, "x"))


def whole(x: Any) -> str:
    """Return code that converts an array to integers, in the words of its library."""
    return ".astype(np.int64)" if hasattr(x, "astype") else "numpy.from_dlpack(x).astype(numpy.int64)"


def _names(a: Any) -> Ends:
    """Return the ends of edges in an array of names of shape (m, 2) or (2, m)."""
    if a.shape == (2, 2):
        raise GraphError(
            "an array of names of shape (2, 2) may be two edges or the two ends of two: say which, with "
            "`Graph.of((x[:, 0], x[:, 1]))` or `Graph.of((x[0], x[1]))`"
        )
    u, v = a.T if a.shape[1] == 2 else a
    return Ends.of(u, v)


def _rows_of_ends(x: Any, a: Any) -> Structure:
    """Return the edges of an array of integers of shape (m, 2); raise an error if its rows may be something else."""
    u, v, code = a[:, 0], a[:, 1], array_of(x, a, "x")
    if a.dtype.kind not in "iu":
        raise GraphError(
            f"edges of shape (m, 2) must be integers, not {a.dtype}: if the rows of this array {tuple(a.shape)} are "
            f"edges, `Graph.of({code}.astype(int))`; {COLUMNS.format(_columns(x, a))}"
        )
    with dev.using(a):
        if len(a) > 1 and extremes.span(a.ravel())[1] <= 1:
            raise GraphError(
                f"an array of shape {tuple(a.shape)} with 0 and 1 only may be edges between the vertices 0 and 1, "
                f"`Graph.of(({code}[:, 0], {code}[:, 1]))`, or a matrix whose columns (or rows) are to be colored, "
                f"`lagcolor.color({code}.astype(float), problem='columns')`"
            )
        if len(a) and (base := lists.first_of_neighbors(a)) is not None:
            raise GraphError(lists.neighbors_or_edges("Graph.of", base))
    return Structure("edges", u, v, None, names=("x[:, 0]", "x[:, 1]"), loose=True)


def _refuse_weighted(x: Any, a: Any) -> None:
    """Raise an error if rows may be edges with a number; a symmetric or binary square array is a matrix."""
    with dev.using(a):
        ends = checks.whole_floats(a[:, :2])
        if ends.dtype.kind not in "iu" or bool((ends < 0).any()):
            return
        if len(a) == 3:  # an array without a symmetric pattern has another error
            there, loop = a != 0, (ends[:, 0] == ends[:, 1]).any()
            if bool(loop | (a == a.T).all() | (there != there.T).any() | (a == there).all()):
                return
    code = array_of(x, a, "x")
    edges = f"Graph.of(({code}[:, 0].astype(int), {code}[:, 1].astype(int)))"
    matrix = f"if it is a matrix, `Graph.of({code} != 0)`" if len(a) == 3 else COLUMNS.format(_columns(x, a))
    what = f"an array of shape {tuple(a.shape)} may be a matrix, or have an edge and a number in each row"
    raise GraphError(f"{what}: if it has edges, `{edges}`; {matrix}")


def _columns(x: Any, a: Any) -> str:
    """Return the program `DENSE` for x, whose array is `a`."""
    return DENSE if a is x else f"A = {array_of(x, a, 'A')}; {DENSE}"


def array_of(x: Any, a: Any, name: str) -> str:
    """Return code that converts x, called `name`, to the array `a`: tensors of other libraries have other methods."""
    if a is x:
        return name
    make = "from_dlpack" if hasattr(x, "__dlpack__") else "asarray"
    return f"{dev.module_of(a).__name__}.{make}({name})"


def pair(x: Any, function: str = "Graph.of") -> Structure | Ends | None:
    """Return the edges of a tuple or list of two index arrays or lists of names; None for others."""
    if len(x) != 2:
        return None
    if isinstance(x, list) and all(isinstance(end, list) for end in x):
        if len(x[0]) == len(x[1]):
            raise GraphError(lists.two_lists(x, function))
        return None
    if isinstance(x, list) and all(isinstance(end, np.ndarray) and end.shape == (2,) for end in x):
        raise GraphError(lists.two_lists(x, function))
    if isinstance(x, list) and any(isinstance(end, (list, range)) for end in x):
        return None
    u, v = (_end(end, name) for end, name in zip(x, "uv", strict=True))
    if u is None or v is None:
        if u is not None and lists.is_pair(x[1]) and all(isinstance(end, (list, np.ndarray)) for end in x[1]):
            raise GraphError(
                "vertices are no arrays: if the input is (data, (row, column)) of a sparse matrix, pass "
                "`scipy.sparse.coo_array(x)`"
            )
        return None
    if any(isinstance(end, list) or end.dtype.kind in NO_NUMBERS for end in (u, v)):
        return Ends.of(u, v)
    if dev.device_of(u) != dev.device_of(v):  # both go to the GPU, or to the GPU of u if there are two
        gpu = dev.device_of(u if dev.is_cupy(u) else v)
        u, v = dev.to_device(u, gpu), dev.to_device(v, gpu)
    return Structure("edges", u, v, None)


def _end(x: Any, name: str) -> Any:
    """Return one end of each edge as an array, or as a list if it has names."""
    if not isinstance(x, (list, range)):
        return as_array(x)
    if isinstance(x, list) and any(isinstance(e, (str, tuple)) for e in x):
        return x
    if isinstance(x, list) and are_integers(x):  # NumPy converts integers to floats if some are over 2**63
        return integers_of(x)
    try:
        return np.asarray(x)
    except ValueError as e:
        raise GraphError(f"{name} is a list that is no array: {e}") from e


def array_like(x: Any) -> Any:
    """Return `x` as an array, as `as_array` does; a sequence becomes a NumPy array."""
    array = as_array(x)
    return np.asarray(x) if array is None else array


def values_of(x: Any, name: str, error: type[LagcolorError], fault: str = "", by_label: bool = True) -> Any:
    """Return `x`, with one value per vertex or color, as an array; `fault` begins the error about ragged lists.

    A table of pandas has an order and an index, which agree if the index is 0, 1, …; `by_label`: a dict is accepted.
    """
    checks.unmasked(x, name, error)
    if hasattr(x, "iloc") and not np.array_equal(x.index.to_numpy(), range(len(x))):
        also = f", or `{name}.to_dict()` to read it by its index" if by_label else ""
        raise error(
            f"{name} has an index other than 0 … {len(x) - 1}: pass `{name}.to_numpy()` to read it in its order{also}"
        )
    try:
        return array_like(x)
    except (TypeError, ValueError) as e:
        raise error(f"{fault or f'{name} must be an array with one value per vertex'}: {e}") from e


def as_array(x: Any) -> Any:
    """Return `x` as a NumPy or CuPy array that shares its memory if possible; None if it is no array."""
    if isinstance(x, np.ndarray) or dev.is_cupy(x):
        return x
    try:
        if hasattr(x, "__dlpack__"):
            on_gpu = x.__dlpack_device__()[0] in _DLPACK_CUDA
            return (dev.cupy() if on_gpu else np).from_dlpack(x)
        if hasattr(x, "__cuda_array_interface__"):
            return dev.cupy().asarray(x)
        if hasattr(x, "__array__"):
            return np.asarray(x)
    except (BufferError, RuntimeError, TypeError, ValueError) as e:
        raise GraphError(f"cannot read {type(x).__name__} as an array: {e}") from e
    return None
