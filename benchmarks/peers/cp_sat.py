"""CP-SAT of OR-tools on a coloring with rules: python cp_sat.py PROBLEM.npz SECONDS THREADS prints a line of JSON.

The file has `edges` (two rows of vertices), `allowed` (bool, n × k), and perhaps `weights` (n whole numbers) with
`rooms` (k). `aim` is "any": a coloring; "colors": the lowest largest color; "cost": the least `cost` of vertices
without a color. Colors are −1 without one; `status` is CP-SAT's.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from ortools.sat.python import cp_model  # type: ignore[import-not-found]


def main() -> None:
    path, seconds, threads = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    begun = time.perf_counter()
    with np.load(path) as f:
        data = dict(f)
    allowed, aim = data["allowed"], str(data.get("aim", "any"))
    n, k = allowed.shape
    model = cp_model.CpModel()
    x = [[model.new_bool_var("") if allowed[v, c] else None for c in range(k)] for v in range(n)]
    for v in range(n):
        mine = [b for b in x[v] if b is not None]
        (model.add_at_most_one if aim == "cost" else model.add_exactly_one)(mine)
    for clique in cliques(n, data["edges"]):
        for c in range(k):
            some = [b for b in (x[v][c] for v in clique) if b is not None]
            if len(some) > 1:
                model.add_at_most_one(some)
    if "rooms" in data:
        for c in range(k):
            have = [(x[v][c], int(data["weights"][v])) for v in range(n) if x[v][c] is not None]
            model.add(sum(b * w for b, w in have) <= int(data["rooms"][c]))
    if aim == "colors":
        top = model.new_int_var(0, k - 1, "")
        for v in range(n):
            model.add(sum(c * b for c, b in enumerate(x[v]) if b is not None) <= top)
        model.minimize(top)
    elif aim == "cost":
        cost = data["cost"]
        model.maximize(sum(int(cost[v]) * b for v in range(n) for b in x[v] if b is not None))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(seconds - (time.perf_counter() - begun), 0.01)
    solver.parameters.num_workers = threads
    status = solver.status_name(solver.solve(model))
    colors = [-1] * n
    if status in ("OPTIMAL", "FEASIBLE"):
        for v in range(n):
            colors[v] = next((c for c in range(k) if x[v][c] is not None and solver.value(x[v][c])), -1)
    print(json.dumps({"status": status, "colors": colors, "seconds": time.perf_counter() - begun}))


def cliques(n: int, edges: np.ndarray) -> list[list[int]]:
    """Cliques that cover all edges, greedily."""
    near: list[set[int]] = [set() for _ in range(n)]
    for u, v in edges.T.tolist():
        near[u].add(v)
        near[v].add(u)
    covered: set[tuple[int, int]] = set()
    out = []
    for u in range(n):
        for v in sorted(near[u]):
            if v < u or (u, v) in covered:
                continue
            clique, left = [u, v], near[u] & near[v]
            while left:
                w = min(left, key=lambda w: (len([a for a in clique if (min(a, w), max(a, w)) in covered]), w))
                clique.append(w)
                left &= near[w]
            covered |= {(min(a, b), max(a, b)) for a in clique for b in clique if a != b}
            out.append(clique)
    return out


main()
