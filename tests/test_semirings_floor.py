"""Bytes that a product with a mask must move, on a graph small enough to count by hand."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

import lagcolor
from benchmarks import semirings_gpu
from benchmarks.semirings_floor import floor, touched


def test_sectors_of_ranges() -> None:
    def bytes_of(*ranges: tuple[int, int]) -> int:
        return touched(*np.array(ranges).T, 32)

    assert bytes_of((3, 3)) == 0
    assert bytes_of((0, 8)) == 32
    assert bytes_of((7, 9)) == 64
    assert bytes_of((0, 1), (5, 6), (16, 17)) == 64


def test_path() -> None:
    """64 vertices in a row: offsets 0, 1, 3, 5 …, so row 10 has entries 19 and 20, columns 9 and 11."""
    G = lagcolor.generate.from_spec("path:64")
    got = floor(G, np.array([10]), 32)
    parts = {"mask": 64, "offsets": 32, "columns": 32, "vector": 32, "presence": 64, "sums": 32}
    assert {k: got[f"{k}_bytes"] for k in parts} == parts
    assert got["total_bytes"] == 256
    assert got["of_unmasked"] == 256 / (4 * 65 + 4 * 126 + 8 * 64)
    assert floor(G, np.arange(64), 32)["columns_bytes"] == 512


class Clock:
    """A GPU and a host with a clock each: what is queued begins when the host has queued it and the GPU is free."""

    def __init__(self, host_ms: float, device_ms: float, waits: bool = False) -> None:
        self.host = self.gpu = 0.0
        self.host_ms, self.device_ms, self.waits = host_ms, device_ms, waits
        self.cuda = SimpleNamespace(Event=lambda: Event(self), get_elapsed_time=lambda a, b: b.at - a.at)

    def queue(self, ms: float) -> None:
        self.gpu = max(self.gpu, self.host) + ms

    def call(self) -> None:
        self.host += self.host_ms
        self.queue(self.device_ms)
        if self.waits:
            self.host = max(self.host, self.gpu)

    def kernel(self, name: str) -> Callable[..., None]:
        """The benchmark's busy kernel: it takes as many nanoseconds as its argument says."""
        return lambda grid, block, args: self.queue(float(args[0]) / 1e6)


class Event:
    def __init__(self, clock: Clock) -> None:
        self._clock, self.at = clock, 0.0

    def record(self) -> None:
        self._clock.queue(0)
        self.at = self._clock.gpu

    @property
    def done(self) -> bool:
        return self.at <= self._clock.host

    def synchronize(self) -> None:
        self._clock.host = max(self._clock.host, self.at)


@pytest.mark.parametrize("host_ms", [0.01, 0.1, 1.0])
def test_device_time_is_not_the_hosts(host_ms: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two codes of one device time have one device time, however long Python takes for a call."""
    clock = Clock(host_ms, 0.05)
    monkeypatch.setattr(semirings_gpu, "Module", lambda cp, code: cp)
    host, device = semirings_gpu.host_and_device_ms(clock, clock.call, 3)
    assert device == pytest.approx(0.05)
    assert host == pytest.approx(max(host_ms, 0.05), rel=0.1)


def test_a_call_that_waits_has_no_device_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(0.01, 0.05, waits=True)
    monkeypatch.setattr(semirings_gpu, "Module", lambda cp, code: cp)
    assert semirings_gpu.host_and_device_ms(clock, clock.call, 2)[1] is None
