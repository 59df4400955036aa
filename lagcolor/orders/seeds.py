"""Seeds of orders as users pass them: a number, None or "default"."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OptionError

DEFAULT_SEED = "default"
Seed = int | str | None


def resolve(seed: Any, default: int | None) -> int | None:
    """The seed that breaks ties: a number by its hash, None by vertex id; "default" is the `default` of the algorithm.

    Raises
    ------
    OptionError
        `seed` is something else.
    """
    if isinstance(seed, str) and seed == DEFAULT_SEED:
        return default
    if seed is None:
        return None
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise OptionError(
            f"seed must be a whole number from 0 to 2**64 - 1, None (ties by vertex id) or {DEFAULT_SEED!r}, "
            f"not {seed!r}"
        )
    return int(seed)


def stream(seed: Seed) -> int:
    """The number that seeds random choices other than ties: 0 for None and for "default"."""
    return resolve(seed, None) or 0
