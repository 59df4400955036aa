"""Qualities of star and acyclic colorings and of bicolorings: orders, one-sided colorings, and squeaky wheels.

Counts limit every attempt, so that the colors are the same on every run. A CPU colors inputs of up to HOST entries, so
that the colors are the same on every device. Larger inputs are colored on their device, in orders with short chains on
most graphs: `cyclic` if it suits the graph, else breadth-first search, or smallest log last if there are hubs.

- A coloring of columns or of rows alone is a bicoloring whose other side is neutral.
- A squeaky wheel repeats a star coloring or star bicoloring (engines/two_colored/squeaky_wheel.py).
- An acyclic bicoloring never has more colors than the star bicoloring of the same quality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count, takewhile
from typing import Any, cast

import numpy as np

from ..base.log import Log, before
from ..engines.two_colored.first_fit import acyclic, star
from ..engines.two_colored.neutral import without_unneeded
from ..engines.two_colored.squeaky_wheel import fewer_stars
from ..graph.bipartite import Augmented
from ..graph.nets import Nets
from ..orders import TWO_HOPS, Priorities
from ..orders.two_hop_linear import cyclic
from ..problems import PROBLEMS, Problem, registry
from ..problems.registry import TABLES, Algorithm
from . import FAST, Attempt, Limit, Search, nets

Order = tuple[str, int | None]
HOST = 1 << 20  # a CPU colors inputs up to this number of entries
SMALL = 1 << 17  # all orders are tried up to this number of entries
HOPS = 1 << 23  # orders at two hops are tried up to this sum of squared degrees
STARS = ("star", "star_bicoloring")
FIRST_FIT = {"star": star, "acyclic": acyclic}
# Orders with the fewest colors in total on 236 graphs and matrices, the most useful first.
ORDERS: dict[str, tuple[Order, ...]] = {
    "star": (
        ("connected_sequential_bfs", None), ("smallest_last", None), ("natural", None), ("smallest_log_last", 0),
    ),
    "acyclic": (
        ("incidence_degree", None), ("connected_sequential_bfs", None), ("natural", None), ("smallest_log_last", 0),
    ),
    "star_bicoloring": (("incidence_degree", None), ("natural", None)),
    "acyclic_bicoloring": (("incidence_degree", None), ("natural", None)),
}  # fmt: skip
MORE: tuple[Order, ...] = (
    ("random", 0), ("incidence_degree", None), ("random", 1), ("largest_first", None),
    ("independent_set", None), ("approximate_degeneracy", None), ("connected_sequential_dfs", None),
)  # fmt: skip
TWO_HOP = ("smallest_last", "largest_first", "incidence_degree")
# For large graphs: breadth first; another order if the largest degree exceeds UNEVEN times the mean, since hubs cause
# long chains.
BY_BREADTH: tuple[Order, ...] = (("connected_sequential_bfs", None),)
UNEVEN = 2
BY_DEGREE: tuple[Order, ...] = (("smallest_log_last", 0),)
# For acyclic colorings with large hubs: on 21 graphs 0.16 to 1.04 times the colors of smallest last, mean 0.74.
BY_CHANCE: tuple[Order, ...] = (("random", 0),)
# Limits of a squeaky wheel: turns; vertices and entries that they read together; turns in addition.
TURNS, READS, ALWAYS = 48, 1 << 23, 2
# Costs for best, as multiples of the first coloring's; default: 2.
COSTS = {
    "independent_set": 6, "smallest_last, two hops": 8, "incidence_degree, two hops": 8, "columns": 3, "rows": 3,
    "star_bicoloring": 12,
}  # fmt: skip


def reason_for_cpu(problem: Problem, G: Any, quality: str) -> str:
    """Return why a CPU colors a graph that is on a GPU; "" if it does not."""
    if G.m * len(problem.colored) <= HOST and (quality != "fast" or problem.default_on_gpu):
        return "a graph with few entries takes fewer colors there, or less time"
    if not problem.default_on_gpu:
        return ""
    uneven = registry.is_uneven(G) or (not problem.symmetric and registry.is_uneven(G.T))
    if uneven and (quality != "fast" or not problem.symmetric):
        return "a graph with large hubs takes fewer colors there"
    return ""


def run(H: Any, p: Priorities, log: Log, quality: str, seed: int, limit: Limit | None, row: Algorithm) -> Any:
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring, which `row` makes."""
    least = PROBLEMS[row.problem].lower_bound(H.pattern if isinstance(H, Augmented) else H)
    search = Search(H, log, seed, limit if quality == "best" else None, least)
    search.p = p
    return search.run(rows(search, row, quality == "best"))


