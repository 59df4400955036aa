"""IPGC and its relatives: modes, the trace, and the CUDA kernels run on the CPU where there is no GPU."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import cuda_emulator
import numpy as np
import pytest
from corpus import CORPUS, graph

import lagcolor
from lagcolor import device as dev
from lagcolor.kernels import ipgc
from lagcolor.result import Log

MODES = ("topology", "data", "hybrid")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
EMULATED = pytest.mark.skipif(not cuda_emulator.available(), reason="the emulator needs g++")
CUPY = cuda_emulator.Cupy()
CUPY.split = np.split
MODULES: dict[Any, Any] = {}


def emulated_kernel(path: Any, name: str, **defines: object) -> Any:
    """What `device.kernel` gives, from the emulator: includes pasted in, macros in front."""
    key = (path, *sorted(defines.items()))
    if key not in MODULES:
        seen: set[str] = set()

        def paste(m: re.Match[str]) -> str:
            if m[1] in seen:
                return ""
            seen.add(m[1])
            return re.sub(r'^#include "(.*)"$', paste, (dev.INCLUDE_DIR / m[1]).read_text(), flags=re.MULTILINE)

        text = re.sub(r'^#include "(.*)"$', paste, path.read_text(), flags=re.MULTILINE)
        text = re.sub(r"\s*__launch_bounds__\(.*?\)", "", text).replace("#pragma once", "")
        text = re.sub(r"__global__ void\s+", "__global__ void ", text)
        macros = "".join(f"#define {k} {v}\n" for k, v in (*defines.items(), ("__forceinline__", "inline")))
        MODULES[key] = CUPY.RawModule(macros + text)
    return MODULES[key].get_function(name)


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPU code of this module's algorithms on NumPy arrays."""
    fake = SimpleNamespace(cupy=lambda: CUPY, kernel=emulated_kernel)
    monkeypatch.setattr(ipgc, "dev", fake)


def check(G: lagcolor.Graph, colors: Any) -> int:
    assert colors.dtype == np.int32
    report = lagcolor.verify(G, colors)
    assert report.n_colors <= G.max_degree + 1
    return report.n_colors


def limits(G: lagcolor.Graph) -> list[int]:
    return [-1, G.n, int(0.6 * G.n)]


@EMULATED
@pytest.mark.parametrize("name", CORPUS)
def test_kernels_on_the_corpus(emulated: None, name: str) -> None:
    G = graph(name)
    if G.n == 0:
        return
    for limit in limits(G):
        check(G, ipgc._gpu(G, limit, Log()))
