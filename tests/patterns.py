"""Small rectangular patterns: name → (rows, columns, entries as pairs)."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

import lagcolor


def _random(rows: int, columns: int, m: int, seed: int) -> np.ndarray:
    r = np.random.default_rng(seed)
    return np.stack([r.integers(0, rows, m), r.integers(0, columns, m)])


def _band(n: int, w: int) -> np.ndarray:
    i = np.arange(n)
    return np.concatenate([[i[max(0, -d) : n - max(0, d)], i[max(0, d) : n + min(0, d)]] for d in range(-w, w + 1)], 1)


def _arrow(n: int) -> np.ndarray:
    i = np.arange(n)
    return np.concatenate([[i, i], [0 * i, i], [i, 0 * i]], axis=1)


SHAPES: dict[str, tuple[int, int, Callable[[], np.ndarray]]] = {
    "nothing": (0, 0, lambda: np.zeros((2, 0), int)),
    "no rows": (0, 5, lambda: np.zeros((2, 0), int)),
    "no columns": (4, 0, lambda: np.zeros((2, 0), int)),
    "no entries": (3, 4, lambda: np.zeros((2, 0), int)),
    "one entry": (1, 1, lambda: np.zeros((2, 1), int)),
    "empty rows and columns": (9, 11, lambda: 2 * _random(4, 5, 12, 1)),
    "dense row": (6, 20, lambda: np.concatenate([[np.zeros(20, int), np.arange(20)], _random(6, 20, 15, 2)], 1)),
    "dense column": (20, 6, lambda: np.concatenate([[np.arange(20), np.full(20, 3)], _random(20, 6, 15, 3)], 1)),
    "dense": (7, 5, lambda: np.indices((7, 5)).reshape(2, -1)),
    "arrow": (12, 12, lambda: _arrow(12)),
    "band": (15, 15, lambda: _band(15, 2)),
    "band plus arrow": (15, 15, lambda: np.concatenate([_band(15, 1), _arrow(15)], 1)),
    "anti-diagonal": (4, 4, lambda: np.stack([np.arange(4), 3 - np.arange(4)])),
    "wide": (20, 60, lambda: _random(20, 60, 150, 4)),
    "tall": (60, 20, lambda: _random(60, 20, 150, 5)),
    "square": (40, 40, lambda: _random(40, 40, 240, 6)),
    "many colors": (90, 95, lambda: _random(90, 95, 4000, 7)),
}


@functools.cache
def pattern(name: str) -> lagcolor.Pattern:
    """The canonical pattern of a row, on the CPU."""
    rows, columns, entries = SHAPES[name]
    i, j = entries()
    return lagcolor.Pattern.of((i, j), shape=(rows, columns))
