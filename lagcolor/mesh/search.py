"""Colors of elements: one pass, or the fewest of several orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.color import color as rows_of
from ..base import device as dev
from ..base.compile_clock import stopwatch
from ..base.device import extremes
from ..base.log import Log
from ..engines.balance.even import RATIO, is_reached, ratio_of
from ..engines.elements import cuda
from ..engines.elements.breadth_first import breadth_first
from ..engines.elements.sequential import MOST_COLORS, SEED, balance_classes, first_fit
from ..engines.two_hop.cuda import first_fit_in_nets
from ..graph.nets import Nets
from ..graph.pattern import Pattern
from ..orders.ties import tie_order
from ..orders.two_hop_linear import cyclic
from ..problems.rows import lower_bound

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
    least, best, k, tried = lower_bound(P), None, 2**31, []
    attempts: list[tuple[str, Callable[[], Any]]] = [
        ("natural", lambda: first_fit(P)),
        ("cyclic", lambda: None if (order := cyclic(Nets(P, P.T), k)) is None else first_fit(P, order)),
        ("breadth_first", lambda: first_fit(P, breadth_first(nodes, P.T))),
        ("search", lambda: by_search(P, log)),
    ]
    for name, make in attempts:
        passed = stopwatch()
        if k <= least or (colors := make()) is None:
            continue
        found = extremes.largest(colors, empty=-1) + 1
        tried.append({"name": name, "colors": found, "ms": round(passed() * 1e3, 3)})
        if found < k:
            best, k, log.notes["order"] = colors, found, name
    log.notes["tried"] = tried
    return best


def by_search(P: Pattern, log: Log) -> Any:
    """What `lagcolor.color` finds with the graph of pairs of elements that share a node; None where it is large."""
    if Nets(P, P.T).reads(READS) > READS:
        return None
    result = rows_of(P, problem="rows", quality="balanced", verify=False)
    skipped = [row["why"] for row in result.notes.get("tried", ()) if "why" in row]
    if why := result.notes.get("memory", skipped and skipped[0]):
        log.notes["memory"] = why
    return result.colors


def note_evenness(colors: Any, log: Log) -> None:
    """Say in the notes how even the classes of a balanced coloring are."""
    sizes = dev.to_device(dev.counts(colors, extremes.largest(colors, empty=-1) + 1), "cpu")
    log.notes["balance"] = {"ratio": RATIO, "after": ratio_of(sizes), "reached": is_reached(sizes, RATIO)}
