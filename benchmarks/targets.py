"""The targets of the project, each judged on rows of `benchmarks.compare`: a ratio of medians and a limit.

python -m benchmarks.compare --suite cpu --orders natural largest_first random --threads 1 2 \\
    --algorithms greedy dsatur jones_plassmann gebremedhin_manne --out results
python -m benchmarks.targets results
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.results import Results, Run, read

from . import report

Match = Callable[[Run], bool]


def is_(code: str | None = None, order: str | None = None, threads: int | None = None) -> Match:
    """Runs with these fields; None matches all."""
    want = {"code": code, "order": order, "threads": threads}
    return lambda run: all(getattr(run, k) == v for k, v in want.items() if v is not None)


def any_of(*matches: Match) -> Match:
    """Runs that one of the matches takes."""
    return lambda run: any(match(run) for match in matches)


@dataclass(frozen=True)
class Target:
    """Our fastest run of `ours` takes at most `limit` × the time of the fastest of `rivals`."""

    name: str
    # `ours` and `rivals` select runs
    ours: Match
    rivals: Match
    limit: float | None  # None: shown, not judged
    over: int = 0  # only for graphs with more stored entries than this
    coloring_alone: bool = False  # leave the ordering out, which both sides do alike
    no_more_colors: bool = False  # ours must also not use more colors

    def judge(self, m: int, runs: Iterable[Run]) -> dict[str, Any] | None:
        """The outcome on a graph of m stored entries, None if the target is not about it."""
        if m <= self.over:
            return None
        runs = [r for r in runs if r.usable]

        def time(run: Run) -> float:
            return run.time(ordering=not self.coloring_alone)

        ours = min(filter(self.ours, runs), key=time, default=None)
        rival = min(filter(self.rivals, runs), key=time, default=None)
        row: dict[str, Any] = {"target": self.name, "limit": self.limit}
        if ours is None or rival is None:
            return {**row, "verdict": "absent", "absent": "lagcolor" if ours is None else "peer"}
        ratio = time(ours) / time(rival)
        row |= {"ours": f"{ours.code}, {ours.order}", "ours_ms": time(ours), "ours_colors": ours.colors}
        row |= {"rival": f"{rival.code}, {rival.order}", "rival_ms": time(rival), "rival_colors": rival.colors}
        row |= {"ratio": round(ratio, 4), "ratio_of_minima": _least_ratio(ours, rival)}
        if self.limit is None:
            return {**row, "verdict": "shown"}
        good = ratio <= self.limit and not (self.no_more_colors and (ours.colors or 0) > (rival.colors or 0))
        return {**row, "verdict": "PASS" if good else "MISS"}


def _least_ratio(ours: Run, rival: Run) -> float | None:
    """Of minima, which a busy machine disturbs least."""
    return round(ours.ms_min / rival.ms_min, 4) if ours.ms_min and rival.ms_min else None


def _greedy(order: str) -> Match:
    return is_("greedy", order)


def _parallel(order: str) -> Match:
    return any_of(*(is_(code, order, 2) for code in ("jones_plassmann", "gebremedhin_manne")))


def _rivals(order: str, *peers: str) -> Match:
    return any_of(*(is_(f"{peer} greedy", order) for peer in peers))


BIG = 5_000_000
FASTER = round(1 / 1.4, 4)  # 1.4 × as fast
TARGETS = [
    # "boost" is Boost with the integer types it takes by itself, "boost32" the same with 32-bit ones.
    Target("natural / boost", _greedy("natural"), _rivals("natural", "boost"), 0.7),
    Target("natural / boost32", _greedy("natural"), _rivals("natural", "boost32"), 0.7),
    Target("natural / ref bits", _greedy("natural"), is_("ref bits"), None),
    *(
        Target(f"{order} / {boost}", _greedy(order), _rivals(order, boost, "colpack"), 0.7)
        for order in ("largest_first", "smallest_last")
        for boost in ("boost", "boost32")
    ),
    Target("dsatur / igraph", is_("dsatur"), is_("igraph dsatur"), 0.3, no_more_colors=True),
    Target("2 threads / 1, natural", _parallel("natural"), _greedy("natural"), FASTER, BIG),
    *(
        Target(f"2 threads / 1, {order} made before", _parallel(order), _greedy(order), FASTER, BIG, True)
        for order in ("largest_first", "random")
    ),
]


def markdown(results: Results) -> list[str]:
    """Lines of Markdown tables for docs/: ours over the rival's time, both in milliseconds, what misses in bold."""
    judged = [(t, {g: t.judge(f.m or 0, results.on(g)) for g, f in results.graphs.items()}) for t in TARGETS]
    shown = [(t, rows) for t, rows in judged if any(row and "ratio" in row for row in rows.values())]
    heads = [t.name.replace("_", " ") + (f", ≤ {t.limit:.2f}" if t.limit is not None else "") for t, _ in shown]
    cells: dict[tuple[str, str], str] = {}
    for head, (_, rows) in zip(heads, shown, strict=True):
        cells |= {(graph, head): _cell(rows[graph]) for graph in results.graphs}
        verdicts = [row["verdict"] for row in rows.values() if row]
        counted = sum(verdict in ("PASS", "MISS") for verdict in verdicts)
        cells["reached on", head] = f"{verdicts.count('PASS')} of {counted}" if counted else ""
    return report.pivot(cells, "graph", width=4) if cells else ["No target has a pair of times in these results."]


def _cell(row: dict[str, Any] | None) -> str:
    if row is None or "ratio" not in row:
        return ""
    text = f"{row['ratio']:.2f}"
    text = f"**{text}**" if row["verdict"] == "MISS" else text
    return f"{text} ({report.three_digits(row['ours_ms'])} / {report.three_digits(row['rival_ms'])})"


def main(argv: Sequence[str] | None = None) -> int:
    """Judge; return 1 if a target is missed."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.targets", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("results", nargs="+", type=Path, help="result files of benchmarks.compare, or folders of them")
    results = read(p.parse_args(argv).results)
    print("\n".join(markdown(results)))
    judged = (target.judge(f.m or 0, results.on(name)) for target in TARGETS for name, f in results.graphs.items())
    return 1 if any(row and row["verdict"] == "MISS" for row in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
