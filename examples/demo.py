"""
The demo: three real graphs, several algorithms
===============================================

For anyone who has just installed lagcolor: ``make demo`` runs this script. It colors the three graphs in
``examples/data`` in several ways, prints a table and draws ``demo/colors.png``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/demo.svg"
from __future__ import annotations

import csv
from pathlib import Path

from rich.console import Console
from rich.table import Table

import lagcolor

DATA = Path(__file__).parent / "data"
PICTURE = Path("demo") / "colors.png"
RUNS = [
    ("greedy", "natural", "cpu"),
    ("greedy", "largest_first", "cpu"),
    ("greedy", "smallest_last", "cpu"),
    ("dsatur", None, "cpu"),
    ("first_fit", None, "cpu"),
    ("first_fit", None, "cuda"),
]


def main() -> None:
    """Color, print, draw."""
    runs = [run for run in RUNS if run[2] == "cpu" or lagcolor.has_gpu()]
    with open(DATA / "graphs.csv", newline="") as f:
        known = list(csv.DictReader(f))
    table = Table(title="Three real graphs (sources: examples/data/SOURCES.md)", title_justify="left")
    texts = ("graph", "algorithm", "order", "on")
    for column in (texts[0], "vertices", "edges", "at least", *texts[1:], "colors", "ms", "order ms"):
        table.add_column(column, justify="left" if column in texts else "right")
    for algorithm, order, device in runs:  # compile or load the code, which is not to be in the times
        lagcolor.color(DATA / f"{known[0]['name']}.npz", algorithm, order, device=device)
    colorings = {}
    for row in known:
        results = []
        for algorithm, order, device in runs:
            results.append(r := lagcolor.color(DATA / f"{row['name']}.npz", algorithm, order, device=device))
            first = [row["name"], f"{r.graph.n:,}", f"{r.graph.n_edges:,}", row["clique_lower_bound"]]
            times = [f"{r.seconds * 1e3:.1f}", f"{r.order_seconds * 1e3:.1f}"]
            first = first if len(results) == 1 else [""] * 4
            table.add_row(*first, r.algorithm, r.order, device, str(r.n_colors), *times)
        table.add_section()
        colorings[row["name"]] = results
    Console(width=140).print(table, "at least: the size of a clique; no coloring has fewer colors.", sep="\n")

    PICTURE.parent.mkdir(exist_ok=True)
    lagcolor.plot.summary(colorings, PICTURE, at_least={row["name"]: int(row["clique_lower_bound"]) for row in known})
    print(f"Every coloring was checked. Wrote {PICTURE}.")


if __name__ == "__main__":
    main()
