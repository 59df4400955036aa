"""Diagonal blocks: their inverses, and what is wrong where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GraphError
from .cpu_factors import invert_all
from .symbolic import Symbolic

PIVOT = ("a zero pivot", "a singular pivot")  # of numbers, of blocks


def inverse(xp: Any, blocks: Any) -> Any:
    """The inverse of each block, shape (n, b, b), or of each number; infinite or NaN where there is none."""
    if xp is not np:
        from .gpu.factors import inverses

        return inverses(blocks)
    if blocks.ndim == 1:
        with np.errstate(all="ignore"):
            return 1 / blocks
    out = np.empty_like(blocks)
    invert_all(blocks, out)
    return out


def adjoint(xp: Any, blocks: Any) -> Any:
    """The conjugate transpose of each block, or conjugate of each number."""
    turned = blocks if blocks.ndim == 1 else xp.swapaxes(blocks, 1, 2)
    return xp.ascontiguousarray(xp.conj(turned))


def positive_definite(xp: Any, blocks: Any) -> Any:
    """Whether each Hermitian block is, by elimination: bool, shape (n,)."""
    if blocks.ndim == 1:
        return blocks.real > 0
    rest, good = blocks.copy(), xp.ones(len(blocks), bool)
    with np.errstate(all="ignore"):
        for k in range(blocks.shape[1]):
            pivot = rest[:, k, k].real
            good &= pivot > 0
            rest -= rest[:, :, k, None] * rest[:, None, k] / pivot[:, None, None]
    return good


def check_scale(S: Symbolic, scale: Any, why: str, good: Any = None) -> None:
    """An error that names the first row, in the order of a forward sweep, whose inverse pivot is none.

    Parameters
    ----------
    S : Symbolic
    scale : array, shape (n,) or (n, b, b)
        By place. Rows of later colors may have been made with what is wrong.
    why : str
        What the row has, and the remedy.
    good : array of bool, shape (n,), optional
        What else is asked of it.
    """
    xp, flat = S.xp, scale.reshape(S.n, S.block_size**2)
    wrong = ~xp.isfinite(flat).all(axis=1) | (flat == 0).all(axis=1)
    if good is not None:
        wrong |= ~good
    places = xp.flatnonzero(wrong)
    if len(places):
        raise GraphError(f"{S.where(int(places[0]))} has {why}")
