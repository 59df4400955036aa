"""CP-SAT of OR-tools on a coloring problem: python cp_sat.py PROBLEM.npz SECONDS WORKERS prints a line of JSON.

The file has `indptr` and `indices` of a graph, `allowed` (bool, n × k), and perhaps `weights` (n whole numbers) with
`rooms` (k). `aim` is "any": as many colorings as the file says (`colorings`, else one); "colors": the lowest largest
color; "cost": the least `cost` of vertices without a color.

Vertices of a clique have different colors; cliques cover all edges, grown in the smallest-last order. Seconds include
making the model. The answer has the last colors (−1 without one), how many colorings, bound, status and seconds.
"""

from __future__ import annotations

import heapq
import itertools
import json
import sys
import time
from typing import Any

import numpy as np
from ortools.sat.python import cp_model


def smallest_last(near: list[set[int]]) -> list[int]:
    """Vertices of least degree first, each removed before the next is chosen."""
    degree, gone, order = [len(row) for row in near], [False] * len(near), []
    heap = [(d, v) for v, d in enumerate(degree)]
    heapq.heapify(heap)
    while heap:
        d, v = heapq.heappop(heap)
        if gone[v] or d != degree[v]:
            continue
        gone[v] = True
        order.append(v)
        for u in near[v]:
            if not gone[u]:
                degree[u] -= 1
                heapq.heappush(heap, (degree[u], u))
    return order


def cliques(near: list[set[int]]) -> list[list[int]]:
    """Cliques that cover all edges."""
    order = smallest_last(near)
    place = {v: i for i, v in enumerate(order)}
    covered, found = set[tuple[int, int]](), []
    for v in order:
        later = sorted((u for u in near[v] if place[u] > place[v]), key=place.__getitem__)
        while todo := [u for u in later if (v, u) not in covered]:
            clique = [v, todo[0]]
            for u in [*todo[1:], *later]:
                if u not in clique and all(u in near[w] for w in clique):
                    clique.append(u)
            covered |= {(a, b) for a in clique for b in clique if place[a] < place[b]}
            found.append(clique)
    return found


def model_of(data: dict[str, Any]) -> tuple[Any, list[Any], list[dict[int, Any]]]:
    """The model, the color of each vertex, and a variable for each of its allowed colors."""
    model, allowed, aim = cp_model.CpModel(), data["allowed"], str(data["aim"])
    n, k = allowed.shape
    has = [{int(c): model.new_bool_var("") for c in np.flatnonzero(row)} for row in allowed]
    out = [model.new_bool_var("") for _ in range(n if aim == "cost" else 0)]
    for v in range(n):
        model.add_exactly_one([*has[v].values(), *out[v : v + 1]])
    indptr, indices = data["indptr"].tolist(), data["indices"].tolist()
    for clique in cliques([set(indices[a:b]) for a, b in itertools.pairwise(indptr)]):
        for c in range(k):
            variables = [has[v][c] for v in clique if c in has[v]]
            (model.add_exactly_one if len(clique) == k and not out else model.add_at_most_one)(variables)
        if out and len(clique) > k:
            model.add(sum(out[v] for v in clique) >= len(clique) - k)
    for c, capacity in enumerate(data["rooms"].tolist() if "rooms" in data else []):
        model.add(sum(int(w) * has[v][c] for v, w in enumerate(data["weights"]) if c in has[v]) <= int(capacity))
    colors = [sum((c + 1) * x for c, x in row.items()) - 1 for row in has]
    if aim == "cost":
        model.minimize(sum(int(w) * x for w, x in zip(data["cost"], out, strict=True)))
    elif aim == "colors":
        lowest(model, colors, k)
    return model, colors, has


def lowest(model: Any, colors: list[Any], k: int) -> None:
    """The aim is the lowest largest color."""
    top = model.new_int_var(0, k - 1, "")
    for color in colors:
        model.add(color <= top)
    model.minimize(top)


def main() -> None:
    """Solve one problem."""
    begun, seconds = time.perf_counter(), float(sys.argv[2])
    with np.load(sys.argv[1]) as f:
        data = dict(f)
    model, colors, has = model_of(data)
    found, wanted, status = [[-1] * len(colors)], int(data.get("colorings", 1)), "FEASIBLE"
    while len(found) <= wanted and status in ("OPTIMAL", "FEASIBLE"):
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = int(sys.argv[3])
        solver.parameters.max_time_in_seconds = max(seconds - (time.perf_counter() - begun), 0.01)
        status = solver.status_name(solver.solve(model))
        if status in ("OPTIMAL", "FEASIBLE"):
            found.append([int(solver.value(color)) for color in colors])
            model.add_bool_or([~has[v][c] for v, c in enumerate(found[-1]) if c >= 0])
    answer = {"status": status, "colors": found[-1], "colorings": len(found) - 1, "bound": solver.best_objective_bound}
    print(json.dumps({**answer, "seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    main()
