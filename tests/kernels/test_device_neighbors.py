"""neighbors.cuh: each entry of a row is read once, by one thread of the group, and nothing beyond it."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, random, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]
N = 4  # entries a thread reads at a time


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("size", [1, 8, 32, 256])
def test_rows(engine: str, size: int, bits: int) -> None:
    words = random(8).integers(-1000, 1000, 50).astype(np.int32)
    for length in {0, 1, 31, 32, 33, N * size - 1, N * size, N * size + 1, 1023}:
        for begin in (0, 3):
            indices = random(length).integers(0, 50, begin + length + 5).astype(np.int32)
            zeros = np.zeros(length + 1, np.int32)
            *_, count, seen, unwanted = run(
                "neighbors", "rows", indices, begin, begin + length, words, zeros, zeros, np.zeros(1, np.int32),
                block=size, WIDTH=size, OFFSET_BITS=bits,
            )  # fmt: skip
            row = indices[begin : begin + length]
            assert not unwanted[0]
            np.testing.assert_array_equal(count, [1] * length + [0])
            np.testing.assert_array_equal(seen[:length], words[row])
