"""Vertices of the elements of a mesh are no dense matrix: a warning, whose advice works, and none for matrices."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import lagcolor
from lagcolor import AmbiguityWarning, Pattern


def squares(side: int) -> np.ndarray:
    """The four vertices of each square of a grid, int64, shape (side², 4)."""
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    return corner[:, None] + np.array([0, 1, side + 1, side + 2])


def advice(message: str, x: Any) -> list[Pattern]:
    """What the message's programs make of x."""
    programs = re.findall(r"`([^`]+)`", message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [eval(program, {"Pattern": Pattern, "numpy": np, "x": x}) for program in programs]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
def test_elements_of_a_mesh(dtype: type, turned: bool) -> None:
    elements = squares(20).astype(dtype)
    x, problem = (elements.T, "columns") if turned else (elements, "rows")
    each = "column" if turned else "row"
    with pytest.warns(AmbiguityWarning, match=rf"each {each} has the vertices of an element") as caught:
        result = lagcolor.color(x, problem=problem)
    assert result.n_colors > 390  # one per element that has not vertex 0
    assert caught[0].filename == __file__
    of_elements, of_matrix = advice(str(caught[0].message), x)
    assert (of_matrix.rows, of_matrix.columns, of_matrix.m) == (*x.shape, x.size - 1)
    found = lagcolor.color(of_elements, problem=problem)
    assert len(found.colors) == 400
    assert 4 <= found.n_colors <= 9
    # Two elements of one color have no vertex in common.
    for color in range(found.n_colors):
        used = elements[found.colors == color].ravel()
        assert len(np.unique(used)) == len(used)


@pytest.mark.parametrize("read", [
    lambda x: lagcolor.color(x, problem="columns"),
    lambda x: lagcolor.color(x, problem="star_bicoloring"),
    lambda x: lagcolor.verify(x, np.arange(400), problem="rows"),
    lambda x: lagcolor.derivatives.jacobian(x),
    Pattern.of,
])  # fmt: skip
def test_whatever_reads_them(read: Any) -> None:
    with pytest.warns(AmbiguityWarning, match=r"shape \(400, 4\) with hardly any zero is read as a dense matrix"):
        read(squares(20))


def test_elements_of_several_shapes_and_edges() -> None:
    triangles = squares(20)
    triangles[::2, 3] = -1
    for x in (triangles, squares(20)[:, :2], np.arange(1, 9).reshape(4, 2)):
        with pytest.warns(AmbiguityWarning):
            Pattern.of(x)


@pytest.mark.parametrize("matrix", [
    squares(20).astype(float),
    squares(20) > 0,
    np.ones((400, 4), int),  # no number past the first four
    np.arange(400 * 100).reshape(400, 100),  # elements have fewer vertices
    np.arange(2, 18).reshape(4, 4),
    np.arange(1, 401)[:, None],
    np.arange(400).reshape(100, 4) - 200,
    np.where(np.random.default_rng(0).random((400, 4)) < 0.3, 0, squares(20)),
], ids=str)  # fmt: skip
def test_matrices(matrix: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Pattern.of(matrix)
