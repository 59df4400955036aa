"""Markdown tables of committed result files, for `update_tables`: each takes the words of its line and returns text."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BEST = ("fastest", "fewest colors", "fastest peer", "fewest colors of a peer")
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
    """Per graph the fastest and the thriftiest code, or those that are named after "codes"."""
    alone, words = _alone(words)
    at = words.index("codes") if "codes" in words else len(words)
    codes = words[at + 1 :]
    read = _read(words[:at])
    if read is None:
        return MISSING
    lines = [["graph", "vertices", "stored entries", *(codes or BEST)]]
    for name, graph in read.graphs.items():
        if runs := read.on(name):
            cells = [of_code(runs, code, alone) for code in codes] if codes else best(runs)
            if any(cells):
                lines.append([name, f"{graph.n:,}" if graph.n else "", f"{graph.m:,}" if graph.m else "", *cells])
    if len(lines) == 1:
        return MISSING
    return f"{table(lines, numbers=(1, 2))}\n\n{source(read.metas, alone)}\n"


def codes(words: Sequence[str]) -> str:
    """A row a code, the fastest in geometric mean over what it colored first, a column a graph; references last."""
    from lagcolor.measurements import geometric_mean

    alone, words = _alone(words)
    read = _read(words)
    if read is None:
        return MISSING
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
        lines.append([code, *(outcome([r for r in rows[code] if r.graph == g], alone) for g in graphs)])
    return f"{table(lines)}\n\n{source(read.metas, alone)}\n"


def against(words: Sequence[str]) -> str:
    """Per graph × floor of a code, and its time over that of a rival: RIVAL CODE FILE…"""
    from lagcolor.measurements import geometric_mean

    rival, code, *names = words
    read = _read(names)
    if read is None:
        return MISSING
    lines, ratios = [["graph", f"{code}, ms (colors)", "× floor", f"{rival}, ms (colors)", "ratio"]], []
    for graph in read.graphs:
        fastest = {r.code: r for r in sorted(read.on(graph), key=lambda r: -r.time())}
        if code not in fastest:
            continue
        floors, ratio = fastest[code].floors(), ""
        if rival in fastest:
            ratios.append(fastest[code].time() / fastest[rival].time())
            ratio = f"{ratios[-1]:.2f}"
        cells = [of_code(fastest.values(), name) for name in (code, rival)]
        lines.append([graph, cells[0], f"{floors:.1f}" if floors else "", cells[1], ratio])
    if ratios:
        lines.append(["geometric mean", "", "", "", f"{geometric_mean(ratios):.2f}"])
    return f"{table(lines)}\n\n{source(read.metas)}\n"


def rivals(words: Sequence[str]) -> str:
    """The baselines beside the systems that have them, as `benchmarks.baselines` judges."""
    read = _read(words)
    if read is None:
        return MISSING
    _import_scripts()
    from benchmarks import baselines

    return "\n".join([*baselines.outcomes(read), "", source(read.metas)]) + "\n"


def outcome(runs: Sequence[Any], alone: bool) -> str:
    """The fastest of some runs, or why there is none."""
    if cell := of_code(runs, runs[0].code if runs else "", alone):
        return cell
    return {"timeout": "too late", "failed": "failed"}.get(runs[0].status, "") if runs else ""


def qualities(words: Sequence[str]) -> str:
    """Milliseconds and colors of each quality, with what beats it, and how many are on the front."""
    read = _read(words)
    names = [] if read is None else sorted({r.code for r in read.runs if r.style == "auto"}, key=_by_limit)
    if read is None or not names:
        return MISSING
    lines = [["graph", *(name.removeprefix("auto:") for name in names)]]
    marks: list[bool] = []
    for graph in read.graphs:
        runs = read.on(graph)
        if mine := {r.code: r for r in runs if r.style == "auto"}:
            lines.append([graph, *(_beside_front(mine.get(name), runs, marks) for name in names)])
    front = f"On the front of all codes of that run: {sum(marks)} of {len(marks)}; beside the others what beats them."
    return f"{table(lines)}\n\n{front} {source(read.metas)}\n"


def _by_limit(code: str) -> tuple[int, float]:
    """fast, balanced, then best by its limit."""
    name, _, limit = code.removeprefix("auto:").partition("=")
    return ("fast", "balanced", "best").index(name), float(limit.removesuffix("x") or 0)


def _beside_front(run: Any, runs: Iterable[Any], marks: list[bool]) -> str:
    """A cell: "ms (colors)", and the code that beats it, which may be no quality nor the very call that fast makes."""
    from lagcolor import ALGORITHMS, measurements
    from lagcolor.quality import AUTO

    if run is None:
        return ""
    on_gpu = run.device == "cuda"
    same = (AUTO[on_gpu], *ALGORITHMS[AUTO[on_gpu]].default_order(on_gpu)) if run.code == "auto:fast" else None
    others = [r for r in runs if r.style not in ("auto", "reference") and (r.code, r.order, r.seed) != same]
    better = measurements.beaten_by(run, others)
    marks.append(better is None)
    cell = f"{milliseconds(run.time())} ({run.colors:,})"
    return cell if better is None else f"{cell}; {better.code} {milliseconds(better.time())} ({better.colors:,})"


def script(words: Sequence[str]) -> str:
    """What a function of a script in benchmarks/ makes of the records of a result file."""
    _import_scripts()
    from benchmarks import report

    module, function, *names = words
    paths = found(names)
    if not paths:
        return MISSING
    lines = getattr(importlib.import_module(module), function)(report.read(paths[0]))
    return "\n".join(lines) + "\n"


def runs(words: Sequence[str]) -> str:
    """What a function of a script in benchmarks/ makes of the runs of result files and tables."""
    module, function, *names = words
    read = _read(names)
    if read is None:
        return MISSING
    _import_scripts()
    lines = getattr(importlib.import_module(module), function)(read)
    return "\n".join([*lines, "", source(read.metas)]) + "\n"


def _import_scripts() -> None:
    """Make benchmarks/ importable, which is no part of the distribution."""
    root = str(Path(__file__).resolve().parents[1])
    if root not in sys.path:
        sys.path.insert(0, root)


def best(runs: Iterable[Any]) -> list[str]:
    """The cells of `BEST`: of equal times or colors the fewer colors or the less time."""
    runs = list(runs)
    mine = [r for r in runs if r.style not in ("peer", "reference")]
    peers = [r for r in runs if r.style in ("peer", "reference")]
    fast: Callable[[Any], Any] = lambda r: (r.time(), r.colors)  # noqa: E731
    thrifty: Callable[[Any], Any] = lambda r: (r.colors, r.time())  # noqa: E731
    chosen = [min(group, key=key, default=None) for group in (mine, peers) for key in (fast, thrifty)]
    return [named(run) if run else "" for run in chosen]


def of_code(runs: Iterable[Any], code: str, alone: bool = False) -> str:
    """The fastest run of a code, whatever its order; `alone`: the ordering left out."""
    run = min((r for r in runs if r.code == code and r.usable), key=lambda r: r.time(not alone), default=None)
    return f"{milliseconds(run.time(not alone))} ({run.colors:,})" if run else ""


def named(run: Any) -> str:
    """Code and order, milliseconds and colors."""
    order = "" if not run.order or run.order == run.code.rpartition(" ")[2] else f", {run.order}"
    return f"{run.code}{order}: {milliseconds(run.time())} ms ({run.colors:,})"


def milliseconds(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(lines: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Markdown; the first line is the head."""
    head, *body = (f"| {' | '.join(line)} |" for line in lines)
    rule = " | ".join("---:" if i in numbers else "---" for i in range(len(lines[0])))
    return "\n".join([head, f"| {rule} |", *body])


def source(metas: Iterable[Any], alone: bool = False) -> str:
    """Hardware, date and commit of each file, once."""
    said = dict.fromkeys(f"{m.hardware}, {m.date[:10]}, commit {m.commit} (`{m.source}`)" for m in metas)
    return f"Ordering {'left out' if alone else 'included'}, every coloring verified. {'; '.join(said)}."


def _alone(words: Sequence[str]) -> tuple[bool, Sequence[str]]:
    """Whether the ordering is left out, and the other words."""
    return ("alone" in words[:1]), words["alone" in words[:1] :]


def _read(names: Sequence[str]) -> Any:
    """The runs of result files; None where there is no file."""
    from lagcolor import measurements

    paths = found(names)
    return measurements.read(paths) if paths else None


MAKERS: dict[str, Callable[[Sequence[str]], str]] = {
    "results": results, "codes": codes, "against": against, "rivals": rivals, "qualities": qualities, "script": script,
    "runs": runs,
}  # fmt: skip
