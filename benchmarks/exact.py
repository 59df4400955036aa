"""Seconds of exact searches: squares with holes, and k-colorings of small DIMACS graphs, compared with solvers.

python -m benchmarks.exact [PROBLEM …] [--codes CODE …] [--limit SECONDS] [--peers PYTHON] [--runs N] [--out FILE]

PROBLEM is sudoku:ORDER,GIVEN,SEED or latin:ORDER,HOLES,SEED with shares in percent, or NAME/k of a DIMACS graph in the
folder of real graphs (LAGCOLOR_DATA); default: problems of the targets. Squares are searched for two colorings, which
tells whether one is unique. Codes: learning (engines/exact/learning), and with --peers, the interpreter of an
environment with ortools and python-sat, cp-sat and cadical (peers/). Each runs on one thread. For the DIMACS graphs a
clique has its colors before, for all codes; `learning` also names the colors of others first used in order.

Squares are a pattern with permuted rows, columns and symbols. Three times, a part remains and `learning` completes it
with a seed; then holes are drawn at random.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base.compile_clock import clock
from lagcolor.engines.exact.learning import Learning
from lagcolor.engines.exact.learning.analysis import grown, store
from lagcolor.engines.exact.learning.propagation import DECISION, assign, backtrack
from lagcolor.engines.improve.lists import FOUND, NONE_EXISTS, UNKNOWN, Instance
from lagcolor.graph.pattern import unsigned

from . import report
from .experiment import DATA, by_cp_sat, by_solver, measurement, parser, recorded

SQUARES = tuple(f"sudoku:25,{filled},{seed}" for filled in (30, 35, 40, 45) for seed in (1, 2, 3)) + tuple(
    [f"sudoku:16,40,{seed}" for seed in (1, 2, 3)]
    + [f"latin:30,{holes},{seed}" for holes in (42, 44, 46, 48, 50) for seed in (1, 2, 3)]
)
# Graphs of known chromatic number: one color less is impossible.
CHROMATIC = {
    "myciel3": 4, "myciel4": 5, "myciel5": 6, "myciel6": 7, "queen5_5": 5, "queen6_6": 7, "queen7_7": 7, "queen8_8": 9,
    "queen8_12": 12, "queen9_9": 10, "1-FullIns_3": 4, "1-FullIns_4": 5, "1-FullIns_5": 6, "2-FullIns_3": 5,
    "2-FullIns_4": 6, "1-Insertions_4": 5, "2-Insertions_3": 4, "2-Insertions_4": 5, "mug88_1": 4, "mug88_25": 4,
    "DSJC125.1": 5, "DSJC125.5": 17, "DSJC250.1": 8, "R75_5g": 13, "R75_9g": 33, "le450_5a": 5, "le450_5b": 5,
    "le450_5c": 5, "le450_5d": 5, "le450_15a": 15, "le450_15b": 15, "r125.1c": 46, "r125.5": 36, "r250.5": 65,
    "flat300_20_0": 20, "school1": 14, "miles500": 20, "p10": 4, "david": 11,
}  # fmt: skip
SOLVERS = ("cp-sat", "cadical")
LOADING = 2  # seconds that a solver's process may take in addition to the limit


class Problem(NamedTuple):
    """Color a graph with k colors, some of them fixed; cliques cover its edges."""

    G: lagcolor.Graph
    k: int
    fixed: np.ndarray
    colorings: int
    alike: bool
    members: np.ndarray
    bounds: np.ndarray


def problem(name: str) -> Problem:
    """The problem of that name."""
    if match := re.fullmatch(r"(sudoku|latin):(\d+),(\d+),(\d+)", name):
        order, percent, seed = (int(x) for x in match.groups()[1:])
        block = round(order**0.5) if match[1] == "sudoku" else 1
        filled = percent if match[1] == "sudoku" else 100 - percent
        return with_holes(order, block, round(order * order * filled / 100), seed)
    graph, _, k = name.partition("/")
    return dimacs(graph, int(k))


def groups(order: int, block: int) -> np.ndarray:
    """Rows, columns and, if they have more than one cell, blocks of a square: the cells of each."""
    at = np.arange(order * order)
    keys = [at // order, at % order, at // order // block * block + at % order // block][: 2 + (block > 1)]
    return np.concatenate([np.argsort(key, kind="stable").reshape(order, order) for key in keys])


def with_holes(order: int, block: int, filled: int, seed: int) -> Problem:
    """A random square with a number of filled cells."""
    cells, rng = groups(order, block), np.random.default_rng(seed)
    i, j = (cells[:, which].reshape(-1) for which in np.indices((order, order)).reshape(2, -1))
    G = lagcolor.Graph.of((i[i != j], j[i != j]), n=order * order)
    bounds = np.arange(0, cells.size + 1, order)
    p = Problem(G, order, np.full(G.n, -1, np.int32), 2, False, cells.reshape(-1), bounds)
    row, column = np.divmod(np.arange(order * order), order)
    symbol = (row // block + row % block * block + column) % order if block > 1 else (row + column) % order
    square = rng.permutation(order)[symbol].astype(np.int32)
    for turn in range(3):
        part = np.where(rng.random(G.n) < 0.35, square, np.int32(-1))
        search = learning(p._replace(fixed=part), seed + turn)
        if search.run(conflicts=50_000) == FOUND:
            square = search.colors.copy()
    holes = rng.permutation(G.n)[filled:]
    square[holes] = -1
    return p._replace(fixed=square)


def dimacs(name: str, k: int) -> Problem:
    """The problem of coloring a graph with k colors, after a clique has been colored."""
    from lagcolor.engines.exact.learning.cliques import large_clique

    G = lagcolor.io.read(DATA / f"B/{name}.col.gz", symmetrize=True)
    fixed, clique = np.full(G.n, -1, np.int32), large_clique(*unsigned(G))[:k]
    fixed[clique] = np.arange(len(clique))
    i, j = G.rows_of_entries(), G.indices
    edges = np.stack([i, j], axis=1)[i < j]
    return Problem(G, k, fixed, 1, True, edges.reshape(-1), np.arange(0, edges.size + 1, 2))


def learning(p: Problem, seed: int = 0) -> Learning:
    """The search of engines/exact/learning; it chooses and colors a clique itself."""
    n, fixed = p.G.n, np.full(p.G.n, -1, np.int32) if p.alike else p.fixed
    nothing = np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    instance = Instance(*unsigned(p.G), fixed >= 0, *nothing, np.ones(n), np.full(p.k, np.inf))
    return Learning(instance, fixed, p.alike, seed)


def by_learning(p: Problem, limit: float) -> Row:
    """Seconds, colorings (None: unknown) and conflicts."""
    begun, found = clock(), 0
    cpu = time.process_time()
    search = learning(p)
    while found < p.colorings and search.run(begun + limit) == FOUND:
        check(p, search.colors)
        found += 1
        if found < p.colorings:
            exclude(search)
    taken = clock() - begun
    known = None if search.result == UNKNOWN else found
    return {"seconds": taken, "cpu": time.process_time() - cpu, "colorings": known, "conflicts": search.conflicts}


def exclude(search: Learning) -> None:
    """Forbid the coloring that was found, so that `run` finds another one."""
    t, free = search._tables, np.flatnonzero(~search._fixed)
    pairs = free * t.k + search.colors[free]
    backtrack(t, np.int64(0))
    search._clauses, search.result = grown(t, search._clauses), UNKNOWN
    pairs = pairs[t.value[pairs] == 0]
    if len(pairs) == 0:
        search.result = NONE_EXISTS
    elif len(pairs) == 1:
        assign(t, pairs[0], -1, DECISION)
    else:
        t.learned[: len(pairs)] = 2 * pairs + 1
        store(t, search._clauses, len(pairs), 0)


def check(p: Problem, colors: np.ndarray) -> None:
    """Raise an AssertionError if a coloring does not solve the problem."""
    rows = np.repeat(np.arange(p.G.n), np.diff(p.G.indptr))
    assert not (colors[rows] == colors[p.G.indices]).any() and colors.min() >= 0 and colors.max() < p.k
    assert p.alike or (colors == p.fixed)[p.fixed >= 0].all()


def by_peer(code: str, p: Problem, limit: float, python: str) -> Row:
    """Seconds, colorings and conflicts of a solver in its own process."""
    allowed = (p.fixed[:, None] < 0) | (p.fixed[:, None] == np.arange(p.k))
    more = {"allowed": allowed, "colorings": p.colorings}
    if code == "cp-sat":
        answer = by_cp_sat(python, p.G, limit, 1, aim="any", **more)
        known = None if answer["status"] == "UNKNOWN" else answer["colorings"]
    else:
        try:
            answer = by_solver(python, code, p.G, timeout=limit + LOADING, members=p.members, bounds=p.bounds, **more)
        except subprocess.TimeoutExpired:
            return {"seconds": limit, "colorings": None}
        known = answer["colorings"]
    if known:
        check(p, answer["colors"])
    return {"seconds": answer["seconds"], "colorings": known}


def of_problem(name: str, codes: Sequence[str], limit: float, python: str, runs: int) -> Iterator[Row]:
    """A line per code."""
    p = problem(name)
    about = {"graph": name, "spec": name, "n": p.G.n, "m": p.G.m, "max_degree": p.G.max_degree, "device": "cpu"}
    for code in codes:
        every = []
        for _ in range(runs):
            every.append(by_peer(code, p, limit, python) if code in SOLVERS else by_learning(p, limit))
            if every[0]["colorings"] is None or every[0]["seconds"] > 2:
                break
        figures = every[0] | {"seconds": statistics.median(each["seconds"] for each in every)}
        print(f"{name:20} {code:12}", " ".join(f"{key} {value}" for key, value in figures.items()), flush=True)
        yield measurement(about, code, {"limit": limit}, **figures)


KINDS = {"sudoku": "Sudokus with holes", "latin": "Latin squares with holes"}
FEWER, ENOUGH = "DIMACS graphs, one color less than necessary", "DIMACS graphs, enough colors"


def kind_of(problem: str) -> str:
    """The row of a table that a problem is in."""
    name, _, which = problem.rpartition("/")
    return KINDS[problem.partition(":")[0]] if not name else FEWER if int(which) < CHROMATIC.get(name, 0) else ENOUGH


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: how many problems of a kind each code decides, and the seconds on those that all decide."""
    by_kind: dict[str, dict[str, dict[str, Row]]] = {}
    for line in of_kind(records, "measurement"):
        by_kind.setdefault(kind_of(line["graph"]), {}).setdefault(line["graph"], {})[line["code"]] = line["figures"]
    codes = list(dict.fromkeys(line["code"] for line in of_kind(records, "measurement")))
    rows, decided = [["problems", "number", *codes]], dict.fromkeys(codes, 0)
    for kind, each in by_kind.items():
        common = [of for of in each.values() if all(of[code]["colorings"] is not None for code in codes)]
        cells = []
        for code in codes:
            count = sum(of[code]["colorings"] is not None for of in each.values())
            decided[code] += count
            mean = statistics.geometric_mean(of[code]["seconds"] for of in common) if common else float("nan")
            cells.append(f"{count}, {report.three_digits(1e3 * mean)} ms")
        rows.append([kind, f"{len(each)}", *cells])
    limit = f"{records[1]['options']['limit']:g} s"
    every = sum(map(len, by_kind.values()))
    answer = f"Decided within {limit}: {', '.join(f'{count} of {every} by {code}' for code, count in decided.items())}."
    note = "Problems decided, and the geometric mean of the times on those that all codes decide; one thread each."
    return [answer, "", *report.markdown(rows, numbers=range(1, len(rows[0]))), "", f"{note} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.exact", __doc__, runs=3)
    p.add_argument("problem", nargs="*", metavar="PROBLEM")
    p.add_argument("--codes", nargs="+", metavar="CODE")
    p.add_argument("--limit", type=float, default=10.0, metavar="SECONDS")
    p.add_argument("--peers", metavar="PYTHON", help="interpreter of an environment with ortools and python-sat")
    args = p.parse_args(argv)
    args.device = "cpu"
    names = args.problem or [*SQUARES, *(f"{name}/{k - less}" for name, k in CHROMATIC.items() for less in (1, 0))]
    codes = args.codes or ["learning", *(SOLVERS if args.peers else ())]
    by_learning(problem("latin:4,50,1"), 10)  # compiles
    out = recorded(args)
    for name in names:
        for line in of_problem(name, codes, args.limit, args.peers, args.runs):
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
