"""First-fit of a Task against a plain one in Python: on a CPU, and by the kernels of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, first_fit, graph, neighbors, random_graph
from emulated import EMULATED
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor.base import device
from lagcolor.engines.greedy import tasks
from lagcolor.engines.greedy.plain import first_fit_with_rules
from lagcolor.engines.greedy.tasks import first_fit_task
from lagcolor.problems.task import Task

KINDS = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
MANY = 2000  # over all colors that an active vertex may get


def plain(G: lagcolor.Graph, task: Task) -> list[int]:
    """The oracle."""
    active = list(range(G.n)) if task.active is None else np.flatnonzero(task.active).tolist()
    fixed = np.full(G.n, -1) if task.fixed is None else task.fixed.copy()
    fixed[active] = -1
    offsets, forbidden = ([0] * (G.n + 1), np.empty(0)) if task.forbidden is None else task.forbidden
    barred = {v: forbidden[offsets[v] : offsets[v + 1]].tolist() for v in active}
    most = MANY if task.limit is None else task.limit
    return first_fit_with_rules(
        neighbors(G), active, {"fixed": fixed.tolist(), "forbidden": barred, "max_colors": most}
    )


def random_task(G: lagcolor.Graph, seed: int, palette: str) -> Task:
    """Some vertices, most of the others fixed to small and large colors, and a palette of that kind."""
    r, n = np.random.default_rng(seed), G.n
    active = r.random(n) < r.random() if r.integers(3) else None
    fixed = None
    if r.integers(3):
        fixed = r.choice([-1, 0, 1, 2, 5, 62, 63, 64, 65, 300, 2**31 - 2], n).astype(np.int32)
        fixed = np.where(r.random(n) < 0.5, r.integers(0, 90, n, dtype=np.int32), fixed).astype(np.int32)
    if palette == "none":
        return Task(active, fixed)
    sizes = r.integers(0, 90, n) * r.integers(0, 2, n)
    offsets = np.append(0, np.cumsum(sizes))
    forbidden = (offsets, r.integers(0, 100, offsets[-1], dtype=np.int32)) if r.integers(2) else None
    return Task(active, fixed, None if palette == "unlimited" else int(r.integers(0, r.choice([6, 80]))), forbidden)


def on(task: Task, kind: str) -> Task:
    """Return the task with its arrays on a device."""

    def move(x: Any) -> Any:
        return device.to_device(x, kind) if isinstance(x, np.ndarray) else x

    forbidden = task.forbidden and tuple(map(move, task.forbidden))
    return Task(move(task.active), move(task.fixed), task.limit, forbidden)


@pytest.mark.parametrize("palette", ["none", "unlimited", "limited"])
@pytest.mark.parametrize("kind", KINDS)
def test_corpus(kind: str, palette: str) -> None:
    for i, name in enumerate(CORPUS):
        G = graph(name)
        task = random_task(G, i, palette)
        expected = plain(G, task)
        colors = first_fit_task(G.on(kind), on(task, kind))
        assert colors.dtype == np.int32
        assert device.to_device(colors, "cpu").tolist() == expected, name


@given(
    n=st.integers(0, 150), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1),
    palette=st.sampled_from(["none", "unlimited", "limited"]),
)  # fmt: skip
def test_random_tasks(n: int, density: float, seed: int, palette: str) -> None:
    G = random_graph(n, int(density * n * n), seed)
    task = random_task(G, seed, palette)
    assert first_fit_task(G, task).tolist() == plain(G, task)


@EMULATED
@pytest.mark.parametrize("palette", ["none", "unlimited", "limited"])
def test_emulated(palette: str) -> None:
    for i, name in enumerate(("empty", "no edges", "star", "clique 70", "random sparse", "disconnected")):
        task = random_task(graph(name), i, palette)
        G, there = graph(name).on("cuda"), on(task, "cuda")
        assert tasks._on_gpu(G, there, there.sequence(G)).tolist() == plain(graph(name), task), name


def test_order_of_a_mask() -> None:
    G = graph("rmat")
    r = np.random.default_rng(3)
    order, mask = r.permutation(G.n).astype(np.int32), r.random(G.n) < 0.4
    fixed = np.where(mask, -1, first_fit(G, range(G.n))).astype(np.int32)
    before = fixed.copy()
    colors = first_fit_task(G, Task(mask, fixed), order)
    assert colors.tolist() == first_fit_with_rules(neighbors(G), order.tolist(), {"fixed": fixed.tolist()})
    assert np.array_equal(fixed, before)
    lagcolor.verify(G, colors)


def test_palette_without_a_color_left() -> None:
    """A vertex that finds no color constrains no other."""
    G = lagcolor.Graph.of(([0, 1, 2], [1, 2, 3]))
    assert first_fit_task(G, Task(limit=1)).tolist() == [0, -1, 0, -1]


def test_many_colors_and_forbidden_ones() -> None:
    """In a clique the answers pass 64 colors, and each vertex has forbidden ones on the way."""
    u, v = np.triu_indices(150, 1)
    G, r = lagcolor.Graph.of((u, v)), np.random.default_rng(1)
    forbidden = np.arange(0, 30 * G.n + 1, 30), r.integers(0, 200, 30 * G.n, dtype=np.int32)
    task = Task(forbidden=forbidden)
    assert first_fit_task(G, task).tolist() == plain(G, task)
