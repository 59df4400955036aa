"""First-fit from the middle outwards: the colors of that one order, on one thread and on two; and the transpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from two_hop_cases import TWO_HOP, apart, case, cases, first_fit, of_dense, random_pattern, size

import lagcolor
from lagcolor.core.nets import Nets
from lagcolor.engines.two_hop import outward
from lagcolor.inputs import canonical_cpu, transpose_cpu

THREADS = (1, 2, 5)


def from_the_middle(n: int) -> np.ndarray:
    return np.concatenate([np.arange(n // 2, n), np.arange(n // 2)[::-1]]).astype(np.int32)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("problem", TWO_HOP)
def test_colors_are_those_of_the_order(problem: str, threads: int) -> None:
    for name in cases(problem):
        P = case(problem, name)
        colors = lagcolor.color(P, "outward", problem=problem, threads=threads).colors
        sequence = from_the_middle(size(problem, P)).tolist()
        assert colors.tolist() == first_fit(apart(problem, P), sequence), name


def band(rows: int, columns: int, width: int) -> Any:
    """A band in a rectangle: entries up to `width` from the line between two corners."""
    i, j = np.indices((rows, columns))
    return of_dense(abs(i * columns // rows - j) <= width)


LARGE = {
    "grid": lambda: lagcolor.generate.from_spec("grid2d:60"),
    "narrow band": lambda: lagcolor.Graph.of(band(900, 900, 3), symmetrize=True),
    "more than 64 colors": lambda: lagcolor.Graph.of(band(700, 700, 40), symmetrize=True),
    "tall band": lambda: band(900, 600, 2),
    "wide band, two windows of columns": lambda: band(400, 900, 45),
    "random": lambda: random_pattern(900, 1000, 3000, 5),
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("problem", TWO_HOP)
def test_halves_side_by_side(name: str, problem: str) -> None:
    """Seams of a few rows, of all that is above, and none, in one window of colors and in several."""
    P: Any = LARGE[name]()
    if problem == "distance2" and not isinstance(P, lagcolor.Graph):
        pytest.skip("a graph is needed")
    n = size(problem, P)
    priority = np.empty(n, np.int32)
    priority[from_the_middle(n)] = np.arange(n)[::-1]
    expected = lagcolor.color(P, problem=problem, order=priority).colors
    assert "more than 64" not in name or expected.max() >= 64
    for threads in THREADS:
        assert (lagcolor.color(P, "outward", problem=problem, threads=threads).colors == expected).all()


@pytest.mark.parametrize("problem", ["columns", "distance2"])
def test_the_seam_is_where_nets_have_both_halves(problem: str) -> None:
    for name in (*cases(problem), *LARGE):
        P = LARGE[name]() if name in LARGE else case(problem, name)
        if problem == "distance2" and not isinstance(P, lagcolor.Graph):
            continue
        nets = Nets.columns(P) if problem == "columns" else Nets.neighborhoods(P)
        middle = nets.n // 2
        last = 0
        for net in range(nets.members.rows):
            vertices = nets.members.indices[nets.members.indptr[net] : nets.members.indptr[net + 1]].tolist()
            vertices += [net] if problem == "distance2" else []
            if vertices and min(vertices) < middle <= max(vertices):
                last = max(last, max(vertices) + 1)
        assert [outward._end_of_seam(nets, middle, workers) for workers in (1, 2)] == [last] * 2, name


@pytest.mark.parametrize("threads", [None, *THREADS])
def test_the_transpose_of_any_pattern(threads: int | None) -> None:
    """As canonical_cpu makes it, which takes it for no canonical one."""
    for name in cases("columns"):
        P = case("columns", name)
        for indptr in (P.indptr, P.indptr.astype(np.int64)):
            expected = canonical_cpu.transpose(indptr, P.indices, P.columns)
            found = transpose_cpu.transpose(indptr, P.indices, P.columns, threads)
            for x, y in zip(found, expected, strict=True):
                assert x.dtype == y.dtype and x.flags.c_contiguous and (x == y).all(), name


@pytest.mark.parametrize("shape", [(100_000, 70_000), (60_000, 100_000)])
@pytest.mark.parametrize("kind", ["band", "band and far entries", "random"])
def test_the_transpose_by_many_threads(kind: str, shape: tuple[int, int]) -> None:
    """Threads that have few columns each, and the same where some rows have entries far away; and all columns."""
    rng, (rows, columns) = np.random.default_rng(0), shape
    i = np.repeat(np.arange(rows), 5)
    j = rng.integers(columns, size=len(i)) if kind == "random" else i * columns // rows + rng.integers(9, size=len(i))
    if kind == "band and far entries":
        j[rng.integers(len(j), size=9)] = rng.integers(columns, size=9)
    keep = j < columns - 3  # some columns are empty
    P = lagcolor.Pattern.of((i[keep], j[keep]), shape=shape)
    expected = canonical_cpu.transpose(P.indptr, P.indices, columns)
    for indptr in (P.indptr, P.indptr.astype(np.int64)):
        for threads in (1, 2, 3, 8, 17):
            found = transpose_cpu.transpose(indptr, P.indices, columns, threads)
            assert all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True)), threads
