"""first_fit and ECL-GC on a GPU under many seeds per graph: color for color what sequential first-fit makes."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import CORPUS, graph

import lagcolor
from lagcolor.base.log import Log
from lagcolor.orders import Priorities

SLOW = "clique 1100"  # each vertex waits for all before it


@pytest.mark.gpu
@pytest.mark.parametrize(("algorithm", "order"), [("first_fit", "largest_first_spread"), ("ecl_gc", "largest_first")])
@pytest.mark.parametrize("name", [name for name in CORPUS if name != SLOW])
def test_on_a_gpu(name: str, algorithm: str, order: str) -> None:
    G = graph(name)
    there, run, wrong = G.on("cuda"), lagcolor.ALGORITHMS[algorithm].run, []
    for seed in range(300):
        colors = run(there, Priorities.of(there, order, seed=seed), Log()).get()
        if not np.array_equal(colors, lagcolor.color(G, "greedy", order, seed=seed, verify=False).colors):
            wrong.append(seed)
    assert not wrong, f"first-fit has other colors for {len(wrong)} seeds: {wrong[:20]}"
