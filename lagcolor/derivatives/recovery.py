"""Where in the products of a matrix its entries are: a gather, and for substitution levels of differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import device as dev


class Level(NamedTuple):
    """Entries that are known once those of the levels before have been subtracted.

    Attributes
    ----------
    source : array of int64, shape (l,)
        Where each of the level's values is in the products.
    target : array of int64, shape (l,)
        From where it is then subtracted.
    entries : array of int64, shape (l,)
        Its place among the stored entries.
    mirror : array of int64, shape (l,)
        That of the entry on the other side of the diagonal; the same place where there is none.
    """

    source: Any
    target: Any
    entries: Any
    mirror: Any


@dataclass(frozen=True)
class Recovery:
    """How the stored entries are recovered.

    Attributes
    ----------
    source : array of int64, shape (nnz,)
        Where each entry is in the products; of entries that a level gives, any place.
    levels : tuple of Level
        For substitution, in turn; none where decompression is direct.
    """

    source: Any
    levels: tuple[Level, ...] = ()

    def __call__(self, flat: Any) -> Any:
        """The stored entries, from the products in one dimension."""
        values = flat[self.source]
        if not self.levels:
            return values
        if type(flat).__module__.partition(".")[0] in ("jax", "jaxlib"):
            return self._functional(flat, values)
        rest = flat.copy()
        for level in self.levels:
            found = rest[level.source]
            values[level.entries] = found
            values[level.mirror] = found
            subtract_at(rest, level.target, found)
        return values

    def _functional(self, flat: Any, values: Any) -> Any:
        """The same for arrays that are never written to, as JAX has them."""
        for level in self.levels:
            found = flat[level.source]
            values = values.at[level.entries].set(found).at[level.mirror].set(found)
            flat = flat.at[level.target].add(-found)
        return values


def subtract_at(array: Any, places: Any, values: Any) -> None:
    """``array[place] -= value`` for each pair in place; places may repeat."""
    dev.module_of(array).subtract.at(array, places, values)
