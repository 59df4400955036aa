"""The IPGC paper's Table IV: colors of the hybrid and of csrcolor.

python -m benchmarks.papers.ipgc_colors --out ipgc_colors.jsonl
python -m benchmarks.papers.ipgc_colors kron_g500:16 my.mtx --device cpu

csrcolor is `cohen_castonguay`, written after its report; `benchmarks.peers` has the library's own. Generators make
graphs of the families of eight of the paper's ten; circuit5M and Bump_2911 have none and are missing. Graphs of the web
and of actors have large cliques, which determine their colors: a clique of the size that the paper's colors show is
added to a graph of the family, so that they agree by construction. The colors of `ipgc` vary from run to run: a median.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.harness.results import Row, by_graph

from .. import outcome, report
from ..experiment import facts, load, measure, parser, ready, recorded


class Input(NamedTuple):
    """What stands for a graph of the paper, and the paper's colors of hybrid and csrcolor."""

    spec: str
    hybrid: float
    csrcolor: float

    @property
    def made(self) -> bool:
        """Whether a clique of the paper's number of colors is laid over the graph."""
        return " + clique:" in self.spec


INPUTS = {
    "Audikw_1": Input("stencil27:68,unknowns=3", 56.0, 160.0),
    "Queen_4147": Input("stencil27:111,unknowns=3", 48.2, 128.0),
    "kron_g500-logn21": Input("kron_g500:21", 806.0, 3465.0),
    "indochina-2004": Input("rmat:22 + clique:6848", 6856.8, 7030.0),
    "hollywood-2009": Input("social:1139905,50 + clique:2208", 2208.2, 2317.0),
    "rgg_n_2_24_s0": Input("rgg:24", 24.0, 64.0),
    "soc-LiveJournal1": Input("social:4e6,10", 340.4, 557.0),
    "europe_osm": Input("road:3200", 5.0, 32.0),
}
ABSENT = {"circuit5M": (8.0, 341.0), "Bump_2911": (32.4, 96.0)}  # of hybrid and csrcolor; no graph stands for them
CODES: dict[str, tuple[str, dict[str, Any]]] = {"hybrid": ("ipgc", {}), "csrcolor": ("cohen_castonguay", {})}


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    p = parser("benchmarks.papers.ipgc_colors", __doc__, runs=5)
    p.add_argument("graph", nargs="*", help="names of the table, specs such as rgg:18, or files (default: the table)")
    return p.parse_args(argv)


def kin(source: str) -> Input | None:
    """The table's row of a spec, else one of its family, whatever its size."""
    rows = sorted(INPUTS.values(), key=lambda row: row.spec != source)
    return next((row for row in rows if row.spec.partition(":")[0] == source.partition(":")[0]), None)


def outcomes(records: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table: csrcolor's colors over the hybrid's, and the paper's ratio."""
    lines = [["Table IV: csrcolor's colors over the hybrid's", "paper", "here", "outcome"]]
    for r in by_graph(records):
        if (known := kin(r["spec"])) is None:
            continue
        ours, paper = [r["csrcolor"]["colors"], r["hybrid"]["colors"]], [known.csrcolor, known.hybrid]
        name = r["graph"] if r["graph"] == r["spec"] else f"{r['graph']} (here `{r['spec']}`)"
        verdict = outcome.BY_CONSTRUCTION if known.made else outcome.of_ratio(ours[0] / ours[1], paper[0] / paper[1])
        lines.append([name, _cell(*paper), _cell(*ours), verdict])
    found = {r["graph"] for r in by_graph(records)}
    left = {name: (i.hybrid, i.csrcolor) for name, i in INPUTS.items() if name not in found}
    lines += [
        [name, _cell(csrcolor, hybrid), "", outcome.MISSING] for name, (hybrid, csrcolor) in (ABSENT | left).items()
    ]
    return [*report.markdown(lines), "", report.source(records)]


def _cell(csrcolor: float, hybrid: float) -> str:
    return f"{csrcolor / hybrid:.1f} ({csrcolor:,g} / {hybrid:,g})"


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return 2 without a GPU."""
    args = arguments(argv)
    if not ready(args, "pass --device cpu, for smaller graphs"):
        return 2
    out = recorded(args)
    for name in args.graph or INPUTS:
        spec = INPUTS[name].spec if name in INPUTS else name
        G = load(spec, args.device)
        for line in measure(G, facts(G, name, spec), CODES, args.runs).values():
            out.add(line)
    print("\n".join(outcomes(out.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
