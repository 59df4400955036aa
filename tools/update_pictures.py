"""Draw the pictures of docs/ from the result files in benchmarks/results: time against colors.

A picture keeps a digest of the figures that it shows; tests fail where the result files have moved on.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
FOLDER = ROOT / "docs" / "pictures"
CODES = 5  # a graph with fewer codes is no comparison
ENTRIES = 200_000  # on a graph with fewer a picture would show what a call costs


def every_code(device: str) -> tuple[Any, list[str]]:
    """The newest results of a device on graphs that are large enough, and those on which enough codes ran."""
    from lagcolor import measurements

    every = measurements.read(RESULTS)
    large = {name for name, facts in every.graphs.items() if (facts.m or 0) >= ENTRIES}
    results = every.only(r for r in every.runs if r.device == device and r.style != "reference" and r.graph in large)
    return results, [g for g in results.graphs if len({r.code for r in results.on(g)}) >= CODES]


def one_run(device: str) -> tuple[Any, list[str]]:
    """The results of the last file in which qualities were measured, with what ran beside them; and its graphs."""
    results, graphs = every_code(device)
    newest = max((r for r in results.runs if r.style == "auto"), key=lambda r: r.date, default=None)
    if newest is None:
        return results, []
    results = results.only(r for r in results.runs if r.source == newest.source)
    return results, [g for g in graphs if g in results.graphs]


class Picture(NamedTuple):
    """Which results are shown, and by what of `lagcolor.plot`."""

    select: Callable[[str], tuple[Any, list[str]]]
    device: str
    draw: str


PICTURES = {
    "pareto-cpu.svg": Picture(every_code, "cpu", "fronts"),
    "pareto-gpu.svg": Picture(every_code, "cuda", "fronts"),
    "qualities-cpu.svg": Picture(one_run, "cpu", "qualities"),
    "qualities-gpu.svg": Picture(one_run, "cuda", "qualities"),
}


def digest(name: str) -> str:
    """Of all figures in a picture; "" where there is nothing to draw."""
    picture = PICTURES[name]
    results, graphs = picture.select(picture.device)
    rows = sorted((g, results.label(r), str(r.seed), r.colors, r.ms, r.order_ms) for g in graphs for r in results.on(g))
    return hashlib.sha256(repr(rows).encode()).hexdigest() if rows else ""


def drawn(name: str) -> str:
    """The digest that a picture keeps; "" where there is none."""
    file = FOLDER / name
    found = re.search("shows ([0-9a-f]{64})", file.read_text()) if file.exists() else None
    return found[1] if found else ""


def main() -> int:
    """Draw the pictures that are stale."""
    from lagcolor import plot

    FOLDER.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        now = digest(name)
        if now and (drawn(name) != now or "--all" in sys.argv):
            results, graphs = picture.select(picture.device)
            plot.save(getattr(plot, picture.draw)(results, graphs), FOLDER / name, f"shows {now}")
            print(f"drew docs/pictures/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
