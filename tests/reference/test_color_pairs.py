"""Colors of contacts and of bodies, against definitions."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from corpus import first_fit
from reduction_cases import two_colors

import lagcolor
from lagcolor import color_pairs
from lagcolor.engines.elements import plain, sequential
from lagcolor.orders.ties import tie_order
from lagcolor.problems.contacts import verify_bodies, verify_pairs

pytestmark = pytest.mark.inner


def case(seed: int) -> tuple[np.ndarray, int, np.ndarray | None]:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 60))
    pairs = random.integers(-1 if seed % 4 == 3 else 0, n, (int(random.integers(0, 150)), 2))
    return pairs, n, random.random(n) < 0.3 if seed % 2 else None


def moving(pairs: np.ndarray, static: np.ndarray | None) -> list[set[int]]:
    """The bodies that each pair constrains."""
    return [{v for v in pair if v >= 0 and not (static is not None and static[v])} for pair in pairs.tolist()]


def first_fit_of_bodies(pairs: np.ndarray, n: int, static: np.ndarray | None) -> list[int]:
    joined = [sorted(pair) for pair in moving(pairs, static) if len(pair) == 2]
    G = lagcolor.Graph.of(tuple(np.array(joined, int).reshape(-1, 2).T), n=n)
    colors = two_colors(G) or first_fit(G, tie_order(np, n, 0).tolist())
    return [-1 if static is not None and static[v] else colors[v] for v in range(n)]


@pytest.mark.parametrize("seed", range(16))
def test_first_fit_and_even_classes_of_as_many_colors(seed: int) -> None:
    pairs, n, static = case(seed)
    sequence = tie_order(np, len(pairs), 0).tolist()
    for of, expected in (
        ("pairs", plain.first_fit(moving(pairs, static), sequence)),
        ("bodies", first_fit_of_bodies(pairs, n, static)),
    ):
        even, uneven = (color_pairs(pairs, n, static, of=of, balance=b) for b in (True, False))
        assert uneven.colors.tolist() == expected and uneven.colors.dtype == np.int32
        assert even.n_colors == uneven.n_colors and even.verify().ok
        if len(even) and even.n_colors:
            assert np.ptp(even.class_sizes) <= np.ptp(uneven.class_sizes)


def test_two_colors_of_bodies_where_two_do() -> None:
    chain = np.stack((np.arange(9), np.arange(1, 10)), axis=1)
    at = np.arange(900).reshape(30, 30)
    ends = (at[:-1], at[1:]), (at[:, :-1], at[:, 1:])
    cloth = np.concatenate([np.stack((a.ravel(), b.ravel()), axis=1) for a, b in ends])
    for pairs, n in ((chain, 10), (cloth, 900)):
        for wait in (True, False):
            result = color_pairs(pairs, n, of="bodies", wait=wait)
            assert result.verify().ok and result.class_sizes.tolist() == [n // 2, n // 2]
    ring = [*chain[:-1].tolist(), [8, 0]]
    assert color_pairs(ring, 9, of="bodies").n_colors == 3
    assert color_pairs(ring, 9, np.arange(9) == 4, of="bodies").n_colors == 2


@pytest.mark.parametrize("of", ["pairs", "bodies"])
def test_classes_of_a_few_pairs_that_get_empty(of: str) -> None:
    known = [[2, 0], [1, 2], [1, 0], [2, 2], [2, 1], [3, 1], [0, 0]]
    even, uneven = (color_pairs(known, 4, of=of, balance=b).n_colors for b in (True, False))
    assert uneven - even == (of == "pairs")
    random = np.random.default_rng(7)
    for _ in range(300):
        n = int(random.integers(1, 9))
        pairs = random.integers(-1, n, (int(random.integers(1, 14)), 2))
        static = random.random(n) < 0.2 if random.random() < 0.5 else None
        even, uneven = (color_pairs(pairs, n, static, of=of, balance=b) for b in (True, False))
        assert even.verified and even.n_colors <= uneven.n_colors
        assert not even.n_colors or min(even.class_sizes)


def test_static_bodies_have_no_color_where_a_class_gets_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Static bodies have no color after a sweep that empties class 1."""
    monkeypatch.setattr(sequential, "_sweep", lambda S, colors, sizes: sizes.__setitem__(slice(None), [3, 0, 2]))
    colors = np.array([0, -1, 2, 0, 2, 0, -1], np.int32)
    sequential.balance_classes(lagcolor.Graph.of(([], []), n=7), colors)
    assert colors.tolist() == [0, -1, 1, 0, 1, 0, -1]


def test_as_many_colors_as_are_balanced() -> None:
    """A body of 1024 pairs, and pairs of others, which all have color 0 at first."""
    pairs = np.concatenate([[(0, i) for i in range(1, 1025)], np.arange(1025, 1625).reshape(-1, 2)])
    sizes = color_pairs(pairs, 1625).class_sizes
    assert len(sizes) == 1024 and max(sizes) < 10


