"""How far kernels count in int32: offsets into the entries of a matrix, and its rows and columns.

Loops along a row add the step of a warp or a block before they compare with the end: up to some thousand past it, and
never 2¹⁶, so that what ends under 2³¹ − 2¹⁶ does not wrap around. Steps of a whole grid are counted in 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

INT32_LIMIT = 2**31 - 2**16  # offsets of so many entries are int64
MOST_ROWS = 2**31 - 2**16  # and columns


def offset_type(entries: int) -> Any:
    """int32, or int64 for offsets into `INT32_LIMIT` entries and more."""
    return np.int32 if entries < INT32_LIMIT else np.int64
