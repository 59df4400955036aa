"""Integers that may be the vertices of the elements of a mesh are an error with code for each reading."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lagcolor
from lagcolor import GraphError, Pattern


def squares(side: int) -> np.ndarray:
    """The four vertices of each square of a grid, int64, shape (side², 4)."""
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    return corner[:, None] + np.array([0, 1, side + 1, side + 2])


def refused(call: Any, x: np.ndarray, each: str = "row") -> list[Any]:
    """Return the results of the programs in the error for x."""
    with pytest.raises(GraphError, match=rf"or have the vertices of an element in each {each}") as caught:
        call(x)
    names = {"Pattern": Pattern, "lagcolor": lagcolor, "numpy": np, "x": x}
    return [eval(program, names) for program in re.findall(r"`([^`]+)`", str(caught.value))]


@pytest.mark.parametrize(("turned", "dtype"), [(False, np.int64), (True, np.uint32)])
def test_elements_of_a_mesh(dtype: type, turned: bool) -> None:
    elements = squares(20).astype(dtype)
    x, problem = (elements.T, "columns") if turned else (elements, "rows")
    matrix, colored, entries = refused(lambda x: lagcolor.color(x, problem=problem), x, "column" if turned else "row")
    assert (matrix.rows, matrix.columns, matrix.m) == (*x.shape, x.size - 1)
    found = lagcolor.color(entries, problem=problem)
    for result in (found, colored):
        assert len(result.colors) == 400
        assert 4 <= result.n_colors <= 9
        for color in range(result.n_colors):  # two elements of one color have no vertex in common
            used = elements[result.colors == color].ravel()
            assert len(np.unique(used)) == len(used)


def test_whatever_reads_them() -> None:
    for read in (
        lambda x: lagcolor.color(x, problem="columns"),
        lambda x: lagcolor.color(x, problem="star_bicoloring"),
        lambda x: lagcolor.verify(x, np.arange(400), problem="rows"),
        lagcolor.derivatives.jacobian,
        Pattern.of,
    ):
        refused(read, squares(20))


def test_small_meshes_and_elements_of_several_shapes() -> None:
    """Four triangles on six points: as a matrix, all columns meet."""
    triangles = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]])
    _, colored, _ = refused(lambda x: lagcolor.color(x, problem="columns"), triangles)
    assert colored.n_colors == 3
    refused(Pattern.of, triangles[[0, 1, 3]])  # as many triangles as vertices of one
    mixed = squares(20)
    mixed[::2, 3] = -1
    matrix, colored = refused(Pattern.of, mixed)
    assert matrix.columns == 4 and colored.verified


@pytest.mark.parametrize("matrix", [
    squares(20).astype(float),
    squares(20) > 0,
    np.ones((400, 4), int),  # no number past the first four
    np.arange(400 * 100).reshape(400, 100),  # elements have fewer vertices
    np.array([[9, 1, 2], [1, 8, 3], [2, 3, 7]]),  # symmetric
    np.array([[1, 2, 0], [0, 3, 4], [5, 0, 6]]),
    np.array([[5, 1, 1], [0, 2, 3], [4, 0, 0], [7, 8, 9]]),
    np.arange(1, 401)[:, None],
    np.arange(400).reshape(100, 4) - 200,
    np.where(np.random.default_rng(0).random((400, 4)) < 0.3, 0, squares(20)),
], ids=str)  # fmt: skip
def test_matrices(matrix: np.ndarray) -> None:
    P = Pattern.of(matrix)
    assert P.shape == matrix.shape and P.m == np.count_nonzero(matrix)
