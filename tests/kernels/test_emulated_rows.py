"""Every row of the registry that runs on a GPU, on an emulated one: by its own launchers, in turn and at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import emulated
import pytest
from corpus import SHORT, first_fit, graph

import lagcolor
from lagcolor.orders import Priorities

pytestmark = pytest.mark.skipif(not emulated.available(), reason="no C++ compiler")

ON_GPU = [name for name, row in lagcolor.ALGORITHMS.items() if "cuda" in row.engines]
GRAPHS = (
    "empty", "one vertex", "isolated among others", "odd cycle", "star", "clique 70", "crown", "random sparse",
)  # fmt: skip


@pytest.fixture(scope="module")
def gpu() -> Iterator[emulated.Emulated]:
    with emulated.emulated_gpu() as e:
        yield e


def check(algorithm: str, name: str, order: str | None, seed: int | str | None) -> list[int]:
    """Colors on the emulated device, held against the verifier, the oracle and the CPU as far as the row promises."""
    row, G = lagcolor.ALGORITHMS[algorithm], graph(name)
    seed = "default" if order is None else seed
    given: dict[str, Any] = {"order": order, "seed": seed} if row.reads_order else {}
    result = lagcolor.color(G, algorithm, device="cuda", **given, **SHORT.get(algorithm, {}))
    assert result.device == "cuda:0"
    colors: list[int] = result.to_numpy().tolist()
    lagcolor.verify(G, result.to_numpy())
    if row.bound.startswith("Δ+1"):
        assert result.n_colors <= G.max_degree + 1
    if row.oracle == "first_fit":
        order, seed = (row.order, row.seed) if order is None else (order, seed)
        assert colors == first_fit(G, Priorities.of(G, order, seed=seed).sequence.tolist())
    elif row.deterministic and "cpu" in row.engines:
        order, seed = (row.order, row.seed) if order is None else (order, seed)
        given = {"order": order, "seed": seed} if row.reads_order else {}
        assert colors == lagcolor.color(G, algorithm, device="cpu", **given).to_numpy().tolist()
    return colors


@pytest.mark.parametrize("algorithm", ON_GPU)
def test_rows(gpu: emulated.Emulated, algorithm: str) -> None:
    for name in GRAPHS:
        launched = gpu.gpu.launched
        check(algorithm, name, None, None)
        assert gpu.gpu.launched > launched or graph(name).n == 0, "nothing ran on the device"
        if lagcolor.ALGORITHMS[algorithm].reads_order and name == "random sparse":
            check(algorithm, name, "natural", None)
            check(algorithm, name, "random", 7)


@pytest.mark.parametrize("algorithm", ON_GPU)
def test_a_schedule(gpu: emulated.Emulated, algorithm: str) -> None:
    """Several blocks, whose threads take turns at random at each relaxed access and atomic."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu.gpu, "seed", 1)
        patch.setattr(gpu.gpu, "processors", 3)
        for name in ("odd cycle", "clique 5", "disconnected"):
            check(algorithm, name, None, None)
