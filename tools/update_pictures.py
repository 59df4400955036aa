"""Draw the pictures of docs/: time against colors, from the result files in benchmarks/results, and two of colorings.

A picture keeps a digest of the figures that it shows; tests fail where the result files have moved on. Files of more
than one commit, or of a tree with uncommitted changes, are an error.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from table_sources import check_commits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not installed
RESULTS = ROOT / "benchmarks" / "results"
FOLDER = ROOT / "docs" / "pictures"
CODES = 5  # a graph with fewer codes is no comparison
ENTRIES = 200_000  # on a graph with fewer a picture would show what a call costs


def with_qualities(device: str, pattern: str) -> tuple[Any, list[str]]:
    """Of the newest file of a pattern: results on large graphs, and the graphs with qualities and other codes."""
    from benchmarks.harness import results as measurements

    every = measurements.read(sorted(RESULTS.glob(pattern))[-1:])
    check_commits((RESULTS / r.source, r.commit) for r in every.runs if r.style != "reference")
    large = {name for name, facts in every.graphs.items() if (facts.m or 0) >= ENTRIES}
    results = every.only(r for r in every.runs if r.device == device and r.style != "reference" and r.graph in large)
    codes = {graph: {r.code: r.style for r in results.on(graph)} for graph in results.graphs}
    return results, [graph for graph, of in codes.items() if len(of) >= CODES and "auto" in of.values()]


class Picture(NamedTuple):
    """Which results are shown, of the newest file of a pattern, and the alt text."""

    device: str
    pattern: str
    alt: str

    def shown(self) -> tuple[Any, list[str]]:
        """The results, and the graphs that have a picture each."""
        return with_qualities(self.device, self.pattern)


ALT = "time against colors on a {}"
PICTURES = {
    "qualities-cpu": Picture("cpu", "qualities-cpu-*.jsonl", ALT.format("CPU")),
    "qualities-gpu": Picture("cuda", "bench-h200-[0-9]*.jsonl", ALT.format("GPU")),
}
SIZE = (3.2, 2.9)  # inches: two pictures in a row of a page, one on a phone

WIDE = 4.4  # inches
LEGEND = {"auto": "qualities", "peer": "libraries"}


def files(name: str) -> dict[str, str]:
    """Graph → the file of its picture."""
    return {graph: file_of(name, graph) for graph in PICTURES[name].shown()[1]}


def file_of(name: str, part: str) -> str:
    """Return a file name without characters that an address must escape."""
    return f"{name}-{re.sub('[^A-Za-z0-9_]+', '-', part).strip('-').lower()}.svg"


def digests(name: str) -> dict[str, str]:
    """Return a digest of all figures in each picture, by file."""
    results, graphs = PICTURES[name].shown()
    found = {}
    for g in graphs:
        rows = sorted((results.label(r), str(r.seed), r.colors, r.ms, r.order_ms) for r in results.on(g))
        found[file_of(name, g)] = hashlib.sha256(repr((g, rows)).encode()).hexdigest()
    return found


def drawn(name: str) -> str:
    """Return the digest stored in a picture; "" if there is none."""
    file = FOLDER / name
    found = re.search("shows ([0-9a-f]{64})", file.read_text()) if file.exists() else None
    return found[1] if found else ""


def stale(name: str) -> list[str]:
    """Return the files of pictures that are missing, outdated, or without a graph."""
    now = digests(name)
    rest = {path.name for path in FOLDER.glob(f"{name}-*.svg")} - set(now)
    return sorted({file for file in now if drawn(file) != now[file]} | rest)


def of_graph(results: Any, graph: str) -> Any:
    """A small figure with its legend below."""
    from benchmarks.harness import plots

    figure = plots.qualities(results, [graph], columns=1)
    figure.set_size_inches(*SIZE)
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles, [LEGEND.get(name, name) for name in names], loc="outside lower left", ncols=3, frameon=False,
        fontsize=8, handletextpad=0.4, columnspacing=1.0,
    )  # fmt: skip
    return figure


COMPRESSION = "compression.svg"


def compression() -> Any:
    """The example of docs/how_to/sparse_jacobian.md: a band with a dense row and a dense column, and its products."""
    import numpy as np

    import lagcolor

    ids = np.arange(18)
    dense = abs(ids[:, None] - ids) <= 1
    dense[4] = dense[:, 11] = True
    return lagcolor.derivatives.jacobian(dense, "both")


def digest_of_compression() -> str:
    """Return a digest of the colors in the picture."""
    return hashlib.sha256(compression().gather.tobytes()).hexdigest()


CONVERGENCE, HISTORIES = "convergence", "solver-convergence-cpu-*.jsonl"


def histories() -> list[dict[str, Any]]:
    """Return the records of the newest file of residuals per iteration, if there is one."""
    from benchmarks.harness.results import of_kind, read_lines

    files = sorted(RESULTS.glob(HISTORIES))
    records = read_lines(files[-1]) if files else []
    check_commits((files[-1], line["commit"]) for line in of_kind(records, "meta"))
    return records


def digests_of_histories() -> dict[str, str]:
    """Return a digest of the residuals of each problem, by file."""
    rows: dict[str, list[Any]] = {}
    for x in histories():
        if x["kind"] == "measurement":
            rows.setdefault(file_of(CONVERGENCE, x["graph"]), []).append((x["graph"], x["code"], x["figures"]))
    return {file: hashlib.sha256(repr(some).encode()).hexdigest() for file, some in rows.items()}


def draw_histories(every: bool = False) -> None:
    """Draw a picture for each problem."""
    from benchmarks.harness.plots.convergence import convergence
    from lagcolor import plot

    records, now = histories(), digests_of_histories()
    for problem in dict.fromkeys(x["graph"] for x in records if x["kind"] == "measurement"):
        file = file_of(CONVERGENCE, problem)
        if every or drawn(file) != now[file]:
            mine = [x for x in records if x["kind"] != "measurement" or x["graph"] == problem]
            figure = convergence(mine)
            figure.set_size_inches(WIDE, 3.9)
            plot.save(figure, FOLDER / file, note=f"shows {now[file]}")
            print(f"drew docs/pictures/{file}")


FIGURE_2, CODES_OF_OSAMA = "osama-figure-2.svg", "osama-figures-h200-[0-9]*.jsonl"


def osama() -> tuple[Any, list[dict[str, Any]]]:
    """Return the script of Osama et al.'s figures, and the records of the newest file of Figure 1's codes."""
    from benchmarks.harness.results import read_lines
    from benchmarks.papers import osama as script

    return script, read_lines(max(RESULTS.glob(CODES_OF_OSAMA)))


def digest_of_figure_2() -> str:
    """Return a digest of the points in the picture."""
    script, records = osama()
    return hashlib.sha256(repr(script.tradeoff(records)).encode()).hexdigest()


COLORING = "coloring.svg"


def coloring() -> Any:
    """Color the graph of README.md's picture, a small mesh."""
    import lagcolor

    return lagcolor.color(lagcolor.generate.delaunay(6, seed=3), order="smallest_last", seed=0)


