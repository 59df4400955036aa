"""Figures 1 to 3 of Osama et al. 2019: what the paper says of its codes' times and colors, on generated graphs.

python -m benchmarks.papers.osama --out osama.jsonl
python -m benchmarks.papers.osama rgg:16 my.mtx --device cpu --runs 3 --scales 10 11

The paper's bars are not printed as numbers; its text gives ratios, and which of two is better. They are geometric means
over graphs; ours are over the graphs measured here: random geometric ones as in its Figure 3, meshes of the shape of
some of its matrices. Colors of these algorithms are the same on a CPU and a GPU, so that those can be judged on either;
times are only comparable on a GPU. The codes run in turn in one process; a row is the median.

For Figure 3 the two independent-set codes also run on random geometric graphs up to scale 24. Of GraphBLAS MIS and JP
the share of the second product in the time is measured, which the paper has at nearly a half.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import lagcolor
from benchmarks.harness.results import Results, Row, by_graph, of_kind
from lagcolor.algorithms.osama_graphblas.adapter import engine_of, matrix
from lagcolor.algorithms.osama_graphblas.jones_plassmann_gb import jones_plassmann_gb
from lagcolor.algorithms.osama_graphblas.luby_mis import luby_mis
from lagcolor.base.log import Log
from lagcolor.orders import Priorities
from semirings import lor_land

from .. import outcome, ratios, report
from ..experiment import complete, facts, load, measure, measurement, parser, ready, recorded
from ..ratios import Code

DIAGONALS = "diagonals:"  # a spec of this script
# G3_circuit and ecology2 are meshes of such sizes. parabolic_fem is a grid with a diagonal in each cell and atmosmodd a
# seven-point grid, both of exactly these sizes. af_shell3 is a shell of triangles with five unknowns per vertex and 35
# entries per row. rgg_n_2_15_s0 is the paper's own, a file of the folder of real graphs.
GRAPHS = {
    "ecology2-like": "grid2d:1000",
    "G3_circuit-like": "grid2d:1260",
    "parabolic_fem": f"{DIAGONALS}1025,513",
    "af_shell3-like": f"{DIAGONALS}318,318,5",
    "atmosmodd": "grid3d:148,148,58",
    "fem-like": "stencil27:50",
    "delaunay": "delaunay:18",
    "rgg_n_2_15_s0": "data:A/rgg_n_2_15_s0.graph.gz",
    **{f"rgg_n_2_{scale}": f"rgg:{scale}" for scale in (15, 16, 17, 18, 19, 20)},
}
SCALES = range(15, 25)  # Figure 3
CROSSOVER = 23  # "GraphBLAST begins to do better beyond scale 23 and 24"
CODES: dict[str, tuple[str, dict[str, Any]]] = {
    "Gunrock IS": ("gunrock_is", {}),
    "Gunrock Hash": ("gunrock_hash", {}),
    "Gunrock AR": ("gunrock_ar", {}),
    "GraphBLAS IS": ("luby_is", {}),
    "GraphBLAS JP": ("jones_plassmann_gb", {}),
    "GraphBLAS MIS": ("luby_mis", {}),
    "JPL": ("jpl", {}),
    "CC": ("cohen_castonguay", {}),
}
GREEDY = "greedy, CPU"
SETS = ("Gunrock IS", "GraphBLAS IS")  # the best performers of Figure 3
SECOND = {"GraphBLAS MIS": luby_mis, "GraphBLAS JP": jones_plassmann_gb}  # codes with a second product a round
SHARE = 50.0  # percent of their time
THEIRS = {  # rows of the table of other authors' codes
    "Gunrock IS": Code("gunrock-essentials-color-predicated"),
    "CC": Code("csrcolor cusparse"),
}


class Claim(NamedTuple):
    """``a`` over ``b`` in time or colors: the paper's ratio, or None if it says only that it is over 1."""

    what: str
    a: str
    b: str
    paper: float | None


