"""Table I and Figures 7, 8 and 9 of Che et al. 2015: elements per queue, rounds of the hybrid, when to switch.

python -m benchmarks.papers.che_figures --plot che.png
python -m benchmarks.papers.che_figures social:1e6,10 --switch-points 40

By default the graph is that which stands for dip20090126_MAX in benchmarks.papers.che; a path names a file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lagcolor
from benchmarks.harness.results import Row, of_kind

from .. import outcome, report
from ..experiment import complete, facts, load, measurement, parser, ready, recorded, run_line
from .che import DIP, INPUTS

PAPER_CHUNK = 64  # vertices of an element: 312 elements of 19,928 vertices
# Queues → most, fewest and mean elements consumed by one, and their standard deviation.
TABLE_I = {4: (81, 75, 78, 2.45), 8: (41, 37, 39, 1.28), 16: (22, 18, 19.5, 0.92)}
PAPER_GAIN = 15  # percent, of the best switch point over the worst
PAPER_SWITCH = 4  # rounds before the best switch point
PAPER_ROUNDS = 9  # rounds after which random labelling takes over in Figure 9
TRACED = "traced"


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.che_figures", __doc__, runs=11)
    p.add_argument("graph", nargs="?", default=INPUTS[DIP].spec, help="spec or file (%(default)s)")
    p.add_argument("--switch-points", type=int, default=16, metavar="N", help="0 … N rounds of degree labelling")
    p.add_argument("--queues", type=int, nargs="+", default=list(TABLE_I), help="of Table I (default: the paper's)")
    p.add_argument("--chunk", type=int, default=PAPER_CHUNK, help="vertices of an element (default %(default)s)")
    p.add_argument("--plot", type=Path, metavar="FILE", help="draw the figures there, as png or svg")
    return p.parse_args(argv)


def elements(G: lagcolor.Graph, about: Row, queues: Sequence[int], chunk: int) -> list[Row]:
    """A line per number of queues: what each consumed in the first round."""
    rows = []
    for k in queues:
        options: dict[str, Any] = {"queues": k, "chunk": chunk}
        notes = lagcolor.color(G, "che_work_stealing", verify=False, **options).notes
        counts = {"queues": notes["queues"], "chunk": notes["chunk"], **notes["first_round"]}
        rows.append(measurement(about, "che_work_stealing", options, **counts))
    return rows


def switch_points(G: lagcolor.Graph, about: Row, most: int, runs: int) -> list[Row]:
    """A line per number of rounds of degree labelling; interleaved runs."""

    def color(switch: int) -> lagcolor.Coloring:
        fresh = lagcolor.Graph(G.indptr, G.indices)  # a new graph has no cached data of an earlier run
        return lagcolor.color(fresh, "che_hybrid", switch=switch, verify=False)

    ends = lagcolor.color(G, "che_hybrid").notes["degree_rounds"]  # from there on nothing changes
    points = range(min(most, ends) + 1)
    for switch in points:
        lagcolor.verify(G, color(switch).colors)
    done = [[color(switch) for switch in points] for _ in range(runs)]
    return [
        run_line(about, f"switch {switch}", results, {"switch": switch})
        for switch, results in zip(points, zip(*done, strict=True), strict=True)
    ]


def points_of(records: Sequence[Row]) -> list[Row]:
    """Figure 8's points."""
    return [r for r in of_kind(records, "run") if "switch" in r["options"]]


def best_switch(points: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], float]:
    """The fastest point, and the percent that it saves over the slowest."""
    best = min(points, key=lambda r: r["ms"])
    return best, 100 * (1 - best["ms"] / max(r["ms"] for r in points))


