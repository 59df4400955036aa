"""Formats of graph files: their names, extensions, readers and writers.

    format   extensions                                              what
    mtx      .mtx .mm                                                Matrix Market
    edges    .txt .edges .edgelist .el .wel .snap .tsv .csv          edge list, as SNAP's
    col      .col .clq                                               DIMACS coloring, text
    col.b    .col.b .clq.b                                           DIMACS coloring, binary
    gr       .gr                                                     DIMACS shortest paths
    metis    .graph .metis                                           METIS
    egr      .egr                                                    ECL binary CSR
    npz      .npz                                                    scipy's save_npz, or indptr, indices, n
    csr      .csr                                                    a folder of arrays, see folder/
    parquet  .parquet .pq                                            table of edges, read and not written

All but the last two may also be packed, with the ending .gz. The module of a format has what it accepts in its
docstring. For a format that other packages read (`FOREIGN`), the error has the call that reads it.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..base import imported_from
from ..base.compile_clock import load
from ..base.errors import FormatError, GraphError, OptionError
from ..base.options import flag, unknown
from ..inputs.canonical import Structure
from ..inputs.ends import Ends
from .files import GZIP, NO_HINT, PACKED, STDIN, FirstLine, bare_name, name_of


@imported_from("lagcolor.io")
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
        Format("col", (".col", ".clq"), "DIMACS coloring", "dimacs:read_col", "dimacs:write_col"),
        Format("col.b", (".col.b", ".clq.b"), "DIMACS binary", "dimacs:read_binary", "dimacs:write_binary"),
        Format("gr", (".gr",), "DIMACS shortest paths", "dimacs:read_gr", "dimacs:write_gr"),
        Format("metis", (".graph", ".metis"), "METIS", "metis:read", "metis:write"),
        Format("egr", (".egr",), "ECL binary CSR", "ecl:read", "ecl:write"),
        Format("npz", (".npz",), "scipy or NumPy archive", "npz:read", "npz:write"),
    )
}
PARQUET = Format("parquet", (".parquet", ".pq"), "table of edges, not written", "parquet:read", "")
CONVERTED: dict[str, tuple[str, ...]] = {
    PARQUET.name: PARQUET.extensions,
    "npy": (".npy",),
}  # formats that lagcolor.convert reads, and nothing writes
FOLDER = Format("csr", (".csr",), "folder of memory-mapped arrays", "folder:read", "folder:write")
TABLES = ("edges", PARQUET.name)  # formats with columns, which may have names

HEAD = 1 << 12  # bytes that identify the format of a file


class Foreign(NamedTuple):
    """A format that this package does not read."""

    title: str
    extensions: tuple[str, ...]
    call: str  # the call that reads the file {path!r}
    sign: bytes = b"(?!)"  # pattern of the beginning of a file


_XML = rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<"
FOREIGN = (
    Foreign("GraphML", (".graphml",), "networkx.read_graphml({path!r})", _XML + b"graphml"),
    Foreign("GEXF", (".gexf",), "networkx.read_gexf({path!r})", _XML + b"gexf"),
    Foreign(
        "GML", (".gml",), "networkx.read_gml({path!r})",
        rb"\s*((Creator|Version|Comment|#).*\s+)*(directed \d\s+)?graph\s*\[",
    ),
    Foreign(
        "Pajek", (".net", ".paj", ".pajek"), "networkx.Graph(networkx.read_pajek({path!r}))",
        rb"\s*\*(vertices|network)",
    ),
    Foreign(
        "DOT", (".dot", ".gv"), "networkx.Graph(networkx.nx_pydot.read_dot({path!r}))",
        rb"\s*((//|/\*|#).*\s+)*(strict\s+)?(di)?graph\b[^\[\n]*\{",
    ),
    Foreign("graph6", (".g6", ".graph6"), "networkx.read_graph6({path!r})", rb">>graph6<<"),
    Foreign("sparse6", (".s6", ".sparse6"), "networkx.read_sparse6({path!r})", rb">>sparse6<<|:[?-~]+\s*$"),
    Foreign("JSON", (".json",), "", rb"\s*[{\[]\s*[\"{\[\d}\]]"),
    Foreign("adjacency lists", (".adjlist",), "networkx.read_adjlist({path!r})"),
    Foreign("multiline adjacency lists", (".multiline_adjlist",), "networkx.read_multiline_adjlist({path!r})"),
    Foreign("LGL", (".lgl",), "igraph.Graph.Read_Lgl({path!r}, directed=False)"),
    Foreign("NCOL", (".ncol",), "igraph.Graph.Read_Ncol({path!r}, directed=False)"),
    Foreign("GAL", (".gal",), "libpysal.io.open({path!r}).read().neighbors"),
    Foreign(
        "PACE", (), "networkx.parse_edgelist(line for line in open({path!r}) if line[0] not in 'cp')",
        rb"(c.*\n)*p tw ",
    ),
)  # fmt: skip
_JSON = (
    (rb'"links"\s*:', "networkx.node_link_graph(json.load(open({path!r})), edges='links')"),
    (rb'"edges"\s*:', "networkx.node_link_graph(json.load(open({path!r})), edges='edges')"),
    (rb'"adjacency"\s*:', "networkx.adjacency_graph(json.load(open({path!r})))"),
)


def read(
    path: str | os.PathLike[str], symmetrize: bool = False, format: str | None = None, hint: FirstLine | None = None,
    matrix: bool = False,
) -> Structure | Ends:  # fmt: skip
    """Read the arrays of a file, unchecked for symmetry; `matrix`: ends of edges in a table are rows and columns."""
    path = Path(path)
    row = format_of(path, format, reading=True)
    check_hint(path, row.name, hint)
    reader = function(row.reader)
    try:
        if row.name in TABLES:
            return reader(path, symmetrize, with_format(hint, format), matrix)
        return reader(path, symmetrize)
    except FormatError as e:
        if known := _foreign_by_content(path):
            raise FormatError(f"{name_of(path)}: {known}") from e
        raise
    except GraphError as e:
        raise type(e)(f"{name_of(path)}: {e}") from e


def with_format(hint: FirstLine | None, format: str | None) -> FirstLine:
    """Return the caller's hints about an edge list, with whether the caller names the format."""
    return (hint or NO_HINT)._replace(form=format is not None)