CLAIMS = (
    Claim("colors", "JPL", "GraphBLAS MIS", 1.9),
    Claim("colors", "CC", "GraphBLAS MIS", 5.0),
    Claim("colors", "GraphBLAS JP", "GraphBLAS MIS", 2.5),
    Claim("colors", "GraphBLAS IS", "GraphBLAS MIS", 2.9),
    Claim("colors", GREEDY, "GraphBLAS MIS", 1.014),
    Claim("colors", "Gunrock IS", "Gunrock Hash", None),
    Claim("colors", "GraphBLAS IS", "Gunrock IS", 1.14),
    Claim("colors", "Gunrock IS", "JPL", 1.6),
    Claim("ms", "JPL", "Gunrock IS", 1.3),
    Claim("ms", "Gunrock AR", "Gunrock IS", None),
    Claim("ms", "Gunrock Hash", "Gunrock IS", None),
    Claim("ms", "GraphBLAS JP", "GraphBLAS IS", 1.98),
    Claim("ms", "GraphBLAS MIS", "GraphBLAS IS", 3.0),
    Claim("ms", "GraphBLAS IS", "JPL", 1.66),
    Claim("ms", GREEDY, "GraphBLAS MIS", 2.6),
)


STYLES = {  # Figure 2: the codes of a style, the independent sets first
    "Gunrock": ("Gunrock IS", "Gunrock AR", "Gunrock Hash"),
    "GraphBLAS": ("GraphBLAS IS", "GraphBLAS JP", "GraphBLAS MIS"),
}
SINGLES = (  # graphs that the text singles out in Figure 1: time of JPL over Gunrock IS
    ("parabolic_fem", "parabolic_fem", 2.0, "peak"),
    ("af_shell3", "af_shell3-like", 0.47, "slowdown"),
)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.osama", __doc__, runs=7)
    p.add_argument(
        "graph", nargs="*", help="names of the list here, specs such as rgg:18, or files (default: the list)"
    )
    scales = "of Figure 3 (default: 15 to 24, or none where graphs are named)"
    p.add_argument("--scales", type=int, nargs="*", help=scales)
    return p.parse_args(argv)


def graph(spec: str, device: str) -> lagcolor.Graph:
    """A graph of a spec, also of this script's own."""
    if spec.startswith(DIAGONALS):
        return with_diagonals(*map(int, spec.removeprefix(DIAGONALS).split(","))).on(device)
    return load(spec, device)


def with_diagonals(width: int, height: int, unknowns: int = 1) -> lagcolor.Graph:
    """A grid with one diagonal in each cell, as of linear finite elements, and some unknowns per vertex."""
    v = np.arange(width * height).reshape(height, width)
    edges = [(v, v), (v[:, :-1], v[:, 1:]), (v[:-1], v[1:]), (v[:-1, :-1], v[1:, 1:])]
    i, j = (np.concatenate([e[side].ravel() for e in edges]) for side in (0, 1))
    a, b = np.divmod(np.arange(unknowns**2), unknowns)  # each unknown of one end with each of the other
    i, j = ((unknowns * end[:, None] + k).ravel() for end, k in ((i, a), (j, b)))
    return lagcolor.Graph.of((i[i != j], j[i != j]), n=unknowns * v.size)


def of_graph(G: lagcolor.Graph, about: Row, runs: int) -> list[Row]:
    """The lines of all codes; greedy in natural order on the CPU."""
    greedy = measure(G.on("cpu"), {**about, "device": "cpu"}, {GREEDY: ("greedy", {})}, runs)
    shares = [measurement(about, name, {}, second_vxm=second_product(G, name)) for name in SECOND]
    return [*measure(G, about, CODES, runs).values(), *greedy.values(), *shares]


