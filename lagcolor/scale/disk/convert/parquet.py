"""Edges of Parquet files: two columns of whole numbers, or of names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....core.errors import GraphError, LagcolorError, OptionError
from ....inputs.tables import chosen, undecided
from ....io.files import malformed
from .sources import Budget, Chunk, Source, checked

BUFFER = 1 << 20  # bytes of a column that are read at once


class Parquet(Source):
    """Two columns of a file: those named, or those that `lagcolor.inputs.tables` takes for the ends of edges."""

    def __init__(self, path: Path, columns: Sequence[str] | None, budget: Budget, n: int | None) -> None:
        super().__init__(path)
        self._step, self._most = min(budget.edges, 1 << 20), n
        with self._readable(), self._file() as file:
            schema, self._rows = file.schema_arrow, file.metadata.num_rows
            self._groups = [file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)]
        self.edges = self._rows
        self._columns = self._chosen(schema.names, columns)
        import pyarrow as pa

        kinds = [schema.field(name).type for name in self._columns]
        texts = [pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_dictionary(t) for t in kinds]
        self.named = all(texts)
        for name, text, type_ in zip(self._columns, texts, kinds, strict=True):
            if (not text and not pa.types.is_integer(type_) and not pa.types.is_floating(type_)) or text != self.named:
                raise malformed(path, f"column {name!r} has {type_}, and ends of edges are whole numbers or names")

    def _file(self) -> Any:
        try:
            import pyarrow.parquet as pq
        except ImportError as e:
            raise OptionError("reading Parquet files takes pyarrow: pip install pyarrow") from e
        return pq.ParquetFile(
            self.path, buffer_size=BUFFER, pre_buffer=False, memory_map=False, page_checksum_verification=True
        )

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        """Errors of pyarrow, which raises many types for damaged files, as a FormatError that names the file."""
        try:
            yield
        except (LagcolorError, MemoryError):
            raise
        except Exception as e:
            if isinstance(e, OSError) and e.errno is not None:
                raise
            raise malformed(self.path, f"no readable Parquet file ({str(e).strip()})") from e

    def _chosen(self, names: list[str], columns: Sequence[str] | None) -> list[str]:
        if columns is None:
            try:
                return [names[k] for k in chosen(names, "", (0, len(names)))]
            except GraphError as e:
                raise malformed(self.path, f"{undecided(names)} Pass columns={tuple(names[:2])}") from e
        for name in columns:
            if name not in names:
                raise malformed(self.path, f"there is no column {name!r}; there are {', '.join(map(repr, names))}")
        return list(columns)

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        done = begun = 0 if at is None else at["edges"]
        groups, skipped = list(range(len(self._groups))), 0
        while groups and skipped + self._groups[groups[0]] <= begun:  # a group less each time
            skipped += self._groups[groups.pop(0)]
        ahead = begun - skipped  # rows of the first group that are left to pass over
        with self._file() as file:
            batches = file.iter_batches(self._step, row_groups=groups, columns=self._columns, use_threads=False)
            while True:  # each turn reads a batch
                with self._readable():
                    if (batch := next(batches, None)) is None:
                        break
                    part = batch.slice(min(ahead, len(batch)))
                    ahead -= len(batch) - len(part)
                    if not len(part):
                        continue
                    u, v = self._ends(part, done)
                done += len(part)
                yield Chunk(u, v, {"edges": done}, self.size * done // self._rows)
        if done != self._rows:
            raise malformed(self.path, f"the file says that it has {self._rows} rows, and {done} are there")

    def _ends(self, part: Any, first: int) -> tuple[Any, Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        ends = [part.column(name) for name in self._columns]
        for name, end in zip(self._columns, ends, strict=True):
            if end.null_count:
                row = first + pc.index(end.is_null(), pa.scalar(True)).as_py()
                raise malformed(self.path, f"column {name!r} has no value in row {row}")
        if self.named:
            return tuple(end.to_pylist() for end in ends)  # type: ignore[return-value]
        u, v = (np.asarray(end.to_numpy(zero_copy_only=False)) for end in ends)
        return checked(self.path, u, v, first, self._most)
