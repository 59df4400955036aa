"""First-fit with rules against a plain one in Python: CPU threads, the kernels of a GPU, and problems at two hops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corpus import CORPUS, graph, random_graph
from emulated import EMULATED, ENGINES
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import color, faults, neighborhoods, random_rules
from two_hop_cases import random_pattern

import lagcolor
from lagcolor.engines.greedy.plain import first_fit_with_rules
from lagcolor.orders import Priorities
from lagcolor.problems import PROBLEMS
from lagcolor.problems.registry import TABLES

KINDS = ("fixed", "forbidden", "fixed forbidden", "capacity", "fixed forbidden capacity weights")
SMALL = [name for name in CORPUS if name != "clique 1100"]


def sure(G: Any, rules: dict[str, Any], problem: str, order: str, **options: Any) -> None:
    """`color` gives the colors of the oracle, and its own verifier and the definition find no fault."""
    on_cpu = G.on("cpu")
    near, seed = neighborhoods(on_cpu, problem), TABLES[problem]["first_fit"].seed
    sequence = Priorities.of(PROBLEMS[problem].structure(on_cpu), order, seed=seed).sequence.tolist()
    expected = first_fit_with_rules(near, sequence, rules)
    result = color(G, rules, problem=problem, order=order, **options)
    assert result.to_numpy().tolist() == expected
    assert not faults(near, expected, rules)
    assert result.verify().ok
    loads = np.bincount(expected, rules.get("weights"), result.n_colors)
    assert np.allclose(result.class_weights, loads)
    if "fixed" in rules:
        assert lagcolor.base.device.to_device(result.fixed, "cpu").tolist() == [c >= 0 for c in rules["fixed"]]
    assert result.notes.get("gaps", 0) == result.n_colors - len(set(expected))


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("problem", ["distance1", "distance2"])
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_corpus(device: str, problem: str, kinds: str) -> None:
    for seed, name in enumerate(SMALL):
        G, order = graph(name), ("natural", "largest_first", "random")[seed % 3]
        sure(G.on(device), random_rules(neighborhoods(G, problem), seed, kinds), problem, order, threads=1 + seed % 2)


@pytest.mark.parametrize("problem", ["distance1", "distance2", "rows", "columns"])
@given(n=st.integers(0, 60), density=st.floats(0, 0.4), seed=st.integers(0, 2**32 - 1), kinds=st.sampled_from(KINDS))
def test_random_inputs(problem: str, n: int, density: float, seed: int, kinds: str) -> None:
    x: Any = random_graph(n, int(density * n * n), seed)
    if problem in ("rows", "columns"):
        x = random_pattern(n // 2, n - n // 2, int(density * n * n / 2), seed)
    sure(x, random_rules(neighborhoods(x, problem), seed, kinds), problem, "random" if seed % 2 else "natural")


def test_what_fixed_vertices_weigh_at_two_hops() -> None:
    """A heavy fixed vertex leaves little capacity in its class, for colors below 64 and from 64 on."""
    G, weights = graph("no edges"), [3, 3, *[1] * 68]
    sure(G, {"fixed": [0, *[-1] * 69], "weights": weights, "capacity": 4}, "distance2", "natural")
    sure(G, {"fixed": [70, 0, *[-1] * 68], "weights": weights, "capacity": [4, *[0] * 69, 80]}, "distance2", "natural")


@EMULATED
@pytest.mark.parametrize("kinds", KINDS)
def test_emulated(kinds: str) -> None:
    for seed, name in enumerate(("empty", "no edges", "star", "clique 70", "random sparse")):
        rules = random_rules(neighborhoods(graph(name), "distance1"), seed, kinds)
        sure(graph(name).on("cuda"), rules, "distance1", "largest_first" if seed % 2 else "natural")
    G = graph("disconnected")
    sure(G.on("cuda"), random_rules(neighborhoods(G, "distance2"), 1, kinds), "distance2", "natural")


@pytest.mark.parametrize("more", [{}, {"max_colors": 1}, {"max_colors": 1, "fixed": {0: 0, 1: 0}}])
def test_floats_that_sum_to_the_capacity_fit(more: dict[str, Any]) -> None:
    """In floating point, 0.1 + 0.2 is greater than 0.3."""
    result = lagcolor.color(lagcolor.Graph.of(([], []), n=2), weights=[0.1, 0.2], capacity=0.3, **more)
    assert result.colors.tolist() == [0, 0] and result.optimal and result.verify().ok


def test_many_classes_of_little_capacity() -> None:
    """One vertex per class: the tree over the classes grows."""
    G = random_graph(700, 900, 1)
    sure(G, {"capacity": 1, "fixed": [*[-1] * 600, *range(300, 400)]}, "distance1", "random")
    sure(G, {"capacity": 1, "fixed": [-1] * 699 + [130]}, "distance2", "random")


def test_forbidden_and_fixed_colors_of_later_words() -> None:
    """Over 64 colors, and rules for those in the second and third word of bits."""
    r, n = np.random.default_rng(2), 100
    forbidden = {v: r.integers(50, 150, 60).tolist() for v in range(0, n, 2)}
    fixed = [-1] * 94 + [64, 70, 128, 66, 90, 91]
    rules = {"fixed": fixed, "forbidden": {v: [c for c in each if fixed[v] != c] for v, each in forbidden.items()}}
    sure(lagcolor.Pattern.of(np.ones((1, n), bool)), rules, "columns", "natural")
    sure(lagcolor.generate.clique(n), rules, "distance1", "natural")


@pytest.mark.parametrize("last", [63, 127])
def test_the_last_color_of_a_word_is_forbidden(last: int) -> None:
    """One vertex may have neither the last color of a word of bits nor the first of the next word."""
    n = last + 3
    for rules in ({"forbidden": {last: [last, last + 1]}}, {"forbidden": {last: [last]}}):
        sure(lagcolor.Pattern.of(np.ones((1, n), bool)), rules, "columns", "natural")
        sure(lagcolor.generate.clique(n), rules, "distance1", "natural")
        star = lagcolor.Graph.of((np.full(n - 1, n - 1), np.arange(n - 1)))
        sure(star, rules, "distance2", "natural")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_largest_color(engine: str) -> None:
    """No array has as many entries as the largest color."""
    most, G = 2**31 - 2, lagcolor.generate.path(5)
    for problem, fixed in (("distance1", [most, -1, most, -1, -1]), ("distance2", [most, -1, -1, most, -1])):
        rules: dict[str, Any] = {"fixed": fixed, "forbidden": {1: [0, most - 1], 4: [most]}}
        result = color(G if engine == "cpu" else G.on("cuda"), rules, problem=problem, order="natural")
        colors = result.to_numpy().tolist()
        assert result.n_colors == most + 1 and result.verify().ok
        assert colors == first_fit_with_rules(neighborhoods(G, problem), range(5), rules)
        assert result.notes["gaps"] == most + 1 - len(set(colors))


def test_rules_that_ask_nothing_change_nothing() -> None:
    for name in ("rmat", "empty"):
        G = graph(name)
        expected = lagcolor.color(G, quality="fast").colors.tolist()
        nothing = {"fixed": np.full(G.n, -1), "forbidden": {}, "max_colors": 10**6, "capacity": 10**6}
        for rule, value in nothing.items():
            assert lagcolor.color(G, **{rule: value}).colors.tolist() == expected, rule
