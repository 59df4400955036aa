"""color(x): the data flow of the whole library, in the order to read the code in."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from . import device as dev
from . import threads
from .errors import OptionError
from .graph import Graph
from .hopeless import warn as warn_of_rounds
from .priorities import Priorities
from .quality import AUTO, DEFAULT_LIMIT, Limit
from .quality import check as check_quality
from .quality import run as search
from .registry import ALGORITHMS, Algorithm
from .result import Coloring, Log
from .verifier import verify as check

# Above this many edges `verify=None` leaves the check to the caller.
VERIFY_UP_TO = 10_000_000
HUGE = 2**24  # vertices over which some kernels take blocks of another size
LIVELY = ("grid2d:60", "rmat:10", "rgg:15", "kron_g500:13")  # for codes that have a kernel for every kind of frontier
_WARM: set[tuple[Any, ...]] = set()  # what has run in this process: algorithm, device, order, types, options


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
        For "auto". "fast" (default): the fastest deterministic first-fit, `greedy` on a CPU and `ecl_gc` on a GPU.
        "balanced": that, and then whatever lowers the colors in about its time again. "best": that, and then goes on
        until `time_limit`, or until no coloring can be better (`lower_bound` of the result), and returns the best so
        far, also on Ctrl-C. ``notes["tried"]`` of the result says what it took.
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
        _warm_up(G, row, order, trace, options)
        p, order_seconds = _priorities(G, row, order, seed)
        if row.chain:
            warn_of_rounds(G, row, p)
        convert_seconds = G.convert_seconds + _prepare(G, row)
        log = Log(trace)
        colors, seconds = _timed(G, lambda: row.run(G, p, log, **options))
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


def _warm_up(G: Graph, row: Algorithm, order: Any, trace: bool, options: dict[str, Any]) -> None:
    """Color small graphs first, so that compiling or loading the code is in nobody's seconds.

    Functions among the options are the caller's, for the caller's graph: here others stand for them.

    Raises
    ------
    KeyboardInterrupt
        Also where the algorithm would have returned its best so far: of these graphs nobody wants it.
    """
    name = row.default_order(G.on_gpu)[0] if order is None else order if isinstance(order, str) else "the caller's"
    huge = G.on_gpu and row.style == "kernel" and G.n > HUGE
    several = not G.on_gpu and "threads" in row.options and threads.count(options.get("threads"), G.m) > 1
    key = (row.name, G.device, name, G.indptr.dtype.char, trace, huge, several, *options)
    if key in _WARM:
        return
    options = {k: (lambda *_: True) if callable(v) else v for k, v in options.items()}
    if several and options.get("threads") is None:
        options = {**options, "threads": 2}  # for loops that one thread has no use for
    if row.run is search:  # the rehearsal of best has seen to the rest
        options = {**options, "limit": Limit(time.perf_counter(), 0.0)}
    for small in _small_graphs(G, row, huge):
        for also in ({}, row.also_warm) if row.also_warm else ({},):
            log = Log(trace)
            own = np.arange(small.n) if name == "the caller's" else name
            row.run(small, _priorities(small, row, own, None)[0], log, **{**options, **also})
            if log.notes.get("interrupted"):
                raise KeyboardInterrupt
    _WARM.add(key)


def _small_graphs(G: Graph, row: Algorithm, huge: bool) -> Iterator[Graph]:
    """A clique, for the loops for many colors, and a path, for those for few, with types and device of `G`.

    Over 64 colors are many; engines of verbs have one loop for all, and are slow at it. The clique is odd, so that
    colors in pairs leave a gap. With isolated vertices beside it, last, it calls up the kernels for huge graphs.
    On a GPU verbs and operators choose a kernel by the size and the degrees of a frontier: they get thousands of
    vertices, with hubs and without.
    """
    k = 5 if row.style == "algebra" else 71
    indptr = np.arange(k + 1, dtype=G.indptr.dtype) * (k - 1)
    others = np.broadcast_to(np.arange(k, dtype=np.int32), (k, k))
    clique = others[~np.eye(k, dtype=bool)]
    yield Graph(indptr, clique).on(G.device)
    yield Graph(np.array([0, 1, 3, 4], G.indptr.dtype), np.array([1, 0, 2, 1], np.int32)).on(G.device)
    if G.on_gpu and row.style in ("algebra", "frontier"):
        for lively in map(_lively, LIVELY):
            yield Graph(lively.indptr.astype(G.indptr.dtype), lively.indices).on(G.device)
    if huge:
        yield Graph(np.pad(indptr, (0, HUGE), mode="edge"), clique).on(G.device)


@functools.cache
def _lively(spec: str) -> Graph:
    from .generate import from_spec

    return from_spec(spec)


def _priorities(G: Graph, row: Algorithm, order: Any, seed: int | None) -> tuple[Priorities, float]:
    start = time.perf_counter()
    # An order that the user names breaks ties alike on every device.
    name, number = row.default_order(G.on_gpu) if order is None else (order, row.seed)
    p = Priorities.of(G, name, number if seed is None else seed)
    if row.needs is not None and not p.is_natural:
        getattr(p, row.needs)
        if G.on_gpu:
            dev.cupy().cuda.get_current_stream().synchronize()
    return p, time.perf_counter() - start


def _prepare(G: Graph, row: Algorithm) -> float:
    """Seconds to put the graph into the form that the algorithm's style takes, such as a GraphBLAS matrix, once."""
    if row.prepare is None:
        return 0.0
    start = time.perf_counter()
    row.prepare(G)
    return time.perf_counter() - start


def _timed(G: Graph, run: Any) -> tuple[Any, float]:
    """Result and seconds: events on a GPU, which must be the current device, perf_counter on a CPU."""
    if not G.on_gpu:
        start = time.perf_counter()
        out = run()
        return out, time.perf_counter() - start
    cp = dev.cupy()
    begin, end = cp.cuda.Event(), cp.cuda.Event()
    begin.record()
    out = run()
    end.record()
    end.synchronize()
    return out, cp.cuda.get_elapsed_time(begin, end) / 1e3
