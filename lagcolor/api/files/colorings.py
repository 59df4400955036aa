"""Coloring files: .npy, .txt (one color per line), .csv (vertex,color) and .json (with provenance)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ...base import device as dev
from ...base.errors import ColoringError, FormatError, GraphError
from ...inputs.arrays import array_like
from ...io.fields import (
    TOP,
    OtherGraphError,
    colors_of_list,
    distinct_names,
    lines_of,
    names_of,
    number_of,
    one_dimension,
    plain,
    table,
    text_of,
)
from ...io.files import STDIN, atomic, bare_name, malformed, said, shown
from ...io.json_text import JSONError, parsed
from ...problems import named
from ...problems.edges import EdgeNames
from . import edge_colors

EXTENSIONS = (".npy", ".txt", ".csv", ".json")
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
    write = _WRITERS[extension]
    if getattr(coloring, "edge_colors", None) is not None:
        write = edge_colors.WRITERS.get(extension, write)
    written: Any = coloring if hasattr(coloring, "provenance") else _Bare(_plain_colors(coloring))
    with atomic(path) as out:
        write(out, written)


class _Bare(NamedTuple):
    """Colors without a graph or provenance, in the place of a result."""

    colors: np.ndarray

    def to_numpy(self) -> np.ndarray:
        """The colors."""
        return self.colors

    def provenance(self) -> dict[str, Any]:
        """Nothing."""
        return {}


def _plain_colors(colors: Any) -> np.ndarray:
    """Colors as an array of the CPU."""
    array = dev.to_device(array_like(colors), "cpu")
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
        ``G.labels``, if the file may name vertices by label. For colors of edges,
        ``lagcolor.problems.PROBLEMS["edges"].labels(G)``.

    Returns
    -------
    array of integers, shape (n,)
        The color of each vertex.

    Raises
    ------
    FormatError
        The file is malformed, or its vertices are neither 0 … n−1 nor `labels`.

    See Also
    --------
    write_coloring : Write colors to a file.

    Examples
    --------
    >>> lagcolor.color(lagcolor.generate.path(4), order="natural").save("colors.txt")
    >>> lagcolor.io.read_coloring("colors.txt")
    array([0, 1, 0, 1])
    """
    path = Path(path)
    extension = _extension(path)
    if isinstance(labels, EdgeNames) and extension != ".npy":
        return edge_colors.READERS[extension](path, labels)
    return _READERS[extension](path, labels, n)


def _extension(path: Path) -> str:
    if path == STDIN:
        return ".txt"
    for extension in EXTENSIONS:
        if bare_name(path).endswith(extension):
            return extension
    raise FormatError(f"{path}: the name of a file of colors must end in {', '.join(EXTENSIONS)} (or with .gz)")


def _labels(coloring: Any) -> Sequence[Any] | None:
    """The user's names of what is colored."""
    return None if isinstance(coloring, _Bare) else named(coloring.problem).labels(coloring.graph)


def _write_npy(out: IO[bytes], coloring: Any) -> None:
    np.save(out, coloring.to_numpy().astype(np.int32, copy=False), allow_pickle=False)


def _write_txt(out: IO[bytes], coloring: Any) -> None:
    out.write("".join(f"{c}\n" for c in coloring.to_numpy().tolist()).encode())


def _write_csv(out: IO[bytes], coloring: Any) -> None:
    colors = coloring.to_numpy().tolist()
    labels = _labels(coloring)
    names: Iterable[Any] = range(len(colors)) if labels is None else distinct_names(labels)
    out.write(b"vertex,color\n")
    out.writelines(b"%b,%d\n" % (_field(str(name)), color) for name, color in zip(names, colors, strict=True))


def _field(name: str) -> bytes:
    """A name as a field of a .csv file; `csv.writer` does not quote a carriage return in Python 3.11."""
    try:
        return ('"' + name.replace('"', '""') + '"' if _QUOTED.search(name) else name).encode()
    except UnicodeEncodeError as e:
        raise GraphError(f"the label {name!r} is no text that UTF-8 can hold: write .json, which escapes it") from e


def _write_json(out: IO[bytes], coloring: Any) -> None:
    colors: Any = coloring.to_numpy().tolist()
    labels = _labels(coloring)
    if labels is not None:
        colors = dict(zip(distinct_names(labels), colors, strict=True))
    document = {**coloring.provenance(), "colors": colors}
    text = json.dumps(document, ensure_ascii=False, default=plain)
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


def _read_json(path: Path, labels: Sequence[Any] | None, n: int | None) -> np.ndarray:
    try:
        document = parsed(text_of(path))
    except JSONError as e:
        raise malformed(path, f"no JSON ({e})", e.line) from e
    colors = document.get("colors") if isinstance(document, dict) else document
    values = colors_of_list(path, list(colors.values()) if isinstance(colors, dict) else colors)
    if isinstance(colors, dict):
        return _by_vertex(path, colors, labels, n)
    return np.array(values, np.int64)


def _by_vertex(path: Path, colors: dict[str, int], labels: Sequence[Any] | None, n: int | None) -> np.ndarray:
    """Colors in the order of the vertices, whatever the order of the file."""
    if n is not None:
        of, out = names_of(labels, n), np.full(n, -1, np.int64)
        for name, color in colors.items():
            if name not in of:
                they = f": they go from 0 to {n - 1}" if labels is None and n else ""
                raise OtherGraphError(f"{said(path)}: there is no vertex {shown(name)}{they}")
            out[of[name]] = color
        return out
    names = distinct_names(labels) if labels is not None else [str(v) for v in range(len(colors))]
    if labels is not None and len(names) != len(colors):
        raise malformed(path, f"it colors {len(colors)} vertices, and the graph has {len(names)}")
    absent = next((name for name in names if name not in colors), None)
    if absent is None:
        return np.array([colors[name] for name in names], np.int64)
    hint = "" if labels is not None else " (a file with labels needs the graph's: labels=G.labels)"
    raise malformed(path, f"vertex {shown(absent)} has no color{hint}")


_WRITERS = {".npy": _write_npy, ".txt": _write_txt, ".csv": _write_csv, ".json": _write_json}
_READERS = {".npy": _read_npy, ".txt": _read_txt, ".csv": _read_csv, ".json": _read_json}
