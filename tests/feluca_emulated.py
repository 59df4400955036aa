"""Feluca's GPU path run on the CPU: its launchers on NumPy arrays, its kernels by the emulator."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cuda_emulator
import pytest

import lagcolor
from lagcolor import device
from lagcolor.priorities import Priorities
from lagcolor.result import Log

HEADERS = Path(device.__file__).parent / "kernels"
BEYOND_SHIM = """
#define __forceinline__ inline
template <class T> inline T atomicAnd(T *p, T x) { T old = *p; *p = old & x; return old; }
inline bool __syncthreads_or(bool x) {
    static bool any;
    any |= x;
    __syncthreads();
    const bool result = any;
    __syncthreads();
    any = false;
    __syncthreads();
    return result;
}
"""


SIZES: dict[str, int] = {}  # constants of the kernels that a test wants smaller, so that small graphs reach all code


@functools.cache
def module(path: str, macros: tuple[tuple[str, str], ...], sizes: tuple[tuple[str, int], ...]) -> Any:
    code = BEYOND_SHIM + "".join(f"#define {k} {v}\n" for k, v in macros) + Path(path).read_text()
    code = code.replace('#include "feluca.cuh"', (HEADERS / "feluca.cuh").read_text())
    for name, value in sizes:
        code = re.sub(rf"\b{name} = \d+", f"{name} = {value}", code)
    return cuda_emulator.RawModule(code)


def kernel(path: Any, name: str, **macros: object) -> Any:
    return function(str(path), name, tuple(sorted((k, str(v)) for k, v in macros.items())), tuple(SIZES.items()))


@functools.cache
def function(path: str, name: str, macros: tuple[tuple[str, str], ...], sizes: tuple[tuple[str, int], ...]) -> Any:
    return module(path, macros, sizes).get_function(name)


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A function like `lagcolor.color(G, "feluca", …)` that takes the GPU's path; returns colors and log."""
    if not cuda_emulator.available():
        pytest.skip("the emulator needs g++")
    cp = cuda_emulator.Cupy()
    monkeypatch.setattr(device, "cupy", lambda: cp)
    monkeypatch.setattr(device, "kernel", kernel)
    yield run


def run(G: lagcolor.Graph, order: Any = "natural", seed: int = 0, trace: bool = False, **options: Any) -> Any:
    from lagcolor.kernels.feluca.dag import Dag, on_gpu
    from lagcolor.kernels.feluca.gpu import color
    from lagcolor.kernels.feluca.options import plan

    defaults = {"alpha": 0.1, "fraction": None, "length": 64, "initial": None, "spread": None, "layout": "csr"}
    G = lagcolor.Graph(G.indptr, G.indices)  # nothing kept from another run
    chosen = plan(G, **{**defaults, **options})
    p, log = Priorities.of(G, order, seed), Log(trace)
    D = Dag(G.indptr, G.indices, None, G.max_degree) if p.is_natural else on_gpu(G, p, None)
    return D.by_vertex(color(G, D, chosen, p, log, None)), log
