"""DataFrames of edges: pandas, polars, Arrow; each against the same edges as plain Python."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lagcolor
from lagcolor import Graph, GraphError, Pattern


class Stream:
    """A table with only the interface of an Arrow stream."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


KINDS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": lambda x: pa.RecordBatch.from_pydict(x),
    "chunks": lambda x: pa.concat_tables([pa.table(x).slice(0, 1), pa.table(x).slice(1)]),
    "stream": lambda x: Stream(pa.table(x)),
}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def same(G: Graph, x: Any) -> None:
    H = Graph.of(x)
    assert (G.n, G.labels, G.indices.tolist()) == (H.n, H.labels, H.indices.tolist())
    assert G.indptr.tolist() == H.indptr.tolist()


@kinds
def test_two_columns(make: Callable[[Any], Any]) -> None:
    same(Graph.of(make({"a": [0, 1, 2], "b": [1, 2, 2]})), [(0, 1), (1, 2), (2, 2)])
    same(Graph.of(make({"a": ["x", "y"], "b": ["y", "z"]})), [("x", "y"), ("y", "z")])
    same(Graph.of(make({"a": [1, 2, 1], "b": ["y", "z", "z"]})), [(1, "y"), (2, "z"), (1, "z")])
    same(Graph.of(make({"a": [0.0, 1.0, 2.0], "b": [1, 2, 3]})), [(0, 1), (1, 2), (2, 3)])
    same(Graph.of(make({"a": [7, 7, 7**20], "b": [9, 7**20, 9]})), [(7, 9), (7, 7**20), (7**20, 9)])


@kinds
def test_ends_by_name_and_other_columns(make: Callable[[Any], Any]) -> None:
    for a, b in (("source", "target"), ("From", "To"), ("node_1", "node_2"), ("src", "dst")):
        x = make({"weight": [0.5, 2.0], b: ["y", "z"], "when": ["t", "u"], a: ["x", "y"]})
        same(Graph.of(x), [("x", "y"), ("y", "z")])
    assert Graph.of(make({"u": [0, 1], "v": [1, 3]}), n=7).n == 7


@kinds
def test_rows_and_columns(make: Callable[[Any], Any]) -> None:
    P = Pattern.of(make({"user": ["u1", "u1", "u2"], "item": [3, 0, 3]}))
    assert (P.shape, P.labels, P.column_labels) == ((2, 4), ["u1", "u2"], None)
    assert P.to_scipy().toarray().tolist() == [[1, 0, 0, 1], [0, 0, 0, 1]]


def test_types_of_columns() -> None:
    wanted = [("x", "y"), ("y", "z")]
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"]})
    for kind in ("category", "string", object):
        same(Graph.of(frame.astype(kind)), wanted)
    same(Graph.of(pl.DataFrame(frame.to_dict("list")).with_columns(pl.all().cast(pl.Categorical))), wanted)
    same(Graph.of(pa.table({c: pa.array(frame[c].tolist()).dictionary_encode() for c in "ab"})), wanted)
    numbers = pd.DataFrame({"a": [0, 1], "b": [1, 2]}, index=["p", "q"])
    for kind in ("Int64", "int8", "uint64", "Float64", "float32", object):
        same(Graph.of(numbers.astype(kind)), [(0, 1), (1, 2)])


def test_adjacency_matrices_of_pandas() -> None:
    names = ["x", "y", "z"]
    G = Graph.of(pd.DataFrame([[0, 1, 0], [1, 0, 2.5], [0, 1, 0]], names, names))
    assert (G.labels, G.n_edges) == (names, 2)
    assert Graph.of(pd.DataFrame(np.eye(3))).labels is None
    assert Graph.of(pd.DataFrame([[0, 1], [1, 0]], ["x", "y"], ["x", "y"])).n_edges == 1
    assert Graph.of(pd.DataFrame()).n == 0
    with pytest.raises(GraphError, match=r"entry \('x', 'y'\) is there, \('y', 'x'\) is not"):
        Graph.of(pd.DataFrame([[0, 1, 0], [0, 0, 0], [0, 0, 0]], names, names))


