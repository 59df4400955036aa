"""A graph as a folder of arrays that are read where they lie, for graphs that fit in no memory.

    web.csr/
      graph.json             format, version, n, entries; of each array its type, size and checksums
      indptr.npy             int64, shape (n + 1,)
      indices.npy            int32, shape (entries,); int64 where n is 2³¹ or more
      labels.npy             int64, shape (n,): the user's numbers of the vertices, where they have others than 0 … n−1
      names.npy              uint8: names of the vertices in UTF-8, one after the other, where they have names
      names_end.npy          int64, shape (n,): where each name ends

The graph is canonical: symmetric, no self-loops, rows strictly rising. Arrays are plain .npy, little-endian, data from
byte 128 on. Checksums are CRC-32 of each 16 MiB of data. Equal graphs make equal folders, byte for byte.

`layout.py` has files and headers, `reader.py` the class `Folder`, which opens one, and `writer.py` the class `Writer`,
which makes one.
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
    """See `lagcolor.io.read`; checksums are checked, and the structure as for any file."""
    folder = Folder.open(path)
    if folder.n > MOST_VERTICES:
        raise GraphError(
            f"{folder.n} vertices are more than the {MOST_VERTICES} that lagcolor can number in one graph in memory"
        )
    folder.check_sums()
    return Structure("csr", np.asarray(folder.indptr), np.asarray(folder.indices), folder.n, folder.labels)


def write(path: Path, G: Any) -> None:
    """See `lagcolor.io.write`; a folder of this format that is there is replaced, nothing else is."""
    with on_full_disk(path), Writer(path, G.n, force=True) as out:
        for begin in range(0, G.n, ENTRIES):
            ends = G.indptr[begin : begin + ENTRIES + 1]
            out.append(np.diff(ends), G.indices[int(ends[0]) : int(ends[-1])])
        if G.labels is not None:
            out.name(list(G.labels))
        out.publish()
