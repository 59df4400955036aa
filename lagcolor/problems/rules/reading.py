"""Conversion of the user's rules to the forms of `Rules`, with checks of shapes, types, ranges and names of vertices.

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
LISTED = 1 << 26  # limit of vertices times colors for lists of allowed colors, which are converted to excluded: 1.5 GB
EXACT = 2**53  # sums of integers up to this are exact in float64


class NamedVertices:
    """The user's names of the colored vertices or edges; without `labels` these are 0 … n − 1.

    Labels with a method `numbers`, such as names of edges, find the numbers of names themselves.
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
        """True if edges of a graph are colored."""
        return hasattr(self.labels, "numbers")

    @property
    def called(self) -> str:
        """Noun for messages."""
        return "edges" if self.are_edges else "vertices"

    def numbers(self, rule: str, each: Iterable[Any]) -> np.ndarray:
        """Numbers of named vertices, int64."""
        each = list(each)
        if not self.are_edges:
            return np.array([self.number(rule, name) for name in each], np.int64)
        numbers = self.labels.numbers(each)
        if len(unknown := np.flatnonzero(numbers < 0)):
            raise OptionError(f"{rule}: there is no edge {each[unknown[0]]!r}; keys are pairs (u, v) of ends")
        return numbers

    def number(self, rule: str, name: Any) -> int:
        """Number of a named vertex."""
        if self.labels is not None:
            try:
                return self._numbers[name]
            except (KeyError, TypeError):
                raise OptionError(f"{rule}: there is no vertex {name!r}; keys are the labels of the graph") from None
        if is_whole(name) and 0 <= name < self.n:
            return int(name)
        raise OptionError(f"{rule}: there is no vertex {name!r}; keys are numbers from 0 to {self.n - 1}")

    def text(self, v: int) -> str:
        """Name of a vertex or edge in a message: its number, and its label if there are labels."""
        return f"{'edge' if self.are_edges else 'vertex'} {called(v, self.labels)}"


def fixed(value: Any, names: NamedVertices, device: str) -> Any:
    """Fixed colors on a device: int32, shape (n,), −1 for none."""
    if isinstance(value, Mapping):
        return dev.to_device(by_name("fixed", value, names), device)
    value = getattr(value, "colors", value)
    array = _array("fixed", value, "fixed must be an array with one entry per vertex, or a mapping")
    if array.shape != (names.n,):
        raise OptionError(
            f"fixed must have shape ({names.n},), one entry per vertex, not {tuple(array.shape)}; "
            "or pass a mapping from vertices to colors"
        )
    if array.dtype.kind not in "iu" and names.n:
        raise OptionError(f"fixed must hold whole numbers, not {array.dtype}")
    array = dev.to_device(array, device)
    with dev.using(array):
        outside = dev.module_of(array).flatnonzero((array < -1) | (array > MOST))[:1].tolist()
        if outside:
            v = outside[0]
            raise OptionError(
                f"fixed: {names.text(v)} has color {int(array[v])}: colors go from 0 to {MOST}, and -1 means free"
            )
        return dev.module_of(array).ascontiguousarray(array, np.int32)


def by_name(rule: str, value: Mapping[Any, Any], names: NamedVertices) -> np.ndarray:
    """Colors of a mapping from vertices: int32, shape (n,), −1 for vertices that are not in it."""
    colors = np.full(names.n, -1, np.int32)
    numbers = names.numbers(rule, value)
    found = [_color(rule, color, f"of {name!r}", -1) for name, color in value.items()]
    _refuse_contradictions(rule, numbers, found, names)
    colors[numbers] = found
    return colors


def _refuse_contradictions(rule: str, numbers: np.ndarray, values: Any, names: NamedVertices) -> None:
    """Raise an error if an edge has different values under two names: from either end, or by number."""
    order = np.argsort(numbers, kind="stable")
    numbers, values = numbers[order], np.fromiter(values, object, len(numbers))[order]
    for i in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
        a, b = values[i : i + 2]
        if not np.array_equal(a, b):
            raise OptionError(
                f"{rule}: {names.text(int(numbers[i]))} is named twice, with {a!r} and {b!r}: leave one out"
            )


