"""Feluca: as in plain Python, proper colors in every variant, and the same colors on every engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import emulated
import numpy as np
import pytest
from corpus import graph, neighbors, random_graph
from emulated import EMULATED
from frontier_cases import classes
from hypothesis import example, given
from hypothesis import strategies as st

import lagcolor
from lagcolor.algorithms.feluca import FelucaOptions
from lagcolor.orders import Priorities
from lagcolor.orders.ties import mix

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
    """
    used = sorted(set(parents))
    array = used if len(used) <= length else [*used[: length - 1], used[-1]]
    for color in array:
        if color + 1 not in array and color + 1 < array[-1] and color + 1 != own:
            return color + 1
    return used[-1] + 1


def plain(
    G: lagcolor.Graph, P: Priorities, seed: int, initial: int = 0, length: int = 2, alpha: float = 0.1,
    fraction: float = -1, traversal: str = "all",
) -> list[int]:  # fmt: skip
    """Both stages in plain Python; the pipeline of color classes gives the vertices left their first-fit colors."""
    p, near, n = P.p.tolist(), neighbors(G), G.n
    parents = [[u for u in near[v] if p[u] > p[v]] for v in range(n)]
    initial = min(initial or G.m // n + 1, G.max_degree + 1)
    colors = [int(x) * initial >> 32 for x in mix(np, np.arange(n, dtype=np.uint32), seed)]
    level = [0 if traversal == "all" or not parents[v] else n + 1 for v in range(n)]
    active = reached = level.count(0)
    rounds: list[tuple[int, int]] = []
    while fraction != 0:
        k, after, found = len(rounds), list(colors), []
        for v in range(n):
            seen = [colors[u] for u in parents[v] if level[u] <= k]
            if seen and level[v] > n:
                found.append(v)
            if colors[v] in seen:
                after[v] = select(seen, colors[v], length)
        for v in found:
            level[v] = k + 1
        conflicts = sum(x != y for x, y in zip(colors, after, strict=True))
        rounds.append((active + len(found), conflicts))
        reached += len(found)
        few = len(rounds) > 1 and all(round(10 * a) <= round(10 * (1 + alpha)) * c for a, c in rounds[-2:])
        if conflicts == len(found) == 0 or (few if fraction < 0 else reached - conflicts > fraction * n):
            break
        colors, active = after, conflicts
    left = [v for v in range(n) if fraction == 0 or level[v] > n or colors[v] in (colors[u] for u in parents[v])]
    for v in left:
        colors[v] = -1
    for v in sorted(left, key=lambda v: -p[v]):
        colors[v] = next(c for c in range(n) if c not in (colors[u] for u in near[v]))
    return np.unique(colors, return_inverse=True)[1].tolist()


def check(G: lagcolor.Graph, options: dict[str, Any], order: Any = "natural", seed: int = 0) -> lagcolor.Coloring:
    """Proper colors without gaps, and a trace that accounts for every vertex."""
    result = lagcolor.color(G, "feluca", order=order, seed=seed, trace=True, verify=True, **options)
    assert result.n_colors <= G.n
    assert sum(row["colored"] for row in result.trace) == G.n
    assert (result.notes.get("left", 0) > 0) == ("spread" in result.notes)
    return result


@example(n=60, density=0.5, seed=0, options={"spread": "vertex", "initial": 2}, order="natural", threads=2)
@example(n=60, density=0.5, seed=0, options={"spread": "at_once", "initial": 2}, order="natural", threads=2)
@given(
    n=st.integers(1, 60), density=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), options=st.sampled_from(VARIANTS),
    order=st.sampled_from(["natural", "random", "largest_first"]), threads=st.integers(2, 4),
)  # fmt: skip
def test_random_graphs(n: int, density: float, seed: int, options: dict[str, Any], order: str, threads: int) -> None:
    """The colors equal the colors of plain Python, with any number of threads."""
    G = random_graph(n, int(density * n * n / 3), seed)
    colors = check(G, {**options, "threads": threads}, order, seed).colors
    assert np.array_equal(colors, check(G, {**options, "threads": 1}, order, seed).colors)
    if "spread" not in options:
        assert colors.tolist() == plain(G, Priorities.of(G, order, seed=seed), seed, **options)


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
@pytest.mark.parametrize("seed", range(2))
def test_emulated_pipeline_on_random_schedules(seed: int) -> None:
    G = random_graph(70, 600, seed)
    with emulated.emulated_gpu(seed=seed, processors=2):
        for options in ({"fraction": 0}, {"initial": 2}, {"fraction": 0, "spread": "at_once"}):
            same_on_gpu(G, options, "natural")


def test_the_switch_at_its_limits() -> None:
    """By at most a tenth, twice in a row, is few enough; a share is reached only once there are more."""
    few = FelucaOptions(initial=8, length=2, alpha=100_000, fraction=-1, traversal="all", spread="pipeline")
    assert few.switches(1000, 0, [(500, 400), (121, 110), (110, 100)])
    assert not few.switches(1000, 0, [(122, 110), (110, 100)])
    assert not few.switches(1000, 0, [(121, 110), (111, 100)])
    assert not few.switches(1000, 0, [(110, 100)])
    share = replace(few, alpha=-1, fraction=600_000)
    assert [share.switches(10, colored, []) for colored in (0, 5, 6, 7, 10)] == [False, False, False, True, True]


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["kron_g500:14", "road:100"])
def test_cpu_equals_gpu(spec: str) -> None:
    """Hubs and many levels; every strategy and traversal."""
    G = lagcolor.generate.from_spec(spec)
    for options in VARIANTS:
        same_on_gpu(G, options, "natural", 2)
