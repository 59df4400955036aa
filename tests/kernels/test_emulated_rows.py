"""Every row of the registry that runs on a GPU, on an emulated one: by its own launchers, in turn and at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import emulated
import numpy as np
import pytest
from corpus import CORPUS, SHORT, graph, neighbors
from corpus import gpu as gpu_name

import lagcolor

ON_GPU = [name for name, row in lagcolor.ALGORITHMS.items() if "cuda" in row.engines]
GRAPHS = (
    "empty", "one vertex", "isolated among others", "odd cycle", "star", "clique 70", "crown", "random sparse",
)  # fmt: skip


@pytest.fixture
def gpu() -> Iterator[emulated.Emulated]:
    if not emulated.available():
        pytest.skip("no C++ compiler")
    with emulated.emulated_gpu() as e:
        yield e


def check(algorithm: str, G: lagcolor.Graph, order: str | None = None, seed: int | str | None = "default") -> None:
    """Colors on the device, compared with the verifier, the oracle and the CPU as far as the row promises."""
    row, short = lagcolor.ALGORITHMS[algorithm], SHORT.get(algorithm, {})
    passed: dict[str, Any] = {"order": order, "seed": seed} if row.reads_order else {}
    result = lagcolor.color(G, algorithm, device="cuda", **passed, **short)
    assert result.device == gpu_name()
    lagcolor.verify(G, result.to_numpy())
    if row.bound.startswith("Δ+1"):
        assert result.n_colors <= G.max_degree + 1
    order, seed = (row.order, row.seed) if order is None else (order, seed)
    passed = {"order": order, "seed": seed} if row.reads_order else {}
    on_cpu = algorithm if "cpu" in row.engines else row.variant_of
    if row.oracle == "first_fit":
        expected = lagcolor.color(G, "greedy", order, seed=seed, device="cpu")
    elif row.deterministic and on_cpu:
        expected = lagcolor.color(G, on_cpu, device="cpu", **passed)
        assert row.variant_of is None or result.rounds == expected.rounds
    else:
        return
    assert result.to_numpy().tolist() == expected.to_numpy().tolist()


@pytest.mark.parametrize("algorithm", ON_GPU)
def test_rows(gpu: emulated.Emulated, algorithm: str) -> None:
    for name in GRAPHS:
        launched = gpu.gpu.launched
        check(algorithm, graph(name))
        assert gpu.gpu.launched > launched or graph(name).n == 0, "nothing ran on the device"
    if lagcolor.ALGORITHMS[algorithm].reads_order:
        check(algorithm, graph("random sparse"), "natural", None)
        check(algorithm, graph("random sparse"), "random", 7)


@pytest.mark.parametrize("algorithm", ON_GPU)
def test_a_schedule(gpu: emulated.Emulated, algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks, whose threads take turns at random at each relaxed access and atomic."""
    monkeypatch.setattr(gpu.gpu, "seed", 1)
    monkeypatch.setattr(gpu.gpu, "processors", 3)
    for name in ("odd cycle", "clique 5", "disconnected"):
        check(algorithm, graph(name))


# Row, macros of its kernels and constants of its launcher: small graphs have hubs then, and take many launches.
SMALLER: list[tuple[str, dict[str, int], dict[str, int]]] = [
    ("jpl", {"SHORT": 4, "ALONE": 2, "HUB": 24, "HUBS": 2}, {"algorithms.jpl.MANY": 1}),
    ("luby_is_fused", {"ALONE": 2}, {"engines.rounds.independent_sets.PASSES": 1}),
]


@pytest.mark.parametrize(("algorithm", "macros", "constants"), SMALLER)
@pytest.mark.parametrize("seed", [None, 1])
def test_smaller_constants(
    algorithm: str, macros: dict[str, int], constants: dict[str, int], seed: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in constants.items():
        monkeypatch.setattr(f"lagcolor.{name}", value)
    with emulated.emulated_gpu(macros=macros, seed=seed, processors=1 if seed is None else 3):
        for name in ("star", "star, hub last", "clique 70", "crown", "rmat") if seed is None else ("crown", "clique 5"):
            check(algorithm, graph(name))


@pytest.mark.parametrize("name", ["isolated among others", "star", "clique 70", "grid", "random sparse"])
def test_the_rounds_of_jpl(name: str) -> None:
    """The uncolored vertices above all their uncolored neighbors take the round's color."""
    G, round_ = graph(name), 0
    p, color, near = lagcolor.Priorities.of(G, "random", seed=0).p, np.full(G.n, -1), neighbors(G)
    while (color < 0).any():
        left = color < 0
        color[[v for v in np.flatnonzero(left) if all(p[u] < p[v] for u in near[v] if left[u])]] = round_
        round_ += 1
    assert lagcolor.color(G, "jpl").colors.tolist() == color.tolist()


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", ON_GPU)
def test_on_a_gpu(algorithm: str) -> None:
    for name in CORPUS:
        check(algorithm, graph(name))
    if algorithm != "memetic":  # for 32,768 vertices at most
        for spec in ("kron_g500:14", "grid2d:300", "uniform:100000,4", "star:70000"):
            check(algorithm, lagcolor.generate.from_spec(spec))
