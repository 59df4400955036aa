"""What the emulated device finds: races, missing barriers, memory that no thread set, overflow, endless waiting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import emulated
import numpy as np
import pytest
from emulated import EmulatorError

from lagcolor.base.device.source import INCLUDE_DIR, Module

pytestmark = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")

SEEDS = range(1, 9)


@pytest.fixture(scope="module")
def installed() -> Iterator[emulated.Emulated]:
    with emulated.emulated_gpu(processors=4) as e:
        yield e


@pytest.fixture
def gpu(installed: emulated.Emulated) -> Iterator[emulated.Emulated]:
    before = vars(installed.gpu).copy()
    yield installed
    vars(installed.gpu).update(before)


def run(gpu: emulated.Emulated, body: str, blocks: int = 1, threads: int = 64, cooperative: bool = False) -> list[int]:
    """Eight words, zeros at first, that a kernel of this body changes."""
    text = '#include "base/device/include/grid.cuh"\n' + f'extern "C" __global__ void k(int* x, i64 n) {{ {body} }}\n'
    x = gpu.cp.zeros(8, np.int32)
    options = ("-std=c++17", f"-I{INCLUDE_DIR}", "-DOFFSET_BITS=32")
    Module(gpu.cp, text, options).kernel("k")((blocks,), (threads,), (x, 3), cooperative=cooperative)
    return x.tolist()


def outcomes(gpu: emulated.Emulated, body: str, **launch: Any) -> set[int]:
    """First words in all schedules of `SEEDS`."""
    found = set()
    for gpu.gpu.seed in SEEDS:
        found.add(run(gpu, body, **launch)[0])
    return found


SHARED = "__shared__ int word; if (threadIdx.x == 0) word = 7; %s if (threadIdx.x == 40) x[0] = word;"
MEETING = "int goal = 0; atomicAdd(x + 1, 1); %s if (threadIdx.x == 9) atomicAdd(x, load_relaxed(x + 1));"
# A kernel that is wrong, a right one, the word that the right one gives, and the wrong one in turn, and the launch.
RACES = {
    "update": ("store_relaxed(x, load_relaxed(x) + 1);", "atomicAdd(x, 1);", 16, {"threads": 16}),
    "block": (SHARED % "", SHARED % "__syncthreads();", 7, {}),
    "blocks": (
        MEETING % "",
        MEETING % "grid_barrier(x + 2, goal);",
        256,
        {"blocks": 4, "threads": 16, "cooperative": True},
    ),
}


@pytest.mark.parametrize("race", RACES)
def test_races(gpu: emulated.Emulated, race: str) -> None:
    """Threads in turn hide some of them, threads in random order show each."""
    wrong, right, expected, launch = RACES[race]
    assert race == "blocks" or run(gpu, wrong, **launch)[0] == expected
    assert outcomes(gpu, right, **launch) == {expected}
    assert outcomes(gpu, wrong, **launch) - {expected}


def test_new_memory_is_not_zero(gpu: emulated.Emulated) -> None:
    """Shared memory of a block, whatever the block before left there, and allocations."""
    body = "__shared__ int word; if (threadIdx.x == 0) { atomicOr(x, word); word = 1; }"
    assert run(gpu, body, blocks=9)[0] == np.uint32(0xA5A5A5A5).view(np.int32)
    assert set(gpu.cp.empty(5, np.uint8).tolist()) == {0xA5}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("if (threadIdx.x < 5) __syncwarp(); else __syncthreads();", "barriers that the others do not come to"),
        ("while (load_relaxed(x) == 0) {}", "poll memory that no thread writes"),
        ("if (threadIdx.x == 4) __syncwarp(1);", "mask of lanes that does not name it"),
        ("x[0] = 0x7fffffff; x[0] += (int)n;", r"signed overflow.*x\[0\] \+= \(int\)n"),
        ("x[0] = 1 << (n + 29);", "a shift by too much"),
        ("int own[3]; own[n] = 1; x[0] = own[n];", "out of bounds"),
    ],
)
def test_what_is_undefined_or_hangs(gpu: emulated.Emulated, body: str, why: str) -> None:
    gpu.gpu.seed = 3
    with pytest.raises(EmulatorError, match=f"(?s)kernel 'k', schedule .*{why}"):
        run(gpu, body)
    assert run(gpu, "atomicAdd(x, 1);")[0] == 64  # and the next launch works
