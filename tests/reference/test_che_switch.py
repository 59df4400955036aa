"""che_hybrid: values of `switch` at the edge, what its function is told and may do, and phases over many launches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import graph
from test_che import DEVICES

import lagcolor


@pytest.mark.parametrize("kind", DEVICES)
def test_what_was_told_stays_so(kind: str) -> None:
    """A function may keep the statistics, and look at the degrees when all is colored."""
    kept: list[Any] = []
    G = graph("rmat")
    lagcolor.color(G.on(kind), "che_hybrid", switch=kept.append)  # None: go on
    colors = lagcolor.color(G, "che_hybrid").colors
    assert len(kept) > 3
    for k, s in enumerate(kept):
        expected = G.degrees[colors > k]
        assert len(expected) == s.left
        assert np.array_equal(lagcolor.base.device.to_device(s.degrees, "cpu"), expected)


def test_a_round_at_the_threshold() -> None:
    """A round that colors exactly N is followed by another."""
    G = graph("rmat")
    trace = lagcolor.color(G, "che_hybrid", trace=True).trace
    counts = sorted({row["colored"] for row in trace if row["phase"] == "degree"} - {0})
    for n in counts:
        result = lagcolor.color(G, "che_hybrid", switch=f"below:{n}", trace=True)
        by_degree = [row["colored"] for row in result.trace if row["phase"] == "degree"]
        assert by_degree[-1] < n or by_degree[-1] == 0
        assert all(colored >= n for colored in by_degree[:-1])
