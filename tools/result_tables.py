"""Markdown tables of committed result files, for `update_tables`: functions of the words of a line, to text."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks/ is not part of the distribution

from code_names import short
from stability import stability
from table_sources import Figures, SourceError, check_commits, cite, described, other_instances

from benchmarks.report import WIDTH, chunks, markdown

ROOT = Path(__file__).resolve().parents[1]
LONG = 16  # letters in the name of a graph that need a wide column
BEATEN = "†"  # behind a quality that another code beats
FASTEST = "fastest"  # as a rival: the fastest code on the graph
PEERS = ("peer", "reference")
COMMIT = re.compile(r"(commit [0-9a-f]+\+?)\.$")  # the end of the line with the source of a table
LISTED = ("script", "files", "libraries")  # kinds whose tables name the libraries
MISSING = "No result file has this yet.\n"


def found(names: Sequence[str]) -> list[Path]:
    """Return the files; for a pattern, the last file by name, which is the newest if names end in a date."""
    out = []
    for name in names:
        if "*" in name:
            out += sorted(ROOT.glob(name))[-1:]
        else:
            out.append(ROOT / name)
    return out


def results(words: Sequence[str]) -> str:
    """Return a row per graph and a column per code after the word "codes"; "NAME=CODE" renames a column."""
    alone, words = _alone(words)
    if "codes" not in words:
        raise SourceError("a table of results names its codes")
    at = words.index("codes")
    codes = {code: name for name, code in map(_named, words[at + 1 :])}
    figures = _figures(words[:at])
    if figures is None:
        return MISSING
    read = figures.results
    names = [name for name in read.graphs if any(run.code in codes for run in read.on(name))]
    if not names:
        return MISSING
    made = []
    for some in chunks(list(codes), _width(codes.values())):
        lines = [["graph", *(codes[code] for code in some)]]
        lines += [[name, *(of_code(figures, name, code, alone) for code in some)] for name in names]
        made.append(table(lines))
    return "\n\n".join([*made, figures.source(alone)]) + "\n"


def _named(word: str) -> tuple[str, str]:
    """Return the head of a column and the code, from "NAME=CODE" or a code; the name of a quality may contain =."""
    if "=" in word and not word.startswith("auto:"):
        head, _, code = word.partition("=")
        return head, code
    return short(word), word


def graphs(words: Sequence[str]) -> str:
    """List the graphs of result files: generator or file, and size."""
    figures = _figures(words)
    if figures is None:
        return MISSING
    lines = [["graph", "generator or file", "vertices", "stored entries", "largest degree"]]
    for name, graph in figures.results.graphs.items():
        if figures.results.on(name):
            sizes = (graph.n, graph.m, graph.max_degree)
            spec = Path(graph.spec or name).name
            made = f"`{spec}`" if len(spec) <= 2 * LONG else spec.replace(",", ", ")  # so that the line can be broken
            lines.append([name, made, *(f"{x:,}" if x is not None else "" for x in sizes)])
    return f"{table(lines, numbers=(2, 3, 4))}\n\nFrom {_files(figures)}.\n"


def _files(figures: Figures) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(m.source for m in figures.results.metas))


def codes(words: Sequence[str]) -> str:
    """Tables of all codes by up to five graphs; "own" before the files: of algorithms of lagcolor alone."""
    alone, words = _alone(words)
    own = words[0] == "own"
    figures = _figures(words[own:])
    if figures is None:
        return MISSING
    rows: dict[str, list[Any]] = {}
    for run in (r for r in figures.results.runs if r.status != "absent"):
        if not own or run.style not in (*PEERS, "auto"):
            rows.setdefault(run.code, []).append(run)
    names = [g for g in figures.results.graphs if figures.results.on(g)]
    order = sorted(rows, key=lambda code: _place(rows[code], len(names), alone))
    made = []
    for some in chunks(names, _width(names)):
        lines = [["code", *some]]
        for code in order:
            cells = [outcome(figures, g, code, [r for r in rows[code] if r.graph == g], alone) for g in some]
            lines.append([short(code), *cells])
        made.append(table(lines))
    return "\n\n".join([*made, figures.source(alone)]) + "\n"


def _width(heads: Iterable[str]) -> int:
    """Number of columns with these heads that fit a page."""
    words = (word for head in heads for word in head.replace("-", " ").split())
    return WIDTH - 2 * (max(map(len, words), default=0) > LONG)


def _place(runs: Sequence[Any], count: int, alone: bool) -> tuple[bool, int, float]:
    """Sort key of a code: references last, then by number of colored graphs and geometric mean of times."""
    from benchmarks.harness.results import geometric_mean

    usable = [r for r in runs if r.usable]
    mean = geometric_mean(r.time(ordering=not alone) for r in usable) if usable else float("inf")
    return runs[0].style == "reference", count - len({r.graph for r in usable}), mean


def against(words: Sequence[str]) -> str:
    """Compare a code with a rival or the fastest peer per graph, with its × floor: RIVAL|fastest CODE FILE…"""
    from benchmarks.harness.results import geometric_mean

    rival, code, *names = words
    figures = _figures(names)
    if figures is None:
        return MISSING
    head = "fastest peer" if rival == FASTEST else rival
    lines, ratios = [["graph", code, "× floor", short(head), "ratio"]], []
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
            name = short(other.code) if rival == FASTEST else ""
            name += ", by others" * (other.style == "reference")
            name += ": " * bool(name)
            cells = [f"{name}{cell(other)}{figures.mark(other)}", f"{ratios[-1]:.2f}"]
        lines.append([graph, cell(mine), f"{floors:.1f}" if floors else "", *cells])
    if ratios:
        lines.append(["geometric mean", "", "", "", f"{geometric_mean(ratios):.2f}"])
    least = f"`{code}` takes less time than the {head} on {sum(r < 1 for r in ratios)} of {len(ratios)} graphs.\n\n"
    return f"{least if ratios else ''}{table(lines)}\n\n{figures.source()}\n"


def rivals(words: Sequence[str]) -> str:
    """Compare the baselines with the systems that implement them, as `benchmarks.baselines` judges."""
    return runs(["benchmarks.baselines", "outcomes", *words])


def sources(words: Sequence[str]) -> str:
    """Return the sources of a picture's figures."""
    figures = _figures(words)
    return MISSING if figures is None else f"{figures.source()}\n"


