"""The dense core: the first vertices of the order, colored once by one worker, and broadcast.

All chains of dependent vertices begin there, and on graphs with hubs nearly all long ones run through it. The vertices
that come first depend on none outside, so that their colors are final from the beginning. As many are taken as fit a
budget of *cost*: 1 per vertex, and 1 per entry from it to an earlier vertex, which is all that coloring them reads.

1. `offer`: each partition's first vertices, until they alone cost more than the budget;
2. `cut`: the key of the last core vertex, from all offers;
3. `rows`: what each partition has of the core;
4. `color`: ids and colors, for every partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.graph import Graph
from ..core.task import Task
from ..engines.greedy.tasks import first_fit_task
from .expand import neighbors
from .keys import Keys
from .local import Partition

FIRST = 256  # vertices whose cost is counted at first
HUBS = 4  # times the mean degree: the largest, from which on a core saves rounds
SHARE = 4  # of the mean cost of a partition: the core costs the others so much waiting


class Offer(NamedTuple):
    """The first vertices of a partition: keys, and what each costs."""

    keys: Keys
    cost: np.ndarray


class Rows(NamedTuple):
    """Vertices of the core by global id (int64) with their keys, and pairs (vertex, earlier vertex)."""

    ids: np.ndarray
    keys: Keys
    pairs: np.ndarray


def default_budget(parts: int, n: int, entries: int, largest: int) -> int:
    """The cost that is allowed by default: nothing on meshes, whose long chains begin everywhere."""
    hubs = largest * n > HUBS * entries
    return (entries + n) // (SHARE * parts) if hubs and parts > 1 else 0


def offer(part: Partition, budget: int) -> Offer:
    """The first vertices of a partition, as many as the budget would pay for if the core had no others."""
    cost, done, size = [np.zeros(0, np.int64)], 0, FIRST
    while done < part.own and sum(int(c.sum()) for c in cost) <= budget:
        vertices = part.sequence[done : done + size]
        index, _ = _earlier(part, vertices)
        cost.append(1 + np.bincount(index, minlength=len(vertices)))
        done, size = done + len(vertices), 2 * size
    paid = np.concatenate(cost)
    paid = paid[: int(np.searchsorted(np.cumsum(paid), budget, side="right"))]
    first = part.sequence[: len(paid)]
    return Offer(Keys(part.keys.major[first], part.keys.minor[first]), paid)


def cut(offers: Sequence[Offer], budget: int) -> tuple[int, int] | None:
    """The key of the last vertex of the core; None: the core is empty.

    Offers end where a partition alone is over the budget, so that the first vertices of all offers, up to the budget,
    are the first ones of the order.
    """
    major, minor = (np.concatenate([o.keys[i] for o in offers]) for i in range(2))
    order = np.lexsort((minor, major))
    paid = np.cumsum(np.concatenate([o.cost for o in offers])[order])
    k = int(np.searchsorted(paid, budget, side="right"))
    return (int(major[order[k - 1]]), int(minor[order[k - 1]])) if k else None


def rows(part: Partition, last: tuple[int, int]) -> Rows:
    """What a partition has of the core."""
    first = part.sequence
    first = first[: int(np.count_nonzero(part.keys.up_to(last)[: part.own]))]
    index, other = _earlier(part, first)
    ids = part.ids[first]
    keys = Keys(part.keys.major[first], part.keys.minor[first])
    return Rows(ids, keys, np.stack([ids[index], part.ids[other]], axis=1))


def color(parts: Iterable[Rows]) -> tuple[np.ndarray, np.ndarray]:
    """Ids and colors of the core in its order, by first-fit; the earlier vertices of each are in it, too."""
    all_rows = list(parts)
    ids = np.concatenate([r.ids for r in all_rows])
    order = Keys(*(np.concatenate([r.keys[i] for r in all_rows]) for i in range(2))).places()
    by_id = np.argsort(ids)
    pairs = np.concatenate([r.pairs for r in all_rows])
    a, b = (order[by_id[np.searchsorted(ids, pairs[:, i], sorter=by_id)]].astype(np.int64) for i in range(2))
    n = len(ids)
    both = np.unique(np.concatenate([a * n + b, b * n + a]))
    indptr = np.searchsorted(both, np.arange(n + 1) * n).astype(np.int64)
    G = Graph(indptr, (both % n).astype(np.int32) if n else np.zeros(0, np.int32))
    in_order = np.empty(n, np.int64)
    in_order[order] = ids
    return in_order, first_fit_task(G, Task(active=np.arange(n, dtype=np.int32)), threads=None)


def _earlier(part: Partition, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs (index into `vertices`, earlier vertex that constrains that one)."""
    index, other = neighbors(part.H, vertices)
    earlier = part.place[other] < part.place[vertices[index]]
    return index[earlier], other[earlier]
