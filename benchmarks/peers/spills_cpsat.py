"""The cheapest vertices to leave without one of k colors, by CP-SAT of OR-tools: a process of its own interpreter.

python spills_cpsat.py < JSON, with indptr, indices, cost, k, seconds and workers; prints a line of JSON: the colors,
the bound of the cost, and seconds with making the model. Vertices of a clique have different colors, and a clique of
more than k vertices leaves out its surplus; cliques cover all edges, grown in the smallest-last order.
"""

from __future__ import annotations

import heapq
import itertools
import json
import sys
import time
from typing import Any

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


def solve(given: dict[str, Any]) -> dict[str, Any]:
    """The answer."""
    begun = time.perf_counter()
    indptr, indices, cost, k = given["indptr"], given["indices"], given["cost"], given["k"]
    n, model = len(cost), cp_model.CpModel()
    near = [set(indices[a:b]) for a, b in itertools.pairwise(indptr)]
    has = [[model.new_bool_var("") for _ in range(k)] for _ in range(n)]
    out = [model.new_bool_var("") for _ in range(n)]
    for v in range(n):
        model.add_exactly_one([*has[v], out[v]])
    for clique in cliques(near):
        for c in range(k):
            model.add_at_most_one(has[v][c] for v in clique)
        if len(clique) > k:
            model.add(sum(out[v] for v in clique) >= len(clique) - k)
    model.minimize(sum(w * x for w, x in zip(cost, out, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = given["workers"]
    solver.parameters.max_time_in_seconds = max(given["seconds"] - (time.perf_counter() - begun), 0.01)
    found = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    colors = [next((c for c in range(k) if solver.value(row[c])), -1) for row in has] if found else [-1] * n
    return {"colors": colors, "bound": solver.best_objective_bound, "seconds": time.perf_counter() - begun}


if __name__ == "__main__":
    print(json.dumps(solve(json.load(sys.stdin))))