def rows(search: Search, row: Algorithm, best: bool) -> Iterator[Attempt]:
    """Yield orders, one-sided colorings, and a squeaky wheel; for best also attempts until the limit."""
    H = search.G
    yield attempt(FAST, lambda search, _, log: row.run(search.G, search.p, log))
    search.result()
    sides = one_sided(search, row) if isinstance(H, Augmented) else ()
    yield from [*sides, *orders(search, row)]  # these depend on the number of colors of the first coloring
    if row.problem == "acyclic_bicoloring":
        yield attempt("star_bicoloring", partial(star_bicoloring, row))
    if row.problem in STARS and H.m <= HOST:
        turns = ALWAYS + min(TURNS, READS // (H.n + H.m))
        yield attempt("squeaky_wheel", partial(squeaky_wheel, row, turns, search.seed))
    if best:
        yield from until_the_end(search, row)


def attempt(name: str, make: Callable[[Search, float, Log], Any]) -> Attempt:
    """Create an attempt, with a cost by name."""
    return Attempt(name, COSTS.get(name, 2), make)


def orders(search: Search, row: Algorithm) -> list[Attempt]:
    """Return attempts with the same algorithm in further orders."""
    H: Any = search.G
    found = _cyclic(H, search.n_colors) if row.problem == "star" else []
    chosen = ORDERS[row.problem]
    if H.m > HOST:
        chosen = BY_DEGREE if H.max_degree * H.n > UNEVEN * H.m else () if found else BY_BREADTH
    if H.m <= SMALL:
        chosen += tuple(order for order in MORE if order not in chosen)
    elif row.problem == "acyclic" and registry.is_uneven(H):
        chosen += BY_CHANCE
    found += [
        (name if seed is None else f"{name}, seed {seed}", Priorities.of(H, name, seed=seed))
        for name, seed in chosen if (name, seed) != (search.p.name, search.p.seed)
    ]  # fmt: skip
    if H.m <= HOST and not isinstance(H, Augmented) and (H.degrees.astype(np.int64) ** 2).sum() <= HOPS:
        near = Nets.neighborhoods(H)
        found += [(f"{name}, two hops", Priorities(H, name, None, partial(_two_hop, near, name))) for name in TWO_HOP]
    return [attempt(name, partial(first_fit, row, p)) for name, p in found]


def first_fit(row: Algorithm, p: Priorities, search: Search, _: float, log: Log) -> Any:
    """Color by first-fit in a further order; None if it needs as many colors as the present coloring (on a CPU)."""
    H: Any = search.G
    if H.on_gpu or isinstance(H, Augmented):
        return row.run(H, p, log)
    return FIRST_FIT[row.problem](H, p.sequence, most=search.n_colors - 1)


def one_sided(search: Search, row: Algorithm) -> Iterator[Attempt]:
    """Yield colorings of the columns, or of the rows, with a neutral other side, if these can have fewer colors."""
    P = cast(Augmented, search.G).pattern
    for problem, longest in (("columns", P.max_degree), ("rows", P.T.max_degree)):
        if longest >= search.n_colors:
            continue

        def make(search: Search, _: float, log: Log, problem: str = problem) -> Any:
            structure, one = PROBLEMS[problem].structure(P), TABLES[problem][FAST]
            p, inner = Priorities.of(structure, one.order, seed=one.seed), Log()
            colors = nets.run(structure, p, inner, "balanced", search.seed, None, one)
            log.notes.update({"interrupted": True} if inner.notes.get("interrupted") else {})
            without = P.xp.full(P.rows if problem == "columns" else P.columns, -1, np.int32)
            colors = P.xp.concatenate([without, colors] if problem == "columns" else [colors, without])
            return without_unneeded(search.G, colors, P.rows) if _postprocess(row) else colors

        yield attempt(problem, make)


def star_bicoloring(row: Algorithm, search: Search, _: float, log: Log) -> Any:
    """Color the stricter problem with quality balanced."""
    inner = Log()
    colors = run(search.G, search.p, inner, "balanced", search.seed, None, _default(row, "star_bicoloring"))
    log.notes.update({"interrupted": True} if inner.notes.get("interrupted") else {})
    return colors


def squeaky_wheel(row: Algorithm, turns: int, seed: int, search: Search, until: float, log: Log) -> Any:
    """Make up to `turns` first-fit colorings from the best one so far, while there is time for two."""
    H, until = search.G, until - 2 * search.first_seconds

    def goes_on() -> bool:
        ahead = False
        with log.best_so_far():
            ahead = before(until)
        return ahead

    colors = fewer_stars(H, search.colors, turns, seed, search.least, goes_on)
    return without_unneeded(H, colors, H.pattern.rows) if isinstance(H, Augmented) and _postprocess(row) else colors


def until_the_end(search: Search, row: Algorithm) -> Iterator[Attempt]:
    """Yield random orders and ever longer squeaky wheels in turn, until the limit or an optimal coloring."""
    H, seed = search.G, search.seed
    for turn in takewhile(lambda _: search.fits(2), count(2)):
        yield attempt(f"random, seed {turn}", partial(first_fit, row, Priorities.of(H, "random", seed=turn)))
        if row.problem in STARS and H.m <= HOST:
            yield attempt("squeaky_wheel", partial(squeaky_wheel, row, TURNS << min(turn, 16), seed + turn))


def _default(row: Algorithm, problem: str) -> Algorithm:
    """Return the default algorithm of a problem on a CPU, with the options of a row."""
    default = TABLES[problem][PROBLEMS[problem].default]
    return replace(default, run=partial(default.run, **getattr(row.run, "keywords", {})))


def _postprocess(row: Algorithm) -> bool:
    """Return whether colors that no entry needs become neutral."""
    return getattr(row.run, "keywords", {}).get("postprocess", True)


def _cyclic(H: Any, n_colors: int) -> list[tuple[str, Priorities]]:
    """Return the order by residues of ids, if these are fewer than the colors; it suits star colorings of meshes."""
    sequence = cyclic(Nets.neighborhoods(H), n_colors)
    return [] if sequence is None else [("cyclic", Priorities(H, "cyclic", None, lambda *_: sequence))]


def _two_hop(near: Nets, name: str, *_: Any) -> Any:
    """Return the sequence of an order at two hops."""
    return TWO_HOPS[name].make(cast(Any, near), None)
