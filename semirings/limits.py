"""How far kernels count in int32: offsets into the entries of a matrix, and its rows and columns.

Loops add a step, of a group of threads or of a whole grid, before they compare with the end: up to some thousand past it.
None steps over 2¹⁶ past it, so that what ends under 2³¹ − 2¹⁶ does not wrap around.
"""

from __future__ import annotations

import numpy as np

INT32_LIMIT = 2**31 - 2**16  # offsets of so many entries are int64
MOST_ROWS = 2**31 - 2**16  # and columns


def offset_type(entries: int) -> type:
    """int32, or int64 for offsets into `INT32_LIMIT` entries and more."""
    return np.int32 if entries < INT32_LIMIT else np.int64
