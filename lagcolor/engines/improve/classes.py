"""Iterated greedy: repeated first-fit, which colors the classes of the previous coloring one by one, in a new order.

A class is independent, so the vertices of the i-th class find a color among the first i. A pass therefore never needs
more colors than the previous pass, in any order of the classes, and in some orders it needs fewer.

Orders of the classes: ``reverse``, ``largest`` (by decreasing size), ``smallest`` (by increasing size), ``random``. The
default is a mix, in which a hash of seed and pass selects the order. Classes of equal size are sorted by color.

Vertices are sorted by class, then colored by first-fit, on a CPU by threads. On a GPU a pass that colored one class
after the other, with a grid barrier between, took three times as long as first-fit in the same sequence.

References
----------
Culberson 1992, "Iterated greedy graph coloring and the difficulty landscape".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import device as dev
from ...base.compile_clock import clock, importing
from ...base.device import extremes, threads_for, threads_for_graph
from ...base.errors import OptionError
from ...base.log import Log
from ...graph.graph import Graph
from ...graph.pattern import unsigned
from ...orders.by_key import by_key
from ...orders.ties import mix, seed_word
from ..greedy.cuda_sequence import first_fit_in_sequence

ORDERS = ("reverse", "largest", "smallest", "random")
MIX = ("reverse",) * 4 + ("smallest",) * 2 + ("largest",) * 2 + ("random",)  # reverse saves the most colors


def iterated_greedy(
    G: Graph,
    colors: Any,
    *,
    rounds: int | None = None,
    deadline: float | None = None,
    expected: float = 0.0,
    order: str = "mix",
    seed: int = 0,
    threads: int | None = None,
    log: Log | None = None,
) -> Any:
    """Reduce the colors by iterated greedy."""
    if order not in (*ORDERS, "mix"):
        raise OptionError(f"unknown order of classes {order!r}; the orders are: mix, {', '.join(ORDERS)}")
    log = log or Log()
    threads = threads_for_graph(threads, G, log)
    rounds = rounds if rounds is not None else 20 if deadline is None else 2**62
    before = 0.0
    with dev.using(G.indices), log.best_so_far():
        for i in range(rounds if G.m else 0):
            if deadline is not None:
                now = clock()
                before, took = now, now - before if i else expected
                if now + took > deadline:
                    break
            sizes = class_sizes(G, colors)
            if len(sizes) <= 2:
                break
            name, rank = next_ranking(sizes, seed, i, order)
            colors = one_pass(G, colors, rank, threads)
            log.round(active=G.n, colored=G.n, conflicts=0, classes=len(sizes), order=name)
    return colors


def class_sizes(G: Any, colors: Any) -> np.ndarray:
    """Number of vertices of each color, int64, on the CPU."""
    if not G.on_gpu:
        return np.bincount(colors)
    return dev.to_device(dev.counts(colors, extremes.largest(colors) + 1), "cpu")


def _hash(seed: int, i: int) -> int:
    """Hash of the seed and the number of the pass, 32 bits."""
    return seed_word((seed * 0x9E3779B97F4A7C15 + i) % 2**64)


def next_ranking(sizes: np.ndarray, seed: int, i: int, order: str = "mix") -> tuple[str, np.ndarray]:
    """Return the order of the classes in pass i, and the place of each class in it."""
    name = order if order != "mix" else MIX[_hash(seed, i) % len(MIX)]
    return name, ranking(name, sizes, _hash(seed, ~i))


def ranking(order: str, sizes: np.ndarray, salt: int) -> np.ndarray:
    """Return the place of each class in the next pass, int32."""
    ids = np.arange(len(sizes), dtype=np.int32)
    if order == "reverse":
        return ids[::-1].copy()
    key = {"largest": -sizes, "smallest": sizes}[order] if order != "random" else mix(np, ids, salt)
    rank = np.empty_like(ids)
    rank[np.argsort(key, kind="stable")] = ids
    return rank


def one_pass(G: Graph, colors: Any, rank: np.ndarray, threads: int | None = None) -> Any:
    """Color by first-fit, class after class in the order of `rank`."""
    sequence = by_class(G, colors, rank)
    if G.on_gpu:
        return first_fit_in_sequence(G, sequence)
    with importing():
        from ..greedy.sequential import first_fit
        from ..greedy.threads import by_chunks

    workers = threads_for(threads, G.m)
    if workers == 1:
        return first_fit(*unsigned(G), sequence.view(np.uint32))
    return by_chunks(*unsigned(G), sequence.view(np.uint32), workers)


def by_class(G: Any, colors: Any, rank: np.ndarray) -> Any:
    """Return the vertices sorted by the rank of their class, then by id: int32, on the device of G."""
    top = len(rank) - 1
    return by_key(G, G.xp.asarray(np.int32(top) - rank)[colors], top, None)
