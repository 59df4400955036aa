"""Edge colorings next to rustworkx's greedy and Misra–Gries and gcol, and how many real graphs take Δ colors.

python -m benchmarks.edges [GRAPH …] [--real] [--runs N] [--peers PYTHON] [--limit SECONDS] [--out FILE]

GRAPH is a file, a spec, or regular:D,N: a random pairing of N times D ends, less loops and duplicates. PYTHON is an
interpreter with rustworkx and gcol; a call of theirs ends after --limit seconds. --real colors each graph in the folder
of real graphs as well. Milliseconds are medians of whole calls with a canonical graph, without the check. The graph
objects of the peers are built before. Every coloring is verified.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import lagcolor
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import collection, facts, load, measurement, milliseconds, parser, recorded

GRAPHS = (
    "grid2d:708", "rmat:16", "rgg:17", "regular:3,666000", "regular:8,250000", "regular:3,2000", "clique:100",
    "clique:101", "complete_bipartite:300,400",
)  # fmt: skip
QUALITIES = ("fast", "balanced")
PEERS = ("rustworkx greedy", "rustworkx misra-gries", "gcol")
PROGRAM = Path(__file__).parent / "peers" / "edge_colorings.py"


def graph_of(spec: str) -> lagcolor.Graph:
    """A graph of the command line."""
    if not spec.startswith("regular:"):
        return load(spec, "cpu")
    degree, n = map(int, spec.removeprefix("regular:").split(","))
    ends = np.random.default_rng(0).permutation(np.repeat(np.arange(n), degree))
    return lagcolor.Graph.of((ends[::2], ends[1::2]), n=n)


def of_graph(G: lagcolor.Graph, about: Row, args: Any) -> Iterator[Row]:
    """A line for each code."""
    for quality in QUALITIES:
        runs = []
        for _ in range(args.runs + 1):
            fresh = lagcolor.Graph(G.indptr, G.indices)
            call = lambda G=fresh, q=quality: lagcolor.color(G, problem="edges", quality=q, verify=False)  # noqa: E731
            runs.append(milliseconds(call))
        ms = statistics.median(each for _, each in runs[1:])
        yield line(G, about, quality, runs[-1][0].colors, ms, runs[-1][0].lower_bound)
    for code in PEERS if args.peers else ():
        if (found := by_peer(args.peers, code, G, args.limit)) is not None:
            yield line(G, about, code, *found)


def by_peer(python: str, code: str, G: lagcolor.Graph, limit: float) -> tuple[np.ndarray, float] | None:
    """Colors and milliseconds of a peer; None if it takes longer, or fails."""
    with tempfile.TemporaryDirectory() as folder:
        edges, out = Path(folder) / "edges.npz", Path(folder) / "colors.npy"
        np.savez(edges, n=G.n, u=G.edges[0], v=G.edges[1])
        command = [python, str(PROGRAM), code, str(edges), str(out)]
        try:
            printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit).stdout
        except subprocess.TimeoutExpired:
            return None
        except subprocess.CalledProcessError as e:
            print(f"{code} fails: {e.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        return np.load(out), float(printed)


def line(
    G: lagcolor.Graph, about: Row, code: str, colors: np.ndarray, ms: float, bound: int | None = None
) -> Row:  # fmt: skip
    """A line of a coloring, once it is verified."""
    k = lagcolor.verify(G, colors, problem="edges").n_colors
    return measurement(about, code, {}, colors=k, largest_degree=G.max_degree, bound=bound, ms=ms)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: colors and milliseconds of each code; then how many real graphs have Δ colors."""
    by_graph: dict[str, dict[str, Row]] = {}
    for row in of_kind(records, "measurement"):
        by_graph.setdefault(row["graph"], {})[row["code"]] = row["figures"]
    codes = [code for code in (*QUALITIES, *PEERS) if any(code in each for each in by_graph.values())]
    rows = [["graph", "Δ", *codes]]
    for graph, each in by_graph.items():
        if set(each) - {"real"}:
            f = next(iter(each.values()))
            name = graph.replace("complete_bipartite:", "K")
            rows.append([name, str(f["largest_degree"]), *(_cell(each[c]) if c in each else "–" for c in codes)])
    out = [*report.markdown(rows, numbers=range(1, len(rows[0]))), ""]
    real, answer = [each["real"] for each in by_graph.values() if "real" in each], []
    if real:
        least = sum(f["colors"] == f["largest_degree"] for f in real)
        proved = sum(f["colors"] == f["bound"] for f in real)
        slowest = max(f["ms"] for f in real)
        answer = [
            f"The default has the fewest colors possible, with a proof, on {proved} of {len(real)} real graphs, and Δ "
            f"colors on {least}. The slowest of these calls takes {slowest:,.0f} ms.", "",
        ]  # fmt: skip
    return [
        *answer,
        *out,
        f"Colors, milliseconds of calls on converted graphs, without the check. {report.source(records)}",
    ]


def _cell(f: Row) -> str:
    return f"{f['colors']:,}, {report.three_digits(f['ms'])}"


def graphs_among(specs: Sequence[str]) -> Iterator[tuple[str, lagcolor.Graph]]:
    """The graphs of files of matrices."""
    for spec in specs:
        try:
            yield spec, load(spec, "cpu")
        except lagcolor.GraphError:  # a rectangular matrix is no graph
            continue


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.edges", __doc__, runs=5)
    p.set_defaults(device="cpu")
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--real", action="store_true", help="each graph in the folder of real graphs, too")
    p.add_argument("--peers", metavar="PYTHON", help="an interpreter with rustworkx and gcol")
    p.add_argument("--limit", type=float, default=60.0, help="seconds of a peer's call (default %(default)s)")
    args = p.parse_args(argv)
    real = list(collection().values()) if args.real else []
    out = recorded(args, limit=args.limit)
    for spec in args.graph or GRAPHS:
        G = graph_of(spec)
        for row in of_graph(G, facts(G, spec, spec), args):
            print(f"{spec}, Δ = {G.max_degree}, {row['code']}: {_cell(row['figures'])} ms", flush=True)
            out.add(row)
    for spec, G in graphs_among(real):
        result, ms = milliseconds(lambda G=G: lagcolor.color(G, problem="edges", verify=False))
        out.add(line(G, facts(G, spec, spec), "real", result.colors, ms, result.lower_bound))
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