class Timed:
    """An engine whose second product of a round, in lor_land, is timed."""

    def __init__(self, G: lagcolor.Graph) -> None:
        self.E, self.G, self.seconds = engine_of(G), G, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.E, name)

    def now(self) -> float:
        """The time when all work so far is done."""
        if self.G.on_gpu:
            self.G.xp.cuda.get_current_stream().synchronize()
        return time.perf_counter()

    def vxm(self, u: Any, A: Any, semiring: Any, **write: Any) -> Any:
        """The engine's, timed if it is the second."""
        if semiring is not lor_land:
            return self.E.vxm(u, A, semiring, **write)
        start = self.now()
        t = self.E.vxm(u, A, semiring, **write)
        self.seconds += self.now() - start
        return t


def second_product(G: lagcolor.Graph, name: str) -> float:
    """The share of the second product in the time of a code, in percent; of a second run."""
    A, p = matrix(G), Priorities.of(G, "random", seed=0).p
    for _ in range(2):
        E = Timed(G)
        start = E.now()
        SECOND[name](A, E.from_numpy(p + np.int32(1)), E, Log())
        share = 100 * E.seconds / (E.now() - start)
    return share


def judge(rows: Sequence[Row], on_gpu: bool) -> list[dict[str, Any]]:
    """An outcome per claim; claims of time are judged on a GPU only."""
    out = []
    for claim in CLAIMS:
        ours = statistics.geometric_mean(r[claim.a][claim.what] / r[claim.b][claim.what] for r in rows)
        judged = outcome.of_ratio(ours, claim.paper) if on_gpu or claim.what == "colors" else "not judged on a CPU"
        out.append({**claim._asdict(), "ours": round(ours, 3), "verdict": judged})
    return out