def pictures(words: Sequence[str]) -> str:
    """Return the pictures of a name in `update_pictures`, one per graph, and their sources."""
    from update_pictures import PICTURES, RESULTS, files

    (name,) = words
    images = [f"![{graph}: {PICTURES[name].alt}](../pictures/{file})" for graph, file in files(name).items()]
    source = Figures([max(RESULTS.glob(PICTURES[name].pattern))]).source()
    return "\n".join([*images, "", source]) + "\n"


def about(words: Sequence[str]) -> str:
    """Describe a table of other people's figures, and compare its graphs: TABLE.csv FILE…"""
    (path, *_), figures = found(words[:1]), _figures(words[1:])
    ours = figures.results.graphs if figures else {}
    lines = described(path, other_instances(path, {name: (g.n or 0, g.m or 0) for name, g in ours.items()}))
    more = f"; the graphs here are from {_files(figures)}" if figures else ""
    return "\n".join([*lines, "", f"From `{path.name}`{more}."]) + "\n"


def with_figures(kind: str, words: Sequence[str]) -> set[str]:
    """Return the codes with a figure in the files of a line; none for kinds such as `script`."""
    names = [word for word in words if word.startswith("benchmarks/")]
    if kind in (*LISTED, "sources", "pictures", "about") or not names:
        return set()
    figures = _figures(names)
    return {run.code for run in figures.results.runs if run.usable} if figures else set()


def outcome(figures: Figures, graph: str, code: str, runs: Sequence[Any], alone: bool) -> str:
    """Return the fastest run of a code on a graph, or the reason that there is none."""
    if text := of_code(figures, graph, code, alone):
        return text
    return {"timeout": "too late", "failed": "failed"}.get(runs[0].status, "") if runs else ""


def qualities(words: Sequence[str]) -> str:
    """Return milliseconds and colors of each quality, with a mark if another code beats it, and the front."""
    figures = _figures(words)
    read = figures and figures.results
    names = sorted({r.code for r in read.runs if r.style == "auto"}, key=_by_limit) if read else []
    if figures is None or read is None or not names:
        return MISSING
    lines = [["graph", *map(short, names)]]
    beaten: dict[str, str] = {}
    every: list[Any] = []
    longer: list[float] = []
    for graph in read.graphs:
        runs = read.on(graph)
        if mine := {r.code: r for r in runs if r.style == "auto"}:
            if "auto:fast" in mine and "auto:balanced" in mine:
                longer.append(mine["auto:balanced"].time() / mine["auto:fast"].time())
            better = {name: _better(run, runs) for name, run in mine.items()}
            lines.append([graph, *(_marked(mine.get(name), better.get(name)) for name in names)])
            every += better.values()
            if by := list(dict.fromkeys(f"{short(r.code)} ({r.colors:,})" for r in better.values() if r)):
                beaten[graph] = f"on {graph} {', '.join(by)}"
    front = f"No other code of the run beats {every.count(None)} of these {len(every)} colorings."
    by = f"\n\n{BEATEN}: beaten by, with their colors, {'; '.join(beaten.values())}." if beaten else ""
    if longer:
        front += f" `balanced` takes {min(longer):.2f} to {max(longer):.2f} × the time of `fast`."
    return f"{front}\n\n{table(lines)}{by}\n\n{figures.source()}\n"


def _marked(run: Any, better: Any) -> str:
    return "" if run is None else cell(run) + (f" {BEATEN}" if better else "")


