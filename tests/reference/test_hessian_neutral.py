"""Hessians without the colors that no entry needs: every entry comes back, and no further color could be left out."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from corpus import fewer
from derivative_cases import SYMMETRIC, integers
from hypothesis import given, settings
from hypothesis import strategies as st

import lagcolor
from lagcolor.derivatives import Compression, hessian, jacobian, load
from lagcolor.problems.hessian import verify

HOW = ["direct", "substitution"]
DIAGONALS = {
    "full": lambda n: np.ones(n, bool),
    "every third": lambda n: np.arange(n) % 3 == 1,
    "none": lambda n: np.zeros(n, bool),
}

SHAPES = [name for name, A in SYMMETRIC.dense.items() if A.sum() < 400]


def of(edges: np.ndarray, diagonal: np.ndarray) -> lagcolor.Pattern:
    A = edges.copy()
    np.fill_diagonal(A, diagonal)
    return lagcolor.Pattern.of(sp.csr_array(A.astype(np.int8)))


def shape(name: str, diagonal: str) -> lagcolor.Pattern:
    edges = SYMMETRIC.dense[name]
    return of(edges, DIAGONALS[diagonal](len(edges)))


def sums(P: lagcolor.Pattern, colors: Any) -> tuple[set[tuple[int, int]], list[set[tuple[int, int]]]]:
    """Entries on and above the diagonal, and entries of each number of the products."""
    A = P.to_scipy().toarray() != 0
    unknown = {(i, j) for i, j in zip(*map(np.ndarray.tolist, np.nonzero(A)), strict=True) if i <= j}
    by: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for i, j in unknown:
        for row, column in {(i, j), (j, i)}:
            if colors[column] >= 0:
                by.setdefault((row, colors[column]), set()).add((i, j))
    return unknown, list(by.values())


def is_recovered(P: lagcolor.Pattern, colors: Any, decompression: str) -> bool:
    """The definition: entries alone in a number are all, at once; or in turn, and neighbors with colors differ."""
    unknown, parts = sums(P, colors)
    if decompression == "substitution" and any(i != j and colors[i] == colors[j] >= 0 for i, j in unknown):
        return False
    while found := set().union(*(part for part in parts if len(part) == 1)):
        unknown -= found
        parts = [part - found for part in parts]
        if decompression == "direct":
            break
    return not unknown


def check(C: Compression, A: sp.csr_array, decompression: str) -> None:
    """All ways from products to entries, and the colors by definition."""
    colors = C.column_colors
    assert is_recovered(C.pattern, colors.tolist(), decompression)
    S = C.seeds(np.int64)
    assert S.shape == (A.shape[0], C.n_colors) and (S.sum(1) == (colors >= 0)).all()
    B = A.toarray() @ S
    np.testing.assert_array_equal(C.compress(A), B)
    np.testing.assert_array_equal(C.decompress(B).toarray(), A.toarray())
    into = np.full(A.shape, 7)
    C.decompress_into(into, B)
    np.testing.assert_array_equal(into, np.where(C.pattern.to_scipy().toarray() != 0, A.toarray(), 7))
    if decompression == "direct":
        np.testing.assert_array_equal(B.reshape(-1)[C.gather], A.data)


def least(P: lagcolor.Pattern, C: Compression, decompression: str) -> bool:
    """Whether no color that is left could be left out, too."""
    without = (np.where(C.column_colors == c, -1, C.column_colors).tolist() for c in range(C.n_colors))
    return not any(is_recovered(P, colors, decompression) for colors in without)


@pytest.mark.parametrize("decompression", HOW)
@pytest.mark.parametrize("diagonal", DIAGONALS)
def test_shapes(diagonal: str, decompression: str) -> None:
    for name in SHAPES:
        P = shape(name, diagonal)
        C, whole = hessian(P, decompression), hessian(P, decompression, postprocess=False)
        check(C, integers(P, 1, symmetric=True), decompression)
        assert C.n_colors <= whole.n_colors and least(P, C, decompression), name
        assert C.coloring.verified and C.coloring.lower_bound <= C.n_colors
        assert verify(P, C.coloring, decompression).n_colors == C.n_colors
        if diagonal == "full":
            assert C.column_colors.tolist() == whole.column_colors.tolist()


@pytest.mark.parametrize("decompression", HOW)
@settings(max_examples=fewer(25), deadline=None)
@given(
    n=st.integers(0, 14), density=st.floats(0, 0.7), share=st.sampled_from([0.0, 0.2, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_random_matrices(decompression: str, n: int, density: float, share: float, seed: int) -> None:
    r = np.random.default_rng(seed)
    upper = np.triu(r.random((n, n)) < density, 1)
    P = of(upper | upper.T, r.random(n) < share)
    for order in ("natural", "random", ("natural", "largest_first")):
        C = hessian(P, decompression, order=order)
        check(C, integers(P, 1, symmetric=True), decompression)
        assert least(P, C, decompression)
        assert C.n_colors <= hessian(P, decompression, order=order, postprocess=False).n_colors


def test_no_bound_above_the_products(tmp_path: Path) -> None:
    """One of several orders may need all colors; its bound for star colorings bounds no products, also in files."""
    orders, lower = ("natural", "largest_first", "smallest_last"), 0
    for seed in range(40):
        r = np.random.default_rng(seed)
        n = int(r.integers(3, 12))
        upper = np.triu(r.random((n, n)) < 0.3, 1)
        P = of(upper | upper.T, r.random(n) < r.choice([0.0, 0.3, 1.0]))
        for decompression in HOW:
            C = hessian(P, decompression, order=orders, seed=seed)
            assert C.coloring.lower_bound <= C.n_colors
            if seed < 10:
                C.save(tmp_path / "c.npz")
                assert load(tmp_path / "c.npz").coloring.lower_bound == C.coloring.lower_bound
            alone = [hessian(P, decompression, order=name, seed=seed, postprocess=False).coloring for name in orders]
            lower += max(one.lower_bound for one in alone) > C.n_colors  # theirs would not do
    assert lower


@pytest.mark.parametrize("decompression", HOW)
def test_verifier(decompression: str) -> None:
    """Against the definition, on random colorings of small patterns with some diagonal."""
    good = bad = 0
    for seed in range(12):
        r = np.random.default_rng(seed)
        upper = np.triu(r.random((5, 5)) < 0.2 + 0.05 * seed, 1)
        P = of(upper | upper.T, r.random(5) < 0.1 * (seed % 4))
        for colors in itertools.islice(itertools.product((-1, 0, 1, 2), repeat=5), seed % 4, None, 4):
            report = verify(P, np.array(colors), decompression, errors="return")
            holds = is_recovered(P, colors, decompression)
            assert (report.n_violations == 0) == holds == (not report.violations)
            good, bad = good + holds, bad + (not holds)
    assert min(good, bad) > 300


def test_every_coloring_that_recovers_all_entries_is_accepted() -> None:
    """All patterns of up to three rows, some of four, with all colorings: accepted and right, or refused."""
    accepted = same = 0
    for n in (1, 2, 3, 4):
        places = [(i, j) for i in range(n) for j in range(i + 1)]
        for bits in range(0, 1 << len(places), 1 if n < 4 else 13):
            A = np.zeros((n, n), np.int64)
            for at, (i, j) in enumerate(places):
                A[i, j] = A[j, i] = (bits >> at & 1) * (2 * at + 3)
            P = lagcolor.Pattern.of(sp.csr_array(A))
            for colors in itertools.product((-1, 0, 1, 2), repeat=n):
                if set(colors) - {-1} != set(range(max(colors) + 1)):
                    continue  # gaps are refused
                if not is_recovered(P, colors, "direct"):
                    with pytest.raises(lagcolor.ColoringError):
                        hessian(P, coloring=np.array(colors))
                    continue
                C = hessian(P, coloring=np.array(colors))
                B = A @ C.seeds(np.int64)
                np.testing.assert_array_equal(C.decompress(B).toarray(), A)
                accepted += 1
                same += any(colors[i] == colors[j] >= 0 and A[i, j] for i, j in places if i != j)
    assert accepted > 500 and same > 50


def test_offenders_are_named() -> None:
    path = shape("tridiagonal", "every third")
    colors = hessian(path).column_colors
    bare = np.full(path.rows, -1)
    for wrong, how, message in (
        (bare, "direct", r"entry \(0, 1\) of colors -1 and -1 is alone in neither of its sums"),
        (bare, "substitution", r"entry \(0, 1\) of colors -1 and -1 is not found by substitution"),
        (0 * bare, "substitution", r"entry \(0, 1\): rows 0 and 1 both have color 0"),
        (colors * 2, "direct", "colors are not 0 … k-1"),
        (np.where(colors == 0, -3, colors), "direct", "has color -3"),
    ):
        with pytest.raises(lagcolor.ColoringError, match=message):
            verify(path, wrong, how)
    with pytest.raises(lagcolor.ColoringError, match=r"1 violation.*entry \(1, 1\) of the diagonal has no color"):
        verify(sp.eye_array(3), np.array([0, -1, 0]))


@pytest.mark.parametrize("make", [jacobian, hessian])
def test_options_are_checked(make: Any) -> None:
    """Rules are refused before any work: what is no pattern is not read."""
    for rule in ("forbidden", "capacity", "weights"):
        with pytest.raises(lagcolor.OptionError, match=rf"{rule} .*lagcolor.color\(.*{rule}=\.\.\."):
            make(None, **{rule: 4})
    assert make(SYMMETRIC["band"], verify=np.False_, max_colors=None, balance=False).n_colors


@pytest.mark.parametrize("partition", ["columns", "rows", "both", "auto"])
@pytest.mark.parametrize("size", [(0, 3), (4, 6)])
def test_no_entries_need_no_products(size: tuple[int, int], partition: str, tmp_path: Path) -> None:
    P = lagcolor.Pattern.of(sp.csr_array(size))
    C = jacobian(P, partition)
    assert C.n_colors == 0 and C.products == (0, 0)
    C.save(tmp_path / "c.npz")
    for D in (C, load(tmp_path / "c.npz")):
        B = D.compress(sp.csr_array(size))
        back = D.decompress(B)
        assert (back.shape, back.nnz) == (size, 0)
        D.coloring.verify()
    assert jacobian(P, "columns", postprocess=False).n_colors == (size[1] > 0)


def test_colors_of_empty_columns_alone() -> None:
    """First-fit gives them none, but colors from elsewhere may."""
    from lagcolor.derivatives.neutral import check as checked
    from lagcolor.derivatives.neutral import postprocessed

    P = lagcolor.Pattern.of(sp.csr_array(np.array([[1, 0, 0, 1], [0, 0, 0, 1]])))
    for Q, problem in ((P, "columns"), (P.T, "rows")):
        made = lagcolor.api.result.Coloring(np.array([1, 0, 2, 3], np.int32), Q, "given", "given", problem=problem)
        result = postprocessed(Q, made, None)
        assert result.colors.tolist() == [0, -1, -1, 1] and result.verified and result.n_colors == 2
        result.colors = np.array([0, -1, -1, -1], np.int32)
        with pytest.raises(lagcolor.ColoringError, match=rf"is in no product, because {problem[:-1]} 3 has no color"):
            checked(Q, result)
