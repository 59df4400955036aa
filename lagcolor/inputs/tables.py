"""Tables of edges: DataFrames of pandas and polars, Arrow tables, anything with an Arrow stream.

Two columns are the ends of edges. Of more columns, two are identified by their names (source and target, from and to
…), and the others are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import GraphError
from .canonical import Structure
from .checks import whole_floats
from .dense import dense
from .ends import Ends

# Names of columns with the two ends of an edge, in lower case without blanks, "_" and "-".
END_NAMES = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("src", "dest"), ("source", "destination"), ("u", "v"),
    ("fromnode", "tonode"), ("fromnodeid", "tonodeid"), ("fromid", "toid"), ("sourceid", "targetid"), ("head", "tail"),
    ("node1", "node2"), ("id1", "id2"), ("vertex1", "vertex2"), ("nodea", "nodeb"), ("i", "j"), ("row", "column"),
    ("row", "col"), ("rows", "cols"), ("start", "end"),
)  # fmt: skip


class Column(NamedTuple):
    """One end of each edge."""

    values: Any  # an array of numbers, or a list
    missing: int | None  # The first row without a value


def ends_among(names: Sequence[Any]) -> tuple[int, int] | None:
    """Return the positions of the two columns whose names identify the ends of edges, or None."""
    bare = [_bare(name) for name in names]
    for pair in END_NAMES:
        if all(bare.count(name) == 1 for name in pair):
            return bare.index(pair[0]), bare.index(pair[1])
    return None


def _bare(name: Any) -> str:
    return str(name).strip().strip('"').lower().replace("_", "").replace("-", "").replace(" ", "")


def from_pandas(x: Any) -> Ends | Structure:
    """Read a DataFrame of edges, or of an adjacency matrix if rows and columns have equal names."""
    names = list(x.columns)
    if x.shape[0] == x.shape[1] and list(x.index) == names:
        if names == [0, 1]:
            raise GraphError(
                "a DataFrame of shape (2, 2) without names may be two edges or a matrix: say which, with "
                "`Graph.of(list(x.itertuples(index=False)))` or `Graph.of(x.to_numpy().astype(float))`"
            )
        matrix = dense(x.to_numpy(), diagonal=False)
        plain = names == list(range(len(names)))
        return matrix if plain else replace(matrix, labels=names)
    same = x.shape[0] == x.shape[1] and x.columns.is_unique and set(x.index) == set(names)
    first, second = chosen(names, "x[[{0!r}, {1!r}]]", x.shape, "x[x.index]" if same else "x.to_numpy(float)")
    found = [_of_pandas(x.iloc[:, k]) for k in (first, second)]
    return _ends(found, names, (first, second), "x.dropna()", "x.select_dtypes(['number', 'bool']).to_numpy(float)")


def from_polars(x: Any) -> Ends:
    """Read a DataFrame of edges."""
    first, second = chosen(x.columns, "x.select({0!r}, {1!r})", x.shape, "x.to_numpy().astype(float)")
    found = [_of_polars(x.to_series(k)) for k in (first, second)]
    return _ends(found, x.columns, (first, second), "x.drop_nulls()", "x.to_numpy().astype(float)")


def from_arrow(x: Any) -> Ends:
    """Read a `pyarrow.Table` or `RecordBatch` of edges."""
    names = x.schema.names
    first, second = chosen(names, "x.select([{0!r}, {1!r}])", x.shape)
    found = [_of_arrow(x.column(k)) for k in (first, second)]
    return _ends(found, names, (first, second), "x.drop_null()", "x.to_pandas().to_numpy(float)")


def from_stream(x: Any) -> Ends:
    """Read anything with ``__arrow_c_stream__``, by pyarrow."""
    try:
        import pyarrow as pa
    except ImportError as e:
        raise GraphError(
            f"reading {type(x).__module__}.{type(x).__qualname__} takes pyarrow: pip install pyarrow, or pass "
            "a pair of columns (u, v) as arrays"
        ) from e
    try:
        return from_arrow(pa.table(x))
    except pa.ArrowInvalid as e:
        raise GraphError(f"{type(x).__module__}.{type(x).__qualname__} is no table with columns: {e}") from e


def chosen(names: Sequence[Any], select: str, shape: tuple[int, int], matrix: str = "") -> tuple[int, int]:
    """Return the positions of the columns with the ends; raise an error if names do not identify them."""
    if len(names) == 2:
        return 0, 1
    if (found := ends_among(names)) is not None:
        return found
    if len(names) < 2:
        raise GraphError(f"a table of edges has two columns, and this has {len(names)}: {list(names)}")
    example = select.format(names[0], names[1])
    also = ""
    if matrix:
        also = f"; if it is a matrix, `{'Graph' if shape[0] == shape[1] else 'Pattern'}.of({matrix})`"
    raise GraphError(
        f"{undecided(names)} Choose them, as in `Graph.of({example})`, or name them source and target{also}"
    )


def undecided(names: Sequence[Any]) -> str:
    """Return the error for columns whose names do not identify the ends of edges."""
    listed = ", ".join([repr(name)[:40] for name in names[:30]] + ["…"] * (len(names) > 30))
    return f"which two of the {len(names)} columns {listed} are the ends of edges?"


def _ends(columns: list[Column], names: Sequence[Any], places: tuple[int, int], drop: str, matrix: str) -> Ends:
    """`drop` and `matrix`: code that leaves out rows without a value, and that converts the table to a matrix."""
    a, b = (names[k] for k in places)
    called = (f"column {a!r}", f"column {b!r}")
    for column, name in zip(columns, called, strict=True):
        if column.missing is not None:
            raise GraphError(f"{name} has no value in row {column.missing}: leave such rows out, `Graph.of({drop})`")
    u, v = (_whole(column.values, name) for column, name in zip(columns, called, strict=True))
    named = ends_among(names) is not None
    doubtful = not (named and len(names) == 2) and len(u) > 1 + named
    if doubtful and all(x in (0, 1) and y in (0, 1) for x, y in zip(u, v, strict=True)):
        raise GraphError(
            f"columns {a!r} and {b!r} have 0 and 1 only: if they are the ends of edges, `Graph.of((x[{a!r}], "
            f"x[{b!r}]))`; if this is a matrix, `Pattern.of({matrix})`"
        )
    return Ends.of(u, v, (called[0], called[1]))


def _whole(values: Any, name: str) -> Any:
    """Return whole floats as integers: pandas converts a column with a missing value to floats."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return values
    found = whole_floats(values)
    large = np.flatnonzero(np.isfinite(values) & (abs(values) >= 2.0 ** (np.finfo(values.dtype).nmant + 1)))
    if len(large):
        raise GraphError(
            f"{name} has {float(values[large[0]])!r} in row {large[0]}: {values.dtype} rounds numbers of that size, so "
            "that different vertices become one. Read the column as integers; of pandas a column with missing values "
            "may have the type 'Int64'"
        )
    return found


