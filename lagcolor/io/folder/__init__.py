"""A graph as a folder of arrays that are mapped, for graphs that do not fit in memory.

    web.csr/
      graph.json             format, version, n, entries; type, size and checksums of each array
      indptr.npy             int64, shape (n + 1,)
      indices.npy            int32, shape (entries,); int64 if n is 2³¹ or more
      labels.npy             int64, shape (n,): the user's numbers of the vertices, if these are not 0 … n−1
      names.npy              uint8: names of the vertices in UTF-8, one after the other, if they have names
      names_end.npy          int64, shape (n,): where each name ends

The graph is canonical: symmetric, no self-loops, rows strictly ascending. Arrays are plain .npy, little-endian, with
data from byte 128 on. Checksums are CRC-32 of each 16 MiB of data. Folders of equal graphs are equal, byte for byte.

`layout.py` has files and headers, `reader.py` the class `Folder`, which opens a folder, and `writer.py` the class
`Writer`, which writes one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from semirings.sparse import MOST_ROWS as MOST_VERTICES

from ...base.errors import GraphError
from ...inputs.canonical import Structure
from ..files import on_full_disk
from .layout import DATA, ENTRIES, TYPES, index_type, is_folder
from .reader import Folder
from .writer import Output, Writer, check_target, publish, sync_folder

__all__ = [
    "DATA",
    "TYPES",
    "Folder",
    "Output",
    "Writer",
    "check_target",
    "index_type",
    "is_folder",
    "publish",
    "read",
    "sync_folder",
    "write",
]


def read(path: Path, symmetrize: bool) -> Structure:
    """Read a folder and check its checksums; see `lagcolor.io.read`."""
    folder = Folder.open(path)
    if folder.n > MOST_VERTICES:
        raise GraphError(
            f"{folder.n} vertices are more than the {MOST_VERTICES} that lagcolor can number in one graph in memory"
        )
    folder.check_sums()
    return Structure("csr", np.asarray(folder.indptr), np.asarray(folder.indices), folder.n, folder.labels)


def write(path: Path, G: Any) -> None:
    """Write a folder; see `lagcolor.io.write`. Only an existing folder of this format is replaced."""
    with on_full_disk(path), Writer(path, G.n, force=True) as out:
        for begin in range(0, G.n, ENTRIES):
            ends = G.indptr[begin : begin + ENTRIES + 1]
            out.append(np.diff(ends), G.indices[int(ends[0]) : int(ends[-1])])
        if G.labels is not None:
            out.name(list(G.labels))
        out.publish()