def times(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table of what the paper says of times."""
    return _claims(records, "ms", "time of")


def colors(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table of what the paper says of colors."""
    return _claims(records, "colors", "colors of")


def scaling(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: Figure 3, the two independent-set codes by scale."""
    lines = [["Figure 3", *(f"{name}, ms (colors)" for name in SETS), "faster", "paper", "outcome"]]
    for row in by_graph(records):
        head, _, scale = row["graph"].rpartition("_")
        if head != "rgg_n_2" or not all(name in row for name in SETS):
            continue
        a, b = (row[name] for name in SETS)
        faster, paper = SETS[a["ms"] > b["ms"]], SETS[int(scale) > CROSSOVER]
        judged = "not judged on a CPU" if a["device"] == "cpu" else "agrees" if faster == paper else "differs"
        cells = (f"{r['ms']:.3g} ({r['colors']})" for r in (a, b))
        lines.append([f"rgg_n_2_{scale}", *cells, faster, paper, judged])
    return [*report.markdown(lines), "", f"Medians. {report.source(records)}"]


def second(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the share of the second product in the time."""
    lines = [["share of the second product in the time of", "paper", "here, mean (range)", "outcome"]]
    for name in SECOND:
        shares = [r["figures"]["second_vxm"] for r in of_kind(records, "measurement") if r["code"] == name]
        if shares:
            here = f"{statistics.mean(shares):.0f} % ({min(shares):.0f} to {max(shares):.0f})"
            near = abs(statistics.mean(shares) - SHARE) <= outcome.POINTS
            judged = "not judged on a CPU" if records[0]["device"] == "cpu" else "agrees" if near else "differs"
            lines.append([name, f"nearly {SHARE:.0f} %", here, judged])
    return [*report.markdown(lines), "", report.source(records)]


def singles(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: the peak and the slowdown of Figure 1."""
    rows = {r["graph"]: r for r in by_graph(records)}
    lines = [["Figure 1: time of JPL over Gunrock IS", "paper", "here", "outcome"]]
    for name, graph, paper, what in SINGLES:
        cells = ["", outcome.MISSING]
        if graph in rows:
            jpl, gunrock = (rows[graph][code]["ms"] for code in ("JPL", "Gunrock IS"))
            on_gpu = rows[graph]["JPL"]["device"] != "cpu"
            judged = outcome.of_ratio(jpl / gunrock, paper) if on_gpu else "not judged on a CPU"
            cells = [f"{jpl / gunrock:.2f} ({jpl:.3g} / {gunrock:.3g} ms)", judged]
        lines.append([f"{what}, {name}" + (f" (here `{graph}`)" if graph != name else ""), f"{paper:g}", *cells])
    return [*report.markdown(lines), "", report.source(records)]


def tradeoff(records: Sequence[Row]) -> dict[str, dict[str, list[list[float]]]]:
    """Style → code → time and colors on each graph, divided by the time and colors of the style's independent sets."""
    rows = [r for r in by_graph(records) if GREEDY in r]

    def points(code: str, base: str) -> list[list[float]]:
        return [[r[code][what] / r[base][what] for what in ("ms", "colors")] for r in rows]

    return {style: {code: points(code, codes[0]) for code in codes} for style, codes in STYLES.items()}


def draw(records: Sequence[Row]) -> Any:
    """Figure 2: a panel per style; a dot is a graph, a large one the geometric mean."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.6, 3.1), layout="constrained")
    for ax, (style, codes) in zip(figure.subplots(1, 2), tradeoff(records).items(), strict=True):
        for (code, points), color in zip(codes.items(), ("#4477aa", "#ccaa22", "#cc3311"), strict=True):
            times, colors = zip(*points, strict=True)
            mean = [statistics.geometric_mean(values) for values in (times, colors)]
            ax.plot(times, colors, ".", color=color, alpha=0.5)
            ax.plot(*mean, "o", color=color, markersize=9, label=code)
        ax.set(xlabel=f"time over {STYLES[style][0]}", ylabel=f"colors over {STYLES[style][0]}")
        ax.set_title(style, loc="left", fontsize=10)
        ax.legend(frameon=False, fontsize=8)
    return figure


def rivals(results: Results) -> list[str]:
    """Lines of a Markdown table: claims that compare with a code of other authors."""
    lines = []
    for claim in CLAIMS:
        if claim.paper is None or GREEDY in (claim.a, claim.b):
            continue
        over = ratios.times if claim.what == "ms" else ratios.colors
        ours = {name: Code(CODES[name][0], device="cuda") for name in (claim.a, claim.b)}
        if not ours.keys() & THEIRS.keys():
            continue
        theirs = over(results, THEIRS.get(claim.a, ours[claim.a]), THEIRS.get(claim.b, ours[claim.b]))
        what = "time" if claim.what == "ms" else "colors"
        note = f"{what} of {claim.a} over {claim.b}"
        lines.append(ratios.line(note, claim.paper, theirs, over(results, ours[claim.a], ours[claim.b])))
    return ratios.table(lines)


def _claims(records: Sequence[Row], what: str, title: str) -> list[str]:
    lines = [[title, "over", "paper", "here", "outcome"]]
    rows = [row for row in by_graph(records) if GREEDY in row]
    for c in (c for c in judge(rows, records[0]["device"] != "cpu") if c["what"] == what):
        paper = "over 1" if c["paper"] is None else f"{c['paper']:g}"
        lines.append([c["a"], c["b"], paper, f"{c['ours']:.2f}", c["verdict"]])
    over = f"Geometric means over {', '.join(r['graph'] for r in rows)}."
    return [*report.markdown(lines), "", f"{over} {report.source(records)}"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU or a graph."""
    args = arguments(argv)
    specs = [GRAPHS.get(name, name) for name in args.graph or GRAPHS]
    if not (ready(args, "pass --device cpu to judge the colors on the CPU") and complete(specs)):
        return 2
    out = recorded(args)
    for name in args.graph or GRAPHS:
        spec = GRAPHS.get(name, name)
        G = graph(spec, args.device)
        for line in of_graph(G, facts(G, name, spec), args.runs):
            out.add(line)
    for scale in SCALES if args.scales is None and not args.graph else args.scales or ():
        name, spec = f"rgg_n_2_{scale}", f"rgg:{scale}"
        if not any(row.get("graph") == name for row in out.rows):
            G = load(spec, args.device)
            for line in measure(G, facts(G, name, spec), {s: CODES[s] for s in SETS}, args.runs).values():
                out.add(line)
    print("\n".join([*times(out.rows), "", *colors(out.rows), "", *singles(out.rows)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
