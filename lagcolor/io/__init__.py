"""Graph files and coloring files: reading, writing, .gz.

    format   extensions                                              what
    mtx      .mtx .mm                                                Matrix Market
    edges    .txt .edges .edgelist .el .wel .snap .tsv .csv          edge list, as SNAP's
    col      .col                                                    DIMACS coloring, text
    col.b    .col.b                                                  DIMACS coloring, binary
    gr       .gr                                                     DIMACS shortest paths
    metis    .graph .metis                                           METIS
    egr      .egr                                                    ECL binary CSR
    npz      .npz                                                    scipy's save_npz, or indptr, indices, n

Each may end in .gz as well. One module a format, with what it accepts in its docstring.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import FormatError, GraphError
from ..graph import Graph
from .colorings import read_coloring, write_coloring
from .files import atomic, bare_name

__all__ = ["FORMATS", "Format", "read", "read_coloring", "write", "write_coloring"]


@dataclass(frozen=True)
class Format:
    """A graph file format.

    Attributes
    ----------
    name : str
    extensions : tuple of str
        The first is the usual one.
    title : str
    reader, writer : str
        "module:function" in this package.
    """

    name: str
    extensions: tuple[str, ...]
    title: str
    reader: str
    writer: str


_EDGES = (".txt", ".edges", ".edgelist", ".el", ".wel", ".snap", ".tsv", ".csv")
FORMATS = {
    row.name: row
    for row in (
        Format("mtx", (".mtx", ".mm"), "Matrix Market", "matrix_market:read", "matrix_market:write"),
        Format("edges", _EDGES, "edge list (SNAP)", "edge_list:read", "edge_list:write"),
        Format("col", (".col",), "DIMACS coloring", "dimacs:read_col", "dimacs:write_col"),
        Format("col.b", (".col.b",), "DIMACS binary", "dimacs_binary:read", "dimacs_binary:write"),
        Format("gr", (".gr",), "DIMACS shortest paths", "dimacs:read_gr", "dimacs:write_gr"),
        Format("metis", (".graph", ".metis"), "METIS", "metis:read", "metis:write"),
        Format("egr", (".egr",), "ECL binary CSR", "ecl:read", "ecl:write"),
        Format("npz", (".npz",), "scipy or NumPy archive", "npz:read", "npz:write"),
    )
}


def read(
    path: str | os.PathLike[str], symmetrize: bool = False, format: str | None = None, device: str | None = None
) -> Graph:
    """The graph of a file.

    Parameters
    ----------
    path : path-like
        Plain or .gz.
    symmetrize : bool
        Take A ∪ Aᵀ of a matrix file (mtx, metis, egr, npz) that is not symmetric, instead of raising.
        Edge lists and DIMACS files hold undirected edges, in one direction or both, and need it never.
    format : str, optional
        A name in `FORMATS` or an extension; default: what the name of the file says.
    device : str, optional
        "cpu", "cuda", "cuda:1".

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
    OSError
        The file cannot be opened.
    """
    path = Path(path)
    function = _function(_format(path, format).reader)
    try:
        return function(path, symmetrize, device)
    except FormatError:
        raise
    except GraphError as e:
        raise type(e)(f"{path}: {e}") from e


def write(path: str | os.PathLike[str], G: Any, format: str | None = None) -> None:
    """Write a graph to a file, whole or not at all: a temporary file in the same folder is renamed at the end.

    Vertices are written as numbers; labels are not kept.

    Parameters
    ----------
    path : path-like
        Packed where it ends in .gz.
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
    """
    path = Path(path)
    function = _function(_format(path, format).writer)
    graph = (G if isinstance(G, Graph) else Graph.of(G)).on("cpu")
    with atomic(path) as out:
        function(out, graph, path)


def _format(path: Path, name: str | None) -> Format:
    if name is not None:
        wanted = name.lower().removesuffix(".gz")
        for row in FORMATS.values():
            if wanted == row.name or f".{wanted.removeprefix('.')}" in row.extensions:
                return row
        raise FormatError(f"unknown format {name!r}; there are: {', '.join(FORMATS)}")
    bare = bare_name(path)
    for row in FORMATS.values():
        if bare.endswith(row.extensions):
            return row
    known = ", ".join(f"{e}" for row in FORMATS.values() for e in row.extensions)
    raise FormatError(
        f"{path}: cannot tell the format from the name; known are {known}, each also with .gz. "
        f"Or name it: format= one of {', '.join(FORMATS)}"
    )


def _function(where: str) -> Callable[..., Any]:
    # Imported at first use: some parsers need numba, which takes a while to import.
    module, _, function = where.partition(":")
    return getattr(importlib.import_module(f".{module}", __name__), function)
