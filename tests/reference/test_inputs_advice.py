"""What errors about inputs advise is right: each piece of advice is carried out, as the message has it."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from tensors import OnlyDLPack

import lagcolor
from lagcolor import Graph, GraphError

CODE = re.compile(r"share a row conflict: `(.+?)` .+, or to make their graph: `(.+?)`")


def refusal(x: Any, **options: Any) -> str:
    with pytest.raises(GraphError) as caught:
        Graph.of(x, **options)
    return str(caught.value)


# The columns of a rectangular matrix ----------------------------------------------------------------------------------


def graph_and_colors_as_advised(A: Any) -> tuple[Graph, Any]:
    """The graph that the message for a rectangular A makes, by its own words, and what colors its columns."""
    found = CODE.search(refusal(A))
    assert found
    names: dict[str, Any] = {"A": A, "lagcolor": lagcolor, "numpy": np}
    exec(found[2], names)
    return names["G"], lambda: eval(found[1], names).to_numpy()


def conflicts(pattern: np.ndarray) -> set[tuple[int, int]]:
    """Pairs of columns that share a row, by definition."""
    n = pattern.shape[1]
    return {(i, j) for i in range(n) for j in range(n) if i != j and (pattern[:, i] & pattern[:, j]).any()}


def edges(G: Graph) -> set[tuple[int, int]]:
    return set(zip(*(a.tolist() for a in G.to_scipy().nonzero()), strict=True))


ADVERSARIAL = {
    "cancelling": np.array([[1.0, 1, 0], [1, -1, 0]]),
    "256 common rows": np.ones((256, 3), np.int8),
    "complex, cancelling": np.array([[1, 1j, 0], [1j, 1, 1]]),
    "tiny": np.full((2, 3), 1e-200),
    "not a number": np.array([[np.nan, 1.0, np.inf], [0, -np.inf, 2]]),
    "single precision": np.array([[1e-30, 1e-30, 0], [0, 1, 1]], np.float32),
    "no entries": np.zeros((3, 4)),
    "no rows": np.zeros((0, 4)),
    "two columns of booleans": np.array([[True, False], [True, False], [False, True]]),
    "two columns, no rows": np.zeros((0, 2)),
    "one row": np.ones((1, 2)),
    "one column": np.ones((2, 1)),
}


@pytest.mark.parametrize("form", ["dense", "csr", "coo", "bsr"])
def test_columns_of_a_rectangular_matrix(form: str) -> None:
    for A in ADVERSARIAL.values():
        if form == "bsr" and 0 in A.shape:
            continue
        S = A if form == "dense" else sp.csr_array(A).asformat(form)
        before = S.copy()
        G, colors = graph_and_colors_as_advised(S)
        pairs = conflicts(A != 0)
        assert edges(G) == pairs
        if form != "dense" or np.isfinite(A).all():  # others are neither an entry nor none
            c = colors()
            assert c.shape == (A.shape[1],) and all(c[i] != c[j] for i, j in pairs)
        if form != "dense":  # the caller's own stays
            S, before = S.tocoo().data, before.tocoo().data
        assert np.array_equal(S, before, equal_nan=A.dtype.kind in "fc")


# The rest -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", [np.asarray, OnlyDLPack])
def test_two_by_two_integers(of: Any) -> None:
    def readings(a: np.ndarray) -> list[Graph]:
        message = refusal(of(a))
        names = {"Graph": Graph, "numpy": np, "x": of(a)}
        exec("".join(re.findall(r"after `(.+?)`", message)), names)
        return [eval(code, names) for code in re.findall(r"Graph\.of\(.+?\)(?= or |$)", message)]

    ends, rows, matrix = readings(np.array([[0, 1], [1, 0]]))
    assert ends.n_edges == rows.n_edges == 1 and ends.n == 2
    assert edges(matrix) == {(0, 1), (1, 0)}
    ends, rows, matrix = readings(np.array([[0, 2], [2, 4]]))
    assert edges(ends) == {(0, 2), (2, 0), (2, 4), (4, 2)} == edges(rows)
    assert edges(matrix) == {(0, 1), (1, 0)}


def readings(x: Any, of: Any = Graph.of) -> list[Any]:
    """Return the results of each advice of an error about a list: arguments, or calls of `of`."""
    with pytest.raises(GraphError) as caught:
        of(x)
    names = {"Graph": Graph, "Pattern": lagcolor.Pattern, "numpy": np, "scipy": SimpleNamespace(sparse=sp), "x": x}
    out = [eval(code, names) for code in re.findall(r"`(.+?)`", str(caught.value))]
    return [found if isinstance(found, lagcolor.Pattern) else of(found) for found in out]


PATH4 = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]


@pytest.mark.parametrize("x", [
    PATH4, [[0.0, 0.5, 1], [0.5, 0, 0], [1, 0, 0]], [[False, True, True], [True, False, False], [True, False, False]],
    [[2, -1, -1], [-1, 1, 0], [-1, 0, 1]], [[0, 1j, 0], [1j, 0, 2], [0, 2, 0]], [np.array(row) for row in PATH4],
    tuple(PATH4),
])  # fmt: skip
def test_a_list_of_lists_that_is_an_adjacency_matrix(x: Any) -> None:
    """No reading but the matrix is advised, since no vertex has a neighbor twice."""
    (G,) = readings(x)
    A = np.array(x)
    assert G.n == len(x) and edges(G) == {(i, j) for i, j in np.argwhere(A != 0).tolist() if i != j}


def test_rows_that_may_be_neighbors_or_of_a_matrix() -> None:
    """Each row has each number from 0 to n − 1 once."""
    pairs, matrix, neighbors = readings([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    assert edges(pairs) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert edges(matrix) == {(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)} == edges(neighbors)
    x = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    _, matrix, neighbors = readings(x)
    assert edges(matrix) == {(0, 1), (1, 0), (0, 2), (2, 0)} and neighbors.n_edges == 3
    pairs, _ = readings([["a", "b", 1], ["b", "c", 2.5], ["c", "a", 1], ["c", "d", 3]])
    assert (pairs.n, pairs.n_edges) == (4, 4)


@pytest.mark.parametrize("of", [list, tuple, set, np.array])
def test_two_neighbors_of_each_vertex(of: Any) -> None:
    """A cycle as lists of neighbors, which are pairs too."""
    for n in (4, 5):
        rows = [sorted(((i - 1) % n, (i + 1) % n)) for i in range(n)]
        x = [of(row) for row in rows]
        for function in (Graph.of, lagcolor.Pattern.of):
            pairs, neighbors = readings(x, function)
            assert edges(neighbors) == {(i, j) for i, row in enumerate(rows) for j in row}
            assert edges(pairs) | {(v, u) for u, v in edges(pairs)} == {e for u, v in rows for e in ((u, v), (v, u))}
        with pytest.raises(GraphError, match="element i may have the neighbors of vertex i"):
            lagcolor.color(iter(x), problem="edges")


@pytest.mark.parametrize("x", [
    [[0, 1], [1, 2], [2, 0]],
    [[1, 2], [0, 2], [0, 1]],  # a triangle in both readings
    [[0, 1], [2, 3], [1, 2], [3, 0]],
    [(1, 2, 0.5), (0, 2, 0.5), (0, 1, 0.5)],
    [[1, 3], [0, 2], [1, 3], [0, 4]],
    [["b", "c"], ["a", "c"], ["a", "b"]],
])  # fmt: skip
def test_edges_that_are_no_neighbors(x: list[Any]) -> None:
    """Some row has its own number, or i is in row j and j not in row i; or both readings are one graph."""
    G = Graph.of(x)
    name = range(G.n) if G.labels is None else G.labels
    assert {frozenset((name[u], name[v])) for u, v in edges(G)} == {frozenset(e[:2]) for e in x}


@pytest.mark.parametrize("x", [[(2, 4), (1, 3), (2, 4), (1, 3)], [[2, 5], [1, 3], [2, 4], [3, 5], [1, 4]]])
def test_neighbors_of_vertices_from_one(x: list[Any]) -> None:
    for of in (list, np.array):
        pairs, neighbors = readings(of(x))
        assert edges(neighbors) == {(i - 1, j - 1) for i, row in enumerate(x, 1) for j in row}
        assert pairs.n_edges < neighbors.n_edges or edges(pairs) != edges(neighbors)


def test_tuples_of_two_and_three() -> None:
    """Vertices of K(2, 3) with their neighbors; an edge may have attributes, which another has not."""
    _, neighbors = readings([(2, 3, 4), (2, 3, 4), (0, 1), (0, 1), (0, 1)])
    assert neighbors.n_edges == 6
    assert Graph.of([(0, 1), (1, 2, {"weight": 3}), (2, 3, 0.5)]).n_edges == 3
    _, neighbors = readings([(0, 1, 3), (1, 0, 2), (2, 1, 3), (3, 0, 2)])
    assert neighbors.n_edges == 4
    assert Graph.of([(0, 1, 3), (1, 0, 2), (2, 1, 3), (3, 0, 5)]).n_edges == 3
    _, matrix = readings([(0, 1, 1), (1, 0, 1), (1, 1, 0)])
    assert matrix.n_edges == 3


def test_a_frame_of_a_matrix_with_names_of_ends() -> None:
    x = nx.to_pandas_adjacency(nx.relabel_nodes(nx.cycle_graph(4), dict(enumerate("uvwx"))), dtype=int).reset_index()
    pairs, matrix = readings(x)
    assert pairs.n_edges == 1 and matrix.m == 8
    assert Graph.of(x.assign(v=7)).n_edges == 2


def test_dicts_of_numbered_edges_and_of_rows() -> None:
    for x in ({0: (0, 1), 1: (1, 2), 2: (2, 0)}, {1: [0, 1], 2: [1, 2], 3: [2, 0]}):
        pairs, neighbors = found_in(x)
        assert pairs == TRIANGLE and neighbors == {frozenset((u, v)) for u, row in x.items() for v in row if u != v}
    matrix, _ = found_in(dict(enumerate(nx.to_numpy_array(nx.cycle_graph(3), dtype=int))))
    assert matrix == TRIANGLE
    assert len(found_in({v: row.tolist() for v, row in zip("abcd", np.eye(4)[::-1], strict=True)})) == 2


def test_sets_of_neighbors() -> None:
    """Sets of neighbors of any size, also with names."""
    for x in ([{1, 2, 3}, {0}, {0}, {0}], [{1}, {0, 2}, {1}], [(1, 2, 3, 4), (0,), (0,), (0,), (0,)]):
        (G,) = readings(x)
        assert edges(G) == {(i, j) for i, row in enumerate(x) for j in row}
    courses = [{"art", "bio", "che"}, {"art", "che"}, {"dra"}]
    (P,) = readings(courses, lagcolor.Pattern.of)
    assert (P.rows, P.columns, P.m) == (3, 4, 6)
    assert lagcolor.color(dict(enumerate(courses)), problem="columns").n_colors == 3


def found_in(x: Any, of: Any = Graph.of) -> list[set[frozenset[Any]]]:
    """The edges of each reading in an error about a dict, by name."""
    with pytest.raises(GraphError) as caught:
        of(x)
    out = []
    for code in re.findall(r"`(.+?)`", str(caught.value)):
        P = of(eval(code, {"networkx": nx, "numpy": np, "x": x}))
        rows, columns = P.labels or range(P.rows), P.column_labels or range(P.columns)
        out.append({frozenset((rows[i], columns[j])) for i, j in edges(P)})
    return out


TRIANGLE = {frozenset(e) for e in [(0, 1), (1, 2), (2, 0)]}


def test_dicts_that_have_no_neighbors() -> None:
    attributes = {(0, 1): {"weight": 2}, (1, 2): {}, (2, 0): {"weight": 1}}
    pairs, neighbors = found_in(attributes)
    assert pairs == TRIANGLE and neighbors == {frozenset([(0, 1), "weight"]), frozenset([(2, 0), "weight"])}
    assert found_in({(0, 1): {}, (1, 2): {}, (2, 0): {}})[0] == TRIANGLE
    assert len(found_in({0: {"club": "a"}, 1: {"club": "b"}})) == 1  # of nodes, which have no edges
    numbered = {"e1": (0, 1), "e2": (1, 2), "e3": (2, 0)}
    pairs, neighbors = found_in(numbered)
    assert pairs == TRIANGLE and len(neighbors) == 6
    columns, neighbors = found_in({"source": [0, 1, 2], "target": [1, 2, 0]})
    assert columns == TRIANGLE and len(neighbors) == 6
    columns, _ = found_in({"row": [0, 1, 2], "col": [1, 2, 0]}, lagcolor.Pattern.of)
    assert columns == TRIANGLE
    numbers, neighbors = found_in({"0": [1, 2], "1": [0, 2], "2": [0, 1]})  # from JSON
    assert numbers == TRIANGLE and len(neighbors) == 6


@pytest.mark.parametrize("make", [nx.node_link_data, lambda g: nx.node_link_data(g, edges="links"), nx.adjacency_data])
def test_json_of_networkx(make: Any) -> None:
    x = make(nx.cycle_graph(3))
    with pytest.raises(GraphError) as caught:
        lagcolor.color(x)
    found = re.search(r"pass `(networkx\..+?)`", str(caught.value))
    assert found and edges(Graph.of(eval(found[1], {"networkx": nx, "x": x}))) == edges(Graph.of("cycle:3"))


@pytest.mark.parametrize("x", [
    {"Ann": ("Bob", "Carl", "Eve"), "Dora": ()}, {"Ann": ("Bob", "Dora"), "Dora": ("Ann", "Eve")},
    {"u": ["v"], "v": ["u"]}, {"Ann": {"Bob": 2.5}, "Bob": {"Ann": 2.5}}, {(0, 0): {(0, 1): {}}, (0, 1): {(0, 0): {}}},
    {"0": ["1"], "1": ["0"]}, {0: {}, 1: {}}, {0: (1, 2), 1: (0, 2), 2: (0, 1)},
    {1: [2, 4], 2: [1, 3], 3: [2, 4], 4: [1, 3]}, {0: [1, 2]}, {0: [1, 2, 3], 1: [0], 2: [0], 3: [0]},
])  # fmt: skip
def test_dicts_of_neighbors(x: dict[Any, Any]) -> None:
    G = Graph.of(x)
    name = range(G.n) if G.labels is None else G.labels
    assert {frozenset((name[u], name[v])) for u, v in edges(G)} == {frozenset((u, v)) for u in x for v in x[u]}


def test_pairs_with_a_dict() -> None:
    """Pairs with a dict, as from NetworkX's `G.adjacency()` and libpysal's weights."""
    g = nx.cycle_graph(4)

    x = SimpleNamespace(neighbors={v: list(g[v]) for v in g}, sparse=nx.to_scipy_sparse_array(g))
    weights = type("Weights", (), {**vars(x), "__iter__": lambda _: iter([(v, dict.fromkeys(g[v], 1.0)) for v in g])})
    assert all(edges(found) == edges(Graph.of(g)) for found in readings(weights()))
    with pytest.raises(GraphError, match=r"no vertex is a dict: .+ pass `dict\(x\)`"):
        lagcolor.color(g.adjacency())


def test_negative_names() -> None:
    x = [(0, 1), (1, -1), (-1, 0)]
    assert "pass names as strings" in refusal(x)
    assert Graph.of([(str(u), str(v)) for u, v in x]).n_edges == 3


def test_two_lists() -> None:
    two, ends, matrix = readings([[0, 1], [2, 0]])
    assert edges(two) == {(0, 1), (1, 0), (0, 2), (2, 0)}
    assert edges(ends) == {(0, 2), (2, 0), (0, 1), (1, 0)} and edges(matrix) == {(0, 1), (1, 0)}
    two, ends, matrix = readings([[0, 1], [3, 2]])
    assert edges(two) == {(0, 1), (1, 0), (2, 3), (3, 2)} and edges(ends) == {(0, 3), (3, 0), (1, 2), (2, 1)}
    weighted, ends = readings([[0, 1, 7], [2, 3, 4]])
    assert weighted.n_edges == 2 and {(0, 2), (1, 3), (7, 4)} < edges(ends) and ends.n_edges == 3
    ends, neighbors = readings([[1], [0]])
    assert edges(ends) == edges(neighbors) == {(0, 1), (1, 0)}
    ends, neighbors = readings([[0, 2, 3, 4], [1, 3, 4, 5]])
    assert ends.n_edges == 4 and neighbors.n_edges == 6  # the loops at 0 and 1 do not count
    two, ends = readings([["a", "b"], ["b", "c"]])
    assert two.n_edges == ends.n_edges == 2


def test_two_lists_of_a_pattern() -> None:
    def found(x: Any) -> list[tuple[int, int, int]]:
        return [(P.rows, P.columns, P.m) for P in readings(x, lagcolor.Pattern.of)]

    assert found([[1, 0, 1, 1], [0, 1, 0, 0]]) == [(2, 2, 2), (2, 2, 4), (2, 4, 4)]
    assert found([[1, 0, 1], [0, 1, 0]]) == [(2, 2, 2), (2, 2, 2), (2, 3, 3)]
    assert found([[1, 0], [1, 1]]) == [(2, 2, 2), (2, 2, 2), (2, 2, 3)]
    assert found([[1, 0, 2.0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]) == [(4, 3, 7)]
    assert found([[0, 1, 2], [1, 2, 3], [0, 1, 4], [1, 1, 1]]) == [(4, 3, 10), (4, 5, 10)]
    assert found([[0, 1, 2], [1, 2, 3], [0, 1, 4], [1, 0, 1]]) == [(2, 3, 3), (4, 3, 9), (4, 5, 11)]
    assert found([["a"], ["b"]])[0] == (1, 1, 1)


@pytest.mark.parametrize("of", [np.asarray, OnlyDLPack])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, float])
def test_rows_that_are_edges(of: Any, dtype: Any) -> None:
    """Arrays as from `numpy.loadtxt` and `numpy.array(list(G.edges))`: integers are edges, and floats are an error."""
    pairs = [[0, 1], [1, 2], [2, 0], [3, 0]]
    x, weighted = of(np.array(pairs, dtype)), of(np.array([[*pair, 9] for pair in pairs], dtype))
    if dtype is float:
        found = re.search(r"are edges, `(.+?)`", refusal(x))
        assert found
        G = eval(found[1], {"Graph": Graph, "numpy": np, "x": x})
    else:
        G = Graph.of(x)
    assert edges(G) == edges(Graph.of(pairs)) and lagcolor.color(G).n_colors == 3
    found = re.search(r"if it has edges, `(.+?)`; to color the columns", refusal(weighted))
    assert found and edges(eval(found[1], {"Graph": Graph, "numpy": np, "x": weighted})) == edges(G)
    path, triangle = readings(of(np.array([[0, 1, 5], [1, 2, 3], [2, 3, 9]], dtype)))
    assert (path.n, path.n_edges) == (4, 3) and triangle.n == triangle.n_edges == 3
    assert Graph.of(of(np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]], dtype))).n == 3  # a symmetric matrix


@pytest.mark.parametrize("of", [list, np.array])
def test_parts_of_a_sparse_matrix(of: Any) -> None:
    (G,) = readings((of([1.0, 1.0]), (of([0, 1]), of([1, 0]))))
    assert edges(G) == {(0, 1), (1, 0)}


def test_rows_of_zeros_and_ones() -> None:
    """Rows of zeros and ones may be the incidence matrix of two columns."""
    x = np.array([[1, 0], [1, 1], [0, 1]])
    pairs, columns = (
        eval(code, {"Graph": Graph, "lagcolor": lagcolor, "x": x}) for code in re.findall("`(.+?)`", refusal(x))
    )
    assert edges(pairs) == {(0, 1), (1, 0)} and columns.n_colors == 2


@pytest.mark.parametrize("problem", ["columns", "rows", "star_bicoloring"])
def test_two_columns_where_rows_or_columns_are_colored(problem: str) -> None:
    x = np.array([[0, 1], [1, 2], [2, 0]])
    with pytest.raises(GraphError, match="may be rows and columns of entries or a dense matrix") as caught:
        lagcolor.color(x, problem=problem)
    names = {"Pattern": lagcolor.Pattern, "numpy": np, "x": x}
    pairs, matrix = (eval(code, names) for code in re.findall(r"Pattern\.of\(.+?\)(?= or |$)", str(caught.value)))
    assert pairs.to_scipy().toarray().tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert matrix.to_scipy().toarray().tolist() == [[0, 1], [1, 1], [1, 0]]


def test_a_matrix_market_file_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")
    assert "pass format='mtx'" in refusal(path)
    assert lagcolor.io.read(path, format="mtx").n_edges == 1


def test_an_edge_list_whose_comment_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("# Nodes: 3 Edges: 3\n0 1\n1 2\n")
    assert "correct it or delete it" in refusal(path)
    path.write_text("# nothing\n")
    found = re.search(r"no comment '(# .+?)'", refusal(path))
    assert found
    path.write_text(found[1].replace("<n>", "5") + "\n")
    assert (Graph.of(path).n, Graph.of(path).n_edges) == (5, 0)


@pytest.mark.parametrize(
    "x", [[[0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]], [[1, 1, 2], [0, 0, 2], [0, 1, 1], [0, 0, 1]]]
)
def test_lists_with_a_repeated_number_may_be_a_rectangular_matrix(x: list[list[int]]) -> None:
    """The message names both readings."""
    message = refusal(x)
    assert "the rows of a matrix, pass `numpy.array(x)`" in message
    assert "the neighbors of each vertex, pass `dict(enumerate(x))`" in message
