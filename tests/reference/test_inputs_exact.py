"""Ids keep their value, whatever integer types hold them: none passes through a float, which rounds from 2**53 on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lagcolor
from lagcolor import Graph, GraphError, Pattern

LARGE = 2**53  # LARGE + 1 is no float64
U, V = [LARGE, LARGE + 1], [LARGE + 1, 7]
UNSIGNED, SIGNED = np.array(U, np.uint64), np.array(V, np.int64)


def edges_of(G: Graph) -> set[frozenset[Any]]:
    """Edges by label."""
    labels = list(range(G.n)) if G.labels is None else list(G.labels)
    rows = np.repeat(np.arange(G.n), np.diff(G.indptr))
    return {frozenset((labels[u], labels[v])) for u, v in zip(rows, G.indices, strict=True)}


def of_pandas(u: Any, v: Any) -> Any:
    return pd.DataFrame({"source": u, "target": v})


TABLES: dict[str, Callable[[Any, Any], Any]] = {
    "pandas": of_pandas,
    "pandas, with gaps": lambda u, v: of_pandas(pd.array(u, dtype="UInt64"), pd.array(v, dtype="Int64")),
    "pandas, objects": lambda u, v: of_pandas(u, v).astype({"target": object}),
    "pandas, of Arrow": lambda u, v: of_pandas(u, v).astype({"source": "uint64[pyarrow]", "target": "int64[pyarrow]"}),
    "arrow": lambda u, v: pa.table({"source": u, "target": v}),
    "polars": lambda u, v: pl.DataFrame({"source": u, "target": v}),
    "polars, 128 bits": lambda u, v: pl.DataFrame({"source": pl.Series(u.tolist(), dtype=pl.Int128), "target": v}),
    "pairs": lambda u, v: list(zip(u, v, strict=True)),
    "dict": lambda u, v: {a: np.array([b]) for a, b in zip(u, v, strict=True)},
}


@pytest.mark.parametrize("kind", TABLES)
def test_columns_of_signed_and_unsigned_numbers(kind: str) -> None:
    G = Graph.of(TABLES[kind](UNSIGNED, SIGNED))
    assert (G.n, G.n_edges) == (3, 2)
    assert edges_of(G) == {frozenset((LARGE, LARGE + 1)), frozenset((LARGE + 1, 7))}
    assert all(type(label) is int for label in G.labels)


@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_numbers_past_signed_integers(kind: str) -> None:
    top = np.array([2**64 - 1, 2**64 - 2], np.uint64)
    G = Graph.of(TABLES[kind](top, np.array([LARGE + 1, LARGE], np.int64)))
    assert edges_of(G) == {frozenset((2**64 - 1, LARGE + 1)), frozenset((2**64 - 2, LARGE))}


@pytest.mark.parametrize("kinds", [(np.uint64, np.int64), (np.int64, np.uint64)])
def test_small_numbers_of_two_types(kinds: tuple[type, type]) -> None:
    for many in (1, 40_000):  # by NumPy, and by compiled code
        u, v = np.arange(many, dtype=np.int64).astype(kinds[0]), np.full(many, 3).astype(kinds[1])
        G = Graph.of((u, v), n=many + 4)
        assert edges_of(G) == {frozenset((k, 3)) for k in range(many) if k != 3}
        P = Pattern.of((u, v))
        assert (P.rows, P.columns, P.m) == (many, 4, many)


def test_a_pair_of_lists_may_mix_types() -> None:
    G = Graph.of(([np.uint64(0), np.int64(1)], [np.int64(1), np.uint64(2)]))
    assert edges_of(G) == {frozenset((0, 1)), frozenset((1, 2))}
    high = 2**63
    G = Graph.of(([LARGE, high + 1], [high, 7]))
    assert edges_of(G) == {frozenset((LARGE, high)), frozenset((high + 1, 7))}


@pytest.mark.parametrize(("kind", "limit"), [(np.float64, 2**53), (np.float32, 2**24)])
def test_floats_that_round_are_no_ids(kind: type, limit: int) -> None:
    frame = of_pandas(np.array([1, limit - 1], kind), np.array([2, 3]))
    assert edges_of(Graph.of(frame)) == {frozenset((1, 2)), frozenset((limit - 1, 3))}
    with pytest.raises(GraphError, match=rf"column 'source' has {float(limit)!r} in row 1: float\d\d rounds") as e:
        Graph.of(of_pandas(np.array([1, limit], kind), np.array([2, 3])))
    assert "'Int64'" in str(e.value)
    # What the message says to do.
    frame = of_pandas(pd.array([LARGE + 1, None], dtype="Int64"), [2, 3])
    assert edges_of(Graph.of(frame.dropna())) == {frozenset((LARGE + 1, 2))}


def test_a_conversion_keeps_them(tmp_path: Path) -> None:
    pq.write_table(TABLES["arrow"](UNSIGNED, SIGNED), tmp_path / "e.parquet")
    lagcolor.convert(tmp_path / "e.parquet", tmp_path / "e.csr", memory="100MB")
    G = lagcolor.io.read(tmp_path / "e.csr")
    assert edges_of(G) == {frozenset((LARGE, LARGE + 1)), frozenset((LARGE + 1, 7))}
    pq.write_table(TABLES["arrow"](np.array([1, 2**24], np.float32), np.array([2, 3])), tmp_path / "f.parquet")
    with pytest.raises(lagcolor.FormatError, match=r"ends of edges must be whole numbers, not float32"):
        lagcolor.convert(tmp_path / "f.parquet", tmp_path / "f.csr", memory="100MB")
