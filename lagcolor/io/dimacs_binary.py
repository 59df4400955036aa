"""DIMACS binary .col.b: a text preamble, then the lower triangle of the adjacency matrix, a bit per entry.

    <length of the preamble in bytes>\\n
    c comments\\n
    p col <vertices> <edges>\\n
    row 0, row 1, …                     row i: columns 0 … i, first column in the highest bit, (i + 8) // 8 bytes

The file takes n²/16 bytes, whatever the number of edges.

Reference: T. Badics and M. Peinado, "README.binformat", DIMACS 1994, with bin2asc.c and asc2bin.c.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np

from ..inputs.canonical import Structure
from . import parse
from .dimacs import COL, ProblemLine, check_edges, problem
from .files import load, malformed


def read(path: Path, symmetrize: bool) -> Structure:
    """See `lagcolor.io.read`."""
    buf = load(path)
    header, body = _preamble(path, buf)
    n = header.n
    need, there = _matrix_bytes(n), len(buf) - body
    if need != there:
        raise malformed(path, f"{n} vertices need {need} bytes of matrix after byte {body}, and there are {there}")
    u, v = _entries(path, buf[body:], n)
    return Structure("edges", u, v, n, check=lambda edges: check_edges(path, header, len(u), edges))


def _preamble(path: Path, buf: np.ndarray) -> tuple[ProblemLine, int]:
    """The p line, and the byte at which the matrix starts."""
    head = parse.LineReader(buf)
    length = head.peek() or ""
    if not (length.isascii() and length.isdigit()):
        raise malformed(path, f"expected the length of the preamble, found {parse.shown(length)}", 1)
    head.skip()
    body = head.at + int(length)
    if body > len(buf):
        raise malformed(path, f"the preamble of {length} bytes ends after the file", 1)
    head.buf = buf[:body]
    while (line := head.peek()) is not None:
        if line.startswith("p"):
            return problem(path, line, head.line, COL), body
        head.skip()
    raise malformed(path, "the preamble has no line 'p col <vertices> <edges>'")


def _matrix_bytes(rows: Any) -> Any:
    """Bytes of a number of first rows: eight rows of one byte, eight of two, …"""
    eights = rows // 8
    return (eights + 1) * (4 * eights + rows % 8)


def _entries(path: Path, body: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    offsets = _matrix_bytes(np.arange(n + 1, dtype=np.int64))
    at = np.flatnonzero(body)
    which, bit = np.nonzero(np.unpackbits(body[at].reshape(-1, 1), axis=1))
    at = at[which]
    u = np.searchsorted(offsets, at, side="right") - 1
    v = 8 * (at - offsets[u]) + bit
    if (v > u).any():
        k = int(np.argmax(v > u))
        raise malformed(path, f"row {u[k] + 1} of the matrix has a bit in column {v[k] + 1}, past its end")
    return u, v


def write(out: IO[bytes], G: Any, path: Path) -> None:
    """See `lagcolor.io.write`."""
    preamble = f"p col {G.n} {G.n_edges}\n"
    out.write(f"{len(preamble)}\n{preamble}".encode())
    for i in range(G.n):
        row = G.indices[G.indptr[i] : G.indptr[i + 1]]
        bits = np.zeros(8 * ((i + 8) // 8), np.uint8)
        bits[row[row < i]] = 1
        out.write(np.packbits(bits).data)
