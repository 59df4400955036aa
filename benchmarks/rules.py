"""The cost of rules: first-fit with each rule compared with `first_fit` without rules, in the same order.

python -m benchmarks.rules [GRAPH …] [--device cpu] [--runs N] [--out FILE]

GRAPH is a name of a suite, a file or a spec; default: the device's suite. Milliseconds are medians of colorings without
reading the rules: events on a GPU, perf_counter on a CPU, the order included. Every coloring is verified once.

fixed       a tenth of the vertices, to the colors that they have without rules
forbidden   four of the first eight colors, to a tenth of the vertices
max_colors  as many as are needed without rules
capacity    a tenth more than the mean class: on one thread of the CPU, of a copy
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

import lagcolor
from benchmarks.harness.results import Row, of_kind

from . import report
from .experiment import graphs, measurement, parser, ready, recorded

RULES = ("none", "fixed", "forbidden", "max_colors", "capacity")


def of_first_fit(G: lagcolor.Graph) -> dict[str, dict[str, Any]]:
    """Name → the rules of it, by the colors of first-fit."""
    first, r = lagcolor.color(G, "first_fit", verify=False), np.random.default_rng(0)
    fixed = np.where(r.random(G.n) < 0.1, first.to_numpy(), -1).astype(np.int32)
    rows = np.repeat(np.flatnonzero(r.random(G.n) < 0.1), 4)
    colors = np.sort(np.argsort(r.random((len(rows) // 4, 8)), axis=1)[:, :4], axis=1).reshape(-1)
    forbidden = sp.csr_array((np.ones(len(rows), bool), (rows, colors)), shape=(G.n, 8))
    return {
        "none": {},
        "fixed": {"fixed": lagcolor.base.device.to_device(fixed, G.device)},
        "forbidden": {"forbidden": forbidden},
        "max_colors": {"max_colors": first.n_colors},
        "capacity": {"capacity": -(-G.n * 11 // (10 * max(first.n_colors, 1)))},
    }


def of_graph(G: lagcolor.Graph, about: Row, runs: int) -> list[Row]:
    """A line for each rule; they run in turn."""
    rules = of_first_fit(G)
    every: dict[str, list[lagcolor.Coloring]] = {name: [] for name in RULES}
    for i in range(runs + 1):
        for name in RULES:
            fresh = lagcolor.Graph(G.indptr, G.indices)
            result = lagcolor.color(fresh, "first_fit", verify=not i, **rules[name])
            if i:  # the first warms up
                every[name].append(result)
    lines = []
    for name, results in every.items():
        ms = [(r.seconds + r.order_seconds) * 1e3 for r in results]
        figures = {"ms": statistics.median(ms), "ms_all": ms, "colors": results[0].n_colors}
        lines.append(measurement(about, "first_fit", {"rule": name}, **figures))
    return lines


def markdown(records: Sequence[Row]) -> list[str]:
    """Lines of a table: colors and milliseconds without rules, and the ratio for each rule."""
    by_name: dict[str, dict[str, Row]] = {}
    for line in of_kind(records, "measurement"):
        by_name.setdefault(line["graph"], {})[line["options"]["rule"]] = line["figures"]
    head = ["graph", "colors", "first_fit, ms", *(f"{name}, ×" for name in RULES[1:])]
    rows = [head]
    for name, lines in by_name.items():
        base = lines["none"]
        ratios = (report.three_digits(lines[rule]["ms"] / base["ms"]) for rule in RULES[1:])
        rows.append([name, str(base["colors"]), f"{base['ms']:.4g}", *ratios])
    spans = []
    for rule in RULES[1:]:
        ratios_of = [of[rule]["ms"] / of["none"]["ms"] for of in by_name.values()]
        spans.append(f"{report.three_digits(min(ratios_of))} to {report.three_digits(max(ratios_of))} × with `{rule}`")
    answer = f"Compared with `first_fit` without rules, a call takes {', '.join(spans)}."
    return [answer, "", *report.markdown(rows, numbers=range(1, len(head))), "", f"Medians. {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 2 without a GPU."""
    p = parser("benchmarks.rules", __doc__, runs=7)
    p.add_argument("graph", nargs="*", metavar="GRAPH")
    args = p.parse_args(argv)
    if not ready(args):
        return 2
    out = recorded(args)
    for G, about in graphs(args):
        for line in of_graph(G, about, args.runs):
            f = line["figures"]
            print(f"{line['graph']}, {line['options']['rule']}: {f['ms']:.3f} ms, {f['colors']} colors", flush=True)
            out.add(line)
    print("\n".join(markdown(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