def lists(
    forbidden: Any, allowed: Any, most: int | None, names: NamedVertices, device: str
) -> tuple[tuple[Any, Any] | None, int | None]:
    """Colors that vertices must not have, by either rule, and the limit of colors; None if there is none.

    The lists are CSR on a device: int64 offsets, int32 colors, increasing and distinct within a row.
    """
    keys = []
    if forbidden is not None:
        rows, colors = _pairs("forbidden", forbidden, names)
        keys.append(rows * (MOST + 1) + colors)
    if allowed is not None:
        key, most = _excluded(allowed, most, names)
        keys.append(key)
    if not keys:
        return None, most
    key = keys[0]  # already increasing, if only `allowed` is passed
    if forbidden is not None:
        key = np.sort(np.concatenate(keys))
        key = key[np.append(True, key[1:] > key[:-1])] if len(key) else key
    offsets = np.searchsorted(key, np.arange(names.n + 1, dtype=np.int64) * (MOST + 1)).astype(np.int64)
    return (dev.to_device(offsets, device), dev.to_device((key % (MOST + 1)).astype(np.int32), device)), most


def _excluded(allowed: Any, most: int | None, names: NamedVertices) -> tuple[np.ndarray, int]:
    """Keys of the colors that lists of allowed colors exclude, and the limit of colors."""
    rows, colors = _pairs("allowed", allowed, names)
    listed = np.ones(names.n, bool)
    if isinstance(allowed, Mapping) and not is_sparse(allowed):
        listed[:] = False
        listed[names.numbers("allowed", allowed)] = True
    if most is None:
        if not listed.all():
            v = int(np.flatnonzero(~listed)[0])
            raise OptionError(
                f"allowed: {names.text(v)} has no list, so the number of colors is unknown: pass max_colors, or a "
                "list for every vertex"
            )
        most = int(colors.max(initial=-1)) + 1
    vertices = np.flatnonzero(listed)
    if len(vertices) * most > LISTED:
        raise OptionError(
            f"allowed: {len(vertices):,} lists with {most:,} colors are over {LISTED:,} pairs: renumber the colors "
            "from 0 on without gaps, or pass forbidden colors"
        )
    number, inside = np.cumsum(listed) - 1, colors < most
    excluded = np.ones((len(vertices), most), bool)
    excluded[number[rows[inside]], colors[inside]] = False
    at, colors = np.nonzero(excluded)
    return vertices[at] * (MOST + 1) + colors, most