def advice(x: Any) -> list[Graph]:
    """Every program in backquotes in the error about x, carried out."""
    with pytest.raises(GraphError) as caught:
        Graph.of(x)
    found = re.findall("`(.+?)`", str(caught.value))
    assert found
    return [eval(code, {"x": x, "Graph": Graph, "Pattern": Pattern}) for code in found]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "batch"])
def test_advice_about_columns(kind: str) -> None:
    first, *matrix = advice(KINDS[kind]({"a": [0, 1], "b": [1, 2], "c": [5, 5]}))
    same(first, [(0, 1), (1, 2)])
    assert [(type(P), P.shape) for P in matrix] == [(Pattern, (2, 3))] * (kind in ("pandas", "polars"))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "batch"])
@pytest.mark.parametrize("values", [[0, None, 2, None], ["x", None, "z", None]])
def test_advice_about_missing_values(kind: str, values: list[Any]) -> None:
    x = KINDS[kind]({"a": [1, 2, 3, 4], "b": values})
    with pytest.raises(GraphError, match="column 'b' has no value in row 1: leave such rows out"):
        Graph.of(x)
    for G in advice(x):
        same(G, [(1, values[0]), (3, values[2])])


def test_a_name_of_two_columns() -> None:
    x = pd.DataFrame([[0, 1, 2]], columns=["source", "target", "source"])
    with pytest.raises(GraphError, match="which two of the 3 columns 'source', 'target', 'source'"):
        Graph.of(x)


@kinds
def test_columns_that_hold_no_vertices(make: Callable[[Any], Any]) -> None:
    for values in ([0.5, 1.0], [float("inf"), 1.0]):
        with pytest.raises(GraphError, match="column 'a' must be integers, not float64"):
            Graph.of(make({"a": values, "b": [1, 2]}))
    assert Graph.of(make({"a": [True, False], "b": ["x", "y"]})).n == 4  # names, as any that are no numbers
    with pytest.raises(GraphError, match=r"column 'b'\[1\] = -2 is negative"):
        Graph.of(make({"a": [0, 1], "b": [1, -2]}))
    with pytest.raises(GraphError, match="two columns, and this has 1"):
        Graph.of(make({"a": [0, 1]}))


def test_a_stream_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(GraphError, match="pip install pyarrow"):
        Graph.of(Stream(None))


def test_a_frame_that_may_be_edges_or_a_matrix() -> None:
    with pytest.raises(GraphError, match="without names may be two edges or a matrix: say which"):
        Graph.of(pd.DataFrame([[0, 1], [1, 0]]))


def test_a_stream_without_columns() -> None:
    with pytest.raises(GraphError, match=r"Stream is no table with columns: "):
        Graph.of(Stream(pa.chunked_array([[1, 2, 3]])))


# Files of a table, against the same table as a frame ---------------------------------------------------------------

TEXTS = {
    "a column between": "source,weight,target\n0,1,4\n0,1,5\n",
    "a column before": "id,source,target\n1,5,7\n2,7,9\n3,9,5\n",
    "names": "id,source,target\n1,Ann,Bob\n2,Bob,Carl\n",
    "an index without a name": ",from,to\n0,1,2\n1,2,0\n",
    "the other way round": "target,source\nAnn,Bob\nBob,Carl\n",
    "the separator in quotes": 'note,src,dst\n"a,b",0,1\nc,1,2\n',
    "numbers over 32 bits": "id,u,v\n1,0,3000000000\n2,3000000000,7\n",
    "a note that is no UTF-8": b"note,u,v\n\xe9t\xe9,0,1\n\xff,1,2\n",
    "names past 200 characters": "x" * 300 + ",source,target\n7,0,1\n8,1,2\n",
}


@pytest.mark.parametrize("mark", [",", "\t"], ids=["comma", "tab"])
@pytest.mark.parametrize("case", TEXTS)
def test_a_file_is_the_graph_of_its_frame(case: str, mark: str, tmp_path: Path) -> None:
    text = TEXTS[case]
    passed = (text if isinstance(text, bytes) else text.encode()).replace(b",", mark.encode())
    path = tmp_path / "g.csv"
    path.write_bytes(passed)
    G = Graph.of(path)
    same(G, pd.read_csv(path, sep=mark, encoding="latin-1"))
    made = Graph.of(lagcolor.convert(path, tmp_path / "g.csr").path)
    assert (made.n, made.indices.tolist()) == (G.n, G.indices.tolist())
    assert made.labels is G.labels is None or list(made.labels) == list(G.labels)


