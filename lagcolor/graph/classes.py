"""Colors, and the vertices of each: what every kind of result offers."""

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
    """Base of results: reads `colors` (int32, −1 = none) and keeps their number in `_n_colors`.

    It stands for the array of its colors: ``numpy.asarray(result)``, ``result[v]``, ``len(result)``, iteration, `shape`
    and `dtype`. On a GPU CuPy and others take it through ``__cuda_array_interface__`` or DLPack, without a copy; NumPy
    does not, as it does not take CuPy's arrays: `to_numpy` copies. Two results are equal where they are the same
    object; colors are compared by ``numpy.array_equal``.
    """

    colors: Any
    _n_colors: int | None

    @property
    def n_colors(self) -> int:
        """The largest color and 1, so that colors are 0 … n_colors − 1; `n_used` of them where rules cause gaps."""
        if self._n_colors is None:
            with dev.using(self.colors):
                self._n_colors = extremes.largest(self.colors) + 1
        return self._n_colors

    @property
    def n_used(self) -> int:
        """Number of different colors in use: `n_colors`, less those under the largest that no vertex has."""
        with dev.using(self.colors):
            return extremes.distinct(self.colors)

    @property
    def device(self) -> str:
        """Where the colors live."""
        return dev.device_of(self.colors)

    @property
    def shape(self) -> tuple[int]:
        """(n,), as of the array of colors."""
        return (len(self.colors),)

    @property
    def ndim(self) -> int:
        """1."""
        return 1

    @property
    def dtype(self) -> Any:
        """int32, as of the array of colors."""
        return self.colors.dtype

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
            return dev.counts(self.colors, self.n_colors)

    def _refuse_many_classes(self, what: str) -> None:
        """Nothing, unless an array with an entry per color would be huge for what is colored."""
        if self.n_colors > max(MOST_COLORS, len(self.colors)):
            raise ColoringError(
                f"{what} has an entry for each of {self.n_colors:,} colors, and most are unused: "
                "numpy.unique(result.to_numpy(), return_counts=True) has the colors in use"
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
            self._refuse_many_classes("groups")
            if not len(self.colors):
                return xp.zeros(self.n_colors + 1, np.int64), xp.empty(0, np.int32)
            order = self.permutation()
            sorted_colors = self._keys()[order]
            offsets = xp.searchsorted(sorted_colors, xp.arange(self.n_colors + 1, dtype=sorted_colors.dtype))
            return offsets, order[: int(offsets[-1])]

    def classes(self) -> list[Any]:
        """The vertices of each color.

        Returns
        -------
        list of `n_colors` arrays of int32
            Ascending vertices, on the device of the colors. They are views of the second array of `groups`.
        """
        offsets, vertices = self.groups()
        return [vertices[begin:end] for begin, end in pairwise(dev.to_device(offsets, "cpu").tolist())]

    def permutation(self) -> Any:
        """The vertices, color by color (ascending id within one, uncolored last): int32, shape (n,).

        ``A[perm][:, perm]`` has one diagonal block per color.
        """
        xp = dev.module_of(self.colors)
        with dev.using(self.colors):
            return xp.argsort(self._keys(), kind="stable").astype(np.int32)

    def _keys(self) -> Any:
        """Colors in the narrowest type, with the number of colors for none."""
        colors, narrow = self.colors, self.n_colors < 2**16  # NumPy sorts 16 bits by radix
        key = dev.module_of(colors).where(colors < 0, np.int32(self.n_colors), colors)
        return key.astype(np.uint16) if narrow else key

    def inverse_permutation(self) -> Any:
        """Where each vertex is in `permutation`: int32, shape (n,).

        ``y[inverse]`` has the entries of ``y = x[perm]`` in the order of the vertices again.
        """
        xp, order = dev.module_of(self.colors), self.permutation()
        with dev.using(self.colors):
            inverse = xp.empty_like(order)
            inverse[order] = xp.arange(len(order), dtype=order.dtype)
            return inverse

    @property
    def blocks(self) -> list[slice]:
        """Where the vertices of each color are in `permutation`: a slice for each of the colors 0 … n_colors − 1.

        In ``B = A[perm][:, perm]`` the rows of one slice have no entry in its columns but the diagonal, so that a sweep
        of Gauss–Seidel, ``x[rows] += (b[rows] - B[rows] @ x) / d[rows]`` for each slice `rows`, updates them at once.
        Vertices without a color come after the last slice.

        Raises
        ------
        ColoringError
            See `class_sizes`.
        """
        offsets = [0, *np.cumsum(dev.to_device(self.class_sizes, "cpu")).tolist()]
        return [slice(begin, end) for begin, end in pairwise(offsets)]

    def _counted_colors(self, noun: str = "") -> str:
        """How many are in use, as people read it, and the largest where some under it are not."""
        return counted_colors(self.n_used, self.n_colors - 1, noun)

    def to_numpy(self) -> np.ndarray:
        """The colors as a NumPy array, copied from the GPU where they are there."""
        return dev.to_device(self.colors, "cpu")

    def __len__(self) -> int:
        return len(self.colors)

    def __getitem__(self, key: Any) -> Any:
        """Colors by the numbers of vertices, as of an array of them: ``result[3]``, ``result[:10]``, ``result[mask]``.

        Labels are no indices, for they may be numbers, too: ``result.to_dict()[label]``.
        """
        if isinstance(key, str):
            raise IndexError(f"colors are indexed by numbers of vertices, not by {key!r}: to_dict() has them by label")
        with dev.using(self.colors):
            return self.colors[key]

    def __iter__(self) -> Iterator[Any]:
        """The colors, in the order of the vertices; copied from a GPU once."""
        return iter(self.to_numpy())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The colors themselves where they are in the memory of the CPU and of that type."""
        if dev.is_cupy(self.colors):
            raise TypeError(
                f"these colors are on {self.device}, from where nothing is copied unasked: to_numpy() of the result "
                "does, and cupy.asarray(result) leaves them there"
            )
        if copy is False and dtype is not None and np.dtype(dtype) != self.colors.dtype:
            raise ValueError(f"colors are {self.colors.dtype}, and {np.dtype(dtype)} takes a copy: leave copy out")
        return np.array(self.colors, dtype) if copy else np.asarray(self.colors, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For CuPy, Numba and others, where the colors are on a GPU."""
        if not dev.is_cupy(self.colors):
            raise AttributeError("__cuda_array_interface__: these colors are on the CPU")
        return self.colors.__cuda_array_interface__

    def __dlpack__(self, **how: Any) -> Any:
        """For `from_dlpack` of NumPy, CuPy, torch and JAX."""
        return self.colors.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind and number of the device."""
        return self.colors.__dlpack_device__()


def counted_colors(used: int, largest: int, noun: str = "") -> str:
    """A number of colors, as people read it, and the largest where some under it are not in use."""
    return (counted(used, noun) if noun else f"{used:,}") + (f" (the largest {largest:,})" if largest >= used else "")
