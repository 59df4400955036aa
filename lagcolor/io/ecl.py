"""ECL .egr, the binary CSR of ECL-GC and related codes: little-endian int32.

    n, m, indptr (n + 1 numbers), indices (m), weights (m, or none)

Weights are ignored.

Reference: M. Burtscher, ECLgraph.h, Texas State University.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np

from ..base.errors import GraphError
from ..inputs.canonical import Structure
from .csr import checked
from .files import load, malformed

INT32_MAX = 2**31 - 1


def read(path: Path, symmetrize: bool, copy: bool = True) -> Structure:
    """Read a file; see `lagcolor.io.read`. Without `copy`, the arrays are mapped and change with the file."""
    buf = load(path)
    if len(buf) < 8:
        raise malformed(path, f"an .egr file starts with two counts, 8 bytes, and this has {len(buf)}")
    n, m = (int(x) for x in buf[:8].view("<i4"))
    if n < 0 or m < 0:
        raise malformed(path, f"bytes 0 … 7 declare {n} vertices and {m} edges: a negative count")
    sizes = [4 * (2 + n + 1 + m), 4 * (2 + n + 1 + 2 * m)]
    if len(buf) not in sizes:
        what = f"{n} vertices and {m} edges take {sizes[0]} bytes, or {sizes[1]} with weights, and this has {len(buf)}"
        raise malformed(path, what)
    words = (buf.copy() if copy else buf).view("<i4")
    return checked(path, words[2 : n + 3], words[n + 3 : n + 3 + m], n)


def write(out: IO[bytes], G: Any, path: Path) -> None:
    """Write a file without weights; see `lagcolor.io.write`."""
    if G.m > INT32_MAX:
        raise GraphError(f"an .egr file holds up to {INT32_MAX} stored entries, and this graph has {G.m}: use .npz")
    for part in ([G.n, G.m], G.indptr, G.indices):
        out.write(np.ascontiguousarray(part, "<i4").data)
