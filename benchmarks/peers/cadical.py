"""CaDiCaL of python-sat on a coloring problem: python cadical.py PROBLEM.npz prints a line of JSON.

The file has `indptr` and `indices` of a graph, `allowed` (bool, n × k), `colorings`, the most that are searched for,
and `members` and `bounds` of cliques: a clique of k vertices has every color. Vertices and colors have a variable for
each pair. Seconds include making the formula. The answer has the last colors (−1 without one), how many colorings, and
seconds. CaDiCaL has no limit: the caller ends the process.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from typing import Any

import numpy as np
from pysat.solvers import Solver


def formula(data: dict[str, Any], pair: np.ndarray) -> Any:
    """The solver with the clauses; `pair` has the variables, n × k."""
    (n, k), solver = pair.shape, Solver(name="cadical195")
    solver.append_formula((-pair[~data["allowed"]]).reshape(-1, 1).tolist())
    for v in range(n):
        solver.add_clause(pair[v].tolist())
        solver.append_formula([[-int(x), -int(y)] for x, y in itertools.combinations(pair[v], 2)])
        for u in data["indices"][data["indptr"][v] : data["indptr"][v + 1]].tolist():
            if v < u:
                solver.append_formula(np.stack([-pair[v], -pair[u]], axis=1).tolist())
    for a, b in itertools.pairwise(data["bounds"]):
        if b - a == k:
            solver.append_formula(pair[data["members"][a:b]].T.tolist())
    return solver


def main() -> None:
    """Solve one problem."""
    begun = time.perf_counter()
    with np.load(sys.argv[1]) as f:
        data = dict(f)
    n, k = data["allowed"].shape
    pair = np.arange(1, n * k + 1).reshape(n, k)
    solver, found, colors = formula(data, pair), 0, np.full(n, -1)
    while found < data["colorings"] and solver.solve():
        colors = (np.array(solver.get_model()[: n * k]).reshape(n, k) > 0).argmax(axis=1)
        found += 1
        solver.add_clause((-pair[np.arange(n), colors]).tolist())
    print(json.dumps({"colors": colors.tolist(), "colorings": found, "seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    main()
