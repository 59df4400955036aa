"""Orders of vertices in nets that take one pass over the entries and have short chains of waiting vertices.

First-fit of the qualities uses them on CPU and GPU (`search/nets.py`); they are not named orders.

- `cyclic`: by v + a ⌊v / s⌋ + b ⌊v / t⌋ modulo L for ids v. In a band, a grid or a stencil in natural order, the ids of
  a net have the same few differences everywhere. The strides s and t are two of these, such as a line and a plane of a
  mesh. If the residues differ within each net, they are a coloring, and first-fit by residue takes at most L colors.
  This is the optimum for a band, a 5-point grid (the order of ids takes 7) and a 27-point stencil. L, strides and
  factors are determined on a sample of nets. No chain is longer than L.
- `by_net_sizes`: vertices with the largest sum of net sizes first. A vertex of several nets counts several times;
  largest first counts it once, which takes two hops.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import device as dev
from ..base.device import extremes
from ..base.device.compiled import inner, njit
from ..graph.nets import Nets, csr, offsets_of
from ..graph.pattern import entries_of
from ..inputs.transpose_cpu import Entries, grouped
from .by_key import by_key
from .degree import random_spread

SOURCE = dev.Source(__file__)
SAMPLES, GOLDEN = 128, 0x9E3779B1  # nets; 2³² / golden ratio: equal steps could all hit the border of a mesh
LONGEST = 3 / 2  # times the largest net; with more residues other orders are better
TESTS = 1 << 18  # approximate limit of entries read in the sample
EXAMINED, WIDEST, STRIDES = 16, 64, 4  # nets and vertices per net that determine strides; strides to try
ALIKE = 16  # at least one net in this number has the largest size in a mesh, because inner nets have it
KEYS = 1 << 20  # approximate number of keys of `by_net_sizes`


class Sample(NamedTuple):
    """Entries of some nets, and for each net and residue the last test in which the net had it."""

    of_net: np.ndarray
    member: np.ndarray
    seen_at: np.ndarray


def cyclic(nets: Nets, under: int = 2**31) -> Any:
    """Vertices by residue and id; None if no number of residues that is small and under `under` fits the sample."""
    found = lattice(nets, under)
    if found is None:
        return None
    length, *strides = found
    if nets.on_gpu:
        key = nets.xp.empty(nets.n, np.int32)
        numbers = (np.int64(x) for x in (length, *strides[0], *strides[1]))
        _launch(nets, "residues", nets.n, np.int32(nets.n), *numbers, key)
        return by_key(nets, key, length - 1, None)
    ids = np.arange(nets.n, dtype=np.int64)
    residues = sum((factor * (ids // stride) for stride, factor in strides), ids) % length
    return grouped(Entries(ids.astype(np.int32), residues.astype(np.int32), by_rows=False), length, repeats=True)[1]


def lattice(nets: Nets, under: int = 2**31) -> tuple[Any, ...] | None:
    """Least L < `under`, with strides and factors, such that residues differ in each net of a sample; None if none."""
    number, least = nets.members.rows, nets.largest_net
    most = min(int(LONGEST * least) + 1, under - 1)
    if not nets.m or most < least:
        return None
    rows = np.unique((np.arange(1, SAMPLES + 1, dtype=np.uint64) * np.uint64(GOLDEN) % 2**32 * number) >> np.uint64(32))
    rows = rows.astype(np.int64)
    of_net, member = (dev.to_device(a, "cpu") for a in entries_of(nets.members, rows))
    if nets.closed:
        of_net, member = np.append(of_net, np.arange(len(rows))), np.append(member, rows)
    of_net, member = of_net.astype(np.int64), member.astype(np.int64)
    if not 0 < len(member) <= TESTS:
        return None
    strides = differences(of_net, member)
    sample = Sample(of_net, member, np.zeros((len(rows), most), np.int64))
    length, i, a, j, b = find_lattice(sample, least, most, np.array([1, *strides]), TESTS)
    return (int(length), (int(i), int(a)), (int(j), int(b))) if length else None


def differences(of_net: np.ndarray, member: np.ndarray) -> list[int]:
    """Differences of ids that are frequent in the largest nets, and their doubles too; most frequent first.

    The list is empty if few nets have the largest size. It omits 1, 2, … up to the first infrequent difference, which
    are vertices of one line.
    """
    sizes = np.bincount(of_net)
    is_largest = sizes == sizes.max()
    largest = np.flatnonzero(is_largest)
    if ALIKE * len(largest) < len(sizes):
        return []
    is_largest[largest[EXAMINED:]] = False
    mine = is_largest[of_net]
    by_net = member[mine][np.lexsort((member[mine], of_net[mine]))].reshape(-1, sizes.max())[:, :WIDEST]
    low, high = np.triu_indices(by_net.shape[1], 1)
    each, counts = np.unique(by_net[:, high] - by_net[:, low], return_counts=True)
    found = dict(zip(each.tolist(), counts.tolist(), strict=True))
    often = {d: count for d, count in found.items() if 2 * count > len(by_net)}
    d = 1
    while often.pop(d, 0):
        d += 1
    return sorted(often, key=lambda d: (-often[d] * found.get(2 * d, 0), -often[d], d))[:STRIDES]


@njit(cache=True, nogil=True)
def find_lattice(sample: Sample, least: Any, most: Any, strides: Any, tests: Any) -> Any:
    """L and two strides with their factors, strides[0] for an unused one; L = 0 if none is found."""
    test = 0
    for length in range(least, most + 1):
        for j in range(strides.size):
            for i in range(max(j, 1)):
                for a in range(1 if i else 0, length if i else 1):
                    for b in range(1 if j else 0, length if j else 1):
                        test += 1
                        e = distinct_until(sample, length, strides[i], a, strides[j], b, test)
                        if e == sample.of_net.size:
                            return length, strides[i], a, strides[j], b
                        tests -= e
                        if tests < 0:
                            return 0, 1, 0, 1, 0
    return 0, 1, 0, 1, 0


@inner()
def distinct_until(sample: Sample, length: Any, s: Any, a: Any, t: Any, b: Any, test: Any) -> Any:
    """First entry with a residue that its net already has, or the number of entries if there is none."""
    of_net, member, seen_at = sample
    for e in range(of_net.size):
        v = np.int64(member[e])
        residue = (v + a * (v // s) + b * (v // t)) % length
        if seen_at[of_net[e], residue] == test:
            return e
        seen_at[of_net[e], residue] = test
    return of_net.size


def by_net_sizes(nets: Nets, spread: bool) -> Any:
    """Vertices by decreasing sum of the sizes of their nets, ties by id, or with `spread` by runs of ids."""
    sums = (_sums_of_sizes_on_gpu if nets.on_gpu else _sums_of_sizes)(nets)
    top = extremes.largest(sums, empty=0)
    step = top // KEYS + 1
    if nets.on_gpu:
        key = nets.xp.empty(nets.n, np.int32)
        _launch(nets, "divided", nets.n, sums, np.int64(step), np.int32(nets.n), key)
    else:
        key = (sums // step).astype(np.int32)
    top //= step
    if not spread:
        return by_key(nets, key, top, None)
    ids = random_spread(nets, None)
    return ids[by_key(nets, key[ids], top, None)]


def _sums_of_sizes(nets: Nets) -> np.ndarray:
    """Sums of the sizes of the nets of each vertex, int64."""
    P, each = nets.of_vertices, nets.members.degrees
    sums = np.zeros(nets.m + 1, np.int64)
    np.cumsum(each.take(P.indices), dtype=np.int64, out=sums[1:])
    return sums[P.indptr[1:]] - sums[P.indptr[:-1]] + (each if nets.closed else 0)


def _sums_of_sizes_on_gpu(nets: Nets) -> Any:
    """Sums of the sizes of the nets of each vertex on a GPU, int64."""
    indptr, indices, members, *_ = csr(nets)
    sizes, sums = nets.xp.empty(nets.m, np.int64), nets.xp.empty(nets.n, np.int64)
    _launch(nets, "sizes_of_nets", nets.m, indices, members, np.int64(nets.m), sizes)
    until = nets.xp.cumsum(sizes)
    _launch(nets, "sums_of_sizes", nets.n, indptr, members, until, np.int32(nets.n), np.int32(nets.closed), sums)
    return sums


def _launch(nets: Nets, name: str, threads: int, *args: Any) -> None:
    SOURCE.of(offsets_of(nets)).launch(name, threads, *args)
