"""sequence.cuh and engines/two_hop/places.cuh against NumPy: vertices of places, and places of vertices."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, KERNELS, random, run

import lagcolor.base.device as dev

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


def test_vertices(engine: str) -> None:
    sequence = random(1).permutation(64).astype(np.int32)
    blank = np.full(64, -1, np.int32)
    _, given, by_id = run("sequence", "vertices", sequence, blank, blank, block=64, BLOCK=64)
    np.testing.assert_array_equal(given, sequence)
    np.testing.assert_array_equal(by_id, np.arange(64))


@pytest.mark.parametrize("flip", [0, 2**32 - 1])
def test_places(engine: str, flip: int) -> None:
    """Of the first 70 vertices of a sequence of 100; the others keep what they have."""
    cp = dev.cupy()
    sequence = random(2).permutation(100).astype(np.int32)
    place = cp.full(100, 7, np.uint32)
    run = dev.Source(KERNELS / "sequence.cu").of(BLOCK=32)
    run.launch("set_places", 70, np.int64(70), cp.asarray(sequence), np.uint32(flip), place)
    expected = np.full(100, 7, np.uint32)
    expected[sequence[:70]] = np.arange(70, dtype=np.uint32) ^ np.uint32(flip)
    np.testing.assert_array_equal(cp.asnumpy(place), expected)
