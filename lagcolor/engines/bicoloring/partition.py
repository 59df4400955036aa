"""Bicolorings by a partition of the entries: dense rows are in products of rows, all other entries in those of columns.

Rows are taken by falling number of entries, t of them as rows; the entries of the others are a matrix whose columns are
colored. The same is done with the transpose. That is right whatever t is: rows that are no rows of products are
neutral, and so are columns without an entry left. t = 0 is a coloring of columns alone, so there are never more colors
than with one kind of product.

For which t there are few colors is seen beforehand, in one pass over the entries: t rows need as many colors as the
most of them that share a column, at least, and the columns as many as the longest row left. The t with the least sum is
colored, and t = 0.

First-fit of the bipartite graph does not find such partitions: in an arrow all rows but the dense one may have its
color, and then each column needs one of its own.

References
----------
Coleman, Verma 1998, "The efficient computation of sparse Jacobian matrices using automatic differentiation", whose MNCO
takes a row or a column at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...augmented import Augmented
from ...device.compiled import njit
from ...hops import Hops
from ...orders import Priorities
from ...pattern import Pattern
from ...registry import TABLES, coloring
from ...result import Log
from .first_fit import acyclic_bicoloring, star_bicoloring

NEUTRAL = np.int32(-1)
DIRECT, SUBSTITUTION = "star_bicoloring", "acyclic_bicoloring"
ROW: dict[str, Any] = {
    "style": "sequential",
    "engines": ("cpu",),
    "bound": "min(rows, columns)",
    "deterministic": True,
    "seed": None,
}


@coloring(
    "partition", problem=(DIRECT, SUBSTITUTION), paper="after Coleman and Verma 1998", order="natural", needs=None,
    reads_order=False, **ROW,
)  # fmt: skip
def partition(G: Augmented, p: Priorities, log: Log) -> np.ndarray:
    """Dense rows in products of rows and the rest in those of columns, or the other way round: what needs fewer."""
    P = G.pattern
    log.round(active=G.n, colored=G.n, conflicts=0)
    found = [_with_rows(P, t) for t in _counts(P)]
    turned = [_with_rows(P.T, t) for t in _counts(P.T)]
    colors = [_numbered(rows, columns) for rows, columns in [*found, *((c, r) for r, c in turned)]]
    return min(colors, key=lambda c: int(c.max(initial=-1)))


@coloring(
    "fewest", problem=DIRECT, paper="of first_fit and partition", order="smallest_last", needs="sequence",
    options={"postprocess": "as of first_fit"}, **ROW,
)  # fmt: skip
def fewest_direct(G: Augmented, p: Priorities, log: Log, postprocess: bool = True) -> np.ndarray:
    """The bicoloring with fewer colors of those by first-fit and by a partition of the entries."""
    return _fewest(star_bicoloring(G, p, log, postprocess), partition(G, p, log))


@coloring(
    "fewest", problem=SUBSTITUTION, paper="of first_fit and partition", order="smallest_last", needs="sequence",
    options={"postprocess": "as of first_fit"}, **ROW,
)  # fmt: skip
def fewest_by_substitution(G: Augmented, p: Priorities, log: Log, postprocess: bool = True) -> np.ndarray:
    """The bicoloring with fewer colors of those by first-fit and by a partition of the entries."""
    return _fewest(acyclic_bicoloring(G, p, log, postprocess), partition(G, p, log))


def _fewest(*every: np.ndarray) -> np.ndarray:
    """The first with the fewest colors."""
    return min(every, key=lambda colors: int(colors.max(initial=-1)))


def _counts(P: Pattern) -> list[int]:
    """Numbers of dense rows to try: none, and that for which the fewest colors may do."""
    if not P.rows:
        return [0]
    degrees = np.diff(P.indptr)
    shared = _shared(P.indptr, P.indices, _by_degree(P), np.zeros(P.columns, np.int32))
    left = np.append(np.sort(degrees)[::-1], 0)  # the longest row after t
    best = int(np.argmin(np.append(0, shared) + left))
    return [0, best] if best else [0]


def _by_degree(P: Pattern) -> np.ndarray:
    """Rows by falling number of entries, then by number."""
    return np.argsort(-np.diff(P.indptr), kind="stable")


@njit(cache=True, nogil=True)
def _shared(indptr: Any, indices: Any, order: Any, count: Any) -> Any:
    """The most entries that a column has in the first t rows of an order, for t = 1 …; `count` is zeros."""
    most = np.empty(order.size, np.int64)
    highest = 0
    for t in range(order.size):
        v = order[t]
        for e in range(indptr[v], indptr[v + 1]):
            j = indices[e]
            count[j] += 1
            highest = max(highest, count[j])
        most[t] = highest
    return most


def _with_rows(P: Pattern, t: int) -> tuple[np.ndarray, np.ndarray]:
    """Colors of rows and of columns, int32, each from 0 on or −1, with the t longest rows in products of rows."""
    dense = np.zeros(P.rows, bool)
    dense[_by_degree(P)[:t]] = True
    return _colored("rows", P, dense), _colored("columns", P, ~dense)


def _colored(problem: str, P: Pattern, kept: np.ndarray) -> np.ndarray:
    """First-fit of the rows or columns of those rows of a pattern that are kept; −1 for what has no entry there."""
    degrees = np.where(kept, np.diff(P.indptr), 0)
    indices = P.indices if kept.all() else P.indices[np.repeat(kept, np.diff(P.indptr))]
    part = Pattern(np.append(0, np.cumsum(degrees)).astype(P.indptr.dtype), indices, P.columns)
    H = Hops.rows(part) if problem == "rows" else Hops.columns(part)
    row = TABLES[problem]["first_fit"]
    colors = row.run(H, Priorities.of(H, row.order, row.seed), Log())
    return np.where(H.nets.degrees > 0, colors, NEUTRAL)


def _numbered(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Colors of both, those of the columns after those of the rows."""
    below = np.int32(rows.max(initial=-1) + 1)
    return np.concatenate([rows, np.where(columns < 0, NEUTRAL, columns + below)]).astype(np.int32)
