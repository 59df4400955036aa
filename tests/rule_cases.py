"""Rules at random, and what they ask, in plain Python by definition."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import lagcolor
from lagcolor.problems import PROBLEMS


def neighborhoods(G: Any, problem: str) -> list[list[int]]:
    """Who constrains each vertex, by the problem's definition."""
    row = PROBLEMS[problem]
    return [row.neighborhood(G, v).tolist() for v in range(row.size(G))]


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
    """Colors for some vertices that do not contradict the rules."""
    n, weights, capacity = len(near), rules.get("weights"), rules.get("capacity", float("inf"))
    colors, loads = [-1] * n, dict[int, float]()
    for v in r.permutation(n)[: r.integers(0, n + 1)].tolist():
        c = int(r.integers(0, k if r.integers(4) else min(k, 3)))
        weight = weights[v] if weights else 1
        space = (capacity[c] if isinstance(capacity, list) else capacity) - loads.get(c, 0)
        if c not in {colors[u] for u in near[v]} | set(rules.get("forbidden", {}).get(v, ())) and weight <= space:
            colors[v] = c
            loads[c] = loads.get(c, 0) + weight
    return colors


def faults(near: list[list[int]], colors: list[int], rules: dict[str, Any]) -> list[str]:
    """Return the faults of a complete coloring with rules, by definition."""
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
    """Return the rules as keywords of `lagcolor.color`."""
    return {"fixed": np.array(rules["fixed"], np.int32), **rules} if "fixed" in rules else dict(rules)


def color(x: Any, rules: dict[str, Any], **options: Any) -> lagcolor.Coloring:
    """`lagcolor.color` with rules, not verified."""
    return lagcolor.color(x, verify=False, **keywords(rules), **options)


def any_rules(n: int, seed: int) -> dict[str, Any]:
    """Rules at random for few vertices; they may contradict each other in every way."""
    r, k = np.random.default_rng(seed), int(np.random.default_rng(seed + 1).integers(0, 6))
    rules: dict[str, Any] = {}
    if r.integers(2):
        rules["fixed"] = np.where(r.random(n) < 0.3, r.integers(0, k + 1, n), -1).tolist()
    if r.integers(2):
        rules["forbidden"] = {v: r.integers(0, k + 1, r.integers(0, 4)).tolist() for v in range(n) if r.integers(2)}
    if r.integers(2):
        rules["weights"] = r.integers(0, 4, n).tolist()
    if r.integers(2):
        rules["capacity"] = r.integers(0, 7, k).tolist() if r.integers(2) else int(r.integers(1, 8))
    if not isinstance(rules.get("capacity"), list):
        rules["max_colors"] = k
    return rules


def exists(near: list[list[int]], rules: dict[str, Any]) -> bool:
    """Whether some coloring keeps the rules: all of them are looked at, vertex by vertex."""
    n, capacity = len(near), rules.get("capacity", float("inf"))
    k = min(rules.get("max_colors", 99), len(capacity) if isinstance(capacity, list) else 99)
    space = [*capacity[:k]] if isinstance(capacity, list) else [capacity] * k
    weights, fixed = rules.get("weights", [1] * n), rules.get("fixed", [-1] * n)
    colors = [-1] * n

    def go(v: int) -> bool:
        if v == n:
            return True
        for c in range(k) if fixed[v] < 0 else (fixed[v],):
            bad = c >= k or c in rules.get("forbidden", {}).get(v, ()) or any(colors[u] == c for u in near[v])
            if bad or weights[v] > space[c]:
                continue
            colors[v] = c
            space[c] -= weights[v]
            if go(v + 1):
                return True
            space[c] += weights[v]
            colors[v] = -1
        return False

    return go(0)


def by_sat(near: list[list[int]], rules: dict[str, Any], left: int = 0, even: bool = False) -> bool:
    """Whether some coloring keeps the rules and leaves out that many vertices at most, by CaDiCaL of python-sat.

    With `even` the sizes of classes differ by one at most.
    """
    from pysat.card import CardEnc
    from pysat.formula import CNF, IDPool
    from pysat.solvers import Solver

    n, capacity, formula, names = len(near), rules.get("capacity"), CNF(), IDPool()
    k = min(rules.get("max_colors", 99), len(capacity) if isinstance(capacity, list) else 99)
    weights, fixed = rules.get("weights", [1] * n), rules.get("fixed", [-1] * n)
    has = [[names.id((v, c)) for c in range(k)] for v in range(n)]
    out = [names.id(("out", v)) for v in range(n)]
    formula.extend([[*has[v], out[v]] for v in range(n)])
    formula.extend([[-a, -b] for row in has for a, b in itertools.combinations(row, 2)])
    formula.extend([[-has[v][c], -has[u][c]] for v in range(n) for u in near[v] for c in range(k)])
    formula.extend([[-has[v][c]] for v, each in rules.get("forbidden", {}).items() for c in each if c < k])
    formula.extend([has[v][c : c + 1] for v, c in enumerate(fixed) if c >= 0])
    formula.extend(CardEnc.atmost(out, left, vpool=names).clauses)
    for c in range(k):
        if capacity is not None:  # a vertex of weight w fills w units
            units = [(has[v][c], names.id((v, c, i))) for v in range(n) for i in range(weights[v])]
            space = capacity[c] if isinstance(capacity, list) else capacity
            formula.extend([[-color, unit] for color, unit in units])
            formula.extend(CardEnc.atmost([unit for _, unit in units], space, vpool=names).clauses)
        if even:
            formula.extend(CardEnc.atmost([row[c] for row in has], -(-n // k), vpool=names).clauses)
            formula.extend(CardEnc.atleast([row[c] for row in has], n // k, vpool=names).clauses)
    with Solver(name="cadical195", bootstrap_with=formula) as solver:
        return bool(solver.solve())


def sure(x: Any, near: list[list[int]], rules: dict[str, Any], **options: Any) -> lagcolor.Coloring | None:
    """A coloring that keeps the rules where there is one; else an error that is right about why."""
    try:
        result = color(x, rules, **options)
    except lagcolor.ColoringError as e:
        assert not exists(near, rules), (rules, str(e))
        assert e.reason and e.reason in str(e)
        if e.partial is not None:
            check_partial(near, lagcolor.base.device.to_device(e.partial, "cpu").tolist(), rules)
        return None
    assert not faults(near, result.to_numpy().tolist(), rules)
    assert result.verify().ok, rules
    return result


def check_partial(near: list[list[int]], partial: list[int], rules: dict[str, Any]) -> None:
    """All that is wrong with it is that some vertices have no color."""
    found = [fault for fault in faults(near, partial, rules) if "has no color" not in fault]
    assert -1 in partial and not [
        f for f in found if not all(partial[int(v)] < 0 for v in f.split(", ") if v.isdigit())
    ]
    assert not [f for f in found if not f[0].isdigit()]
