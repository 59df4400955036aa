"""sort.cuh against NumPy: numbers of a block, and lists of warps."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, WARP, random, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


def numbers(n: int, dtype: type) -> list[np.ndarray]:
    """Random ones, few different ones, sorted both ways."""
    top = np.iinfo(dtype).max
    some = random(n).integers(0, top, n, dtype=dtype, endpoint=True)
    return [some, (some % np.array(3, dtype)).astype(dtype), np.sort(some), np.sort(some)[::-1].copy()]


@pytest.mark.parametrize(("kernel", "dtype"), [("sorted_by_block", np.uint32), ("sorted_by_block_u64", np.uint64)])
@pytest.mark.parametrize("n", [32, 64, 256, 1024])
def test_a_block(engine: str, kernel: str, dtype: type, n: int) -> None:
    for x in numbers(n, dtype):
        (found,) = run("sort", kernel, n, x, block=256, BLOCK=256, EACH=1)
        np.testing.assert_array_equal(found, np.sort(x))


@pytest.mark.parametrize("each", [1, 2, 4, 8])
def test_lists_of_warps(engine: str, each: int) -> None:
    for x in numbers(6 * WARP * each, np.uint32):
        (found,) = run("sort", "sorted_by_warps", x, grid=2, block=3 * WARP, BLOCK=256, EACH=each)
        np.testing.assert_array_equal(found.reshape(6, -1), np.sort(x.reshape(6, -1), axis=1))
