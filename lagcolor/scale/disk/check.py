"""The verifier of a graph in a folder: the loop of problems/on_cpu.py on memory maps, some rows at a time.

Rows are checked right before their colors: they must ascend strictly, without self-loops or entries out of range. If
both ends of an edge have the same color, problems/distance1.py counts and names the conflicting edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device import in_bits
from ...base.device.parallel import run_ranges
from ...base.errors import OptionError
from ...base.log import stage
from ...base.options import choice, size
from ...io.folder import Folder
from ...problems.distance1 import conflicts
from ...problems.on_cpu import differ_parts
from ...problems.report import Report, fitting, narrowed
from .memory_map import largest_degree, malformed_row, mapped, opened, watched
from .on_cpu import ROWS, unsound

USED, CONVERTED = 24, 52  # bytes per vertex of a check of int32 colors, and of other colors
ONE_SIDED = "Folder.check() of lagcolor.scale.disk names an entry"


def verify(x: Any, colors: Any, *, memory: Any = None, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """Check a coloring of a graph in a folder, as `lagcolor.verify`, in bounded memory, on the CPU."""
    choice("errors", errors, ("raise", "return"))
    folder = opened(x)
    colors = dev.to_device(fitting(colors, folder.n), "cpu")
    if memory is not None:
        allowed, least = size("memory", memory), folder.n * (USED if colors.dtype == np.int32 else CONVERTED)
        if allowed < least:
            raise OptionError(f"memory={allowed} is too little for colors of {colors.dtype}: pass {least} or more")
    largest_degree(folder)  # raises an error for damaged offsets
    G, narrow = mapped(folder), colors if colors.dtype == np.int32 else narrowed(colors)
    proper, n_colors = _summary(folder, narrow)
    if narrow is colors and n_colors:
        return Report(n_colors, conflicts=[])
    count, pairs = (0, []) if proper else conflicts(G, narrow, ONE_SIDED)
    edges = [(u, v, int(colors[u])) for u, v in pairs]
    return Report.of(colors, count, labels=G.labels, conflicts=edges).or_raise(allow_uncolored, errors)


def _summary(folder: Folder, colors: np.ndarray) -> tuple[bool, int]:
    """Return whether no edge has ends of equal color, and the number of colors, 0 if anything is wrong."""
    n, proper, checking = folder.n, True, stage("checking", folder.entries, "entries")
    codes, used = in_bits(colors), np.zeros(n + 1, np.uint8)
    indptr, indices = folder.indptr.view(np.uint64), folder.indices.view(np.uint32)
    for begin in watched(folder, range(0, n, ROWS)):
        end = min(begin + ROWS, n)
        bad = int(unsound(indptr, indices, np.arange(begin, end, dtype=np.uint32), np.uint32(n)))
        if bad >= 0:
            raise malformed_row(folder, bad)
        proper = proper and run_ranges(differ_parts, 1, indptr, indices, codes, used, np.array((begin, end)))
        checking.at(int(indptr[end]))
    k = int(used.nonzero()[0][-1]) + 1 if n else 0
    return proper, k if proper and k <= n and np.count_nonzero(used) == k else 0
