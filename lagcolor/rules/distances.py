"""Distances as users write them, turned into one number per stored entry of the graph; and what fixed colors break.

Every error is an OptionError that begins with the name of the rule.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from semirings.sparse import is_sparse

from .. import device as dev
from ..core.errors import OptionError
from ..core.graph import Graph
from ..core.options import is_whole
from .reading import MOST, Vertices

WHAT = (
    "distances must be a matrix of shape (n, n), a mapping from pairs of vertices to whole numbers, or the name of an "
    "edge attribute of a NetworkX graph"
)


def distances(value: Any, G: Graph, whose: Vertices) -> np.ndarray:
    """Distances of the entries of G, int32, on the CPU; 1 where none is given."""
    if isinstance(value, Mapping) and not is_sparse(value):
        u, v, d = _of_mapping(value, whose)
    else:
        u, v, d = _of_matrix(value, whose)
    indptr, indices = (dev.to_device(a, "cpu") for a in (G.indptr, G.indices))
    _check_values(u, v, d, whose)
    rows = np.repeat(np.arange(G.n, dtype=np.int64), np.diff(indptr))
    keys = rows * G.n + indices
    out = np.zeros(len(keys), np.int64)
    for a, b in ((u, v), (v, u)):
        key = a * G.n + b
        at = np.minimum(np.searchsorted(keys, key), max(len(keys) - 1, 0))
        _first(np.ones(len(key), bool) if not len(keys) else keys[at] != key, u, v, whose, "are no neighbors", d)
        twice = (out[at] > 0) & (out[at] != d)
        _first(twice, u, v, whose, "have the distances {} and {}", d, out[at])
        out[at] = d
        _first(out[at] != d, u, v, whose, "have two distances, one of them {}", d)
    out[out == 0] = 1
    _check_sums(out, indptr, whose)
    return out.astype(np.int32)


def _of_mapping(value: Mapping[Any, Any], whose: Vertices) -> tuple[np.ndarray, ...]:
    ends = []
    for pair, d in value.items():
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise OptionError(f"distances: keys are pairs of vertices, not {reprlib.repr(pair)}")
        whole = int(d) if is_whole(d) or (isinstance(d, float) and d.is_integer()) else None
        if whole is None or abs(whole) > MOST:
            raise OptionError(f"distances: the value of {pair!r} must be a whole number from 1 to {MOST}, not {d!r}")
        ends.append((whose.number("distances", pair[0]), whose.number("distances", pair[1]), whole))
    u, v, d = np.array(ends, np.int64).reshape(-1, 3).T
    return u, v, d


def _of_matrix(value: Any, whose: Vertices) -> tuple[np.ndarray, ...]:
    """(u, v, distance) of each stored entry of a sparse matrix, or each that is not 0 of a dense one."""
    from ..inputs.arrays import as_array

    if is_sparse(value):
        matrix = value.get() if dev.is_cupy(getattr(value, "data", None)) else value
        _check_shape(matrix.shape, whose)
        entries = matrix.tocoo()
        u, v, d = entries.row, entries.col, entries.data
    else:
        array = _nested(value) if isinstance(value, list | tuple) else value
        array = as_array(array) if hasattr(array, "dtype") else None
        if array is None or array.ndim != 2:
            raise OptionError(f"{WHAT}, not {reprlib.repr(value)}")
        _check_shape(array.shape, whose)
        array = dev.to_device(array, "cpu")
        u, v = np.nonzero(array)
        d = array[u, v]
    if d.dtype.kind not in "iuf" or (d.dtype.kind == "f" and not (np.isfinite(d) & (d == np.floor(d))).all()):
        raise OptionError(f"distances must be whole numbers, not {d.dtype}")
    _first(np.abs(d) > MOST, u, v, whose, f"have distance {{}}, which is over {MOST}", d)
    return u.astype(np.int64), v.astype(np.int64), d.astype(np.int64)


def _nested(value: Any) -> np.ndarray | None:
    """Nested lists as an array; None where rows differ in length."""
    try:
        return np.asarray(value)
    except ValueError:
        return None


def _check_shape(shape: tuple[int, ...], whose: Vertices) -> None:
    if tuple(shape) != (whose.n, whose.n):
        raise OptionError(f"distances must have shape ({whose.n}, {whose.n}), not {tuple(shape)}")


def _check_values(u: np.ndarray, v: np.ndarray, d: np.ndarray, whose: Vertices) -> None:
    _first(d < 1, u, v, whose, "have distance {}, and distances go from 1 on", d)
    own = np.flatnonzero(u == v)[:1].tolist()
    if own:
        raise OptionError(f"distances: {whose.said(int(u[own[0]]))} has one to itself; leave the diagonal out")


def _first(wrong: np.ndarray, u: np.ndarray, v: np.ndarray, whose: Vertices, what: str, *d: np.ndarray) -> None:
    """An error that names the first pair where something is wrong; each {} in its text is a distance."""
    for i in np.flatnonzero(wrong)[:1].tolist():
        text = what.format(*(of[i] for of in d))
        raise OptionError(f"distances: {whose.said(int(u[i]))} and {whose.said(int(v[i]))} {text}")


def _check_sums(out: np.ndarray, indptr: np.ndarray, whose: Vertices) -> None:
    """No vertex may be barred from more frequencies than there are."""
    before = np.concatenate([[0], np.cumsum(2 * out - 1)])
    sums = before[indptr[1:]] - before[indptr[:-1]]
    over = np.flatnonzero(sums > MOST // 2)[:1].tolist()
    if over:
        total = int(out[indptr[over[0]] : indptr[over[0] + 1]].sum())
        raise OptionError(
            f"distances: the values of {whose.said(over[0])} sum to {total:,}, which is too many for 32-bit colors; "
            "divide all by a common factor"
        )


def broken_by_fixed(rules: Any, G: Graph) -> tuple[int, int, int] | None:
    """The first two neighbors whose fixed colors are too close, and their distance; None where there are none."""
    indptr, indices, fixed = (dev.to_device(a, "cpu") for a in (G.indptr, G.indices, rules.fixed))
    rows = np.repeat(np.arange(G.n), np.diff(indptr))
    both = np.flatnonzero((fixed[rows] >= 0) & (fixed[indices] >= 0))
    apart = np.abs(fixed[rows[both]].astype(np.int64) - fixed[indices[both]])
    close = both[apart < rules.distances[both]][:1].tolist()
    return (int(rows[close[0]]), int(indices[close[0]]), int(rules.distances[close[0]])) if close else None
