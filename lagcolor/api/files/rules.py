"""Files of rules: forbidden colors, and numbers of vertices or of colors. Fixed colors are a coloring of some vertices.

=====================  ==================================================================================
.csv                   forbidden, allowed: ``vertex,color``, a line for each; numbers: ``vertex,weight`` or
                       ``color,capacity``; of edges ``u,v,color`` and ``u,v,weight``
.mtx, .npz             forbidden, allowed: a matrix with a row per vertex and a stored entry per color
.npy, .txt             numbers: one per vertex or color
=====================  ==================================================================================
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...base.errors import FormatError
from ...graph.pattern import Pattern
from ...io.fields import LONGEST, WHOLE, lines_of, names_of, number_of, one_dimension, table
from ...io.files import bare_name, malformed, shown
from ...problems.edges import EdgeNames
from .colorings import numbers_of


def read_forbidden(path: str | os.PathLike[str], n: int, *, labels: Sequence[Any] | None = None) -> Any:
    """Read forbidden colors for `lagcolor.color`.

    Parameters
    ----------
    path : path-like
        A .csv file, or a matrix file such as .mtx and .npz; also with .gz.
    n : int
        Number of vertices.
    labels : sequence, optional
        ``G.labels``, if a .csv file names vertices by label. For rules on edges,
        ``lagcolor.problems.PROBLEMS["edges"].labels(G)``, and `n` is the number of edges.

    Returns
    -------
    Pattern, or scipy.sparse.csr_array of bool, shape (n, k)
        An entry for each vertex and color that it must not have.

    Raises
    ------
    FormatError
        The file is malformed, a vertex is unknown, or a color is not a whole number from 0 on.

    Examples
    --------
    >>> with open("forbidden.csv", "w") as f:
    ...     _ = f.write("vertex,color\\n1,0\\n2,0\\n")
    >>> forbidden = lagcolor.io.read_forbidden("forbidden.csv", n=3)
    >>> lagcolor.color([(0, 1), (1, 2)], forbidden=forbidden).colors
    array([0, 1, 2], dtype=int32)
    """
    if not bare_name(path := Path(path)).endswith(".csv"):
        return Pattern.of(path)
    import scipy.sparse as sp

    rows, colors = _lists_of_csv(path, n, labels)
    return sp.csr_array((np.ones(len(rows), bool), (rows, colors)), shape=(n, max(colors, default=-1) + 1))


def read_allowed(path: str | os.PathLike[str], n: int, *, labels: Sequence[Any] | None = None) -> Any:
    """Read lists of allowed colors for `lagcolor.color`.

    Parameters
    ----------
    path : path-like
        A .csv file, or a matrix file such as .mtx and .npz; also with .gz.
    n : int
        Number of vertices.
    labels : sequence, optional
        ``G.labels``, if a .csv file names vertices by label; see `read_forbidden`.

    Returns
    -------
    Pattern, or dict
        For a .csv file, the colors of each vertex in the file, by label. A vertex that is not in the file has no list.

    Raises
    ------
    FormatError
        The file is malformed, a vertex is unknown, or a color is not a whole number from 0 on.

    Examples
    --------
    >>> with open("allowed.csv", "w") as f:
    ...     _ = f.write("vertex,color\\n1,2\\n1,3\\n")
    >>> lagcolor.io.read_allowed("allowed.csv", n=3)
    {1: [2, 3]}
    """
    if not bare_name(path := Path(path)).endswith(".csv"):
        return Pattern.of(path)
    lists: dict[Any, list[int]] = {}
    for v, color in zip(*_lists_of_csv(path, n, labels), strict=True):
        lists.setdefault(v if labels is None else labels[v], []).append(color)
    return lists


def _by_name(path: Path, value: str, n: int, labels: Sequence[Any] | None) -> Iterator[tuple[int, int, str]]:
    """Line, number of the vertex or edge, and field `value` of each line of a .csv file."""
    if isinstance(labels, EdgeNames):
        rows = [(line, u, v, field) for line, (u, v, field) in table(path, ("u", "v", value))]
        for (line, _, _, field), e in zip(rows, numbers_of(path, labels, rows).tolist(), strict=True):
            yield line, e, field
        return
    names = names_of(labels, n)
    for line, (vertex, field) in table(path, ("vertex", value)):
        if vertex not in names:
            raise malformed(path, f"there is no vertex {shown(vertex)}", line)
        yield line, names[vertex], field


def _lists_of_csv(path: Path, n: int, labels: Sequence[Any] | None) -> tuple[list[int], list[int]]:
    """Vertices, by number, and colors of the lines of a file."""
    rows, colors = [], []
    for line, v, color in _by_name(path, "color", n, labels):
        rows.append(v)
        colors.append(number_of(path, color, line))
        if not 0 <= colors[-1] < 2**31 - 1:
            raise malformed(path, f"color {shown(color)[1:-1]}: colors go from 0 to {2**31 - 2}", line)
    return rows, colors


def read_weights(path: str | os.PathLike[str], n: int, *, labels: Sequence[Any] | None = None) -> np.ndarray:
    """Read a number per vertex.

    Parameters
    ----------
    path : path-like
        A file .npy, .txt (one number per line) or .csv (``vertex,weight``; for edges ``u,v,weight``); also with .gz.
    n : int
        Number of vertices, or of edges.
    labels : sequence, optional
        ``G.labels``, if a .csv file names vertices by label; for edges see `read_forbidden`.

    Returns
    -------
    array of numbers, shape (n,)
        The weight of each vertex or edge.

    Raises
    ------
    FormatError
        The file is malformed, or its vertices are not those in the graph.

    Examples
    --------
    >>> with open("weights.csv", "w") as f:
    ...     _ = f.write("vertex,weight\\n0,2\\n2,5\\n1,3\\n")
    >>> lagcolor.io.read_weights("weights.csv", n=3)
    array([2, 3, 5])
    """
    path = Path(path)
    called = functools.partial(_called, n, labels)
    return _numbers(path, "weight", lambda: _by_name(path, "weight", n, labels), called, n)


def _called(n: int, labels: Sequence[Any] | None, v: int) -> str:
    """A vertex or an edge in a message."""
    return f"edge {labels[v]!r}" if isinstance(labels, EdgeNames) else f"vertex {list(names_of(labels, n))[v]!r}"


def read_capacity(path: str | os.PathLike[str]) -> np.ndarray:
    """Read a number per color.

    Parameters
    ----------
    path : path-like
        A file .npy, .txt (one number per line) or .csv (``color,capacity``); also with .gz.

    Returns
    -------
    array of numbers, shape (k,)
        The capacity of each color.

    Raises
    ------
    FormatError
        The file is malformed, or its colors are not 0 … k − 1.

    Examples
    --------
    >>> with open("capacity.txt", "w") as f:
    ...     _ = f.write("20\\n35\\n")
    >>> lagcolor.io.read_capacity("capacity.txt")
    array([20, 35])
    """
    path = Path(path)
    return _numbers(path, "capacity", lambda: _by_color(path), "color '{}'".format)


def _by_color(path: Path) -> Iterator[tuple[int, int, str]]:
    """Line, color and capacity of each line of a .csv file."""
    rows = list(table(path, ("color", "capacity")))
    names = {str(c): c for c in range(len(rows))}
    for line, (color, field) in rows:
        if color not in names:
            raise malformed(path, f"there is no color {shown(color)}", line)
        yield line, names[color], field


def _numbers(
    path: Path, what: str, rows: Callable[[], Iterable[tuple[int, int, str]]], called: Callable[[int], str],
    n: int | None = None,
) -> np.ndarray:  # fmt: skip
    """The numbers of a file. `rows` of a .csv file have the line, the number of the vertex or color, and the field."""
    name = bare_name(path)
    if name.endswith(".npy"):
        return one_dimension(path, "iuf", "numbers")
    if name.endswith(".txt"):
        return np.array([_number(path, line, i) for i, line in lines_of(path)])
    if not name.endswith(".csv"):
        also = "; a number for all colors needs no file, as in capacity=5" * (what == "capacity")
        raise FormatError(f"{path}: {what} files are .npy, .txt or .csv (or with .gz), by the name of the file{also}")
    values: dict[int, int | float] = {}
    for line, v, field in rows():
        if v in values:
            raise malformed(path, f"{called(v)} has a {what} already", line)
        values[v] = _number(path, field, line)
    n = len(values) if n is None else n
    absent = next((v for v in range(n) if v not in values), None)
    if absent is not None:
        raise malformed(path, f"{called(absent)} has no {what}")
    return np.array([values[v] for v in range(n)])


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
