"""What a user passes as edges: files, a dask DataFrame, or a graph folder; which tasks read it, and check it again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import GraphError
from ...io.folder import Folder, is_folder
from . import tasks
from .result import Colors
from .run import Run
from .sources import Piece, chosen, files, of_paths

Jobs = tuple[Callable[..., Any], dict[int, tuple[Any, ...]]]  # a function, and its arguments
CHECKED = 1 << 22  # entries of a graph folder that a task checks


class Files:
    """Edges in files.

    Parameters
    ----------
    edges : path, pattern, folder of files, or several of these
    """

    folder = None

    def __init__(self, edges: Any) -> None:
        self.paths = [os.path.abspath(path) for path in files(edges)]
        self.pieces: list[Piece] = []

    def record(self) -> dict[str, Any]:
        """To know them again."""
        status = [os.stat(path) for path in self.paths]
        return {"files": [[p, s.st_size, s.st_mtime_ns] for p, s in zip(self.paths, status, strict=True)]}

    def divide(self, edges: int) -> list[dict[str, Any]]:
        """Into pieces with up to so many edges, for JSON."""
        self.pieces = of_paths(self.paths, edges)
        return [piece.record() for piece in self.pieces]

    def divided(self, pieces: list[dict[str, Any]]) -> None:
        """The pieces of an earlier call."""
        self.pieces = [Piece(**piece) for piece in pieces]

    def __len__(self) -> int:
        return len(self.pieces)

    def read(self, run: Run) -> Jobs:
        """Tasks that sort the entries of pieces."""
        return tasks.read_piece, {k: (run, k, piece) for k, piece in enumerate(self.pieces)}

    def check(self, colors: Colors) -> Jobs:
        """Tasks that compare the colors of the ends of edges."""
        return tasks.check_piece, {k: (colors, piece) for k, piece in enumerate(self.pieces)}


class Frame:
    """Edges in a dask DataFrame.

    Parameters
    ----------
    edges : dask.dataframe.DataFrame
    """

    folder = None

    def __init__(self, edges: Any) -> None:
        places = chosen(edges.columns, "the DataFrame", f"Pass edges[[{edges.columns[0]!r}, {edges.columns[1]!r}]]")
        self.names = tuple(edges.columns[k] for k in places)
        for name in self.names:
            kind = getattr(edges.dtypes[name], "kind", "O")
            if kind not in "iuf" and str(edges.dtypes[name]) != "object":
                raise GraphError(
                    f"column {name!r} holds {edges.dtypes[name]}, and vertices are numbered from 0 on here. Number "
                    "names first: names = dask.dataframe.concat([edges[a], edges[b]]).unique().compute(), "
                    "then edges[a].map({name: k for k, name in enumerate(names)}, meta=(a, 'int64')) and the same of b"
                )
        self.frame = edges[list(self.names)]
        self.count = edges.npartitions

    def record(self) -> dict[str, Any]:
        """To know it again: names of columns, and how many partitions there are."""
        return {"frame": [*map(str, self.names)], "partitions": self.count}

    def divide(self, edges: int) -> list[dict[str, Any]]:
        """As it is."""
        return []

    def divided(self, pieces: list[dict[str, Any]]) -> None:
        """As it is."""

    def __len__(self) -> int:
        return self.count

    def read(self, run: Run) -> Jobs:
        """Tasks that sort the entries of partitions."""
        return tasks.read_frame, {k: (run, k, x, self.names) for k, x in enumerate(self.frame.to_delayed())}

    def check(self, colors: Colors) -> Jobs:
        """Tasks that compare the colors of the ends of edges."""
        return tasks.check_frame, {k: (colors, x, self.names) for k, x in enumerate(self.frame.to_delayed())}


class Rows:
    """The rows of a graph folder, which need no shuffle.

    Parameters
    ----------
    path : path-like
    """

    def __init__(self, path: Any) -> None:
        self.folder = Folder.open(path)

    def record(self) -> dict[str, Any]:
        """To know it again."""
        status = os.stat(self.folder.path / "graph.json")
        return {"folder": os.path.abspath(self.folder.path), "written": [status.st_size, status.st_mtime_ns]}

    def bounds(self, parts: int) -> np.ndarray:
        """Of ranges of rows with about equally many entries and vertices together, by bisection in the file."""
        n, indptr = self.folder.n, self.folder.indptr
        aims = (self.folder.entries + n) * np.arange(1, parts) // parts
        low, high = np.zeros(parts - 1, np.int64), np.full(parts - 1, n, np.int64)
        while (low < high).any():  # each range halves
            middle = (low + high) // 2
            less = indptr[middle] + middle < aims
            low, high = np.where(less, middle + 1, low), np.where(less, high, middle)
        return np.concatenate([[0], low, [n]]).astype(np.int64)

    def check(self, colors: Colors) -> Jobs:
        """Tasks that compare the colors of the ends of edges."""
        path = os.path.abspath(self.folder.path)
        return tasks.check_rows, {k: (colors, path, *rows) for k, rows in enumerate(self.folder.blocks(CHECKED))}


def of(edges: Any) -> Files | Frame | Rows:
    """What edges are."""
    if hasattr(edges, "to_delayed") and hasattr(edges, "columns"):
        return Frame(edges)
    if isinstance(edges, (str, os.PathLike)):
        path = Path(edges)
        return Rows(path) if is_folder(path) or path.name.endswith(".csr") else Files(edges)
    if isinstance(edges, (list, tuple)) and edges and all(isinstance(e, (str, os.PathLike)) for e in edges):
        return Files(edges)
    raise GraphError(
        f"edges of {type(edges).__module__}.{type(edges).__qualname__} are not read by a cluster: pass paths (Parquet, "
        ".npy, text), a graph folder, or a dask DataFrame with two columns; what fits one machine is for lagcolor.color"
    )
