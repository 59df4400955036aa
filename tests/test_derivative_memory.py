"""Peak memory of the colorings for derivatives, as docs/derivatives.md states it: beside the pattern and its transpose.

tracemalloc counts what NumPy and numba allocate, also memory that is never touched.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor.device import sync
from lagcolor.problems import PROBLEMS

SIDE = 300
SLACK = 1 << 16  # bytes for what does not grow with the pattern
# Bytes per row, per column (of a graph: per vertex) and per stored entry.
FIGURES = {
    "distance2": (16, 0, 0),
    "columns": (8, 8, 0),
    "rows": (8, 8, 0),
    "star": (24, 0, 0),
    "acyclic": (20, 0, 5),
    "star_bicoloring": (32, 32, 16),
    "acyclic_bicoloring": (40, 40, 18),
}


def grid() -> lagcolor.Pattern:
    line = sp.eye_array(SIDE, k=1) + sp.eye_array(SIDE, k=-1)
    return lagcolor.Pattern.of(sp.kronsum(line, line, "csr") + sp.eye_array(SIDE**2, format="csr"))


def scattered() -> lagcolor.Pattern:
    """Four entries in each of 90,000 rows, at random; 45,000 columns."""
    n = SIDE**2
    columns = np.random.default_rng(0).integers(0, n // 2, 4 * n)
    return lagcolor.Pattern.of((np.repeat(np.arange(n), 4), columns), shape=(n, n // 2))


def peak(call: Callable[[], Any]) -> int:
    """Bytes that a call takes at its peak."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("make", [grid, scattered])
@pytest.mark.parametrize("problem", FIGURES)
def test_peak(problem: str, make: Callable[[], lagcolor.Pattern], monkeypatch: pytest.MonkeyPatch) -> None:
    P = make()
    if PROBLEMS[problem].symmetric:
        if P.rows != P.columns:
            pytest.skip("a problem of graphs")
        S = P.to_scipy()
        S.setdiag(0)
        S.eliminate_zeros()
        P = lagcolor.Graph.of(S)
    monkeypatch.setattr(sync, "HUGE", 1 << 60)  # no room around large arrays to align them, 4 MB that are not touched
    lagcolor.color(P, problem=problem, verify=False)  # code is loaded
    made = P if isinstance(P, lagcolor.Graph) else lagcolor.Pattern(P.indptr, P.indices, P.columns)
    taken = peak(lambda: lagcolor.color(made, problem=problem, verify=False))
    stated = sum(bytes_ * size for bytes_, size in zip(FIGURES[problem], (P.rows, P.columns, P.m), strict=True))
    transpose = 0 if problem == "rows" or PROBLEMS[problem].symmetric else 4 * (P.m + P.columns)
    assert taken <= stated + transpose + SLACK


def test_all_problems_have_a_figure() -> None:
    assert set(FIGURES) == set(PROBLEMS) - {"distance1"}
