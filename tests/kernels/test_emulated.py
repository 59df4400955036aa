"""What the emulated device finds: races, missing barriers, memory that nobody set, overflow, endless waiting."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import emulated
import numpy as np
import pytest
from emulated import EmulatorError
from test_emulated_rows import check

import lagcolor
from lagcolor.base.device import several
from lagcolor.base.device.source import INCLUDE_DIR, Module

pytestmark = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")

SEEDS = range(1, 9)
GRID = lagcolor.generate.from_spec("grid2d:9")


@pytest.fixture(scope="module")
def installed() -> Iterator[emulated.Emulated]:
    with emulated.emulated_gpu(devices=2, processors=4) as e:
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
TOGETHER: dict[str, Any] = {"blocks": 4, "threads": 16, "cooperative": True}
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


def test_it_takes_no_more_than_cupy(gpu: emulated.Emulated) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'initial'"):
        gpu.cp.zeros(3).max(initial=0)
    with pytest.raises(ValueError, match="zero-size"):
        gpu.cp.bincount(gpu.cp.zeros(0, np.int32), minlength=3)


NEAR = """
    int goal = 0;
    const bool reads = blockIdx.x == 1 && threadIdx.x == 0, writes = blockIdx.x == 0 && threadIdx.x == 0;
    if (reads) {
        x[4] = load_near(x + 1);
        store_relaxed(x + 2, 1);
        while (load_relaxed(x + 1) == 0) {}
        x[5] = load_near(x + 1);
    }
    if (writes) {
        while (load_relaxed(x + 2) == 0) {}
        store_relaxed(x + 1, 5);
        x[6] = load_near(x + 1);
    }
    grid_barrier(x, goal);
    if (reads) x[7] = load_near(x + 1);
