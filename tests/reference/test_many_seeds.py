"""first_fit and ECL-GC under many seeds per graph: color for color what sequential first-fit makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph

import lagcolor
from lagcolor.base.log import Log
from lagcolor.engines.greedy import threads as on_threads
from lagcolor.engines.greedy.sequential import first_fit
from lagcolor.graph.pattern import unsigned
from lagcolor.orders import Priorities

SEEDS = 300
SLOW = "clique 1100"  # where each vertex waits for all before it


def by_default(G: lagcolor.Graph, p: Priorities) -> Any:
    return lagcolor.ALGORITHMS["first_fit"].run(G, p, Log())


def with_shortcuts(G: lagcolor.Graph, p: Priorities) -> Any:
    return lagcolor.ALGORITHMS["ecl_gc"].run(G, p, Log())


def in_chunks(G: lagcolor.Graph, p: Priorities) -> Any:
    """What several threads do on large graphs, with chunks so small that even these have many."""
    return on_threads.by_chunks(*unsigned(G), p.sequence.view(np.uint32), 2, 64)


def compare(
    name: str, seeds: Iterable[int], order: str, colors_of: Callable[[int, lagcolor.Graph], np.ndarray]
) -> None:
    """``colors_of(seed, G)`` beside the oracle's colors, on the CPU, with those seeds named that differ."""
    G = graph(name)
    indptr, indices = unsigned(G)
    wrong = []
    for seed in seeds:
        sequence = Priorities.of(G, order, seed=seed).sequence.view(np.uint32)
        if not np.array_equal(colors_of(seed, G), first_fit(indptr, indices, sequence)):
            wrong.append(seed)
    assert not wrong, f"{name}, {order}: other colors than first-fit's for {len(wrong)} seeds: {wrong[:20]}"


@pytest.mark.parametrize(("run", "seeds"), [(by_default, 20), (with_shortcuts, 20), (in_chunks, 100)])
@pytest.mark.parametrize("name", CORPUS)
def test_on_the_cpu(name: str, run: Callable[..., Any], seeds: int) -> None:
    """More where threads race."""
    if name == SLOW and run is not by_default:
        pytest.skip("too slow: each vertex waits for all before it")
    compare(name, range(seeds), "largest_first", lambda seed, G: run(G, Priorities.of(G, "largest_first", seed=seed)))


@pytest.mark.gpu
@pytest.mark.parametrize(("run", "order"), [(by_default, "largest_first_spread"), (with_shortcuts, "largest_first")])
@pytest.mark.parametrize("name", [name for name in CORPUS if name != SLOW])
def test_on_a_gpu(name: str, run: Callable[..., Any], order: str) -> None:
    """In the order that it takes there by default, and with the paper's shortcuts, which its own kernel has."""
    there = graph(name).on("cuda")
    compare(name, range(SEEDS), order, lambda seed, _: run(there, Priorities.of(there, order, seed=seed)).get())
