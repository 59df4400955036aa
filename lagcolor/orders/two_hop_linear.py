"""Orders of vertices in nets that take one pass over the entries, and have short chains of vertices that wait.

They are first-fit's of the qualities, on a CPU and a GPU alike (`search/nets.py`); users do not name them.

- `cyclic`: by v + a ⌊v / s⌋ + b ⌊v / t⌋ modulo L for the ids v. In a band, a grid or a stencil in the order of its own
  ids, the vertices of a net differ by the same few numbers everywhere. The strides s and t are such numbers: a line and
  a plane of a mesh. Where the residues differ within each net they are a coloring, and first-fit by residue takes at
  most L colors: a band, a 5-point grid and a 27-point stencil take their optimum, where the order of ids takes 7 on the
  grid. L, strides and factors are found on a sample of nets. No chain is longer than L.
- `by_net_sizes`: most vertices in all nets of a vertex first, each counted as often as a net has it. The order largest
  first counts it once, and takes two hops for that.
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
SAMPLES, GOLDEN = 128, 0x9E3779B1  # nets; the golden ratio as a fraction of 2³²: equal steps may all fall on one border
LONGEST = 3 / 2  # times the largest net: more residues than that are worse than other orders
TESTS = 1 << 18  # entries of the sample that are read, about
LOOKED_AT, WIDEST, STRIDES = 16, 64, 4  # nets that tell strides, and vertices of them; strides that are tried
ALIKE = 16  # a mesh has one largest net in so many at least: those inside
KEYS = 1 << 20  # of `by_net_sizes`, about


class Sample(NamedTuple):
    """The entries of some nets, and the last test where each net had each residue."""

    of_net: np.ndarray
    member: np.ndarray
    seen_at: np.ndarray


def cyclic(nets: Nets, under: int = 2**31) -> Any:
    """Vertices by residue and id; None where no small number of residues, `under` that, fits the sample."""
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
    """The least L, with strides and factors, where the residues differ in each net of a sample; `under` that."""
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
    """Differences that many of the largest nets have, and their double too, the most frequent first; none of few nets.

    1, 2 … are left out as far as all are there: these are vertices of one line.
    """
    sizes = np.bincount(of_net)
    is_largest = sizes == sizes.max()
    largest = np.flatnonzero(is_largest)
    if ALIKE * len(largest) < len(sizes):
        return []
    is_largest[largest[LOOKED_AT:]] = False
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
    """L, and two strides with their factors, the first stride for none; L = 0 where none is found."""
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
    """The first entry whose residue its net has already, their number where there is none."""
    of_net, member, seen_at = sample
    for e in range(of_net.size):
        v = np.int64(member[e])
        residue = (v + a * (v // s) + b * (v // t)) % length
        if seen_at[of_net[e], residue] == test:
            return e
        seen_at[of_net[e], residue] = test
    return of_net.size


def by_net_sizes(nets: Nets, spread: bool) -> Any:
    """Vertices by falling sum of the sizes of their nets, ties by id, or `spread` by runs of ids."""
    sums = (_sums_of_sizes_there if nets.on_gpu else _sums_of_sizes)(nets)
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
    """Of the nets of each vertex, int64."""
    P, each = nets.of_vertices, nets.members.degrees
    sums = np.zeros(nets.m + 1, np.int64)
    np.cumsum(each.take(P.indices), dtype=np.int64, out=sums[1:])
    return sums[P.indptr[1:]] - sums[P.indptr[:-1]] + (each if nets.closed else 0)


def _sums_of_sizes_there(nets: Nets) -> Any:
    """The same on a GPU."""
    indptr, indices, members, *_ = csr(nets)
    sizes, sums = nets.xp.empty(nets.m, np.int64), nets.xp.empty(nets.n, np.int64)
    _launch(nets, "sizes_of_nets", nets.m, indices, members, np.int64(nets.m), sizes)
    until = nets.xp.cumsum(sizes)
    _launch(nets, "sums_of_sizes", nets.n, indptr, members, until, np.int32(nets.n), np.int32(nets.closed), sums)
    return sums


def _launch(nets: Nets, name: str, threads: int, *args: Any) -> None:
    SOURCE.of(offsets_of(nets)).launch(name, threads, *args)
