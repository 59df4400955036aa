"""Which device an array is on, kernels of .cu files, and loops on threads of a CPU.

This file has the device of an array, and how many threads of a CPU a call starts. `source.py` compiles and launches
kernels. Start there for a GPU, and with `compiled.py` and `parallel/` for a CPU, which runs compiled loops on several
threads. `intrinsics.py` has atomics. `include/` is the device library for CUDA sources. Nothing here imports CuPy until
an array or a caller asks for a GPU.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from semirings.launch import PlainKernel

from ..errors import DeviceError
from ..extras import INSTALL_HINT as INSTALL_HINT
from ..extras import cupy as cupy
from ..options import whole
from .source import Source as Source
from .source import module as module
from .source import prepare as prepare
from .source import processors as processors
from .source import refuse_rocm as refuse_rocm

NO_CHANGE: AbstractContextManager[None] = nullcontext()
HUGE = 1 << 21  # bytes of a large page
COUNTS = Source(__file__, "counts.cu")
UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
LEAST_WORK = 1 << 18  # work below which a second thread costs more than it brings
WORK_EACH = 1 << 16  # work of a thread, at least: it takes ten times as long as starting one more
LIMITS, MANY = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), 1 << 30  # variables of the environment; no limit
A_CORE, ALWAYS = 4, 16  # threads per core that a call may request, and threads that are allowed on any machine
GROUPS = Path("/sys/fs/cgroup")
_most: ContextVar[int | None] = ContextVar("most", default=None)


def has_gpu() -> bool:
    """Return whether CuPy is installed and a CUDA device is available.

    Returns
    -------
    bool
        True if ``device="cuda"`` works.

    Examples
    --------
    >>> device = "cuda" if lagcolor.has_gpu() else "cpu"
    >>> lagcolor.color([(0, 1), (1, 2)], device=device).n_colors
    2
    """
    try:
        cupy()
    except DeviceError:
        return False
    return True


def is_cupy(x: Any) -> bool:
    """Whether `x` is a CuPy array (without importing CuPy where no other code has)."""
    cp = sys.modules.get("cupy")
    return cp is not None and isinstance(x, cp.ndarray)


def module_of(x: Any) -> ModuleType:
    """`cupy` for a CuPy array, `numpy` for anything else."""
    return cupy() if is_cupy(x) else np


def device_of(x: Any) -> str:
    """ "cuda:0", "cuda:1" … for a CuPy array, "cpu" for anything else."""
    return f"cuda:{x.device.id}" if is_cupy(x) else "cpu"


def using(x: Any) -> AbstractContextManager[Any]:
    """A context that makes the device of a CuPy array the current one; nothing for anything else."""
    if not is_cupy(x) or x.data.device_id == cupy().cuda.runtime.getDevice():
        return NO_CHANGE
    return x.device


def parse_device(device: str) -> tuple[str, int]:
    """("cpu", 0) or ("cuda", index) of a name such as "cpu", "cuda", "gpu" (both: the current device), "cuda:1"."""
    kind, _, index = str(device).strip().lower().partition(":")
    if kind == "cpu" and not index:
        return "cpu", 0
    if kind in ("cuda", "gpu") and (index.isdigit() or not index):
        runtime = cupy().cuda.runtime
        i, count = int(index) if index else runtime.getDevice(), runtime.getDeviceCount()
        if i >= count:
            raise DeviceError(f"device {device!r}: this machine has {count} CUDA device(s), numbered from 0")
        return "cuda", i
    raise DeviceError(f"unknown device {device!r}: use 'cpu', 'cuda' or 'cuda:<number>'")


def large_pages(count: int, dtype: Any) -> np.ndarray:
    """An array, not cleared, that starts where a large page can: page by page, first touches took half of the time."""
    if count < HUGE // 16 or (size := count * np.dtype(dtype).itemsize) < HUGE // 2:  # at most 8 bytes each
        return np.empty(count, dtype)
    block = np.empty(size + 2 * HUGE, np.uint8)  # NumPy asks for large pages from 4 MB on
    begin = -block.ctypes.data % HUGE
    return block[begin : begin + size].view(dtype)


def unsigned_view(a: Any) -> Any:
    """The same integers without a sign, which numba indexes without a wrap-around test."""
    return a.view(UNSIGNED[a.itemsize])


def read_only(a: Any) -> Any:
    """A read-only view of a NumPy array, which leaves the caller's own array writable."""
    if not isinstance(a, np.ndarray) or not a.flags.writeable:
        return a
    view = a.view()
    view.flags.writeable = False
    return view


def in_bits(a: Any) -> Any:
    """The same integers of a NumPy array without a sign, contiguous and read-only: of one type for numba."""
    bits = np.ascontiguousarray(a).view(UNSIGNED[a.itemsize])
    bits.flags.writeable = False
    return bits


def counts(x: Any, n: int) -> Any:
    """How often an array has each of 0 … n − 1: int64, shape (n,); numbers under 0 are passed over."""
    if not is_cupy(x):
        return np.bincount(x[x >= 0] if len(x) and x.min() < 0 else x, minlength=n).astype(np.int64, copy=False)
    return _of_numbers("count", x, cupy().zeros(n, np.int64), np.int64(n))


def used(x: Any, n: int) -> Any:
    """Whether an array has each of 0 … n − 1: bool, shape (n,); numbers under 0 are passed over."""
    if is_cupy(x):
        return _of_numbers("mark", x, cupy().zeros(n, bool))
    out = np.zeros(n, bool)
    out[x[x >= 0]] = True
    return out


