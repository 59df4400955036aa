"""color(x): the data flow of the whole library, in the order to read the code in."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from . import device as dev
from .errors import OptionError
from .graph import Graph
from .problems.distance1 import verify as check
from .quality import AUTO, DEFAULT_LIMIT, Limit
from .quality import check as check_quality
from .quality import run as search
from .registry import ALGORITHMS, Algorithm
from .result import Coloring, Log
from .round_bounds import warn as warn_of_rounds
from .timing import VERIFY_UP_TO, priorities, timed
from .warm_up import warm_up


def color(
    x: Any,
    algorithm: str = "auto",
    order: Any = None,
    seed: int | None = None,
    *,
    quality: str | None = None,
    time_limit: float | None = None,
    device: str | None = None,
    symmetrize: bool = False,
    verify: bool | None = None,
    trace: bool = False,
    **options: Any,
) -> Coloring:
    """Color the vertices of a graph so that no edge joins two vertices of one color.

    Parameters
    ----------
    x : Graph or anything that `Graph.of` takes
        scipy or cupyx sparse matrix, NetworkX or igraph graph, edge index, path …
    algorithm : str
        A name in `lagcolor.ALGORITHMS`; "auto" takes what `quality` needs.
    order : str or array of shape (n,), optional
        A name in `lagcolor.ORDERS`, or your own priorities: the larger is colored earlier.
        Default: what the algorithm's registry row says.
    seed : int or None, optional
        A number breaks ties of the order by a hash of it and the vertex id; None takes the
        algorithm's default, which for sequential algorithms breaks them by vertex id.
    quality : {"fast", "balanced", "best"}, optional
        For "auto". "fast" (default): deterministic first-fit, `greedy` on one core of a CPU and `ecl_gc` on a GPU.
        "balanced": that, and then two colors where two do, and ejection, mostly for two to three times the time in all.
        "best": that, and then goes on until `time_limit`, or until no coloring can be better (`lower_bound` of the
        result), and returns the best so far, also on Ctrl-C. ``notes["tried"]`` of the result says what it took.
        Only "fast" gives the same colors on every run.
    time_limit : float, optional
        Seconds for "best", default 1, from the call on: conversion, order, loading of compiled code and check
        included. What "balanced" does is done whatever the limit.
    device : str, optional
        "cpu", "cuda", "cuda:1"; default: where `x` lives.
    symmetrize : bool
        Color the graph of A ∪ Aᵀ where the input is not symmetric, instead of raising.
    verify : bool, optional
        Check the result with the independent verifier, outside the timing. Default: for graphs
        of up to 10 M edges.
    trace : bool
        Keep a row of statistics a round.
    **options
        Options of the algorithm, as its registry row lists them.

    Returns
    -------
    Coloring

    Raises
    ------
    GraphError
        The input is no undirected graph; the message names the first offender and the remedy.
    FormatError, OSError
        A file is malformed, or cannot be opened.
    OptionError
        Unknown algorithm, order or option; an order or seed for an algorithm that reads none.
    DeviceError
        A GPU was asked for and there is none.

    Warns
    -----
    RoundsWarning
        On a CPU only: the algorithm takes a pass over the graph a round, and would need very many on this one.
    CacheWarning
        Compiled code can be kept nowhere; once a process.
    """
    begun = time.perf_counter()
    quality = check_quality(algorithm, quality, time_limit)
    G = x if isinstance(x, Graph) else Graph.of(x, symmetrize=symmetrize)
    if device is not None:
        G = G.on(device)
    with dev.using(G.indices):
        row = _algorithm(algorithm, G, order, seed, options)
        if quality != "fast":
            checked = verify is not False and (verify is True or G.n_edges <= VERIFY_UP_TO)
            limit = Limit(begun, DEFAULT_LIMIT if time_limit is None else float(time_limit), checked)
            row, options = _search(row, quality, seed, limit)
        warm_up(G, row, order, trace, options)
        p, order_seconds = priorities(G, row, order, seed)
        if row.chain:
            warn_of_rounds(G, row, p)
        convert_seconds = G.convert_seconds + _prepare(G, row)
        log = Log(trace)
        colors, seconds = timed(G, lambda: row.run(G, p, log, **options))
        result = Coloring(
            colors, G, row.name, p.name, p.seed, max(log.rounds, 1), seconds,
            order_seconds, convert_seconds, lower_bound=log.lower_bound, trace=log.rows, notes=log.notes,
        )  # fmt: skip
        if verify or (verify is None and G.n_edges <= VERIFY_UP_TO):
            check(G, colors, allow_uncolored="uncolored" in log.notes)
            result.verified = True
    return result


def _algorithm(name: str, G: Graph, order: Any, seed: int | None, options: dict[str, Any]) -> Algorithm:
    kind = "cuda" if G.on_gpu else "cpu"
    row = ALGORITHMS[AUTO[G.on_gpu] if name == "auto" else name]
    if kind not in row.engines:
        raise OptionError(
            f"{row.name} runs on {' and '.join(row.engines)} only, and the graph is on {G.device}: "
            f"pass device={row.engines[0]!r} or another algorithm"
        )
    own = order is None or (isinstance(order, str) and order == row.order)
    if not (row.reads_order or (own and seed is None)):
        what = "seed" if own else "order"
        raise OptionError(f"{row.name} reads no {what}: leave it out, or take an algorithm that does, such as ecl_gc")
    for option in options:
        if option not in row.options:
            known = ", ".join(row.options) or "none"
            raise OptionError(f"{row.name} has no option {option!r}; it has: {known}")
    return row


def _search(row: Algorithm, quality: str, seed: int | None, limit: Limit) -> tuple[Algorithm, dict[str, Any]]:
    """A row of its own for "balanced" and "best", and its options; `row` makes the first coloring."""
    own = replace(row, name=f"auto, {quality}", run=search, deterministic=False, needs=None)
    return own, {"quality": quality, "seed": seed or 0, "limit": limit}


def _prepare(G: Graph, row: Algorithm) -> float:
    """Seconds to put the graph into the form that the algorithm's style takes, such as a GraphBLAS matrix, once."""
    if row.prepare is None:
        return 0.0
    start = time.perf_counter()
    row.prepare(G)
    return time.perf_counter() - start
