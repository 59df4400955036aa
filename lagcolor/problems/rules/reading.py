"""Rules as users write them, turned into the forms of `Rules`: shapes, types, ranges and names of vertices.

Every error is an OptionError that begins with the name of the rule.
"""

from __future__ import annotations

import functools
import math
import reprlib
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from semirings.sparse import fault, is_sparse

from ...base import device as dev
from ...base.errors import OptionError
from ...base.options import is_number, is_whole
from ..report import called

MOST = 2**31 - 2  # the largest color
LISTED = 1 << 26  # vertices times colors of lists of allowed colors, which are kept as what they exclude: 1.5 GB
EXACT = 2**53  # sums of whole numbers up to here are exact in float64


class NamedVertices:
    """What is colored, by the user's names; without `labels` they are called 0 … n − 1.

    Labels with a method `numbers` find names themselves, as names of edges do.
    """

    n: int
    labels: Any

    def __init__(self, n: int, labels: Any = None) -> None:
        self.n, self.labels = n, labels

    @functools.cached_property
    def _numbers(self) -> dict[Any, int]:
        return {label: i for i, label in enumerate(self.labels)}

    @property
    def are_edges(self) -> bool:
        """Whether they are edges of a graph."""
        return hasattr(self.labels, "numbers")

    @property
    def called(self) -> str:
        """What they are, in a message."""
        return "edges" if self.are_edges else "vertices"

    def numbers(self, rule: str, each: Iterable[Any]) -> np.ndarray:
        """The numbers of vertices, int64."""
        each = list(each)
        if not self.are_edges:
            return np.array([self.number(rule, name) for name in each], np.int64)
        numbers = self.labels.numbers(each)
        if len(unknown := np.flatnonzero(numbers < 0)):
            raise OptionError(f"{rule}: there is no edge {each[unknown[0]]!r}; keys are pairs (u, v) of ends")
        return numbers

    def number(self, rule: str, name: Any) -> int:
        """The number of a vertex."""
        if self.labels is not None:
            try:
                return self._numbers[name]
            except (KeyError, TypeError):
                raise OptionError(f"{rule}: there is no vertex {name!r}; keys are the labels of the graph") from None
        if is_whole(name) and 0 <= name < self.n:
            return int(name)
        raise OptionError(f"{rule}: there is no vertex {name!r}; keys are numbers from 0 to {self.n - 1}")

    def said(self, v: int) -> str:
        """A vertex in a message: its number, and the user's name where it has another."""
        return f"{'edge' if self.are_edges else 'vertex'} {called(v, self.labels)}"


def fixed(value: Any, whose: NamedVertices, device: str) -> Any:
    """Fixed colors, int32, shape (n,), −1 for none, on a device."""
    if isinstance(value, Mapping):
        return dev.to_device(by_name("fixed", value, whose), device)
    value = getattr(value, "colors", value)
    array = _array("fixed", value, "fixed must be an array with one entry per vertex, or a mapping")
    if array.shape != (whose.n,):
        raise OptionError(
            f"fixed must have shape ({whose.n},), one entry per vertex, not {tuple(array.shape)}; "
            "or pass a mapping from vertices to colors"
        )
    if array.dtype.kind not in "iu" and whose.n:
        raise OptionError(f"fixed must hold whole numbers, not {array.dtype}")
    array = dev.to_device(array, device)
    with dev.using(array):
        outside = dev.module_of(array).flatnonzero((array < -1) | (array > MOST))[:1].tolist()
        if outside:
            v = outside[0]
            raise OptionError(
                f"fixed: {whose.said(v)} has color {int(array[v])}: colors go from 0 to {MOST}, and -1 means free"
            )
        return dev.module_of(array).ascontiguousarray(array, np.int32)


def by_name(rule: str, value: Mapping[Any, Any], whose: NamedVertices) -> np.ndarray:
    """Colors of a mapping from vertices: int32, shape (n,), −1 for those that it does not have."""
    colors = np.full(whose.n, -1, np.int32)
    numbers = whose.numbers(rule, value)
    given = [_color(rule, color, f"of {name!r}", -1) for name, color in value.items()]
    _refuse_contradictions(rule, numbers, given, whose)
    colors[numbers] = given
    return colors


def _refuse_contradictions(rule: str, numbers: np.ndarray, values: Any, whose: NamedVertices) -> None:
    """An error where an edge is named twice, from either end or by its number, with different values."""
    order = np.argsort(numbers, kind="stable")
    numbers, values = numbers[order], np.fromiter(values, object, len(numbers))[order]
    for i in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
        a, b = values[i : i + 2]
        if not np.array_equal(a, b):
            raise OptionError(
                f"{rule}: {whose.said(int(numbers[i]))} is named twice, with {a!r} and {b!r}: leave one out"
            )


