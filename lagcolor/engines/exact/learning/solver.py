"""Search for a list coloring by clause learning, in slices of a few milliseconds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....base.device.compiled import njit
from ....base.log import before
from ...improve.lists import FOUND, NONE_EXISTS, UNKNOWN, Instance
from .analysis import COMPLETE, CONTRADICTION, RESTARTED, empty, grown, reduce, search
from .cliques import READS, large_clique, tight_cliques
from .propagation import DECISION, NO_CONFLICT, PAIR_RECORD, STATE, SearchTables, assign, propagate, rise

SLICE = 1 << 10  # literals that a compiled call propagates
FIRST, MORE = 2000, 300  # clauses before the first reduction, and additional ones before each later reduction


class Learning:
    """Clause learning for the uncolored vertices (−1) of an instance.

    The colors of the other vertices do not change, and may be k or more. `instance.spare` is the capacity that they
    leave; it does not change. `alike`: colorings that differ by an exchange of equivalent colors count as one.
    """

    colors: np.ndarray  # int32, shape (n,): the coloring, with FOUND
    result: int  # FOUND, NONE_EXISTS or UNKNOWN

    def __init__(self, instance: Instance, colors: np.ndarray, alike: bool, seed: int = 0) -> None:
        n, k = len(colors), len(instance.spare)
        self.colors, self.result = colors.astype(np.int32), UNKNOWN
        self._fixed = fixed = colors >= 0
        self._tables = _tables(instance, fixed, n, k)
        self._clauses = empty(n * k, n * k + 1)
        forbid_all(self._tables, instance.offsets, instance.forbidden, self.colors)
        if (k == 0 and not fixed.all()) or (alike and not self._name_colors(instance)) or not self._find_cliques():
            self.result = NONE_EXISTS
        rng, t = np.random.default_rng(seed), self._tables
        t.activity[:] = (1 / (1 + np.repeat(np.maximum(t.left, 0), k)) + 1e-3 * rng.random(n * k)) * 1e-6
        push_open(t)

    @property
    def conflicts(self) -> int:
        """Number of conflicts so far."""
        return int(self._tables.state.conflicts)

    @property
    def entries(self) -> int:
        """Number of pairs: vertices times colors."""
        return len(self._tables.value)

    @property
    def steps(self) -> int:
        """Number of literals propagated so far."""
        return int(self._tables.state.steps)

    def run(self, until: float = math.inf, conflicts: int = 2**62, steps: int = 2**62) -> int:
        """Continue until `result` is known, the time `until`, or a limit of conflicts or steps; return it."""
        t = self._tables
        while self.result == UNKNOWN and self.conflicts < conflicts and self.steps < steps and before(until):
            self._clauses = grown(t, self._clauses)
            status = search(t, self._clauses, conflicts, min(self.steps + SLICE, steps))
            if status == CONTRADICTION:
                self.result = NONE_EXISTS
            elif status == COMPLETE:
                x = np.flatnonzero(t.value > 0)
                self.colors[x // t.k] = x % t.k
                self.result = FOUND
            elif status == RESTARTED:
                reduce(t, self._clauses)
                t.state.full = t.state.clauses + FIRST + MORE
        return self.result

    def _name_colors(self, instance: Instance) -> bool:
        """Break the symmetry of alike colors by a large clique and vertices near it; False if the clique exceeds k."""
        t, n, k = self._tables, len(self.colors), len(instance.spare)
        new = alike_colors(instance, self.colors)
        clique = large_clique(instance.indptr, instance.indices)
        clique = clique[~self._fixed[clique]]
        if len(clique) > k:
            return False
        near = np.zeros(n, np.int64)
        for i, v in enumerate(clique):
            near[instance.indices[instance.indptr[v] : instance.indptr[v + np.uint32(1)]]] += 1
            near[v] = 2 * n - i
        order = np.lexsort((-np.diff(instance.indptr.astype(np.int64)), -near))
        first = order[~self._fixed[order]][: max(len(new) - 1, 0)]
        name_colors(t, first, new)
        return True

    def _find_cliques(self) -> bool:
        """Propagate and search tight cliques, until nothing changes; return False for a contradiction."""
        known = -1
        while propagate(self._tables, self._clauses) == NO_CONFLICT:
            t = self._tables
            if known == t.state.entries:
                return True
            known = int(t.state.entries)
            members, bounds, over = tight_cliques(t, READS)
            if over:
                return False
            n, sizes = len(t.left), np.diff(bounds)
            of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[np.argsort(members, kind="stable")]
            places = np.append(0, np.cumsum(np.bincount(members, minlength=n)))
            count = np.zeros((len(sizes), t.k), np.int32)
            np.add.at(count, np.repeat(np.arange(len(sizes)), sizes), t.value.reshape(n, t.k)[members] >= 0)
            self._tables = t._replace(
                bounds=bounds, members=members, places=places, cliques=of, count=count.reshape(-1)
            )
            propagate_counts(self._tables)
        return False


def alike_colors(instance: Instance, colors: np.ndarray) -> np.ndarray:
    """Return the largest set of unused colors that are barred to the same vertices and have the same spare capacity."""
    k, barred = len(instance.spare), instance.forbidden
    vertex = np.repeat(np.arange(len(colors)), np.diff(instance.offsets))
    order = np.argsort(barred, kind="stable")
    bounds, vertex = np.searchsorted(barred[order], np.arange(k + 1)), vertex[order]
    groups: dict[tuple[float, bytes], list[int]] = {}
    for c in np.setdiff1d(np.arange(k), colors).tolist():
        key = float(instance.spare[c]), vertex[bounds[c] : bounds[c + 1]].tobytes()
        groups.setdefault(key, []).append(c)
    return np.array(max(groups.values(), key=len, default=[]), np.int64)


def _tables(instance: Instance, fixed: np.ndarray, n: int, k: int) -> SearchTables:
    """Create tables in which all pairs are open."""
    pairs, nothing = n * k, np.zeros(0, np.int32)
    weights = np.where(fixed, 0.0, instance.weights)
    t = SearchTables(
        instance.indptr, instance.indices, np.int64(k), np.zeros(pairs, np.int8), np.full(pairs, -1, PAIR_RECORD),
        np.empty(pairs, np.int32), np.zeros(pairs + 2, np.int32), np.full(n, k, np.int32), np.full(n, -1, np.int32),
        weights, instance.spare.astype(np.float64), np.zeros(n), np.full(k, -1, np.int32), np.full(n, -1, np.int32),
        np.zeros(1, np.int64), nothing, np.zeros(n + 1, np.int64), nothing, nothing, np.zeros(pairs),
        np.empty(pairs, np.int32), np.zeros(pairs, np.int8), np.empty(pairs + 1, np.int32),
        np.empty(pairs + 1, np.int32), np.full(pairs + 2, -1, np.int64), np.zeros(1, STATE).view(np.recarray)[0],
    )  # fmt: skip
    t.state.full, t.state.increment, t.state.heaviest = FIRST, 1.0, weights.max(initial=0)
    return t


@njit(cache=True, nogil=True)
def forbid_all(t: Any, offsets: Any, forbidden: Any, colors: Any) -> None:
    """Assign known pairs: vertices with a color, lists, and vertices heavier than the capacity of a class."""
    k, none = t.k, np.int64(DECISION)
    for v in range(colors.size):
        c = colors[v]
        if c >= k:  # not searched: `left` is so large that it never becomes a conflict
            t.left[v] = 2**30
            t.value[v * k : v * k + k] = -1
        elif c >= 0:
            assign(t, v * k + c, 1, none)
        else:
            for j in range(offsets[v], offsets[v + 1]):
                if forbidden[j] < k and t.value[v * k + forbidden[j]] == 0:
                    assign(t, v * k + forbidden[j], -1, none)
            for d in range(k):
                if t.value[v * k + d] == 0 and t.weights[v] > t.spare[d]:
                    assign(t, v * k + d, -1, none)


@njit(cache=True, nogil=True)
def name_colors(t: Any, order: Any, new: Any) -> None:
    """Restrict the i-th vertex of an order to the first i + 1 of the new colors."""
    for i in range(order.size):
        for j in range(i + 1, new.size):
            x = np.int64(order[i]) * t.k + new[j]
            if t.value[x] == 0:
                assign(t, x, -1, np.int64(DECISION))


@njit(cache=True, nogil=True)
def propagate_counts(t: Any) -> None:
    """Assign pairs that the counts of new cliques imply."""
    for q in range(t.bounds.size - 1):
        for c in range(t.k):
            if t.count[q * t.k + c] != 1:
                continue
            for i in range(t.bounds[q], t.bounds[q + 1]):
                x = np.int64(t.members[i]) * t.k + c
                if t.value[x] == 0:
                    assign(t, x, 1, np.int64(DECISION))


@njit(cache=True, nogil=True)
def push_open(t: Any) -> None:
    """Put all open pairs into the heap."""
    for x in range(t.value.size):
        if t.value[x] == 0:
            t.state.open += 1
            rise(t.heap, t.pairs, t.activity, x, t.state.open - 1)
