"""search.cuh against NumPy's searchsorted."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import ENGINES, random, run

pytestmark = [pytest.mark.inner, pytest.mark.parametrize("engine", ENGINES)]


def sorted_arrays(dtype: type) -> dict[str, np.ndarray]:
    """Of 0, 1, 31, 32, 33 and 1023 values, with and without equal ones, and with the limits of the type."""
    info = np.iinfo(dtype)
    arrays = {f"{n} distinct": np.arange(0, 2 * n, 2) for n in (0, 1, 31, 32, 33, 1023)}
    arrays["equal"] = np.full(40, 7)
    arrays["steps"] = np.sort(random(4).integers(0, 20, 300))
    arrays["limits"] = np.array([info.min, info.min, -1, 0, 1, info.max - 1, info.max])
    return {name: x.astype(dtype) for name, x in arrays.items()}


@pytest.mark.parametrize(("kind", "dtype"), [("int", np.int32), ("wide", np.int64)])
def test_places(engine: str, kind: str, dtype: type) -> None:
    info = np.iinfo(dtype)
    for name, values in sorted_arrays(dtype).items():
        around = [int(v) + d for v in values[:64] for d in (-1, 0, 1)] + [-1, 0, 1]
        keys = np.array([k for k in around if info.min <= k <= info.max], dtype)
        for low, high in {(0, len(values)), (len(values) // 3, len(values) - len(values) // 4)}:
            blank = np.full(len(keys), -1, dtype)
            stored = values if len(values) else np.zeros(1, dtype)
            grid = -(-len(keys) // 64)
            *_, over, start = run(
                "search",
                f"places_{kind}",
                stored,
                low,
                high,
                keys,
                len(keys),
                blank,
                blank,
                grid=grid,
                block=64,
            )
            part = values[low:high]
            np.testing.assert_array_equal(over, low + np.searchsorted(part, keys, "right"), name)
            np.testing.assert_array_equal(start, low + np.searchsorted(part, keys, "left"), name)


@pytest.mark.parametrize("block", [32, 64])
@pytest.mark.parametrize("width", [1, 2, 64, 65, 200])
def test_bounds_of_a_tile(engine: str, block: int, width: int) -> None:
    """Consecutive entries are looked up in offsets of rows, some of them empty; each bound is the tightest one."""
    lengths = np.where(random(5).integers(0, 3, 90) == 0, 0, random(6).integers(1, 9, 90))
    offsets = np.concatenate([[0], np.cumsum(lengths), [np.sum(lengths)] * 3]).astype(np.int64)
    for first in (0, 1, int(offsets[-1]) - width):
        last = first + width - 1
        tiles = -(-width // block)
        _, over, bounds = run(
            "search", "tiles", offsets, len(offsets), first, last, np.full(width, -1, np.int32),
            np.full(2 * tiles, -1, np.int32), block=block,
        )  # fmt: skip
        np.testing.assert_array_equal(over, np.searchsorted(offsets, np.arange(first, last + 1), "right"))
        starts = np.arange(first, last + 1, block)
        np.testing.assert_array_equal(bounds[::2], np.searchsorted(offsets, starts, "right"))
        np.testing.assert_array_equal(
            bounds[1::2], np.searchsorted(offsets, np.minimum(starts + block - 1, last), "right")
        )
