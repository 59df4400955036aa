"""A folder as a graph whose arrays stay on disk, and the checks before it is used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...base.errors import FormatError, GraphError, OptionError
from ...graph.graph import MOST_VERTICES, Graph
from ...io.folder import Folder

SURVEYED = 1 << 20  # rows whose offsets are checked at a time


class Labels(Sequence[Any]):
    """The user's names of the vertices, read at first use."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._all = folder, list[Any]()

    def __len__(self) -> int:
        return self._folder.n

    def __getitem__(self, v: Any) -> Any:
        self._all = self._all or list(self._folder.labels or ())
        return self._all[v]


def mapped(x: Any) -> Graph:
    """Return the graph of a folder with memory-mapped arrays.

    Parameters
    ----------
    x : path-like or Folder
        A graph folder.

    Returns
    -------
    Graph
        The graph. Its arrays are not checked beyond the checks of `Folder.open`.

    Examples
    --------
    >>> lagcolor.io.write("grid.csr", lagcolor.generate.grid2d(3))
    >>> G = lagcolor.scale.disk.mapped("grid.csr")
    >>> G
    <Graph: 9 vertices, 12 edges, on cpu>
    """
    folder = opened(x)
    return Graph(folder.indptr, folder.indices, Labels(folder) if folder.has_labels else None)


def opened(x: Any) -> Folder:
    """Return the opened folder of a path, or a folder itself."""
    if isinstance(x, Folder):
        return _checked(x)
    if not isinstance(x, (str, os.PathLike)):
        raise OptionError(
            f"memory is for a graph in a folder, and {type(x).__name__} is no path: leave memory out, or write the "
            "graph to a folder first, with lagcolor.io.write('web.csr', graph)"
        )
    if os.path.isfile(x):
        raise OptionError(
            f"memory is for a graph in a folder, and {os.fspath(x)} is a file: leave memory out, or pass a "
            "folder; lagcolor.convert makes one of files of edges"
        )
    if not os.path.lexists(x):
        raise FileNotFoundError(2, "no such folder, and memory is for a graph in a folder (web.csr)", os.fspath(x))
    return _checked(Folder.open(x))


def _checked(folder: Folder) -> Folder:
    """Return a folder; raise an error if int32 cannot number its vertices."""
    if folder.n > MOST_VERTICES:
        raise GraphError(f"{folder.n} vertices are more than the {MOST_VERTICES} that lagcolor can color at a time")
    return folder


def largest_degree(folder: Folder) -> int:
    """Return the number of entries of the longest row, and check all offsets."""
    largest, n = 0, folder.n
    for begin in range(0, n, SURVEYED):
        offsets = np.asarray(folder.indptr[begin : min(begin + SURVEYED, n) + 1])
        degrees = np.diff(offsets)
        if int(degrees.min()) < 0 or int(offsets[0]) < 0 or int(offsets[-1]) > folder.entries:
            raise FormatError(
                f"{folder.path}: damaged folder of a graph: indptr.npy falls, or is out of range, between rows {begin} "
                f"and {begin + len(degrees)}; make it anew"
            )
        largest = max(largest, int(degrees.max()))
    return largest


def malformed_row(folder: Folder, v: int) -> FormatError:
    """Return the error for a row that is not canonical."""
    return FormatError(
        f"{folder.path}: damaged folder of a graph: row {v} of indices.npy is not ascending, or has an entry out of "
        "range; make it anew"
    )


def watched[Item](folder: Folder, items: Iterable[Item]) -> Iterator[Item]:
    """Yield items; raise a FormatError after an item if an array has been written to since this call."""
    return _watched(items, unchanged(folder))


def _watched[Item](items: Iterable[Item], check: Callable[[], None]) -> Iterator[Item]:
    for item in items:
        yield item
        check()


def unchanged(folder: Folder) -> Callable[[], None]:
    """Return a function that raises a FormatError if an array was written to, or replaced, since this call."""
    before = _stamps(folder)

    def check() -> None:
        for name, stamp in _stamps(folder).items():
            if stamp != before[name]:
                raise FormatError(
                    f"{folder.path / name}.npy: it was changed while it was read: color the folder again when no other "
                    "process writes to it"
                )

    return check


def _stamps(folder: Folder) -> dict[str, tuple[int, int]]:
    """Return size and time of change of both arrays."""
    found = {name: os.stat(folder.path / f"{name}.npy") for name in ("indptr", "indices")}
    return {name: (about.st_size, about.st_mtime_ns) for name, about in found.items()}
