"""Renew the tables that README.md and docs/ take from `lagcolor list … --markdown` and from committed result files.

A table stands between a line that says what it is and the line ``<!-- end -->``:

    <!-- lagcolor list … --markdown -->     what the command prints
    <!-- results FILE… -->                  per graph the fastest and the thriftiest code, ours and of peers
    <!-- results FILE… codes A B C -->      per graph "ms (colors)" of these codes; quote a name with a space in it
    <!-- qualities FILE… -->                the qualities of `lagcolor.color` beside the front of all codes in the files
    <!-- script MODULE FUNCTION FILE -->    lines that a function of a script in benchmarks/ makes of the file

FILE is a result file of `lagcolor bench`, relative to the root of the repository.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"<!-- (lagcolor list|results|qualities|script) ((?:(?!-->).)*?) ?-->\n(.*?)<!-- end -->", re.DOTALL)
BEST = ("fastest", "fewest colors", "fastest peer", "fewest colors of a peer")


def renewed(text: str) -> str:
    """The text with its tables as they are now."""

    def table(match: re.Match[str]) -> str:
        kind, words = match[1], shlex.split(match[2])
        made = MAKERS[kind](words)
        return f"<!-- {kind} {match[2]} -->\n{made}<!-- end -->"

    return TABLE.sub(table, text)


def listing(words: Sequence[str]) -> str:
    """What ``lagcolor list`` prints."""
    from lagcolor.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(["list", *words])
    if code:
        raise RuntimeError(f"lagcolor list {shlex.join(words)}: exit code {code}")
    return out.getvalue()


def results(words: Sequence[str]) -> str:
    """A table of result files, and a line that says where they were made."""
    from lagcolor import measurements

    at = words.index("codes") if "codes" in words else len(words)
    read = measurements.read([ROOT / name for name in words[:at]])
    codes = words[at + 1 :]
    columns = codes or BEST
    lines = [["graph", "vertices", "stored entries", *columns], ["---", "---:", "---:", *["---"] * len(columns)]]
    for name, graph in read.graphs.items():
        runs = read.on(name)
        if not runs:
            continue
        cells = [of_code(runs, code) for code in codes] if codes else best(runs)
        lines.append([name, f"{graph.n:,}" if graph.n else "", f"{graph.m:,}" if graph.m else "", *cells])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\n{source(read.metas)}\n"


def best(runs: Iterable) -> list[str]:
    """The cells of `BEST`: of equal times or colors the fewer colors or the less time."""
    mine = [r for r in runs if r.style not in ("peer", "reference")]
    peers = [r for r in runs if r.style in ("peer", "reference")]
    fast: Callable = lambda r: (r.time(), r.colors)  # noqa: E731
    thrifty: Callable = lambda r: (r.colors, r.time())  # noqa: E731
    chosen = [min(group, key=key, default=None) for group in (mine, peers) for key in (fast, thrifty)]
    return [named(run) if run else "" for run in chosen]


def of_code(runs: Iterable, code: str) -> str:
    """The fastest run of a code, whatever its order."""
    run = min((r for r in runs if r.code == code), key=lambda r: r.time(), default=None)
    return f"{milliseconds(run.time())} ({run.colors:,})" if run else ""


def named(run) -> str:
    """Code and order, milliseconds and colors."""
    order = "" if not run.order or run.order == run.code.rpartition(" ")[2] else f", {run.order}"
    return f"{run.code}{order}: {milliseconds(run.time())} ms ({run.colors:,})"


def milliseconds(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def qualities(words: Sequence[str]) -> str:
    """Milliseconds and colors of each quality, with what beats it, and how many are on the front."""
    from lagcolor import measurements

    read = measurements.read([ROOT / name for name in words])
    codes = sorted({r.code for r in read.runs if r.style == "auto"}, key=by_limit)
    lines = [["graph", *(name.removeprefix("auto:") for name in codes)], ["---"] * (1 + len(codes))]
    rows = [(graph, read.on(graph)) for graph in read.graphs]
    marks: list[bool] = []
    for graph, runs in rows:
        mine = {r.code: r for r in runs if r.style == "auto"}
        if mine:
            lines.append([graph, *(beside_front(mine.get(code), runs, marks) for code in codes)])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    front = f"On the front of all codes of that run: {sum(marks)} of {len(marks)}; beside the others what beats them."
    return f"{table}\n\n{front} {source(read.metas)}\n"


def by_limit(code: str) -> tuple[int, float]:
    """fast, balanced, then best by its limit."""
    name, _, limit = code.removeprefix("auto:").partition("=")
    return ("fast", "balanced", "best").index(name), float(limit.removesuffix("x") or 0)


def beside_front(run, runs: Iterable, marks: list[bool]) -> str:
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
    """What a script of benchmarks/ makes of its result file."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from benchmarks import report

    module, function, file = words
    lines = getattr(importlib.import_module(module), function)(report.read(ROOT / file))
    return "\n".join(lines) + "\n"


MAKERS: dict[str, Callable[[Sequence[str]], str]] = {
    "lagcolor list": listing, "results": results, "qualities": qualities, "script": script,
}  # fmt: skip


def source(metas: Iterable) -> str:
    """Hardware, date and commit of each file, once."""
    said = dict.fromkeys(f"{m.hardware}, {m.date[:10]}, commit {m.commit} (`{m.source}`)" for m in metas)
    return "Ordering included, every coloring verified. " + "; ".join(said) + "."


def pages() -> list[Path]:
    """README.md and every page in docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> int:
    """Rewrite the pages that changed."""
    for page in pages():
        text = page.read_text()
        if (new := renewed(text)) != text:
            page.write_text(new)
            print(f"renewed {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
