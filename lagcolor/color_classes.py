"""Colors, and the vertices of each: what every kind of result offers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import device as dev
from .errors import ColoringError

MOST_COLORS = 1 << 27  # of which arrays with an entry per color are made where there are fewer vertices


class ColorClasses:
    """Base of results: reads `colors` (int32, −1 = none) and keeps their number in `_n_colors`."""

    colors: Any
    _n_colors: int | None

    @property
    def n_colors(self) -> int:
        """The largest color and 1, so that colors are 0 … n_colors − 1; `n_used` of them where rules cause gaps."""
        if self._n_colors is None:
            with dev.using(self.colors):
                self._n_colors = int(self.colors.max()) + 1 if len(self.colors) else 0
        return self._n_colors

    @property
    def n_used(self) -> int:
        """Number of different colors in use: `n_colors`, less those under the largest that no vertex has."""
        with dev.using(self.colors):
            return dev.distinct(self.colors[self.colors >= 0])

    @property
    def device(self) -> str:
        """Where the colors live."""
        return dev.device_of(self.colors)

    @property
    def class_sizes(self) -> Any:
        """Vertices of each color, 0 for one in no use: int64, shape (n_colors,), on the device of the colors.

        Raises
        ------
        ColoringError
            There are more colors than vertices and over 2²⁷, because of a large fixed color.
        """
        self._refuse_many_classes("class_sizes")
        with dev.using(self.colors):
            return dev.counts(self.colors[self.colors >= 0], self.n_colors)

    def _refuse_many_classes(self, what: str) -> None:
        """Nothing, unless an array with an entry per color would be huge for what is colored."""
        if self.n_colors > max(MOST_COLORS, len(self.colors)):
            raise ColoringError(
                f"{what} has an entry for each of {self.n_colors:,} colors, most of which no vertex has: "
                "numpy.unique(result.to_numpy(), return_counts=True) has those in use"
            )

    def groups(self) -> tuple[Any, Any]:
        """Vertices by color: ``vertices[offsets[c]:offsets[c + 1]]`` have color c.

        Returns
        -------
        offsets : array of int64, shape (n_colors + 1,)
        vertices : array of int32, ascending within a color; uncolored vertices are in none.
        """
        xp = dev.module_of(self.colors)
        with dev.using(self.colors):
            sizes = self.class_sizes
            offsets = xp.zeros(self.n_colors + 1, np.int64)
            offsets[1:] = xp.cumsum(sizes)
            return offsets, self.permutation()[: int(offsets[-1])]

    def permutation(self) -> Any:
        """The vertices, color by color (ascending id within one, uncolored last): int32, shape (n,).

        ``A[perm][:, perm]`` has one diagonal block per color.
        """
        xp = dev.module_of(self.colors)
        with dev.using(self.colors):
            key = xp.where(self.colors < 0, np.int32(self.n_colors), self.colors)
            if self.n_colors < 2**16:  # NumPy sorts 16 bits by radix
                key = key.astype(np.uint16)
            return xp.argsort(key, kind="stable").astype(np.int32)

    def said_colors(self, noun: str = "") -> str:
        """How many are in use, as people read it, and the largest where some under it are not."""
        return said_colors(self.n_used, self.n_colors - 1, noun)

    def to_numpy(self) -> np.ndarray:
        """The colors as a NumPy array, copied from the GPU where they are there."""
        return dev.to_device(self.colors, "cpu")

    def __len__(self) -> int:
        return len(self.colors)


def said_colors(used: int, largest: int, noun: str = "") -> str:
    """A number of colors, as people read it, and the largest where some under it are not in use."""
    return f"{used:,}{noun}" + (f" (the largest {largest:,})" if largest >= used else "")
