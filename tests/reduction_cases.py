"""What the tests of the reductions share: their GPU code on the emulator, and colorings to start from."""

from __future__ import annotations

import ctypes
import functools
import re
from pathlib import Path
from typing import Any

import cuda_emulator
import numpy as np
import pytest

import lagcolor
from lagcolor import device as dev

EMULATED = pytest.mark.skipif(not cuda_emulator.available(), reason="the emulator needs g++")
ENGINES = [
    "cpu",
    pytest.param("emulated", marks=EMULATED, id="cuda-emulated"),
    pytest.param("cuda", marks=pytest.mark.gpu),
]
# What common.cuh writes in PTX, and what the emulator's header lacks.
HOST = """
#define __forceinline__ inline
static int load_relaxed(const int *at) { return *at; }
static void store_relaxed(int *at, int x) { *at = x; }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __syncthreads_or(int vote) {
    static int any;
    __syncthreads();
    any = 0;
    __syncthreads();
    any |= vote;
    __syncthreads();
    return any;
}
template <class T, class U> inline T atomicAnd(T *p, U x) { T old = *p; *p = old & x; return old; }
"""


class Memory(bytearray):
    """Memory of the host."""

    @property
    def ptr(self) -> int:
        """Its address."""
        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self))


class Cupy(cuda_emulator.Cupy):
    """The emulator, whose device may be asked for without a number."""

    cuda = type("cuda", (), {**vars(cuda_emulator.Cupy.cuda)})
    cuda.Device = staticmethod(lambda i=0: cuda_emulator.Cupy.cuda.Device(i))
    cuda.Event = staticmethod(lambda disable_timing=False: cuda_emulator.Event())
    cuda.alloc_pinned_memory = Memory


CUPY = Cupy()


class EmulatedGraph(lagcolor.Graph):
    """A graph of NumPy arrays that says it is on a GPU."""

    __slots__ = ()
    on_gpu = True
    xp = CUPY


@functools.cache
def module(path: Path, macros: tuple[tuple[str, Any], ...]) -> Any:
    """A .cu file for the emulator: includes pasted in, PTX left out."""
    seen: set[Path] = set()

    def paste(source: Path) -> str:
        if source in seen:
            return ""
        seen.add(source)
        text = source.read_text()
        folders = (source.parent, dev.INCLUDE_DIR)

        def found(m: re.Match[str]) -> Path:
            return next(f for d in folders if (f := (d / m[1]).resolve()).exists())

        return re.sub(r'^#include "(.*)"$', lambda m: paste(found(m)), text, flags=re.MULTILINE)

    text = paste(path.resolve()).replace("#pragma once", "")
    text = re.sub(r"static __device__ __forceinline__ \w+ (load|store)_relaxed\(.*?\n}\n", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*__launch_bounds__\(\w+\)\s*", " ", text)
    return CUPY.RawModule("".join(f"#define {k} {v}\n" for k, v in macros) + HOST + text)


def kernel(path: Path, name: str, **macros: Any) -> Any:
    """What `device.kernel` gives."""
    return module(path, tuple(sorted(macros.items()))).get_function(name)


def run(engine: str, hook: Any, G: lagcolor.Graph, *colors: Any, **options: Any) -> Any:
    """`hook(G, *colors, **options)` on an engine, from and to NumPy arrays."""
    if engine == "cpu":
        return hook(G, *colors, **options)
    if engine == "cuda":
        g = G.on("cuda")
        out = hook(g, *(g.xp.asarray(c) for c in colors), **options)
        return None if out is None else out.get()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dev, "cupy", lambda: CUPY)
        patch.setattr(dev, "kernel", kernel)
        return hook(EmulatedGraph(G.indptr, G.indices), *(np.array(c) for c in colors), **options)


def colors_for(G: lagcolor.Graph, seed: int) -> np.ndarray:
    """First-fit in random order, then renamed at random: colors that no first-fit would give."""
    colors = lagcolor.color(G, "greedy", "random", seed).colors
    names = np.random.default_rng(seed).permutation(colors.max(initial=-1) + 1)
    return names[colors].astype(np.int32) if G.n else colors
