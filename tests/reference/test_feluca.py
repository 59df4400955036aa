"""Feluca: proper colors in every variant, first-fit without the first stage, and the same colors on every engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import emulated
import numpy as np
import pytest
from corpus import first_fit, graph, random_graph
from emulated import EMULATED, ENGINES
from frontier_cases import classes
from hypothesis import example, given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.feluca.options import FelucaOptions
from lagcolor.orders import Priorities

VARIANTS: list[dict[str, Any]] = [
    {},
    {"length": 3, "alpha": 0.5},
    {"initial": 1},
    {"initial": 4, "traversal": "levels"},
    {"traversal": "levels", "fraction": 0.6},
    {"traversal": "levels", "fraction": 1, "length": 5},
    {"fraction": 0},
    {"spread": "at_once", "initial": 2},
    {"spread": "at_once", "fraction": 0},
    {"spread": "vertex", "initial": 2},
]


def select(parents: list[int], own: int, length: int) -> int:
    """Section 4.1: "NeighborColors stores all colors that are just used if it is long enough; otherwise, it stores the
    colors that has the lowest and highest color number"; a color NeighborColors[j] + 1 that is not in it and below the
    last, else "the color that is immediately after the last color among all parents' colors".

    Algorithm 1 has a conflicting vertex take a new color: its own is none.
    """
    used = sorted(set(parents))
    array = used if len(used) <= length else [*used[: length - 1], used[-1]]
    for color in array:
        if color + 1 not in array and color + 1 < array[-1] and color + 1 != own:
            return color + 1
    return used[-1] + 1


def check(G: lagcolor.Graph, options: dict[str, Any], order: Any = "natural", seed: int = 0) -> lagcolor.Coloring:
    """Proper colors without gaps, and a trace that accounts for every vertex."""
    result = lagcolor.color(G, "feluca", order=order, seed=seed, trace=True, verify=True, **options)
    assert result.n_colors <= G.n
    assert sum(row["colored"] for row in result.trace) == G.n
    assert (result.notes.get("left", 0) > 0) == ("spread" in result.notes)
    return result


@example(n=60, density=0.5, seed=0, options={"spread": "vertex", "initial": 2}, order="natural", threads=2)
@given(
    n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), options=st.sampled_from(VARIANTS),
    order=st.sampled_from(["natural", "random", "largest_first"]), threads=st.integers(2, 4),
)  # fmt: skip
def test_random_graphs(n: int, density: float, seed: int, options: dict[str, Any], order: str, threads: int) -> None:
    """Any number of threads gives the same colors. Without the first stage they are first-fit colors."""
    G = random_graph(n, int(density * n * n / 3), seed)
    colors = check(G, {**options, "threads": threads}, order, seed).colors
    assert np.array_equal(colors, check(G, {**options, "threads": 1}, order, seed).colors)
    if options == {"fraction": 0}:
        assert colors.tolist() == first_fit(G, Priorities.of(G, order, seed=seed).sequence.tolist())


def same_on_gpu(G: lagcolor.Graph, options: dict[str, Any], order: Any, seed: int = 0) -> None:
    expected, result = check(G, options, order, seed), check(G.on("cuda"), options, order, seed)
    assert np.array_equal(result.to_numpy(), expected.colors), f"{options}, order {order}"
    assert result.rounds == expected.rounds


@EMULATED
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_emulated_gpu_gives_the_same(options: dict[str, Any]) -> None:
    slow = options.get("fraction") == 0 or options.get("initial") == 1
    for name in ("no edges", "star, hub last", "disconnected", *(() if slow else ["crown", "random dense"])):
        for order in ("natural", "random"):
            same_on_gpu(graph(name), options, order, 2)


@EMULATED
def test_emulated_with_every_degree_class() -> None:
    """A hub of 2100 neighbors, which comes last: packs and rows for a lane, a warp and a block."""
    G = classes()
    order = np.where(G.degrees > 2048, 0, 1 + np.arange(G.n))
    for bits, options in (
        (32, {"initial": 2}), (64, {"length": 4}), (64, {"traversal": "levels"}),
        (32, {"spread": "at_once", "initial": 2}),
    ):  # fmt: skip
        same_on_gpu(lagcolor.Graph(G.indptr.astype(f"i{bits // 8}"), G.indices), options, order)


@EMULATED
@pytest.mark.parametrize("seed", range(3))
def test_emulated_pipeline_on_random_schedules(seed: int) -> None:
    G = random_graph(70, 600, seed)
    with emulated.emulated_gpu(seed=seed, processors=2):
        for options in ({"fraction": 0}, {"initial": 2}, {"fraction": 0, "spread": "at_once"}):
            same_on_gpu(G, options, "natural")


def steps(G: lagcolor.Graph, length: int) -> Any:
    """The steps of one engine on a graph."""
    if G.on_gpu:
        from lagcolor.algorithms.feluca.gpu import GPUSteps as Steps
    else:
        from lagcolor.algorithms.feluca.cpu import CPUSteps as Steps  # type: ignore[assignment]
    return Steps(G, Priorities.of(G), length, 1)


@pytest.mark.parametrize(
    ("parents", "own", "length", "color"),
    [
        ([1, 4, 6], 4, 2, 2),  # figure 3: the 2nd, 5th and 7th color
        ([1, 2], 2, 2, 3),  # none in between: after the last
        ([4], 4, 2, 5),
        ([0, 1, 5], 0, 2, 1),  # 1 is hidden from an array of two
        ([0, 1, 5], 1, 2, 6),  # and is not selected twice
        ([0, 1, 5], 0, 3, 2),
        ([0, 1, 2, 9], 2, 3, 10),
        ([3, *range(5, 80)], 3, 64, 4),
        (list(range(70)), 0, 64, 63),
    ],
)
@pytest.mark.parametrize("kind", ENGINES)
def test_selection(kind: str, parents: list[int], own: int, length: int, color: int) -> None:
    v = len(parents)
    G = lagcolor.Graph.of((np.arange(v), np.full(v, v)), n=v + 1).on("cpu" if kind == "cpu" else "cuda")
    before = G.xp.array([*parents, own], np.int32)
    after = before.copy()
    steps(G, length).round(None, 0, before, after)
    assert after.tolist() == [*parents, color]
    assert color == select(parents, own, length)


@pytest.mark.parametrize("order", ["natural", "largest_first"])
def test_sequential_alone_is_first_fit(order: str) -> None:
    for name in ("grid", "rmat", "crown", "clique 1100"):
        G = graph(name)
        result = lagcolor.color(G, "feluca", order=order, seed=3, fraction=0)
        assert result.colors.tolist() == first_fit(G, Priorities.of(G, order, seed=3).sequence.tolist())


def test_the_switch_at_its_limits() -> None:
    """By at most a tenth, twice in a row, is few enough; a share is reached only once there are more."""
    few = FelucaOptions(initial=8, length=2, alpha=100_000, fraction=-1, traversal="all", spread="pipeline")
    assert few.switches(1000, 0, [(500, 400), (121, 110), (110, 100)])
    assert not few.switches(1000, 0, [(122, 110), (110, 100)])
    assert not few.switches(1000, 0, [(121, 110), (111, 100)])
    assert not few.switches(1000, 0, [(110, 100)])
    share = replace(few, alpha=-1, fraction=600_000)
    assert [share.switches(10, colored, []) for colored in (0, 5, 6, 7, 10)] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha must be a number from 0"),
        ({"fraction": 1.5}, "fraction must be a number from 0 to 1, or None, not 1.5"),
        ({"length": 65}, "length must be a whole number from 2 to 64, not 65"),
        ({"initial": 0}, "initial must be a whole number of colors from 1 on"),
        ({"spread": "fast"}, "spread must be one of pipeline, at_once, vertex, not 'fast'"),
        ({"traversal": "depth"}, "traversal must be one of all, levels, not 'depth'"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(lagcolor.OptionError, match=message):
        lagcolor.color(graph("rmat"), "feluca", **options)


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["kron_g500:14", "road:100"])
def test_cpu_equals_gpu(spec: str) -> None:
    """Hubs and many levels; every strategy and traversal."""
    G = lagcolor.generate.from_spec(spec)
    for options in VARIANTS:
        same_on_gpu(G, options, "natural", 2)
