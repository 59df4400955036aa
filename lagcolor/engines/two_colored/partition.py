"""Bicolorings by a partition of the entries: dense rows are in products of rows, all other entries in products of
columns.

The t longest rows are colored as rows; the entries of the other rows are a matrix whose columns are colored. The
transpose is tried as well. Each t gives a valid bicoloring: the other rows are neutral, and so are columns without
remaining entries. t = 0 is first-fit of columns alone, by id or longest first, so there are never more colors than in
the coloring of columns or of rows.

An estimate finds a t with few colors (cover.py). This t is tried, and t = 0 unless the longest row alone needs more
colors. First-fit of the bipartite graph with the rows and columns of the partition (first_fit.py) may need fewer
colors, because an entry of a dense row may be in a product of columns; or more.

References
----------
Coleman, Verma 1998, "The efficient computation of sparse Jacobian matrices using automatic differentiation", whose MNCO
takes a row or a column at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from ...base import device as dev
from ...base.device import extremes
from ...base.log import Log
from ...graph.bipartite import Augmented
from ...graph.nets import Nets
from ...graph.pattern import Pattern
from ...orders import Priorities
from ...orders.by_key import by_key
from ...problems import PROBLEMS
from ...problems.registry import TABLES, coloring
from .bicoloring import acyclic_bicoloring, speculative, star_bicoloring
from .cover import by_degree, dense, select_rows

NEUTRAL = np.int32(-1)
DIRECT, SUBSTITUTION = "star_bicoloring", "acyclic_bicoloring"
ROW: dict[str, Any] = {
    "style": "kernel",
    "engines": ("cpu", "cuda"),
    "bound": "min(rows, columns)",
    "deterministic": True,
    "seed": None,
}


@coloring(
    "partition", problem=(DIRECT, SUBSTITUTION), paper="after Coleman and Verma 1998", order="natural", needs=None,
    reads_order=False, **ROW,
)  # fmt: skip
def partition(G: Augmented, p: Priorities, log: Log) -> Any:
    """Dense rows in products of rows and the rest in products of columns, or the reverse if it needs fewer colors."""
    log.round(active=G.n, colored=G.n, conflicts=0)
    return G._cached("partition", lambda: _partition(G.pattern))  # a search calls this for each of its orders


def _partition(P: Pattern) -> Any:
    """Return the colors of the partition with the fewest."""
    tries = [(Q, t) for Q in (P, P.turned()) for t in _counts(Q)]
    best, least = None, (0, 0)
    # Tries without dense rows come last, and only if they may need as few: an arrow matrix takes quadratic time.
    for turn, (Q, t) in sorted(enumerate(tries), key=lambda one: one[1][1] == 0):
        if t > 0 or best is None or Q.max_degree <= least[0]:
            rows, columns = _with_rows(Q, t)
            colors = _numbered(rows, columns) if Q is P else _numbered(columns, rows)
            if best is None or (extremes.largest(colors) + 1, turn) < least:
                best, least = colors, (extremes.largest(colors) + 1, turn)
            del rows, columns, colors
    return best


@coloring(
    "fewest", problem=DIRECT, paper="of first_fit and partition", order="smallest_last", needs="sequence",
    options={"postprocess": "as of first_fit"}, **ROW,
)  # fmt: skip
def fewest_direct(G: Augmented, p: Priorities, log: Log, postprocess: bool = True) -> Any:
    """The bicoloring with fewer colors by first-fit or by a partition of the entries."""
    return _fewest(G, lambda: star_bicoloring(G, p, log, postprocess), lambda: partition(G, p, log))


@coloring(
    "fewest", problem=SUBSTITUTION, paper="of first_fit and partition", order="smallest_last", needs="sequence",
    options={"postprocess": "as of first_fit"}, **ROW | {"style": "sequential", "engines": ("cpu",)},
)  # fmt: skip
def fewest_by_substitution(G: Augmented, p: Priorities, log: Log, postprocess: bool = True) -> Any:
    """The bicoloring with the fewest colors by first-fit with a cover, without a cover, or by a partition."""
    return _fewest(
        G,
        lambda: acyclic_bicoloring(G, p, log, postprocess),
        lambda: partition(G, p, log),
        lambda: acyclic_bicoloring(G, p, log, postprocess, cover=False),
    )


@coloring(
    "fewest_speculative", problem=SUBSTITUTION, paper="of speculative and partition", order="random",
    needs="sequence", options={"postprocess": "as of speculative"}, **ROW | {"engines": ("cuda",)},
)  # fmt: skip
def fewest_speculative(G: Augmented, p: Priorities, log: Log, postprocess: bool = True) -> Any:
    """The bicoloring with the fewest colors by rounds with a cover, without a cover, or by a partition."""
    return _fewest(
        G,
        lambda: speculative(G, p, log, postprocess),
        lambda: partition(G, p, log),
        lambda: speculative(G, p, log, postprocess, cover=False),
    )


def _fewest(G: Augmented, *every: Callable[[], Any]) -> Any:
    """Return the first coloring with the fewest colors, ties by colors of rows. At most two are in memory."""
    rows = G.pattern.rows
    best, least = None, (0, 0)
    for make in every:
        colors = make()
        sizes = extremes.largest(colors), extremes.largest(colors[:rows])
        if best is None or sizes < least:
            best, least = colors, sizes
        del colors
    return best


def _counts(P: Pattern) -> list[int]:
    """Return the numbers of dense rows to try: 0, and the number with the least estimate."""
    _, best = dense(P)
    return [0, best] if best else [0]


def _with_rows(P: Pattern, t: int) -> tuple[Any, Any]:
    """Return colors of rows and of columns (int32, each from 0 on, or −1), with the t longest rows as rows."""
    as_rows = dev.used(by_degree(P)[:t], P.rows)
    return _colored("rows", P, as_rows), _colored("columns", P, ~as_rows)


def _colored(problem: str, P: Pattern, selected: Any) -> Any:
    """Color rows or columns of the selected rows by first-fit, by id or longest first; −1 for empty ones."""
    if problem == "columns" and not P.on_gpu:  # first-fit on a CPU reads only the nets of vertices
        nets, least = Nets(_select_entries(P.T, selected[P.T.indices])), extremes.largest(P.degrees[selected])
    else:
        part = select_rows(P, selected) if P.on_gpu else _select_entries(P, selected[P.rows_of_entries()])
        nets = Nets.rows(part) if problem == "rows" else Nets.columns(part)
        least = PROBLEMS[problem].lower_bound(part)
    row = TABLES[problem]["first_fit"]
    colors = row.run(nets, Priorities.of(nets, row.order, seed=row.seed), Log())
    if extremes.largest(colors) + 1 > least:
        again = row.run(nets, Priorities(cast(Any, nets), "longest first", row.seed, _longest_first), Log())
        colors = min(colors, again, key=extremes.largest)
    return P.xp.where(nets.of_vertices.degrees > 0, colors, NEUTRAL)


def _longest_first(nets: Any, seed: int | None) -> Any:
    """Return vertices in most nets first, ties by `seed`."""
    return by_key(nets, nets.of_vertices.degrees, nets.of_vertices.max_degree, seed)


def _select_entries(P: Pattern, selected: Any) -> Pattern:
    """Return the pattern with selected entries, on a CPU; the pattern itself if it has no others."""
    if selected.all():
        return P
    before = np.zeros(P.m + 1, P.indptr.dtype)
    np.cumsum(selected, out=before[1:])
    return Pattern(before[P.indptr], P.indices[selected], P.columns)


def _numbered(rows: Any, columns: Any) -> Any:
    """Return the colors of rows and columns; columns have the higher colors."""
    below, xp = np.int32(extremes.largest(rows) + 1), dev.module_of(rows)
    return xp.concatenate([rows, xp.where(columns < 0, NEUTRAL, columns + below)])
