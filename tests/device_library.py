"""Running a kernel of tests/device_kernels. Each kernel calls one function of the device library by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagcolor.base.device as dev

KERNELS = Path(__file__).with_name("device_kernels")
ENGINES = [
    pytest.param("emulated", marks=pytest.mark.emulated(seed=1, processors=8), id="emulated"),
    pytest.param("cuda", marks=pytest.mark.gpu),
]
WARP = 32


def run(
    file: str,
    name: str,
    *args: Any,
    grid: int = 1,
    block: int = WARP,
    together: bool = False,
    **macros: object,
) -> list[np.ndarray]:
    """Launch a kernel; its arrays as it leaves them, in the order of the arguments.

    Parameters
    ----------
    file, name : str
        A source of `KERNELS` without its suffix, and a function in it.
    *args : array or int
        Numbers are passed in 64 bits.
    grid, block : int
    together : bool
        Blocks wait for each other.
    **macros
    """
    cp = dev.cupy()
    own = [cp.asarray(x) if isinstance(x, np.ndarray) else np.int64(x) for x in args]
    kernel = dev.Source(KERNELS / f"{file}.cu").of(**macros).kernel(name)
    kernel((grid,), (block,), tuple(own), cooperative=together)
    return [cp.asnumpy(x) for x in own if isinstance(x, cp.ndarray)]


def patterns(n: int) -> dict[str, np.ndarray]:
    """Votes of n threads: none, all, one alone at each border, every other, and random ones."""
    votes = {"none": np.zeros(n, np.int32), "all": np.ones(n, np.int32), "random": random(n).integers(0, 2, n)}
    for at in {0, 30, 31, 32, 33, 63, n - 2, n - 1} & set(range(n)):
        votes[f"only {at}"] = np.arange(n) == at
        votes[f"all but {at}"] = np.arange(n) != at
    votes["every other"] = np.arange(n) % 2
    return {name: np.ascontiguousarray(v, np.int32) for name, v in votes.items()}


def random(seed: int) -> np.random.Generator:
    """Numbers that are the same each time."""
    return np.random.default_rng(seed)


def numbers(n: int, dtype: Any) -> dict[str, np.ndarray]:
    """n numbers of a type: its limits, small ones, and random ones."""
    info = np.iinfo(dtype)
    return {
        "zeros": np.zeros(n, dtype),
        "rising": np.arange(n, dtype=dtype),
        "falling": np.arange(n, 0, -1, dtype=dtype),
        "limits": np.where(np.arange(n) % 2, dtype(info.min), dtype(info.max)),
        "one": (np.arange(n) == n - 1).astype(dtype),
        "random": random(n).integers(info.min, info.max, n, dtype, endpoint=True),
    }


def reduced(x: np.ndarray, size: int) -> np.ndarray:
    """Sum, most, least, or, and of each `size` numbers, for each of them; sums wrap around."""
    groups = x.reshape(-1, size)
    functions = (np.add, np.maximum, np.minimum, np.bitwise_or, np.bitwise_and)
    with np.errstate(over="ignore"):
        found = [np.repeat(f.reduce(groups, axis=1, dtype=x.dtype), size) for f in functions]
    return np.stack(found, axis=1)
