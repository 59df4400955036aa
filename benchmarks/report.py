"""Records as JSON lines, and as tables for people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

Record = dict[str, Any]
VERDICT_STYLE = {"PASS": "green", "MISS": "red"}


class Sink:
    """Writes each record as it comes, so that an interrupted run keeps what it has."""

    def __init__(self, *files: TextIO) -> None:
        self.records: list[Record] = []
        self._files = files

    def add(self, kind: str, **fields: Any) -> None:
        """One line: ``{"kind": kind, ...}``."""
        record = {"kind": kind, **fields}
        self.records.append(record)
        for file in self._files:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()

    def of(self, kind: str) -> list[Record]:
        """The records of a kind."""
        return [r for r in self.records if r["kind"] == kind]


def read(path: Path) -> list[Record]:
    """The records of a result file."""
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def graph_table(graph: Record, results: Iterable[Record]) -> Table:
    """All codes on one graph, the quickest first."""
    title = f"{graph['graph']}: {graph['n']:,} vertices, {graph['m']:,} stored entries, Δ {graph['max_degree']:,}"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("code")
    for name in ("threads", "colors", "ms", "min … max", "ordering", "runs"):
        table.add_column(name, justify="right", no_wrap=True)
    for r in sorted(results, key=lambda r: r.get("ms", float("inf"))):
        code = f"{r['peer']} {r['method']} {r['order']}"
        if "error" in r:
            table.add_row(code, str(r["threads"]), escape(r["error"]), style="red")
            continue
        spread = f"{r['ms_min']:.2f} … {r['ms_max']:.2f}"
        cells = [str(r["threads"]), f"{r['colors']:,}", f"{r['ms']:.2f}", spread, f"{r['order_ms']:.2f}"]
        table.add_row(code, *cells, str(r["runs"]), style="bold" if r["peer"] == "lagcolor" else None)
    return table


def target_table(targets: Iterable[Record]) -> Table:
    """Each target: a row a graph."""
    table = Table(title="Targets", title_justify="left", title_style="bold")
    for name in ("target", "graph", "rival"):
        table.add_column(name, no_wrap=True)
    for name in ("ours ms", "rival ms", "ratio", "of minima", "limit", "verdict"):
        table.add_column(name, justify="right", no_wrap=True)
    before = None
    for t in sorted(targets, key=lambda t: t["target"]):
        if before not in (None, t["target"]):
            table.add_section()
        shown = "" if t["target"] == before else t["target"]
        before = t["target"]
        limit = "" if t["limit"] is None else f"{t['limit']:.2f}"
        if "ratio" not in t:
            table.add_row(shown, t["graph"], "", "", "", "", "", limit, f"no {t['absent']}")
            continue
        times = [f"{t['ours_ms']:.2f}", f"{t['rival_ms']:.2f}", f"{t['ratio']:.2f}", f"{t['ratio_of_minima']:.2f}"]
        style = VERDICT_STYLE.get(t["verdict"])
        table.add_row(shown, t["graph"], t["rival"], *times, limit, t["verdict"], style=style)
    return table


def gpu_table(graph: Record, results: Iterable[Record]) -> Table | str:
    """All algorithms on one graph, the quickest first, under the best peer."""
    if "error" in graph:
        return f"[red]{escape(graph['graph'])}: {escape(graph['error'])}[/]"
    title = f"{graph['graph']}: {graph['n']:,} vertices, {graph['m']:,} stored entries, Δ {graph['max_degree']:,}, "
    title += f"floor {graph['floor_ms']:.3f} ms, generated on {graph['generated_on']}"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("algorithm, order", no_wrap=True)
    for name in ("colors", "rounds", "ms", "min … max", "× floor", "of best peer", "ordering", "peak MB", "valid"):
        table.add_column(name, justify="right")
    if peer := graph["best_peer"]:
        floors = f"{peer['ms'] / graph['floor_ms']:.1f}"
        table.add_row(peer["code"], f"{peer['colors']:,}", "", f"{peer['ms']:.3f}", "", floors, style="cyan")
    for r in sorted(results, key=lambda r: r.get("ms", float("inf"))):
        name = f"{r['algorithm']}, {r['order']}"
        if "error" in r:
            table.add_row(name, "", "", "", escape(r["error"]), style="red")
            continue
        peak = "" if r["peak_bytes"] is None else f"{r['peak_bytes'] / 1e6:.0f}"
        of_peer = f"{r['of_best_peer']:.2f}" if "of_best_peer" in r else ""
        spread = f"{r['ms_min']:.3f} … {r['ms_max']:.3f}"
        cells = [f"{r['colors']:,}", f"{r['rounds']:,}", f"{r['ms']:.3f}", spread, f"{r['floors']:.1f}", of_peer]
        table.add_row(name, *cells, f"{r['order_ms']:.3f}", peak, "yes" if r["valid"] else f"NO: {r['fault']}")
    return table


def console(stderr: bool = False) -> Console:
    """As wide as the terminal; wide enough for the tables where there is none."""
    probe = Console(stderr=stderr)
    return probe if probe.is_terminal else Console(stderr=stderr, width=170)


def show(records: Iterable[Record], console: Console) -> None:
    """A whole run."""
    records = list(records)
    for r in records:
        if r["kind"] == "run":
            console.print(f"{r['date']}, {r['cpu']}, {r['cores']} cores, commit {r['commit']}, load {r['load']}")
        if r["kind"] == "absent":
            console.print(f"[yellow]{r['peer']} is absent: {escape(r['why'])}[/]")
    for graph in (r for r in records if r["kind"] == "graph"):
        console.print(
            graph_table(graph, [r for r in records if r["kind"] == "result" and r["graph"] == graph["graph"]])
        )
    targets = [r for r in records if r["kind"] == "target"]
    if targets:
        console.print(target_table(targets))
        verdicts = [t["verdict"] for t in targets]
        passed, missed = verdicts.count("PASS"), verdicts.count("MISS")
        absent = verdicts.count("absent")
        console.print(f"{passed} of {passed + missed} targets reached, {absent} could not be judged")