def _by_limit(code: str) -> tuple[int, float]:
    """Sort key of a quality: fast, balanced, then best by its limit."""
    name, _, limit = code.removeprefix("auto:").partition("=")
    return ("fast", "balanced", "best").index(name), float(limit.removesuffix("x") or 0)


def _better(run: Any, runs: Iterable[Any]) -> Any:
    """Return the code that beats a quality, other than qualities and the call of `fast`; None if there is none."""
    from benchmarks.harness import results as measurements
    from lagcolor import ALGORITHMS
    from lagcolor.search import FAST

    fast = ALGORITHMS[FAST]
    same = (FAST, fast.order, fast.seed) if run.code == "auto:fast" else None
    others = [r for r in runs if r.style not in ("auto", "reference") and (r.code, r.order, r.seed) != same]
    return measurements.beaten_by(run, others)


def script(words: Sequence[str]) -> str:
    """Return the lines that a script's function writes for the records of a result file; .csv files are cited."""
    module, function, *names = words
    paths = found(names)
    if not paths:
        return MISSING
    records = _records(paths[0])
    lines = getattr(importlib.import_module(module), function)(records)
    lines = [COMMIT.sub(rf"\1 (`{paths[0].name}`).", line) for line in lines]
    sizes = {r["graph"]: (r["n"], r["m"]) for r in records if "m" in r}
    cited = [cite(path, other_instances(path, sizes)) for path in paths[1:]]
    return "\n".join([*lines, *(["", *cited] if cited else [])]) + "\n"


def runs(words: Sequence[str]) -> str:
    """Return the lines that a script's function writes for the runs of result files and tables."""
    module, function, *names = words
    figures = _figures(names)
    if figures is None:
        return MISSING
    lines = getattr(importlib.import_module(module), function)(figures.results)
    return "\n".join([*lines, "", figures.source()]) + "\n"


def libraries(words: Sequence[str]) -> str:
    """Return other libraries' times over lagcolor's, a row per file."""
    paths = found(words)
    if len(paths) < len(words):
        return MISSING
    records = [_records(paths[i]) for i in (0, 2, 3)]
    figures = [Figures(paths[1:2]), Figures(paths[4:])]
    lines = importlib.import_module("benchmarks.libraries").table(
        records[0], figures[0].results, records[1], records[2], figures[1].results
    )
    names = ", ".join(f"`{path.name}`" for path in paths if path.suffix == ".jsonl")
    return "\n".join([*lines, "", f"From {names}. {cite(paths[-1])}"]) + "\n"


def files(words: Sequence[str]) -> str:
    """Return the lines that a script's function writes for the records of several files of one commit."""
    module, function, *names = words
    paths = found(names)
    if len(paths) < len(names):
        return MISSING
    records = [_records(path) for path in paths]
    check_commits((path, rows[0]["commit"]) for path, rows in zip(paths, records, strict=True))
    lines = getattr(importlib.import_module(module), function)(records)
    lines[-1] += f" Files: {', '.join(f'`{path.name}`' for path in paths)}."
    return "\n".join(lines) + "\n"


def _records(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a result file of one commit."""
    from benchmarks.harness.results import of_kind, read_lines

    records = read_lines(path)
    check_commits((path, r["commit"]) for r in of_kind(records, "meta"))
    return records


def of_code(figures: Figures, graph: str, code: str, alone: bool = False) -> str:
    """Return the fastest run of a code on a graph, in any order; `alone`: without the time of ordering."""
    runs = (r for r in figures.results.on(graph) if r.code == code)
    run = min(runs, key=lambda r: r.time(ordering=not alone), default=None)
    return f"{cell(run, alone)}{figures.mark(run)}" if run else figures.nothing(graph, code)


def cell(run: Any, alone: bool = False) -> str:
    """Return milliseconds and colors."""
    return f"{milliseconds(run.time(ordering=not alone))} ({run.colors:,})"


def milliseconds(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.3g}"


def table(lines: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Return a Markdown table; the first line is the head; `numbers`: columns that are aligned right."""
    return "\n".join(markdown(lines, numbers))


def _alone(words: Sequence[str]) -> tuple[bool, Sequence[str]]:
    """Return whether times exclude ordering, and the other words."""
    return ("alone" in words[:1]), words["alone" in words[:1] :]


def _figures(names: Sequence[str]) -> Figures | None:
    """Load the runs of result files and tables; None if there is no file."""
    paths = found(names)
    return Figures(paths) if paths else None


MAKERS: dict[str, Callable[[Sequence[str]], str]] = {
    "results": results, "codes": codes, "graphs": graphs, "against": against, "rivals": rivals,
    "qualities": qualities, "script": script, "runs": runs, "sources": sources, "pictures": pictures, "about": about,
    "files": files, "libraries": libraries, "stability": stability,
}  # fmt: skip