def rounds_line(label: str, paper: int, ours: int) -> list[str]:
    """Cells of a number of rounds and the paper's."""
    return [label, f"after {paper} rounds", f"after {ours} rounds", outcome.of_count(ours, paper)]


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the spread of Table I and the gain of Figure 8, and the paper's."""
    lines = [["", "paper", "here", "outcome"]]
    for line in of_kind(records, "measurement"):
        r = line["figures"]
        if r["queues"] not in TABLE_I:
            continue
        most, least, mean, stdev = TABLE_I[r["queues"]]
        theirs, ours = 100 * stdev / mean, 100 * r["stdev"] / r["mean"]
        cells = [f"{c[0]} to {c[1]}, {c[2]:.1f} %" for c in ((least, most, theirs), (r["min"], r["max"], ours))]
        what = f"Table I: elements of {r['queues']} queues, standard deviation over mean"
        lines.append([what, *cells, outcome.of_share(ours, theirs)])
    points = points_of(records)
    best, gain = best_switch(points)
    here = f"{gain:.0f} % ({max(r['ms'] for r in points):.3f} to {best['ms']:.3f} ms)"
    note = "Figure 8: the best switch saves over the worst"
    lines.append([note, f"{PAPER_GAIN} %", here, outcome.of_gain(gain, PAPER_GAIN)])
    lines.append(rounds_line("Figure 8: the best switch", PAPER_SWITCH, best["options"]["switch"]))
    for r in (r for r in of_kind(records, "run") if r["variant"] == TRACED):
        lines.append(rounds_line("Figure 9: random labelling takes over", PAPER_ROUNDS, r["notes"]["degree_rounds"]))
    return [*report.markdown(lines), "", f"On `{Path(records[1]['spec']).stem}`. {report.source(records)}"]


def draw(path: Path, result: lagcolor.Coloring, points: Sequence[dict[str, Any]]) -> None:
    """Figures 7, 8 and 9 in one picture."""
    import matplotlib

    matplotlib.use("agg")
    import numpy as np
    from matplotlib import pyplot as plt

    degrees, colors = result.graph.on("cpu").degrees, result.to_numpy()
    first = [r for r in result.trace if r["color"] is not None]
    shown = [first[i] for i in sorted({0, len(first) // 8, len(first) // 4, len(first) // 2})]
    figure, axes = plt.subplots(2, max(3, len(shown)), figsize=(14, 7), layout="constrained")
    for axis, row in zip(axes[0], shown, strict=False):
        active = np.flatnonzero(colors >= row["color"])
        axis.plot(active, degrees[active], ",")
        axis.set(title=f"round {row['round']} ({row['phase']})", xlabel="vertex", ylabel="degree")
    for axis in axes[0][len(shown) :]:
        axis.axis("off")
    time, number = axes[1][0], axes[1][0].twinx()
    time.plot([p["options"]["switch"] for p in points], [p["ms"] for p in points], "o-")
    time.set(title="Figure 8", xlabel="rounds before the switch", ylabel="ms", ylim=(0, None))
    number.plot([p["options"]["switch"] for p in points], [p["colors"] for p in points], "s--", color="tab:orange")
    number.set(ylabel="colors", ylim=(0, None))
    bars = axes[1][1]
    rounds = [r["round"] for r in result.trace]
    for i, row in enumerate(first):  # a bar a round, in it a layer a color
        below = sum(r["colored"] for r in first[:i])
        later = [r for r in rounds if r >= row["round"]]
        bars.bar(later, row["colored"], bottom=below, width=1, color=plt.get_cmap("tab20")(i % 20))
    bars.set(title="Figure 9", xlabel="round", ylabel="vertices with a color")
    for axis in axes[1][2:]:
        axis.axis("off")
    figure.savefig(path)
    plt.close(figure)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU or the graph."""
    args = arguments(argv)
    if not (ready(args) and complete([args.graph])):
        return 2
    G = load(args.graph, args.device)
    about = facts(G, args.graph, args.graph)
    out = recorded(args)
    for row in elements(G, about, args.queues, args.chunk):
        out.add(row)
    _, result = (lagcolor.color(G, "che_hybrid", trace=True) for _ in range(2))  # the first compiles or loads the code
    out.add({**run_line(about, TRACED, [result], {}), "trace": result.trace})
    for row in switch_points(G, about, args.switch_points, args.runs):
        out.add(row)
    print("\n".join(outcomes(out.rows)))
    if args.plot:
        draw(args.plot, result, points_of(out.rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
