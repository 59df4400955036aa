"""Which device an array is on, kernels of .cu files, and loops on threads of a CPU.

This file finds the device of an array, and the number of CPU threads of a call. `source.py` compiles and launches
kernels: start there for a GPU. For a CPU, start with `compiled.py` and with `parallel/`, which runs compiled loops on
several threads. `intrinsics.py` has atomics. `include/` is the device library for CUDA sources. CuPy is not imported
until an array or a caller requests a GPU.
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
LEAST_WORK = 1 << 18  # work below which a second thread costs more time than it saves
WORK_EACH = 1 << 16  # least work of a thread: it takes ten times as long as to start a thread
LIMITS, MANY = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), 1 << 30  # variables of the environment; "no limit"
A_CORE, ALWAYS = 4, 16  # threads per core that a call may request, and threads that it may request on any machine
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
    """Whether `x` is a CuPy array; does not import CuPy."""
    cp = sys.modules.get("cupy")
    return cp is not None and isinstance(x, cp.ndarray)


def module_of(x: Any) -> ModuleType:
    """Return `cupy` for a CuPy array, `numpy` for anything else."""
    return cupy() if is_cupy(x) else np


def device_of(x: Any) -> str:
    """Return "cuda:0", "cuda:1" … for a CuPy array, "cpu" for anything else."""
    return f"cuda:{x.device.id}" if is_cupy(x) else "cpu"


def using(x: Any) -> AbstractContextManager[Any]:
    """Return a context that makes the device of a CuPy array current; it has no effect for anything else."""
    if not is_cupy(x) or x.data.device_id == cupy().cuda.runtime.getDevice():
        return NO_CHANGE
    return x.device


def parse_device(device: str) -> tuple[str, int]:
    """Return ("cpu", 0) or ("cuda", index) for "cpu", "cuda:1", and "cuda" or "gpu" (the current device)."""
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
    """Return an uninitialized array, aligned to large pages: with small ones, page faults took half of the time."""
    if count < HUGE // 16 or (size := count * np.dtype(dtype).itemsize) < HUGE // 2:  # at most 8 bytes each
        return np.empty(count, dtype)
    block = np.empty(size + 2 * HUGE, np.uint8)  # NumPy requests large pages from 4 MB on
    begin = -block.ctypes.data % HUGE
    return block[begin : begin + size].view(dtype)


def unsigned_view(a: Any) -> Any:
    """Return an unsigned view of integers: numba does not test unsigned indices for negative numbers."""
    return a.view(UNSIGNED[a.itemsize])


def read_only(a: Any) -> Any:
    """Return a read-only view of a NumPy array; the array itself stays writable."""
    if not isinstance(a, np.ndarray) or not a.flags.writeable:
        return a
    view = a.view()
    view.flags.writeable = False
    return view


def in_bits(a: Any) -> Any:
    """Return the integers of a NumPy array as unsigned, contiguous and read-only: numba then compiles for one type."""
    bits = np.ascontiguousarray(a).view(UNSIGNED[a.itemsize])
    bits.flags.writeable = False
    return bits


def counts(x: Any, n: int) -> Any:
    """Return how often an array contains each of 0 … n − 1: int64, shape (n,); negative numbers are ignored."""
    if not is_cupy(x):
        return np.bincount(x[x >= 0] if len(x) and x.min() < 0 else x, minlength=n).astype(np.int64, copy=False)
    return _of_numbers("count", x, cupy().zeros(n, np.int64), np.int64(n))


def used(x: Any, n: int) -> Any:
    """Return whether an array contains each of 0 … n − 1: bool, shape (n,); negative numbers are ignored."""
    if is_cupy(x):
        return _of_numbers("mark", x, cupy().zeros(n, bool))
    out = np.zeros(n, bool)
    out[x[x >= 0]] = True
    return out


def _of_numbers(name: str, x: Any, out: Any, *more: Any) -> Any:
    """Launch a kernel of counts.cu that writes to `out`, or call CuPy's functions with CuPy for ROCm."""
    if is_rocm():
        found = cupy().bincount(x[x >= 0], minlength=len(out)) if len(x) else out
        return found.astype(out.dtype)
    run, numbers = COUNTS.of(), cupy().ascontiguousarray(x, np.int32)
    run.launch(name, len(x), numbers, np.int64(len(x)), *more, out, most=8 * run.processors)
    return out


def to_device(x: Any, device: str) -> Any:
    """Return `x` on `device`: itself if it is there already, or a copy."""
    kind, index = parse_device(device)
    if kind == "cpu":
        return x.get() if is_cupy(x) else np.asarray(x)
    cp = cupy()
    with cp.cuda.Device(index):
        if type(x) is not np.ndarray or x.dtype != np.int32:
            return cp.asarray(x)
        out = cp.empty(x.shape, np.int32)
        out.set(x)  # takes half of the time of `asarray` for a short array
        return out


