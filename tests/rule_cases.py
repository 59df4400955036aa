"""Rules at random, and what first-fit does with them, in plain Python by definition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import lagcolor
from lagcolor.problems import PROBLEMS


def neighborhoods(G: Any, problem: str) -> list[list[int]]:
    """Who constrains each vertex, by the problem's definition."""
    row = PROBLEMS[problem]
    return [row.neighborhood(G, v).tolist() for v in range(row.size(G))]


def plain(near: list[list[int]], order: Iterable[int], rules: dict[str, Any]) -> list[int]:
    """Each free vertex in turn takes the least color that no rule and no neighbor bars; −1 where there is none."""
    n = len(near)
    colors = list(rules.get("fixed", [-1] * n))
    forbidden, weights = rules.get("forbidden", {}), rules.get("weights", [1] * n)
    capacity = rules.get("capacity", float("inf"))
    most = min(rules.get("max_colors", 10**9), len(capacity) if isinstance(capacity, list) else 10**9)
    loads: dict[int, float] = {}
    for v in range(n):
        if colors[v] >= 0:
            loads[colors[v]] = loads.get(colors[v], 0) + weights[v]
    for v in [v for v in order if colors[v] < 0]:
        barred = {colors[u] for u in near[v]} | set(forbidden.get(v, ()))
        for c in range(min(most, n + 200)):
            room = (capacity[c] if isinstance(capacity, list) else capacity) - loads.get(c, 0)
            if c not in barred and weights[v] <= room:
                colors[v] = c
                loads[c] = loads.get(c, 0) + weights[v]
                break
    return colors


def random_rules(near: list[list[int]], seed: int, kinds: str) -> dict[str, Any]:
    """Rules of some kinds ("fixed forbidden …") that do not contradict each other by themselves, as lists and dicts."""
    r, n = np.random.default_rng(seed), len(near)
    rules: dict[str, Any] = {}
    k = int(r.integers(1, 90))
    if "forbidden" in kinds:
        some = r.permutation(n)[: r.integers(0, n + 1)].tolist()
        rules["forbidden"] = {v: r.integers(0, k, r.integers(0, 9)).tolist() for v in some}
    if "weights" in kinds:
        rules["weights"] = r.integers(0, 6, n).tolist() if r.integers(2) else (r.integers(0, 9, n) / 8).tolist()
    if "capacity" in kinds:
        heaviest = max(rules.get("weights", [1]), default=1)
        rules["capacity"] = float(heaviest * r.integers(1, 9))
        if "max_colors" in kinds and r.integers(2):
            rules["capacity"] = (heaviest * r.integers(1, 9, k)).tolist()
    if "max_colors" in kinds and not isinstance(rules.get("capacity"), list):
        rules["max_colors"] = k
    if "fixed" in kinds:
        rules["fixed"] = _some_colors(r, near, rules, k)
    return rules


def _some_colors(r: np.random.Generator, near: list[list[int]], rules: dict[str, Any], k: int) -> list[int]:
    """Colors for some vertices with which nothing contradicts the rules."""
    n, weights, capacity = len(near), rules.get("weights"), rules.get("capacity", float("inf"))
    colors, loads = [-1] * n, dict[int, float]()
    for v in r.permutation(n)[: r.integers(0, n + 1)].tolist():
        c = int(r.integers(0, k if r.integers(4) else min(k, 3)))
        weight = weights[v] if weights else 1
        room = (capacity[c] if isinstance(capacity, list) else capacity) - loads.get(c, 0)
        if c not in {colors[u] for u in near[v]} | set(rules.get("forbidden", {}).get(v, ())) and weight <= room:
            colors[v] = c
            loads[c] = loads.get(c, 0) + weight
    return colors


def faults(near: list[list[int]], colors: list[int], rules: dict[str, Any]) -> list[str]:
    """What is wrong with a complete coloring with rules, by definition."""
    n, capacity = len(near), rules.get("capacity", float("inf"))
    weights, fixed = rules.get("weights", [1] * n), rules.get("fixed", [-1] * n)
    most = min(rules.get("max_colors", 10**9), len(capacity) if isinstance(capacity, list) else 10**9)
    out = [f"{v} has no color" for v in range(n) if colors[v] < 0]
    out += [f"{u}, {v}" for v in range(n) for u in near[v] if colors[u] == colors[v]]
    out += [f"fixed {v}" for v in range(n) if fixed[v] >= 0 and colors[v] != fixed[v]]
    out += [f"forbidden {v}" for v, each in rules.get("forbidden", {}).items() if colors[v] in each]
    out += [f"max_colors {v}" for v in range(n) if colors[v] >= most]
    for c in set(colors):
        load = sum(w for w, color in zip(weights, colors, strict=True) if color == c)
        if 0 <= c < most and load > (capacity[c] if isinstance(capacity, list) else capacity) * (1 + 1e-9):
            out.append(f"capacity {c}")
    return out


def keywords(rules: dict[str, Any]) -> dict[str, Any]:
    """The same as `lagcolor.color` takes them."""
    return {"fixed": np.array(rules["fixed"], np.int32), **rules} if "fixed" in rules else dict(rules)


def color(x: Any, rules: dict[str, Any], **options: Any) -> lagcolor.Coloring:
    """`lagcolor.color` with rules, not verified."""
    return lagcolor.color(x, verify=False, **keywords(rules), **options)
