"""Parts of the pictures of docs/explanations: graphs, edges and matrices in colors, as SVG."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from update_step_pictures import PALETTE

WIDTH, MARGIN, RADIUS, CELL, LINE = 200, 14, 13, 20, 16  # sizes in units of the drawing; two panels are 400 wide
CLASH = 'stroke="#B00020" stroke-width="4" stroke-dasharray="6 4"'
STYLE = (
    "text{font-family:Helvetica,Arial,sans-serif;fill:#111;font-size:13px}.k{font-size:14px;font-weight:bold;"
    "text-anchor:middle}.m{text-anchor:middle}.t{font-weight:bold}.e{text-anchor:end}"
)
Point = tuple[float, float]


class Panel(NamedTuple):
    """A drawing, its height without the caption, and the lines of the caption."""

    parts: list[str]
    height: float
    caption: Sequence[str]


def hue(color: int) -> str:
    """Return the fill of a color; white for none."""
    return PALETTE[color % len(PALETTE)] if color >= 0 else "#fff"


def words(at: Point, text: str, kind: str = "m", color: int = -1) -> str:
    """Return a text with its baseline at a point; white on dark fills."""
    ink = ' style="fill:#fff"' if color >= 0 and hue(color) == "#0072B2" else ""
    return f'<text class="{kind}" x="{at[0]:g}" y="{at[1]:g}"{ink}>{escape(text)}</text>'


def line(a: Point, b: Point, look: str = 'stroke="#777" stroke-width="1.6"') -> str:
    """Return a straight line."""
    return f'<line x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}" {look}/>'


def disk(at: Point, color: int, text: str | None = None) -> list[str]:
    """Return a vertex in its color, with the number of the color, or another text."""
    (x, y), label = at, text if text is not None else str(color) if color >= 0 else ""
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS}" fill="{hue(color)}" stroke="#333" stroke-width="1.3"/>'
    return [circle, *([words((x, y + 5), label, "k", color)] if label else [])]


def graph(
    places: Mapping[str, Point],
    edges: Sequence[str],
    colors: Mapping[str, int],
    clash: Collection[str] = (),
    names: Mapping[str, str] | None = None,
) -> list[str]:
    """Return edges, dashed if in conflict, and vertices; `names` are texts next to vertices."""
    parts = [line(places[e[0]], places[e[1]], *([CLASH] if e in clash else [])) for e in edges]
    for v, at in places.items():
        parts += disk(at, colors.get(v, -1))
        if names and v in names:
            parts.append(words((at[0], at[1] - RADIUS - 5), names[v]))
    return parts


def colored_edges(places: Mapping[str, Point], colors: Mapping[str, int]) -> list[str]:
    """Return edges in their colors, with numbers at their middles, and white vertices."""
    parts = []
    for e, c in colors.items():
        (x1, y1), (x2, y2) = places[e[0]], places[e[1]]
        middle = (x1 + (x2 - x1) * 0.38, y1 + (y2 - y1) * 0.38)
        parts.append(line((x1, y1), (x2, y2), f'stroke="{hue(c)}" stroke-width="5"'))
        parts.append(f'<circle cx="{middle[0]:g}" cy="{middle[1]:g}" r="9" fill="#fff" stroke="{hue(c)}"/>')
        parts.append(words((middle[0], middle[1] + 5), str(c), "k"))
    return parts + [part for at in places.values() for part in disk(at, -1)]


def cells(corner: Point, hues: Sequence[Sequence[int | None]]) -> list[str]:
    """Return a matrix: a square per entry in its color (−1: gray; None: empty)."""
    (x, y), parts = corner, []
    for i, row in enumerate(hues):
        for j, c in enumerate(row):
            fill = "#fff" if c is None else "#C8C8C8" if c < 0 else hue(c)
            at = f'x="{x + CELL * j:g}" y="{y + CELL * i:g}"'
            parts.append(f'<rect {at} width="{CELL}" height="{CELL}" fill="{fill}" stroke="#BBB"/>')
            if c is not None and c >= 0:
                parts.append(words((x + CELL * (j + 0.5), y + CELL * (i + 0.5) + 5), str(c), "k", c))
    return parts


def picture(title: str, says: str, panels: Sequence[Panel]) -> str:
    """Return the SVG: at most two panels in a row, on a white ground for light and dark pages."""
    parts, top = [], 0.0
    for first in range(0, len(panels), 2):
        pair = panels[first : first + 2]
        below = max(p.height for p in pair)
        for place, panel in enumerate(pair):
            parts.append(f'<g transform="translate({place * WIDTH} {top:g})">')
            parts += panel.parts
            parts += [words((MARGIN, below + LINE * (i + 1)), text, "c") for i, text in enumerate(panel.caption)]
            parts.append("</g>")
        top += below + LINE * max(len(p.caption) for p in pair) + MARGIN
    width = WIDTH * min(2, len(panels))
    return svg((width, top), title, says, parts)


def svg(size: Point, title: str, says: str, parts: Sequence[Any]) -> str:
    """Return the SVG document with these parts."""
    width, height = size
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * 1.4:g}" viewBox="0 0 {width:g} {height:g}"'
    ground = f'<rect width="{width:g}" height="{height:g}" rx="6" fill="#fff"/>'
    described = [f'<title id="title">{escape(title)}</title>', f'<desc id="desc">{escape(says)}</desc>']
    opening = f'{head} role="img" aria-labelledby="title desc">'
    return "\n".join([opening, *described, f"<style>{STYLE}</style>", ground, *parts, "</svg>\n"])
