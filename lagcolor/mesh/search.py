"""Colors of elements: one pass, or the fewest of several orders."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.color import color as rows_of
from ..base import device as dev
from ..base.device import extremes
from ..base.log import Log
from ..engines.elements import cuda
from ..engines.elements.sequential import MOST_COLORS, SEED, balance_classes, breadth_first, first_fit
from ..engines.two_hop.cuda import first_fit_in_nets
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from ..orders.ties import tie_order
from ..orders.two_hop_linear import cyclic
from ..problems.rows import lower_bound
from ..search import UNSUITED, Attempt, Search, one_by_one

READS = 1 << 24  # of elements at the nodes of elements, up to which the graph of these pairs is stored


def color(nodes: Any, P: Pattern, quality: str, even: bool, log: Log) -> Any:
    """Colors of elements, on the device of the pattern; `nodes` is int32 and contiguous."""
    if quality == "fast" and P.on_gpu and P.rows:
        colors = first_fit_in_nets(Nets(P, P.T), tie_order(P.xp, P.rows, SEED))
        k = extremes.largest(colors, empty=-1) + 1
        if even and 1 < k <= MOST_COLORS:
            cuda.launch(cuda.ELEMENTS, nodes, None, P.columns, cuda.BALANCE, -(-k // 64), colors)
        return colors
    here, P = dev.to_device(nodes, "cpu"), P.on("cpu")
    colors = first_fit(P, tie_order(np, P.rows, SEED)) if quality == "fast" else fewest(here, P, log)
    if even:
        balance_classes(P, colors)
    return dev.to_device(colors, dev.device_of(nodes))


def fewest(nodes: np.ndarray, P: Pattern, log: Log) -> Any:
    """The first coloring with the fewest colors, of several orders; ``log.notes["tried"]`` has all."""
    search = Search(Nets.rows(P), Log(), least=lower_bound(P))

    def in_order(order: np.ndarray | None) -> Any:
        return UNSUITED if order is None else first_fit(P, order)

    rows = (
        Attempt("natural", 0, lambda *_: first_fit(P)),
        Attempt("cyclic", 0, lambda search, *_: in_order(cyclic(search.G, search.n_colors))),
        Attempt("breadth_first", 0, lambda *_: in_order(breadth_first(nodes, P.T))),
        Attempt("search", 0, lambda search, *_: by_search(search.G, search.log)),
    )
    one_by_one(search, rows)
    colors = search.result()
    order = next(row["name"] for row in search.tried if row["colors"] == search.n_colors)
    log.notes |= search.log.notes | {"order": order}
    return colors


def by_search(H: Nets, log: Log) -> Any:
    """What `lagcolor.color` finds with the graph of pairs of elements that share a node; nothing where it is large."""
    if H.reads(READS) > READS:
        return UNSUITED
    result = rows_of(H.of_vertices, problem="rows", quality="balanced", verify=False)
    skipped = [row["why"] for row in result.notes.get("tried", ()) if "why" in row]
    if why := result.notes.get("memory", skipped and skipped[0]):
        log.notes["memory"] = why
    return result.colors
