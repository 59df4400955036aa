"""Anything that holds a matrix, of any shape → the arrays of its canonical pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import device as dev
from ..base.compile_clock import stopwatch
from ..base.errors import GraphError
from . import arrays, pairs, reader_of
from .canonical import Structure
from .dense import dense, refuse_elements
from .ends import Ends

ACCEPTED = (
    "a scipy.sparse or cupyx.scipy.sparse matrix, a graphblas.Matrix, a sparse tensor of torch or JAX, a "
    "two-dimensional NumPy or CuPy array, a pair of index arrays (rows, columns), a list of pairs (row, column), "
    "a dict from rows to columns, a table with two columns (pandas, polars, pyarrow), a networkx, igraph or "
    "rustworkx graph, a path, a generator such as 'rgg:16', a Graph or a Pattern"
)


# The parts of a `Pattern`: offsets and columns, how many columns there are, names of rows and of columns, and
# seconds, but for reading a file.
PatternArrays = tuple[Any, Any, int, Any, Any, float]


def pattern_arrays(x: Any, shape: tuple[int, int] | None = None, device: str | None = None) -> PatternArrays:
    """The canonical arrays of an object that is no Pattern, path or generator; `Pattern.of` calls this."""
    if device is not None:
        dev.parse_device(device)
    passed = stopwatch()
    return pattern_of_structure(_read(x, shape), shape, device, passed)


def pattern_of_structure(
    structure: Structure, shape: tuple[int, int] | None, device: str | None, passed: Callable[[], float]
) -> PatternArrays:
    """The canonical arrays of a structure, after a check that they fit the request."""
    if device is not None:
        structure = structure.on(device)
    indptr, indices, found = structure.pattern()
    if shape is not None and tuple(shape) != found:
        raise GraphError(f"shape = {tuple(shape)}, but the matrix has shape {found}: leave shape out")
    with dev.using(indices):
        if dev.is_cupy(indices):
            dev.cupy().cuda.get_current_stream().synchronize()
    column_labels = structure.labels if structure.columns is None else structure.column_labels
    return indptr, indices, found[1], structure.labels, column_labels, passed()


def _read(x: Any, shape: tuple[int, int] | None) -> Structure:
    reader = reader_of(x, matrix=True)
    found = reader(x) if reader is not None else None
    if found is None and isinstance(x, (tuple, list)):
        found = arrays.pair(x, "Pattern.of")
        if isinstance(found, Structure):
            return _entries(found, shape)
    elif found is None and (a := arrays.as_array(x)) is not None:
        if a.ndim != 2:
            raise GraphError(f"an array of shape {tuple(a.shape)} is no matrix: a dense one has rows and columns")
        if 2 in a.shape and a.dtype.kind in "iu":
            readings = ["(x[0], x[1])"] * (a.shape[0] == 2) + ["(x[:, 0], x[:, 1])"] * (a.shape[1] == 2)
            readings.append(f"{dev.module_of(a).__name__}.asarray(x, float)")
            raise GraphError(
                f"an integer array of shape {tuple(a.shape)} may be rows and columns of entries or a dense matrix: say "
                f"which, with {' or '.join(f'Pattern.of({code})' for code in readings)}"
            )
        refuse_elements(a)
        return dense(a, name=arrays.array_of(x, a, "x"))
    if found is None:
        found = pairs.from_container(x, f"Pattern.of takes {ACCEPTED}")
    if found is None:
        raise GraphError(
            f"cannot make a pattern of {type(x).__module__}.{type(x).__qualname__}; Pattern.of takes {ACCEPTED}"
        )
    return found.matrix(shape) if isinstance(found, Ends) else found


def _entries(pair: Structure, shape: tuple[int, int] | None) -> Structure:
    """Row and column of each entry; where no shape is given, up to the largest of each."""
    from .checks import integers, vertices_of

    ends = ((pair.first, "rows"), (pair.second, "columns"))
    for a, name in ends:
        integers(a, name)
    rows, columns = shape or (vertices_of(a, name) for a, name in ends)
    return Structure("coo", pair.first, pair.second, rows, columns=columns)
