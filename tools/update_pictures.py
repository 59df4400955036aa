"""Draw the pictures of docs/: time against colors, from the result files in benchmarks/results, and two of colorings.

A picture keeps a digest of the figures that it shows; tests fail where the result files have moved on. Files of more
than one commit, or of a tree with uncommitted changes, are an error.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from table_sources import check_commits

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
FOLDER = ROOT / "docs" / "pictures"
CODES = 5  # a graph with fewer codes is no comparison
ENTRIES = 200_000  # on a graph with fewer a picture would show what a call costs


def every_code(device: str, *patterns: str) -> tuple[Any, list[str]]:
    """Of the newest file of each pattern: results on graphs large enough, and the graphs on which enough codes ran."""
    from lagcolor.bench import results as measurements

    files = [max(found) for pattern in patterns if (found := list(RESULTS.glob(pattern)))]
    every = measurements.read(files) if files else measurements.Results([], {}, [], [])
    if files:
        check_commits(r.commit for r in every.runs if r.style != "reference")
    large = {name for name, facts in every.graphs.items() if (facts.m or 0) >= ENTRIES}
    results = every.only(r for r in every.runs if r.device == device and r.style != "reference" and r.graph in large)
    return results, [g for g in results.graphs if len({r.code for r in results.on(g)}) >= CODES]


def with_qualities(device: str, *patterns: str) -> tuple[Any, list[str]]:
    """Of these the graphs on which qualities were measured."""
    results, graphs = every_code(device, *patterns)
    return results, [g for g in graphs if any(r.style == "auto" for r in results.on(g))]


class Picture(NamedTuple):
    """Which results are shown, of which files, and by what of `lagcolor.plot`."""

    select: Callable[..., tuple[Any, list[str]]]
    device: str
    patterns: tuple[str, ...]
    draw: str

    def shown(self) -> tuple[Any, list[str]]:
        """The results, and the graphs that have a picture each."""
        return self.select(self.device, *self.patterns)


CPU = ("qualities-cpu-*.jsonl",)
H200 = ("bench-h200-[0-9]*.jsonl",)
PICTURES = {
    "pareto-cpu.svg": Picture(every_code, "cpu", (*CPU, "bench-cpu-[0-9]*.jsonl"), "fronts"),
    "pareto-gpu.svg": Picture(every_code, "cuda", H200, "fronts"),
    "qualities-cpu.svg": Picture(with_qualities, "cpu", CPU, "qualities"),
    "qualities-gpu.svg": Picture(with_qualities, "cuda", H200[:1], "qualities"),
}


def digest(name: str) -> str:
    """Of all figures in a picture; "" where there is nothing to draw."""
    picture = PICTURES[name]
    results, graphs = picture.shown()
    rows = sorted((g, results.label(r), str(r.seed), r.colors, r.ms, r.order_ms) for g in graphs for r in results.on(g))
    return hashlib.sha256(repr(rows).encode()).hexdigest() if rows else ""


def drawn(name: str) -> str:
    """The digest that a picture keeps; "" where there is none."""
    file = FOLDER / name
    found = re.search("shows ([0-9a-f]{64})", file.read_text()) if file.exists() else None
    return found[1] if found else ""


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
    """Of the colors in the picture."""
    return hashlib.sha256(compression().gather.tobytes()).hexdigest()


CONVERGENCE, HISTORIES = "convergence.svg", "solver-convergence-cpu-*.jsonl"


def histories() -> list[dict[str, Any]]:
    """The records of the newest file of residuals per iteration, if there is one."""
    from lagcolor.bench.results import of_kind, read_lines

    files = sorted(RESULTS.glob(HISTORIES))
    records = read_lines(files[-1]) if files else []
    check_commits(line["commit"] for line in of_kind(records, "meta"))
    return records


def digest_of_histories() -> str:
    """Of all residuals; "" where there are none."""
    rows = [(x["graph"], x["code"], x["figures"]) for x in histories() if x["kind"] == "measurement"]
    return hashlib.sha256(repr(rows).encode()).hexdigest() if rows else ""


COLORING = "coloring.svg"


def coloring() -> Any:
    """The graph in README.md's picture in its colors: a small mesh."""
    import lagcolor

    return lagcolor.color(lagcolor.generate.delaunay(6, seed=3), order="smallest_last", seed=0)


def digest_of_coloring() -> str:
    """Of the graph and the colors in the picture."""
    result = coloring()
    return hashlib.sha256(result.graph.indices.tobytes() + result.colors.tobytes()).hexdigest()


def draw_coloring(result: Any) -> Any:
    """A figure of a graph in its colors, its matrix, and the matrix in the order of the colors."""
    import matplotlib.pyplot as plt
    import numpy as np

    from lagcolor import plot

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3.5), layout="constrained")
    plot.graph(result, ax=left)
    draw_matrix(middle, result, np.arange(len(result)), "its matrix")
    draw_matrix(right, result, result.permutation(), "the matrix in the order of the colors")
    ends = np.cumsum(result.class_sizes)
    for end, size in zip(ends, result.class_sizes, strict=True):
        corner = end - size - 0.5
        right.add_patch(plt.Rectangle((corner, corner), size, size, fill=False, linewidth=0.8, edgecolor="#222222"))
    return figure


def draw_matrix(ax: Any, result: Any, order: Any, title: str) -> None:
    """Where the entries are, those of the diagonal in the colors of their vertices."""
    import numpy as np

    from lagcolor.plot.style import hues

    G = result.graph
    place = np.empty(G.n, int)
    place[order] = np.arange(G.n)
    rows, hue = np.repeat(place, np.diff(G.indptr)), np.array(hues(result.n_colors), object)
    ax.scatter(place[G.indices], rows, s=5, c="#9A9A9A", marker="s", linewidths=0)
    ax.scatter(place, place, s=5, c=list(hue[result.colors]), marker="s", linewidths=0)
    ax.set(aspect="equal", xlim=(-1, G.n), ylim=(G.n, -1), xticks=[], yticks=[])
    ax.set_title(title, loc="left", fontsize=10)


def main() -> int:
    """Draw the pictures that are stale."""
    from lagcolor import plot
    from lagcolor.plot.convergence import convergence

    FOLDER.mkdir(exist_ok=True)
    if drawn(COMPRESSION) != (now := digest_of_compression()) or "--all" in sys.argv:
        plot.save(plot.compression(compression()), FOLDER / COMPRESSION, f"shows {now}")
        print(f"drew docs/pictures/{COMPRESSION}")
    if (now := digest_of_histories()) and (drawn(CONVERGENCE) != now or "--all" in sys.argv):
        plot.save(convergence(histories()), FOLDER / CONVERGENCE, f"shows {now}")
        print(f"drew docs/pictures/{CONVERGENCE}")
    if drawn(COLORING) != (now := digest_of_coloring()) or "--all" in sys.argv:
        plot.save(draw_coloring(coloring()), FOLDER / COLORING, f"shows {now}")
        print(f"drew docs/pictures/{COLORING}")
    for name, picture in PICTURES.items():
        now = digest(name)
        if now and (drawn(name) != now or "--all" in sys.argv):
            results, graphs = picture.shown()
            plot.save(getattr(plot, picture.draw)(results, graphs), FOLDER / name, f"shows {now}")
            print(f"drew docs/pictures/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
