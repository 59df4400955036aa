"""Patterns and graphs for distance 2, columns and rows; what they must be colored like, from dense matrices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from corpus import CORPUS, graph, neighbors
from patterns import SHAPES, pattern

from lagcolor import Pattern
from lagcolor.problems import PROBLEMS

TWO_HOP = ("columns", "rows", "distance2")


def of_dense(a: Any) -> Pattern:
    """The pattern of a dense matrix."""
    a = np.asarray(a) != 0
    return Pattern.of(np.nonzero(a), shape=a.shape)


def random_pattern(rows: int, columns: int, entries: int, seed: int) -> Pattern:
    """Up to so many random entries."""
    r = np.random.default_rng(seed)
    some = entries if rows and columns else 0
    return Pattern.of((r.integers(0, max(rows, 1), some), r.integers(0, max(columns, 1), some)), shape=(rows, columns))


GRAPHS = tuple(name for name in CORPUS if name != "clique 1100")


def cases(problem: str) -> tuple[str, ...]:
    """Names of what is colored."""
    return GRAPHS if PROBLEMS[problem].symmetric else (*SHAPES, "grid", "rmat")


def case(problem: str, name: str) -> Pattern:
    """The graph or pattern of a name."""
    return pattern(name) if name in SHAPES else graph(name)


def size(problem: str, P: Pattern) -> int:
    """Number of vertices."""
    return P.columns if problem == "columns" else P.rows


def nets_of(problem: str, P: Pattern) -> np.ndarray:
    """Which nets each vertex is in: a dense matrix."""
    a = np.zeros(P.shape, np.float32)
    a[np.repeat(np.arange(P.rows), np.diff(P.indptr)), P.indices] = 1
    if problem == "distance2":
        a += np.eye(P.rows, dtype=np.float32)
    return a.T if problem == "columns" else a


def apart(problem: str, P: Pattern) -> np.ndarray:
    """Which vertices constrain each other: a symmetric mask, from products of dense matrices."""
    a = nets_of(problem, P)
    near = a @ a.T > 0
    np.fill_diagonal(near, False)
    return near


def first_fit(problem: str, P: Pattern, sequence: Iterable[int]) -> list[int]:
    """The oracle."""
    a = nets_of(problem, P)
    from lagcolor.engines.two_hop.plain import partial_distance2  # the contract uses public names alone

    return partial_distance2(neighbors(a), neighbors(a.T), sequence)