def _of_numbers(name: str, x: Any, out: Any, *more: Any) -> Any:
    """A kernel of counts.cu, which writes to `out`; CuPy's functions where that is of ROCm."""
    if is_rocm():
        found = cupy().bincount(x[x >= 0], minlength=len(out)) if len(x) else out
        return found.astype(out.dtype)
    run, numbers = COUNTS.of(), cupy().ascontiguousarray(x, np.int32)
    run.launch(name, len(x), numbers, np.int64(len(x)), *more, out, most=8 * run.processors)
    return out


def to_device(x: Any, device: str) -> Any:
    """`x` on `device`, itself where it is there already."""
    kind, index = parse_device(device)
    if kind == "cpu":
        return x.get() if is_cupy(x) else np.asarray(x)
    cp = cupy()
    with cp.cuda.Device(index):
        if type(x) is not np.ndarray or x.dtype != np.int32:
            return cp.asarray(x)
        out = cp.empty(x.shape, np.int32)
        out.set(x)  # of a short array half of the time of `asarray`
        return out


def lent_to_cpu(*arrays: Any) -> list[np.ndarray]:
    """Copies of arrays of a GPU, in page-locked memory that CuPy gives to the next copies once the arrays are gone.

    Of 4 MB it takes a fifth of the time of a copy to new memory (H200: 0.1 and 0.5 ms). CuPy keeps memory by its size,
    so sizes are powers of two.
    """
    with using(arrays[0]):
        cuda = cupy().cuda
        memory = [cuda.alloc_pinned_memory(1 << max(x.nbytes - 1, 511).bit_length()) for x in arrays]
        out = [np.frombuffer(m, x.dtype, x.size) for m, x in zip(memory, arrays, strict=True)]
        try:
            for x, copy in zip(arrays, out, strict=True):
                x.get(out=copy, blocking=False)
        finally:  # memory that a copy may still write to is not given back
            cuda.get_current_stream().synchronize()
    return out


def is_rocm() -> bool:
    """Whether there is a CuPy built for ROCm, hence for AMD's GPUs."""
    return bool(getattr(cupy().cuda.runtime, "is_hip", False))


@functools.cache
def text(header: str) -> str:
    """A header of the device library that includes no other, for the preamble of `elementwise`."""
    source = (Path(__file__).parent / "include" / header).read_text(encoding="utf-8")
    return source.replace("#pragma once\n", "")


@functools.cache
def elementwise(name: str, in_params: str, out_params: str, operation: str, preamble: str = "") -> PlainKernel:
    """An ElementwiseKernel of CuPy's, made once; also where CuPy is of ROCm."""
    text = {"in_params": in_params, "out_params": out_params, "operation": operation, "preamble": preamble}
    return PlainKernel(cupy(), {**text, "name": name})


# ---- how many threads of a CPU ---------------------------------------------------------------------------------------


def threads_for(threads: int | None, work: int, least: int = LEAST_WORK) -> int:
    """How many threads to start: as asked, else one per core the process may use, but fewer for little work.

    As asked, no more than four per core (16 on a small machine), nor than there are entries: threads that wait for
    each other take the longer the more there are, and each has memory of its own.
    """
    if threads is None:
        return 1 if work < least else max(1, min(_wanted(), _most.get() or work, work // WORK_EACH))
    return min(whole("threads", threads, 1), max(ALWAYS, A_CORE * _cores()), max(work, 1))


@contextmanager
def at_most_threads(threads: int | None) -> Iterator[None]:
    """Limit `threads_for` without a number, within this block. None keeps the limit around it."""
    token = _most.set(_most.get() if threads is None else whole("threads", threads, 1))
    try:
        yield
    finally:
        _most.reset(token)


def limited[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """A public call whose keyword `threads` limits all of its work: the input, the coloring and the check."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs.get("threads") is None:
            return function(*args, **kwargs)
        with at_most_threads(kwargs["threads"]):  # type: ignore[arg-type]
            return function(*args, **kwargs)

    return call


def threads_for_graph(threads: int | None, G: Any, log: Any, most: int | None = None) -> int:
    """`threads_for` the edges of a graph, up to `most`; if fewer than requested, ``log.notes["threads"]`` says so."""
    started = threads_for(threads, G.m)
    if most is not None:
        started = min(started, most)
    if threads is not None and started < threads and not G.on_gpu:
        log.notes["threads"] = started
    return started


def _cores() -> int:
    """The cores that the process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _wanted() -> int:
    """Threads of a call at most: by cores, quota, and the variables of numba and OpenMP that are numbers over 0."""
    stated = (os.environ.get(name, "").partition(",")[0].strip() for name in LIMITS)
    limits = [int(x) for x in stated if x.isdecimal() and len(x) < 10]
    return min(_cores(), _quota() or MANY, *(x or MANY for x in limits))


@functools.cache
def _quota() -> int | None:
    """The cores' worth of time that the process's control group has (Linux, version 2); None: no limit."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    return quota_of(GROUPS, next((line.partition("::")[2] for line in lines if line.startswith("0::")), "/"))


def quota_of(groups: Path, own: str) -> int | None:
    """The least quota of a control group and those around it, in cores, rounded up; None where there is none."""
    quotas, path = list[int](), Path(own.strip("/"))
    for name in (path, *path.parents):
        try:
            quota, period = (groups / name / "cpu.max").read_text().split()
            quotas.append(-(-int(quota) // int(period)))
        except (OSError, ValueError):  # "max", or no such group here
            pass
    return min(quotas, default=None)
