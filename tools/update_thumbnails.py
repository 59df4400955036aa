"""Draw the pictures of examples in the gallery that show no plot, in docs/_static/thumbnails.

    python tools/update_thumbnails.py

A name of THUMBNAILS is an example, which names its picture in a comment (``sphinx_gallery_thumbnail_path``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs/_static/thumbnails"
WIDTH, HEIGHT = 320, 200
HUES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8a94a0")
GRAY, INK = "#c3c9d0", "#39424c"
Point = tuple[float, float]


def circle(at: Point, hue: str, r: float = 11) -> str:
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{r:g}" fill="{hue}" stroke="#fff" stroke-width="2"/>'


def line(a: Point, b: Point, hue: str = GRAY, width: float = 3) -> str:
    return f'<path d="M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" stroke="{hue}" stroke-width="{width:g}"/>'


def box(at: Point, size: Point, hue: str) -> str:
    return f'<rect x="{at[0]:g}" y="{at[1]:g}" width="{size[0]:g}" height="{size[1]:g}" fill="{hue}"/>'


def text(at: Point, words: str, size: int = 18, anchor: str = "middle") -> str:
    style = f'font-family="sans-serif" font-size="{size}" text-anchor="{anchor}" fill="{INK}"'
    return f'<text x="{at[0]:g}" y="{at[1]:g}" {style}>{words}</text>'


def arrow(a: Point, b: Point, hue: str = INK) -> str:
    angle = math.atan2(b[1] - a[1], b[0] - a[0])
    tips = [(b[0] - 12 * math.cos(angle + turn), b[1] - 12 * math.sin(angle + turn)) for turn in (-0.5, 0.5)]
    return line(a, b, hue) + "".join(line(tip, b, hue) for tip in tips)


def wheel(center: Point, radius: float, colors: Sequence[int | None], r: float = 11) -> str:
    """A wheel with six spokes: the vertices of the rim, then the hub; None: uncolored."""
    turns = [2 * math.pi * k / 6 for k in range(6)]
    at = [(center[0] + radius * math.sin(t), center[1] - radius * math.cos(t)) for t in turns]
    edges = [line(at[k], at[k - 1]) + line(at[k], center) for k in range(6)]
    hues = ["#e6e9ee" if c is None else HUES[c] for c in colors]
    rings = [circle(p, GRAY, r + 2) for p in (*at, center)]
    return "".join(edges + rings + [circle(p, hue, r) for p, hue in zip((*at, center), hues, strict=True)])


PROPER = (0, 1, 0, 1, 0, 1, 2)


def lattice(columns: int, rows: int, step: float, hue: Callable[[int, int], str], r: float) -> str:
    """A grid graph in the middle of the picture."""
    left, top = (WIDTH - step * (columns - 1)) / 2, (HEIGHT - step * (rows - 1)) / 2
    at = {(i, j): (left + step * i, top + step * j) for i in range(columns) for j in range(rows)}
    ends = [((i, j), other) for i, j in at for other in ((i + 1, j), (i, j + 1)) if other in at]
    lines = [line(at[a], at[b], width=max(1.0, r / 4)) for a, b in ends]
    return "".join(lines + [circle(p, hue(*key), r) for key, p in at.items()])


def cells(columns: int, rows: int, size: float, hue: Callable[[int, int], str], at: Point | None = None) -> str:
    """Squares side by side, such as the entries of a matrix."""
    left, top = at or ((WIDTH - size * columns) / 2, (HEIGHT - size * rows) / 2)
    places = [(i, j) for j in range(rows) for i in range(columns)]
    return "".join(box((left + size * i, top + size * j), (size - 2, size - 2), hue(i, j)) for i, j in places)


def numbered(center: Point, order: Sequence[int], colors: Sequence[int]) -> str:
    """A wheel whose vertices have the numbers of an order."""
    x, y = center
    turns = [2 * math.pi * k / 6 for k in range(6)]
    at = [*((x + 62 * math.sin(t), y - 62 * math.cos(t)) for t in turns), center]
    white = [text((px, py + 5), str(n), 14).replace(INK, "#fff") for (px, py), n in zip(at, order, strict=True)]
    return wheel(center, 62, colors, 13) + "".join(white)


def curves(rates: Sequence[float], labels: Sequence[str]) -> str:
    """Falling curves of an error, with their names."""
    parts = [line((40, 20), (40, 175), INK, 2), line((40, 175), (305, 175), INK, 2)]
    for k, (rate, label) in enumerate(zip(rates, labels, strict=True)):
        end = (min(300.0, 40 + 140 / rate), min(175.0, 30 + rate * 260))
        middle = (40 + end[0]) / 2, (30 + end[1]) / 2
        place = ((middle[0] - 12, middle[1] + 14), "end") if k else ((middle[0] + 12, middle[1] - 5), "start")
        parts += [line((40, 30), end, HUES[k], 4), text(place[0], label, 15, place[1])]
    return "".join(parts)


def compression(turned: bool = False) -> str:
    """A tridiagonal matrix, and its three products."""
    n = 9

    def entry(i: int, j: int) -> str:
        return HUES[(j if turned else i) % 3] if abs(i - j) < 2 else "#eef0f3"

    def product(i: int, j: int) -> str:
        a, b = (j, i) if turned else (i, j)
        return HUES[a] if (b, a) not in ((0, 2), (n - 1, (n - 2 + 2) % 3)) else "#eef0f3"

    matrix = cells(n, n, 17, entry, (35, 23)) + arrow((197, 100), (222, 100))
    return matrix + (cells(n, 3, 9, product, (234, 86)) if turned else cells(3, n, 17, product, (234, 23)))


def chip(inside: str) -> str:
    """A processor."""
    pins = [line((x, 22), (x, 178), GRAY, 5) for x in range(100, 230, 24)]
    pins += [line((72, y), (248, y), GRAY, 5) for y in range(52, 160, 24)]
    return "".join([*pins, box((86, 34), (148, 132), "#eef7ee"), inside])


def document(x: float) -> str:
    shape = f'<path d="M{x} 50h48l22 22v78h-70z" fill="#fff" stroke="{INK}" stroke-width="3"/>'
    return shape + "".join(line((x + 14, y), (x + 56, y)) for y in (90, 108, 126))


def queens() -> str:
    return cells(5, 5, 34, lambda i, j: HUES[(i + 2 * j) % 5])


def changing() -> str:
    spokes = wheel((160, 100), 78, (0, 1, 0, 3, 0, 1, 2))
    return line((160, 178), (300, 150), HUES[5], 4) + spokes + circle((300, 150), HUES[1])


def strips() -> str:
    blocks = [document(20), document(36), document(52)]
    return "".join(blocks) + arrow((150, 100), (185, 100)) + cells(6, 6, 19, lambda i, j: HUES[(i + j) % 2], (198, 43))


def loop() -> str:
    wheels = [wheel((55 + 105 * k, 100), 36, [(c + k) % 4 for c in PROPER], 6) for k in range(3)]
    return "".join(wheels) + arrow((97, 100), (115, 100)) + arrow((202, 100), (220, 100))


def discs() -> str:
    at = [(45 + 46 * i + 23 * (j % 2), 165 - 40 * j) for j in range(4) for i in range(6 - j % 2 - j // 2)]
    ground = box((10, 188), (300, 6), INK)
    pairs = [(a, b) for k, a in enumerate(at) for b in at[:k] if math.dist(a, b) < 50]
    colors: dict[tuple[Point, Point], int] = {}
    for pair in pairs:
        near = {c for other, c in colors.items() if set(pair) & set(other)}
        colors[pair] = min(set(range(12)) - near)
    touching = [line(a, b, HUES[c], 4) for (a, b), c in colors.items()]
    return ground + "".join([circle(p, "#e6e9ee", 22) for p in at] + touching)


def pauli() -> str:
    letters = ["XXIIIIII", "IXXIIIII", "YYIIIIII", "IYYIIIII", "ZZIIIIII", "IZZIIIII"]
    rows = [(k, j, letter) for k, word in enumerate(letters) for j, letter in enumerate(word[:6])]
    squares = [box((72 + 30 * j, 12 + 30 * k), (28, 28), HUES[k // 2] if c != "I" else "#eef0f3") for k, j, c in rows]
    return "".join(squares)


def two_orders() -> str:
    later = numbered((238, 100), (2, 3, 5, 4, 7, 6, 1), (1, 2, 1, 2, 1, 2, 0))
    return numbered((85, 100), (1, 2, 3, 4, 5, 6, 7), PROPER) + later


THUMBNAILS: dict[str, Callable[[], str]] = {
    "demo": lambda: "".join(wheel((60 + 100 * k, 100), 42, [(c + k) % 5 for c in PROPER], 7) for k in range(3)),
    "file_and_save": lambda: document(35) + arrow((120, 100), (165, 100)) + wheel((240, 100), 60, PROPER, 9),
    "networkx_backend": lambda: text((60, 107), "nx", 40) + arrow((100, 95), (145, 95)) + wheel((230, 100), 70, PROPER),
    "scipy_least_squares": compression,
    "pytensor_jacobian": lambda: compression(turned=True),
    "gpu_jacobian": lambda: chip(cells(7, 7, 17, lambda i, j: HUES[i % 3] if abs(i - j) < 2 else "#dde6dd")),
    "smoother": lambda: lattice(8, 5, 36, lambda i, j: HUES[(i + j) % 2], 12),
    "poisson_cg": lambda: curves((0.5, 0.95), ("Jacobi", "by color")),
    "mesh_assembly": lambda: cells(8, 5, 37, lambda i, j: HUES[i % 2 + 2 * (j % 2)]),
    "contact_solver": discs,
    "pauli_groups": pauli,
    "large_graph": lambda: lattice(28, 17, 11, lambda i, j: HUES[(i + 2 * j) % 3], 4),
    "edges_in_many_files": strips,
    "coloring_in_a_loop": loop,
    "changing_graph": changing,
    "on_the_gpu": lambda: chip(wheel((160, 100), 48, PROPER, 9)),
    "compare_orders": two_orders,
    "dimacs_comparison": queens,
}


def picture(name: str) -> str:
    """Return the SVG of one example."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
    parts = [head, box((0, 0), (WIDTH, HEIGHT), "#fff"), THUMBNAILS[name](), "</svg>"]
    return "\n".join(parts).replace("><", ">\n<") + "\n"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in THUMBNAILS:
        (FOLDER / f"{name}.svg").write_text(picture(name))


if __name__ == "__main__":
    main()
