"""Proofs on large sparse graphs: colors and lower bounds of ``quality="best"`` within a time limit.

python -m benchmarks.proofs [GRAPH …] [--limit SECONDS] [--half held-out|tuning] [--seed N] [--out FILE]

The graphs are from the folders C, D and E of the real graphs (LAGCOLOR_DATA, else ../shared/data) and have 10⁴ to 10⁷
stored entries, sorted by name: the second, fourth, … are held out, and constants are chosen on the others.
Rectangular matrices are left out then, which leaves 30 held out. A line has the kind of the certificate of the lower
bound, how many vertices it has, and whether an independent check accepts it. GRAPH is a file or a generator's spec.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import lagcolor
from benchmarks.harness.results import Row, of_kind
from lagcolor.problems import certificates

from . import report
from .experiment import DATA, facts, listed, load, measurement, parser, recorded

FOLDERS, ENTRIES = ("C/", "D/", "E/"), (10**4, 10**7)
HALVES = {"held-out": 1, "tuning": 0}  # place of the first graph by name


def graphs(half: str) -> dict[str, Path]:
    """The file of each graph of a half, by name."""
    rows = [row for row in listed() if row["file"].startswith(FOLDERS)]
    fitting = [row for row in rows if ENTRIES[0] <= 2 * int(row["edges"]) <= ENTRIES[1]]
    fitting.sort(key=lambda row: row["name"])
    return {row["name"]: DATA / row["file"] for row in fitting[HALVES[half] :: 2]}


def of_graph(G: lagcolor.Graph, about: Row, limit: float, seed: int) -> Row:
    """A line: the coloring within the limit, its bound, and the vertices of the certificate."""
    result = lagcolor.color(G, quality="best", time_limit=limit, seed=seed, verify=True)
    certificate = result.certificate
    figures = {
        "colors": result.n_colors,
        "lower_bound": result.lower_bound,
        "seconds": result.seconds,
        certificate.kind or "none": len(certificate.vertices),
        "checked": certificates.check(G, certificate),
    }
    return measurement(about, "best", {"quality": "best", "time_limit": limit, "seed": seed}, **figures)


def kind_of(line: Row) -> str:
    """The kind of the certificate, and its vertices."""
    return next((f"{kind}, {line['figures'][kind]:,}" for kind in certificates.KINDS if kind in line["figures"]), "–")


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: the graphs by the kind of their certificate, and those that are not proved optimal."""
    lines = list(of_kind(records, "measurement"))
    proved: dict[str, list[Row]] = {}
    for line in lines:
        if line["figures"]["colors"] == line["figures"]["lower_bound"]:
            proved.setdefault(kind_of(line).partition(",")[0], []).append(line)
    rows = [["certificate", "graphs", "s, at most"]]
    for kind, of in proved.items():
        rows.append([kind, f"{len(of)}", f"{max(line['figures']['seconds'] for line in of):.2f}"])
    count, checked = sum(map(len, proved.values())), sum(line["figures"]["checked"] is not None for line in lines)
    left = [line for line in lines if line["figures"]["colors"] > line["figures"]["lower_bound"]]
    named = ", ".join(f"{r['graph']} {r['figures']['colors']} / {r['figures']['lower_bound']}" for r in left)
    limit = max(line["figures"]["seconds"] for line in lines)
    answer = f"`best` proves {count} of {len(lines)} real graphs optimal within {limit:.0f} s."
    caption = f"Not proved, colors / bound: {named or 'none'}. {checked} of {len(lines)} certificates were checked."
    return [answer, "", *report.markdown(rows, numbers=(1, 2)), "", f"{caption} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    p = parser("benchmarks.proofs", __doc__)
    p.add_argument("graph", nargs="*", metavar="GRAPH", help="default: all of the half")
    p.add_argument("--limit", type=float, default=5.0, help="seconds for a graph (default %(default)s)")
    p.add_argument("--half", choices=HALVES, default="held-out")
    p.add_argument("--seed", type=int, default=0)
    p.set_defaults(device="cpu")
    args = p.parse_args(argv)
    files = {} if args.graph else graphs(args.half)
    out = recorded(args, half=args.half, limit=args.limit)
    lagcolor.color(lagcolor.generate.erdos_renyi(60, 0.5, seed=1), quality="best", time_limit=3.0)  # loads the code
    for name in args.graph or files:
        try:
            G = lagcolor.io.read(files[name], symmetrize=True) if name in files else load(name, "cpu")
        except lagcolor.GraphError as e:
            print(f"{name} is left out: {e}", file=sys.stderr)
            continue
        line = of_graph(G, {**facts(G, name, name), "graph": name}, args.limit, args.seed)
        out.add(line)
        f = line["figures"]
        print(f"{name}: {f['colors']} colors, at least {f['lower_bound']} ({kind_of(line)}), {f['seconds']:.2f} s")
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
