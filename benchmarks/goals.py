"""The goals of the three qualities on a GPU, judged on rows of `benchmarks.compare`: Markdown for docs/development.

`balanced` compared with the fewest colors of a peer and 2.5 times ECL-GC's time; memory with 1.6 times the graph and 24
bytes per vertex. `make tables` calls them.
"""

from __future__ import annotations

from benchmarks.harness.results import Results, Run

from . import report
from .real_graphs import RIVAL

TIMES = 2.5
OF_GRAPH, A_VERTEX = 1.6, 24  # the peak: a multiple of 4 bytes per vertex and stored entry, and bytes per vertex
PEERS = ("peer", "reference")
QUALITIES = ("auto:fast", "auto:balanced", "auto:best=25x")


def balanced(results: Results) -> list[str]:
    """Lines of a table: colors / milliseconds of balanced and best, and which part of the goal is missed."""
    lines = [["graph", "balanced", "best=25x", f"goal for balanced: fewest of a peer / {TIMES} × {RIVAL}", "outcome"]]
    for graph in results.graphs:
        runs = results.on(graph)
        mine = {r.code: r for r in runs if r.style == "auto"}
        ecl = min((r.time() for r in runs if r.code == RIVAL), default=None)
        fewest = min((r.colors or 0 for r in runs if r.style in PEERS), default=None)
        ours = mine.get("auto:balanced")
        if ours is None or ecl is None or fewest is None:
            continue
        missed = [("colors", (ours.colors or 0) > fewest), ("time", ours.time() > TIMES * ecl)]
        missing = " and ".join(what for what, is_so in missed if is_so)
        cells = [_cell(ours), _cell(mine.get("auto:best=25x")), f"{fewest:,} / {report.three_digits(TIMES * ecl)}"]
        lines.append([graph, *cells, f"missed in {missing}" if missing else "reached"])
    return report.markdown(lines)


def memory(results: Results) -> list[str]:
    """Lines of a table: bytes per vertex at the peak, without the graph, of each quality and of the goal."""
    names = [name.removeprefix("auto:") for name in QUALITIES]
    lines = [["graph", *(f"{name}, bytes per vertex" for name in names), "goal", "missed by"]]
    for graph, facts in results.graphs.items():
        peaks = {r.code: r.memory_bytes / facts.n for r in results.on(graph) if r.memory_bytes and facts.n}
        if not facts.n or facts.m is None or not any(name in peaks for name in QUALITIES):
            continue
        goal = A_VERTEX + (OF_GRAPH - 1) * 4 * (facts.n + facts.m) / facts.n
        over = [name for name, code in zip(names, QUALITIES, strict=True) if peaks.get(code, 0) > goal]
        cells = [f"{peaks[code]:.1f}" if code in peaks else "" for code in QUALITIES]
        lines.append([graph, *cells, f"{goal:.1f}", ", ".join(over) or "–"])
    return report.markdown(lines)


def _cell(run: Run | None) -> str:
    return f"{run.colors:,} / {report.three_digits(run.time())}" if run else ""
