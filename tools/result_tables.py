"""Markdown tables of committed result files, for `update_tables`: each takes the words of its line and returns text."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks/ is not part of the distribution

from stability import stability
from table_sources import Figures, check_commits, cite, other_instances

from benchmarks.report import markdown

ROOT = Path(__file__).resolve().parents[1]
BEST = (
    "one thread: fastest", "fewest colors", "peers on one thread: fastest", "fewest colors",
    "up to all cores, deterministic", "up to all cores, colors vary",
)  # fmt: skip
FASTEST = "fastest"  # as a rival's name: whoever is the fastest on the graph
PEERS = ("peer", "reference")
COMMIT = re.compile(r"(commit [0-9a-f]+\+?)\.$")  # the end of the line that says where a table is from
MISSING = "No result file has this yet.\n"


def found(names: Sequence[str]) -> list[Path]:
    """Files by name; of those that a pattern fits the last, which is the newest where names end in a date."""
    out = []
    for name in names:
        if "*" in name:
            out += sorted(ROOT.glob(name))[-1:]
        else:
            out.append(ROOT / name)
    return out


def results(words: Sequence[str]) -> str:
    """Per graph the fastest and the thriftiest code by threads, or those that are named after "codes"."""
    alone, words = _alone(words)
    at = words.index("codes") if "codes" in words else len(words)
    codes = words[at + 1 :]
    figures = _figures(words[:at])
    if figures is None:
        return MISSING
    read = figures.results
    lines = [["graph", "vertices", "stored entries", *(codes or BEST)]]
    for name, graph in read.graphs.items():
        if runs := read.on(name):
            cells = [of_code(figures, name, code, alone) for code in codes] if codes else best(runs)
            if any(run.code in codes or not codes for run in runs):
                lines.append([name, f"{graph.n:,}" if graph.n else "", f"{graph.m:,}" if graph.m else "", *cells])
    if len(lines) == 1:
        return MISSING
    return f"{table(lines, numbers=(1, 2))}\n\n{figures.source(alone)}\n"


def codes(words: Sequence[str]) -> str:
    """One row per code, the fastest in geometric mean over what it colored first, a column a graph; references last."""
    from lagcolor.bench.results import geometric_mean

    alone, words = _alone(words)
    figures = _figures(words)
    if figures is None:
        return MISSING
    read = figures.results
    rows: dict[str, list[Any]] = {}
    for run in read.runs:
        rows.setdefault(run.code, []).append(run)
    graphs = [g for g in read.graphs if read.on(g)]

    def place(code: str) -> tuple[bool, int, float]:
        runs = [r for r in rows[code] if r.usable]
        mean = geometric_mean(r.time(not alone) for r in runs) if runs else float("inf")
        return rows[code][0].style == "reference", len(graphs) - len({r.graph for r in runs}), mean

    lines = [["code", *graphs]]
    for code in sorted(rows, key=place):
        lines.append(
            [code, *(outcome(figures, g, code, [r for r in rows[code] if r.graph == g], alone) for g in graphs)]
        )
    return f"{table(lines)}\n\n{figures.source(alone)}\n"


def against(words: Sequence[str]) -> str:
    """Per graph × floor of a code, and its time over a rival's or the fastest peer's: RIVAL|fastest CODE FILE…"""
    from lagcolor.bench.results import geometric_mean

    rival, code, *names = words
    figures = _figures(names)
    if figures is None:
        return MISSING
    head = "fastest peer" if rival == FASTEST else rival
    lines, ratios = [["graph", f"{code}, ms (colors)", "× floor", f"{head}, ms (colors)", "ratio"]], []
    for graph in figures.results.graphs:
        runs = sorted(figures.results.on(graph), key=lambda r: r.time())
        mine = next((r for r in runs if r.code == code), None)
        if mine is None:
            continue
        fits = (lambda r: r.style in PEERS) if rival == FASTEST else (lambda r: r.code == rival)
        other = next(filter(fits, runs), None)
        floors, cells = mine.floors(), [figures.nothing(graph, rival), ""]
        if other is not None:
            ratios.append(mine.time() / other.time())
            name = f"{other.code}: " if rival == FASTEST else ""
            cells = [f"{name}{cell(other)}{figures.mark(other)}", f"{ratios[-1]:.2f}"]
        lines.append([graph, cell(mine), f"{floors:.1f}" if floors else "", *cells])
    if ratios:
        lines.append(["geometric mean", "", "", "", f"{geometric_mean(ratios):.2f}"])
    return f"{table(lines)}\n\n{figures.source()}\n"


def rivals(words: Sequence[str]) -> str:
    """The baselines beside the systems that have them, as `benchmarks.baselines` judges."""
    return runs(["benchmarks.baselines", "outcomes", *words])


def sources(words: Sequence[str]) -> str:
    """Where the figures of a picture are from."""
    figures = _figures(words)
    return MISSING if figures is None else f"{figures.source()}\n"


def outcome(figures: Figures, graph: str, code: str, runs: Sequence[Any], alone: bool) -> str:
    """The fastest run of a code on a graph, or why there is none."""
    if text := of_code(figures, graph, code, alone):
        return text
    return {"timeout": "too late", "failed": "failed"}.get(runs[0].status, "") if runs else ""


def qualities(words: Sequence[str]) -> str:
    """Milliseconds and colors of each quality, with what beats it, and how many are on the front."""
    figures = _figures(words)
    read = figures and figures.results
    names = sorted({r.code for r in read.runs if r.style == "auto"}, key=_by_limit) if read else []
    if figures is None or read is None or not names:
        return MISSING
    lines = [["graph", *(name.removeprefix("auto:") for name in names)]]
    marks: list[bool] = []
    longer: list[float] = []
    for graph in read.graphs:
        runs = read.on(graph)
        if mine := {r.code: r for r in runs if r.style == "auto"}:
            if "auto:fast" in mine and "auto:balanced" in mine:
                longer.append(mine["auto:balanced"].time() / mine["auto:fast"].time())
            lines.append([graph, *(_beside_front(mine.get(name), runs, marks) for name in names)])
    front = f"On the front of all codes of that run: {sum(marks)} of {len(marks)}; beside the others what beats them."
    if longer:
        front += f" `balanced` takes {min(longer):.2f} to {max(longer):.2f} × the time of `fast`."
    return f"{table(lines)}\n\n{front} {figures.source()}\n"


def _by_limit(code: str) -> tuple[int, float]:
    """fast, balanced, then best by its limit."""
    name, _, limit = code.removeprefix("auto:").partition("=")
    return ("fast", "balanced", "best").index(name), float(limit.removesuffix("x") or 0)


def _beside_front(run: Any, runs: Iterable[Any], marks: list[bool]) -> str:
    """A cell: "ms (colors)", and the code that beats it, which may be no quality nor the very call that fast makes."""
    from lagcolor import ALGORITHMS
    from lagcolor.bench import results as measurements
    from lagcolor.search import FAST

    if run is None:
        return ""
    fast = ALGORITHMS[FAST]
    same = (FAST, fast.order, fast.seed) if run.code == "auto:fast" else None
    others = [r for r in runs if r.style not in ("auto", "reference") and (r.code, r.order, r.seed) != same]
    better = measurements.beaten_by(run, others)
    marks.append(better is None)
    return cell(run) if better is None else f"{cell(run)}; {better.code} {cell(better)}"


def script(words: Sequence[str]) -> str:
    """What a function of a script makes of the records of a result file; .csv files after it are cited."""
    from lagcolor.bench.results import of_kind, read_lines

    module, function, *names = words
    paths = found(names)
    if not paths:
        return MISSING
    records = read_lines(paths[0])
    check_commits(r["commit"] for r in of_kind(records, "meta"))
    lines = getattr(importlib.import_module(module), function)(records)
    lines = [COMMIT.sub(rf"\1 (`{paths[0].name}`).", line) for line in lines]
    sizes = {r["graph"]: (r["n"], r["m"]) for r in records if "m" in r}
    cited = [cite(path, other_instances(path, sizes)) for path in paths[1:]]
    return "\n".join([*lines, *(["", *cited] if cited else [])]) + "\n"


def runs(words: Sequence[str]) -> str:
    """What a function of a script in benchmarks/ makes of the runs of result files and tables."""
    module, function, *names = words
    figures = _figures(names)
    if figures is None:
        return MISSING
    lines = getattr(importlib.import_module(module), function)(figures.results)
    return "\n".join([*lines, "", figures.source()]) + "\n"


def best(runs: Iterable[Any]) -> list[str]:
    """The cells of `BEST`, like beside like; of equal times or colors the fewer colors or the less time."""
    from lagcolor import ALGORITHMS

    runs = [r for r in runs if r.style != "auto"]
    mine, peers = ([r for r in runs if (r.style in PEERS) == theirs] for theirs in (False, True))
    several = [r for r in mine if not on_one_thread(r)]
    fast: Callable[[Any], Any] = lambda r: (r.time(), r.colors)  # noqa: E731
    thrifty: Callable[[Any], Any] = lambda r: (r.colors, r.time())  # noqa: E731
    chosen = [
        min(filter(on_one_thread, group), key=key, default=None) for group in (mine, peers) for key in (fast, thrifty)
    ]
    for fixed in (True, False):
        group = [r for r in several if (r.code in ALGORITHMS and ALGORITHMS[r.code].deterministic) == fixed]
        chosen.append(min(group, key=fast, default=None))
    return [named(run) if run else "" for run in chosen]


def on_one_thread(run: Any) -> bool:
    """Of ours without a number of threads only sequential ones; the peers of `lagcolor bench` are serial codes."""
    return run.threads == 1 if run.threads is not None else run.style in ("sequential", *PEERS)


def of_code(figures: Figures, graph: str, code: str, alone: bool = False) -> str:
    """The fastest run of a code on a graph, whatever its order; `alone`: the ordering left out."""
    runs = (r for r in figures.results.on(graph) if r.code == code)
    run = min(runs, key=lambda r: r.time(not alone), default=None)
    return f"{cell(run, alone)}{figures.mark(run)}" if run else figures.nothing(graph, code)


def named(run: Any) -> str:
    """Code, order and threads, milliseconds and colors."""
    order = "" if not run.order or run.order == run.code.rpartition(" ")[2] else f", {run.order}"
    threads = f", {run.threads} threads" if (run.threads or 1) > 1 else ""
    return f"{run.code}{order}{threads}: {milliseconds(run.time())} ms ({run.colors:,})"


def cell(run: Any, alone: bool = False) -> str:
    """Milliseconds and colors."""
    return f"{milliseconds(run.time(not alone))} ({run.colors:,})"


def milliseconds(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(lines: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Markdown; the first line is the head; `numbers`: columns that are set to the right."""
    return "\n".join(markdown(lines, numbers))


def _alone(words: Sequence[str]) -> tuple[bool, Sequence[str]]:
    """Whether the ordering is left out, and the other words."""
    return ("alone" in words[:1]), words["alone" in words[:1] :]


def _figures(names: Sequence[str]) -> Figures | None:
    """The runs of result files and tables; None where there is no file."""
    paths = found(names)
    return Figures(paths) if paths else None


MAKERS: dict[str, Callable[[Sequence[str]], str]] = {
    "results": results, "codes": codes, "against": against, "rivals": rivals, "qualities": qualities, "script": script,
    "runs": runs, "sources": sources, "stability": stability,
}  # fmt: skip
