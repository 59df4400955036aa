"""Star first-fit by threads: the colors of one thread, in any order and for any number of them."""

from __future__ import annotations

import numpy as np
import pytest
from corpus import random_graph

import lagcolor
from lagcolor.engines.two_colored import first_fit, star_windows

THREADS = (1, 2, 3, 8, 17)
GRAPHS = ("grid2d:320", "stencil27:46", "rgg:17", "delaunay:17", "rmat:16", "uniform:100000,8")


def by_threads(G: lagcolor.Graph, sequence: np.ndarray, threads: int) -> np.ndarray:
    """Colors by windows also of one thread; 0 threads: without windows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(star_windows, "FEW", 1 if threads else 2)
        patch.setattr(first_fit, "threads_for", lambda *_: max(threads, 1))
        return first_fit.star(G, sequence)  # type: ignore[no-any-return]


def sequences(G: lagcolor.Graph) -> dict[str, np.ndarray]:
    orders = ("random_spread", "random", "natural", "largest_first_spread", "smallest_last")
    return {name: lagcolor.orders.Priorities.of(G, name, seed=0).sequence for name in orders}


@pytest.mark.parametrize("spec", GRAPHS)
def test_threads_take_the_colors_of_one(spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    for name, sequence in sequences(G).items():
        expected = by_threads(G, sequence, 0)
        for threads in THREADS:
            assert (by_threads(G, sequence, threads) == expected).all(), (name, threads)


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_vertices_of_a_window_that_meet(threads: int) -> None:
    """A window has a large part of these small graphs, in random orders: chunks meet in all ways."""
    for seed in range(100):
        G = random_graph(1500 + 10 * seed, 800 + 30 * seed, seed)
        sequence = np.random.default_rng(seed).permutation(G.n).astype(np.int32)
        assert (by_threads(G, sequence, threads) == by_threads(G, sequence, 0)).all(), seed


def test_two_sides_and_few_colors() -> None:
    """With colors of rows and columns apart; and where one thread gives up after 64 colors, others do so, too."""
    G = lagcolor.generate.from_spec("grid2d:100")
    sequence = np.random.default_rng(0).permutation(G.n).astype(np.int32)
    dense = lagcolor.generate.from_spec("uniform:3000,40")
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for threads in (1, 8):
            patch.setattr(first_fit, "threads_for", lambda *_, threads=threads: threads)
            found.append(first_fit.star(G, sequence, 5000))
            assert first_fit.star(dense, np.arange(dense.n, dtype=np.int32), most=64) is None
    assert (found[0] == found[1]).all()
