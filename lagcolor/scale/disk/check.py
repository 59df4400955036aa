"""The verifier of a graph in a folder: every entry is read once, by code that colors nothing.

Rows must rise strictly, and entries be in range and no self-loops; an edge whose ends have one color is counted from
both ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.device.compiled import njit
from ...base.errors import ColoringError, GraphError, OptionError
from ...base.log import stage
from ...base.options import choice, size
from ...io.folder import Folder
from ...problems.report import SHOWN, Report, with_names
from .memory_map import malformed_row, opened, watched

USED, CONVERTED = 1, 52  # bytes per vertex that a check takes; where colors are not int32


def verify(x: Any, colors: Any, *, memory: Any = None, allow_uncolored: bool = False, errors: str = "raise") -> Report:
    """Check a coloring of a graph in a folder, as `lagcolor.verify`, in bounded memory, on the CPU."""
    choice("errors", errors, ("raise", "return"))
    folder = opened(x)
    given = _array(colors, folder.n)
    if memory is not None:
        allowed, least = size("memory", memory), folder.n * (USED if given.dtype == np.int32 else CONVERTED)
        if allowed < least:
            raise OptionError(f"memory={allowed} is too little for colors of {given.dtype}: pass {least} or more")
    up, down, pairs = _conflicts(folder, _comparable(given))
    if up != down:
        raise GraphError(
            f"the graph is not symmetric: {up} conflicting entries above the diagonal, {down} below it; "
            "Folder.check() of lagcolor.scale.disk names an entry"
        )
    report = _report(given, folder.n, up, pairs)
    listed = report.n_violations or report.uncolored or report.out_of_range
    report = with_names(report, folder.labels if listed and folder.has_labels else None)
    return report.settled(allow_uncolored, errors)


def _array(colors: Any, n: int) -> np.ndarray:
    array = dev.to_device(getattr(colors, "colors", colors), "cpu")
    if array.shape != (n,):
        raise ColoringError(f"colors must have shape ({n},), one per vertex, not {tuple(array.shape)}")
    if array.dtype.kind not in "iu" and n:
        raise ColoringError(f"colors must be integers, not {array.dtype}")
    return array


def _comparable(colors: np.ndarray) -> np.ndarray:
    """Contiguous int32 that are equal where the colors are, and negative where they are."""
    info = np.iinfo(np.int32)
    if colors.size and (int(colors.min()) < info.min or int(colors.max()) > info.max):
        _, rank = np.unique(colors, return_inverse=True)
        colors = np.where(colors < 0, -1, rank)
    return np.ascontiguousarray(colors, np.int32)


def _conflicts(folder: Folder, colors: np.ndarray) -> tuple[int, int, list[tuple[int, int]]]:
    """Conflicting entries above and below the diagonal, and the first of those above."""
    up = down = done = 0
    pairs: list[tuple[int, int]] = []
    checking = stage("checking", folder.entries, "entries")
    for begin, end in watched(folder, folder.blocks()):
        offsets, indices = folder.rows(begin, end)
        if (offsets[1:] < offsets[:-1]).any():
            raise malformed_row(folder, begin)
        found = np.empty((SHOWN, 2), np.int64)
        above, below, bad = _walk(offsets, indices, begin, colors, found)
        if bad >= 0:
            raise malformed_row(folder, begin + int(bad))
        pairs += [(int(u), int(v)) for u, v in found[: min(above, SHOWN)]]
        up, down, done = up + int(above), down + int(below), done + len(indices)
        checking.at(done)
    return up, down, pairs[:SHOWN]


def _near(colors: np.ndarray, n: int) -> np.ndarray:
    """Colors as int64, −2 for those that are neither −1 nor under n."""
    inside = colors < n if colors.dtype.kind == "u" else (colors >= -1) & (colors < n)
    return np.where(inside, colors, 0).astype(np.int64) - 2 * ~inside


def _report(colors: np.ndarray, n: int, conflicts: int, pairs: list[tuple[int, int]]) -> Report:
    if n == 0:
        return Report(0, conflicts=[])
    used, bare, outside = np.zeros(n, np.uint8), np.empty(SHOWN, np.int64), np.empty(SHOWN, np.int64)
    near = colors if colors.dtype == np.int32 else _near(colors, n)
    n_bare, n_outside = _survey(np.ascontiguousarray(near, np.int32), used, bare, outside)
    n_colors = int(np.count_nonzero(used))
    top = int(np.flatnonzero(used)[-1]) + 1 if n_colors else 0
    return Report(
        n_colors=n_colors,
        n_violations=conflicts,
        conflicts=[(u, v, int(colors[u])) for u, v in pairs],
        n_uncolored=int(n_bare),
        uncolored=[int(v) for v in bare[: min(n_bare, SHOWN)]],
        out_of_range=[(int(v), int(colors[v])) for v in outside[: min(n_outside, SHOWN)]],
        gaps=top - n_colors,
    )


@njit(cache=True, nogil=True)
def _walk(offsets: Any, indices: Any, first: Any, colors: Any, found: Any) -> Any:
    """Conflicting entries of a block above and below the diagonal, and a malformed row or −1."""
    up, down, n, base = 0, 0, colors.size, offsets[0]
    for row in range(offsets.size - 1):
        u, c, before = first + row, colors[first + row], np.int64(-1)
        for e in range(offsets[row] - base, offsets[row + 1] - base):
            v = np.int64(indices[e])
            if v <= before or v >= n or v == u:
                return up, down, row
            before = v
            if colors[v] == c and c >= 0:
                if u > v:
                    down += 1
                    continue
                if up < found.shape[0]:
                    found[up, 0] = u
                    found[up, 1] = v
                up += 1
    return up, down, -1


@njit(cache=True, nogil=True)
def _survey(colors: Any, used: Any, bare: Any, outside: Any) -> Any:
    """Vertices without a color, and with one that is none; the first of each go to the arrays."""
    n_bare, n_outside = 0, 0
    for v in range(colors.size):
        c = colors[v]
        if c == -1:
            if n_bare < bare.size:
                bare[n_bare] = v
            n_bare += 1
        elif c < 0 or c >= colors.size:
            if n_outside < outside.size:
                outside[n_outside] = v
            n_outside += 1
        else:
            used[c] = 1
    return n_bare, n_outside
