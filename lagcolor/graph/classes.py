"""Colors and their classes: the base of all kinds of results."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.errors import ColoringError
from ..base.messages import counted

MOST_COLORS = 1 << 27  # limit for arrays with an entry per color if there are fewer vertices


class ColorClasses:
    """Base of results: reads `colors` (int32, −1 = none) and caches their number in `_n_colors`.

    A result can be used as the array of its colors: ``numpy.asarray(result)``, ``result[v]``, ``len(result)``,
    iteration, `shape` and `dtype`. On a GPU CuPy and other libraries read it without a copy, through
    ``__cuda_array_interface__`` or DLPack; for NumPy use `to_numpy`, which copies. Two results are equal only if they
    are the same object; compare colors with ``numpy.array_equal``.
    """

    colors: Any
    _n_colors: int | None

    @property
    def n_colors(self) -> int:
        """The largest color plus one: colors are 0 … n_colors − 1. Rules may leave gaps; `n_used` counts used ones."""
        if self._n_colors is None:
            with dev.using(self.colors):
                self._n_colors = extremes.largest(self.colors) + 1
        return self._n_colors

    @property
    def n_used(self) -> int:
        """Number of different colors in use, which is `n_colors` if there are no gaps."""
        with dev.using(self.colors):
            return extremes.distinct(self.colors)

    @property
    def device(self) -> str:
        """The device of the colors: "cpu", "cuda:0" …."""
        return dev.device_of(self.colors)

    @property
    def shape(self) -> tuple[int]:
        """(n,), the shape of the array of colors."""
        return (len(self.colors),)

    @property
    def ndim(self) -> int:
        """1, the number of dimensions of the array of colors."""
        return 1

    @property
    def dtype(self) -> Any:
        """int32, the type of the array of colors."""
        return self.colors.dtype

    @property
    def class_sizes(self) -> Any:
        """Number of vertices of each color, 0 for unused ones: int64, shape (n_colors,), on the device of the colors.

        Raises
        ------
        ColoringError
            There are more colors than vertices, and over 2²⁷, because of a large fixed color.
        """
        self._refuse_many_classes("class_sizes")
        with dev.using(self.colors):
            return dev.counts(self.colors, self.n_colors)

    def _refuse_many_classes(self, what: str) -> None:
        """Raise an error if an array with an entry per color would be much larger than the array of colors."""
        if self.n_colors > max(MOST_COLORS, len(self.colors)):
            raise ColoringError(
                f"{what} has an entry for each of {self.n_colors:,} colors, and most are unused: "
                "numpy.unique(result.to_numpy(), return_counts=True) returns the colors in use"
            )

    def groups(self) -> tuple[Any, Any]:
        """Return the vertices by color: ``vertices[offsets[c]:offsets[c + 1]]`` have color c.

        Returns
        -------
        offsets : array of int64, shape (n_colors + 1,)
        vertices : array of int32, ascending within a color; uncolored vertices are left out.
        """
        xp = dev.module_of(self.colors)
        with dev.using(self.colors):
            self._refuse_many_classes("groups")
            if not len(self.colors):
                return xp.zeros(self.n_colors + 1, np.int64), xp.empty(0, np.int32)
            order = self.permutation()
            sorted_colors = self._keys()[order]
            offsets = xp.searchsorted(sorted_colors, xp.arange(self.n_colors + 1, dtype=sorted_colors.dtype))
            return offsets, order[: int(offsets[-1])]

    def permutation(self) -> Any:
        """Return the vertices, color by color (ascending id within a color, uncolored last): int32, shape (n,).

        ``A[perm][:, perm]`` has one diagonal block per color.
        """
        xp = dev.module_of(self.colors)
        with dev.using(self.colors):
            return xp.argsort(self._keys(), kind="stable").astype(np.int32)

    def _keys(self) -> Any:
        """Return colors in the narrowest type, with the number of colors for −1."""
        colors, narrow = self.colors, self.n_colors < 2**16  # NumPy sorts 16 bits by radix
        key = dev.module_of(colors).where(colors < 0, np.int32(self.n_colors), colors)
        return key.astype(np.uint16) if narrow else key

    def inverse_permutation(self) -> Any:
        """Return the position of each vertex in `permutation`: int32, shape (n,).

        For ``y = x[perm]``, ``y[inverse]`` equals x.
        """
        xp, order = dev.module_of(self.colors), self.permutation()
        with dev.using(self.colors):
            inverse = xp.empty_like(order)
            inverse[order] = xp.arange(len(order), dtype=order.dtype)
            return inverse

    @property
    def blocks(self) -> list[slice]:
        """Slices of `permutation` with the vertices of each color 0 … n_colors − 1.

        In ``B = A[perm][:, perm]`` the rows of a slice have only diagonal entries in the columns of the slice. So a
        sweep of Gauss–Seidel, ``x[rows] += (b[rows] - B[rows] @ x) / d[rows]`` for each slice `rows`, updates them at
        once. Uncolored vertices come after the last slice.

        Raises
        ------
        ColoringError
            See `class_sizes`.
        """
        offsets = [0, *np.cumsum(dev.to_device(self.class_sizes, "cpu")).tolist()]
        return [slice(begin, end) for begin, end in pairwise(offsets)]

    def said_colors(self, noun: str = "") -> str:
        """Return the number of used colors as text, with the largest color if there are gaps."""
        return said_colors(self.n_used, self.n_colors - 1, noun)

    def to_numpy(self) -> np.ndarray:
        """Return the colors as a NumPy array; a copy if they are on a GPU."""
        return dev.to_device(self.colors, "cpu")

    def __len__(self) -> int:
        return len(self.colors)

    def __getitem__(self, key: Any) -> Any:
        """Return colors by vertex number, like an array: ``result[3]``, ``result[:10]``, ``result[mask]``.

        Labels are not indices, because they may be numbers, too: use ``result.to_dict()[label]``.
        """
        if isinstance(key, str):
            raise IndexError(f"colors are indexed by numbers of vertices, not by {key!r}: use to_dict() for labels")
        with dev.using(self.colors):
            return self.colors[key]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the colors in the order of the vertices; colors on a GPU are copied once."""
        return iter(self.to_numpy())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the colors, without a copy if they are on the CPU and have this type."""
        if dev.is_cupy(self.colors):
            raise TypeError(
                f"these colors are on {self.device} and are not copied implicitly: use to_numpy() of the result for a "
                "copy, or cupy.asarray(result) without one"
            )
        if copy is False and dtype is not None and np.dtype(dtype) != self.colors.dtype:
            raise ValueError(f"colors are {self.colors.dtype}, and {np.dtype(dtype)} needs a copy: omit copy=False")
        return np.array(self.colors, dtype) if copy else np.asarray(self.colors, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The colors on a GPU, for CuPy, Numba and others."""
        if not dev.is_cupy(self.colors):
            raise AttributeError("__cuda_array_interface__: these colors are on the CPU")
        return self.colors.__cuda_array_interface__

    def __dlpack__(self, **how: Any) -> Any:
        """Return the colors for `from_dlpack` of NumPy, CuPy, torch and JAX."""
        return self.colors.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the kind and number of the device."""
        return self.colors.__dlpack_device__()


def said_colors(used: int, largest: int, noun: str = "") -> str:
    """Return a number of colors as text, with the largest color if there are gaps."""
    return (counted(used, noun) if noun else f"{used:,}") + (f" (the largest {largest:,})" if largest >= used else "")
