"""Edges, or entries of a matrix, with ends that are numbers or names: their numbers 0 … n−1, and labels."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.errors import GraphError
from ..base.log import stage
from .canonical import Structure, twice
from .checks import integers, vertices_of

PART = 1 << 14  # ends between two reports of progress
NO_NUMBERS = "OSUTV"  # kinds of NumPy arrays that may contain names


@dataclass(frozen=True)
class Ends:
    """Both ends of each edge, or row and column of each entry, as in the input."""

    u: Any  # an array of integers, or a list of names
    v: Any
    names: tuple[str, str] = ("u", "v")  # What errors call u and v
    # Names of vertices (rows) with or without edges (entries), which are numbered before all others
    nodes: list[Hashable] | None = None

    @classmethod
    def of(cls, u: Any, v: Any, names: tuple[str, str] = ("u", "v")) -> Ends:
        """Return the ends in lists or arrays of any type; they become integers if all are whole numbers."""
        return cls(_numbers(u), _numbers(v), names)

    def graph(self) -> Structure:
        """Return undirected edges; names are numbered in the order of their first occurrence, u before v."""
        if self.nodes is None and not isinstance(self.u, list) and not isinstance(self.v, list):
            return Structure("edges", self.u, self.v, None, names=self.names, loose=True)
        self._check_lengths()
        u, v = map(_listed, (self.u, self.v))
        flat = itertools.chain.from_iterable(zip(u, v, strict=True))
        numbers, found = numbered(flat, 2 * len(u), self.nodes or ())
        number, labels = plain(found)
        numbers = numbers if number is None else number[numbers]
        structure = Structure("edges", numbers[::2], numbers[1::2], len(found), labels)
        if self.nodes is not None:  # an edge may be in the rows of both ends
            structure.repeats = partial(twice, structure.first, structure.second, directed=True)
        return structure

    def matrix(self, shape: tuple[int, int] | None) -> Structure:
        """Return entries (row, column); rows and columns have separate numbers or labels."""
        shapes = shape or (None, None)
        rows, n, labels = _side(self.u, shapes[0], self.names[0], self.nodes)
        cols, columns, column_labels = _side(self.v, shapes[1], self.names[1])
        self._check_lengths()
        # With `columns`, rows and columns have separate names, so that even a square matrix is no graph.
        return Structure("coo", rows, cols, n, labels, columns=columns, column_labels=column_labels)

    def _check_lengths(self) -> None:
        if len(self.u) != len(self.v):
            a, b = self.names
            raise GraphError(f"{a} and {b} must be of one length, one entry per edge: {len(self.u)} and {len(self.v)}")


def numbered(names: Iterable[Hashable], count: int, nodes: Iterable[Hashable] = ()) -> tuple[np.ndarray, list[Any]]:
    """Return the number of each name in the order of first occurrence, `nodes` first, and the list of names."""
    number: defaultdict[Hashable, int] = defaultdict(itertools.count().__next__)
    for node in nodes:
        number[node]
    naming = stage("converting", count, "ends")
    step, rest = (PART if naming.has_listener else max(count, 1)), iter(names)
    numbers: np.ndarray = np.empty(count, np.int32)
    for begin in range(0, count, step):
        end = min(begin + step, count)
        part = map(number.__getitem__, itertools.islice(rest, end - begin))
        try:
            numbers[begin:end] = np.fromiter(part, np.int32, end - begin)
        except TypeError as e:
            raise GraphError(f"vertices are numbers or names that are hashable, such as strings or tuples: {e}") from e
        naming.at(end)
    labels = [name.item() if isinstance(name, np.generic) else name for name in number]
    for i, name in enumerate(labels):
        if name is None or name != name:
            at = int(np.flatnonzero(numbers == i)[0]) if (numbers == i).any() else None
            where = "" if at is None else f"; the first is at edge {at // 2}"
            raise GraphError(f"{name!r} is no name of a vertex{where}: leave out edges with a missing end")
    return numbers, labels


def plain(labels: list[Any]) -> tuple[np.ndarray | None, list[Any] | None]:
    """Return names as numbers, and no labels, if they are 0 … n−1 in any order; otherwise None, and the labels."""
    n = len(labels)
    if not all(type(name) is int for name in labels) or any(not 0 <= name < n for name in labels):
        return None, labels
    return np.array(labels, np.int32), None


def _side(x: Any, n: int | None, name: str, nodes: list[Hashable] | None = None) -> tuple[Any, int, Any]:
    """Return the numbers of rows or columns, their count, and their labels."""
    if not isinstance(x, list) and nodes is None:
        integers(x, name)
        return x, vertices_of(x, name) if n is None else n, None
    names = _listed(x)
    numbers, found = numbered(names, len(names), nodes or ())
    number, labels = plain(found)
    return (numbers if number is None else number[numbers]), len(found), labels


def _listed(x: Any) -> list[Any]:
    return x if isinstance(x, list) else dev.to_device(x, "cpu").tolist()


def _numbers(x: Any) -> Any:
    """Return a list or an array of objects as int64 if all elements are integers that fit; other arrays unchanged."""
    if isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in NO_NUMBERS:
        x = x.tolist()
    return integers_of(x) if isinstance(x, list) and are_integers(x) else x


def are_integers(x: list[Any]) -> bool:
    """Whether all elements of a list are integers of Python or NumPy."""
    return all(issubclass(kind, int | np.integer) and kind is not bool for kind in set(map(type, x)))


def integers_of(x: list[Any]) -> Any:
    """Return integers as an array of int64, or the list itself if one does not fit."""
    try:
        return np.fromiter(x, np.int64, len(x))
    except OverflowError:
        return x
