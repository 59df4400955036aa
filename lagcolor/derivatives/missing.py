"""Find entries outside a pattern: compare products of the derivative and of the matrix with random vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.errors import GraphError

LINES = 64  # at most this number of differing lines are searched for the entry


def check(
    A: Any, product: Callable[[Any], Any], vectors: int, seed: int, rtol: float, transposed: bool = False
) -> None:  # fmt: skip
    """Raise an error that names an entry of the derivative outside the pattern of A, if products differ.

    `product` multiplies the derivative by a vector; A is the recovered CSR array. Both may be transposed.
    """
    rng, columns = np.random.default_rng(seed), A.shape[1]
    for _ in range(vectors):
        v = rng.uniform(1, 2, columns) * rng.choice([-1.0, 1.0], columns)  # away from 0: no entry is hidden
        difference, limit = np.abs(product(v) - A @ v), rtol * (abs(A) @ np.abs(v))
        if not np.isfinite(difference).all():
            raise GraphError("the derivative is not finite at these arguments: check it at other arguments")
        limit += rtol**2 * limit.max(initial=0.0)  # for lines without entries
        lines = np.flatnonzero(difference > limit)
        if len(lines):
            lines = lines[np.argsort(-difference[lines], kind="stable")]
            raise GraphError(_fault(A, product, (v, limit, lines), transposed))


def _fault(A: Any, product: Callable[[Any], Any], found: tuple[Any, Any, Any], transposed: bool) -> str:
    """Return the message for lines that differ, largest difference first; it names a missing entry if there is one."""
    v, limit, lines = found
    what = "column" if transposed else "row"
    for line in lines[:LINES].tolist():
        outside = np.ones(A.shape[1], bool)
        outside[A.indices[A.indptr[line] : A.indptr[line + 1]]] = False
        other = _largest(product, line, v, np.flatnonzero(outside), limit[line])
        if other is None:
            continue
        entry = product((np.arange(A.shape[1]) == other).astype(float))[line]
        return (
            f"entry {(other, line) if transposed else (line, other)} of the derivative is {entry:.6g} and not in the "
            "pattern, and is added to others or lost: compute the compression from a pattern that has it "
            f"({what}s that differ: {len(lines):,})"
        )
    return (
        f"{what} {lines[0]} of the derivative differs from the recovered one, and the pattern has all of its entries: "
        "the function is not deterministic, the compression is symmetric and the derivative is not, or rounding in "
        "this type explains the difference: then pass a larger rtol"
    )


def _largest(
    product: Callable[[Any], Any], line: int, v: np.ndarray, others: np.ndarray, limit: float
) -> int | None:  # fmt: skip
    """Return one of these columns with an entry in a line, or None: bisect, and go to the half with the larger sum."""

    def total(some: np.ndarray) -> Any:
        w = np.zeros_like(v)
        w[some] = v[some]
        return product(w)[line]

    if not len(others) or abs(whole := total(others)) <= limit:
        return None
    while len(others) > 1:
        first = others[: len(others) // 2]
        part = total(first)
        larger = abs(part) >= abs(whole - part)
        others, whole = (first, part) if larger else (others[len(first) :], whole - part)
    return int(others[0])
