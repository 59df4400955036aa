"""Edges of Parquet files: two columns of whole numbers, or of names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....io.files import malformed
from ....io.parquet import columns_of, opened
from .sources import Budget, Chunk, Source, checked


class Parquet(Source):
    """Two columns of a file: those named, or those that `lagcolor.inputs.tables` takes for the ends of edges."""

    edges: Any
    named: Any

    def __init__(self, path: Path, columns: Sequence[str] | None, budget: Budget, n: int | None) -> None:
        super().__init__(path)
        self._step, self._most = min(budget.edges, 1 << 20), n
        with opened(self.path) as file:
            schema, about = file.schema_arrow, file.metadata
            self.edges = self._rows = about.num_rows
            self._ends = np.cumsum([about.row_group(k).num_rows for k in range(about.num_row_groups)], dtype=np.int64)
        self._columns = columns_of(path, schema.names, columns)
        import pyarrow.types as types

        kinds = [schema.field(name).type for name in self._columns]
        texts = [types.is_string(t) or types.is_large_string(t) or types.is_dictionary(t) for t in kinds]
        self.named = all(texts)
        for name, text, type_ in zip(self._columns, texts, kinds, strict=True):
            if text != self.named or not (text or types.is_integer(type_) or types.is_floating(type_)):
                raise malformed(path, f"column {name!r} has {type_}, and ends of edges are whole numbers or names")

    def chunks(self, at: dict[str, int] | None, alone: bool) -> Iterator[Chunk]:
        """See `Source`."""
        done = 0 if at is None else at["edges"]
        first = int(np.searchsorted(self._ends, done, side="right"))  # groups before it are read
        ahead = done - int(self._ends[first - 1] if first else 0)  # rows of the first group to pass over
        for batch in self._batches(range(first, len(self._ends))):
            part, ahead = batch.slice(min(ahead, len(batch))), max(ahead - len(batch), 0)
            if len(part):
                u, v = self._both(part, done)
                done += len(part)
                yield Chunk(u, v, {"edges": done}, self.size * done // self._rows)
        if done != self._rows:
            raise malformed(self.path, f"the file says that it has {self._rows} rows, and {done} are there")

    def _batches(self, groups: Sequence[int]) -> Iterator[Any]:
        with opened(self.path) as file:
            yield from file.iter_batches(self._step, row_groups=groups, columns=self._columns, use_threads=False)

    def _both(self, part: Any, first: int) -> tuple[Any, Any]:
        """Both ends of some edges, `first` being the number of the first one."""
        ends = [part.column(name) for name in self._columns]
        for name, end in zip(self._columns, ends, strict=True):
            if end.null_count:
                row = first + end.is_null().to_pylist().index(True)
                raise malformed(self.path, f"column {name!r} has no value in row {row}")
        if self.named:
            return ends[0].to_pylist(), ends[1].to_pylist()
        u, v = (np.asarray(end.to_numpy(zero_copy_only=False)) for end in ends)
        return checked(self.path, u, v, first, self._most)
