"""Flat and Leighton graphs: sizes and hidden classes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import hard_instances


@pytest.mark.parametrize(("n", "k", "edges"), [(1000, 50, 245_000), (1000, 76, 246_708)])
def test_flat_graphs_have_the_edges_of_those_of_dimacs(n: int, k: int, edges: int) -> None:
    G = hard_instances.flat(n, k, seed=3)
    assert G.n == n and G.n_edges == edges
    classes = np.empty(n, int)
    for c, members in enumerate(np.array_split(np.random.default_rng(3).permutation(n), k)):
        classes[members] = c
    between = np.zeros((n, k), int)
    np.add.at(between, (np.repeat(np.arange(n), G.degrees), classes[G.indices]), 1)
    assert not between[np.arange(n), classes].any()
    assert between[np.arange(n), (classes + 1) % k].min() > 0

    again, other = (hard_instances.flat(n, k, seed=seed) for seed in (3, 4))
    assert np.array_equal(again.indices, G.indices) and not np.array_equal(other.indices, G.indices)


def test_leighton_graphs_have_a_clique_and_classes() -> None:
    G = hard_instances.instance("leighton:450,25,17343,seed=1")
    assert G.n == 450 and 17_343 <= G.n_edges < 17_343 + 300
    classes = np.random.default_rng(1).permutation(450).reshape(25, 18)
    of = np.empty(450, int)
    of[classes] = np.arange(25)[:, None]
    assert (of[np.repeat(np.arange(450), G.degrees)] != of[G.indices]).all()
