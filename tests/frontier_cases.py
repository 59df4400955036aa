"""What the tests of the frontier operators share: engines, graphs with every degree class, and a plain reference."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from emulated import EMULATED

import lagcolor
from lagcolor.base import device as dev
from lagcolor.frontier.operators import BALANCES, Operators, on

EVERY_BALANCE = [
    pytest.param(engine, balance, marks=marks, id=f"{engine}-{balance}")
    for engine, marks in (("cpu", []), ("emulated", [EMULATED]), ("cuda", [pytest.mark.gpu]))
    for balance in (BALANCES if engine != "cpu" else ("auto", "merge"))
]


def operators(engine: str, G: lagcolor.Graph) -> Operators:
    """The operators of a test's engine on a graph of the CPU."""
    return on(G.on("cuda" if engine == "emulated" else engine))


def on_engine(ops: Operators, array: Any) -> Any:
    """A copy of a NumPy array on the engine's device."""
    with dev.using(ops.G.indices):
        return ops.xp.array(array)


def numpy(x: Any) -> np.ndarray:
    return x if isinstance(x, np.ndarray) else x.get()


@functools.cache
def classes(extra: int = 0) -> lagcolor.Graph:
    """A hub of 2100 neighbors, some vertices of 50, and many of few: every degree class; ids shuffled."""
    r = np.random.default_rng(extra)
    n = 2200
    u = np.concatenate([np.zeros(2100, int), np.repeat([1, 2, 3], 50), r.integers(4, n - 50, 800)])
    v = np.concatenate([r.permutation(n - 50)[:2100], r.integers(4, n - 50, 150), r.integers(4, n - 50, 800)])
    names = r.permutation(n)
    return lagcolor.Graph.of((names[u], names[v]), n=n)


def neighbors(G: lagcolor.Graph, v: int) -> list[tuple[int, int]]:
    """(neighbor, edge) of each edge from v."""
    return [(int(G.indices[e]), e) for e in range(int(G.indptr[v]), int(G.indptr[v + 1]))]


def counting(G: lagcolor.Graph, vertices: Any, accept: Any) -> SimpleNamespace:
    """Compute the result of an advance in plain Python."""
    pairs = [(u, e) for v in vertices for u, e in neighbors(G, int(v)) if accept(int(v), u, e)]
    return SimpleNamespace(vertices=sorted(u for u, _ in pairs), edges=sorted(e for _, e in pairs))
