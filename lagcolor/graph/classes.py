"""The base of all results: colors, and the vertices of each color."""

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
    """Base of results: reads `colors` (int32, −1 is uncolored) and caches their number in `_n_colors`.

    A result stands for the array of its colors: ``numpy.asarray(result)``, ``result[v]``, ``len(result)``, iteration,
    `shape` and `dtype`. On a GPU, CuPy and others read it through ``__cuda_array_interface__`` or DLPack, without a
    copy. NumPy refuses it, as it refuses CuPy's arrays; `to_numpy` copies. ``==`` compares identity;
    ``numpy.array_equal`` compares colors.
    """

    colors: Any
    convert_seconds: float
    order_seconds: float
    _n_colors: int | None

    @property
    def n_colors(self) -> int:
        """The largest color plus one. Colors are 0 … n_colors − 1; if rules cause gaps, `n_used` of them are in use."""
        if self._n_colors is None:
            with dev.using(self.colors):
                self._n_colors = extremes.largest(self.colors) + 1
        return self._n_colors

    @property
    def n_used(self) -> int:
        """Number of different colors in use: `n_colors` without the gaps."""
        with dev.using(self.colors):
            return extremes.distinct(self.colors)

    @property
    def device(self) -> str:
        """Device of the colors."""
        return dev.device_of(self.colors)

    @property
    def shape(self) -> tuple[int]:
        """Shape of the array of colors, (n,)."""
        return (len(self.colors),)

    @property
    def ndim(self) -> int:
        """Number of dimensions, 1."""
        return 1

    @property
    def dtype(self) -> Any:
        """Type of the array of colors, int32."""
        return self.colors.dtype

    @property
    def class_sizes(self) -> Any:
        """Number of vertices of each color: int64, shape (n_colors,), on the device of the colors.

        Raises
        ------
        ColoringError
            There are more colors than vertices, and over 2²⁷, because of a large fixed color.
        """
        self._refuse_many_classes("class_sizes")
        with dev.using(self.colors):
            return dev.counts(self.colors, self.n_colors)

    @property
    def _prepare_seconds(self) -> float:
        """Seconds of conversion and ordering."""
        return self.convert_seconds + self.order_seconds

    def _refuse_many_classes(self, what: str) -> None:
        """Raise an error if an array with an entry per color would be far larger than the colors."""
        if self.n_colors > max(MOST_COLORS, len(self.colors)):
            raise ColoringError(
                f"{what} has an entry for each of {self.n_colors:,} colors, and most are unused: "
                "numpy.unique(result.to_numpy(), return_counts=True) returns the colors in use"
            )

    def groups(self) -> tuple[Any, Any]:
        """Return the vertices sorted by color: ``vertices[offsets[c]:offsets[c + 1]]`` have color c.

        Returns
        -------
        offsets : array of int64, shape (n_colors + 1,)
            Place of the first vertex of each color, and the number of colored vertices.
        vertices : array of int32
            Ascending within a color; without uncolored vertices.
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

    def classes(self) -> list[Any]:
        """Return the vertices of each color.

        Returns
        -------
        list of `n_colors` arrays of int32
            Ascending vertices, on the device of the colors. They are views of the second array of `groups`.
        """
        offsets, vertices = self.groups()
        return [vertices[begin:end] for begin, end in pairwise(dev.to_device(offsets, "cpu").tolist())]

    def permutation(self) -> Any:
        """Return the vertices sorted by color, then by number, uncolored ones last: int32, shape (n,).

        ``A[perm][:, perm]`` has one diagonal block per color.
        """
        xp = dev.module_of(self.colors)
        with dev.using(self.colors):
            return xp.argsort(self._keys(), kind="stable").astype(np.int32)

    def _keys(self) -> Any:
        """Colors as sort keys in the narrowest type; uncolored vertices have `n_colors`."""
        colors, narrow = self.colors, self.n_colors < 2**16  # NumPy sorts 16 bits by radix
        key = dev.module_of(colors).where(colors < 0, np.int32(self.n_colors), colors)
        return key.astype(np.uint16) if narrow else key

    def inverse_permutation(self) -> Any:
        """Return the place of each vertex in `permutation`: int32, shape (n,).

        For ``y = x[perm]``, ``y[inverse]`` equals x.
        """
        xp, order = dev.module_of(self.colors), self.permutation()
        with dev.using(self.colors):
            inverse = xp.empty_like(order)
            inverse[order] = xp.arange(len(order), dtype=order.dtype)
            return inverse

    @property
    def blocks(self) -> list[slice]:
        """Places of the vertices of each color in `permutation`: a list of `n_colors` slices.

        In ``B = A[perm][:, perm]`` the rows of a slice have only diagonal entries in the columns of the slice. A sweep
        of Gauss–Seidel, ``x[rows] += (b[rows] - B[rows] @ x) / d[rows]`` for each slice `rows`, updates them at once.
        Uncolored vertices come after the last slice.

        Raises
        ------
        ColoringError
            See `class_sizes`.
        """
        offsets = [0, *np.cumsum(dev.to_device(self.class_sizes, "cpu")).tolist()]
        return [slice(begin, end) for begin, end in pairwise(offsets)]

    def to_numpy(self) -> np.ndarray:
        """Return the colors as a NumPy array; colors on a GPU are copied."""
        return dev.to_device(self.colors, "cpu")

    def __len__(self) -> int:
        return len(self.colors)

    def __getitem__(self, key: Any) -> Any:
        """Colors by number of the vertex, slice or mask: ``result[3]``, ``result[:10]``, ``result[mask]``.

        Labels are no indices, because they may be numbers: ``result.to_dict()[label]``.
        """
        if isinstance(key, str):
            raise IndexError(f"colors are indexed by numbers of vertices, not by {key!r}: use to_dict() for labels")
        with dev.using(self.colors):
            return self.colors[key]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the colors, in the order of the vertices; colors on a GPU are copied once."""
        return iter(self.to_numpy())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The array of colors, without a copy if it has the requested type and is on the CPU."""
        if dev.is_cupy(self.colors):
            raise TypeError(
                f"these colors are on {self.device}, and NumPy does not copy them implicitly: call result.to_numpy() "
                "for a copy, or cupy.asarray(result) for the array on the GPU"
            )
        if copy is False and dtype is not None and np.dtype(dtype) != self.colors.dtype:
            raise ValueError(f"colors are {self.colors.dtype}, and {np.dtype(dtype)} needs a copy: omit copy=False")
        return np.array(self.colors, dtype) if copy else np.asarray(self.colors, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The interface for CuPy, Numba and others, if the colors are on a GPU."""
        if not dev.is_cupy(self.colors):
            raise AttributeError("__cuda_array_interface__: these colors are on the CPU")
        return self.colors.__cuda_array_interface__

    def __dlpack__(self, **how: Any) -> Any:
        """The colors for `from_dlpack` of NumPy, CuPy, torch and JAX."""
        return self.colors.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Kind and number of the device."""
        return self.colors.__dlpack_device__()


def counted_colors(used: int, largest: int, noun: str = "") -> str:
    """A number of colors as text, with the largest color if there are gaps."""
    return (counted(used, noun) if noun else f"{used:,}") + (f" (the largest {largest:,})" if largest >= used else "")
