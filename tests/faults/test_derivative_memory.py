"""Peak memory of the colorings for derivatives, as docs/how_to/derivatives_memory.md states it.

The pattern and its transpose are not counted. tracemalloc counts what NumPy and numba allocate, touched or not.
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
from lagcolor.base import device
from lagcolor.problems import PROBLEMS

SLACK = 1 << 16  # bytes for what does not grow with the pattern
HUB = 64  # bytes for each entry of the longest row or column, where trees are stored
Figures = tuple[int, int, int, int]  # bytes per row, per column (of a graph: per vertex alone), per entry, of HUB


def figures(problem: str, k: int, name: str) -> list[Figures]:
    """Return the figure of docs/how_to/derivatives_memory.md for a pattern and a number of colors; the largest."""
    if problem == "star":
        more = [(228, 0, 0, 0), (28, 0, 64, 0)] if k > 64 else []
        return [(24, 0, 0, 0)] if k <= 32 else [(52, 0, 0, 0), *more]
    if problem == "acyclic":
        return [(20, 0, 5, HUB) if k <= 32 else (32, 0, 5, HUB) if k <= 64 else (32, 0, 8, HUB)]
    if problem == "acyclic_bicoloring":  # the rejected attempts have as few, in these patterns
        return [(40, 40, 18, HUB) if k <= 16 else (64, 64, 24, HUB)]
    if problem == "star_bicoloring" and name in OVER_32:
        return [ANY[problem], (236, 236, 17, 0), (60, 60, 145, 0)]
    return [ANY[problem]]


ANY = {"distance2": (16, 0, 0, 0), "columns": (8, 8, 0, 0), "rows": (8, 8, 0, 0), "star_bicoloring": (44, 44, 17, 0)}
OVER_32 = ("12 entries per row", "hubs")  # an attempt takes more than 32 colors of rows or of columns there
# Bytes per stored entry, the transpose included, of a whole jacobian or hessian.
WHOLE: dict[str, tuple[int, int | None]] = {
    "columns": (20, None), "rows": (17, None), "both": (83, 107), "symmetric": (36, 51),
}  # fmt: skip


def band(n: int, width: int) -> lagcolor.Pattern:
    offsets = range(-width, width + 1)
    return lagcolor.Pattern.of(sp.diags_array([np.ones(n - abs(o)) for o in offsets], offsets=offsets, format="csr"))


def at_random(per_row: int, hubs: int = 0, n: int = 16_000) -> lagcolor.Pattern:
    """Symmetric, some entries in each row at random; the first rows have more, as many as a tenth of all."""
    r = np.random.default_rng(per_row)
    rows = np.concatenate([np.repeat(np.arange(n), per_row // 2), np.repeat(np.arange(hubs), n // 10)])
    columns = r.integers(0, n, len(rows))
    return lagcolor.Pattern.of((np.concatenate([rows, columns]), np.concatenate([columns, rows])), shape=(n, n))


PATTERNS: dict[str, Callable[[], lagcolor.Pattern]] = {
    "band of 33": lambda: band(8000, 16),  # star with over 32 colors
    "band of 81": lambda: band(3000, 40),  # star with over 64, acyclic with over 32
    "12 entries per row": lambda: at_random(12),  # bicolorings with over 16
    "hubs": lambda: at_random(6, hubs=3),
    "grid": lambda: lagcolor.Pattern.of(lagcolor.generate.grid2d(150)),
}


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


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("problem", [*ANY, "star", "acyclic", "acyclic_bicoloring"])
def test_peak(problem: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    P = PATTERNS[name]()
    if PROBLEMS[problem].symmetric:
        P = lagcolor.Graph.of(P)
    monkeypatch.setattr(device, "HUGE", 1 << 60)  # large arrays are not aligned: 4 MB that are not touched
    k = lagcolor.color(P, problem=problem, quality="fast", verify=False).n_colors  # code is loaded
    made = type(P)(P.indptr, P.indices, *(() if isinstance(P, lagcolor.Graph) else (P.columns,)))  # nothing is stored
    taken = peak(lambda: lagcolor.color(made, problem=problem, quality="fast", verify=False))
    longest = max(P.max_degree, int(np.bincount(P.indices).max()))
    sizes = (P.rows, P.columns, P.m, longest)
    stated = max(
        sum(bytes_ * size for bytes_, size in zip(each, sizes, strict=True)) for each in figures(problem, k, name)
    )
    transpose = 0 if problem == "rows" or PROBLEMS[problem].symmetric else 4 * (P.m + P.columns)
    assert taken <= stated + transpose + SLACK


@pytest.mark.parametrize(
    ("partition", "decompression"),
    [(p, d) for p in WHOLE for d in ("direct", "substitution")[: 1 + (WHOLE[p][1] is not None)]],
)
def test_peak_of_a_compression(partition: str, decompression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "HUGE", 1 << 60)
    P = band(8000, 16)

    def made() -> Any:
        Q = lagcolor.Pattern(P.indptr, P.indices, P.columns)
        if partition == "symmetric":
            return lagcolor.derivatives.hessian(Q, decompression, quality="fast", verify=False)
        return lagcolor.derivatives.jacobian(Q, partition, decompression, quality="fast", verify=False)

    made()  # code is loaded
    assert peak(made) <= WHOLE[partition][decompression == "substitution"] * P.m + SLACK
