"""First-fit of any sequence on a GPU, whole or in part: equals first-fit done plainly, color for color."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import cuda_emulator
import numpy as np
import pytest
from cuda_emulator import EMULATED
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import Graph
from lagcolor.engines.greedy import cuda_sequence
from lagcolor.generate import from_spec
from lagcolor.orders import Priorities

SPECS = ("path:70", "grid2d:13", "star:300", "clique:70", "bipartite:66,70", "rmat:8", "uniform:400,9", "disjoint:3")


def plainly(G: Graph, sequence: Any, colors: Any = None) -> list[int]:
    """First-fit of `sequence` around `colors`, with no code of the library."""
    out = [-1] * G.n if colors is None else list(colors)
    for v in sequence:
        taken = {out[u] for u in G.indices[G.indptr[v] : G.indptr[v + 1]].tolist()}
        out[v] = next(c for c in range(G.n + 1 + max(out, default=0)) if c not in taken)
    return out


@pytest.fixture
def on_host(monkeypatch: pytest.MonkeyPatch) -> None:
    cp = cuda_emulator.Cupy()
    monkeypatch.setattr(cuda_sequence, "dev", SimpleNamespace(cupy=lambda: cp, kernel=cuda_emulator.kernel))


def graphs() -> list[Graph]:
    out = []
    for spec in ("path:70", "grid2d:13", "star:300", "clique:70", "rmat:8", "uniform:400,9"):
        out.append(from_spec(spec))
    return out