def first_line(header: Any, columns: Any) -> FirstLine | None:
    """Return the caller's hints about the first line of an edge list, or None."""
    if header is None and columns is None:
        return None
    if columns is not None and (isinstance(columns, str) or [type(c) for c in columns] != [str, str]):
        raise OptionError(f"columns must be two names, as in columns=('source', 'target'), not {columns!r}")
    if columns is not None and columns[0] == columns[1]:
        raise OptionError(f"columns must be two different names, not {columns[0]!r} twice")
    header = flag("header", header, none=True)
    if columns is not None and header is False:
        raise OptionError("columns has names of columns, and header=False says that there are none: leave one out")
    return FirstLine(header, None if columns is None else tuple(columns))


def check_hint(path: Path, format: str, hint: FirstLine | None) -> None:
    """Raise an OptionError for a hint about the first line of a file whose format has no such line."""
    if hint is not None and format not in TABLES:
        what = "header" if hint.columns is None else "columns"
        raise OptionError(
            f"{what} is for the format {' or '.join(TABLES)}, and {name_of(path)} has the format {format}"
        )


def format_of(path: Path, name: str | None, reading: bool = False, more: tuple[str, ...] = ()) -> Format:
    """Return the row of a format by its name, or by the name of the file.

    `reading`: it need not have a writer. `more`: formats that the caller reads itself, for errors.
    """
    rows = (*FORMATS.values(), FOLDER, *([PARQUET] if reading else []))
    names = [*(row.name for row in rows), *more]
    if name is not None:
        wanted = name.lower().removesuffix(".gz")
        for row in rows:
            if wanted == row.name or f".{wanted.removeprefix('.')}" in row.extensions:
                return _folder(path) if row is FOLDER else row
        _check_converted(path, wanted)
        raise FormatError(unknown("format", name, names))
    bare = bare_name(path)
    for row in FORMATS.values():
        if bare.endswith(row.extensions):
            return row
    if path.is_dir() or bare.endswith(FOLDER.extensions):
        return _folder(path)
    if reading and path.name.lower().endswith(PARQUET.extensions):
        return PARQUET
    for format, endings in CONVERTED.items():
        if bare.endswith(endings):
            _check_converted(path, format)
    if foreign := next((row for row in FOREIGN if bare.endswith(row.extensions)), None):
        raise FormatError(f"{name_of(path)}: {_advice(foreign, path)}")
    known = ", ".join(f"{e}" for row in FORMATS.values() for e in row.extensions)
    raise FormatError(
        f"{name_of(path)}: cannot tell the format from the name; known are {known}, each also with .gz, and "
        f"{FOLDER.extensions[0]}. Or name it, as in format='mtx'; there are: {', '.join(names)}"
    )


def _check_converted(path: Path, format: str) -> None:
    """Raise a FormatError for a format that only `lagcolor.convert` reads, or that is not written."""
    if format in CONVERTED and bare_name(path) != path.name.lower():
        what = f"a file in the format {format} is not packed once more: unpack it first"
        raise FormatError(f"{name_of(path)}: {what}")
    if format == PARQUET.name:
        raise FormatError(f"{name_of(path)}: a file in the format {format} is read, and not written")
    if format in CONVERTED:
        raise FormatError(
            f"{name_of(path)}: the format {format} is read by lagcolor.convert alone, which makes a folder of the "
            f"graph, such as {Path(bare_name(path)).stem}.csr, that can be read everywhere"
        )


def _folder(path: Path) -> Format:
    """Return the row of folders; raise a FormatError if a path cannot be a folder."""
    if path == STDIN or path.name.lower().endswith(".gz"):
        raise FormatError(f"{path}: a graph in the format csr is a folder, which is neither a stream nor packed")
    return FOLDER


def function(where: str) -> Callable[..., Any]:
    """Return a reader or writer, imported at first use: some parsers need numba, which takes long to import."""
    module, _, name = where.partition(":")
    return getattr(load(f".{module}", __package__), name)


def _foreign_by_content(path: Path) -> str:
    """Return the advice for a file that begins as a foreign format, or ""."""
    if path == STDIN or not path.is_file():
        return ""
    if _is_packed(path) and not path.name.lower().endswith(".gz"):
        return PACKED
    head = _begin(path, HEAD)
    return next((_advice(row, path) for row in FOREIGN if re.match(row.sign, head, re.IGNORECASE)), "")


def _is_packed(path: Path) -> bool:
    with open(path, "rb") as f:
        return f.read(len(GZIP)) == GZIP


def _begin(path: Path, size: int) -> bytes:
    try:
        with gzip.open(path) if _is_packed(path) else open(path, "rb") as f:
            return f.read(size)
    except (OSError, EOFError, zlib.error):  # a damaged file, which has another error
        return b""


def _advice(row: Foreign, path: Path) -> str:
    call = row.call
    if row.title == "JSON":
        content = _begin(path, -1) if path.is_file() else b""
        found = (call for key, call in _JSON if re.search(key, content))
        call = next(found, "json.load(open({path!r}))")
    return f"lagcolor does not read {row.title}: pass {call.format(path=str(path))}"
