"""Edges of Parquet files: two columns of whole numbers, or of names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ....io.files import malformed
from ....io.parquet import columns_of, opened
from .sources import Both, EdgeSource, MemoryShares, counted


def parquet(path: Path, columns: Sequence[str] | None, budget: MemoryShares) -> EdgeSource:
    """Two columns of a file: those named, or those that `lagcolor.inputs.tables` takes for the ends of edges."""
    with opened(path) as file:
        schema, about = file.schema_arrow, file.metadata
        last = np.cumsum([about.row_group(k).num_rows for k in range(about.num_row_groups)], dtype=np.int64)
    names = columns_of(path, schema.names, columns)
    import pyarrow.types as types

    kinds = [schema.field(name).type for name in names]
    texts = [types.is_string(t) or types.is_large_string(t) or types.is_dictionary(t) for t in kinds]
    named = all(texts)
    for name, text, type_ in zip(names, texts, kinds, strict=True):
        if text != named or not (text or types.is_integer(type_) or types.is_floating(type_)):
            raise malformed(path, f"column {name!r} has {type_}, and ends of edges are whole numbers or names")

    def ends(done: int) -> Iterator[Both]:
        first = int(np.searchsorted(last, done, side="right"))  # groups before it are read
        ahead = done - int(last[first - 1] if first else 0)  # rows of the first group to pass over
        how = {"row_groups": range(first, len(last)), "columns": names, "use_threads": False}
        with opened(path) as file:
            for batch in file.iter_batches(min(budget.edges, 1 << 20), **how):
                part, ahead = batch.slice(min(ahead, len(batch))), max(ahead - len(batch), 0)
                found = [part.column(name) for name in names]
                for name, end in zip(names, found, strict=True):
                    if end.null_count:
                        row = done + end.is_null().to_pylist().index(True)
                        raise malformed(path, f"column {name!r} has no value in row {row}")
                u, v = (end.to_pylist() if named else np.asarray(end.to_numpy(zero_copy_only=False)) for end in found)
                yield u, v
                done += len(u)

    return counted(path, about.num_rows, ends, named=named)
