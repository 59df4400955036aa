"""`RawModule`: CUDA C++ compiled by the C++ compiler, each text once per machine; its kernels launched as fibers."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from build_folder import build_folder

from .array import ndarray
from .runtime import FUNCTIONS, GPU, LEDGER, CUDADriverError, current, demand, get_current_stream

HERE = Path(__file__).parent
STORED = build_folder("emulated")
FLAGS = ("-std=c++17", "-w", "-fPIC", f"-I{HERE}", "-U_FORTIFY_SOURCE")
# no-gnu-unique: each library has static memory of its own. Its checks call the handlers of scheduler.cpp.
KERNEL_FLAGS = ("-O1", "-fno-gnu-unique", "-fsanitize=signed-integer-overflow,shift,bounds")
KERNEL = re.compile(r'extern "C" __global__ void (\w+)\((.*?)\)\s*\{', re.DOTALL)
DYNAMIC = re.compile(r"extern __shared__ ([\w ]+?) (\w+)\[\];")  # shared memory; a launch passes its size
DYNAMIC_BYTES = 1 << 18
ENDED = {
    1: "threads wait at barriers that the others do not come to",
    2: "threads poll memory that no thread writes",
    3: "a thread calls with a mask of lanes that does not name it",
    4: "signed overflow, a shift by too much or an index out of bounds",
}
ENTRIES = """
namespace emulator {
struct KernelArgument {
    void *word;
    template <class T> operator T *() const { return (T *)word; }
    operator long long() const { return (long long)word; }
};
}
extern "C" char __bss_start[] __attribute__((visibility("hidden"))), _end[] __attribute__((visibility("hidden")));
extern "C" void shared_memory(char **ends) { ends[0] = __bss_start; ends[1] = _end; }
"""


def available() -> bool:
    """Whether there is a C++ compiler."""
    return shutil.which("g++") is not None


def compiled(text: str, flags: tuple[str, ...]) -> Path:
    """The library of a C++ text, made if it is not there; whole or not at all, since others make it, too."""
    library = STORED / f"{hashlib.sha256((text + _device() + str(flags)).encode()).hexdigest()[:20]}.so"
    if not library.exists():
        STORED.mkdir(parents=True, exist_ok=True)
        new = library.with_suffix(f".{_own_name()}")
        made = new.with_suffix(f"{new.suffix}.o")
        every = [*([f"-I{_parsed(flags)}"] if '#include "device.h"' in text else []), *FLAGS, *flags]
        subprocess.run(["g++", "-c", *every, "-x", "c++", "-", "-o", made], input=text.encode(), check=True)
        subprocess.run(["g++", "-shared", made, "-o", new], check=True)  # without the sanitizer's own handlers
        made.unlink()
        new.replace(library)
    return library


@functools.cache
def _parsed(flags: tuple[str, ...]) -> Path:
    """A folder with device.h as the compiler keeps it parsed, which is two thirds of what most kernels take."""
    folder = STORED / f"parsed-{hashlib.sha256((_device() + str(flags)).encode()).hexdigest()[:20]}"
    header = folder / "device.h.gch"
    if not header.exists():
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f"{_own_name()}.gch"
        subprocess.run(["g++", *FLAGS, *flags, "-x", "c++-header", HERE / "device.h", "-o", new], check=True)
        new.replace(header)
    return folder


def _own_name() -> str:
    """Return a file name that no other thread or process uses."""
    return f"{os.getpid()}-{threading.get_ident()}"


@functools.cache
def _device() -> str:
    return (HERE / "device.h").read_text() + (HERE / "scheduler.h").read_text()


class _Launch(ctypes.Structure):
    """The record of a launch, as in scheduler.h."""

    _fields_ = (
        ("body", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("shared", ctypes.c_void_p),
        ("shared_end", ctypes.c_void_p),
        ("grid", ctypes.c_uint),
        ("block", ctypes.c_uint),
        ("resident", ctypes.c_uint),
        ("poison", ctypes.c_uint),
        ("seed", ctypes.c_ulonglong),
    )


@functools.cache
def scheduler() -> Any:
    """The library of scheduler.cpp, whose names every kernel's library then finds."""
    path = compiled((HERE / "scheduler.cpp").read_text(), ("-O2",))
    library = ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
    return library.emulator_launch, library.emulator_line


