"""What the verifiers of `columns`, `rows` and `distance2` share: a net that has two vertices of one color is at fault.

A net is checked by itself, with the last vertex seen of each color; nothing of the squared graph is built. Where the
input has the nets of a vertex rather than the vertices of a net (`rows`), each color class is checked by itself
instead, with the last vertex seen in each net, so that the input is read as it is and no transpose is trusted. On a
GPU the pattern is checked on the CPU, and the copy stays with it.

A violation is a vertex in a net that has an earlier vertex of its color: in its row, its column, or around a vertex.

References
----------
Coleman, Moré 1983, "Estimation of sparse Jacobian matrices and graph coloring problems" (structurally orthogonal
columns); Gebremedhin, Manne, Pothen 2005, "What color is your Jacobian?" (partial distance 2, distance 2).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.device.compiled import njit
from ..base.errors import ColoringError
from ..graph.pattern import Pattern
from ..inputs.checks import no_graph, unmasked
from . import on_cpu
from .report import SHOWN, Findings, with_names

Check = Callable[[Any, Any, Any, Any], int]
Sentence = Callable[[int, int, int, int], str]


def inspect(
    P: Pattern, colors: Any, n: int, faultless: on_cpu.Check, check: Check, sentence: Sentence, labels: Any
) -> Findings:  # fmt: skip
    """Check colors net by net: whether they are `faultless` first, and where they are not, by `check`."""
    given = fitting(colors, n)
    P = P._cached("verified on the CPU", partial(P.on, "cpu")) if P.on_gpu else P
    if found := on_cpu.checked(P, given, n, faultless):
        return found
    narrow = narrowed(given)
    first = np.zeros((SHOWN, 3), np.int64)
    count = int(check(_plain(P.indptr), _plain(P.indices), narrow[0], first))
    return findings(given, narrow, count, first, sentence, labels)


def findings(
    given: np.ndarray, narrow: tuple[np.ndarray, int, int], count: int, first: np.ndarray, sentence: Sentence,
    labels: Any,
) -> Findings:  # fmt: skip
    """What a check has found: how many violations; the columns of `first` are vertex, vertex, net."""
    first[:, :2].sort(axis=1)
    bare, outside = np.flatnonzero(given == -1), np.flatnonzero(given < -1)[:SHOWN]
    found = Findings(
        n_colors=narrow[1],
        n_violations=count,
        violations=[sentence(u, v, net, int(given[u])) for u, v, net in first[: min(count, SHOWN)].tolist()],
        n_uncolored=len(bare),
        uncolored=bare[:SHOWN].tolist(),
        out_of_range=[(int(v), int(given[v])) for v in outside],
        gaps=narrow[2] + 1 - narrow[1],
    )
    return with_names(found, labels)


def narrowed(colors: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Colors as int32 under their number n, negative where they are; how many different ones, and the largest or −1."""
    n = len(colors)
    low, high = (int(colors.min()), int(colors.max())) if n else (0, -1)
    if low >= -n - 1 and high < n:
        used = np.zeros(high + 1, bool)
        used[colors[colors >= 0] if low < 0 else colors] = True
        return colors.astype(np.int32, copy=False), int(used.sum()), max(high, -1)
    values, rank = np.unique(colors, return_inverse=True)
    below = int((values < 0).sum())  # values that are no colors come first
    return (rank.reshape(-1) - below).astype(np.int32), len(values) - below, max(high, -1)


def fitting(colors: Any, n: int, one: str = "vertex") -> np.ndarray:
    """The colors as a NumPy array of integers, shape (n,); `one`: what has a color."""
    from ..inputs.arrays import as_array

    no_graph(colors, "colors", ColoringError)
    colors = getattr(colors, "colors", colors)
    array = as_array(colors)
    array = np.asarray(colors) if array is None else dev.to_device(array, "cpu")
    unmasked(array, "colors", ColoringError)
    if array.shape != (n,):
        raise ColoringError(f"colors must have shape ({n},), one for each {one}, not {tuple(array.shape)}")
    if array.dtype.kind not in "iu" and n:
        raise ColoringError(f"colors must be integers, not {array.dtype}")
    return array if n else array.astype(np.int64)  # an empty list has no type