def digest_of_coloring() -> str:
    """Return a digest of the graph and the colors in the picture."""
    result = coloring()
    return hashlib.sha256(result.graph.indices.tobytes() + result.colors.tobytes()).hexdigest()


def draw_coloring(result: Any) -> Any:
    """Draw a graph in its colors, its matrix, and the matrix in the order of the colors."""
    import matplotlib.pyplot as plt
    import numpy as np

    from lagcolor import plot

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(6.6, 2.5), layout="constrained")
    plot.graph(result, ax=left)
    left.set_title(f"{len(result)} vertices, {result.n_colors} colors", loc="left", fontsize=10)
    draw_matrix(middle, result, np.arange(len(result)), "its matrix")
    draw_matrix(right, result, result.permutation(), "sorted by color")
    ends = np.cumsum(result.class_sizes)
    for end, size in zip(ends, result.class_sizes, strict=True):
        corner = end - size - 0.5
        right.add_patch(plt.Rectangle((corner, corner), size, size, fill=False, linewidth=0.8, edgecolor="#222222"))
    return figure


def draw_matrix(ax: Any, result: Any, order: Any, title: str) -> None:
    """Draw the entries of a matrix; diagonal entries have the colors of their vertices."""
    import numpy as np

    from lagcolor.plot.style import hues

    G = result.graph
    place = np.empty(G.n, int)
    place[order] = np.arange(G.n)
    rows, hue = np.repeat(place, np.diff(G.indptr)), np.array(hues(result.n_colors), object)
    ax.scatter(place[G.indices], rows, s=2, c="#9A9A9A", marker="s", linewidths=0)
    ax.scatter(place, place, s=4, c=list(hue[result.colors]), marker="s", linewidths=0)
    ax.set(aspect="equal", xlim=(-1, G.n), ylim=(G.n, -1), xticks=[], yticks=[])
    ax.set_title(title, loc="left", fontsize=10)


def main() -> int:
    """Draw the pictures that are stale."""
    from lagcolor import plot

    every = "--all" in sys.argv
    FOLDER.mkdir(exist_ok=True)
    if drawn(COMPRESSION) != (now := digest_of_compression()) or every:
        figure = plot.compression(compression())
        figure.set_size_inches(6.6, 2.9)
        plot.save(figure, FOLDER / COMPRESSION, note=f"shows {now}")
        print(f"drew docs/pictures/{COMPRESSION}")
    if drawn(COLORING) != (now := digest_of_coloring()) or every:
        plot.save(draw_coloring(coloring()), FOLDER / COLORING, note=f"shows {now}")
        print(f"drew docs/pictures/{COLORING}")
    if drawn(FIGURE_2) != (now := digest_of_figure_2()) or every:
        script, records = osama()
        plot.save(script.draw(records), FOLDER / FIGURE_2, note=f"shows {now}")
        print(f"drew docs/pictures/{FIGURE_2}")
    draw_histories(every)
    for name, picture in PICTURES.items():
        now_shown, old = digests(name), stale(name)
        results, graphs = picture.shown()
        for graph in graphs:
            if (file := file_of(name, graph)) in old or every:
                plot.save(of_graph(results, graph), FOLDER / file, note=f"shows {now_shown[file]}")
                print(f"drew docs/pictures/{file}")
        for file in set(old) - set(now_shown):
            (FOLDER / file).unlink()
            print(f"removed docs/pictures/{file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
