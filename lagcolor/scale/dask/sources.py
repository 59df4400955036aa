"""Edges in many files, in pieces that a task each reads where it runs.

=========================  ==========================================  ===============================================
files                      a piece                                     of their columns
=========================  ==========================================  ===============================================
.parquet .pq               rows of some row groups                     two, or those whose names say so
.npy                       a range of edges, mapped                    shape (m, 2) or (2, m)
.csv .txt .tsv … , .gz     a range of bytes; a .gz as a whole          as `lagcolor.io` reads edge lists
=========================  ==========================================  ===============================================

A dask DataFrame has its partitions as pieces, and a graph folder (lagcolor/io/folder) is in rows already: it needs
none of this.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import FormatError, GraphError
from ...inputs.ends import Ends
from ...inputs.tables import ends_among, undecided
from ...io import edge_list, parse
from ...io.files import load, malformed
from ...io.formats import FORMATS
from .files import mapped

PARQUET, NUMPY, COLUMNS, TEXT = "parquet", "npy", "npy columns", "text"
BYTES_PER_EDGE = 12  # about, of text
TEXTS = FORMATS["edges"].extensions
NUMBERED = (
    "vertices are numbered from 0 on here: `lagcolor convert` numbers names and makes a folder that this takes; of a "
    "dask DataFrame, make numbers of categories that both columns share"
)


@dataclass(frozen=True)
class Piece:
    """Some edges of a file.

    Attributes
    ----------
    kind : {"parquet", "npy", "npy columns", "text"}
    path : str
    start, stop : int
        Row groups, edges or bytes; of a file that is read as a whole its size.
    """

    kind: str
    path: str
    start: int
    stop: int

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of each edge, int64."""
        try:
            u, v = {PARQUET: _parquet, NUMPY: _numpy, COLUMNS: _numpy, TEXT: _text}[self.kind](self)
            return checked(u, v, ("u", "v"))
        except FormatError:
            raise
        except GraphError as e:
            raise FormatError(f"{self.path}: {e}") from e


def of_paths(paths: Sequence[str], edges: int) -> list[Piece]:
    """The pieces of files, with up to about so many edges each."""
    kinds = _kinds(paths)
    return [piece for path in paths for piece in _pieces(path, max(edges, 1), kinds.get(path, ""))]


def files(edges: Any) -> list[str]:
    """The files that a user names: a path, a pattern with ``*``, a folder of shards, or several of these; sorted."""
    found: list[str] = []
    for path in [edges] if isinstance(edges, (str, os.PathLike)) else list(edges):
        name = os.fspath(path)
        if os.path.isdir(name):
            inside = sorted(os.path.join(at, f) for at, _, names in os.walk(name) for f in names if _counts(at, f))
            if not inside:
                raise FileNotFoundError(2, f"no shards: a folder has files that end in {', '.join(known())}", name)
            found += inside
        elif os.path.exists(name):
            found.append(name)
        elif glob.has_magic(name) and (matching := sorted(glob.glob(name))):
            found += matching
        else:
            raise FileNotFoundError(2, "no such file", name)
    if not found:
        raise GraphError("edges has no paths: pass at least one")
    return found


def known() -> tuple[str, ...]:
    """Endings of files that are read in pieces."""
    return (".parquet", ".pq", ".npy", *TEXTS, *(f"{e}.gz" for e in TEXTS))


