"""CuPy's stand-in for tests without a GPU: NumPy arrays, and kernels compiled by the C++ compiler with cuda_shim.h.

It runs the very text that NVRTC gets, so the logic of kernels and of their launching is tested; races are not.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lagcolor.device import INCLUDE_DIR
from semirings import device

SHIM = Path(__file__).with_name("cuda_shim.h")
KEPT = Path(__file__).parents[1] / "build" / "emulator"  # compiled once a machine, for every process and run
# The last of these: each library has __shared__ memory of its own.
FLAGS = ("-std=c++17", "-O0", "-w", "-fPIC", "-shared", "-fno-gnu-unique")
OVERFLOW = ["-fwrapv"]  # what signed integers do; tests of overflow have others
KERNEL = re.compile(r'extern "C" __global__ void (\w+)\((.*?)\)\s*\{', re.DOTALL)


def available() -> bool:
    """Whether there is a C++ compiler."""
    return shutil.which("g++") is not None


def _entry(name: str, n_parameters: int) -> str:
    """A function that runs one block of kernel `name`, its arguments given as an array of 64-bit words."""
    words = ", ".join(f"emulator::argument({i})" for i in range(n_parameters))
    return f"""
static void body_of_{name}(void **) {{ {name}({words}); }}
extern "C" void run_{name}(unsigned grid, unsigned block, uint64_t *words) {{
    emulator::arguments = (void **)words;
    emulator::body = body_of_{name};
    gridDim.x = grid, blockDim.x = block;
    for (unsigned b = 0; b < grid; b++) {{ blockIdx.x = b; emulator::run_block(); }}
}}
"""


EMULATED = pytest.mark.skipif(not available(), reason="the emulator needs g++")
ENGINES = [
    "cpu",
    pytest.param("emulated", marks=EMULATED, id="cuda-emulated"),
    pytest.param("cuda", marks=pytest.mark.gpu),
]
ARGUMENT = """
namespace emulator {
struct Word {
    void *word;
    template <class T> operator T *() const { return (T *)word; }
    operator long long() const { return (long long)word; }
};
static Word argument(int i) { return Word{arguments[i]}; }
}
"""


class RawModule:
    """Compiles like `cupy.RawModule`; kernels take pointers and 64-bit integers only."""

    def __init__(self, code: str, options: tuple[str, ...] = (), backend: str = "") -> None:
        code = re.sub(r"__global__ void\s+(__launch_bounds__\(.*?\)\s*)?", "__global__ void ", code)
        macros = expand_parameters(code)
        kernels = [(m[1], len([p for p in macros(m[2]).split(",") if p.strip()])) for m in KERNEL.finditer(code)]
        text = f"{SHIM.read_text()}\n{code}\n{ARGUMENT}" + "".join(_entry(*k) for k in kernels)
        self._library = ctypes.CDLL(str(compiled(text)))

    def get_function(self, name: str) -> Any:
        function = getattr(self._library, f"run_{name}")

        def launch(grid: Any, block: Any, args: Any, shared_mem: int = 0, stream: Any = None, *_: Any) -> None:
            words = [a.ctypes.data if isinstance(a, np.ndarray) else int(a) & (2**64 - 1) for a in args]
            assert all(a.flags.c_contiguous for a in args if isinstance(a, np.ndarray))
            function(grid[0], block[0], (ctypes.c_uint64 * len(words))(*words))

        # A kernel whose blocks wait for each other gets a grid of one.
        launch.kernel, launch.ptr, launch.name = launch, 0, name
        launch.max_dynamic_shared_size_bytes = 0
        return launch


def compiled(text: str) -> Path:
    """The library of a C++ text, made if it is not there; whole or not at all, since other processes make it, too."""
    library = KEPT / f"{hashlib.sha256((text + str(FLAGS) + str(OVERFLOW)).encode()).hexdigest()[:20]}.so"
    if not library.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        new = library.with_suffix(f".{os.getpid()}")
        subprocess.run(["g++", *FLAGS, *OVERFLOW, "-x", "c++", "-", "-o", str(new)], input=text.encode(), check=True)
        new.replace(library)
    return library


def flat(path: Path) -> str:
    """A .cu file with the headers that it includes pasted in, each once; they lie beside it or with lagcolor's."""
    seen: set[Path] = set()

    def paste(source: Path) -> str:
        if source in seen:
            return ""
        seen.add(source)
        folders = (source.parent, INCLUDE_DIR)

        def included(m: re.Match[str]) -> str:
            return paste(next(f for folder in folders if (f := (folder / m[1]).resolve()).exists()))

        text = source.read_text().replace("#pragma once", "")
        return re.sub(r'^#include "(.*)"$', included, text, flags=re.MULTILINE)

    return paste(Path(path).resolve())


@functools.cache
def module(path: Path, macros: tuple[tuple[str, object], ...]) -> RawModule:
    """A .cu file, compiled; macros go before what it defines or enumerates itself, so that tests can have less."""
    text, defines = flat(path), ""
    for name, value in macros:
        text, enumerated = re.subn(rf"\b{name} = \d+", f"{name} = {value}", text)
        text = re.sub(rf"^#define {name} .*$", "", text, flags=re.MULTILINE)
        defines += "" if enumerated else f"#define {name} {value}\n"
    return RawModule(defines + text)


def kernel(path: Path, name: str, **macros: object) -> Any:
    """What `lagcolor.device.kernel` gives."""
    return device.Kernel(Cupy, module(path, tuple(sorted(macros.items()))).get_function(name), 0)


def expand_parameters(code: str) -> Any:
    """A function that replaces macros such as MASK_PARAMETERS in a parameter list."""
    found = dict(re.findall(r"^#define (\w+_PARAMETERS) (.*)$", code, re.MULTILINE))

    def expand(parameters: str) -> str:
        for name, text in found.items():
            parameters = parameters.replace(name, text)
        return parameters

    return expand


class Event:
    """A moment: here all is done when it is asked for."""

    done = True

    def __init__(self, disable_timing: bool = False) -> None:
        pass

    def record(self) -> None:
        self.at = time.perf_counter()

    def synchronize(self) -> None:
        pass


class Memory(bytearray):
    """Memory of the host."""

    @property
    def ptr(self) -> int:
        """Its address."""
        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self))


ATTRIBUTES = {"CooperativeLaunch": 1, "MultiProcessorCount": 1, "MaxThreadsPerMultiProcessor": 256}


class Cupy:
    """NumPy's functions under CuPy's name."""

    RawModule = RawModule
    ndarray = type("ndarray", (), {})  # NumPy's have no device
    cuda = SimpleNamespace(
        Event=Event,
        alloc_pinned_memory=Memory,
        get_elapsed_time=lambda begin, end: (end.at - begin.at) * 1e3,
        runtime=SimpleNamespace(getDevice=lambda: 0),
        driver=SimpleNamespace(occupancyMaxActiveBlocksPerMultiprocessor=lambda function, block, shared: 1),
        Device=lambda i=0: SimpleNamespace(attributes=ATTRIBUTES),
    )
    asnumpy = staticmethod(np.asarray)

    @staticmethod
    def empty(shape: Any, dtype: Any) -> np.ndarray:
        """What a kernel forgets to write shows."""
        a = np.empty(shape, dtype)
        a.view(np.uint8)[...] = 1 if np.dtype(dtype) == bool else 0xA5
        return a

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
