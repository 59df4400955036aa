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
        what, line = (match[2], int(match[1])) if match else (str(e), None)
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
    # "1 1" and a newline are the shortest entry of a sparse file, a digit and a newline that of (half) a dense one.
    entries, width = (rows * (rows - 1) // 2, 2) if dense else (int(match[3]), 4)
    if entries * width > len(buf) - head.at + 1:
        raise malformed(path, f"truncated: {entries} entries do not fit into the rest of the file", head.line)


def write(out: IO[bytes], G: Graph, path: Path) -> None:
    """See `lagcolor.io.write`; a symmetric pattern."""
    from scipy.io import mmwrite

    mmwrite(out, G.to_scipy(), field="pattern", symmetry="symmetric")
