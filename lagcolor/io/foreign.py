"""Formats that other packages read: which call does, by the name of a file or by how it begins."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from typing import NamedTuple

from .files import GZIP, STDIN, bare_name

HEAD = 1 << 12  # bytes that show what a file is


class Foreign(NamedTuple):
    """A format that this package does not read."""

    title: str
    extensions: tuple[str, ...]
    call: str  # reads the file {path!r}
    sign: bytes = b"(?!)"  # how such a file begins


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


def of_name(path: Path) -> str:
    """The advice for a file with such a name; "" if it has none of these formats."""
    bare = bare_name(path)
    return next((_advice(row, path) for row in FOREIGN if bare.endswith(row.extensions)), "")


def of_content(path: Path) -> str:
    """The advice for a file that begins as one of these formats does."""
    if path == STDIN or not path.is_file():
        return ""
    head = _begin(path, HEAD)
    return next((_advice(row, path) for row in FOREIGN if re.match(row.sign, head, re.IGNORECASE)), "")


def _begin(path: Path, size: int) -> bytes:
    with open(path, "rb") as f:
        packed = f.read(len(GZIP)) == GZIP
    try:
        with gzip.open(path) if packed else open(path, "rb") as f:
            return f.read(size)
    except (OSError, EOFError, zlib.error):  # damaged, which another message says
        return b""


def _advice(row: Foreign, path: Path) -> str:
    call = row.call
    if row.title == "JSON":
        content = _begin(path, -1) if path.is_file() else b""
        found = (call for key, call in _JSON if re.search(key, content))
        call = next(found, "json.load(open({path!r}))")
    return f"lagcolor does not read {row.title}: pass {call.format(path=str(path))}"
