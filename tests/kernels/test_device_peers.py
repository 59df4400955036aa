"""peers.cuh and base/device/several.py: words that go to the GPUs that need them, copies of ranges, and "stop"."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import KERNELS

from lagcolor.base import device as dev
from lagcolor.base.device import several

BOUNDS = [0, 32, 96, 128]


@pytest.mark.emulated(devices=3)
@pytest.mark.parametrize("mine", [0, 1, 2])
def test_words_go_where_a_neighbor_is(mine: int) -> None:
    cp = dev.cupy()
    copies = several.Copies((0, 1, 2), BOUNDS, np.uint32)
    for a in copies.arrays:
        a.host[:] = 99
    rng = np.random.default_rng(mine)
    n = BOUNDS[mine + 1] - BOUNDS[mine]
    ids = np.arange(BOUNDS[mine], BOUNDS[mine + 1], dtype=np.int32)
    low, high = np.sort(rng.integers(0, 128, (2, n)), axis=0).astype(np.int32)
    low[:4], high[:4] = [0, 31, 32, 96], [31, 32, 95, 127]  # ends of ranges
    words = rng.integers(0, 50, n).astype(np.uint32)
    with cp.cuda.Device(mine):
        stopped = cp.zeros(3, np.uint32)
        arrays = [cp.asarray(x) for x in (ids, low, high, words)]
        run = dev.Source(KERNELS / "peers.cu", block=32).of(SYSTEM=1)
        run.launch("push_words", (2,), n, *arrays, copies.tables[mine], stopped)
    assert stopped.host.tolist() == [0, 0, 0]
    for gpu, a in enumerate(copies.arrays):
        expected = np.full(128, 99, np.uint32)
        if gpu != mine:
            reaches = [
                any(BOUNDS[gpu] <= u < BOUNDS[gpu + 1] for u in range(p, q + 1)) for p, q in zip(low, high, strict=True)
            ]
            expected[ids[reaches]] = words[reaches]
        assert np.array_equal(a.host, expected)
    copies.give_up()
    with cp.cuda.Device(mine):
        run.launch("push_words", (1,), 0, *arrays, copies.tables[mine], stopped)
    assert stopped.host.tolist() == [1, 0, 1]
    assert copies.broken


@pytest.mark.emulated(devices=3)
def test_ranges_go_where_they_are_wanted() -> None:
    copies = several.Copies((2, 0, 1), BOUNDS, np.uint32)
    for i, a in enumerate(copies.arrays):
        a.host[:] = 1000 * i + np.arange(128)
    sent = copies.send([(0, 40), (0, 128), (100, 128)])
    copies.meet()
    owner = np.repeat([0, 1, 2], np.diff(BOUNDS))
    for i, wanted in enumerate([(0, 40), (0, 128), (100, 128)]):
        here = (np.arange(128) >= wanted[0]) & (np.arange(128) < wanted[1])
        assert np.array_equal(copies.arrays[i].host, 1000 * np.where(here, owner, i) + np.arange(128))
    assert sent == 4 * (8 + (32 + 32))
