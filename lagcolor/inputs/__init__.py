"""Anything that holds a graph → the arrays of its canonical CSR. One family of inputs per module.

Each module reads its family into a `Structure`: index arrays, and whether they state a matrix (an
entry without its mirror image is then an error) or undirected edges. Data types of other libraries
are recognized by the modules that are loaded already, so that nothing is imported for the test.
"""

from __future__ import annotations

import importlib
import operator
import os
import sys
import time
from typing import Any, NamedTuple

from .. import device as dev
from ..errors import FormatError, GraphError
from .structure import Structure

__all__ = ["Arrays", "Structure", "arrays_of", "arrays_of_file", "check_vertices", "whole"]

ACCEPTED = (
    "a scipy.sparse or cupyx.scipy.sparse matrix, a graphblas.Matrix, a square NumPy or CuPy array, a networkx or "
    "igraph graph, an edge index of shape (2, m) (NumPy, CuPy or anything with __dlpack__), "
    "a pair of index arrays (u, v), a path, or a Graph"
)
# Module and class that mark a family → who reads it.
_FAMILIES = (
    ("scipy.sparse", "issparse", "matrices:from_scipy"),
    ("cupyx.scipy.sparse", "issparse", "matrices:from_cupyx"),
    ("graphblas.core.matrix", "Matrix", "matrices:from_graphblas"),
    ("graphblas.core.matrix", "TransposedMatrix", "matrices:from_graphblas"),
    ("networkx", "Graph", "networks:from_networkx"),
    ("igraph", "Graph", "networks:from_igraph"),
)


class Arrays(NamedTuple):
    """What a `Graph` is made of.

    Attributes
    ----------
    indptr, indices : array
        Canonical, on one device.
    labels : sequence or None
        Names of the vertices.
    seconds : float
        What making them took, without reading a file.
    """

    indptr: Any
    indices: Any
    labels: Any
    seconds: float


def arrays_of(x: Any, symmetrize: bool = False, n: int | None = None, device: str | None = None) -> Arrays:
    """The canonical arrays of anything but a Graph; see `Graph.of`, which this is behind."""
    n = None if n is None else whole(n)
    if device is not None:
        dev.parse_device(device)
    if isinstance(x, (str, os.PathLike)):
        found = arrays_of_file(x, symmetrize, device=device)
        check_vertices(len(found.indptr) - 1, n)
        return found
    start = time.perf_counter()
    return _canonical(_read(x, n), symmetrize, device, start)


def arrays_of_file(
    path: str | os.PathLike[str], symmetrize: bool = False, format: str | None = None, device: str | None = None
) -> Arrays:
    """The canonical arrays of a file; see `lagcolor.io.read`, which this is behind."""
    from ..io.formats import read

    if device is not None:
        dev.parse_device(device)
    structure = read(path, symmetrize, format)
    start = time.perf_counter()
    try:
        return _canonical(structure, symmetrize, device, start)
    except FormatError:
        raise
    except GraphError as e:
        raise type(e)(f"{os.fspath(path)}: {e}") from e


def _canonical(structure: Structure, symmetrize: bool, device: str | None, start: float) -> Arrays:
    if device is not None:
        structure = structure.on(device)
    indptr, indices = structure.canonical(symmetrize)
    with dev.using(indices):
        if dev.is_cupy(indices):
            dev.cupy().cuda.get_current_stream().synchronize()
    if structure.check is not None:
        structure.check(len(indices) // 2)
    return Arrays(indptr, indices, structure.labels, time.perf_counter() - start)


def matrix_of(indptr: Any, indices: Any, shape: tuple[int, int], labels: Any) -> Structure:
    """The CSR of a pattern as something to make a graph of.

    Raises
    ------
    GraphError
        It is not square.
    """
    if shape[0] != shape[1]:
        raise GraphError(
            f"the matrix of an undirected graph is square, and this pattern has shape {shape}: "
            "its columns or rows are colored with problem='columns' or problem='rows'"
        )
    return Structure("csr", indptr, indices, shape[0], labels)


def _read(x: Any, n: int | None) -> Structure:
    structure = x if isinstance(x, Structure) else None
    for module, marker, reader in _FAMILIES:
        test = getattr(sys.modules.get(module), marker, None)
        if test is not None and (isinstance(x, test) if isinstance(test, type) else test(x)):
            name, _, function = reader.partition(":")
            structure = getattr(importlib.import_module(f".{name}", __name__), function)(x)
    if structure is not None:
        if n is not None and n != structure.n:
            raise GraphError(f"n = {n}, but the input has {structure.n} vertices: leave n out")
        return structure
    from . import arrays

    structure = arrays.from_arrays(x, n)
    if structure is None:
        raise GraphError(
            f"cannot make a graph of {type(x).__module__}.{type(x).__qualname__}; Graph.of takes {ACCEPTED}"
        )
    return structure


def whole(n: Any) -> int:
    """The number of vertices that a caller gives.

    Raises
    ------
    GraphError
        It is no whole number.
    """
    try:
        return operator.index(n)
    except TypeError:
        raise GraphError(f"n must be a whole number, the number of vertices, not {n!r}") from None


def check_vertices(n: int, wanted: int | None) -> None:
    """Raise a GraphError where a graph of n vertices has not the number that the caller gives."""
    if wanted is not None and wanted != n:
        raise GraphError(f"n = {wanted}, but the graph has {n} vertices: leave n out")
