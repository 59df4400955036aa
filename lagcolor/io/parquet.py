"""Parquet files: a table with two columns of ends of edges, read into memory; `lagcolor.convert` needs less memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..base.errors import GraphError, LagcolorError, MissingPackageError
from ..inputs.canonical import Structure
from ..inputs.ends import Ends
from ..inputs.tables import chosen, from_arrow, undecided
from .files import NO_HINT, FirstLine, malformed

BUFFER = 1 << 20  # bytes of a column that are read at a time


def read(path: Path, symmetrize: bool, hint: FirstLine = NO_HINT, matrix: bool = False) -> Structure | Ends:
    """Read a file; see `lagcolor.io.read`. With `matrix`, the ends of edges are rows and columns."""
    with opened(path) as file:
        ends = from_arrow(file.read(columns_of(path, file.schema_arrow.names, hint.columns)))
    return ends if matrix else ends.graph()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a file; the many errors of pyarrow for damaged files become a FormatError that names the file."""
    try:
        import pyarrow.parquet as pq
    except ImportError as e:
        raise MissingPackageError("reading Parquet files needs pyarrow: pip install pyarrow") from e
    try:
        how = {"pre_buffer": False, "memory_map": False, "page_checksum_verification": True}
        with pq.ParquetFile(path, buffer_size=BUFFER, **how) as file:
            yield file
    except (LagcolorError, MemoryError, GeneratorExit):
        raise
    except Exception as e:
        if isinstance(e, OSError) and e.errno is not None:
            raise
        raise malformed(path, f"no readable Parquet file ({str(e).strip()})") from e


def columns_of(path: Path, names: list[str], columns: Sequence[str] | None) -> list[str]:
    """Return the names of the columns with the ends of edges: the caller's columns, or two usual names."""
    if columns is None:
        try:
            return [names[k] for k in chosen(names, "", (0, len(names)))]
        except GraphError as e:
            raise malformed(path, f"{undecided(names)} Pass columns={tuple(names[:2])}") from e
    for name in columns:
        if name not in names:
            raise malformed(path, f"there is no column {name!r}; there are {', '.join(map(repr, names))}")
    return list(columns)
