"""Proofs on large sparse graphs: colors and lower bounds of ``quality="best"`` within a time limit.

python -m benchmarks.proofs [GRAPH …] [--limit SECONDS] [--half held-out|tuning] [--seed N] [--out FILE]

The graphs are those of the folders C, D and E of the real graphs (LAGCOLOR_DATA, else ../shared/data) that have 10⁴ to
10⁷ stored entries, sorted by name: the second, fourth, … are held out, and constants are chosen on the others. A line
has the kind of the certificate of the lower bound and whether an independent check accepts it.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import lagcolor
from lagcolor.bench.results import Row, of_kind
from lagcolor.problems import certificates

from . import report
from .experiment import DATA, facts, load, measurement, parser, recorded

FOLDERS, ENTRIES = ("C/", "D/", "E/"), (10**4, 10**7)
HALVES = {"held-out": 1, "tuning": 0}  # place of the first graph by name


def graphs(half: str) -> dict[str, Path]:
    """The file of each graph of a half, by name."""
    with open(DATA / "graphs.csv", newline="") as f:
        rows = [row for row in csv.DictReader(f) if row["file"].startswith(FOLDERS)]
    fitting = [row for row in rows if ENTRIES[0] <= 2 * int(row["edges"]) <= ENTRIES[1]]
    fitting.sort(key=lambda row: row["name"])
    return {row["name"]: DATA / row["file"] for row in fitting[HALVES[half] :: 2]}


def of_graph(G: lagcolor.Graph, about: Row, limit: float, seed: int) -> Row:
    """A line: the coloring within the limit, and its bound."""
    result = lagcolor.color(G, quality="best", time_limit=limit, seed=seed, verify=True)
    checked = certificates.check(G, result.certificate)
    figures = {
        "colors": result.n_colors,
        "lower_bound": result.lower_bound,
        "seconds": result.seconds,
        "certificate": result.certificate.kind,
        "checked": checked,
    }
    return measurement(about, "best", {"quality": "best", "time_limit": limit, "seed": seed}, **figures)


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table, and how many are proved optimal."""
    rows = [["graph", "vertices", "entries", "colors", "lower bound", "certificate", "checked", "s"]]
    proved = 0
    for line in of_kind(records, "measurement"):
        f = line["figures"]
        proved += f["colors"] == f["lower_bound"]
        cells = [f"{f['colors']}", f"{f['lower_bound']}", f["certificate"], f["checked"], f"{f['seconds']:.2f}"]
        rows.append([line["graph"], f"{line['n']:,}", f"{line['m']:,}", *cells])
    counted = f"{proved} of {len(rows) - 1} are proved optimal. {report.source(records)}"
    return [*report.markdown(rows, numbers=(1, 2, 3, 4, 7)), "", counted]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.proofs", __doc__)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    p.add_argument("--limit", type=float, default=5.0)
    p.add_argument("--half", choices=HALVES, default="held-out")
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args(argv)
    files = graphs(args.half)
    out = recorded(args)
    for name in args.graph or files:
        G, about = load(name, files.get(name, name)), facts
        out.add(of_graph(G, about, args.limit, args.seed))
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
