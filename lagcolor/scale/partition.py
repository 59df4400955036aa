"""Who owns which vertex: ranges of ids.

Whatever the partition, the colors are the same; it decides how many colors are exchanged, and in how many rounds.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import OptionError

OwnerOf = Callable[[np.ndarray], np.ndarray]  # global ids (int64) → who owns each (int32)


def ranges(bounds: np.ndarray) -> OwnerOf:
    """Partition p owns the ids from ``bounds[p]`` to ``bounds[p + 1]`` − 1."""
    last = bounds[1:-1]
    return lambda ids: np.searchsorted(last, ids, side="right").astype(np.int32)


def refuse_others(by: Any, where: str) -> None:
    """Refuse partitions other than ranges of ids."""
    if not (isinstance(by, str) and by == "contiguous"):
        raise OptionError(
            f"by must be 'contiguous' {where}, where partitions are ranges of ids, not {reprlib.repr(by)}: number the "
            "vertices by their partition first, and pass order=priorities, the larger first, to keep the colors"
        )