"""


def test_near_loads_are_old_until_a_fence(gpu: emulated.Emulated) -> None:
    """As L1 may keep them; a block sees what it has stored itself."""
    for gpu.gpu.seed in (None, *SEEDS):
        assert run(gpu, NEAR, blocks=2, threads=32, cooperative=True)[4:] == [0, 0, 5, 5]


def test_a_schedule_can_be_repeated(gpu: emulated.Emulated) -> None:
    body = "x[atomicAdd(x, 1) % 7 + 1] = threadIdx.x + 64 * blockIdx.x;"
    gpu.gpu.seed, gpu.gpu.launched = 5, 0
    first = run(gpu, body, blocks=3)
    gpu.gpu.launched = 0
    assert run(gpu, body, blocks=3) == first
    assert len({tuple(run(gpu, body, blocks=3)) for gpu.gpu.seed in SEEDS}) > 4


@pytest.mark.parametrize("seed", [None, 3])
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
def test_what_is_undefined_or_hangs(gpu: emulated.Emulated, body: str, why: str, seed: int | None) -> None:
    gpu.gpu.seed = seed
    with pytest.raises(EmulatorError, match=f"(?s)kernel 'k', schedule .*{why}"):
        run(gpu, body)
    assert run(gpu, "atomicAdd(x, 1);")[0] == 64  # and the next launch works


def test_threads_that_return_hold_up_nobody(gpu: emulated.Emulated) -> None:
    body = "if (threadIdx.x > 40) return; __syncthreads(); __syncwarp(); atomicAdd(x, 1);"
    assert run(gpu, body)[0] == 41
    assert outcomes(gpu, body) == {41}


# Of kernels of the library: the text, the fault, and how a device must be so that it is missed; None: it never is.
CLEAR = "        for (int w = Group::lane(); w < WORDS; w += Group::SIZE) words[w] = taken;\n"
FAULTS = {
    "barrier": (CLEAR + "        Group::sync();\n", CLEAR, None),
    "bitmap": (CLEAR, "", {"poison": 0, "seed": None}),
    "overflow": ("(unsigned)(c[i] - base)", "(unsigned)(c[i] + 1 - base - 1)", None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_a_kernel_are_found(gpu: emulated.Emulated, fault: str) -> None:
    old, new, blind = FAULTS[fault]

    def colors() -> None:
        for name in ("clique 5", "star", "clique 70", "disconnected"):
            check("jones_plassmann", name, "random", 3)

    def all_schedules() -> None:
        for gpu.gpu.seed in SEEDS:
            colors()

    all_schedules()
    emulated.forget()
    gpu.gpu.faults = ((old, new),)
    try:
        with pytest.raises((AssertionError, lagcolor.LagcolorError)):
            all_schedules()
        if blind is not None:
            vars(gpu.gpu).update(blind)
            colors()
    finally:
        emulated.forget()


def test_it_takes_the_place_of_a_cupy_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """For as long as the context lasts, also where an error ends it."""
    there = {name: ModuleType(name) for name in ("cupy", "cupy.random", "cupyx", "cupyx.jit", "cupy_backends")}
    for name, module in there.items():
        monkeypatch.setitem(sys.modules, name, module)
    before = sys.modules.copy()
    with pytest.raises(KeyError), emulated.emulated_gpu():
        import cupy

        assert emulated.stands_in() and cupy is not there["cupy"]
        assert {"cupy.random", "cupyx.jit"}.isdisjoint(sys.modules)
        assert lagcolor.color(GRID, "jones_plassmann", device="cuda").verified
        raise KeyError
    assert not emulated.stands_in()
    cupys = [{k: v for k, v in modules.items() if k.startswith("cupy")} for modules in (before, sys.modules)]
    assert cupys[0] == cupys[1]


# Each waits for the other's word, to which it has written 1 after its own was zero.
MEETS = "store_relaxed(other, 1); while (load_relaxed(x) != 1) {} if (blockIdx.x == gridDim.x - 1) x[1] = gridDim.x;"


def on_two(gpu: emulated.Emulated, both: bool) -> list[list[int]]:
    """A word of each of two devices, and the blocks of the launch there, after kernels that wait for each other."""
    text = f'#include "base/device/include/grid.cuh"\nextern "C" __global__ void k(int* x, int* other) {{ {MEETS} }}\n'
    options, launches, words = ("-std=c++17", f"-I{INCLUDE_DIR}", "-DOFFSET_BITS=32", "-DSYSTEM=1"), [], []
    for device in (0, 1):
        with gpu.cp.cuda.Device(device):
            words.append(gpu.cp.zeros(2, np.int32))
    for device in (0, 1):
        with gpu.cp.cuda.Device(device):
            table = gpu.cp.asarray(np.array([words[1 - device].data.ptr], np.uint64))
            kernel = Module(gpu.cp, text.replace("int* other", "int** table").replace("(other,", "(table[0],"), options)
            launches.append(several.Launch(device, kernel.kernel("k"), 2 + device, 32, (words[device], table)))
    several.launch_each(launches if both else launches[:1])
    return [w.tolist() for w in words]


def test_kernels_of_two_devices_run_at_the_same_time(gpu: emulated.Emulated) -> None:
    for gpu.gpu.seed in (None, 1):
        assert on_two(gpu, both=True) == [[1, 2], [1, 3]]
        with pytest.raises(EmulatorError, match="poll memory that no thread writes"):
            on_two(gpu, both=False)


def test_copies_between_devices(gpu: emulated.Emulated) -> None:
    copy = gpu.cp.cuda.runtime.memcpyPeerAsync
    x = gpu.cp.arange(8, dtype=np.int32)
    with gpu.cp.cuda.Device(1):
        y = gpu.cp.zeros(8, np.int32)
    copy(y.data.ptr + 8, 1, x.data.ptr + 4, 0, 12, 0)
    assert y.tolist() == [0, 0, 1, 2, 3, 0, 0, 0]
    for to, of, n_bytes in ((1, 1, 8), (0, 0, 8), (1, 0, 40)):  # a device that it is not of; past the end
        with pytest.raises(emulated.WrongDeviceError, match="a copy from device"):
            copy(y.data.ptr, to, x.data.ptr, of, n_bytes, 0)