class RawModule:
    """Compiles like `cupy.RawModule`; kernels take pointers and integers only.

    A module belongs to the device that is current at its construction, and so do its kernels.
    """

    def __init__(self, code: str, options: tuple[str, ...] = (), backend: str = "nvrtc") -> None:
        assert backend == "nvrtc"
        LEDGER.note("compilation")
        GPU.texts.append(code)
        self.device = current()
        folders = [Path(o[2:]) for o in options if o.startswith("-I")]
        macros = [o[2:].partition("=") for o in options if o.startswith("-D")]
        defines = [(name, value or "1") for name, _, value in macros if name != "HEADERS"]
        self._library = _library(code, tuple(defines), tuple(folders), tuple(sorted(GPU.macros.items())), GPU.faults)

    def get_function(self, name: str) -> RawKernel:
        return RawKernel(name, self._library, self.device)


@functools.cache
def _library(code: str, defines: Any, folders: tuple[Path, ...], smaller: Any, faults: Any) -> ctypes.CDLL:
    text = "".join(f"#define {name} {value}\n" for name, value in defines) + paste(code, folders)
    for name, value in smaller:
        text = smaller_constant(text, name, value)
    for old, new in faults:
        text = text.replace(old, new)
    text = DYNAMIC.sub(rf"alignas(16) static \1 \2[{DYNAMIC_BYTES} / sizeof(\1)];", text)
    text = re.sub(r"__global__ void\s+(__launch_bounds__\(.*?\)\s*)?", "__global__ void ", text)
    entries = "".join(_entry(name, parameters) for name, parameters in kernels(text))
    scheduler()
    whole = f'#include "device.h"\n{text}\n{ENTRIES}{entries}'
    library = ctypes.CDLL(str(compiled(whole, KERNEL_FLAGS)))
    library.text, library.parameters = whole.split("\n"), dict(kernels(text))
    return library


def smaller_constant(text: str, name: str, value: object) -> str:
    """The text with another value of a constant that it defines or enumerates itself."""
    text, enumerated = re.subn(rf"\b{name} = \d+", f"{name} = {value}", text)
    text, defined = re.subn(rf"^#define {name} .*$", f"#define {name} {value}", text, flags=re.MULTILINE)
    return text if enumerated or defined else f"#define {name} {value}\n{text}"


def kernels(text: str) -> list[tuple[str, int]]:
    """Names of kernels and how many parameters they have; macros such as MASK_PARAMETERS stand for several."""
    macros = dict(re.findall(r"^#define (\w+_PARAMETERS) (.*)$", text, re.MULTILINE))
    found = []
    for m in KERNEL.finditer(text):
        parameters = m[2]
        for name, expansion in macros.items():
            parameters = parameters.replace(name, expansion)
        found.append((m[1], len([p for p in parameters.split(",") if p.strip()])))
    return found


def _entry(name: str, n_parameters: int) -> str:
    """The function that runs a thread of a kernel, its arguments given as an array of 64-bit words."""
    words = ", ".join(f"emulator::KernelArgument{{a[{i}]}}" for i in range(n_parameters))
    return f'extern "C" void thread_of_{name}(void **a) {{ {name}({words}); }}\n'


class RawKernel:
    """A kernel of one device."""

    def __init__(self, name: str, library: ctypes.CDLL, device: int) -> None:
        self.name, self.device = name, device
        self.max_dynamic_shared_size_bytes = 1 << 16
        self._function = Function(name, library, device, self)

    @property
    def kernel(self) -> Function:
        """Return the function that the driver launches."""
        demand(self.device, "a kernel")
        return self._function


