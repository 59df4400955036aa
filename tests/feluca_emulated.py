"""Feluca's GPU path run on the CPU: its launchers on NumPy arrays, its kernels by the emulator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cuda_emulator
import pytest

import lagcolor
from lagcolor import device
from lagcolor.orders import Priorities
from lagcolor.result import Log

SIZES: dict[str, int] = {}  # constants of the kernels that a test wants smaller, so that small graphs reach all code


def kernel(path: Any, name: str, **macros: object) -> Any:
    return cuda_emulator.kernel(path, name, **macros, **SIZES)


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
    from lagcolor.papers.feluca.dag import Dag, on_gpu
    from lagcolor.papers.feluca.gpu import color
    from lagcolor.papers.feluca.options import plan

    defaults = {"alpha": 0.1, "fraction": None, "length": 64, "initial": None, "spread": None, "layout": "csr"}
    G = lagcolor.Graph(G.indptr, G.indices)  # nothing kept from another run
    chosen = plan(G, **{**defaults, **options})
    p, log = Priorities.of(G, order, seed), Log(trace)
    D = Dag(G.indptr, G.indices, None, G.max_degree) if p.is_natural else on_gpu(G, p, None)
    return D.by_vertex(color(G, D, chosen, p, log, None)), log
