"""Diagonal blocks: their inverses, and the errors about singular blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.errors import GraphError
from .cpu_loops import invert_all
from .symbolic import Symbolic

PIVOT = ("a zero pivot", "a singular pivot")  # for numbers, for blocks
LOST = 0.25  # bound of the estimated relative error over which the inverse of a block is only rounding


def inverse(xp: Any, blocks: Any) -> Any:
    """Return the inverse of each block, shape (n, b, b), or of each number; infinite or NaN if singular."""
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
    """Return the conjugate transpose of each block, or the conjugate of each number."""
    turned = blocks if blocks.ndim == 1 else xp.swapaxes(blocks, 1, 2)
    return xp.ascontiguousarray(xp.conj(turned))


def hermitian_part(xp: Any, blocks: Any) -> Any:
    """Return the mean of each block and its adjoint; both are halved first, because their sum may be out of range."""
    with np.errstate(all="ignore"):  # blocks may be inverses that are not finite
        half = blocks * blocks.dtype.type(0.5)
        return half + adjoint(xp, half)


def positive_definite(xp: Any, blocks: Any) -> Any:
    """Return whether each Hermitian block is positive definite, by elimination: bool, shape (n,)."""
    if blocks.ndim == 1:
        return blocks.real > 0
    rest, good = blocks.copy(), xp.ones(len(blocks), bool)
    with np.errstate(all="ignore"):
        for k in range(blocks.shape[1]):
            pivot = rest[:, k, k].real
            good &= pivot > 0
            column = rest[:, :, k] / pivot[:, None]  # divide first: a product of two entries may be out of range
            rest -= column[:, :, None] * rest[:, None, k]
    return good


def check_scale(S: Symbolic, scale: Any, diagonal: Any, why: Callable[[np.ndarray], str], good: Any = None) -> None:
    """Raise an error that names the first row, in the order of a forward sweep, without a good inverse pivot.

    An inverse pivot may be zero, not finite, or only rounding: Σ_j |s_ij a_ji|, which no scaling of rows or columns
    changes, estimates how many digits the inverse of a diagonal block or of its pivot has lost.
    """
    xp, b = S.xp, S.block_size
    if xp is not np and good is None:
        from .gpu.factors import all_good

        if all_good(S, diagonal, scale):
            return
    most = LOST / float(np.finfo(scale.dtype).eps)
    if b == 1 and xp is np and (good is None or good.all()):
        with np.errstate(all="ignore"):
            if ((abs(scale * diagonal) <= most) & (scale != 0)).all():
                return
    flat = scale.reshape(S.n, b**2)
    wrong = ~xp.isfinite(flat).all(axis=1) | (flat == 0).all(axis=1)
    if good is not None:
        wrong |= ~good
    blocks = diagonal.reshape(S.n, b, b)
    with np.errstate(all="ignore"):
        digits = (abs(scale.reshape(S.n, b, b)) * abs(xp.swapaxes(blocks, 1, 2))).sum(axis=2).reshape(S.n, b)
        wrong |= (digits > most).any(axis=1)
    places = xp.flatnonzero(wrong)
    if len(places):
        at = int(places[0])
        block = dev.to_device(blocks[at : at + 1], "cpu")[0]
        raise GraphError(f"{S.where(at)} has {out_of_range(block) if too_small(block) else why(block)}")


def too_small(block: np.ndarray) -> bool:
    """Whether all numbers of a row are so small that the block's inverse, times a factor under two, is out of range."""
    largest = abs(block).max(axis=1)
    return bool(((largest > 0) & (largest < 4 * np.finfo(block.dtype).tiny)).any())


def out_of_range(block: np.ndarray) -> str:
    """Return the error about a block whose inverse is out of range, with the remedy."""
    what = (
        f"{block.item()} on its diagonal" if len(block) == 1 else f"a diagonal block of {abs(block).max():.3g} at most"
    )
    return f"{what}, which has no inverse in {block.dtype}: scale the matrix"


def flipped(xp: Any, scale: Any, diagonal: Any) -> Any:
    """Return whether each pivot differs from its diagonal entry by an angle over 90 degrees: in sign, if real.

    For blocks: whether a definite Hermitian block has a pivot that is not definite. Other blocks have no sign.
    """
    if scale.ndim == 1:
        return (scale * diagonal).real < 0
    n, b, eps = len(scale), scale.shape[1], float(np.finfo(scale.dtype).eps)
    parts = diagonal - adjoint(xp, diagonal), diagonal
    skew, size = (abs(part).reshape(n, b * b).max(axis=1) for part in parts)
    wrong = xp.zeros(n, bool)
    for sign in (1, -1):
        pivot, block = (sign * hermitian_part(xp, part) for part in (scale, diagonal))
        wrong |= positive_definite(xp, block) & ~positive_definite(xp, pivot)
    return wrong & (skew <= eps**0.5 * size)
