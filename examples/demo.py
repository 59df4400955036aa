"""
The demo: three real graphs, several algorithms
===============================================

For anyone who has just installed lagcolor: ``make demo`` runs this script. It colors the three graphs in
``examples/data`` in several ways, prints a table and draws ``demo/colors.png``.

Install: ``pip install 'lagcolor[plot]'``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/demo.svg"
from __future__ import annotations

import csv
from pathlib import Path

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
    for algorithm, order, device in runs:  # compile or load the code, so that the times exclude it
        lagcolor.color(DATA / f"{known[0]['name']}.npz", algorithm, order, device=device)
    print("Three real graphs (sources: examples/data/SOURCES.md)")
    print("at least: the size of a clique; no coloring has fewer colors.\n")
    line = "{:20} {:>8} {:>9} {:>8}  {:9} {:20} {:4} {:>6} {:>6} {:>8}".format
    head = "graph", "vertices", "edges", "at least", "algorithm", "order", "on", "colors", "ms", "order ms"
    print(line(*head))
    colorings = {}
    for row in known:
        results = []
        for algorithm, order, device in runs:
            results.append(r := lagcolor.color(DATA / f"{row['name']}.npz", algorithm, order, device=device))
            first = [row["name"], f"{r.graph.n:,}", f"{r.graph.n_edges:,}", row["clique_lower_bound"]]
            times = [f"{r.seconds * 1e3:.1f}", f"{r.order_seconds * 1e3:.1f}"]
            first = first if len(results) == 1 else [""] * 4
            print(line(*first, r.algorithm, r.order, device, r.n_colors, *times))
        colorings[row["name"]] = results

    PICTURE.parent.mkdir(exist_ok=True)
    least = {row["name"]: int(row["clique_lower_bound"]) for row in known}
    lagcolor.plot.summary(colorings, PICTURE, at_least=least)
    print(f"Every coloring was checked. Wrote {PICTURE}.")


if __name__ == "__main__":
    main()
