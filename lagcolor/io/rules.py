"""Files of rules: forbidden colors, and numbers of vertices or of colors. Fixed colors are a coloring of some vertices.

=====================  ==================================================================================
.csv                   forbidden, allowed: ``vertex,color``, a line for each; numbers: ``vertex,weight`` or
                       ``color,capacity``
.mtx, .npz             the same: a matrix with a row per vertex, whose stored entries are listed; distances
.col                   distances: lines ``e vertex neighbor distance``
.npy, .txt             numbers: one per vertex or color
=====================  ==================================================================================
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import FormatError
from ..core.pattern import Pattern
from .fields import LONGEST, TOP, WHOLE, lines_of, names_of, number_of, one_dimension, table
from .files import bare_name, malformed, shown


def read_forbidden(path: str | os.PathLike[str], n: int, labels: Sequence[Any] | None = None) -> Any:
    """Forbidden colors, as `lagcolor.color` takes them.

    Parameters
    ----------
    path : path-like
        .csv, or a matrix file such as .mtx and .npz; also with .gz.
    n : int
        Number of vertices.
    labels : sequence, optional
        ``G.labels``, by which a .csv file names vertices where the graph has them.

    Returns
    -------
    Pattern, or scipy.sparse.csr_array of bool, shape (n, k)

    Raises
    ------
    FormatError
        A malformed file, an unknown vertex, or a color that is no whole number from 0 on.
    """
    if not bare_name(path := Path(path)).endswith(".csv"):
        return Pattern.of(path)
    import scipy.sparse as sp

    rows, colors = _lists_of_csv(path, names_of(labels, n))
    return sp.csr_array((np.ones(len(rows), bool), (rows, colors)), shape=(n, max(colors, default=-1) + 1))


def read_allowed(path: str | os.PathLike[str], n: int, labels: Sequence[Any] | None = None) -> Any:
    """Lists of allowed colors, as `lagcolor.color` takes them; parameters and errors as of `read_forbidden`.

    Returns
    -------
    Pattern, or dict
        Of a .csv file, the colors of each vertex that it names, by label; a vertex that it does not name has no list.
    """
    if not bare_name(path := Path(path)).endswith(".csv"):
        return Pattern.of(path)
    lists: dict[Any, list[int]] = {}
    for v, color in zip(*_lists_of_csv(path, names_of(labels, n)), strict=True):
        lists.setdefault(v if labels is None else labels[v], []).append(color)
    return lists


def _lists_of_csv(path: Path, names: dict[str, int]) -> tuple[list[int], list[int]]:
    """Vertices, by number, and colors of the lines of a file."""
    rows, colors = [], []
    for line, (vertex, color) in table(path, ("vertex", "color")):
        if vertex not in names:
            raise malformed(path, f"there is no vertex {shown(vertex)}", line)
        rows.append(names[vertex])
        colors.append(number_of(path, color, line))
        if not 0 <= colors[-1] < 2**31 - 1:
            raise malformed(path, f"color {shown(color)[1:-1]}: colors go from 0 to {2**31 - 2}", line)
    return rows, colors


def read_distances(path: str | os.PathLike[str], n: int, labels: Sequence[Any] | None = None) -> Any:
    """Distances of edges, as `lagcolor.color` takes them: a matrix (.mtx, .npz), .csv, or DIMACS .col with distances.

    Parameters
    ----------
    path : path-like
        A .csv file has the header ``vertex,neighbor,distance``; .col lines are ``e u v distance`` with vertices from 1
        on, and its loops, which are for several colors of one vertex, are left out. Text may be compressed (.gz).
    n : int
        Number of vertices.
    labels : sequence, optional
        ``G.labels``, by which a .csv file names vertices where the graph has them.

    Returns
    -------
    scipy.sparse array or matrix, shape (n, n)

    Raises
    ------
    FormatError
        A malformed file, or an unknown vertex.
    """
    import scipy.io
    import scipy.sparse as sp

    path = Path(path)
    name = bare_name(path)
    with path.open("rb"):  # an error of the system where that fails: SciPy's names no file
        pass
    try:
        if name.endswith(".mtx"):
            return scipy.io.mmread(path)
        if name.endswith(".npz"):
            return sp.load_npz(path)
    except (ValueError, KeyError) as e:
        raise FormatError(f"{path}: no sparse matrix: {e}") from e
    entries = _distances_of_col(path, n) if name.endswith(".col") else _distances_of_csv(path, names_of(labels, n))
    u, v, d = np.array(list(entries), np.int64).reshape(-1, 3).T
    return sp.coo_array((d, (u, v)), shape=(n, n))


def _distances_of_csv(path: Path, names: dict[str, int]) -> Iterator[tuple[int, int, int]]:
    for line, (*ends, distance) in table(path, ("vertex", "neighbor", "distance")):
        for vertex in ends:
            if vertex not in names:
                raise malformed(path, f"there is no vertex {shown(vertex)}", line)
        yield names[ends[0]], names[ends[1]], _whole(path, distance, line)


def _distances_of_col(path: Path, n: int) -> Iterator[tuple[int, int, int]]:
    for line, text in lines_of(path):
        fields = text.split() or [""]
        if fields[0] == "e" and len(fields) != 4:
            raise malformed(path, f"expected 'e vertex neighbor distance', found {shown(text)}", line)
        if fields[0] == "e":
            u, v, d = (_whole(path, field, line) for field in fields[1:])
            if not (1 <= u <= n and 1 <= v <= n):
                raise malformed(path, f"vertices go from 1 to {n}: {shown(text)}", line)
            if u != v:
                yield u - 1, v - 1, d


def read_weights(path: str | os.PathLike[str], n: int, labels: Sequence[Any] | None = None) -> np.ndarray:
    """A number per vertex: .npy, .txt (one per line), .csv (``vertex,weight``), also with .gz.

    Raises
    ------
    FormatError
        A malformed file, or one that names other vertices than there are.
    """
    return _numbers(Path(path), ("vertex", "weight"), names_of(labels, n))


def read_capacity(path: str | os.PathLike[str]) -> np.ndarray:
    """A number per color: .npy, .txt (one per line), .csv (``color,capacity``), also with .gz.

    Raises
    ------
    FormatError
        A malformed file, or one that does not name the colors 0 … k − 1.
    """
    return _numbers(Path(path), ("color", "capacity"), None)


def _numbers(path: Path, header: tuple[str, str], names: dict[str, int] | None) -> np.ndarray:
    name = bare_name(path)
    if name.endswith(".npy"):
        return one_dimension(path, "iuf", "numbers")
    if name.endswith(".txt"):
        return np.array([_number(path, line, i) for i, line in lines_of(path)])
    if not name.endswith(".csv"):
        raise FormatError(f"{path}: {header[1]} files are .npy, .txt or .csv (or with .gz), by the name of the file")
    values = {key: (_number(path, value, line), line) for line, (key, value) in table(path, header)}
    names = {str(c): c for c in range(len(values))} if names is None else names
    for key, (_, line) in values.items():
        if key not in names:
            raise malformed(path, f"there is no {header[0]} {shown(key)}", line)
    absent = next((key for key in names if key not in values), None)
    if absent is not None:
        raise malformed(path, f"{header[0]} {absent!r} has no {header[1]}")
    return np.array([values[key][0] for key in names])


def _whole(path: Path, text: str, line: int) -> int:
    number = _number(path, text.strip(), line)
    if not isinstance(number, int):
        raise malformed(path, f"expected a whole number, not {shown(text)}", line)
    if abs(number) > TOP:
        raise malformed(path, f"{shown(text)} is too large: whole numbers go up to {TOP}", line)
    return number


def _number(path: Path, text: str, line: int) -> int | float:
    if WHOLE.match(text) and len(text) <= LONGEST:
        return int(text)
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise malformed(path, f"expected a number, not {shown(text)}", line)
    return number
