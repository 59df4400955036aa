"""sort.cuh against NumPy: lists of warps."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, WARP, random, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


def numbers(n: int) -> list[np.ndarray]:
    """Random ones, few different ones, sorted both ways."""
    top = np.iinfo(np.uint32).max
    some = random(n).integers(0, top, n, dtype=np.uint32, endpoint=True)
    return [some, some % np.uint32(3), np.sort(some), np.sort(some)[::-1].copy()]


@pytest.mark.parametrize("each", [1, 2, 4, 8])
def test_lists_of_warps(engine: str, each: int) -> None:
    for x in numbers(6 * WARP * each):
        (found,) = run("sort", "sorted_by_warps", x, grid=2, block=3 * WARP, EACH=each)
        np.testing.assert_array_equal(found.reshape(6, -1), np.sort(x.reshape(6, -1), axis=1))
