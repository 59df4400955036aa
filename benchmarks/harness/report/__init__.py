"""A report of measured runs: one HTML page that needs nothing else, no network either.

`html` makes the page, `pictures` writes its pictures as files, and `degrees` computes the degrees of generated graphs.
`figures` chooses the pictures; `page.html` and `table.js` are the frame of the page. `command` is the command line,
`python -m benchmarks.compare report`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from lagcolor.base.messages import counted

from ..results import Results, Run
from ..results.compare import find_baseline, spec_family
from .figures import figures

__all__ = ["degrees", "html", "pictures"]

SECTIONS = {
    "pareto": ("Time against colors", "A mark per run. No run is left of the line and below it."),
    "speedup": ("Speed-up", "Over {baseline}: the geometric mean, and a dot per graph."),
    "floors": ("× floor", "Time over the time to read the graph and write the colors once."),
    "rounds": ("Rounds", "Vertices colored and conflicts in each round of a run with a trace."),
    "scaling": ("Growth", "Time over the size of the graphs of one generator."),
    "degrees": ("Degrees", "How many vertices have a degree."),
}
MOST = 12  # graphs of a page that have pictures of their own: matplotlib draws a few axes per second
COLUMNS = (
    *("graph", "code", "style", "device", "machine", "order", "seed", "threads", "options", "colors"),
    *("ms", "ms_min", "ms_max", "order_ms", "convert_ms", "floor_ms", "rounds", "memory_bytes"),
    *("verified", "status", "error", "source"),
)
IDS = re.compile(r' id="[A-Za-z0-9]+_\d+"')  # matplotlib's names of parts, which several pictures share


def html(results: Results, *, title: str = "Graph coloring", baseline: str | None = None) -> str:
    """Return a report as one HTML page. The twelve graphs with the most runs have pictures of their own.

    Parameters
    ----------
    results : Results
        The results.
    title : str
        The heading of the page.
    baseline : str, optional
        The code that speed-ups refer to; see `benchmarks.harness.results.speedups`.

    Returns
    -------
    str
        HTML with its pictures, script and style inside.

    Raises
    ------
    OptionError
        The baseline is unknown.
    LagcolorError
        matplotlib is not installed.

    Examples
    --------
    >>> from benchmarks.harness import report, results
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\n")
    >>> page = report.html(results.read("times.csv"), title="Two codes")
    >>> "<title>Two codes</title>" in page
    True
    """
    base = find_baseline(results, baseline) if baseline or results.usable else ""
    drawn: dict[str, list[str]] = {}
    for name, figure in figures(results, base or None, MOST):
        drawn.setdefault(name.partition("-")[0], []).append(f"<figure>{_svg(figure)}</figure>")
    sections = []
    for kind, pictures in drawn.items():
        name, text = SECTIONS[kind]
        about = escape(text.format(baseline=base))
        sections.append(f'<section id="{kind}"><h2>{name}</h2><p>{about}</p>{"".join(pictures)}</section>')
    links = {**{kind: SECTIONS[kind][0] for kind in drawn}, "table": "All runs", "origin": "Files"}
    runs = sorted(results.runs, key=lambda run: (run.graph, not run.usable, run.time() if run.usable else 0.0))
    folder = files(__package__)
    return Template((folder / "page.html").read_text("utf-8")).substitute(
        title=escape(title),
        summary=escape(_summary(results)),
        contents="".join(f'<a href="#{kind}">{name}</a>' for kind, name in links.items()),
        sections="\n".join(sections),
        heads="".join(f"<th><button>{name.replace('_', ' ')}</button></th>" for name in COLUMNS),
        rows="\n".join(map(_row, runs)),
        origin=_origin(results),
        script=(folder / "table.js").read_text("utf-8"),
    )


def degrees(results: Results, most: int, say: Callable[[str], None] = lambda text: None) -> None:
    """Add the degrees of generated graphs to results.

    Parameters
    ----------
    results : Results
        The results. Their `graphs` are changed.
    most : int
        The largest number of stored entries of a graph that is generated again.
    say : callable
        Receives a text before each graph.

    Examples
    --------
    >>> from benchmarks.harness import report
    >>> from benchmarks.harness.results import GraphFacts, Results
    >>> facts = GraphFacts(name="grid", spec="grid2d:10", n=100, m=360)
    >>> report.degrees(Results([], {"grid": facts}, [], []), most=1000)
    >>> facts.degrees
    [(2, 4), (3, 32), (4, 64)]
    """
    from lagcolor.base.errors import LagcolorError
    from lagcolor.generate import from_spec
    from lagcolor.plot.series import degree_bins

    for facts in results.graphs.values():
        if facts.degrees or facts.m is None or facts.m > most or not spec_family(facts.spec):
            continue
        say(f"degrees of {facts.name}")
        try:
            G = from_spec(facts.spec)
        except LagcolorError as e:
            results.notes.append(f"no degrees of {facts.name}: {e}")
            continue
        if (G.n, G.m) == (facts.n, facts.m):  # else the spec of another version, or of another seed
            facts.degrees = degree_bins(G)


def pictures(results: Results, folder: Path, *, ending: str = "svg", baseline: str | None = None) -> list[Path]:
    """Write every picture that these results allow into a folder.

    Parameters
    ----------
    results : Results
        The results.
    folder : Path
        The folder. It is created if it does not exist.
    ending : {"svg", "png", "pdf"}
        The format.
    baseline : str, optional
        The code that speed-ups refer to.

    Returns
    -------
    list of Path
        The files: pareto, speedup, floors, and scaling, rounds and degrees with the name of what they show.

    Examples
    --------
    >>> from pathlib import Path
    >>> from benchmarks.harness import report, results
    >>> with open("times.csv", "w") as f:
    ...     _ = f.write("graph,code,colors,ms\\nroad,A,4,3.0\\nroad,B,5,2.0\\n")
    >>> [path.name for path in report.pictures(results.read("times.csv"), Path("pictures"))]
    ['pareto.svg', 'speedup.svg']
    """
    from lagcolor.plot import save

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures(results, baseline):
        written.append(folder / f"{name}.{ending}")
        save(figure, written[-1])
    return written


def _svg(figure: Any) -> str:
    """The element of a picture, with its text as text."""
    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lagcolor"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None})
    text = out.getvalue()
    return IDS.sub("", text[text.index("<svg") :])


def _summary(results: Results) -> str:
    """How many runs there are, and where they were measured."""
    absent = sum(run.status == "absent" for run in results.runs)
    failed = len(results.runs) - len(results.usable) - absent
    parts = [f"{counted(len(results.runs), 'runs')} on {counted(len(results.graphs), 'graphs')}"]
    parts += [f"{failed:,} without a valid coloring"] if failed else []
    parts += [f"{absent:,} of codes that were not installed"] if absent else []
    parts += [f"pictures of the {MOST} graphs with the most runs"] if len(results.graphs) > MOST else []
    machines = "; ".join(dict.fromkeys(meta.hardware for meta in results.metas if meta.hardware))
    return ", ".join(parts) + (f". Measured on {machines}." if machines else ".")


def _row(run: Run) -> str:
    """A line of the table; numbers without commas, for the script sorts them."""
    cells = []
    for name in COLUMNS:
        value = getattr(run, name)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
        cells.append(f"<td{' class=number' if number else ''}>{escape(text)}</td>")
    failed = not run.usable and run.status != "absent"
    return f"<tr{' class=failed' if failed else ''}>{''.join(cells)}</tr>"


def _origin(results: Results) -> str:
    """The files, and what was noticed in them."""
    notes = "".join(f"<p>{escape(note)}</p>" for note in results.notes)
    parts = []
    for meta in results.metas:
        versions = ", ".join(f"{name} {version}" for name, version in meta.versions.items())
        facts = {
            "file": meta.source, "date": meta.date, "machine": meta.hardware, "commit": meta.commit,
            "command": meta.command, "versions": versions,
        }  # fmt: skip
        lines = (f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts.items() if text)
        parts.append(f"<dl>{''.join(lines)}</dl>")
    return notes + "".join(parts)
