"""Star and acyclic first-fit against the plain loops, these against definitions; threads; what is known of bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contract.definitions import HOLDS
from corpus import CORPUS, fewer, graph, neighbors, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.engines.two_colored import first_fit, plain, star_windows, stars
from lagcolor.orders import ORDERS

ENGINES = {"star": first_fit.star, "acyclic": first_fit.acyclic}
PLAIN = {"star": plain.star, "acyclic": plain.acyclic}


def parts(problem: str, G: lagcolor.Graph, sequence: np.ndarray, narrow: int, rows: int, *how: Any) -> np.ndarray:
    """A coloring whose vertices from position `narrow` on are colored in rows of words, from `rows` on by `wide`."""
    in_words, in_rows = first_fit.narrow, first_fit.color_in_sets

    def some(G: lagcolor.Graph, ordered: Any, *args: Any) -> Any:
        first, others = np.split(ordered.sequence, [max(rows - narrow, 0)])
        left = in_rows(G, ordered._replace(sequence=first), *args)
        return ordered._replace(sequence=np.concatenate([left.sequence, others]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_fit, "narrow", lambda w, *args: in_words(w._replace(sequence=w.sequence[:narrow]), *args))
        patch.setattr(first_fit, "color_in_sets", some)
        return ENGINES[problem](G, sequence, *how)


@pytest.mark.parametrize("problem", ENGINES)
@settings(max_examples=fewer(40))
@given(n=st.integers(0, 22), degree=st.floats(0, 8), seed=st.integers(0, 2**32 - 1))
def test_first_fit_is_that_of_the_plain_loop(problem: str, n: int, degree: float, seed: int) -> None:
    """The engine has the colors of the plain loop, which takes the least color that keeps the definition."""
    G = random_graph(n, int(degree * n / 2), seed)
    sequence = np.random.default_rng(seed).permutation(n).astype(np.int32)
    expected = PLAIN[problem](neighbors(G), sequence.tolist())
    assert ENGINES[problem](G, sequence).tolist() == expected
    for first, rows in {(0, 0), (0, n // 2), (0, n), (n // 2, 0), (n // 3, n // 2), (n // 2, n)}:
        assert parts(problem, G, sequence, first, rows).tolist() == expected
    for v in reversed(sequence.tolist()):
        color, expected[v] = expected[v], 0
        while not HOLDS[problem](G, expected):
            expected[v] += 1
        assert expected[v] == color
        expected[v] = -1


@pytest.mark.parametrize("problem", ENGINES)
@pytest.mark.parametrize("width", [None, 1])
def test_a_limit_of_colors_ends_what_takes_more(
    problem: str, width: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clique has equal colors up to the limit; `wide` ends at once, and sets end when they are full."""
    n = 90
    G, sequence = lagcolor.Graph.of(np.triu_indices(n, 1), n=n), np.arange(n, dtype=np.int32)
    if width is not None:
        for module in (first_fit, stars):
            monkeypatch.setattr(module, "widest", lambda _: width)
    for most in (n, 2**31 - 1):
        assert ENGINES[problem](G, sequence, most=most).tolist() == list(range(n))
    assert ENGINES[problem](G, sequence, most=26) is None
    if width == 1:
        assert ENGINES[problem](G, sequence, most=n - 1) is None


@pytest.mark.parametrize("problem", ENGINES)
def test_colors_past_the_sets_follow_the_words(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colors do not depend on the width of the bit sets, on a graph that needs more than 64 colors."""
    u, v = np.triu_indices(160, 1)
    some = np.random.default_rng(0).random(len(u)) < 0.4
    G, sequence = lagcolor.Graph.of((u[some], v[some]), n=160), np.arange(160, dtype=np.int32)
    expected = ENGINES[problem](G, sequence)
    assert expected.max() > 64
    for module in (first_fit, stars):
        monkeypatch.setattr(module, "widest", lambda _: 1)
    assert (ENGINES[problem](G, sequence) == expected).all()


@pytest.mark.parametrize("problem", ENGINES)
@pytest.mark.parametrize("name", CORPUS)
def test_corpus(problem: str, name: str) -> None:
    G = graph(name)
    for order in ORDERS if G.n < 1000 else ("natural", "smallest_last"):
        assert lagcolor.color(G, problem=problem, order=order, verify=True).verified
    if G.n < 600:  # the same whether one word per vertex serves while it can or not
        sequence = np.arange(G.n, dtype=np.int32)
        assert (ENGINES[problem](G, sequence) == parts(problem, G, sequence, 0, 0)).all()


def test_rows_that_would_be_too_wide() -> None:
    """A dense part of 700 colors: rows have up to 768 of them, or 512 and the loop for any number takes the others."""
    n = 80_000
    i, j = np.triu_indices(700, 1)
    G = lagcolor.Graph.of((i, j), n=n)
    colors = first_fit.star(G, np.random.default_rng(0).permutation(n).astype(np.int32))
    assert sorted(colors[:700].tolist()) == list(range(700))
    assert not colors[700:].any()


@pytest.mark.parametrize("w", [1, 2, 5])
def test_bands(w: int) -> None:
    """ρ = 2 w off-diagonals: 2 ⌊ρ / 2⌋ + 1 colors directly, ⌊ρ / 2⌋ + 1 by substitution (Coleman and Moré 1984)."""
    i = np.arange(60)
    edges = np.concatenate([[i[:-d], i[d:]] for d in range(1, w + 1)], axis=1)
    G = lagcolor.Graph.of((edges[0], edges[1]))
    assert lagcolor.color(G, problem="star").n_colors == 2 * w + 1
    assert lagcolor.color(G, problem="acyclic").n_colors == w + 1


def by_threads(G: lagcolor.Graph, sequence: np.ndarray, threads: int) -> np.ndarray:
    """Colors by windows also of one thread; 0 threads: without windows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(star_windows, "FEW", 1 if threads else 2)
        patch.setattr(first_fit, "threads_for", lambda *_: max(threads, 1))
        return first_fit.star(G, sequence)  # type: ignore[no-any-return]


@pytest.mark.parametrize("spec", ["stencil27:16", "rmat:13", "uniform:30000,8"])
def test_threads_take_the_colors_of_one(spec: str) -> None:
    G = lagcolor.generate.from_spec(spec)
    for name in ("random_spread", "natural", "smallest_last"):
        sequence = lagcolor.orders.Priorities.of(G, name, seed=0).sequence
        expected = by_threads(G, sequence, 0)
        for threads in (1, 3, 17):
            assert (by_threads(G, sequence, threads) == expected).all(), (name, threads)


def test_vertices_of_a_window_that_meet() -> None:
    """A window has a large part of these small graphs, in random orders: chunks meet in all ways."""
    for seed in range(0, 100, 5):
        G = random_graph(1500 + 10 * seed, 800 + 30 * seed, seed)
        sequence = np.random.default_rng(seed).permutation(G.n).astype(np.int32)
        assert (by_threads(G, sequence, (1, 3, 8)[seed % 3]) == by_threads(G, sequence, 0)).all(), seed


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


@pytest.mark.parametrize(
    ("edges", "bound"), [([(0, 1)], 2), ([(0, 1), (0, 2), (0, 3)], 2), ([(0, 1), (1, 2), (2, 3)], 3)]
)
def test_a_path_on_four_vertices_needs_three_star_colors(edges: list[tuple[int, int]], bound: int) -> None:
    result = lagcolor.color(edges, problem="star")
    assert result.n_colors == result.lower_bound == bound
