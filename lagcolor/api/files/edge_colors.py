"""Files of colors of edges: ``u v color`` in .txt, ``u,v,color`` in .csv, and lists of ends and colors in .json.

An edge may be named from either end, and edges come in any order. Those that a file does not name get −1.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...base.errors import GraphError
from ...io.fields import OtherGraphError, colors_of_list, lines_of, names_of, number_of, plain, table, text_of
from ...io.files import malformed, said, shown
from ...io.json_text import JSONError, parsed
from ...problems.edges import EdgeNames

HEADER = ("u", "v", "color")
Rows = Iterable[tuple[int, str, str, Any]]  # line, ends, color


def write_txt(out: IO[bytes], coloring: Any) -> None:
    """Lines ``u v color``."""
    for u, v, color in _rows(coloring):
        blank = next((name for name in (u, v) if len(name.split()) != 1), None)
        if blank is not None:
            raise GraphError(f"the label {blank!r} is no word, and a .txt file has words: write .csv or .json")
        out.write(f"{u} {v} {color}\n".encode())


def write_csv(out: IO[bytes], coloring: Any) -> None:
    """The header ``u,v,color`` and a line for each edge."""
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(HEADER)
    rows.writerows(_rows(coloring))
    out.write(text.getvalue().encode())


def write_json(out: IO[bytes], coloring: Any) -> None:
    """Provenance, ``ends``: pairs, and ``colors``, a list in their order."""
    pairs, colors = [], []
    for u, v, color in _rows(coloring):
        pairs.append([u, v])
        colors.append(color)
    document = {**coloring.provenance(), "ends": pairs, "colors": colors}
    text = json.dumps(document, ensure_ascii=False, default=plain)
    out.write(text.encode(errors="backslashreplace") + b"\n")


def _rows(coloring: Any) -> Iterator[tuple[str, str, int]]:
    G = coloring.graph
    names = list(names_of(G.labels, G.n))
    u, v = (end.tolist() for end in EdgeNames(G).ends)
    for a, b, color in zip(u, v, coloring.to_numpy().tolist(), strict=True):
        yield names[a], names[b], color


def read_txt(path: Path, edges: EdgeNames) -> np.ndarray:
    """Colors of lines ``u v color``, or of lines with a color each, in the order of the edges."""
    lines = [(i, line.split()) for i, line in lines_of(path)]
    if lines and len(lines[0][1]) == 1 and len(edges):
        return np.array([number_of(path, " ".join(words), i) for i, words in lines], np.int64)
    for i, words in lines:
        if len(words) != 3:
            raise malformed(path, f"expected 'u v color', found {shown(' '.join(words))}", i)
    return _by_edge(path, edges, ((i, u, v, number_of(path, color, i)) for i, (u, v, color) in lines))


def read_csv(path: Path, edges: EdgeNames) -> np.ndarray:
    """Colors of lines ``u,v,color``."""
    rows = table(path, HEADER)
    return _by_edge(path, edges, ((i, u, v, number_of(path, color, i)) for i, (u, v, color) in rows))


def read_json(path: Path, edges: EdgeNames) -> np.ndarray:
    """Colors of the pairs in ``ends``; without these in the order of the edges."""
    try:
        document = parsed(text_of(path))
    except JSONError as e:
        raise malformed(path, f"no JSON ({e})", e.line) from e
    colors = colors_of_list(path, document.get("colors") if isinstance(document, dict) else document)
    pairs = document.get("ends") if isinstance(document, dict) else None
    if pairs is None:
        return np.array(colors, np.int64)
    fits = isinstance(pairs, list) and len(pairs) == len(colors) and all(isinstance(pair, list) for pair in pairs)
    if not fits or any(len(pair) != 2 for pair in pairs):
        raise malformed(path, "expected 'ends': a list with a pair of ends for each color")
    rows = zip(pairs, colors, strict=True)
    return _by_edge(path, edges, ((0, str(u), str(v), color) for (u, v), color in rows))


def numbers_of(path: Path, edges: EdgeNames, rows: list[tuple[int, str, str, Any]]) -> np.ndarray:
    """The number of the edge of each row."""
    numbers = names_of(edges.labels, edges.G.n)
    ends = np.array([[numbers.get(name, -1) for name in row[1:3]] for row in rows], np.int64).reshape(-1, 2)
    at = edges.find(ends[:, 0], ends[:, 1])
    if len(absent := np.flatnonzero(at < 0)):
        line, u, v, _ = rows[absent[0]]
        where = f", line {line}" if line else ""
        raise OtherGraphError(f"{said(path)}{where}: there is no edge {shown(f'{u} {v}')}")
    return at


def _by_edge(path: Path, edges: EdgeNames, rows: Rows) -> np.ndarray:
    """Colors in the order of the edges."""
    found, out = list(rows), np.full(len(edges), -1, np.int64)
    at = numbers_of(path, edges, found)
    if len(set(at.tolist())) < len(at):
        _, first = np.unique(at, return_index=True)
        line, u, v, _ = found[int(np.setdiff1d(np.arange(len(at)), first)[0])]
        raise malformed(path, f"edge {shown(f'{u} {v}')} has a color already", line or None)
    out[at] = [row[3] for row in found]
    return out


WRITERS = {".txt": write_txt, ".csv": write_csv, ".json": write_json}
READERS = {".txt": read_txt, ".csv": read_csv, ".json": read_json}
