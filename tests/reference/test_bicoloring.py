"""Bicolorings: first-fit of the plain loops, covers, and colors that are known of arrows and of real matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import fewer, neighbors
from hypothesis import given, settings
from hypothesis import strategies as st
from patterns import SHAPES, pattern
from test_star_acyclic import parts

import lagcolor
from lagcolor.engines.two_colored import partition, plain
from lagcolor.engines.two_colored.cover import neutral
from lagcolor.engines.two_colored.first_fit import acyclic, star
from lagcolor.graph.bipartite import Augmented

ENGINES = {"star": (star, plain.star), "acyclic": (acyclic, plain.acyclic)}


@pytest.mark.parametrize("problem", ENGINES)
@settings(max_examples=fewer(30))
@given(
    rows=st.integers(1, 9), columns=st.integers(0, 9), density=st.floats(0, 0.6), seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.0, 0.3, 0.7]),
)  # fmt: skip
def test_first_fit(problem: str, rows: int, columns: int, density: float, seed: int, share: float) -> None:
    """Even colors for rows, odd ones for columns, none for some."""
    r = np.random.default_rng(seed)
    G = Augmented.of(lagcolor.Pattern.of(r.random((rows, columns)) < density))
    engine, loop = ENGINES[problem]
    without = r.random(G.n) < share
    sequence = np.array([v for v in r.permutation(G.n) if not without[v]], np.int32)
    expected = loop(neighbors(G), sequence.tolist(), rows, np.flatnonzero(without).tolist())
    assert engine(G, sequence, rows, without).tolist() == expected
    for last in (0, len(sequence)):
        assert parts(problem, G, sequence, 0, last, rows, without).tolist() == expected


@pytest.mark.parametrize("name", SHAPES)
def test_covers(name: str) -> None:
    """Each entry has a row or a column with a color, and no other pair of numbers of dense lines has a lesser sum."""
    P = pattern(name)
    A = np.zeros(P.shape, bool)
    A[np.repeat(np.arange(P.rows), P.degrees), P.indices] = True
    without = neutral(P)
    rows, columns = without[: P.rows], without[P.rows :]
    assert not A[np.ix_(rows, columns)].any()

    def total(A: np.ndarray, dense: np.ndarray) -> int:
        return int(A[dense].sum(0).max(initial=0)) + int(A[~dense].sum(1).max(initial=0))

    def sums(A: np.ndarray) -> list[int]:
        degrees = A.sum(1)
        return [total(A, degrees > t) for t in {-1, *degrees.tolist()}]

    assert min(total(A, ~rows), total(A.T, ~columns)) == min(sums(A) + sums(A.T))


def test_of_equal_covers_that_of_rows_comes_first() -> None:
    """Rows and columns of a symmetric pattern cover equally well: the dense rows are colored."""
    for name in ("arrow", "band plus arrow"):
        P = pattern(name)
        dense = P.degrees == P.max_degree
        assert 0 < dense.sum() < P.rows / 2
        assert (neutral(P)[: P.rows] == ~dense).all()
        for problem in ("star_bicoloring", "acyclic_bicoloring"):
            result = lagcolor.color(P, "first_fit", problem=problem)
            assert result.row_colors.max() + 1 == dense.sum() < result.n_colors - dense.sum()


def test_of_equally_many_colors_the_fewest_of_rows() -> None:
    """The first with the fewest colors, and of several that with the fewest products from the left."""
    G = Augmented.of(lagcolor.Pattern.of(np.eye(3, dtype=bool)))
    colorings = {
        "three": [0, 1, 1, 2, 2, 2],
        "two of rows": [0, 1, -1, -1, -1, -1],
        "one of rows": [0, 0, 0, 1, 1, 1],
        "another": [0, -1, -1, 1, -1, -1],
        "none of rows": [-1, -1, -1, 0, 1, 1],
    }
    every = [lambda colors=colors: np.array(colors, np.int32) for colors in colorings.values()]
    names = list(colorings)
    for chosen, best in (((0, 1, 2), 2), ((2, 1, 0), 2), ((1, 2, 3), 2), ((3, 2), 3), ((2, 4), 4), ((4, 1), 4)):
        found = partition._fewest(G, *(every[i] for i in chosen))
        assert found.tolist() == colorings[names[best]]


@pytest.mark.parametrize("problem", ["star_bicoloring", "acyclic_bicoloring"])
def test_arrows(problem: str) -> None:
    """Dense lines do not need a color per entry: 3 for an arrow, and 2 w + 3 with a band of half-width w."""
    n = 200
    for w in (0, 1, 3):
        A = sp.diags_array([1.0] * (2 * w + 1), offsets=range(-w, w + 1), shape=(n, n)).tolil()
        A[0, :] = A[:, 0] = 1
        assert lagcolor.color(A.tocsr(), "first_fit", problem=problem).n_colors <= 2 * w + 3
        assert lagcolor.color(A.tocsr(), problem="columns").n_colors == n


@pytest.mark.parametrize("name", SHAPES)
def test_partitions_that_are_not_colored_need_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns and rows alone are left out where a line alone has more entries than there are colors."""
    P = pattern(name)
    colored, made = partition._with_rows, []
    monkeypatch.setattr(partition, "_with_rows", lambda P, t: made.append(t) or colored(P, t))
    result = lagcolor.color(P, "partition", problem="star_bicoloring")
    every = [colored(Q, t) for Q in (P, P.T) for t in partition._counts(Q)]
    assert result.n_colors == min(int(a.max(initial=-1)) + int(b.max(initial=-1)) + 2 for a, b in every)
    assert (made.count(0) == 0) == (result.n_colors < min(P.max_degree, P.T.max_degree))
