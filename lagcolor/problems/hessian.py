"""Verifier of colors of a symmetric matrix that determine all its entries; color −1 is neutral, in no product.

No algorithm solves this problem directly: a star or acyclic coloring remains valid here without the colors that no
entry needs. With direct decompression each entry (i, j) is the only entry of row i in columns of the color of j, or the
only entry of row j in columns of the color of i; entries of the diagonal count. With substitution, neighbors with
colors have different colors, and entries have an order in which each is the only unknown entry in one of its two sums.

References
----------
Coleman, Moré 1984, "Estimation of sparse Hessian matrices and graph coloring problems"; Gebremedhin, Manne, Pothen
2005, "What color is your Jacobian?", section 4 (symmetrically orthogonal, substitutable); Montoison, Dalle, Gebremedhin
2025, "Revisiting sparse matrix coloring and bicoloring" (neutral colors).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import device as dev
from ..base.options import choice
from ..graph.graph import Graph
from ..graph.pattern import Pattern
from . import on_gpu
from .equations import unfound
from .report import SHOWN, Report, fitting

DECOMPRESSIONS = ("direct", "substitution")
FAULTS = {"direct": "is alone in neither of its sums", "substitution": "is not found by substitution"}


def verify(x: Any, colors: Any, decompression: str = "direct", *, errors: str = "raise") -> Report:
    """Check that products of a symmetric matrix with the columns of each color determine all its entries."""
    decompression = choice("decompression", decompression, DECOMPRESSIONS)
    P = Pattern.of(x)
    with dev.using(P.indices):
        Graph.of(P)  # symmetric, or an error that names an entry
        if decompression == "direct" and (
            there := on_gpu.checked(P, colors, P.columns, on_gpu.symmetrically_orthogonal, neutral=True)
        ):
            return there.or_raise(False, errors)
        P = P.on("cpu")
    array = dev.to_device(fitting(colors, P.columns, "row and column"), "cpu")
    return Report.of(array, *_violations(P, array, decompression), np.zeros(len(array), bool)).or_raise(False, errors)


def _violations(P: Pattern, array: np.ndarray, decompression: str) -> tuple[int, list[str]]:
    i, j, wrong, same = unfound(P, array, decompression == "direct", neutral=True)
    return len(wrong), [_sentence(int(i[e]), int(j[e]), array, bool(same[e]), decompression) for e in wrong[:SHOWN]]


def _sentence(i: int, j: int, array: np.ndarray, same: bool, decompression: str) -> str:
    if same:
        return f"entry ({i}, {j}): rows {i} and {j} both have color {array[i]}"
    if i == j and array[i] < 0:
        return f"entry ({i}, {j}) of the diagonal has no color"
    return f"entry ({i}, {j}) of colors {array[i]} and {array[j]} {FAULTS[decompression]}"
