"""Draw the pictures of docs/explanations: small graphs and matrices in colors, one SVG per picture in docs/pictures.

Colorings come from `lagcolor.color`, so a picture cannot show a wrong coloring. Tests fail if a picture is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from math import cos, pi, sin
from pathlib import Path

import numpy as np
from explanation_pictures import (
    CELL,
    MARGIN,
    WIDTH,
    Panel,
    Point,
    cells,
    colored_edges,
    graph,
    hue,
    line,
    picture,
    svg,
    words,
)
from step_pictures import EDGES, PLACES

import lagcolor

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
PICTURES: dict[str, Callable[[], str]] = {}
# The graph of the step pictures, larger.
SEVEN = {v: (x * 1.42, (y - 42) * 1.5 + 40) for v, (x, y) in PLACES.items()}


def drawing(draw: Callable[[], str]) -> Callable[[], str]:
    """Register a picture under the name of its function."""
    PICTURES[draw.__name__.replace("_", "-")] = draw
    return draw


def color(places: dict[str, Point], edges: list[str], **how: object) -> dict[str, int]:
    """Return the library's colors of a small graph, by name."""
    names = sorted(places)
    n = len(names)
    A = np.zeros((n, n), bool)
    for u, v in edges:
        A[names.index(u), names.index(v)] = A[names.index(v), names.index(u)] = True
    result = lagcolor.color(A, **how)
    return dict(zip(names, result.colors.tolist(), strict=True))


def ring(names: str, center: Point = (100, 80), radius: float = 54) -> dict[str, Point]:
    """Return places on a circle, the first at the top."""
    angles = [2 * pi * i / len(names) - pi / 2 for i in range(len(names))]
    return {v: (center[0] + radius * cos(t), center[1] + radius * sin(t)) for v, t in zip(names, angles, strict=True)}


def row(names: str, y: float = 50) -> dict[str, Point]:
    """Return places on a line."""
    step = (WIDTH - 48) / (len(names) - 1)
    return {v: (24 + step * i, y) for i, v in enumerate(names)}


def path(names: str) -> list[str]:
    """Return the edges between consecutive names."""
    return [a + b for a, b in pairwise(names)]


@drawing
def coloring_idea() -> str:
    """A graph, a proper coloring of it, and an improper one."""
    good = color(SEVEN, EDGES)
    bad = {**good, "e": good["g"]}
    clash = [e for e in EDGES if bad[e[0]] == bad[e[1]]]
    panels = [
        Panel(graph(SEVEN, EDGES, good), 130, ["Proper: the two ends of", "each edge differ."]),
        Panel(graph(SEVEN, EDGES, bad, clash), 130, ["Not proper: the dashed", "edges join equal colors."]),
    ]
    return picture("A proper coloring and an improper one", "Seven vertices in three colors, twice.", panels)


@drawing
def coloring_bounds() -> str:
    """Why some graphs need many colors: a clique, an odd cycle."""
    four, five = ring("abcd"), ring("abcde")
    clique = [u + v for u in "abcd" for v in "abcd" if u < v]
    cycle = [*path("abcde"), "ae"]
    panels = [
        Panel(graph(four, clique, color(four, clique)), 156, ["A clique of 4 vertices", "needs 4 colors."]),
        Panel(graph(five, cycle, color(five, cycle)), 156, ["A cycle of odd length needs", "3, without any triangle."]),
    ]
    return picture("Lower bounds", "A clique of four vertices in four colors, a cycle of five in three.", panels)


