"""Matrix Market .mtx, read and written by scipy (fast_matrix_market).

    %%MatrixMarket matrix coordinate pattern symmetric
    % a comment
    <rows> <columns> <entries>
    <row> <column> [values]

Every stored entry is an edge, also a stored zero; of an array (dense) file, every nonzero. Symmetric,
skew-symmetric and Hermitian files list one triangle, general ones both.

Reference: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO

import numpy as np

from ..errors import GraphError
from ..graph import INT32_MAX, Graph
from . import parse
from .files import for_library, load, malformed

_AT_LINE = re.compile(r"Line (\d+): (.*)")

_SHORTEST = 4  # bytes of an entry: "1 1" and a newline
_SLACK = 1 << 16  # less is left to scipy, which knows the line
_SIZE = re.compile(r"(\d+)\s+(\d+)(?:\s+(\d+))?$", re.ASCII)


def read(path: Path, symmetrize: bool, device: str | None) -> Graph:
    """See `lagcolor.io.read`."""
    from scipy.io import mmread

    buf = load(path)
    _check_size(path, buf)
    try:
        A = mmread(for_library(path, buf))
    except (ValueError, OverflowError) as e:
        match = _AT_LINE.match(str(e))
        what, line = (match[2], int(match[1])) if match else (str(e), parse.count_lines(buf))
        raise malformed(path, what[:1].lower() + what[1:], line) from e
    return Graph.of(A, symmetrize=symmetrize, device=device)


def _check_size(path: Path, buf: np.ndarray) -> None:
    """Raise unless the size line is one and fits the file: scipy allocates whatever it promises."""
    head = parse.LineReader(buf)
    banner = head.peek() or ""
    if not banner.startswith("%%MatrixMarket"):
        raise malformed(path, f"expected the header '%%MatrixMarket matrix …', found {parse.shown(banner)}", 1)
    while (text := head.peek()) is not None and (not text or text.startswith("%")):
        head.skip()
    match = _SIZE.match(text or "")
    dense = "array" in banner.lower().split()
    if match is None or (match[3] is None) != dense:
        size = "<rows> <columns>" if dense else "<rows> <columns> <entries>"
        raise malformed(path, f"expected the size line '{size}', found {parse.shown(text or '')}", head.line)
    rows, columns = int(match[1]), int(match[2])
    if rows != columns:
        raise GraphError(f"rectangular: a {rows} × {columns} matrix is no graph, which has as many rows as columns")
    if rows > INT32_MAX:
        raise malformed(path, f"{rows} vertices are more than the {INT32_MAX} that lagcolor can number", head.line)
    head.skip()
    if dense:
        _check_values(path, buf[head.at :], rows, banner.lower(), head.line - 1)
    elif _SHORTEST * int(match[3]) > len(buf) - head.at + _SLACK:
        raise malformed(path, f"truncated: {match[3]} entries do not fit into the rest of the file", head.line - 1)


def _check_values(path: Path, body: np.ndarray, n: int, banner: str, line: int) -> None:
    """Raise unless a dense file has as many values as its size says, which scipy checks in general ones only."""
    if "skew-symmetric" in banner:
        expected = n * (n - 1) // 2
    elif "general" in banner:
        expected = n * n
    else:
        expected = n * (n + 1) // 2
    found = sum(1 for row in body.tobytes().split(b"\n") if row.strip())
    if found != expected:
        raise malformed(path, f"expected {expected} values after this line, a line each, found {found}", line)


def write(out: IO[bytes], G: Graph, path: Path) -> None:
    """See `lagcolor.io.write`; a symmetric pattern."""
    from scipy.io import mmwrite

    mmwrite(out, G.to_scipy(), field="pattern", symmetry="symmetric")