@pytest.mark.parametrize("of", ["pairs", "bodies"])
def test_nothing_to_color(of: str) -> None:
    for pairs in (np.empty((0, 2), int), []):
        result = color_pairs(pairs, 3, of=of)
        assert len(result) == (0 if of == "pairs" else 3) and result.n_colors == (of == "bodies")
    for pairs in ([], [[-1, -1]]):
        assert color_pairs(pairs, 0, np.zeros(0, bool), of=of).n_colors == (of == "pairs" and len(pairs))
    assert color_pairs([[1, 1], [1, 1]], 2, of=of).colors.tolist() in ([0, 1], [1, 0], [0, 0])


def test_colors_go_to_an_array_of_the_caller() -> None:
    pairs = [[0, 1], [1, 2]]
    out = np.empty(2, np.int32)
    assert color_pairs(pairs, 3, out=out).colors is out and sorted(out.tolist()) == [0, 1]
    result = color_pairs(pairs, 3, wait=False)
    assert not result.verified and result.verify().ok and repr(result).startswith("<PairColoring: 2 pairs of 3 bodies")
    offsets, order = result.groups()
    assert offsets.tolist() == [0, 1, 2] and sorted(order.tolist()) == [0, 1]


def test_a_call_that_does_not_wait_has_at_most_so_many_colors() -> None:
    star = np.stack((np.zeros(99, int), np.arange(1, 100)), axis=1)
    result = color_pairs(star, 100, wait=False, max_colors=64)
    assert result.n_colors == 64 and (result.colors == -1).sum() == 35
    with pytest.raises(lagcolor.ColoringError, match="35 uncolored"):
        result.verify()
    assert color_pairs(star, 100, wait=False, max_colors=65).n_colors == 99
    clique = np.array([(i, j) for i in range(70) for j in range(i)])
    assert (color_pairs(clique, 70, of="bodies", wait=False).colors == -1).sum() == 6


def test_memory_of_a_body_with_many_contacts() -> None:
    m = 20_000
    star = np.stack((np.zeros(m, int), np.arange(1, m + 1)), axis=1)
    tracemalloc.start()
    result = color_pairs(star, m + 1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.verified and result.n_colors == m and most < 1000 * m  # 512 words of each body are 4096 m
    np.testing.assert_array_equal(result.colors[tie_order(np, m, 0)], np.arange(m))


def test_verifiers_find_broken_colorings() -> None:
    pairs = np.array([[0, 1], [1, 2], [2, 2], [3, -1], [3, 0]])
    static = np.array([True, False, False, False])
    of_pairs, of_bodies = (verify_pairs, [0, 1, 0, 0, 1]), (verify_bodies, [-1, 0, 1, 0])
    for (verify, good), at, color, words in (
        (of_pairs, 1, 0, "pairs 0 and 1 have color 0, and share body 1"),
        (of_pairs, 2, 1, "pairs 1 and 2 have color 1, and share body 2"),
        (of_pairs, 4, 0, "pairs 3 and 4 have color 0, and share body 3"),
        (of_pairs, 0, -1, "1 uncolored"),
        (of_pairs, 0, -2, "has color -2"),
        (of_pairs, 0, 7, "colors are not 0"),
        (of_bodies, 2, 0, "bodies 1 and 2 of pair 1 have color 0"),
        (of_bodies, 3, -1, "1 uncolored"),
        (of_bodies, 1, 5, "colors are"),
    ):
        assert verify(pairs, 4, static, np.array(good)).ok
        with pytest.raises(lagcolor.ColoringError, match=words):
            verify(pairs, 4, static, np.array([*good[:at], color, *good[at + 1 :]]))


def test_a_body_that_is_none() -> None:
    for of, body in (("pairs", 3), ("pairs", -2), ("bodies", -2), ("bodies", 3)):
        with pytest.raises(lagcolor.GraphError, match=f"pair 1 has body {body}, and bodies are numbered from 0"):
            color_pairs([[0, -1], [0, body]], 3, of=of)


def test_lists_and_static_bodies_that_are_masked_or_turned() -> None:
    pairs = [np.ma.array([0, 1], mask=False), np.ma.array([1, 2], mask=[1, 0])]
    for args, words in (
        ((pairs, 3), r"masked: pass numpy.ma.stack\(pairs\).filled\(-1\), where −1 is none"),
        (([[0, 1]], 2, np.ma.array([True, False], mask=[1, 0])), r"static must not have .* static.filled\(value\)"),
        ((([0, 1, 1], [2, 0, 3]), 4), r"not \(2, 3\): numpy.transpose\(pairs\) turns \(2, m\)"),
    ):
        with pytest.raises(lagcolor.GraphError, match=words):
            color_pairs(*args)
    assert color_pairs(np.ma.stack(pairs).filled(-1), 3).colors.tolist() == [0, 0]
    assert color_pairs(np.transpose(([0, 1, 1], [2, 0, 3])), 4).n_colors == 2