def lists(
    forbidden: Any, allowed: Any, most: int | None, whose: NamedVertices, device: str
) -> tuple[tuple[Any, Any] | None, int | None]:
    """What vertices may not have, by either rule, and how many colors there are: None where nothing says so.

    The lists are CSR: int64 offsets, int32 colors, rising and different within a row, on a device.
    """
    keys = []
    if forbidden is not None:
        rows, colors = _pairs("forbidden", forbidden, whose)
        keys.append(rows * (MOST + 1) + colors)
    if allowed is not None:
        key, most = _excluded(allowed, most, whose)
        keys.append(key)
    if not keys:
        return None, most
    key = keys[0]  # of `allowed` alone they rise
    if forbidden is not None:
        key = np.sort(np.concatenate(keys))
        key = key[np.append(True, key[1:] > key[:-1])] if len(key) else key
    offsets = np.searchsorted(key, np.arange(whose.n + 1, dtype=np.int64) * (MOST + 1)).astype(np.int64)
    return (dev.to_device(offsets, device), dev.to_device((key % (MOST + 1)).astype(np.int32), device)), most


def _excluded(allowed: Any, most: int | None, whose: NamedVertices) -> tuple[np.ndarray, int]:
    """Keys of the colors that lists of allowed colors exclude, and how many colors there are."""
    rows, colors = _pairs("allowed", allowed, whose)
    listed = np.ones(whose.n, bool)
    if isinstance(allowed, Mapping) and not is_sparse(allowed):
        listed[:] = False
        listed[whose.numbers("allowed", allowed)] = True
    if most is None:
        if not listed.all():
            v = int(np.flatnonzero(~listed)[0])
            raise OptionError(
                f"allowed: {whose.said(v)} has no list, so that the number of colors is open: pass max_colors, or a "
                "list for every vertex"
            )
        most = int(colors.max(initial=-1)) + 1
    vertices = np.flatnonzero(listed)
    if len(vertices) * most > LISTED:
        raise OptionError(
            f"allowed: {len(vertices):,} lists among {most:,} colors are over {LISTED:,} pairs: number the colors that "
            "occur from 0 on, or pass what is forbidden"
        )
    number, inside = np.cumsum(listed) - 1, colors < most
    excluded = np.ones((len(vertices), most), bool)
    excluded[number[rows[inside]], colors[inside]] = False
    at, colors = np.nonzero(excluded)
    return vertices[at] * (MOST + 1) + colors, most


