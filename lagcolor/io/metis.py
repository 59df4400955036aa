"""METIS .graph: a header, then one line per vertex with its neighbors.

    % a comment
    <vertices> <edges> [<fmt> [<ncon>]]
    [size] [ncon weights] neighbor [weight] neighbor [weight] …

`fmt` is up to three digits, 1 or 0: whether there are vertex sizes, vertex weights, edge weights. Vertices count from
1. An empty line is an isolated vertex, and an edge is in the lines of both of its ends. Sizes and weights are ignored.
The manual forbids self-loops; they are dropped, and the header may count them or not.

Reference: G. Karypis, METIS 5.1.0 manual, 2013, section 4.1.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..inputs.canonical import Structure
from . import emit, parse
from .csr import checked
from .files import check_vertices, load, malformed
from .pieces import Lines, Place

ROLE = parse.roles(skip=b"%")
_HEADER = re.compile(r"(\d+)\s+(\d+)(?:\s+([01]{1,3})(?:\s+(\d+))?)?$", re.ASCII)


def read(path: Path, symmetrize: bool) -> Structure:
    """Read a file; see `lagcolor.io.read`."""
    buf = load(path)
    n, m, leading, weighted, head = begin(path, buf)
    if n > len(buf) - head.at + 1:  # each row but the last takes a byte; nothing is allocated before this check
        raise malformed(path, f"the header declares {n} vertices, more than there are lines", head.line - 1)
    indptr, indices, stop = parse.adjacency(buf, head.at, head.line, parse.RowFormat(ROLE, n, leading, weighted))
    if stop.status != parse.DONE:
        raise error(path, buf, stop, n, leading, weighted)
    structure = replace(
        checked(path, indptr, indices, n),
        base=1,
        line_of=lambda i, j: parse.line_of_row(buf, head.at, head.line, i, blank=True),
    )
    if 2 * m == len(indices):
        return structure
    loops = int(np.count_nonzero(indices == np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))))
    edges = len(indices) - loops
    if _agree(m, len(indices), loops):
        return structure
    if not symmetrize:
        hint = "; if each edge is listed at one end only, pass symmetrize=True" if edges <= m else ""
        what = f"the header declares {m} edges, so {2 * m} neighbors, but {edges} are listed{hint}"
        raise malformed(path, what, head.line - 1)
    structure.check = lambda found: check_edges(path, head.line - 1, m, (len(indices), loops), lambda: found)
    return structure


def _agree(m: int, entries: int, loops: int) -> bool:
    """Whether lines have each edge of m twice; the header may count self-loops in any way."""
    return 2 * m in (entries - loops, entries, entries + loops)


def check_edges(path: Path, line: int, m: int, listed: tuple[int, int], edges: Callable[[], int]) -> None:
    """Raise an error unless m is the number of edges in the lines or of the graph; `listed`: entries, self-loops."""
    if not _agree(m, *listed) and m not in ((found := edges()), found + listed[1]):
        raise malformed(path, f"the header declares {m} edges, but there are {found}", line)


def begin(path: Path, buf: np.ndarray) -> tuple[int, int, int, bool, parse.LineReader]:
    """Return vertices, edges, leading numbers of a row, whether edges have weights, and a reader past the header."""
    head = parse.LineReader(buf)
    while (text := head.peek()) is not None and text.startswith("%"):
        head.skip()
    match = _HEADER.match(text or "")
    if match is None:
        raise malformed(
            path,
            f"expected the header '<vertices> <edges> [<fmt> [<ncon>]]', found {parse.shown(text or '')}",
            head.line,
        )
    n, m = int(match[1]), int(match[2])
    size, weights, edge_weights = (c == "1" for c in (match[3] or "0").zfill(3))
    if match[4] is not None and not weights:
        raise malformed(path, f"ncon is {match[4]}, but fmt {match[3]} says that vertices have no weights", head.line)
    check_vertices(path, n, head.line)
    if match[4] is not None and int(match[4]) > len(buf):
        raise malformed(path, f"ncon is {match[4]}, more weights of a vertex than the file has bytes", head.line)
    head.skip()
    return n, m, size + weights * int(match[4] or 1), edge_weights, head


def lines_of(path: Path, buf: np.ndarray) -> Lines:
    """Return the reader of the lines of a text in pieces; `buf` has its header."""
    n, m, leading, weighted, head = begin(path, buf)

    def ends(buf: np.ndarray, at: int, place: Place) -> tuple[np.ndarray, np.ndarray, int]:
        buf, left = buf[at:], n - place.row
        count = min(int(np.count_nonzero(buf == parse.NEWLINE)) + 1, left)
        indptr, indices, stop, end = parse.rows(buf, place.line, parse.RowFormat(ROLE, n, leading, weighted), count)
        if stop.status not in (parse.DONE, parse.MISSING):  # comments make fewer rows than lines
            raise error(path, buf, stop, n, leading, weighted)
        rest = buf[end:].tobytes().splitlines() if stop.rows == left else []
        for line, text in enumerate(rest, stop.line):
            if text.strip() and not text.strip().startswith(b"%"):
                raise error(path, buf, stop._replace(status=parse.EXTRA, line=line), n, 0, False)
        rows = np.arange(place.row, place.row + stop.rows, dtype=np.int32)
        return np.repeat(rows, np.diff(indptr[: stop.rows + 1])), indices, stop.rows

    def check(end: Place, alone: bool) -> None:
        if end.row != n and end.row != n - 1:  # the last row may be an empty line without a newline
            raise malformed(path, f"the header declares {n} vertices, but the file ends after {end.row}", end.line)

    def declared(entries: int, loops: int, edges: Callable[[], int]) -> None:
        check_edges(path, head.line - 1, m, (entries, loops), edges)

    return Lines(Place(0, head.at, head.line), ends, check, n, both=True, most=2 * m, declared=declared)


def error(path: Path, buf: np.ndarray, stop: parse.Stop, n: int, leading: int, weighted: bool) -> Exception:
    """Return the error for a stop that is not DONE."""
    if stop.status == parse.MISSING:
        return malformed(path, f"the header declares {n} vertices, but the file ends after {stop.rows}", stop.line)
    if stop.status == parse.EXTRA:
        return malformed(path, f"more lines than the {n} vertices that the header declares", stop.line)
    expected = "neighbors with a weight each" if weighted else "neighbors"
    expected += f" after {leading} size(s) and weight(s)" if leading else ""
    return parse.error(path, buf, stop, expected, f"the header declares vertices 1 … {n}")


def write(out: IO[bytes], G: Any, path: Path) -> None:
    """Write a file; see `lagcolor.io.write`."""
    out.write(f"{G.n} {G.n_edges}\n".encode())
    for block in emit.rows(G, base=1):
        out.write(block)
