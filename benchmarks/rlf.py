"""RLF compared with DSATUR and with the RLF of gcol: colors and milliseconds on real and on generated graphs.

python -m benchmarks.rlf [GRAPH …] [--runs N] [--edges M] [--out FILE]

GRAPH is a file or a spec; default: `GENERATED`, and the graphs of the folder of real graphs. gcol, which is written in
Python, runs once, on graphs of up to M edges (default 20,000); making its graph is not timed, and neither is DSATUR's
order. All colorings are verified.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import lagcolor
from benchmarks.harness.peers import networkx_graph
from benchmarks.harness.results import Row, geometric_mean, of_kind

from . import report
from .experiment import SHARED, complete, facts, listed, load, measure, measurement, milliseconds, parser, recorded

CODES = {"rlf": ("rlf", {}), "dsatur": ("dsatur", {})}
GCOL = "gcol rlf"
GENERATED = (
    "erdos_renyi:250,0.5,seed=1", "erdos_renyi:500,0.5,seed=1", "erdos_renyi:1000,0.1,seed=1",
    "erdos_renyi:1000,0.5,seed=1", "erdos_renyi:1000,0.9,seed=1", "erdos_renyi:4000,0.5,seed=1", "uniform:100000,4",
    "delaunay:18", "rgg:20", "rmat:16", "rmat:20", "kron_g500:16", "stencil27:64", "grid2d:1000", "road:1000",
)  # fmt: skip
SETS = {  # folder of real graphs → what is in it
    "A": "papers", "B": "coloring instances", "C": "matrices", "D": "larger graphs", "E": "timetables, registers",
}  # fmt: skip


def real() -> list[str]:
    """The files of the folder of real graphs, with at least one edge."""
    return [SHARED + row["file"] for row in listed() if int(row["edges"])]


def by_gcol(G: lagcolor.Graph) -> dict[str, Any]:
    """Colors and milliseconds of gcol."""
    import gcol

    g = networkx_graph(G)
    colors, ms = milliseconds(lambda: gcol.node_coloring(g, "rlf"))
    return {"colors": lagcolor.verify(G, colors).n_colors, "ms": ms}


def figures(records: Sequence[Row]) -> dict[tuple[str, str], dict[str, tuple[int, float]]]:
    """(Set, graph) → code → colors and milliseconds."""
    out: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}
    for row in (*of_kind(records, "run"), *of_kind(records, "measurement")):
        folder = SETS.get(row["spec"].removeprefix(SHARED).partition("/")[0], "")
        found = row if row["kind"] == "run" else row["figures"]
        each = out.setdefault((folder, row["graph"]), {})
        each[row.get("variant", row["code"])] = found["colors"], found["ms"]
    return out


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of two tables: the generated graphs, and sums over the sets of real ones."""
    all_ = figures(records)
    one = [["graph", "rlf: ms (colors)", "dsatur: colors", "rlf's time / dsatur's", "gcol rlf: ms (colors)"]]
    for (folder, graph), each in all_.items():
        if not folder:
            rlf, (colors, ms) = each["rlf"], each["dsatur"]
            theirs = cell(*each[GCOL]) if GCOL in each else "–"
            one.append([graph, cell(*rlf), f"{colors:,}", f"{rlf[1] / ms:.3g}", theirs])
    sets = [
        ["real graphs", "number", "RLF has fewer colors", "as many", "more", "time / DSATUR's", "gcol's time / RLF's"]
    ]
    for folder in SETS.values():
        graphs = [each for (of, _), each in all_.items() if of == folder]
        if graphs:
            sets.append([folder, *summary(graphs)])
    tables = [report.markdown(rows, numbers=range(1, len(rows[0]))) for rows in (one, sets) if len(rows) > 1]
    lines = [line for table in tables for line in (*table, "")]
    return [*lines, f"Times are geometric means over the graphs of a set. {report.source(records)}"]


def cell(colors: int, ms: float) -> str:
    """Milliseconds and colors."""
    return f"{ms:,.0f} ({colors:,})" if ms >= 100 else f"{ms:.3g} ({colors:,})"


def summary(graphs: Sequence[dict[str, tuple[int, float]]]) -> list[str]:
    """Cells of a set."""
    less = [each["rlf"][0] - each["dsatur"][0] for each in graphs]
    slower = geometric_mean([each["rlf"][1] / each["dsatur"][1] for each in graphs])
    theirs = [each[GCOL][1] / each["rlf"][1] for each in graphs if GCOL in each]
    counts = (len(graphs), sum(d < 0 for d in less), less.count(0), sum(d > 0 for d in less))
    return [*map(str, counts), f"{slower:.2f}", f"{geometric_mean(theirs):,.0f}" if theirs else "–"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    p = parser("benchmarks.rlf", __doc__, runs=5)
    p.set_defaults(device="cpu")
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--edges", type=int, default=20_000, help="of graphs for gcol, at most (default %(default)s)")
    args = p.parse_args(argv)
    specs = args.graph or [*GENERATED, *real()]
    if not complete(specs):
        return 2
    out = recorded(args)
    for spec in specs:
        try:
            G = load(spec, "cpu")
        except lagcolor.GraphError as e:  # a rectangular matrix
            print(f"{spec} is left out: {e}", file=sys.stderr)
            continue
        about = facts(G, spec, spec)
        rows = list(measure(G, about, CODES, args.runs, limit=1.0).values())
        if G.n_edges <= args.edges:
            rows.append(measurement(about, GCOL, {}, **by_gcol(G)))
        for row in rows:
            out.add(row)
        print(
            spec, *(f"{c}: {k}, {ms:.3g} ms;" for c, (k, ms) in next(iter(figures(rows).values())).items()), flush=True
        )
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