CROWN = {v: (40 + 60 * (i % 3), 38 + 84 * (i // 3)) for i, v in enumerate("abcxyz")}
CROWN_EDGES = [u + v for i, u in enumerate("abc") for j, v in enumerate("xyz") if i != j]


@drawing
def coloring_order() -> str:
    """A graph colored by first-fit in two orders."""
    panels = []
    for order, result in (("abcxyz", "side by side: 2 colors."), ("axbycz", "in pairs: 3 colors.")):
        names = sorted(CROWN)
        priorities = np.array([-order.index(v) for v in names])
        colors = color(CROWN, CROWN_EDGES, algorithm="first_fit", order=priorities)
        parts = graph(CROWN, CROWN_EDGES, colors)
        for v, (x, y) in CROWN.items():
            parts.append(words((x, y - 18 if y < 80 else y + 28), f"{order.index(v) + 1}."))
        panels.append(Panel(parts, 156, ["First-fit takes the vertices", result]))
    return picture("First-fit in two orders", "A graph of six vertices in two and in three colors.", panels)


@drawing
def problem_distance1() -> str:
    """Neighbors differ."""
    parts = graph(SEVEN, EDGES, color(SEVEN, EDGES))
    return picture("Distance 1", "Seven vertices in three colors.", [Panel(parts, 130, ["Neighbors differ."])])


GRID = {chr(97 + i): (32 + 45 * (i % 4), 30 + 45 * (i // 4)) for i in range(16)}
GRID_EDGES = [
    u + v for u, (x, y) in GRID.items() for v, (z, w) in GRID.items() if u < v and abs(x - z) + abs(y - w) == 45
]


@drawing
def problem_distances() -> str:
    """A grid at distance 2 and 3."""
    panels = []
    for k, problem in ((2, "distance2"), (3, "distance3")):
        colors = color(GRID, GRID_EDGES, problem=problem)
        caption = [f"{problem}: vertices within", f"{k} edges differ."]
        panels.append(Panel(graph(GRID, GRID_EDGES, colors), 188, caption))
    return picture("Distance 2 and 3", "A grid of four by four vertices in the colors of both problems.", panels)


BAND = [[abs(i - j) <= 1 for j in range(6)] for i in range(6)]


@drawing
def problem_columns() -> str:
    """A tridiagonal matrix, its columns in three colors, and the three sums."""
    colors = lagcolor.color(np.array(BAND), problem="columns").colors.tolist()
    hues = [[colors[j] if entry else None for j, entry in enumerate(r)] for r in BAND]
    sums = [[c if any(entry and colors[j] == c for j, entry in enumerate(r)) else None for c in range(3)] for r in BAND]
    top, high = 30, 30 + 6 * CELL
    left = [words((44 + CELL * (j + 0.5), top - 8), str(c), "k") for j, c in enumerate(colors)]
    panels = [
        Panel([*left, *cells((44, top), hues)], high, ["Columns of one color share", "no row."]),
        Panel(
            cells((70, top), sums), high, ["The sums of the columns of", "each color: every entry is", "there, alone."]
        ),
    ]
    return picture("Columns", "A tridiagonal matrix of six columns in three colors, and the three sums.", panels)


@drawing
def problem_edges() -> str:
    """The edges of a clique of four vertices: three rounds."""
    at = {"a": (40, 32), "b": (160, 32), "c": (40, 130), "d": (160, 130)}
    A = ~np.eye(4, dtype=bool)
    result = lagcolor.color(A, problem="edges")
    u, v = result.edges
    names = ["abcd"[i] + "abcd"[j] for i, j in zip(u.tolist(), v.tolist(), strict=True)]
    parts = colored_edges(at, dict(zip(names, result.edge_colors.tolist(), strict=True)))
    panel = Panel(parts, 152, ["Edges with a common", "end differ."])
    return picture("Edges", "Four vertices and their six edges in three colors.", [panel])


@drawing
def problem_star() -> str:
    """A path of four vertices in two colors is no star coloring."""
    names = "abcd"
    at, edges = row(names), path(names)
    two = {v: i % 2 for i, v in enumerate(names)}
    panels = [
        Panel(graph(at, edges, two, edges), 76, ["No star coloring: a path on", "4 vertices has 2 colors."]),
        Panel(
            graph(at, edges, color(at, edges, problem="star")), 76, ["A star coloring: each such", "path has 3 colors."]
        ),
    ]
    return picture("Star coloring", "A path on four vertices in two colors, and in three.", panels)


@drawing
def problem_acyclic() -> str:
    """A cycle of six vertices in two colors is no acyclic coloring."""
    names = "abcdef"
    at, edges = ring(names), [*path(names), "af"]
    two = {v: i % 2 for i, v in enumerate(names)}
    panels = [
        Panel(graph(at, edges, two, edges), 156, ["Not acyclic: a cycle has", "2 colors."]),
        Panel(
            graph(at, edges, color(at, edges, problem="acyclic")), 156, ["Acyclic: each cycle has", "3 colors or more."]
        ),
    ]
    return picture("Acyclic coloring", "A cycle of six vertices in two colors, and in three.", panels)


ARROW = np.eye(6, dtype=bool)
ARROW[0] = ARROW[:, 0] = True


@drawing
def problem_bicoloring() -> str:
    """An arrow: one color of rows and two of columns."""
    result = lagcolor.color(ARROW, problem="star_bicoloring")
    rows, columns = result.colors[:6].tolist(), result.colors[6:].tolist()
    hues = [[read(i, j, rows, columns) if entry else None for j, entry in enumerate(r)] for i, r in enumerate(ARROW)]
    top, left = 34, 44
    marks = [words((left + CELL * (j + 0.5), top - 8), mark(c), "k") for j, c in enumerate(columns)]
    marks += [words((left - 16, top + CELL * (i + 0.5) + 5), mark(c), "k") for i, c in enumerate(rows)]
    panel = Panel(
        [*marks, *cells((left, top), hues)], top + 6 * CELL, ["Each entry is read by its", "row's or column's color."]
    )
    caption = "An arrow of six rows: its dense row has a color, the other rows have none, its columns have two."
    return picture("Star bicoloring", caption, [panel])


def mark(c: int) -> str:
    """Return a color at the margin of a matrix; a dash for none."""
    return str(c) if c >= 0 else "–"


def read(i: int, j: int, rows: list[int], columns: list[int]) -> int:
    """Return the color that reads an entry: its column's if no other column of this color is in the row."""
    others = [k for k in range(6) if k != j and ARROW[i, k] and columns[k] == columns[j]]
    return columns[j] if columns[j] >= 0 and not others else rows[i]


@drawing
def qualities() -> str:
    """The stages of each quality, from left to right."""
    stages = [("one pass", 0), ("tests and improvements", 1), ("search", 2)]
    widths, parts, high = (66, 130, 110), [], 34
    for i, (name, count) in enumerate((("fast", 1), ("balanced", 2), ("best", 3))):
        x, y = 76.0, 14.0 + 46 * i
        parts.append(words((MARGIN, y + 22), name, "t"))
        for (caption, c), wide in list(zip(stages, widths, strict=True))[:count]:
            parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="4" fill="{hue(c)}" stroke="#333"/>')
            parts.append(words((x + wide / 2, y + 22), caption if wide != 130 else "improvements"))
            x += wide + 4
    parts.append(line((76, 158), (392, 158), 'stroke="#333" stroke-width="1.3"'))
    parts.append(words((76, 176), "time", "c"))
    parts.append(words((392, 176), "until time_limit", "e"))
    return svg((400, 190), "Three qualities", "fast is one pass; balanced adds improvements; best a search.", parts)


def main() -> int:
    """Draw the pictures that are stale."""
    for name, draw in PICTURES.items():
        file, now = FOLDER / f"{name}.svg", draw()
        if not file.exists() or file.read_text(encoding="utf-8") != now:
            file.write_text(now, encoding="utf-8")
            print(f"drew docs/pictures/{file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
