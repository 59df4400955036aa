"""Draw the steps of algorithms on seven vertices: one SVG per algorithm in docs/pictures, a panel per step.

The steps come from the versions in plain Python in tools/steps_*.py. Tests compare their colors with
`lagcolor.color`, and the pictures with the steps.
"""

from __future__ import annotations

import importlib
import sys
import textwrap
from html import escape
from pathlib import Path

import step_pictures
from step_pictures import EDGES, NAMES, PLACES, STORIES, Step

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH, GRAPH, LINE = 140, 121, 12  # sizes in units of the drawing
MIDDLE = sum(y for _, y in PLACES.values()) / len(PLACES)
CHARACTERS, LINES, RADIUS = 27, 3, 10.5
# Okabe and Ito's palette, which differs for all common kinds of color vision; the number is in each vertex as well.
PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2", "#999999")
CLASH = 'stroke="#B00020" stroke-width="3" stroke-dasharray="4 3"'
STYLE = (
    "text{font-family:Helvetica,Arial,sans-serif;fill:#111}.n{font-size:10px;font-weight:bold;text-anchor:middle}"
    ".l{font-size:9px;text-anchor:middle}.c{font-size:9.5px}.k{font-size:12px;font-weight:bold;text-anchor:middle}"
)


def per_row(steps: list[Step]) -> int:
    """Number of panels in a row: three, or two if there are four."""
    return 2 if len(steps) == 4 else 3


def row(steps: list[Step], first: int, top: int) -> tuple[list[str], int]:
    """Return one row of panels, from step `first` on, and the top of the next row."""
    members = list(enumerate(steps))[first : first + per_row(steps)]
    lower = {v for v, name in enumerate(NAMES) if PLACES[name][1] > MIDDLE}
    base = top + GRAPH - (0 if any(lower & s.labels.keys() for _, s in members) else 10)
    drawn = [panel(s, i, ((i - first) * WIDTH, top), base) for i, s in members]
    return drawn, base + 16 + LINE * max(len(lines(s.caption, i)) for i, s in members)


def panel(step: Step, number: int, at: tuple[int, int], base: int) -> str:
    """Return one step: edges, vertices, names and the caption, in a group at its place."""
    parts = [f'<g transform="translate({at[0]} {at[1]})">', *edges(step), *vertices(step)]
    for i, line in enumerate(lines(step.caption, number)):
        parts.append(f'<text class="c" x="4" y="{base - at[1] + 12 + LINE * i}">{escape(line)}</text>')
    return "\n".join([*parts, "</g>"])


def lines(caption: str, number: int) -> list[str]:
    """Return the caption with the number of its panel, in lines that fit."""
    found = textwrap.wrap(f"{number}. {caption}", CHARACTERS)
    if len(found) > LINES:
        raise ValueError(f"{caption!r} takes more than {LINES} lines of {CHARACTERS} characters")
    return found


def edges(step: Step) -> list[str]:
    """Return a line per edge, thick and dashed if in conflict. Colored edges have numbers."""
    clash = {frozenset(NAMES[v] for v in pair) for pair in step.edges}
    paint = {frozenset(NAMES[v] for v in pair): c for pair, c in step.paint.items()}
    parts = []
    for u, v in EDGES:
        (x1, y1), (x2, y2), pair = PLACES[u], PLACES[v], frozenset((u, v))
        line = f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"'
        if not paint:
            parts.append(f"{line} {CLASH}/>" if pair in clash else f'{line} stroke="#777"/>')
            continue
        if pair in clash:
            parts.append(f'{line} stroke="#111" stroke-width="8" stroke-linecap="round"/>')
            parts.append(f'{line} stroke="#fff" stroke-width="6" stroke-linecap="round"/>')
        c = paint.get(pair, -1)
        look = f'stroke="{PALETTE[c]}" stroke-width="4"' if c >= 0 else 'stroke="#777" stroke-dasharray="3 3"'
        parts.append(f"{line} {look}/>")
        if c >= 0:
            x, y = (x1 + x2) / 2, (y1 + y2) / 2
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="#fff" stroke="#777" stroke-width=".6"/>')
            parts.append(f'<text class="l" x="{x:g}" y="{y + 3.2:g}">{c}</text>')
    return parts


def vertices(step: Step) -> list[str]:
    """Return a disk per vertex with its color and number; a ring if active; name and label above or below."""
    parts, radius = [], RADIUS - 4 if step.paint else RADIUS
    for v, name in enumerate(NAMES):
        (x, y), c = PLACES[name], step.colors[v]
        if v in step.active:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{radius + 3:g}" fill="#fff" stroke="#111" stroke-width="2.2"/>')
        fill = PALETTE[c % len(PALETTE)] if c >= 0 else "#fff"
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="#333"/>')
        if c >= 0:
            ink = ' style="fill:#fff"' if fill == "#0072B2" else ""
            parts.append(f'<text class="k" x="{x}" y="{y + 4.3}"{ink}>{c}</text>')
        out = y + RADIUS + 13 if y > MIDDLE else y - RADIUS - 7
        parts.append(f'<text class="n" x="{x}" y="{out}">{name}</text>')
        if v in step.labels:
            away = out + 10 if y > MIDDLE else out - 10
            parts.append(f'<text class="l" x="{x}" y="{away}">{escape(step.labels[v])}</text>')
    return parts


def draw(name: str) -> str:
    """Return the picture of one algorithm."""
    version, steps = STORIES[name], step_pictures.run(name)
    drawn, height, width = [], 0, WIDTH * min(per_row(steps), len(steps))
    for first in range(0, len(steps), per_row(steps)):
        panels, height = row(steps, first, height)
        drawn += panels
    description = " ".join(f"{i}. {s.caption}. Colors: {colors(s)}." for i, s in enumerate(steps))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * 1.5:g}" viewBox="0 0 {width} {height}" role="img"'
    return "\n".join(
        [
            f'{head} aria-labelledby="title desc">',
            f'<title id="title">{escape(version.title)} on seven vertices, step by step</title>',
            f'<desc id="desc">{escape(description)}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect width="{width}" height="{height}" rx="6" fill="#fff"/>',
            *drawn,
            "</svg>\n",
        ]
    )


def colors(step: Step) -> str:
    """Return the colors of a step in words."""
    pairs = zip(NAMES, step.colors, strict=True)
    if step.paint:
        pairs = zip(EDGES, (step.paint.get((NAMES.index(u), NAMES.index(v)), -1) for u, v in EDGES), strict=True)
    return ", ".join(f"{n} {c}" for n, c in pairs if c >= 0) or "none"


def load() -> None:
    """Import all files of steps, which register their stories."""
    for file in sorted(Path(__file__).parent.glob("steps_*.py")):
        importlib.import_module(file.stem)


def picture(name: str) -> Path:
    """Return the path of an algorithm's picture."""
    return FOLDER / f"steps-{name.replace('_', '-')}.svg"


def main() -> int:
    """Draw the pictures that are stale."""
    load()
    for name in STORIES:
        file, now = picture(name), draw(name)
        if not file.exists() or file.read_text(encoding="utf-8") != now:
            file.write_text(now, encoding="utf-8")
            print(f"drew docs/pictures/{file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