class Function:
    """Launches a kernel, if all that it is given is of its device."""

    def __init__(self, name: str, library: ctypes.CDLL, device: int, kernel: RawKernel) -> None:
        self.ptr = len(FUNCTIONS) + 1
        FUNCTIONS[self.ptr] = self
        self.name, self._device, self._kernel = name, device, kernel
        ends = (ctypes.c_void_p * 2)()
        library.shared_memory(ends)
        self._shared, self._text, self._parameters = (ends[0], ends[1]), library.text, library.parameters[name]
        self._body = ctypes.cast(library[f"thread_of_{name}"], ctypes.c_void_p).value

    def __call__(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: tuple[Any, ...],
        shared_mem: int = 0,
        stream: Any = None,
        enable_cooperative_groups: bool = False,
    ) -> None:
        demand(self._device, "a kernel")
        assert isinstance(grid, tuple) and isinstance(block, tuple), "CuPy takes tuples here"
        assert len(args) == self._parameters, f"{self.name} has {self._parameters} parameters, not {len(args)}"
        blocks, threads = int(grid[0]), int(block[0])
        if not 0 < blocks < 2**31 or not 0 < threads <= 1024:
            raise CUDADriverError(1, f"CUDA_ERROR_INVALID_VALUE: {blocks} blocks of {threads} threads")
        if shared_mem > self._kernel.max_dynamic_shared_size_bytes:
            raise CUDADriverError(1, f"CUDA_ERROR_INVALID_VALUE: {shared_mem} bytes of shared memory")
        GPU.launching(self.name, blocks, enable_cooperative_groups, args)
        words = (ctypes.c_uint64 * len(args))(*(self._argument(i, x) for i, x in enumerate(args)))
        if (captured := get_current_stream().captured) is not None:
            captured.append(lambda: self._run(self._launch(blocks, threads, words, enable_cooperative_groups)))
        elif GPU.together is not None:
            GPU.together.append((self, self._launch(blocks, threads, words, enable_cooperative_groups), words))
        else:
            self._run(self._launch(blocks, threads, words, enable_cooperative_groups))

    def by_address(
        self, blocks: int, y: int, z: int, threads: int, ty: int, tz: int, shared_mem: int, stream: int, address: int,
        cooperative: bool = False,
    ) -> None:  # fmt: skip
        """Call a driver function, whose arguments are at a list of addresses."""
        assert (y, z, ty, tz, stream) == (1, 1, 1, 1, get_current_stream().ptr)
        at = (ctypes.c_uint64 * self._parameters).from_address(address)
        args = tuple(ctypes.c_uint64.from_address(x).value for x in at)
        self((blocks,), (threads,), args, shared_mem, None, cooperative)

    def _launch(self, blocks: int, threads: int, words: Any, cooperative: bool) -> _Launch:
        launch = _Launch(self._body, ctypes.addressof(words), *self._shared, blocks, threads)
        launch.resident = blocks if cooperative else min(blocks, GPU.processors)
        launch.poison, launch.seed = GPU.poison, GPU.schedule()
        return launch

    def _run(self, *launches: _Launch) -> None:
        """Run launches of this kernel, all at the same time."""
        if GPU.idle:
            return
        run, line = scheduler()
        if ended := run((_Launch * len(launches))(*launches), len(launches)):
            where = f": {self._text[line() - 1].strip()}" if ended == 4 else ""
            raise EmulatorError(f"kernel {self.name!r}, schedule {launches[0].seed}: {ENDED[ended]}{where}")

    def _argument(self, i: int, x: Any) -> int:
        """An argument as a 64-bit word."""
        if isinstance(x, ndarray):
            demand(x._device, f"argument {i}")
            assert x.host.flags.c_contiguous, f"argument {i} of {self.name} is not contiguous"
            return x.data.ptr
        assert not (isinstance(x, np.ndarray) and x.ndim), f"argument {i} is an array of the host"
        if isinstance(x, int) and x > 1 << 20 and (device := LEDGER.device_at(x)) is not None:
            demand(device, f"the memory that argument {i} points to")
        return int(x) & (2**64 - 1)


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Launches inside, of one kernel on several devices, run at the same time at the end; none after an exception."""
    GPU.together = waiting = []
    try:
        yield
    finally:
        GPU.together = None
    if waiting:
        first = waiting[0][0]
        assert all((f.name, f._body, launch.block) == (first.name, first._body, waiting[0][1].block)
                   for f, launch, _ in waiting), "one kernel, and one size of blocks"  # fmt: skip
        first._run(*(launch for _, launch, _ in waiting))


class EmulatorError(AssertionError):
    """A kernel does what would hang or be undefined on a GPU."""


def paste(code: str, folders: tuple[Path, ...]) -> str:
    """The text with the headers that it includes in place, each once; they lie in these folders or next to it."""
    seen: set[Path] = set()

    def pasted(text: str, adjacent: tuple[Path, ...]) -> str:
        def included(m: re.Match[str]) -> str:
            path = next((p for f in (*adjacent, *folders) if (p := (f / m[1]).resolve()).exists()), None)
            if path is None:
                return m[0]
            if path in seen:
                return ""
            seen.add(path)
            return pasted(path.read_text().replace("#pragma once", ""), (path.parent,))

        return re.sub(r'^#include "(.*)"$', included, text, flags=re.MULTILINE)

    return pasted(code, ())