def _pairs(rule: str, value: Any, names: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    """(vertex, color) of each entry of a mapping or a matrix, int64."""
    if isinstance(value, Mapping) and not is_sparse(value):  # SciPy's DOK matrices are both
        rows, colors = _pairs_of_mapping(rule, value, names)
    else:
        rows, colors = _pairs_of_matrix(rule, value, names)
    outside = np.flatnonzero((colors < 0) | (colors > MOST))[:1].tolist()
    if outside:
        v, c = int(rows[outside[0]]), int(colors[outside[0]])
        raise OptionError(f"{rule}: color {c} of {names.text(v)}: colors go from 0 to {MOST}")
    return rows, colors


def _pairs_of_mapping(rule: str, value: Mapping[Any, Any], names: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    rows, colors, numbers = [], [], names.numbers(rule, value)
    if rule == "allowed":  # lists of forbidden colors are united
        _refuse_contradictions(rule, numbers, value.values(), names)
    for v, (name, each) in zip(numbers.tolist(), value.items(), strict=True):
        if isinstance(each, (str, bytes)) or not (is_whole(each) or isinstance(each, Iterable)):
            raise OptionError(f"{rule}: {name!r} has {each!r}, which is not a list of colors")
        if isinstance(each, range) and all(0 <= end <= MOST for end in (*each[:1], *each[-1:])):
            array = np.arange(each.start, each.stop, each.step, dtype=np.int64)
        else:
            some = [each] if is_whole(each) else each
            array = np.array([_color(rule, color, f"of {name!r}", 0) for color in some], np.int64)
        rows.append(np.full(len(array), v, np.int64))
        colors.append(array)
    return (np.concatenate(rows), np.concatenate(colors)) if rows else (np.empty(0, np.int64), np.empty(0, np.int64))


def _pairs_of_matrix(rule: str, value: Any, names: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    """(vertex, color) of each true entry of a dense boolean array, a sparse matrix or a Pattern."""
    from ...graph.pattern import Pattern

    if isinstance(value, Pattern):
        value = value.on("cpu").to_scipy()
    elif is_sparse(value):
        _check_rows(rule, value.shape, names)
        on_gpu = dev.is_cupy(getattr(value, "data", None))
        with dev.using(value.data) if on_gpu else nullcontext():
            if wrong := fault(value):
                raise OptionError(f"{rule}: the sparse matrix is damaged: {wrong}")
        value = value.get() if on_gpu else value
    else:
        return _pairs_of_dense(rule, value, names)
    _check_rows(rule, value.shape, names)
    entries = value.tocoo()
    true = entries.data.astype(bool)
    return entries.row[true].astype(np.int64), entries.col[true].astype(np.int64)


def _pairs_of_dense(rule: str, value: Any, names: NamedVertices) -> tuple[np.ndarray, np.ndarray]:
    from ...inputs.arrays import as_array, values_of

    if hasattr(value, "iloc"):
        value = values_of(value, rule, OptionError, by_label=False)
    array = as_array(value)
    if array is None or array.dtype != bool or array.ndim != 2:
        what = reprlib.repr(value) if array is None else f"an array of {array.dtype}, shape {tuple(array.shape)}"
        raise OptionError(
            f"{rule} must be a sparse matrix or a boolean array of shape (n, colors), or a mapping from vertices to "
            f"lists of colors, not {what}"
        )
    _check_rows(rule, array.shape, names)
    rows, colors = np.nonzero(dev.to_device(array, "cpu"))
    return rows.astype(np.int64), colors.astype(np.int64)


def _check_rows(rule: str, shape: tuple[int, ...], names: NamedVertices) -> None:
    if len(shape) != 2 or shape[0] != names.n:
        raise OptionError(f"{rule} must have shape ({names.n}, colors), a row per vertex, not {tuple(shape)}")


def capacity(value: Any) -> Any:
    """Capacity as an int, a float, or float64 of shape (k,); infinity is no limit."""
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


def weights(value: Any, names: NamedVertices) -> np.ndarray:
    """Weights, int64 or float64, shape (n,)."""
    if isinstance(value, Mapping):
        numbers = names.numbers("weights", value)
        _refuse_contradictions("weights", numbers, value.values(), names)
        by_number = dict(zip(numbers.tolist(), value.values(), strict=True))
        absent = next((v for v in range(names.n) if v not in by_number), None)
        if absent is not None:
            raise OptionError(f"weights: {names.text(absent)} has none; every vertex needs one")
        value = [by_number[v] for v in range(names.n)]
    array = _numbers("weights", value) if names.n or np.size(value) else np.empty(0, np.int64)
    if array.shape != (names.n,):
        raise OptionError(f"weights must have shape ({names.n},), one per vertex, not {array.shape}")
    wrong = np.flatnonzero(~((array >= 0) & np.isfinite(array)))[:1].tolist()
    if wrong:
        raise OptionError(f"weights: the value of {names.text(wrong[0])} is {array[wrong[0]]}, and must be 0 or more")
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
    """Convert to an array of NumPy or CuPy; `fault` begins the message about a sequence that is not an array."""
    from ...inputs.arrays import values_of

    return values_of(value, rule, OptionError, fault, by_label=rule != "capacity")


def _color(rule: str, color: Any, of: str, low: int) -> int:
    if is_whole(color) and low <= color <= MOST:
        return int(color)
    free = ", or -1 for none" if low < 0 else ""
    raise OptionError(f"{rule}: the color {of} must be a whole number from 0 to {MOST}{free}, not {color!r}")