def checked(u: Any, v: Any, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Ends of edges as int64."""
    ends = Ends.of(u, v, names)
    for a, name in zip((ends.u, ends.v), names, strict=True):
        if isinstance(a, list):
            example = next((x for x in a if not isinstance(x, int)), None)
            raise GraphError(f"{name} has {example!r}, which is no number of a vertex: {NUMBERED}")
        if a.ndim != 1 or (len(a) and a.dtype.kind not in "iu"):
            raise GraphError(f"{name} must be whole numbers, not {a.dtype}")
        if len(a) and (int(a.min()) < 0 or int(a.max()) >= 2**63 - 1):
            low = int(a.min()) < 0
            at = int(a.argmin() if low else a.argmax())
            raise GraphError(f"{name}[{at}] = {int(a[at])} is no number of a vertex: these go from 0 on")
    if len(ends.u) != len(ends.v):
        raise GraphError(f"{names[0]} and {names[1]} must be of one length: {len(ends.u)} and {len(ends.v)}")
    return np.asarray(ends.u).astype(np.int64, copy=False), np.asarray(ends.v).astype(np.int64, copy=False)


def chosen(columns: Iterable[Any], what: str, choose: str) -> tuple[int, int]:
    """Which two columns of a table are the ends of edges."""
    names = list(columns)
    found = (0, 1) if len(names) == 2 else ends_among(names)
    if found is None:
        raise GraphError(
            f"{what}: {undecided(names)} {choose}, or name them source and target"
            if len(names) > 2
            else f"{what} has {len(names)} column{'s' * (len(names) != 1)}: edges take two, for their ends"
        )
    return found


def _counts(folder: str, name: str) -> bool:
    return name.lower().endswith(known()) and not name.startswith((".", "_")) and not Path(folder).name.startswith(".")


def _pieces(path: str, edges: int, kind: str) -> list[Piece]:
    """Of one file; `kind` is that of an array."""
    lower = path.lower()
    if lower.endswith((".parquet", ".pq")):
        return _row_groups(path, edges)
    if lower.endswith(".npy"):
        count = _mapped(path).shape[0 if kind == NUMPY else 1]
        return [Piece(kind, path, a, min(a + edges, count)) for a in range(0, count, edges)]
    size = os.path.getsize(path)
    if lower.endswith(TEXTS):
        step = edges * BYTES_PER_EDGE
        return [Piece(TEXT, path, a, min(a + step, size)) for a in range(0, size, step)]
    if lower.endswith(tuple(f"{e}.gz" for e in TEXTS)):
        return [Piece(TEXT, path, 0, size)]
    raise FormatError(
        f"{path}: edges in many files end in {', '.join(known())}; of another format, and of a graph that fits one "
        f"machine, `lagcolor convert` makes a folder that this takes"
    )


def _row_groups(path: str, edges: int) -> list[Piece]:
    about = _open_parquet(path).metadata
    pieces, first, count = [], 0, 0
    for k in range(about.num_row_groups):
        count += about.row_group(k).num_rows
        if count >= edges or k + 1 == about.num_row_groups:
            pieces.append(Piece(PARQUET, path, first, k + 1))
            first, count = k + 1, 0
    return pieces


def _open_parquet(path: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as e:
        raise GraphError(f"{path}: reading Parquet takes pyarrow: pip install 'lagcolor[dask]'") from e
    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as e:
        if isinstance(e, OSError) and e.errno is not None:
            raise
        raise FormatError(f"{path}: no Parquet file, or a damaged one ({e})") from e


def _parquet(piece: Piece) -> tuple[Any, Any]:
    import pyarrow as pa

    from ...inputs.tables import from_arrow

    file = _open_parquet(piece.path)
    names = file.schema_arrow.names
    ends = chosen(names, "the file", "Write a file with these two")
    try:
        found = file.read_row_groups(list(range(piece.start, piece.stop)), columns=[names[k] for k in ends])
    except (OSError, pa.ArrowException) as e:
        raise FormatError(f"{piece.path}: damaged in row groups {piece.start} to {piece.stop - 1} ({e})") from e
    table = from_arrow(found.select([names[k] for k in ends]))
    return table.u, table.v


def _mapped(path: str) -> np.ndarray:
    """The array of a file, which has the shape of edges."""
    try:
        array = mapped(path)
    except (ValueError, EOFError) as e:
        raise FormatError(f"{path}: no array, or a damaged one ({e})") from e
    if array.ndim != 2 or 2 not in array.shape or array.dtype.kind not in "iu":
        raise FormatError(
            f"{path}: an array of {array.dtype} and shape {array.shape}: edges are whole numbers of shape (m, 2) or "
            "(2, m)"
        )
    return array


def _kinds(paths: Sequence[str]) -> dict[str, str]:
    """Of each array file whether its rows or its columns are edges; one of shape (2, 2) is as the others are."""
    shapes = {path: _mapped(path).shape for path in paths if path.lower().endswith(".npy")}
    kinds = {path: NUMPY if shape[1] == 2 else COLUMNS for path, shape in shapes.items() if shape != (2, 2)}
    others = set(kinds.values())
    for path in shapes.keys() - kinds.keys():
        if len(others) != 1:
            raise FormatError(
                f"{path}: shape (2, 2) may be two edges or the two ends of two: put more edges in the file"
            )
        kinds[path] = next(iter(others))
    return kinds


def _numpy(piece: Piece) -> tuple[Any, Any]:
    array = _mapped(piece.path)
    found = array[piece.start : piece.stop].T if piece.kind == NUMPY else array[:, piece.start : piece.stop]
    return np.array(found[0]), np.array(found[1])


def _text(piece: Piece) -> tuple[Any, Any]:
    """Lines that begin in the piece; column names and comments at the top of the file count as none."""
    path = Path(piece.path)
    buf, begin, end = load(path), piece.start, piece.stop
    if path.name.lower().endswith(".gz"):
        end = len(buf)
    head, _, layout = edge_list.begin(path, buf)
    if layout.named:
        raise malformed(path, f"{parse.text_line(buf, head.at).strip()!r} names vertices: {NUMBERED}", head.line)
    begin, end = _line(buf, begin), _line(buf, end)
    first = max(begin, head.at)
    if first >= end:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    try:
        return edge_list.numbers(path, buf[:end], first, head.line, layout)
    except FormatError:  # its line is known where all before it are counted
        line = head.line + parse.count_lines(buf[head.at : first]) - 1
        return edge_list.numbers(path, buf[:end], first, line, layout, first == head.at)


def _line(buf: np.ndarray, at: int) -> int:
    """Where the first line that begins at a byte or later begins."""
    if at == 0 or at >= len(buf):
        return min(at, len(buf))
    here, step = at - 1, 1 << 12
    while here < len(buf):
        hits = np.flatnonzero(buf[here : here + step] == parse.NEWLINE)
        if len(hits):
            return here + int(hits[0]) + 1
        here += step
    return len(buf)
