"""Che et al. 2015: the three algorithms against the paper's pseudocode in plain Python, on every engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import cuda_emulator
import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import device as dev
from lagcolor.kernels import che_baseline, che_gpu, che_hybrid, che_work_stealing
from lagcolor.kernels.che_cpu import CpuRounds
from lagcolor.priorities import Priorities

no_compiler = pytest.mark.skipif(not cuda_emulator.available(), reason="the emulator needs g++")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
ENGINES = [*DEVICES, pytest.param("emulated", marks=no_compiler)]
SMALL = [name for name in CORPUS if name != "clique 1100"]
CUPY = cuda_emulator.Cupy()
MODULES: dict[Any, Any] = {}


def pasted(path: Any) -> str:
    """A CUDA source with its includes in it, each once."""
    seen: set[str] = set()

    def paste(m: re.Match[str]) -> str:
        if m[1] in seen:
            return ""
        seen.add(m[1])
        return include((dev.INCLUDE_DIR / m[1]).read_text())

    def include(text: str) -> str:
        return re.sub(r'^#include "(.*)"$', paste, text.replace("#pragma once", ""), flags=re.MULTILINE)

    return include(path.read_text())


def emulated_kernel(path: Any, name: str, **defines: object) -> Any:
    """What `device.kernel` gives, from the emulator."""
    key = (path, *sorted(defines.items()))
    if key not in MODULES:
        macros = "".join(f"#define {k} {v}\n" for k, v in (*defines.items(), ("__forceinline__", "inline")))
        text = re.sub(r'asm volatile\("ld.relaxed.*;', "x = *at;", pasted(path))
        MODULES[key] = CUPY.RawModule(macros + re.sub(r'asm volatile\("st.relaxed.*;', "*at = x;", text))
    return MODULES[key].get_function(name)


@pytest.fixture
def on_engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., lagcolor.Coloring]:
    """``lagcolor.color`` on the engine that the test names."""
    return color_on(request.param, monkeypatch)


def color_on(engine: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., lagcolor.Coloring]:
    if engine != "emulated":
        return lambda G, *args, **rest: lagcolor.color(G.on(engine), *args, **rest)
    fake = SimpleNamespace(cupy=lambda: CUPY, kernel=emulated_kernel, to_device=dev.to_device)
    for module in (che_gpu, che_work_stealing):
        monkeypatch.setattr(module, "dev", fake)
    monkeypatch.setattr(che_baseline, "rounds_on", lambda G, threads: che_gpu.GpuRounds(G))
    monkeypatch.setattr(che_hybrid, "rounds_on", lambda G, threads: che_gpu.GpuRounds(G))
    monkeypatch.setattr(che_work_stealing, "CpuQueues", che_work_stealing.GpuQueues)
    return lagcolor.color


def every(engines: list[Any] = ENGINES) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("on_engine", engines, indirect=True)


# ---- Algorithms 1 and 3 as the paper writes them ---------------------------------------------------------------


def loops(G: lagcolor.Graph, color: list[int], value: list[int], flag: list[bool] | None, cur_color: int) -> int:
    """The two loops of BASECOLORING, or with the flags DEGREECOLORING; how many they colored."""
    indptr, col = G.indptr.tolist(), G.indices.tolist()
    max_array = [-1] * G.n
    for i in range(G.n):
        if color[i] < 0:
            for j in range(indptr[i], indptr[i + 1]):
                if color[col[j]] < 0:
                    if flag is not None and value[i] == value[col[j]]:
                        flag[i] = True
                    max_array[i] = max(max_array[i], value[col[j]])
    chosen = [i for i in range(G.n) if color[i] < 0 and not (flag and flag[i]) and value[i] > max_array[i]]
    for i in chosen:
        color[i] = cur_color
    return len(chosen)


def paper(
    G: lagcolor.Graph, p: list[int], go_on: Callable[[int, int], bool]
) -> tuple[list[int], list[tuple[str, int]]]:
    """Colors and, a round, phase and colored; ``go_on(rounds, colored)`` says whether degree labelling does."""
    color, flag, degree = [-1] * G.n, [False] * G.n, G.degrees.tolist()
    rounds: list[tuple[str, int]] = []
    cur_color, phase, colored = 0, "degree", -1
    while -1 in color:
        if phase == "degree" and not go_on(len(rounds), colored):
            phase = "random"
        value = degree if phase == "degree" else p
        colored = loops(G, color, value, flag if phase == "degree" else None, cur_color)
        rounds.append((phase, colored))
        cur_color += colored > 0
    return color, rounds


def never(rounds: int, colored: int) -> bool:
    return False


POLICIES: dict[str, tuple[Any, Callable[[int, int], bool]]] = {
    "none colored": ("none_colored", lambda rounds, colored: colored != 0),
    "at once": (0, never),
    "round 2": (2, lambda rounds, colored: rounds < 2 and colored != 0),
    "below 10": ("below:10", lambda rounds, colored: not 0 <= colored < 10),
    "below 0": ("below:0", lambda rounds, colored: colored != 0),
    "function": (lambda s: s.colored < s.active / 20, None),
}


@every()
@pytest.mark.parametrize("name", SMALL)
def test_baseline_is_the_papers(on_engine: Any, name: str) -> None:
    G = graph(name)
    for order, seed in (("random", 0), ("random", 5), ("largest_first", 1)):
        expected, rounds = paper(G, Priorities.of(G, order, seed).p.tolist(), never)
        result = on_engine(G, "che_baseline", order=order, seed=seed)
        assert result.to_numpy().tolist() == expected
        assert result.rounds == max(1, len(rounds))
        stolen = on_engine(G, "che_work_stealing", order=order, seed=seed)
        assert stolen.to_numpy().tolist() == expected


@every()
@pytest.mark.parametrize("policy", [p for p in POLICIES if p != "function"])
@pytest.mark.parametrize("name", SMALL)
def test_hybrid_is_the_papers(on_engine: Any, name: str, policy: str) -> None:
    G, (switch, go_on) = graph(name), POLICIES[policy]
    expected, rounds = paper(G, Priorities.of(G, "random", 3).p.tolist(), go_on)
    result = on_engine(G, "che_hybrid", seed=3, switch=switch, trace=True)
    assert result.to_numpy().tolist() == expected
    assert [(row["phase"], row["colored"]) for row in result.trace] == rounds
