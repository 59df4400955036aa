"""group.cuh, and degree classes, against NumPy: what threads that share a vertex need of each other."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, WARP, numbers, patterns, random, reduced, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]
SIZES = pytest.mark.parametrize("size", [1, 2, 8, 32, 256])
BLOCK, GRID = 256, 2
N = BLOCK * GRID


def launch(name: str, size: int, *args: object) -> list[np.ndarray]:
    return run("group", name, *args, grid=GRID, block=BLOCK, WIDTH=size)


@SIZES
def test_places(engine: str, size: int) -> None:
    blank = np.full(N, -1, np.int32)
    lane, index, lanes = launch("places", size, blank, blank, np.zeros(N, np.uint32))
    thread = np.arange(N) % BLOCK
    np.testing.assert_array_equal(lane, thread % size)
    np.testing.assert_array_equal(index, thread // size)
    within = min(size, WARP)
    np.testing.assert_array_equal(lanes, ((1 << within) - 1) << (thread % WARP // within * within))


@SIZES
def test_votes(engine: str, size: int) -> None:
    for name, votes in patterns(N).items():
        _, any_, all_ = launch("votes", size, votes, np.full(N, -1, np.int32), np.full(N, -1, np.int32))
        groups = votes.reshape(-1, size)
        np.testing.assert_array_equal(any_, np.repeat(groups.any(axis=1), size), name)
        np.testing.assert_array_equal(all_, np.repeat(groups.all(axis=1), size), name)


@SIZES
@pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("u64", np.uint64)])
def test_reductions(engine: str, size: int, kind: str, dtype: type) -> None:
    for name, x in numbers(N, dtype).items():
        _, out = launch(f"reductions_{kind}", size, x, np.zeros(5 * N, dtype))
        np.testing.assert_array_equal(out.reshape(-1, 5), reduced(x, size), name)


@pytest.mark.parametrize("size", [32, 256])
def test_ranks(engine: str, size: int) -> None:
    for name, votes in patterns(N).items():
        blank = np.full(N, -1, np.int32)
        _, rank, total, other, rest = launch("ranks", size, votes, blank, blank, blank, blank)
        for yes, r, t in ((votes, rank, total), (1 - votes, other, rest)):
            groups = yes.reshape(-1, size)
            np.testing.assert_array_equal(r, (np.cumsum(groups, axis=1) - groups).ravel(), name)
            np.testing.assert_array_equal(t, np.repeat(groups.sum(axis=1), size), name)


@pytest.mark.parametrize("size", [32, 256])
def test_sums_of_those_before(engine: str, size: int) -> None:
    x = random(4).integers(0, 2**40, N, np.uint64)
    blank = np.zeros(N, np.uint64)
    *_, before, total, again = launch("sums", size, x, blank, blank, blank)
    groups = x.reshape(-1, size)
    np.testing.assert_array_equal(before, (np.cumsum(groups, axis=1, dtype=np.uint64) - groups).ravel())
    np.testing.assert_array_equal(total, np.repeat(groups.sum(axis=1, dtype=np.uint64), size))
    np.testing.assert_array_equal(again, total * np.tile(np.arange(size, dtype=np.uint64), N // size))


@SIZES
def test_memory_is_in_order_after_sync(engine: str, size: int) -> None:
    x = random(3).integers(0, 1000, N // size).astype(np.int32)
    *_, out = launch("told", size, x, np.full(N // size, -1, np.int32), np.full(3 * N, -1, np.int32))
    np.testing.assert_array_equal(out.reshape(N, 3), np.repeat(x, size)[:, None] + np.arange(3))


@pytest.mark.parametrize(("thread_most", "warp_most"), [(31, 511), (32, 2048), (0, 0)])
def test_classes(engine: str, thread_most: int, warp_most: int) -> None:
    borders = [b + d for b in (0, thread_most, warp_most) for d in (-1, 0, 1) if b + d >= 0]
    degree = np.resize(np.array([*borders, 2**31 - 1], np.int32), N)
    wide = np.where(np.arange(N) % 3, degree.astype(np.int64), degree.astype(np.int64) << 31)
    blank = np.full(N, -1, np.int32)
    *_, out, out_wide = launch("classes", 1, degree, wide, thread_most, warp_most, blank, blank)
    for found, d in ((out, degree), (out_wide, wide)):
        np.testing.assert_array_equal(found, np.where(d <= thread_most, 0, np.where(d <= warp_most, 1, 2)))