def _pairs(rule: str, value: Any, whose: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    """(vertex, color) of each entry of a mapping or a matrix, int64."""
    if isinstance(value, Mapping) and not is_sparse(value):  # SciPy's DOK matrices are both
        rows, colors = _pairs_of_mapping(rule, value, whose)
    else:
        rows, colors = _pairs_of_matrix(rule, value, whose)
    outside = np.flatnonzero((colors < 0) | (colors > MOST))[:1].tolist()
    if outside:
        v, c = int(rows[outside[0]]), int(colors[outside[0]])
        raise OptionError(f"{rule}: color {c} of {whose.said(v)}: colors go from 0 to {MOST}")
    return rows, colors


def _pairs_of_mapping(rule: str, value: Mapping[Any, Any], whose: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    rows, colors, numbers = [], [], whose.numbers(rule, value)
    if rule == "allowed":  # what is forbidden adds up
        _refuse_contradictions(rule, numbers, value.values(), whose)
    for v, (name, each) in zip(numbers.tolist(), value.items(), strict=True):
        if isinstance(each, (str, bytes)) or not (is_whole(each) or isinstance(each, Iterable)):
            raise OptionError(f"{rule}: {name!r} has {each!r}, which is no list of colors")
        if isinstance(each, range) and all(0 <= end <= MOST for end in (*each[:1], *each[-1:])):
            array = np.arange(each.start, each.stop, each.step, dtype=np.int64)
        else:
            some = [each] if is_whole(each) else each
            array = np.array([_color(rule, color, f"of {name!r}", 0) for color in some], np.int64)
        rows.append(np.full(len(array), v, np.int64))
        colors.append(array)
    return (np.concatenate(rows), np.concatenate(colors)) if rows else (np.empty(0, np.int64), np.empty(0, np.int64))


def _pairs_of_matrix(rule: str, value: Any, whose: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    """(vertex, color) of each entry that is true: of a dense boolean array, a sparse matrix or a Pattern."""
    from ...graph.pattern import Pattern

    if isinstance(value, Pattern):
        value = value.on("cpu").to_scipy()
    elif is_sparse(value):
        _check_rows(rule, value.shape, whose)
        on_gpu = dev.is_cupy(getattr(value, "data", None))
        with dev.using(value.data) if on_gpu else nullcontext():
            if wrong := fault(value):
                raise OptionError(f"{rule}: the sparse matrix is damaged: {wrong}")
        value = value.get() if on_gpu else value
    else:
        return _pairs_of_dense(rule, value, whose)
    _check_rows(rule, value.shape, whose)
    entries = value.tocoo()
    true = entries.data.astype(bool)
    return entries.row[true].astype(np.int64), entries.col[true].astype(np.int64)


def _pairs_of_dense(rule: str, value: Any, whose: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    from ...inputs.arrays import as_array

    array = as_array(value)
    if array is None or array.dtype != bool or array.ndim != 2:
        what = reprlib.repr(value) if array is None else f"an array of {array.dtype}, shape {tuple(array.shape)}"
        raise OptionError(
            f"{rule} must be a sparse matrix or a boolean array of shape (n, colors), or a mapping from vertices to "
            f"lists of colors, not {what}"
        )
    _check_rows(rule, array.shape, whose)
    rows, colors = np.nonzero(dev.to_device(array, "cpu"))
    return rows.astype(np.int64), colors.astype(np.int64)


def _check_rows(rule: str, shape: tuple[int, ...], whose: NamedVertices) -> None:
    if len(shape) != 2 or shape[0] != whose.n:
        raise OptionError(f"{rule} must have shape ({whose.n}, colors), a row per vertex, not {tuple(shape)}")


def capacity(value: Any) -> Any:
    """A number, int or float, or float64 of shape (k,); infinity is no limit."""
    if is_number(value):
        out = int(value) if is_whole(value) else float(value)
        if not out >= 0:
            raise OptionError(f"capacity must be a number from 0 on, not {value!r}")
        return out
    array = _numbers("capacity", value)
    if array.ndim != 1:
        raise OptionError(f"capacity must be a number, or an array with one per color, not of shape {array.shape}")
    wrong = np.flatnonzero(~(array >= 0))[:1].tolist()
    if wrong:
        raise OptionError(f"capacity of color {wrong[0]} must be a number from 0 on, not {array[wrong[0]]}")
    return array.astype(np.float64)


def weights(value: Any, whose: NamedVertices) -> np.ndarray:
    """Weights, int64 or float64, shape (n,)."""
    if isinstance(value, Mapping):
        numbers = whose.numbers("weights", value)
        _refuse_contradictions("weights", numbers, value.values(), whose)
        by_number = dict(zip(numbers.tolist(), value.values(), strict=True))
        absent = next((v for v in range(whose.n) if v not in by_number), None)
        if absent is not None:
            raise OptionError(f"weights: {whose.said(absent)} has none; every vertex needs one")
        value = [by_number[v] for v in range(whose.n)]
    array = _numbers("weights", value) if whose.n or np.size(value) else np.empty(0, np.int64)
    if array.shape != (whose.n,):
        raise OptionError(f"weights must have shape ({whose.n},), one per vertex, not {array.shape}")
    wrong = np.flatnonzero(~((array >= 0) & np.isfinite(array)))[:1].tolist()
    if wrong:
        raise OptionError(f"weights: the value of {whose.said(wrong[0])} is {array[wrong[0]]}, and must be 0 or more")
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    if math.fsum(array.tolist()) > EXACT:
        raise OptionError("weights: their sum is over 2⁵³; scale them, or pass floats")
    return array.astype(np.int64)


def _numbers(rule: str, value: Any) -> np.ndarray:
    """A NumPy array of whole numbers or floats."""
    array = dev.to_device(_array(rule, value, f"{rule} must hold numbers"), "cpu")
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise OptionError(f"{rule} must hold whole numbers or floats, not {reprlib.repr(value)}")
    return array


def _array(rule: str, value: Any, fault: str) -> Any:
    """An array of NumPy or CuPy; `fault` begins the error about a sequence that is none."""
    from ...inputs.arrays import array_like
    from ...inputs.checks import unmasked

    unmasked(value, rule, OptionError)
    try:
        return array_like(value)
    except ValueError as e:
        raise OptionError(f"{fault}: {e}") from e


def _color(rule: str, color: Any, of: str, low: int) -> int:
    if is_whole(color) and low <= color <= MOST:
        return int(color)
    free = ", or -1 for none" if low < 0 else ""
    raise OptionError(f"{rule}: the color {of} must be a whole number from 0 to {MOST}{free}, not {color!r}")
