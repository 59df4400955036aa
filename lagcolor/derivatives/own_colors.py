"""Compressions with the caller's colors: the problem's verifier checks that every entry is recovered."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.result import Coloring
from ..base import device as dev
from ..base.errors import ColoringError
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from ..inputs.checks import unmasked
from ..problems import hessian
from .compression import Compression
from .neutral import SYMMETRIC, check, described


def of_colors(P: Pattern, partition: str, problem: str, colors: Any, made_by: str = "own") -> Compression:
    """Return the Compression with these colors; for both kinds of products, a pair of row and column colors."""
    if partition == "both":
        rows, columns = _pair(colors)
        of_rows = _array("row colors", rows, P.rows)
        of_columns = _array("column colors", columns, P.columns)
        of_columns[of_columns >= 0] += of_rows.max(initial=-1) + 1  # a Coloring numbers column colors after row colors
        found = np.concatenate([of_rows, of_columns])
    else:
        found = _array("colors", colors, P.rows if partition == "rows" else P.columns)
    G = Graph.of(P) if partition == "symmetric" else P
    coloring = Coloring(dev.to_device(found, P.device), G, made_by, made_by, problem=problem)
    coloring = described(P, coloring)
    if partition == "symmetric":
        hessian.verify(P, coloring.colors, SYMMETRIC[problem])
        coloring.verified = True
    else:
        check(P, coloring)
    return Compression(P, partition, coloring)


def _pair(colors: Any) -> tuple[Any, Any]:
    if hasattr(colors, "row_colors"):
        return colors.row_colors, colors.column_colors
    if not isinstance(colors, tuple | list) or len(colors) != 2:
        raise ColoringError('for partition="both", colors are a pair (row_colors, column_colors)')
    return tuple(colors)


def _array(what: str, colors: Any, n: int) -> np.ndarray:
    """Copy colors as int32 to the CPU, and check that they number products."""
    colors = getattr(colors, "colors", colors)
    unmasked(colors, what, ColoringError)
    try:
        array = np.array(dev.to_device(colors, "cpu"))
    except ValueError as e:
        raise ColoringError(
            f"{what} must have shape ({n},): for a list of classes, set colors[classes[k]] = k for each k"
        ) from e
    if array.dtype.kind not in "iu" and array.size:
        raise ColoringError(f"{what} must be integers, not {array.dtype}")
    if array.shape != (n,):
        raise ColoringError(f"{what} have shape {array.shape}, and there are {n} to color: the shape is ({n},)")
    if array.size and not (array.min() >= -1 and array.max() < n):
        raise ColoringError(
            f"{what} go from {array.min()} to {array.max()}: they number products, 0 to at most {n - 1}, or are -1"
        )
    unused = np.flatnonzero(np.bincount(array[array >= 0].astype(np.int64)) == 0)
    if len(unused):
        raise ColoringError(
            f"{what} skip {unused[0]}: they number products, 0 to k - 1 without gaps; numpy.unique(colors, "
            "return_inverse=True)[1] renames colors that are all 0 or larger"
        )
    return array.astype(np.int32)
