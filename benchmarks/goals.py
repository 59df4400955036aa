"""The goal of `balanced` on a GPU, judged on rows of `benchmarks.compare`: Markdown for docs/development.

It is the fewest colors of a peer, and 2.5 times ECL-GC's time. `make tables` calls this.
"""

from __future__ import annotations

from benchmarks.harness.results import Results, Run

from . import report
from .real_graphs import RIVAL, RIVAL_CODE

TIMES = 2.5
PEERS = ("peer", "reference")


def balanced(results: Results) -> list[str]:
    """Lines of a table: colors / milliseconds of balanced and best, and which part of the goal is missed."""
    lines = [["graph", "balanced", "best=25x", f"goal for balanced: fewest of a peer / {TIMES} × {RIVAL}", "outcome"]]
    for graph in results.graphs:
        runs = results.on(graph)
        mine = {r.code: r for r in runs if r.style == "auto"}
        ecl = min((r.time() for r in runs if r.code == RIVAL_CODE), default=None)
        fewest = min((r.colors or 0 for r in runs if r.style in PEERS), default=None)
        ours = mine.get("auto:balanced")
        if ours is None or ecl is None or fewest is None:
            continue
        missed = [("colors", (ours.colors or 0) > fewest), ("time", ours.time() > TIMES * ecl)]
        missing = " and ".join(what for what, is_so in missed if is_so)
        cells = [_cell(ours), _cell(mine.get("auto:best=25x")), f"{fewest:,} / {report.three_digits(TIMES * ecl)}"]
        lines.append([graph, *cells, f"missed in {missing}" if missing else "reached"])
    return report.markdown(lines)


def _cell(run: Run | None) -> str:
    return f"{run.colors:,} / {report.three_digits(run.time())}" if run else ""
