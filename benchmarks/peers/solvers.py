"""Colorings by CP-SAT (ortools) or CaDiCaL (python-sat), for benchmarks.exact; prints a JSON line.

PYTHON solvers.py cp-sat|cadical PROBLEM.npz SECONDS

PROBLEM has `edges` (pairs of vertices), `n`, `k`, `fixed` (colors, −1 where free), `members` and `bounds` of cliques
that cover the edges, and `colorings`: the search ends after so many. Needs NumPy and the solver, not lagcolor.
Seconds are of building the model and solving, without the import. CP-SAT runs one worker, as all codes here.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from typing import Any

import numpy as np


def cp_sat(p: Any, seconds: float) -> list[list[int]] | None:
    """Colorings, up to the number wanted; None where the time ended the search."""
    from ortools.sat.python import cp_model

    model, end = cp_model.CpModel(), time.perf_counter() + seconds
    found: list[list[int]] = []
    color = [model.new_int_var(0, int(p["k"]) - 1, "") if c < 0 else model.new_constant(int(c)) for c in p["fixed"]]
    for a, b in itertools.pairwise(p["bounds"]):
        model.add_all_different([color[v] for v in p["members"][a:b]])
    while len(found) < p["colorings"]:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.max_time_in_seconds = 1, max(end - time.perf_counter(), 0.01)
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            break
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        found.append([solver.value(x) for x in color])
        differs = []
        for x, c in zip(color, found[-1], strict=True):
            differs.append(model.new_bool_var(""))
            model.add(x != c).only_enforce_if(differs[-1])
        model.add_bool_or(differs)
    return found


def cadical(p: Any, seconds: float) -> list[list[int]] | None:
    """The same, with a variable per pair, and without a limit."""
    from pysat.solvers import Solver

    n, k = int(p["n"]), int(p["k"])
    found: list[list[int]] = []
    pair = np.arange(1, n * k + 1).reshape(n, k)
    solver = Solver(name="cadical195")
    for v in range(n):
        solver.add_clause(pair[v].tolist())
        solver.append_formula([[-int(x), -int(y)] for x, y in itertools.combinations(pair[v], 2)])
    for v, u in p["edges"].tolist():
        solver.append_formula(np.stack([-pair[v], -pair[u]], axis=1).tolist())
    for a, b in itertools.pairwise(p["bounds"]):
        if b - a == k:
            solver.append_formula(pair[p["members"][a:b]].T.tolist())
    for v in np.flatnonzero(p["fixed"] >= 0).tolist():
        solver.add_clause([int(pair[v, p["fixed"][v]])])
    while len(found) < p["colorings"]:
        if not solver.solve():
            break
        true = np.array(solver.get_model()[: n * k]).reshape(n, k) > 0
        found.append(true.argmax(axis=1).tolist())
        solver.add_clause((-pair[np.arange(n), found[-1]]).tolist())
    return found


def main() -> None:
    """Solve one problem. CaDiCaL has no limit of its own: the caller ends the process."""
    name, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    problem = dict(np.load(path))
    solve = {"cp-sat": cp_sat, "cadical": cadical}[name]
    __import__({"cp-sat": "ortools.sat.python.cp_model", "cadical": "pysat.solvers"}[name])
    begun = time.perf_counter()
    found = solve(problem, seconds)
    taken = time.perf_counter() - begun
    print(json.dumps({"seconds": taken, "colorings": None if found is None else len(found)}), flush=True)


if __name__ == "__main__":
    main()
