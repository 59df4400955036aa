"""algorithm="auto": three qualities, which take more time for fewer colors.

==========  ==========================================================================================================
fast        deterministic first-fit: `first_fit`, the same colors on a CPU and a GPU
balanced    fast, then two colors where two do, the order of ids on structured meshes, and ejection limited by work.
            On a GPU ejection is launched together with fast, and the rest is tried where what was seen of the graph
            allows it; for large graphs two colors and box lattices are tried before fast, since the tests take no
            longer and end the search where they succeed, and ejection goes on for as long as fast took
best        all that balanced does; then a clique, the order of ids (on a CPU), more ejection, more
            orders; iterated greedy and ejection, HEAD (on a GPU: on dense graphs), on a CPU branch and bound, too, in
            turn until `time_limit`; the best so far on Ctrl-C
==========  ==========================================================================================================

A coloring of two colors, of three where two do not do, of a box lattice, of as many as a clique has vertices, or where
branch and bound has tried all with one color less, is the best there is and ends the search; `Log.lower_bound` keeps
what was proven. What a time limit cuts off depends on the machine: fast gives the same colors on every run, balanced
does except on large graphs on a GPU.

The limit counts from the beginning of `color`, conversion and the check included. Loading and compiling code extends it
by the time that it takes. attempts.py has the attempts.
"""

from __future__ import annotations

from typing import Any

from semirings.runtime.compile_clock import clock, stopwatch

from ..core.graph import Graph
from ..core.registry import ALGORITHMS
from ..core.result import Log
from ..orders import Priorities
from .attempts import (
    FAST,
    PATIENCE,
    Limit,
    Search,
    balanced,
    best,
    ejection_at_once,
    few_colors,
    first_and_ejection,
    lattice,
    natural,
    two,
)

QUALITIES = ("fast", "balanced", "best")
DEFAULT_LIMIT = 1.0  # seconds for best


def run(
    G: Graph, p: Priorities, log: Log, quality: str = "balanced", seed: int = 0, limit: Limit | None = None,
    options: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """Color with quality "balanced" or "best"; `p` is the order of the first coloring.

    Parameters
    ----------
    G : Graph
    p : Priorities
    log : Log
        Gets ``notes["tried"]`` and the lower bound.
    quality : {"balanced", "best"}
    seed : int
    limit : Limit, optional
        For "best"; default: DEFAULT_LIMIT from now on.

    Returns
    -------
    array of int32, shape (n,)
        On the graph's device.

    Raises
    ------
    MemoryError
        Not even the first coloring fits; attempts that do not fit beside it are left out, see ``notes["tried"]``.
    """
    first = ALGORITHMS[FAST]
    limit = limit or Limit(clock(), DEFAULT_LIMIT)
    search = Search(G, log)
    try:

        def make(log: Log) -> Any:
            return first.run(G, p, log, **(options or {}))

        first_seconds = first_and_ejection(search, first.name, make, seed)
        if at_once := first_seconds is not None:
            few_colors(search)
        else:
            if G.on_gpu and G.n:
                two(search)
                lattice(search)
            passed = stopwatch()
            search.attempt(first.name, make)
            first_seconds = passed()
        if search.colors is None:
            raise MemoryError(f"{first.name}: {search.no_memory[first.name]}")
        if G.n and quality == "best":
            best(search, seed, limit, first_seconds)
        elif G.on_gpu and G.n:
            natural(search, PATIENCE * first_seconds)
            if not at_once:
                balanced(search, seed, first_seconds)
        elif G.n:
            two(search)
            before = search.n_colors
            natural(search, 0.0)
            if search.n_colors == before:
                ejection_at_once(search, seed)
    except KeyboardInterrupt:
        if search.colors is None:
            raise
        log.notes["interrupted"] = True
    finally:
        log.lower_bound = search.least
    return search.colors
