"""Read a graph from a file, and write one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...base.log import listened
from ...graph.files import arrays_of_file
from ...graph.graph import Graph
from ...io.files import atomic
from ...io.formats import FOLDER, first_line, format_of, function


@listened
def read(
    path: str | os.PathLike[str], *, symmetrize: bool = False, format: str | None = None, device: str | None = None,
    header: bool | None = None, columns: Sequence[str] | None = None, progress: Any = None,
) -> Graph:  # fmt: skip
    """Read a graph from a file.

    Parameters
    ----------
    path : path-like
        A file, plain or .gz, or a graph folder (.csr). "-" is standard input, plain or compressed, and needs a
        `format`.
    symmetrize : bool
        Use A ∪ Aᵀ for a matrix file (mtx, metis, egr, npz) that is not symmetric, instead of raising an error. Edge
        lists and DIMACS files hold undirected edges, in one direction or both, and never need it.
    format : str, optional
        A name in `FORMATS`, "parquet", or an extension. Default: determined by the file name. "edges" also says that a
        text is an edge list if it could be a matrix, an adjacency list, or begin with a line of counts.
    device : str, optional
        "cpu", "cuda", "cuda:1". Default: "cpu".
    header : bool, optional
        Whether the first line of an edge list names the columns. Default: it does if it has words such as source and
        target, or words above numbers. Other names in it are an error if no other line has one of them.
    columns : pair of str, optional
        The names of the columns of an edge list or a Parquet file that hold both ends. Default: the first two, or those
        with names such as source and target. A file without a header has no names of columns.
    progress : callable, True or None
        See `lagcolor.color`.

    Returns
    -------
    Graph
        The graph. Vertices are in the order of the file and numbered from 0.

    Raises
    ------
    FormatError
        The format is unknown, or the file is malformed: the message names the file, line or field, and what is
        expected. If a text has two readings, the message has the call for each.
    GraphError
        The file is valid but holds no undirected graph, because it is rectangular or asymmetric.
    OptionError
        `header` or `columns` has the wrong type, or the file is no edge list and no Parquet file.
    OSError
        The file cannot be opened.

    See Also
    --------
    write : Write a graph to a file.
    lagcolor.convert : Convert files of edges that do not fit memory.

    Examples
    --------
    >>> lagcolor.io.write("wheel.col", ([0, 0, 0, 1, 2], [1, 2, 3, 2, 3]))
    >>> lagcolor.io.read("wheel.col")
    <Graph: 4 vertices, 5 edges, on cpu>
    """
    hints = first_line(header, columns)
    return Graph(*arrays_of_file(path, symmetrize, format, device, first_line=hints))._of_file(path)


def write(path: str | os.PathLike[str], G: Any, *, format: str | None = None) -> None:
    """Write a graph to a file, completely or not at all.

    The graph is written to a temporary file in the same folder, which is renamed at the end. Vertices are written as
    numbers. Only a graph folder (.csr) keeps labels.

    Parameters
    ----------
    path : path-like
        The file is compressed if the name ends in .gz. A name that ends in .csr is a graph folder. "-" is standard
        output and needs a `format`.
    G : Graph or graph-like
        The graph: anything that `Graph.of` accepts.
    format : str, optional
        A name in `FORMATS` or an extension. Default: determined by the file name.

    Raises
    ------
    FormatError
        The format is unknown.
    GraphError
        The format cannot represent the graph.
    OSError
        The file cannot be written. An existing file at `path` is unchanged.

    See Also
    --------
    read : Read a graph from a file.
    write_coloring : Write colors to a file.

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
