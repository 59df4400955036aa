"""A sparse matrix and its products, in the same colors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import OptionError
from .style import HUES, INK, hues, need_matplotlib, on_cpu

if TYPE_CHECKING:
    from ..derivatives import Compression

LARGEST = 400  # rows or columns of a drawing
EMPTY = "#FFFFFF"
UNUSED = "#DDDDDD"


def compression(C: Compression) -> Any:
    """Draw a matrix and its products next to each other; an entry has the hue of the product that contains it.

    Parameters
    ----------
    C : Compression
        A compression of `lagcolor.derivatives`.

    Returns
    -------
    matplotlib.figure.Figure
        From the left: the matrix, the products ``A @ S``, and ``W.T @ A``, as far as they exist. Entries of the
        products that are not used are gray.

    Raises
    ------
    OptionError
        The matrix has over 400 rows or columns.
    LagcolorError
        matplotlib is not installed.

    Examples
    --------
    >>> C = lagcolor.derivatives.jacobian(lagcolor.generate.grid2d(3))
    >>> figure = lagcolor.plot.compression(C)
    >>> [axes.get_title() for axes in figure.axes]
    ['A, 9 × 9', 'A @ S, 9 × 4']
    """
    if max(C.pattern.shape) > LARGEST:
        raise OptionError(f"a drawing shows {LARGEST} rows and columns at most, and this matrix is {C.pattern.shape}")
    matrix, parts = _products(C)
    names = ["A @ S", "W.T @ A"] if C.partition == "both" else ["W.T @ A" if C.partition == "rows" else "A @ S"]
    shown = [(part, name) for part, name in zip(parts, names, strict=True) if part.size]
    shown = [(matrix, "A"), *shown]
    need_matplotlib()
    from matplotlib.figure import Figure

    widths = [max(part.shape[1], 3) for part, _ in shown]
    figure = Figure(figsize=(0.9 + 4.2 * sum(widths) / widths[0], 4.6), layout="constrained")
    axes = figure.subplots(1, len(shown), squeeze=False, width_ratios=widths)[0]
    for ax, (part, name) in zip(axes, shown, strict=True):
        _draw(ax, part, f"{name}, {part.shape[0]} × {part.shape[1]}", C.n_colors)
    return figure


def _products(C: Compression) -> tuple[np.ndarray, list[np.ndarray]]:
    """Numbers of products: for each entry of the matrix (−1: no entry), and of the products (−2: unused)."""
    rows = np.repeat(np.arange(C.pattern.rows), np.diff(on_cpu(C.pattern.indptr)))
    at = on_cpu(C.recovery.source).copy()
    for level in C.recovery.levels:
        at[on_cpu(level.entries)] = at[on_cpu(level.mirror)] = on_cpu(level.source)
    right, parts, begin = C.products[0], [], 0
    number = np.empty(len(at), np.int64)
    for i, shape in enumerate(C.shapes):
        size = shape[0] * shape[1]
        part, here = np.full(size, -2), (at >= begin) & (at < begin + size)
        by_rows = i == 1 or C.partition == "rows"
        local = at[here] - begin
        product = right + local // max(shape[1], 1) if by_rows else local % max(shape[1], 1)
        number[here] = part[local] = product
        parts.append(part.reshape(shape))
        begin += size
    matrix = np.full(C.pattern.shape, -1)
    matrix[rows, on_cpu(C.pattern.indices)] = number
    return matrix, parts


def _draw(ax: Any, numbers: np.ndarray, title: str, k: int) -> None:
    """Draw a square for each number, in the hue of the number."""
    from matplotlib.colors import ListedColormap

    scale = ListedColormap([UNUSED, EMPTY, *(hues(k) if k else HUES[:1])])
    ax.imshow(numbers, cmap=scale, vmin=-2.5, vmax=k - 0.5 if k else 0.5, interpolation="nearest")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_title(title, fontsize=10, color=INK)
    if max(numbers.shape) <= 60:  # lines between the squares
        ax.set_xticks(np.arange(numbers.shape[1] + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(numbers.shape[0] + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="#EEEEEE", linewidth=0.6)
        ax.tick_params(which="minor", length=0)
