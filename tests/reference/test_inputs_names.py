"""Lists of pairs, dicts of neighbors, named vertices: graph and labels are those that NetworkX makes of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import Graph, GraphError, Pattern
from lagcolor.networkx.graph import BackendGraph

EDGES: dict[str, list[tuple[Any, Any]]] = {
    "numbers": [(0, 1), (2, 1), (2, 3)],
    "strings": [("Bob", "Ann"), ("Ann", "Carl")],
    "numbers and strings": [(1, "a"), ("a", 2), (2, 1)],
    "tuples": [((0, 1), (0, 2)), ((0, 2), (1, 2))],
    "self-loops and duplicates": [("a", "b"), ("b", "a"), ("a", "a"), ("c", "c"), ("a", "b")],
    "numbers, self-loops and duplicates": [(0, 1), (1, 0), (0, 0), (2, 2), (0, 1)],
    "one vertex": [("a", "a")],
    "huge numbers": [(2**70, 2**71), (2**71, 5)],
    "NumPy's numbers": [(np.int64(1), np.uint8(0)), (np.int32(2), 1)],
}


def edges(G: Graph) -> set[frozenset[Any]]:
    """By label."""
    name = list(range(G.n)) if G.labels is None else G.labels
    rows, cols = G.to_scipy().nonzero()
    return {frozenset((name[i], name[j])) for i, j in zip(rows.tolist(), cols.tolist(), strict=True)}


def expected(pairs: list[tuple[Any, Any]]) -> set[frozenset[Any]]:
    return {frozenset(pair) for pair in pairs if pair[0] != pair[1]}


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "generator": lambda x: (e for e in x),
    "lists": lambda x: [list(e) for e in x],
    "keys": lambda x: dict.fromkeys(x).keys(),
    "weights": lambda x: [(u, v, 0.5) for u, v in x],
    "attributes": lambda x: [(u, v, {"weight": 1}) for u, v in x],
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_pairs(container: str) -> None:
    for pairs in EDGES.values():
        if container in ("lists", "tuple") and len(pairs) == 2:
            pairs = [*pairs, pairs[0]]  # two lists may be the two ends
        G = Graph.of(CONTAINERS[container](pairs))
        assert edges(G) == expected(pairs)
        if G.labels is not None:
            assert G.labels == list(nx.Graph(pairs))


def test_numbers_are_vertices_and_names_are_labels() -> None:
    assert Graph.of(EDGES["numbers"]).labels is None
    assert Graph.of(EDGES["numbers"]).n == 4
    assert Graph.of([(3, 1), (1, 0), (0, 2)]).labels is None
    assert Graph.of([(5, 6)], n=9).n == 9
    assert Graph.of(EDGES["NumPy's numbers"]).labels is None
    assert Graph.of([("a", 0), (0, 1)]).labels == ["a", 0, 1]
    assert Graph.of([(900, 5), (5, 123456789012345)]).labels == [5, 900, 123456789012345]
    assert Graph.of([(900, 5), (5, 1234)], n=1235).n == 1235


@pytest.mark.parametrize("of", [list, set, tuple, np.array, lambda row: (u for u in row)])
def test_dicts_of_neighbors(of: Callable[[Any], Any]) -> None:
    one_way = {0: [1, 2], 1: [2], 2: [3], 3: []}
    both = {0: [1, 2], 1: [0, 2], 2: [0, 1, 3], 3: [2]}
    wanted = {frozenset(e) for e in [(0, 1), (0, 2), (1, 2), (2, 3)]}
    for x in (one_way, both):
        G = Graph.of({v: of(row) if row else [] for v, row in x.items()})
        assert G.labels is None and edges(G) == wanted


def test_dicts_with_names() -> None:
    people = {"Ann": ["Bob", "Carl"], "Dora": [], "Bob": ["Ann"]}
    G = Graph.of(people)
    assert G.labels == ["Ann", "Dora", "Bob", "Carl"] == list(nx.Graph(people))
    assert edges(G) == {frozenset(("Ann", "Bob")), frozenset(("Ann", "Carl"))}
    assert Graph.of({1: [2], 2: [3]}).labels == [1, 2, 3]  # no vertex 0: keys are all there is
    in_another_order = Graph.of({2: [0], 0: [1], 1: []})  # vertex v is number v all the same
    assert in_another_order.labels is None
    assert edges(in_another_order) == {frozenset((2, 0)), frozenset((0, 1))}


NAMES = st.one_of(st.integers(0, 12), st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 2), st.integers(0, 2)))


@given(st.dictionaries(NAMES, st.lists(NAMES, max_size=5), max_size=8))
def test_any_dict(x: dict[Any, list[Any]]) -> None:
    G, H = Graph.of(x), nx.Graph(x)
    assert edges(G) == expected(list(H.edges))
    assert set(range(G.n) if G.labels is None else G.labels) == set(H)


def test_pairs_of_lists_and_arrays_of_names() -> None:
    wanted = {frozenset("ab"), frozenset("bc"), frozenset("cd")}
    u, v = ["a", "b", "c"], ["b", "c", "d"]
    for ends in ((u, v), (np.array(u), np.array(v)), (np.array(u, object), v)):
        assert edges(Graph.of(ends)) == wanted
    table = np.array([u, v])
    assert edges(Graph.of(table)) == edges(Graph.of(table.T)) == wanted
    assert Graph.of((np.array([0, 1], object), np.array([1, 2], object))).labels is None
    with pytest.raises(GraphError, match="u and v must be of one length"):
        Graph.of((["a", "b"], ["c"]))


SETS = """
import lagcolor
friends = {("Ann", "Bob"), ("Bob", "Carl"), ("Carl", "Dora"), ("Dora", "Eve"), ("Eve", "Ann"), ("Ann", "Fay")}
mixed = {(1, "b"), ("b", (2, "c")), ((2, "c"), 1), (1, "d")}
print([
    lagcolor.color(x, **more).to_dict() for x, more in [
        (friends, {}), (frozenset(friends), {}), ({frozenset(e) for e in friends}, {}), (mixed, {}),
        ([set(e) for e in sorted(friends)], {}),
        ({"x": {e[0] for e in friends}, "y": {e[1] for e in friends}}, {}),
        ({"x": frozenset(friends), "y": {"z", "w"}}, {}),
        (friends, {"problem": "columns"}), ({"x": {e[0] for e in friends}}, {"problem": "columns"}),
    ]
])
"""


def test_sets_give_the_same_colors_in_every_process() -> None:
    """Their sequence depends on the hash seed of the process."""
    found = set()
    for seed in "12":
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(lagcolor.__file__).parents[1])}
        run = subprocess.run([sys.executable, "-c", SETS], env=environment, capture_output=True, text=True, check=True)
        found.add(run.stdout)
    assert len(found) == 1


def test_sets_of_pairs() -> None:
    for pairs in EDGES.values():
        assert edges(Graph.of(set(pairs))) == expected(pairs)
        apart = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
        assert edges(Graph.of(apart)) == expected(pairs)
    assert Graph.of({("b", "c"), ("a", "b")}).labels == ["a", "b", "c"]


# Labels go where the graph goes ---------------------------------------------------------------------------------------


def test_labels_travel() -> None:
    pairs = [("Ann", "Bob"), ("Bob", "Carl"), ("Carl", "Ann"), ("Carl", "Dora")]
    colors = lagcolor.color(pairs).to_dict()
    assert set(colors) == {"Ann", "Bob", "Carl", "Dora"} and all(colors[u] != colors[v] for u, v in pairs)
    assert lagcolor.verify(pairs, colors).ok
    rules = {"fixed": {"Dora": 2}, "forbidden": {"Ann": [0]}, "weights": dict.fromkeys(colors, 1.0)}
    fixed = lagcolor.color(pairs, **rules).to_dict()
    assert fixed["Dora"] == 2 and fixed["Ann"] != 0
    assert lagcolor.color(pairs, "greedy", order={"Dora": 9, "Ann": 1, "Bob": 1, "Carl": 1}).to_dict()["Dora"] == 0


def test_what_networkx_has_converted() -> None:
    people = nx.les_miserables_graph()
    converted = BackendGraph.of(people)
    assert Graph.of(converted) is converted.graph
    assert lagcolor.color(converted).to_dict() == lagcolor.color(people).to_dict()
    with pytest.raises(GraphError, match="leave n out"):
        Graph.of(converted, n=78)


# Files ----------------------------------------------------------------------------------------------------------------

FILES = {
    "g.csv": "Ann,Bob\nBob,Carl\n",
    "quoted.csv": 'source,target,weight\n"Ann", "Bob",1\n\n"Bob","Carl",2\n',
    "tabs.tsv": "From\tTo\nAnn\tBob\nBob\tCarl\n",
    "semicolons.csv": "Ann;Bob\nBob;Carl\n",
    "blanks.txt": "# a comment\nAnn Bob\n  Bob   Carl\n",
    "counts.edges": "# Nodes: 3 Edges: 2\nAnn Bob\nBob Carl\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    ending = "\r\n" if name in ("semicolons.csv", "blanks.txt") else "\n"
    path.write_bytes(FILES[name].replace("\n", ending).encode())
    G = Graph.of(path)
    assert G.labels == ["Ann", "Bob", "Carl"]
    assert edges(G) == {frozenset(("Ann", "Bob")), frozenset(("Bob", "Carl"))}
    P = Pattern.of(path)
    if name == "counts.edges":  # the comment counts nodes, so that there is one set of them
        assert P.labels == P.column_labels == G.labels
    else:
        assert (P.labels, P.column_labels) == (["Ann", "Bob"], ["Bob", "Carl"])


@pytest.mark.parametrize(("text", "labels"), [
    ("Ann Smith\t12\n12\tZoë\n12\t007\n", ["Ann Smith", "12", "Zoë", "007"]),
    ("Łódź,à\nà,Łódź\n", ["Łódź", "à"]),
    ('"Smith, Ann",Bob\n"Smith, Ann",Bob\n', ["Smith, Ann", "Bob"]),
    ("source,target\n0,1\n1,2\n", None), ("a\tb\n0\t1\n1\t2\n", None), ("from to\n# c\n\n0 1\n1 2\n", None),
])  # fmt: skip
def test_names_of_vertices_and_of_columns(text: str, labels: list[str] | None, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(text, encoding="utf-8")
    assert Graph.of(tmp_path / "g.csv").labels == labels


def test_names_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_bytes(b"Ann,Bob\nBob,\xff\xfe\n")
    with pytest.raises(lagcolor.FormatError, match=r"g\.csv, line 2: names are read as UTF-8"):
        Graph.of(tmp_path / "g.csv")


def test_n_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("0,1\n1,2\n")
    assert Graph.of(path, n=5).n == lagcolor.color(path, n=5).graph.n == 5
    with pytest.raises(GraphError, match=r"v\[1\] = 2 is out of range for n = 2"):
        Graph.of(path, n=2)
    path.write_text("# Nodes: 3 Edges: 2\n0,1\n1,2\n")
    with pytest.raises(GraphError, match=r"g\.csv: n = 5, but the input has 3 vertices: leave n out"):
        Graph.of(path, n=5)


# Generators -----------------------------------------------------------------------------------------------------------


def test_generators_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = lagcolor.generate.from_spec("rmat:6,seed=3")
    assert Pattern.of("rmat:6,seed=3").indices.tolist() == wanted.indices.tolist()
    assert lagcolor.color("queen:5", problem="columns").n_colors == 25
    monkeypatch.chdir(tmp_path)
    (tmp_path / "path:3").write_text("0 1\n")
    with pytest.raises(lagcolor.FormatError, match="cannot tell the format"):  # the file, not the generator
        Graph.of("path:3")


@pytest.mark.parametrize("of", [Graph.of, Pattern.of])
def test_neither_a_file_nor_a_generator(of: Callable[[Any], Any]) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such file, and no generator of that name.*'nowhere:16'"):
        of("nowhere:16")
    with pytest.raises(FileNotFoundError) as caught:
        of("nowhere.mtx")
    found = re.search(r"'(\w+:\d+)' is one", str(caught.value))
    assert found and Graph.of(found[1].replace("16", "5")).n == 32
    with pytest.raises(FileNotFoundError, match=r"no generator of that name \(did you mean 'rmat'\?\)"):
        of("rmatt:9")
    with pytest.raises(lagcolor.OptionError, match="rgg"):
        of("rgg:many")
    with pytest.raises(FileNotFoundError):
        of(Path("rgg:5.mtx"))


# Rows and columns -----------------------------------------------------------------------------------------------------


def test_patterns_of_pairs() -> None:
    P = Pattern.of([("u1", "i1"), ("u1", "i2"), ("u2", "i2"), ("u2", "i2")])
    assert (P.shape, P.labels, P.column_labels) == ((2, 2), ["u1", "u2"], ["i1", "i2"])
    assert P.to_scipy().toarray().tolist() == [[1, 1], [0, 1]]
    colors = lagcolor.color([("u1", "i1"), ("u1", "i2")], problem="columns").to_dict()
    assert set(colors) == {"i1", "i2"} and colors["i1"] != colors["i2"]
    P = Pattern.of({"r": [1, 4], "s": []})
    assert (P.shape, P.labels, P.column_labels) == ((2, 5), ["r", "s"], None)
    assert Pattern.of([(0, 1), (5, 2), (5, 2)], shape=(7, 4)).shape == (7, 4)
    assert Pattern.of([(0, 0), (1, 2)]).to_scipy().toarray().tolist() == [[1, 0, 0], [0, 0, 1]]  # with its diagonal
    assert Pattern.of([]).shape == (0, 0)
    with pytest.raises(GraphError, match="leave shape out"):
        Pattern.of([("a", "b")], shape=(2, 2))


# Wrong ones, and what the errors advise -------------------------------------------------------------------------------

WRONG = [
    ([("a", "b"), ("b", None)], "None is no name of a vertex; the first is at edge 1"),
    ([("a", float("nan"))], "nan is no name of a vertex"),
    ([("a", ["b"])], "unhashable type: 'list'"),
    ([(0, 1), (1, -2)], r"v\[1\] = -2 is negative"),
    (["ab", "bc"], "element 0 is 'ab', not a pair of vertices"),
    ([(0, 1), (0, 1, 2, 3)], r"element 1 is \(0, 1, 2, 3\), not a pair"),
    ([(0, 1), 7], "element 1 is 7, not a pair"),
    ({1: 2}, "the value of 1 is 2: put neighbors in a list"),
    ({"a": "bc"}, "the value of 'a' is 'bc'"),
]


@pytest.mark.parametrize(("x", "message"), WRONG)
def test_wrong_containers(x: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.of(x)


def test_advice_for_dicts_with_values_for_pairs() -> None:
    x = {(0, 1): 2.5, (1, 2): 0.5}
    with pytest.raises(GraphError) as caught:
        Graph.of(x)
    (code,) = re.findall("`(.+?)`", str(caught.value))
    assert edges(Graph.of(eval(code, {"x": x, "Graph": Graph, "numpy": np}))) == expected(list(x))
