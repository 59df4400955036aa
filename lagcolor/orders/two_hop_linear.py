"""Orders of vertices in nets that take one pass over the entries, and have short chains of vertices that wait.

They are first-fit's of the qualities, on a CPU and a GPU alike (`search/nets.py`); users do not name them.

- `cyclic`: by id modulo L, then by id. On a grid, a stencil or a band in the order of its own ids, the vertices of a
  net differ by the same few numbers everywhere. Where L divides none of the differences, the residues are a coloring,
  and first-fit by residue takes at most L colors: a band takes its optimum, a 5-point grid 5 or 6, where the order of
  ids takes 7. The least L is found on a sample of nets. No chain is longer than L.
- `by_net_sizes`: most vertices in all nets of a vertex first, each counted as often as a net has it. The order largest
  first counts it once, and takes two hops for that.
- `by_classes`: class after class of a coloring (Culberson's iterated greedy). First-fit needs no more colors than the
  coloring has, and no chain is longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import device as dev
from ..core.nets import Nets
from ..core.pattern import entries_of
from ..device.compiled import njit
from .by_key import by_key
from .degree import random_spread

SAMPLES, GOLDEN = 64, 0x9E3779B1  # nets; the golden ratio as a fraction of 2³²: equal steps may all fall on one border
LONGEST = 3 / 2  # times the largest net: more residues than that are worse than other orders
TESTS = 1 << 20  # entries of the sample times lengths
KEYS = 1 << 20  # of `by_net_sizes`, about


def cyclic(nets: Nets) -> Any:
    """Vertices by residue and id; None where no small number of residues fits the sample."""
    residues = least_period(nets)
    if not residues:
        return None
    xp = nets.xp
    key = np.int32(residues - 1) - xp.arange(nets.n, dtype=np.int32) % np.int32(residues)
    return by_key(nets, key, residues - 1, None)


def least_period(nets: Nets) -> int:
    """The least L modulo which all vertices of each net of a sample differ; 0 for none."""
    number, least = nets.members.rows, nets.largest_net
    if not nets.m:
        return 0
    rows = np.unique((np.arange(1, SAMPLES + 1, dtype=np.uint64) * np.uint64(GOLDEN) % 2**32 * number) >> np.uint64(32))
    of_net, member = (dev.to_device(a, "cpu") for a in entries_of(nets.members, nets.xp.asarray(rows.astype(np.int64))))
    if nets.closed:
        of_net, member = np.append(of_net, np.arange(len(rows))), np.append(member, rows)
    most = int(LONGEST * least) + 1
    if len(member) * (most - least + 1) > TESTS:
        return 0
    return int(find_period(of_net.astype(np.int64), member.astype(np.int64), len(rows), least, most))


@njit(cache=True, nogil=True)
def find_period(of_net: Any, member: Any, rows: Any, least: Any, most: Any) -> Any:
    """The same for entries, in any order of the nets."""
    seen_at = np.zeros((rows, most), np.int64)  # the last length at which a residue of the net was seen
    for length in range(least, most + 1):
        differ = True
        for e in range(of_net.size):
            net, residue = of_net[e], member[e] % length
            if seen_at[net, residue] == length:
                differ = False
                break
            seen_at[net, residue] = length
        if differ:
            return length
    return 0


def by_net_sizes(nets: Nets, spread: bool) -> Any:
    """Vertices by falling sum of the sizes of their nets, ties by id, or `spread` by runs of ids."""
    xp, P = nets.xp, nets.of_vertices
    sums = xp.zeros(nets.m + 1, np.int64)
    xp.cumsum(nets.members.degrees[P.indices], dtype=np.int64, out=sums[1:])
    key = sums[P.indptr[1:]] - sums[P.indptr[:-1]] + (nets.members.degrees if nets.closed else 0)
    top = dev.largest(key, empty=0)
    step = top // KEYS + 1
    key, top = (key // step).astype(np.int32), top // step
    if not spread:
        return by_key(nets, key, top, None)
    ids = random_spread(nets, None)
    return ids[by_key(nets, key[ids], top, None)]


def by_classes(nets: Nets, colors: Any, rank: np.ndarray) -> Any:
    """Vertices class after class, in the order of `rank`, within a class by id."""
    k = len(rank)
    return by_key(nets, nets.xp.asarray(np.int32(k - 1) - rank)[colors], k - 1, None)
