"""Patterns for tests of derivatives, and integer matrices of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import scipy.sparse as sp

import lagcolor


def _pattern(dense: np.ndarray) -> lagcolor.Pattern:
    return lagcolor.Pattern.of(sp.csr_array(dense.astype(np.int8)))


def _random(rows: int, columns: int, density: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((rows, columns)) < density


def _rectangular() -> dict[str, np.ndarray]:
    arrow = np.eye(12, 12, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    band = np.abs(np.subtract.outer(np.arange(15), np.arange(15))) <= 2
    band[3] = True
    dense_column = _random(20, 9, 0.15, 2)
    dense_column[:, 4] = True
    dense_row = _random(9, 20, 0.15, 3)
    dense_row[5] = True
    gaps = _random(14, 11, 0.3, 4)
    gaps[[0, 5, 13]] = False
    gaps[:, [2, 10]] = False
    return {
        "no rows": np.zeros((0, 5), bool),
        "no columns": np.zeros((5, 0), bool),
        "nothing": np.zeros((0, 0), bool),
        "no entries": np.zeros((4, 6), bool),
        "one entry": np.ones((1, 1), bool),
        "one row": np.ones((1, 7), bool),
        "one column": np.ones((7, 1), bool),
        "dense": np.ones((6, 5), bool),
        "empty rows and columns": gaps,
        "dense row": dense_row,
        "dense column": dense_column,
        "arrow": arrow,
        "band and a row": band,
        "anti-diagonal": np.fliplr(np.eye(4, dtype=bool)),
        "tall": _random(60, 20, 0.08, 5),
        "wide": _random(20, 60, 0.08, 6),
        "over 64 colors": _random(9, 90, 0.85, 7),
    }


def _symmetric() -> dict[str, np.ndarray]:
    def of(upper: np.ndarray, diagonal: bool) -> np.ndarray:
        out = np.triu(upper, 1)
        out = out | out.T
        np.fill_diagonal(out, diagonal)
        return out

    n = 40
    ids = np.arange(n)
    near = np.abs(np.subtract.outer(ids, ids))
    path = (np.abs(np.subtract.outer(np.arange(6), np.arange(6))) == 1).astype(np.int8)
    grid = np.kron(np.eye(6, dtype=np.int8), path) + np.kron(path, np.eye(6, dtype=np.int8))
    some = of(_random(30, 30, 0.12, 8), False)
    some[[2, 7, 7], [2, 7, 7]] = True
    arrow = np.eye(12, dtype=bool)
    arrow[0] = arrow[:, 0] = True
    return {
        "nothing": np.zeros((0, 0), bool),
        "one vertex": np.ones((1, 1), bool),
        "no entries": np.zeros((5, 5), bool),
        "diagonal": np.eye(5, dtype=bool),
        "tridiagonal": near <= 1,
        "band": near <= 3,
        "band without diagonal": (near <= 3) & (near > 0),
        "arrow": arrow,
        "clique": np.ones((8, 8), bool),
        "star without diagonal": arrow & ~np.eye(12, dtype=bool),
        "cycle": of((near == 1) | (near == n - 1), True),
        "grid": of(grid != 0, True),
        "random": of(_random(50, 50, 0.1, 9), True),
        "some diagonal": some,
        "over 64 colors": of(_random(90, 90, 0.9, 10), True),
    }


class Patterns(Mapping[str, lagcolor.Pattern]):
    """Patterns of dense matrices. A test that reads one computes it. Collecting tests compiles nothing."""

    def __init__(self, dense: dict[str, np.ndarray]) -> None:
        self.dense, self.made = dense, dict[str, lagcolor.Pattern]()

    def __getitem__(self, name: str) -> lagcolor.Pattern:
        if name not in self.made:
            self.made[name] = _pattern(self.dense[name])
        return self.made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.dense)

    def __len__(self) -> int:
        return len(self.dense)


RECTANGULAR, SYMMETRIC = Patterns(_rectangular()), Patterns(_symmetric())


def integers(P: lagcolor.Pattern, seed: int, symmetric: bool = False, dtype: type = np.int64) -> sp.csr_array:
    """A random matrix of whole numbers other than zero, so that sums of them are exact."""
    values = np.random.default_rng(seed).integers(1, 1000, P.m).astype(dtype)
    A = sp.csr_array((values, P.indices.copy(), P.indptr.copy()), shape=P.shape)
    if symmetric:
        upper = sp.triu(A)
        A = sp.csr_array(upper + sp.triu(A, 1).T)
        A.sort_indices()
    return A
