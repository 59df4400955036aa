"""What the methods of `lagcolor.solvers` are, in plain Python: dense matrices of blocks as lists, row after row.

No array library computes anything here, and each method is written from its definition: sweeps relax one block row
after the other, IC(0) looks to the left where the library's ILU(0) looks to the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Block = list[list[complex]]
Blocks = list[list[Block]]
Vector = list[list[complex]]  # by block row


def split(dense: Sequence[Sequence[complex]], order: Sequence[int], b: int) -> Blocks:
    """The rows and columns of a matrix in an order, as b × b blocks."""
    n = len(order) // b
    return [
        [[[dense[order[i * b + p]][order[j * b + q]] for q in range(b)] for p in range(b)] for j in range(n)]
        for i in range(n)
    ]


def times(X: Block, Y: Block) -> Block:
    return [[sum(x * y[q] for x, y in zip(row, Y, strict=True)) for q in range(len(Y[0]))] for row in X]


def minus(X: Block, Y: Block) -> Block:
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(X, Y, strict=True)]


def of(X: Block, x: list[complex]) -> list[complex]:
    """X x."""
    return [sum(a * y for a, y in zip(row, x, strict=True)) for row in X]


def less(x: list[complex], y: list[complex]) -> list[complex]:
    return [p - q for p, q in zip(x, y, strict=True)]


def adjoint(X: Block) -> Block:
    return [[complex(row[q]).conjugate() for row in X] for q in range(len(X))]


def inverse(X: Block) -> Block:
    """By elimination, with the largest pivot of each column."""
    b = len(X)
    rows = [[*row, *(float(p == q) for q in range(b))] for p, row in enumerate(X)]
    for k in range(b):
        best = max(range(k, b), key=lambda p: abs(rows[p][k]))
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for p in range(b):
            if p != k:
                factor = rows[p][k]
                rows[p] = [x - factor * y for x, y in zip(rows[p], rows[k], strict=True)]
    return [row[b:] for row in rows]


def relaxed(A: Blocks, x: Vector, r: Vector, omega: float, turns: Sequence[int]) -> Vector:
    """x after x_i ← (1 − ω) x_i + ω A_ii⁻¹ (r_i − Σ A_ij x_j), in these turns."""
    x = list(x)
    for i in turns:
        rest = r[i]
        for j in range(len(A)):
            if j != i:
                rest = less(rest, of(A[i][j], x[j]))
        x[i] = [(1 - omega) * p + omega * q for p, q in zip(x[i], of(inverse(A[i][i]), rest), strict=True)]
    return x


def turns(sweep: str, n: int) -> list[int]:
    """Block rows of one sweep."""
    up = list(range(n))
    return {"forward": up, "backward": up[::-1], "symmetric": up + up[::-1]}[sweep]


def ilu0(A: Blocks, has: Sequence[Sequence[bool]], r: Vector) -> Vector:
    """(L U)⁻¹ r, with L U = A wherever that has a block."""
    n, a = len(A), [list(row) for row in A]
    for i in range(n):
        for k in range(i):
            if has[i][k]:
                a[i][k] = times(a[i][k], inverse(a[k][k]))
                for j in range(k + 1, n):
                    if has[i][j]:
                        a[i][j] = minus(a[i][j], times(a[i][k], a[k][j]))
    z = list(r)
    for i in range(n):
        for j in range(i):
            z[i] = less(z[i], of(a[i][j], z[j]))
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            z[i] = less(z[i], of(a[i][j], z[j]))
        z[i] = of(inverse(a[i][i]), z[i])
    return z


def dilu(A: Blocks, has: Sequence[Sequence[bool]], r: Vector) -> Vector:
    """((D + L) D⁻¹ (D + U))⁻¹ r, with D such that the product has A's diagonal."""
    n = len(A)
    D: list[Block] = []  # inverted
    for i in range(n):
        pivot = A[i][i]
        for k in range(i):
            pivot = minus(pivot, times(times(A[i][k], D[k]), A[k][i]))
        D.append(inverse(pivot))
    z = list(r)
    for i in range(n):
        for j in range(i):
            z[i] = less(z[i], of(A[i][j], z[j]))
        z[i] = of(D[i], z[i])
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            z[i] = less(z[i], of(times(D[i], A[i][j]), z[j]))
    return z


def ic0(A: Blocks, has: Sequence[Sequence[bool]], r: Vector) -> Vector:
    """(L D Lᴴ)⁻¹ r, of the triangle below the diagonal: row by row, looking left."""
    n = len(A)
    L: dict[tuple[int, int], Block] = {}
    D: list[Block] = []
    for i in range(n):
        for k in range(i + 1):
            if not has[i][k]:
                continue
            rest = A[i][k]
            for m in range(k):
                if (i, m) in L and (k, m) in L:
                    rest = minus(rest, times(times(L[i, m], D[m]), adjoint(L[k, m])))
            if k < i:
                L[i, k] = times(rest, inverse(D[k]))
            else:
                D.append(rest)
    z = list(r)
    for i, j in sorted(L):
        z[i] = less(z[i], of(L[i, j], z[j]))
    z = [of(inverse(pivot), x) for pivot, x in zip(D, z, strict=True)]
    for i, j in sorted(L, reverse=True):
        z[j] = less(z[j], of(adjoint(L[i, j]), z[i]))
    return z


def grouped(x: Any, order: Sequence[int], b: int) -> Vector:
    """A vector in an order, by block row."""
    return [[x[order[i * b + p]] for p in range(b)] for i in range(len(order) // b)]


def put_back(x: Vector, order: Sequence[int]) -> list[complex]:
    """And back."""
    out: list[complex] = [0] * len(order)
    for place, value in zip(order, (p for row in x for p in row), strict=True):
        out[place] = value
    return out
