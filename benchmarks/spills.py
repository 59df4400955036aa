"""Register spills: what Chaitin's and Briggs' allocators, `partial="lightest"` and CP-SAT leave without a register.

python -m benchmarks.spills [GRAPH …] [--registers 4 8 …] [--seconds S] [--runs N] [--peers PYTHON] [--out FILE]

GRAPH is a file or a spec; default: the interference graphs of gcc on SQLite in the folder of real graphs. These have no
costs: a vertex costs 10^d, where the depth d of its loop is drawn for each vertex by a seed, 0 to 3 with probabilities
50, 30, 15 and 5 %. `best` and CP-SAT have --seconds each. CP-SAT makes its model in this time, and has a worker for
each core. PYTHON is an interpreter with OR-tools. Milliseconds are medians of whole calls.

Chaitin   a vertex with fewer neighbors than registers is removed, or else the vertex with the least cost per neighbor
          is spilled; repeated until no vertex remains, as in Chaitin 1982
Briggs    the same order, but the expensive choice is delayed: a vertex is spilled if no register is left for it when
          its turn comes to be colored, as Briggs, Cooper, Torczon 1994
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.base.device.compiled import njit

from . import report
from .experiment import SHARED, by_cp_sat, complete, facts, listed, load, measurement, milliseconds, parser, recorded

REGISTERS = (4, 8, 12, 14, 16, 24, 32)
DEPTHS = (0.5, 0.3, 0.15, 0.05)
QUALITIES = ("fast", "balanced", "best")
CODES = ("chaitin", "briggs", *QUALITIES, "cp-sat")
Colors = np.ndarray


def costs(n: int, seed: int = 0) -> np.ndarray:
    """10 to the depth of a loop, drawn for each vertex."""
    return (10 ** np.random.default_rng(seed).choice(len(DEPTHS), n, p=DEPTHS)).astype(np.int64)


@njit(nogil=True)
def allocate(indptr: Any, indices: Any, cost: Any, k: Any, optimistic: bool) -> Any:
    """The registers, −1 for a spill; each choice looks at all vertices, as the papers have it."""
    n = cost.size
    degree, stack, spilled = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.bool_)
    low, waiting = np.empty(n, np.int64), 0
    for v in range(n):
        degree[v] = indptr[v + 1] - indptr[v]
        if degree[v] < k:
            low[waiting] = v
            waiting += 1
    gone = degree < k
    for i in range(n):
        if waiting:
            waiting -= 1
            v = low[waiting]
        else:
            v, least = -1, np.inf
            for u in range(n):
                if not gone[u] and cost[u] / degree[u] < least:
                    v, least = u, cost[u] / degree[u]
            gone[v], spilled[v] = True, True
        stack[i] = v
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            degree[u] -= 1
            if not gone[u] and degree[u] < k:
                gone[u] = True
                low[waiting] = u
                waiting += 1
    colors, taken = np.full(n, -1, np.int32), np.full(k, -1, np.int64)
    for i in range(n - 1, -1, -1):
        v = stack[i]
        for e in range(indptr[v], indptr[v + 1]):
            if colors[indices[e]] >= 0:
                taken[colors[indices[e]]] = v
        for c in range(k):
            if taken[c] != v and (optimistic or not spilled[v]):
                colors[v] = c
                break
    return colors


def calls(G: lagcolor.Graph, cost: np.ndarray, k: int, seconds: float) -> dict[str, Callable[[], Any]]:
    """The calls by name, but CP-SAT's."""

    def color(quality: str) -> Any:
        limit = {"time_limit": seconds} if quality == "best" else {}
        fresh = lagcolor.Graph(G.indptr, G.indices)
        return lagcolor.color(
            fresh, max_colors=k, partial="lightest", weights=cost, quality=quality, verify=False, **limit
        )  # fmt: skip

    own = {name: partial(allocate, G.indptr, G.indices, cost, k, name == "briggs") for name in ("chaitin", "briggs")}
    return {**own, **{quality: partial(color, quality) for quality in QUALITIES}}


