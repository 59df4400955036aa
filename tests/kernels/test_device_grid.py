"""grid.cuh and clock.cuh: blocks meet as often as they should, whatever the counter was before."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


@pytest.mark.parametrize("start", [0, 2**31 - 3, -2])
@pytest.mark.parametrize("blocks", [1, 8])
@pytest.mark.parametrize("block", [32, 256])
def test_blocks_meet(engine: str, blocks: int, block: int, start: int) -> None:
    """Also where the counter wraps around, which the emulated device takes for an overflow."""
    if engine == "emulated" and start:
        pytest.skip("signed overflow")
    rounds = 10
    arrived, turns, wrong = run(
        "grid", "meetings", rounds, np.full(1, start, np.int32), start, np.full(blocks, -1, np.int32),
        np.zeros(1, np.int32), grid=blocks, block=block, together=True,
    )  # fmt: skip
    assert not wrong[0]
    assert turns.tolist() == [rounds - 1] * blocks
    assert int(arrived[0]) % 2**32 == (start + 2 * rounds * blocks) % 2**32


def test_time_goes_on(engine: str) -> None:
    for length in (0, 1000):
        (times,) = run("grid", "naps", length, np.zeros(2, np.uint64), block=1)
        assert times[0] <= times[1]
        assert engine == "emulated" or times[0] > 0
