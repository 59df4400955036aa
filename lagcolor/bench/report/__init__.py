"""A report of measured runs: one HTML page that needs nothing else, no network either.

`html` makes the page, `pictures` the same pictures as files, and `degrees` reckons the degrees of generated graphs.
What the page does with its data is in `page/`: plain JavaScript and CSS, put into the page as they are.
"""

from __future__ import annotations

import html as markup
import json
import math
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from ..results import Meta, Results, Run
from ..results.compare import find_baseline, spec_family
from ..results.schema import TRACED

__all__ = ["degrees", "html", "pictures"]

SCRIPTS = ("dom.js", "chart.js", "compare.js", "pictures.js", "table.js", "page.js")
COLUMNS = (
    *("graph", "code", "style", "device", "machine", "order", "seed", "threads", "options", "colors"),
    *("ms", "ms_min", "ms_max", "order_ms", "convert_ms", "floor_ms", "rounds", "memory_bytes"),
    *("verified", "status", "error", "usable", "source"),
)


def html(results: Results, title: str = "Graph coloring", baseline: str | None = None) -> str:
    """The page.

    Parameters
    ----------
    results : Results
    title : str
    baseline : str, optional
        What speed-ups are reckoned against at first, as in `lagcolor.bench.results.speedups`.

    Returns
    -------
    str
        HTML with its data, script and style inside.

    Raises
    ------
    OptionError
        An unknown baseline.
    """
    data = {
        "baseline": find_baseline(results, baseline) if baseline or results.usable else "",
        "graphs": {name: _facts(results, name) for name in results.graphs},
        "metas": [_meta(meta) for meta in results.metas],
        "notes": results.notes,
        "runs": [_run(results, run) for run in results.runs],
    }
    page = files(__package__) / "page"
    # "<" stands nowhere in the data, so that no text in it can end the element that holds it.
    text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return Template((page / "page.html").read_text("utf-8")).substitute(
        title=markup.escape(title),
        style=(page / "style.css").read_text("utf-8"),
        script="\n".join((page / name).read_text("utf-8") for name in SCRIPTS),
        data=text,
    )


def degrees(results: Results, most: int, say: Callable[[str], None] = lambda text: None) -> None:
    """Put the degrees of its graphs into `results`, for those that a generator makes and that have no more entries.

    Parameters
    ----------
    results : Results
        Its `graphs` are changed.
    most : int
        Stored entries up to which a graph is generated again.
    say : callable
        Called with what is being done.
    """
    from ...core.errors import LagcolorError
    from ...generate import from_spec
    from ...plot.series import degree_bins

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


def pictures(results: Results, folder: Path, ending: str = "svg", baseline: str | None = None) -> list[Path]:
    """Write every picture that these results allow into a folder.

    Parameters
    ----------
    results : Results
    folder : Path
        Made where it is not there.
    ending : {"svg", "png", "pdf"}
    baseline : str, optional

    Returns
    -------
    list of Path
        The files: pareto, speedup, floors, and scaling, rounds and degrees with the name of what they show.
    """
    from ...plot import save
    from .figures import figures

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures(results, baseline):
        written.append(folder / f"{name}.{ending}")
        save(figure, written[-1])
    return written


def _run(results: Results, run: Run) -> dict[str, Any]:
    row = {name: getattr(run, name) for name in COLUMNS}
    out = {name: value for name, value in row.items() if value is not None and value != ""}
    out["label"] = results.label(run)
    if run.trace:
        out["trace"] = {key: [round.get(key) or 0 for round in run.trace] for key in TRACED}
    return out


def _facts(results: Results, name: str) -> dict[str, Any]:
    facts = results.graphs[name]
    row = {
        "spec": facts.spec,
        "family": spec_family(facts.spec),
        "n": facts.n,
        "m": facts.m,
        "max_degree": facts.max_degree,
        "degrees": facts.degrees,
    }
    return {key: value for key, value in row.items() if value}


def _meta(meta: Meta) -> dict[str, str]:
    row = {
        "file": meta.source,
        "date": meta.date,
        "machine": meta.hardware,
        "commit": meta.commit,
        "command": meta.command,
        "versions": ", ".join(f"{name} {version}" for name, version in meta.versions.items()),
    }
    return {key: value for key, value in row.items() if value}


def _finite(x: Any) -> Any:
    """The same with None for numbers that JSON has no word for."""
    if isinstance(x, dict):
        return {k: _finite(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_finite(v) for v in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x
