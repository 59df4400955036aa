"""Edge lists, as SNAP and many others write them: two vertex numbers per line.

    # Nodes: 4 Edges: 3
    0	1
    1	2
    2	3

Blanks, tabs, commas or semicolons separate; further columns (weights, times) are ignored; lines that
begin with # or % are comments; a first line of words over lines of numbers names the columns. An edge
may be listed in one direction or in both, and as often as it likes. A file without edges must say so, in the
comment of SNAP.

Vertices are the numbers 0 … max, so that a list which counts from 1 has an isolated vertex 0, about which there is a
warning. Where the comment of SNAP declares more nodes there are as many. Where max is over 1000 and fewer than a
quarter of the numbers up to it occur, the ones that do are renumbered in ascending order and kept as labels.

Vertices may be names, too: names.py.

Reference: J. Leskovec and A. Krevl, SNAP Datasets, https://snap.stanford.edu/data.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from ..inputs.sizes import check_most
from ..inputs.structure import Structure
from . import emit, parse
from .files import bare_name, load, malformed

if TYPE_CHECKING:
    from ..graph import Graph

ROLE = parse.roles(skip=b"#%", separator=b",;")
EXPECTED = "two vertex numbers, or a comment that begins with # or %"
_COUNTS = re.compile(r"#\s*Nodes:\s*(\d+)\s+Edges:\s*(\d+)\s*$", re.IGNORECASE)


class Counts(NamedTuple):
    """What SNAP's comment declares, and its line."""

    nodes: int
    edges: int
    line: int


def read(path: Path, symmetrize: bool) -> Structure:
    """See `lagcolor.io.read`."""
    buf = load(path)
    head, counts, named = begin(path, buf)
    if named:
        from .names import edges

        ends = edges(path, buf, head)
        check_count(path, head.line, len(ends.u), counts)
        return ends.graph()
    u, v = numbers(path, buf, head.at, head.line)
    check_count(path, head.line, len(u), counts)
    n = 1 + int(max(u.max(), v.max())) if len(u) else 0
    if counts is not None and counts.nodes >= n:
        n = counts.nodes
        check_most(n)
        return Structure("edges", u, v, n)
    return Structure("edges", u, v, None, loose=True)


def check_count(path: Path, line: int, edges: int, counts: Counts | None) -> None:
    """Raise unless a file has as many edges as its comment declares, or twice; `line` is the first after its head."""
    if counts is None and not edges:
        raise malformed(path, "no edge in it, and no comment '# Nodes: <n> Edges: 0'", line)
    if counts is not None and edges not in (counts.edges, 2 * counts.edges):
        what = f"this comment declares {counts.edges} edges, but {edges} follow: correct it or delete it"
        raise malformed(path, what, counts.line)


def begin(path: Path, buf: np.ndarray) -> tuple[parse.LineReader, Counts | None, bool]:
    """Past the comments and column names; what SNAP's comment declares, if it is there; whether vertices are names."""
    from .names import are_column_names, are_names

    head, counts = parse.LineReader(buf), None
    while (line := head.peek()) is not None and (not line or line[0] in "#%"):
        if line.startswith("%%MatrixMarket"):
            raise malformed(path, "a Matrix Market file, not an edge list: pass format='mtx'", head.line)
        if match := _COUNTS.match(line):
            counts = Counts(int(match[1]), int(match[2]), head.line)
        head.skip()
    if line is None or not are_names(line):
        return head, counts, False
    if line.lower() == "vertex,color":
        raise malformed(path, "a file of colors, not of edges", head.line)
    below = parse.LineReader(buf, head.at, head.line)
    below.skip()
    while (second := below.peek()) is not None and (not second or second[0] in "#%"):
        below.skip()
    if are_column_names(line, second):
        return below, counts, second is not None and are_names(second)
    return head, counts, True


def numbers(path: Path, buf: np.ndarray, at: int, line: int) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of each edge, from byte `at` on, where that line begins: int32, or int64 if need be.

    Raises
    ------
    FormatError
        A line has no two numbers.
    """
    # Numbers past int32 are rare and cost twice the memory: only then parsed again.
    for dtype, high in ((np.int32, 2**31 - 2), (np.int64, 10**parse.MAX_DIGITS - 1)):
        u, v, stop = parse.pairs(buf, at, line, ROLE, low=0, high=high, dtype=dtype)
        if stop.status != parse.RANGE:
            break
    if stop.status != parse.DONE:
        raise parse.error(path, buf, stop, EXPECTED, f"whole numbers of up to {parse.MAX_DIGITS} digits, from 0 on")
    return u, v


def write(out: IO[bytes], G: Graph, path: Path) -> None:
    """See `lagcolor.io.write`; commas in a .csv, tabs elsewhere."""
    out.write(f"# Nodes: {G.n} Edges: {G.n_edges}\n".encode())
    for block in emit.edges(G, between=b"," if bare_name(path).endswith(".csv") else b"\t"):
        out.write(block)
