"""Bytes that a product with a mask must move, on a graph small enough to count by hand."""

from __future__ import annotations

import numpy as np

import lagcolor
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
    assert {k: got[k] for k in ("mask", "offsets", "columns", "vector", "presence", "sums")} == {
        "mask": 64, "offsets": 32, "columns": 32, "vector": 32, "presence": 64, "sums": 32,
    }  # fmt: skip
    assert got["total"] == 256
    assert got["of_unmasked"] == 256 / (4 * 65 + 4 * 126 + 8 * 64)
    assert floor(G, np.arange(64), 32)["columns"] == 512


def test_table_of_products() -> None:
    from benchmarks.semirings_gpu import table

    def row(case: str, ms: float, device_ms: float | None) -> dict[str, object]:
        return {"graph": "g", "case": case, "ms": ms, "device_ms": device_ms, "floor_ms": 0.5}

    rows = [row("vxm", 9, 2), row("vxm, mask of 10 %", 9, 0.5), row("cupyx csr @ float32", 3, None)]
    lines = table([{"gpu": "NVIDIA H200", "date": "2026-11-21T15:00", "commit": "0123456789"}, *rows])
    assert lines[2] == "| g | 2 | 4.0 | 0.5 | 25 % | 3 |"
    assert lines[-1] == "NVIDIA H200, 2026-11-21, commit 0123456."