def _plain(a: Any) -> Any:
    """Contiguous and read-only: one type for numba."""
    view = np.ascontiguousarray(a).view()
    view.flags.writeable = False
    return view


def in_rows(indptr: Any, indices: Any, colors: Any, first: Any) -> int:
    """Each row is a net of the columns that it has."""
    return _by_nets(indptr, indices, colors, first, False, *_unseen(len(colors), len(colors)))


def in_neighborhoods(indptr: Any, indices: Any, colors: Any, first: Any) -> int:
    """Each row, with its own vertex, is a net."""
    return _by_nets(indptr, indices, colors, first, True, *_unseen(len(colors), len(colors)))


def in_classes(indptr: Any, indices: Any, colors: Any, by_color: Any, nets: Any, first: Any) -> int:
    """Each row is a vertex, and its columns are the nets that it is in: `nets` of them; `by_color` has all vertices."""
    return _by_classes(indptr, indices, colors, by_color, first, *_unseen(nets))


def _unseen(*sizes: int) -> list[np.ndarray]:
    return [np.full(size, -1, np.int64) for size in sizes]


@njit(cache=True, nogil=True)
def _by_nets(
    indptr: Any, indices: Any, colors: Any, first: Any, closed: bool, last: Any, seen_in: Any
) -> Any:  # fmt: skip
    """How many violations; of each color, `last` has the vertex that had it last, and `seen_in` the net it was in."""
    count = 0
    for net in range(len(indptr) - 1):
        if closed and colors[net] >= 0:
            last[colors[net]] = net
            seen_in[colors[net]] = net
        for e in range(indptr[net], indptr[net + 1]):
            v = indices[e]
            c = colors[v]
            if c < 0:
                continue
            if seen_in[c] == net:
                if count < first.shape[0]:
                    first[count, 0], first[count, 1], first[count, 2] = last[c], v, net
                count += 1
            last[c] = v
            seen_in[c] = net
    return count


@njit(cache=True, nogil=True)
def _by_classes(indptr: Any, indices: Any, colors: Any, by_color: Any, first: Any, last: Any) -> Any:
    """How many violations; of each net, `last` has the vertex of the class at hand that was seen last."""
    count = 0
    for i in range(by_color.size):
        v = by_color[i]
        c = colors[v]
        if c < 0:
            continue
        for e in range(indptr[v], indptr[v + 1]):
            net = indices[e]
            u = last[net]
            if u >= 0 and colors[u] == c:
                if count < first.shape[0]:
                    first[count, 0], first[count, 1], first[count, 2] = u, v, net
                count += 1
            last[net] = v
    return count


def neighbors(nets: Pattern, members: Pattern, v: int) -> np.ndarray:
    """The other vertices of the nets of v, int32, rising, in plain NumPy."""
    mine = nets.indices[int(nets.indptr[v]) : int(nets.indptr[v + 1])]
    rows = [members.indices[int(members.indptr[e]) : int(members.indptr[e + 1])] for e in mine]
    near = np.unique(np.concatenate([np.empty(0, np.int32), *rows]))
    return near[near != v].astype(np.int32)


def most_constraints(nets: Pattern, in_net: Any) -> int:
    """The largest sum, over the nets of a vertex, of `in_net`: what each net adds at most to its neighborhood."""
    if nets.rows == 0:
        return 0
    sums = nets.xp.zeros(nets.m + 1, np.int64)
    nets.xp.cumsum(in_net[nets.indices], out=sums[1:])
    return extremes.largest(sums[nets.indptr[1:]] - sums[nets.indptr[:-1]])


def entries_of_columns(P: Pattern) -> Any:
    """Entries of each column, int32, on the pattern's device, which is the current one."""
    if P.on_gpu:
        return dev.counts(P.indices, P.columns).astype(np.int32)
    out = np.zeros(P.columns, np.int32)
    _count(_plain(P.indices), out)
    return out


@njit(cache=True, nogil=True)
def _count(indices: Any, out: Any) -> None:
    """NumPy's bincount would copy the indices, as int64."""
    for e in range(indices.size):
        out[indices[e]] += 1
