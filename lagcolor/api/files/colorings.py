"""Coloring files: .npy, .txt (one color per line), .csv (vertex,color) and .json (with provenance).

Files of colors of edges have lines ``u v color`` in .txt, ``u,v,color`` in .csv, and lists of ends and colors in .json.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...base import device as dev
from ...base.errors import ColoringError, FormatError, GraphError, OptionError
from ...inputs.arrays import values_of
from ...io.fields import (
    TOP,
    OtherGraphError,
    distinct_names,
    lines_of,
    names_of,
    number_of,
    one_dimension,
    table,
    text_of,
)
from ...io.files import STDIN, atomic, bare_name, malformed, name_of, shown
from ...io.json_text import JSONError, parsed
from ...problems import PROBLEMS, named
from ...problems.edges import EdgeNames

EXTENSIONS = (".npy", ".txt", ".csv", ".json")
LABELS = "labels=G.labels, or labels=G.column_labels for colors of columns"  # in errors
Rows = Iterable[tuple[int, str, str, Any]]  # line, ends, color
_QUOTED = re.compile(r'[",\r\n]')


def write_coloring(path: str | os.PathLike[str], coloring: Any) -> None:
    """Write colors to a file, completely or not at all.

    Parameters
    ----------
    path : path-like
        The extension selects the format and may be followed by .gz: .npy (int32), .txt (one color per line), .csv
        (header ``vertex,color``, with labels if the graph has them), .json (provenance, and ``colors`` as a list or,
        with labels, an object). "-" is standard output, with one color per line. For colors of edges, .txt and "-" have
        lines ``u v color``, .csv has the header ``u,v,color``, and .json has the pairs in ``ends``.
    coloring : Coloring, or array of integers, shape (n,)
        The colors. An array has neither labels nor a provenance.

    Raises
    ------
    FormatError
        The extension is not one of these.
    ColoringError
        The array is not one-dimensional, or its values are not integers of int32.
    GraphError
        A label is half of a surrogate pair, which .csv cannot represent.
    OptionError
        `path` is the file that the graph was read from.
    OSError
        The file cannot be written. An existing file at `path` is unchanged.

    See Also
    --------
    read_coloring : Read the colors again.

    Examples
    --------
    >>> result = lagcolor.color(lagcolor.generate.path(4), order="natural")
    >>> lagcolor.io.write_coloring("colors.csv", result)
    >>> print(open("colors.csv").read())
    vertex,color
    0,0
    1,1
    2,0
    3,1
    """
    path = Path(path)
    extension = _extension(path)
    file = getattr(getattr(coloring, "graph", None), "_cache", {}).get("file")
    if file is not None and os.path.isfile(path) and os.path.exists(file) and os.path.samefile(file, path):
        raise OptionError(f"{path}: this is the file of the graph: choose another name")
    write = _WRITERS[extension]
    if getattr(coloring, "edge_colors", None) is not None:
        write = _EDGE_WRITERS.get(extension, write)
    result = coloring if hasattr(coloring, "provenance") else None
    colors = _plain_colors(coloring) if result is None else result.to_numpy()
    with atomic(path) as out:
        write(out, colors, result)


def _plain_colors(colors: Any) -> np.ndarray:
    """Colors as an array of the CPU."""
    array = dev.to_device(values_of(colors, "colors", ColoringError, by_label=False), "cpu")
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise ColoringError(f"colors are integers, one per vertex, not {array.dtype} of shape {array.shape}")
    if len(array) and (int(array.min()) < -TOP - 1 or int(array.max()) > TOP):
        v = int(array.argmax() if int(array.max()) > TOP else array.argmin())
        raise ColoringError(
            f"vertex {v} has color {int(array[v])}, which is no int32: colors go from 0 to {TOP}, and -1 means none"
        )
    return array


def read_coloring(
    path: str | os.PathLike[str], n: int | None = None, *, labels: Sequence[Any] | None = None
) -> np.ndarray:
    """Read colors from a file that `write_coloring` or another tool wrote.

    Parameters
    ----------
    path : path-like
        A file .npy, .txt, .csv or .json, by extension, also with .gz. "-" is standard input, with one color per line.
    n : int, optional
        Number of vertices, if a .csv or .json file may name only some of them. The others get −1.
    labels : sequence, optional
        ``G.labels``, if the file may name vertices by label; for colors of columns ``G.column_labels``, for colors of
        edges ``lagcolor.problems.PROBLEMS["edges"].labels(G)``.

    Returns
    -------
    array of integers, shape (n,)
        The color of each vertex.

    Raises
    ------
    FormatError
        The file is malformed, its vertices are neither 0 … n−1 nor `labels`, or a .json file has colors of edges and
        `labels` names vertices, rows or columns, or the other way round.

    See Also
    --------
    write_coloring : Write colors to a file.

    Examples
    --------
    >>> lagcolor.color(lagcolor.generate.path(4), order="natural").save("colors.txt")
    >>> lagcolor.io.read_coloring("colors.txt")
    array([0, 1, 0, 1])
    """
    return read_parts(Path(path), n, labels, ("edges",) if isinstance(labels, EdgeNames) else ())


def read_parts(path: Path, n: int | None, labels: Sequence[Any] | None, parts: tuple[str, ...]) -> np.ndarray:
    """Read colors of the parts that a problem colors, such as ("rows",); (): all but edges. A .json names its own."""
    extension = _extension(path)
    if extension == ".json":
        return _read_json(path, labels, n, parts)
    if isinstance(labels, EdgeNames) and extension != ".npy":
        return _EDGE_READERS[extension](path, labels)
    return _READERS[extension](path, labels, n)


def _extension(path: Path) -> str:
    if path == STDIN:
        return ".txt"
    for extension in EXTENSIONS:
        if bare_name(path).endswith(extension):
            return extension
    raise FormatError(f"{path}: the name of a file of colors must end in {', '.join(EXTENSIONS)} (or with .gz)")


def _labels(result: Any) -> Sequence[Any] | None:
    """Labels of the vertices, rows, columns or edges of a result; None if they are numbers, or without a result."""
    return None if result is None else named(result.problem).labels(result.graph)


def _write_npy(out: IO[bytes], colors: np.ndarray, result: Any) -> None:
    np.save(out, colors.astype(np.int32, copy=False), allow_pickle=False)


def _write_txt(out: IO[bytes], colors: np.ndarray, result: Any) -> None:
    out.write("".join(f"{c}\n" for c in colors.tolist()).encode())


def _write_csv(out: IO[bytes], colors: np.ndarray, result: Any) -> None:
    labels = _labels(result)
    names: Iterable[Any] = range(len(colors)) if labels is None else distinct_names(labels)
    out.write(b"vertex,color\n")
    out.writelines(b"%b,%d\n" % (_field(str(name)), color) for name, color in zip(names, colors.tolist(), strict=True))


def _field(name: str) -> bytes:
    """A name as a field of a .csv file; `csv.writer` does not quote a carriage return in Python 3.11."""
    try:
        return ('"' + name.replace('"', '""') + '"' if _QUOTED.search(name) else name).encode()
    except UnicodeEncodeError as e:
        raise GraphError(f"the label {name!r} is no text that UTF-8 can hold: write .json, which escapes it") from e


def _write_json(out: IO[bytes], colors: np.ndarray, result: Any) -> None:
    by_vertex: Any = colors.tolist()
    if (labels := _labels(result)) is not None:
        by_vertex = dict(zip(distinct_names(labels), by_vertex, strict=True))
    _dump(out, {**({} if result is None else result.provenance()), "colors": by_vertex})


def _dump(out: IO[bytes], document: dict[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=False, default=lambda x: x.tolist())  # NumPy and CuPy
    # UTF-8 cannot hold half of a surrogate pair; its escape in Python is that in JSON.
    out.write(text.encode(errors="backslashreplace") + b"\n")


def _read_npy(path: Path, labels: Sequence[Any] | None, n: int | None) -> np.ndarray:
    return one_dimension(path, "iu", "integers")


def _read_txt(path: Path, labels: Sequence[Any] | None, n: int | None) -> np.ndarray:
    return np.array([number_of(path, line, i) for i, line in lines_of(path)], np.int64)


def _read_csv(path: Path, labels: Sequence[Any] | None, n: int | None) -> np.ndarray:
    colors: dict[str, int] = {}
    for line, (vertex, color) in table(path, ("vertex", "color")):
        if vertex in colors:
            raise malformed(path, f"vertex {shown(vertex)} has a color already", line)
        colors[vertex] = number_of(path, color, line)
    return _by_vertex(path, colors, labels, n)


def _read_json(path: Path, labels: Sequence[Any] | None, n: int | None, parts: tuple[str, ...]) -> np.ndarray:
    """Colors by vertex, by pair in ``ends``, or in the order of the vertices or edges."""
    try:
        document = parsed(text_of(path))
    except JSONError as e:
        raise malformed(path, f"no JSON ({e})", e.line) from e
    if not isinstance(document, dict):
        document = {"colors": document}
    _check_parts(path, document, parts)
    colors, pairs, edges = document.get("colors"), document.get("ends"), isinstance(labels, EdgeNames)
    values = list(colors.values()) if isinstance(colors, dict) and not edges else colors
    if not isinstance(values, list):
        raise malformed(path, "expected an object with 'colors': a list, or an object from vertex to color")
    for c in values:
        if type(c) is not int or not -(2**63) <= c < 2**63:
            raise malformed(path, f"a color must be a whole number, not {shown(repr(c))[1:-1]}")
    if isinstance(colors, dict):
        return _by_vertex(path, colors, labels, n)
    if isinstance(labels, EdgeNames) and pairs is not None:
        return _by_pair(path, labels, pairs, values)
    return np.array(values, np.int64)


def _check_parts(path: Path, document: dict[str, Any], parts: tuple[str, ...]) -> None:
    """Raise an error if a document has colors of other parts; see `read_parts`."""
    row = PROBLEMS.get("edges" if "ends" in document else str(document.get("problem")))
    if row is not None and row.colored != parts and (parts or row.colored == ("edges",)):
        what = f"a coloring for problem={row.name!r}, which colors {' and '.join(row.colored)}"
        advice = "" if parts else f": pass labels=lagcolor.problems.PROBLEMS[{row.name!r}].labels(G)"
        raise malformed(path, f"{what}, not {' and '.join(parts) or 'vertices'}{advice}")


def _by_vertex(path: Path, colors: dict[str, int], labels: Sequence[Any] | None, n: int | None) -> np.ndarray:
    """Colors in the order of the vertices, whatever the order of the file."""
    if n is not None:
        of, out = names_of(labels, n), np.full(n, -1, np.int64)
        for name, color in colors.items():
            if name not in of:
                they = f": they go from 0 to {n - 1}" if labels is None and n else ""
                raise OtherGraphError(f"{name_of(path)}: there is no vertex {shown(name)}{they}")
            out[of[name]] = color
        return out
    names = distinct_names(labels) if labels is not None else [str(v) for v in range(len(colors))]
    fault = f"it colors {len(colors)} vertices, and there are {len(names)} labels"
    if len(names) == len(colors):
        absent = next((name for name in names if name not in colors), None)
        if absent is None:
            return np.array([colors[name] for name in names], np.int64)
        fault = f"vertex {shown(absent)} has no color"
    raise malformed(path, f"{fault} (a file with labels needs the graph's: {LABELS})")


# Colors of edges: a file may name either end of an edge first, in any order of edges. Other edges get −1.


def _write_edges_txt(out: IO[bytes], colors: np.ndarray, result: Any) -> None:
    """Lines ``u v color``."""
    for u, v, color in _ends(colors, result):
        blank = next((name for name in (u, v) if len(name.split()) != 1), None)
        if blank is not None:
            raise GraphError(f"the label {blank!r} is no word, and a .txt file has words: write .csv or .json")
        out.write(f"{u} {v} {color}\n".encode())


def _write_edges_csv(out: IO[bytes], colors: np.ndarray, result: Any) -> None:
    """The header ``u,v,color`` and a line for each edge."""
    out.write(b"u,v,color\n")
    out.writelines(b"%b,%b,%d\n" % (_field(u), _field(v), color) for u, v, color in _ends(colors, result))


def _write_edges_json(out: IO[bytes], colors: np.ndarray, result: Any) -> None:
    """Provenance, ``ends``: pairs, and ``colors``, a list in their order."""
    pairs, values = [], []
    for u, v, color in _ends(colors, result):
        pairs.append([u, v])
        values.append(color)
    _dump(out, {**result.provenance(), "ends": pairs, "colors": values})


def _ends(colors: np.ndarray, result: Any) -> Iterator[tuple[str, str, int]]:
    G = result.graph
    names = list(names_of(G.labels, G.n))
    u, v = (end.tolist() for end in EdgeNames(G).ends)
    for a, b, color in zip(u, v, colors.tolist(), strict=True):
        yield names[a], names[b], color


def _read_edges_txt(path: Path, edges: EdgeNames) -> np.ndarray:
    """Colors of lines ``u v color``, or of lines with a color each, in the order of the edges."""
    lines = [(i, line.split()) for i, line in lines_of(path)]
    if lines and len(lines[0][1]) == 1 and len(edges):
        return np.array([number_of(path, " ".join(words), i) for i, words in lines], np.int64)
    for i, words in lines:
        if len(words) != 3:
            raise malformed(path, f"expected 'u v color', found {shown(' '.join(words))}", i)
    return _by_edge(path, edges, ((i, u, v, number_of(path, color, i)) for i, (u, v, color) in lines))


def _read_edges_csv(path: Path, edges: EdgeNames) -> np.ndarray:
    """Colors of lines ``u,v,color``."""
    rows = table(path, ("u", "v", "color"))
    return _by_edge(path, edges, ((i, u, v, number_of(path, color, i)) for i, (u, v, color) in rows))


def _by_pair(path: Path, edges: EdgeNames, pairs: Any, colors: list[int]) -> np.ndarray:
    """Colors of the pairs in ``ends``."""
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
        raise OtherGraphError(f"{name_of(path)}{where}: there is no edge {shown(f'{u} {v}')}")
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


_WRITERS = {".npy": _write_npy, ".txt": _write_txt, ".csv": _write_csv, ".json": _write_json}
_READERS = {".npy": _read_npy, ".txt": _read_txt, ".csv": _read_csv}
_EDGE_WRITERS = {".txt": _write_edges_txt, ".csv": _write_edges_csv, ".json": _write_edges_json}
_EDGE_READERS = {".txt": _read_edges_txt, ".csv": _read_edges_csv}
