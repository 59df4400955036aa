"""Incomplete factors on a GPU: a launch per color, a group of lanes per row.

As in cpu.py, entries below the diagonal are not divided by the pivot, and pivots are inverted. Nothing is checked here:
a zero pivot results in numbers that are not finite, and the caller names the row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from .slices import C_TYPES

SOURCE = dev.Source(__file__, "factor.cu", block=128)
MOST_LANES = 32


def factor(S: Any, lower: Any, upper: Any, diagonal: Any, mirror: Any) -> Any:
    """Factor `lower` and `upper` in place by ILU(0), or DILU with `mirror`; return the inverted pivots."""
    L, U, pivot, lanes = S.lower, S.upper, diagonal.copy(), lanes_of_row(S)
    args: tuple[Any, ...] = (L.indptr, L.indices, lower, U.indptr, U.indices, upper)
    if mirror is not None:
        args = (L.indptr, L.indices, lower, mirror, upper)
    run, name = _kernels(S, diagonal), "ilu0" if mirror is None else "dilu"
    for first, last in zip(S.offsets[:-1].tolist(), S.offsets[1:].tolist(), strict=True):
        run.launch(name, (last - first) * lanes, np.int32(first), np.int32(last), *args, pivot)
    return pivot


def inverses(blocks: Any) -> Any:
    """Return the inverses of numbers, shape (n,), or small matrices, shape (n, b, b); not finite if singular."""
    found = blocks.copy()
    b = blocks.shape[1] if blocks.ndim == 3 else 1
    run = SOURCE.of(OFFSET_BITS=32, LANES=1, BLOCK_SIZE=b, VALUE=C_TYPES[blocks.dtype.name])
    run.launch("inverses", len(found), np.int64(len(found)), found)
    return found


def all_good(S: Any, blocks: Any, pivots: Any) -> bool:
    """Whether the inverse pivots of diagonal blocks have correct digits left: one launch and one wait.

    Good pivots are also good for `lagcolor.solvers.pivots.check_scale`, which uses moduli instead of sums of real and
    imaginary parts.
    """
    return not _kernels(S, blocks).read("check", S.n, np.int64(S.n), blocks, pivots, count=1)[0]


def _kernels(S: Any, diagonal: Any) -> Any:
    """Return the kernels for a matrix."""
    value = C_TYPES[diagonal.dtype.name]
    return SOURCE.of(S.lower.indptr, LANES=lanes_of_row(S), BLOCK_SIZE=S.block_size, VALUE=value)


def lanes_of_row(S: Any) -> int:
    """Return the lanes per row: about the mean number of entries above the diagonal, a power of two, up to a warp."""
    mean = len(S.upper.indices) // max(S.n, 1)
    return int(min(MOST_LANES, 1 << mean.bit_length()))
