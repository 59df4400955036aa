"""CP-SAT of OR-tools on a coloring with rules: python cp_sat.py PROBLEM.npz SECONDS WORKERS prints a line of JSON.

The file has `indptr` and `indices` of a graph, `allowed` (bool, n × k), and perhaps `weights` (n whole numbers) with
`rooms` (k). `aim` is "any": a coloring; "colors": the lowest largest color; "cost": the least `cost` of vertices
without a color. Vertices of a clique have different colors; cliques cover all edges, grown in the smallest-last order.
Seconds include making the model. The answer has colors (−1 without one), bound, status and seconds.
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


def model_of(data: dict[str, Any]) -> tuple[Any, list[list[Any]]]:
    """The model, and a variable (None where it is excluded) for each vertex and color."""
    model, allowed, aim = cp_model.CpModel(), data["allowed"], str(data["aim"])
    n, k = allowed.shape
    has = [[model.new_bool_var("") if allowed[v, c] else None for c in range(k)] for v in range(n)]
    out = [model.new_bool_var("") for _ in range(n if aim == "cost" else 0)]
    for v in range(n):
        model.add_exactly_one([x for x in has[v] if x is not None] + out[v : v + 1])
    indptr, indices = data["indptr"].tolist(), data["indices"].tolist()
    for clique in cliques([set(indices[a:b]) for a, b in itertools.pairwise(indptr)]):
        for c in range(k):
            model.add_at_most_one(has[v][c] for v in clique if has[v][c] is not None)
        if out and len(clique) > k:
            model.add(sum(out[v] for v in clique) >= len(clique) - k)
    for c, room in enumerate(data["rooms"].tolist() if "rooms" in data else []):
        model.add(sum(int(w) * has[v][c] for v, w in enumerate(data["weights"]) if has[v][c] is not None) <= int(room))
    if aim == "cost":
        model.minimize(sum(int(w) * x for w, x in zip(data["cost"], out, strict=True)))
    elif aim == "colors":
        top = model.new_int_var(0, k - 1, "")
        for row in has:
            model.add(sum(c * x for c, x in enumerate(row) if x is not None) <= top)
        model.minimize(top)
    return model, has


def main() -> None:
    """Solve one problem."""
    begun, seconds = time.perf_counter(), float(sys.argv[2])
    with np.load(sys.argv[1]) as f:
        model, has = model_of(dict(f))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = int(sys.argv[3])
    solver.parameters.max_time_in_seconds = max(seconds - (time.perf_counter() - begun), 0.01)
    status = solver.status_name(solver.solve(model))
    found = status in ("OPTIMAL", "FEASIBLE")
    colors = (
        [next((c for c, x in enumerate(row) if x is not None and solver.value(x)), -1) for row in has] if found else []
    )
    bound, taken = solver.best_objective_bound, time.perf_counter() - begun
    print(json.dumps({"status": status, "colors": colors or [-1] * len(has), "bound": bound, "seconds": taken}))


if __name__ == "__main__":
    main()
