"""When the turn of a vertex comes, from the vertex alone: for orders that a change of others does not reshuffle.

=======  =============================================================
BY_ID    the smaller id is earlier
BY_HASH  the larger hash of seed and id is earlier
BY_PLACE an array has the places
=======  =============================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...orders import Priorities
from ...orders.ties import seed_word

BY_ID, BY_HASH, BY_PLACE = range(3)


class Turns(NamedTuple):
    """How vertices are compared: one of the three kinds, the seed's word, and places (int32, empty where unused)."""

    kind: int
    word: np.uint32
    place: Any

    @classmethod
    def of(cls, p: Priorities) -> Turns:
        """Those of an order; the permutation is made only where neither id nor hash tells it."""
        xp = p.G.xp
        none = xp.empty(0, np.int32)
        if p.is_natural:
            return cls(BY_ID, np.uint32(0), none)
        if p.name == "random":
            return cls(BY_HASH, np.uint32(seed_word(p.seed or 0)), none)
        place = xp.empty(p.G.n, np.int32)
        place[p.sequence] = xp.arange(p.G.n, dtype=np.int32)
        return cls(BY_PLACE, np.uint32(0), place)
