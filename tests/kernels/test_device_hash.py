"""hash.cuh is the hash of orders/ties.py."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, random, run

from lagcolor.orders.ties import mix, seed_word

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


def test_the_host_has_the_same(engine: str) -> None:
    x = random(9).integers(0, 2**32, 256, np.uint32)
    x[:6] = 0, 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1
    seeds = random(10).integers(0, 2**32, 256, np.uint32)
    seeds[::3] = 0
    *_, alone, seeded = run("hash", "hashes", x, seeds, np.zeros(256, np.uint32), np.zeros(256, np.uint32), block=256)
    word = np.uint32(seed_word(0))
    np.testing.assert_array_equal(alone, mix(np, x ^ word, 0))
    np.testing.assert_array_equal(seeded, mix(np, x ^ seeds ^ word, 0))
