"""Colors of a symmetric matrix such that all of its entries are recovered, where −1 is neutral: in no product.

Not a problem that algorithms solve, but what is left of a star or acyclic coloring without the colors that no entry
needs. For direct decompression each entry (i, j) is the only one of row i in columns of the color of j, or the only one
of row j in columns of the color of i; entries of the diagonal count. By substitution neighbors that both have colors
have different ones, and entries have an order such that each is, in one of its two sums, the only one that has not been
found.

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
    """Check that the products of a symmetric matrix with the columns of each color have all of its entries."""
    decompression = choice("decompression", decompression, DECOMPRESSIONS)
    P = Pattern.of(x)
    with dev.using(P.indices):
        Graph.of(P)  # symmetric, or an error that names an entry
        if decompression == "direct" and (
            there := on_gpu.checked(P, colors, P.columns, on_gpu.symmetrically_orthogonal, neutral=True)
        ):
            return there.settled(False, errors)
        P = P.on("cpu")
    given = dev.to_device(fitting(colors, P.columns, "row and column"), "cpu")
    return Report.of(given, *_violations(P, given, decompression), np.zeros(len(given), bool)).settled(False, errors)


def _violations(P: Pattern, given: np.ndarray, decompression: str) -> tuple[int, list[str]]:
    i, j, wrong, same = unfound(P, given, decompression == "direct", neutral=True)
    return len(wrong), [_sentence(int(i[e]), int(j[e]), given, bool(same[e]), decompression) for e in wrong[:SHOWN]]


def _sentence(i: int, j: int, given: np.ndarray, same: bool, decompression: str) -> str:
    if same:
        return f"entry ({i}, {j}): rows {i} and {j} both have color {given[i]}"
    if i == j and given[i] < 0:
        return f"entry ({i}, {j}) of the diagonal has no color"
    return f"entry ({i}, {j}) of colors {given[i]} and {given[j]} {FAULTS[decompression]}"