def _of_pandas(s: Any) -> Column:
    if len(gaps := np.flatnonzero(s.isna().to_numpy())):
        return Column(None, int(gaps[0]))
    kind = getattr(s.dtype, "kind", "O")  # categories have "O"
    if kind in "iuf":
        return Column(s.to_numpy(dtype=getattr(s.dtype, "numpy_dtype", s.dtype)), None)
    return Column(s.tolist(), None)


def _of_polars(s: Any) -> Column:
    if s.null_count():
        return Column(None, int(s.is_null().arg_true()[0]))
    numbers = s.dtype.is_float() or (s.dtype.is_integer() and "128" not in str(s.dtype))  # NumPy has no int128
    return Column(s.to_numpy() if numbers else s.to_list(), None)


def _of_arrow(a: Any) -> Column:
    import pyarrow as pa
    import pyarrow.compute as pc

    if a.null_count:
        return Column(None, int(pc.index(a.is_null(), True).as_py()))
    if pa.types.is_integer(a.type) or pa.types.is_floating(a.type):
        chunks = a.chunks if isinstance(a, pa.ChunkedArray) else [a]
        values = [c.to_numpy(zero_copy_only=False) for c in chunks]
        return Column(np.concatenate(values) if values else np.zeros(0, np.int64), None)
    return Column(a.to_pylist(), None)