def lent_to_cpu(*arrays: Any) -> list[np.ndarray]:
    """Copy arrays of a GPU to page-locked memory, which CuPy reuses after the copies are deleted.

    For 4 MB this takes a fifth of the time of a copy to new memory (H200: 0.1 and 0.5 ms). CuPy's pool reuses memory of
    equal size, so sizes are powers of two.
    """
    with using(arrays[0]):
        cuda = cupy().cuda
        memory = [cuda.alloc_pinned_memory(1 << max(x.nbytes - 1, 511).bit_length()) for x in arrays]
        out = [np.frombuffer(m, x.dtype, x.size) for m, x in zip(memory, arrays, strict=True)]
        try:
            for x, copy in zip(arrays, out, strict=True):
                x.get(out=copy, blocking=False)
        finally:  # memory is not released while a copy may still write to it
            cuda.get_current_stream().synchronize()
    return out


def is_rocm() -> bool:
    """Whether CuPy is built for ROCm, hence for AMD's GPUs."""
    return bool(getattr(cupy().cuda.runtime, "is_hip", False))


@functools.cache
def text(header: str) -> str:
    """Return the text of a header of the device library that includes no other, for the preamble of `elementwise`."""
    source = (Path(__file__).parent / "include" / header).read_text(encoding="utf-8")
    return source.replace("#pragma once\n", "")


@functools.cache
def elementwise(name: str, in_params: str, out_params: str, operation: str, preamble: str = "") -> PlainKernel:
    """Return an ElementwiseKernel of CuPy, built once; it also works with CuPy for ROCm."""
    text = {"in_params": in_params, "out_params": out_params, "operation": operation, "preamble": preamble}
    return PlainKernel(cupy(), {**text, "name": name})


# ---- how many threads of a CPU ---------------------------------------------------------------------------------------


def threads_for(threads: int | None, work: int, least: int = LEAST_WORK) -> int:
    """Return the number of threads to start: as requested, or one per available core, but fewer for little work.

    A request is limited to four threads per core (16 on a small machine), and to the number of entries, because more
    threads wait longer for each other, and each has its own memory.
    """
    if threads is None:
        return 1 if work < least else max(1, min(_wanted(), _most.get() or work, work // WORK_EACH))
    return min(whole("threads", threads, 1), max(ALWAYS, A_CORE * _cores()), max(work, 1))


@contextmanager
def at_most_threads(threads: int | None) -> Iterator[None]:
    """Limit `threads_for` without a number in this block. None: the limit of the block around it stays."""
    token = _most.set(_most.get() if threads is None else whole("threads", threads, 1))
    try:
        yield
    finally:
        _most.reset(token)


def limited[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public function whose keyword `threads` limits all of its work: input, coloring and check."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs.get("threads") is None:
            return function(*args, **kwargs)
        with at_most_threads(kwargs["threads"]):  # type: ignore[arg-type]
            return function(*args, **kwargs)

    return call


def threads_for_graph(threads: int | None, G: Any, log: Any, most: int | None = None) -> int:
    """Return `threads_for` the edges of a graph, up to `most`; ``log.notes["threads"]`` notes fewer than requested."""
    started = threads_for(threads, G.m)
    if most is not None:
        started = min(started, most)
    if threads is not None and started < threads and not G.on_gpu:
        log.notes["threads"] = started
    return started


def _cores() -> int:
    """Number of cores that the process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _wanted() -> int:
    """Most threads of a call: by cores, quota, and the variables of numba and OpenMP that are positive numbers."""
    stated = (os.environ.get(name, "").partition(",")[0].strip() for name in LIMITS)
    limits = [int(x) for x in stated if x.isdecimal() and len(x) < 10]
    return min(_cores(), _quota() or MANY, *(x or MANY for x in limits))


@functools.cache
def _quota() -> int | None:
    """CPU time of the process's control group, in cores (Linux, version 2); None: no limit."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    return quota_of(GROUPS, next((line.partition("::")[2] for line in lines if line.startswith("0::")), "/"))


def quota_of(groups: Path, own: str) -> int | None:
    """Return the least quota of a control group and its parents, in cores, rounded up; None without a quota."""
    quotas, path = list[int](), Path(own.strip("/"))
    for name in (path, *path.parents):
        try:
            quota, period = (groups / name / "cpu.max").read_text().split()
            quotas.append(-(-int(quota) // int(period)))
        except (OSError, ValueError):  # "max", or no such group here
            pass
    return min(quotas, default=None)
