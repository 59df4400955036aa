"""The order of vertices by keys that follow from a vertex's global id, and at most its degree or the user's number.

A partition orders its vertices and its ghosts without seeing any other vertex, and all partitions agree. The vertex of
the smaller key is earlier; no two vertices have one key. In each order the permutation is that of `lagcolor.ORDERS`.

=====================  =====================================  ================================
order                  first by                               then by
=====================  =====================================  ================================
natural                                                       id
random                                                        hash
random_spread                                                 hash of its run of 32 ids
largest_first          degree                                 id, or hash
largest_log_first      logarithm of the degree                id, or hash
largest_first_spread   degree                                 group by hash of its run, then id
user                   the user's number                      id, or hash
=====================  =====================================  ================================

The other orders are defined by a process over the whole graph (vertices are removed, or taken, one after the other or
in rounds), so that the place of a vertex depends on all of it: make such an order first, and pass it as an array.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import OptionError
from ..core.options import known
from ..orders import BY_DEGREE, BY_ID, ORDERS
from ..orders.degree import MOST_BITS, NTH, RUN, bits
from ..orders.ties import mix

ID_BITS = 32  # of an id that are hashed
SIGN = np.uint64(1 << 63)
AT_DISTANCE_1 = (*BY_ID, *BY_DEGREE)
AT_DISTANCE_2 = (*BY_ID, "largest_first")


class Keys(NamedTuple):
    """Keys of some vertices, two arrays of uint64: compared by the first, and equal ones by the second."""

    major: Any
    minor: Any

    def places(self) -> np.ndarray:
        """The position of each in their order: int32."""
        place = np.empty(len(self.minor), np.int32)
        place[np.lexsort((self.minor, self.major))] = np.arange(len(place), dtype=np.int32)
        return place

    def up_to(self, last: tuple[int, int]) -> np.ndarray:
        """Which of them are at most `last`: a mask."""
        major, minor = np.uint64(last[0]), np.uint64(last[1])
        return (self.major < major) | ((self.major == major) & (self.minor <= minor))


@dataclass(frozen=True)
class GlobalOrder:
    """An order that is known everywhere.

    Attributes
    ----------
    name : str
        One of `AT_DISTANCE_1`, or "user".
    seed : int or None
        As of `lagcolor.color`.
    values : array, optional
        Degrees (at distance 2: how many other vertices constrain a vertex), or the user's numbers, by global id; or
        anything that gives them for an array of ids by ``values[ids]``. None where the order reads none.
    """

    name: str
    seed: int | None = None
    values: Any = None

    @classmethod
    def of(cls, order: Any, seed: int | None, degrees: Any, hops: int = 1) -> GlobalOrder:
        """That of a name, or of an array of priorities of all vertices, the larger first."""
        if not isinstance(order, str):
            return cls("user", seed, order)
        name, usable = known(order, ORDERS) or order, AT_DISTANCE_1 if hops == 1 else AT_DISTANCE_2
        if name not in usable:
            raise OptionError(
                f"order {order!r} is not made in partitions: a vertex's place in it depends on the whole graph. There "
                f"are {', '.join(usable)}; or pass an array of priorities, such as "
                "lagcolor.Priorities.of(graph, order).p"
            )
        return cls(name, seed, degrees() if name in BY_DEGREE else None)

    def keys(self, ids: np.ndarray) -> Keys:
        """Keys of the vertices with these global ids (int64)."""
        run = ids // RUN
        nth = NTH[ids % RUN].astype(np.uint64)
        if self.name == "random_spread":
            return Keys(np.zeros(len(ids), np.uint64), hashed(run, self.seed or 0, 5) | nth)
        minor = ids.astype(np.uint64)
        if self.name == "random" or (self.seed is not None and self.name != "natural"):
            minor = hashed(ids, self.seed or 0)
        if self.values is None:
            return Keys(np.zeros(len(ids), np.uint64), minor)
        values = np.asarray(self.values[ids])
        if self.name == "largest_log_first":
            values = np.frexp(np.maximum(values - 1, 0).astype(np.float64))[1]
        elif self.name == "largest_first_spread":
            width = bits(65)[np.minimum(values, 64)].astype(np.uint32)
            group = (mix(np, run, self.seed or 0) >> (np.uint32(32) - width)).astype(np.uint64)
            minor = group << np.uint64(64 - MOST_BITS) | (run * RUN).astype(np.uint64) | nth
        return Keys(descending(values), minor)


def hashed(ids: np.ndarray, seed: int, room: int = 0) -> np.ndarray:
    """uint64 that rise as the hash falls, for each id another one; the lowest `room` bits are 0.

    The hash is that of `lagcolor.orders`, of the lower half of an id; the upper half breaks ties of that.
    """
    low = (~mix(np, ids, seed)).astype(np.uint64)
    return low << np.uint64(32) | (ids.astype(np.uint64) >> np.uint64(ID_BITS)) << np.uint64(room)


def descending(values: np.ndarray) -> np.ndarray:
    """uint64 that rise as the numbers fall, equal for equal ones; whole numbers, truth values or floats."""
    if values.dtype.kind == "f":
        as_bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # −0.0 becomes 0.0
        return ~np.where(as_bits & SIGN != 0, ~as_bits, as_bits | SIGN)
    if values.dtype.kind == "i":
        return ~(values.astype(np.int64).view(np.uint64) ^ SIGN)
    return ~values.astype(np.uint64)
