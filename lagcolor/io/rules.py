"""Files of rules: forbidden colors, and numbers of vertices or of colors. Fixed colors are a coloring of some vertices.

=====================  ==================================================================================
.csv                   forbidden: ``vertex,color``, a line for each; numbers: ``vertex,weight``, ``color,capacity``
.mtx, .npz             forbidden: a matrix with a row per vertex, whose stored entries are forbidden
.npy, .txt             numbers: one per vertex or color
=====================  ==================================================================================
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import FormatError
from ..core.pattern import Pattern
from .colorings import LONGEST, WHOLE, lines_of, names_of, number_of, one_dimension, table
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
    path = Path(path)
    if not bare_name(path).endswith(".csv"):
        return Pattern.of(path)
    import scipy.sparse as sp

    names = names_of(labels, n)
    rows, colors = [], []
    for line, (vertex, color) in table(path, ("vertex", "color")):
        if vertex not in names:
            raise malformed(path, f"there is no vertex {shown(vertex)}", line)
        rows.append(names[vertex])
        colors.append(number_of(path, color, line))
        if not 0 <= colors[-1] < 2**31 - 1:
            raise malformed(path, f"color {shown(color)[1:-1]}: colors go from 0 to {2**31 - 2}", line)
    return sp.csr_array((np.ones(len(rows), bool), (rows, colors)), shape=(n, max(colors, default=-1) + 1))


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
