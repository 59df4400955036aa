"""atomics.cuh and warp.cuh against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, WARP, numbers, patterns, random, reduced, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


def lanes(votes: np.ndarray) -> np.ndarray:
    """How many lanes of its warp before each thread vote."""
    v = votes.reshape(-1, WARP)
    return (np.cumsum(v, axis=1) - v).ravel()


@pytest.mark.parametrize("block", [32, 96])
def test_ranks(engine: str, block: int) -> None:
    for name, votes in patterns(block).items():
        _, rank, below = run(
            "warp", "ranks", votes, np.full(block, -1, np.int32), np.zeros(block, np.uint32), block=block
        )
        np.testing.assert_array_equal(rank, lanes(votes), name)
        np.testing.assert_array_equal(below, (1 << (np.arange(block) % WARP)) - 1, name)


@pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("u64", np.uint64)])
def test_reductions(engine: str, kind: str, dtype: type) -> None:
    for name, x in numbers(64, dtype).items():
        _, out = run("warp", f"reductions_{kind}", x, np.zeros(5 * 64, dtype), block=64)
        np.testing.assert_array_equal(out.reshape(-1, 5), reduced(x, WARP), name)


@pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("u64", np.uint64)])
def test_sums(engine: str, kind: str, dtype: type) -> None:
    for name, x in numbers(128, dtype).items():
        if dtype is np.int32:
            x //= 256  # no sum wraps around
        expected = np.cumsum(x.reshape(-1, WARP), axis=1, dtype=dtype).ravel()
        total = dtype(5) + x.sum(dtype=dtype)
        _, until = run("warp", f"until_{kind}", x, np.zeros(128, dtype), grid=2, block=64)
        np.testing.assert_array_equal(until, expected, name)
        _, found = run("warp", f"total_{kind}", x, np.full(1, 5, dtype), grid=2, block=64)
        assert found[0] == total, name


@pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("u64", np.uint64)])
def test_lists(engine: str, kind: str, dtype: type) -> None:
    """Those of a warp keep their order and stand together; nobody is lost, and none listed twice."""
    for name, votes in patterns(128).items():
        _, items, length = run(
            "warp", f"listed_{kind}", votes, np.full(131, -1, np.int32), np.full(1, 2, dtype), grid=2, block=64
        )
        chosen = np.flatnonzero(votes)
        assert length[0] == 2 + len(chosen), name
        assert (items[:2] == -1).all() and (items[2 + len(chosen) :] == -1).all(), name
        found = items[2 : 2 + len(chosen)]
        np.testing.assert_array_equal(np.sort(found), chosen, name)
        for warp in range(4):
            own = np.flatnonzero(found // WARP == warp)
            assert (np.diff(own) == 1).all() and (np.diff(found[own]) > 0).all(), name


@pytest.mark.parametrize(
    ("kind", "dtype"), [("i32", np.int32), ("u32", np.uint32), ("u64", np.uint64), ("u8", np.uint8)]
)
def test_words_are_copied_whole(engine: str, kind: str, dtype: type) -> None:
    info = np.iinfo(dtype)
    x = random(1).integers(info.min, info.max, 64, dtype, endpoint=True)
    x[:4] = info.min, info.max, 1, info.max // 2 + 1
    _, relaxed, unfenced = run("warp", f"copies_{kind}", x, np.zeros(66, dtype), np.zeros(66, dtype), block=64)
    for copy in (relaxed, unfenced):
        np.testing.assert_array_equal(copy[:64], x)
        assert not copy[64:].any()
