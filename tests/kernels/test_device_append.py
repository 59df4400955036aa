"""append.cuh against NumPy: places in a list for the threads of a block."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, patterns, random, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]
LENGTHS = pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("u64", np.uint64)])


def check(items: np.ndarray, length: int, start: int, expected: np.ndarray, block: int, name: str) -> None:
    """`expected` stands from `start` on and nothing beside it; a block's items in their order, one behind another."""
    assert length == start + len(expected), name
    assert (items[:start] == -1).all() and (items[length:] == -1).all(), name
    found = items[start:length]
    np.testing.assert_array_equal(np.sort(found, kind="stable"), expected, name)
    for b in np.unique(expected // block):
        own = np.flatnonzero(found // block == b)
        assert (np.diff(own) == 1).all() and (np.diff(found[own]) >= 0).all(), name


@LENGTHS
@pytest.mark.parametrize(("grid", "block"), [(1, 32), (3, 64), (1, 1024)])
def test_places(engine: str, kind: str, dtype: type, grid: int, block: int) -> None:
    n = grid * block
    for name, votes in patterns(n).items():
        blank = np.full(n + 8, -1, np.int32)
        _, items, rest, lengths = run(
            "lists", f"listed_{kind}", votes, blank, blank, np.array([3, 0], dtype), grid=grid, block=block
        )
        check(items, int(lengths[0]), 3, np.flatnonzero(votes), block, name)
        check(rest, int(lengths[1]), 0, np.flatnonzero(votes == 0), block, name)


@LENGTHS
@pytest.mark.parametrize(("grid", "block"), [(1, 32), (3, 64), (1, 1024)])
def test_several_places(engine: str, kind: str, dtype: type, grid: int, block: int) -> None:
    n = grid * block
    for name, wanted in (patterns(n) | {"many": random(2).integers(0, 5, n).astype(np.int32)}).items():
        expected = np.repeat(np.arange(n), wanted)
        blank = np.full(len(expected) + n + 8, -1, np.int32)
        _, items, odd, lengths = run(
            "lists", f"several_{kind}", wanted, blank, blank, np.array([3, 0], dtype), grid=grid, block=block
        )
        check(items, int(lengths[0]), 3, expected, block, name)
        check(odd, int(lengths[1]), 0, np.flatnonzero(wanted % 2), block, name)
