"""Graph files and coloring files: reading, writing, .gz. What formats there are: formats.py."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core.graph import Graph
from ..inputs import arrays_of_file
from ..progress import listened
from .colorings import read_coloring, write_coloring
from .files import atomic
from .formats import FOLDER, FORMATS, Format, first_line, format_of, function
from .rules import read_allowed, read_capacity, read_distances, read_forbidden, read_weights

__all__ = [
    "FORMATS",
    "Format",
    "read",
    "read_allowed",
    "read_capacity",
    "read_coloring",
    "read_distances",
    "read_forbidden",
    "read_weights",
    "write",
    "write_coloring",
]


@listened
def read(
    path: str | os.PathLike[str], *, symmetrize: bool = False, format: str | None = None, device: str | None = None,
    header: bool | None = None, columns: Sequence[str] | None = None, progress: Any = None,
) -> Graph:  # fmt: skip
    """The graph of a file.

    Parameters
    ----------
    path : path-like
        Plain or .gz, or a folder (.csr); "-" is standard input, plain or packed, and needs a `format`.
    symmetrize : bool
        Take A ∪ Aᵀ of a matrix file (mtx, metis, egr, npz) that is not symmetric, instead of raising.
        Edge lists and DIMACS files hold undirected edges, in one direction or both, and need it never.
    format : str, optional
        A name in `FORMATS` or an extension; default: what the name of the file says.
    device : str, optional
        "cpu", "cuda", "cuda:1".
    header : bool, optional
        Whether the first line of an edge list names the columns; default: where it has words such as source and
        target, or words above numbers.
    columns : pair of str, optional
        Names of the columns of an edge list that hold both ends; default: the first two, or those named source and
        target or the like. A list of numbers without names of columns has the ends in the first two.
    progress : callable, True or None
        As for `lagcolor.color`.

    Returns
    -------
    Graph
        Vertices in the order of the file, counted from 0.

    Raises
    ------
    FormatError
        Unknown format, or a malformed file: the message names file, line or field, and what was expected.
    GraphError
        A well-formed file that holds no undirected graph: rectangular or asymmetric.
    OptionError
        `header` or `columns` is of the wrong type, or the file is no edge list.
    OSError
        The file cannot be opened.

    Warns
    -----
    AmbiguityWarning
        The first line of an edge list may be an edge or name the columns.

    Examples
    --------
    >>> lagcolor.io.write("wheel.col", ([0, 0, 0, 1, 2], [1, 2, 3, 2, 3]))
    >>> lagcolor.io.read("wheel.col")
    <Graph: 4 vertices, 5 edges, on cpu>
    """
    return Graph(*arrays_of_file(path, symmetrize, format, device, told=first_line(header, columns)))


def write(path: str | os.PathLike[str], G: Any, format: str | None = None) -> None:
    """Write a graph to a file, whole or not at all: a temporary file in the same folder is renamed at the end.

    Vertices are written as numbers; labels are kept in a folder (.csr) alone.

    Parameters
    ----------
    path : path-like
        Packed where it ends in .gz; a folder where it ends in .csr; "-" is standard output, and needs a `format`.
    G : Graph or anything that `Graph.of` takes
    format : str, optional
        A name in `FORMATS` or an extension; default: what the name of the file says.

    Raises
    ------
    FormatError
        Unknown format.
    GraphError
        The format cannot hold the graph.
    OSError
        The file cannot be written; what was at `path` is still there.

    Examples
    --------
    >>> lagcolor.io.write("queens.mtx.gz", lagcolor.generate.queen(8))
    >>> lagcolor.color("queens.mtx.gz").graph.n_edges
    728
    """
    path = Path(path)
    row = format_of(path, format)
    writer = function(row.writer)
    graph = Graph.of(G).on("cpu")
    if row is FOLDER:
        writer(path, graph)
        return
    with atomic(path) as out:
        writer(out, graph, path)
