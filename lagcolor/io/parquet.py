"""Parquet files: a table whose two columns are the ends of edges, read into memory; `lagcolor.convert` needs less."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..base.errors import GraphError, LagcolorError, MissingPackageError
from ..inputs.canonical import Structure
from ..inputs.ends import Ends
from ..inputs.tables import chosen, from_arrow, undecided
from .files import AS_IT_SEEMS, FirstLine, malformed

BUFFER = 1 << 20  # bytes of a column that are read at once


def read(path: Path, symmetrize: bool, told: FirstLine = AS_IT_SEEMS, matrix: bool = False) -> Structure | Ends:
    """See `lagcolor.io.read`; `matrix`: the ends of edges are rows and columns."""
    with opened(path) as file:
        ends = from_arrow(file.read(columns_of(path, file.schema_arrow.names, told.columns)))
    return ends if matrix else ends.graph()


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The file; errors of pyarrow, which raises many types for damaged ones, as a FormatError that names it."""
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
    """The names of the columns that hold the ends of edges: those that the caller names, if any."""
    if columns is None:
        try:
            return [names[k] for k in chosen(names, "", (0, len(names)))]
        except GraphError as e:
            raise malformed(path, f"{undecided(names)} Pass columns={tuple(names[:2])}") from e
    for name in columns:
        if name not in names:
            raise malformed(path, f"there is no column {name!r}; there are {', '.join(map(repr, names))}")
    return list(columns)