def test_columns_of_a_file_that_are_not_clear(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("# a table\na,b,weight\n0,1,4\n")
    asked = "which two of the 3 columns 'a', 'b', 'weight' are the ends of edges?"
    with pytest.raises(GraphError, match=re.escape(asked)):
        Graph.of(pd.read_csv(path, comment="#"))
    for call in (lambda: Graph.of(path), lambda: lagcolor.convert(path, tmp_path / "g.csr")):
        with pytest.raises(lagcolor.FormatError, match=re.escape(f"g.csv, line 2: {asked} Name them source and")):
            call()


def test_columns_of_a_file_that_have_no_name(tmp_path: Path) -> None:
    """R writes rows with names: pandas takes the first column for an index, and other readers drop the last name."""
    path = tmp_path / "g.txt"
    for text in ('"source" "target"\n"1" 5 7\n', "source,target\n1,5,7\n", "a\tb\n1\t5\t7\n"):
        path.write_text(text)
        with pytest.raises(lagcolor.FormatError, match="line 1: this line names 2 columns, and the next one has 3"):
            Graph.of(path)
    path.write_text("source,target\n0,1,\n1,2,,\n")
    assert Graph.of(path).n_edges == 2


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("kind", [int, float, bool])
def test_two_columns_of_0_and_1_may_be_a_matrix(make: Callable[[Any], Any], kind: type) -> None:
    x = make({"Art": [kind(1), kind(0)], "Bio": [kind(1), kind(1)]})
    for name, read in (("Graph", Graph.of), ("Pattern", Pattern.of)):
        with pytest.raises(GraphError, match="columns 'Art' and 'Bio' have 0 and 1 only") as e:
            read(x)
        codes = re.findall("`(.*?)`", str(e.value))
        assert codes[0] == f"{name}.of((x['Art'], x['Bio']))" and len(codes) == 2
        assert eval(codes[1], {"Pattern": Pattern, "x": x}).m == 3
    assert Graph.of(make({"u": [0, 1], "v": [1, 0]})).n_edges == 1


E = [("Drama", "Art"), ("Art", "Bio"), ("Bio", "Chem")]
SERIES = pd.Series({"Art": 1, "Bio": 0, "Chem": 1, "Drama": 0})
WITH_VALUES: dict[str, Callable[[Any], Any]] = {
    "weights": lambda x: lagcolor.color(E, weights=x, capacity=9).to_dict(),
    "fixed": lambda x: lagcolor.color(E, fixed=x).to_dict(),
    "order": lambda x: lagcolor.color(E, order=x).to_dict(),
    "verify": lambda x: lagcolor.verify(E, x).n_violations,
    "reduce": lambda x: lagcolor.reduce(E, x).to_dict(),
    "recolor": lambda x: lagcolor.recolor(E, x).to_dict(),
}


@pytest.mark.parametrize("call", WITH_VALUES.values(), ids=WITH_VALUES)
def test_a_series_with_an_index_of_its_own(call: Callable[[Any], Any]) -> None:
    with pytest.raises(
        lagcolor.LagcolorError, match=r"has an index other than 0 … 3: pass `\w+\.to_numpy\(\)` .*to_dict"
    ):
        call(SERIES)
    names = lagcolor.Graph.of(E).labels
    assert call(SERIES.to_dict()) == call(SERIES[names].to_numpy()) == call(SERIES[names].reset_index(drop=True))


def test_a_table_of_rules_with_an_index_of_its_own() -> None:
    closed = pd.DataFrame([[True, False]] * 4, index=list("abcd"))
    for name, x, k in (("forbidden", closed, 3), ("capacity", pd.Series({"am": 2, "pm": 2}), 2)):
        with pytest.raises(lagcolor.OptionError, match=r"pass `\w+\.to_numpy\(\)` to read it in its order$"):
            lagcolor.color(E, **{name: x})
        assert lagcolor.color(E, **{name: x.to_numpy()}).n_colors == k