def of_graph(G: lagcolor.Graph, about: Row, args: Any) -> Iterator[Row]:
    """A line for each code and number of registers; every coloring is verified."""
    cost = costs(G.n)
    for k in args.registers:
        every = calls(G, cost, k, args.seconds)
        for name, call in every.items():
            runs = [milliseconds(call) for _ in range(2 if name == "best" else args.runs + 1)][1:]
            result = runs[-1][0]
            bound = result.notes["partial"]["lower_bound"] if name in QUALITIES else None
            yield line(G, about, cost, (name, k), result, bound, statistics.median(ms for _, ms in runs))
        if args.peers:
            more = {"allowed": np.ones((G.n, k), bool), "cost": cost, "aim": "cost"}
            answer = by_cp_sat(args.peers, G, args.seconds, os.cpu_count() or 1, **more)
            yield line(G, about, cost, ("cp-sat", k), answer["colors"], answer["bound"], answer["seconds"] * 1e3)


def line(
    G: lagcolor.Graph, about: Row, cost: np.ndarray, made: tuple[str, int], result: Any, bound: float | None, ms: float
) -> Row:  # fmt: skip
    """A line of a coloring, once it is verified."""
    name, k = made
    lagcolor.verify(G, np.asarray(result), max_colors=k, allow_uncolored=True)
    out = np.asarray(result) < 0
    figures = {"spills": int(out.sum()), "cost": int(cost[out].sum()), "bound": bound, "ms": ms, "found": not out.all()}
    return measurement(about, name, {"registers": k}, **figures)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table for each graph: what a code costs more than `best`, over all numbers of registers, and its time.

    Of `best` the number of costs that are proved the least, of CP-SAT the number of colorings found.
    """
    by_graph: dict[str, dict[str, dict[int, Row]]] = {}
    for row in of_kind(records, "measurement"):
        of_code = by_graph.setdefault(row["graph"].removesuffix(".npz").removeprefix("regalloc_"), {})
        of_code.setdefault(row["code"], {})[row["options"]["registers"]] = row["figures"]
    cells, cheap, every, proofs = {}, 0, 0, 0
    for graph, each in by_graph.items():
        for code, by_registers in each.items():
            ms = statistics.median(f["ms"] for f in by_registers.values())
            cells[graph, code] = f"{_share(each, code)}, {report.three_digits(ms)} ms"
        every += len(each["fast"])
        cheap += sum(f["cost"] <= each["briggs"][k]["cost"] for k, f in each["fast"].items())
        proofs += sum(map(_proved, each["best"].values()))
    answer = f"`fast` costs no more than Briggs in {cheap} of {every} cases. `best` proves {proofs} costs minimal."
    caption = (
        "Cost above the cost of `best`, summed over the numbers of registers, and median time. `best`: costs that are "
        "proved the least; CP-SAT: colorings found."
    )
    return [answer, "", *report.pivot(cells, "graph", len(CODES)), "", f"{caption} {report.source(records)}"]


def _share(each: dict[str, dict[int, Row]], code: str) -> str:
    mine, best = each[code], each["best"]
    if code in ("best", "cp-sat"):
        return f"{sum(_proved(f) if code == 'best' else f['found'] for f in mine.values())} of {len(mine)}"
    cost, least = (sum(f["cost"] for f in figures.values()) for figures in (mine, best))
    return f"{100 * (cost / least - 1):.2f} %" if least else "0 %"


def _proved(f: Row) -> bool:
    return f["bound"] is not None and f["bound"] >= f["cost"] - 1e-6


def _cell(f: Row) -> str:
    proved = "*" if _proved(f) else ""
    return f"{f['cost']:,}{proved} ({f['spills']:,}), {f['ms']:.3g}" if f["found"] else "none"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.spills", __doc__, runs=5)
    p.set_defaults(device="cpu")
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--registers", type=int, nargs="+", default=REGISTERS, metavar="K")
    p.add_argument("--seconds", type=float, default=2.0, help="of best, and of CP-SAT (default %(default)s)")
    p.add_argument("--peers", metavar="PYTHON", help="an interpreter with OR-tools")
    args = p.parse_args(argv)
    specs = args.graph or [f"{SHARED}{r['file']}" for r in listed() if r["file"].startswith("E/regalloc_")]
    if not complete(specs):
        return 2
    out = recorded(args, seconds=args.seconds)
    for spec in specs:
        G = load(spec, "cpu")
        for row in of_graph(G, facts(G, spec, spec), args):
            f = row["figures"]
            print(f"{row['graph']}, {row['options']['registers']}, {row['code']}: {_cell(f)} ms", flush=True)
            out.add(row)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
