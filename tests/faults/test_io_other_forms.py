"""Files in forms that are no edge lists, and formats of other packages: the same graph or an error with the call."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import lagcolor
from lagcolor import FormatError, Pattern, cli, io

K4 = nx.to_numpy_array(nx.complete_graph(4), dtype=int)
SEPARATORS = {" ": ".txt", "\t": ".txt", ",": ".csv", ";": ".csv"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def edges(G: lagcolor.Graph) -> set[frozenset[str]]:
    """The edges of a graph, by label."""
    labels = list(range(G.n)) if G.labels is None else G.labels
    rows = np.repeat(np.arange(G.n), np.diff(G.indptr)).tolist()
    return {frozenset((str(labels[u]), str(labels[v]))) for u, v in zip(rows, G.indices.tolist(), strict=True)}


def undirected(G: nx.Graph) -> set[frozenset[str]]:
    return {frozenset((str(u), str(v))) for u, v in G.edges if u != v}


def refused(name: str, text: str, what: str, **how: Any) -> str:
    """The message of the error about a file."""
    Path(name).write_text(text)
    with pytest.raises(FormatError, match=what) as caught:
        io.read(name, **how)
    return str(caught.value)


def advised(message: str, call: str) -> Any:
    """What the call of a message gives, which begins as `call` does."""
    begin = message.index(call)
    depth, end = 0, begin
    for end in range(begin, len(message)):
        depth += {"(": 1, ")": -1}.get(message[end], 0)
        if depth == 0 and message[end] == ")" and message[end + 1 : end + 2] != ".":
            break
    names = {"networkx": nx, "numpy": np, "pandas": pd, "json": json, "igraph": igraph}
    return eval(message[begin : end + 1], names)


def rows(A: Any, separator: str, end: str = "") -> str:
    return "".join(separator.join(map(str, row)) + end + "\n" for row in A.tolist())


# Matrices -------------------------------------------------------------------------------------------------------------

MATRICES: dict[str, Callable[[Any, str], str]] = {
    "plain": rows,
    "trailing separators": lambda A, s: rows(A, s, s if s != " " else ""),
    "a count": lambda A, s: f"{len(A)}\n" + rows(A, s),
    "two counts": lambda A, s: f"{len(A)} {len(A)}\n" + rows(A, s),
    "names of columns": lambda A, s: s.join("abcdefghij"[: len(A)]) + "\n" + rows(A, s),
    "numbers of columns": lambda A, s: s.join("0123456789"[: len(A)]) + "\n" + rows(A, s),
    "weights": lambda A, s: rows(7 * A, s),
}


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("form", MATRICES)
@pytest.mark.parametrize("n", [3, 4, 10])
def test_matrices_of_numbers(n: int, form: str, separator: str) -> None:
    A = nx.to_numpy_array(nx.complete_graph(n), dtype=int)
    message = refused(f"m{SEPARATORS[separator]}", MATRICES[form](A, separator), "for a matrix")
    found = np.asarray(advised(message, "numpy.loadtxt("))
    if form == "numbers of columns" and n > 3:  # a row of numbers is no row of a matrix that has one more
        found = found[1:]
    assert lagcolor.color(found).n_colors == n


@pytest.mark.parametrize("names", ["abcd", range(4), ["x1", "x2", "x3", "x4"]])
def test_a_matrix_with_names_by_pandas(names: Any) -> None:
    frame = pd.DataFrame(K4, index=list(names), columns=list(names))
    frame.to_csv("m.csv")
    message = refused("m.csv", Path("m.csv").read_text(), "the first field is empty")
    found = advised(message, "pandas.read_csv(")
    found.columns = frame.columns  # pandas reads numbers as text in one place and not in the other
    assert lagcolor.color(found).n_colors == 4


@pytest.mark.parametrize("text", ["0 1 1\n1 0 1\n1 1 0\n", "1 0\n0 1\n", "0 3\n3 0\n", "0 2 5\n2 0 7\n5 7 0\n"])
def test_small_matrices_that_could_be_edges(text: str) -> None:
    message = refused("m.txt", text, "the lines may be edges or rows of a matrix")
    A = advised(message, "numpy.loadtxt(")
    assert A.shape == (len(A), len(A))
    assert "pass format='edges' (of lagcolor.io.read and lagcolor.convert; " in message
    assert io.read("m.txt", format="edges").n_edges >= 1
    with pytest.raises(FormatError, match="rows of a matrix"):
        lagcolor.convert("m.txt", "m.csr")
    assert lagcolor.convert("m.txt", "m.csr", format="edges").n_edges >= 1


def test_both_directions_of_an_edge_are_no_matrix() -> None:
    Path("e.txt").write_text("0 1\n1 0\n")
    assert io.read("e.txt").n_edges == 1


# Adjacency lists ------------------------------------------------------------------------------------------------------

GRAPHS = [nx.complete_graph(4), nx.cycle_graph(5), nx.path_graph(4), nx.star_graph(4), nx.petersen_graph(),
          nx.relabel_nodes(nx.complete_graph(4), dict(enumerate("abcd"))),
          nx.relabel_nodes(nx.cycle_graph(4), str)]  # fmt: skip


@pytest.mark.parametrize("delimiter", [" ", ","])
@pytest.mark.parametrize("G", [*GRAPHS, *(G.to_directed() for G in GRAPHS)])
def test_adjacency_lists_by_networkx(G: nx.Graph, delimiter: str) -> None:
    nx.write_adjlist(G, "g.txt", delimiter=delimiter)
    message = refused("g.txt", Path("g.txt").read_text(), "adjacency list")
    assert undirected(advised(message, "networkx.read_adjlist(")) == undirected(G)


@pytest.mark.parametrize(
    "text", ["a b c d\nb a c d\nc a b d\nd a b c\n", "a b 1\n1 b 2\n", "0 1 4\n1 0 2\n2 1 3\n3 2 4\n4 3 0\n"]
)
def test_lists_of_neighbors_with_as_many_each(text: str) -> None:
    refused("g.txt", text, r"networkx\.read_adjlist\('g\.txt'\)")
    Path("g.txt").write_text(text)
    with pytest.raises(FormatError, match=r"networkx\.read_adjlist"):
        lagcolor.convert("g.txt", "g.csr")


@pytest.mark.parametrize(
    "text", ["0 1 5\n0 2 5\n1 2 5\n", "1 0 2.5\n2 0 3\n", "0 1 1\n1 2 1\n2 3 1\n", "a b 1\nb c 2\n"]
)
def test_edges_with_a_number(text: str) -> None:
    Path("g.txt").write_text(text)
    assert io.read("g.txt").n_edges == len(text.splitlines())


@pytest.mark.parametrize(
    "text", ["0 7 5\n1 5 9\n2 9 7\n", "0 1 3\n1 0 2\n2 1 3\n3 0 2\n", "x1 1 2\nx2 2 3\n", "Ann 3\nBob 2\n"]
)
def test_edges_that_could_be_something_else(text: str) -> None:
    refused("g.txt", text, r"pass format='edges'")
    assert io.read("g.txt", format="edges").n_edges >= 1
    assert cli.main(["info", "g.txt"]) == 2
    assert cli.main(["info", "g.txt", "--format", "edges"]) == 0


def test_all_lines_have_as_many_fields() -> None:
    for text in (
        "0 1\n1 2 3\n",
        "0 1 5\n1 2\n",
        "0 1 5\n1 2 x\n",
        "0 1\n1 2 # a comment\n",
        "0 1\n1 2 {}\n",
        "0 1 {}\n1 2\n",
    ):
        refused("g.txt", text, "line 2: expected two vertex numbers")
    for text in ("a b\nb c d\n", "a b 5\nb c\n", "a b 5\nb c x\n", "a b\nb c {}\n", "a b {}\nb c\n"):
        refused("g.txt", text, "line 2: ")


# Counts in the first line ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "4 4\n0 1\n1 2\n2 3\n3 0\n", "4 4\n1,2\n2,3\n3,4\n4,1\n", "3 2\n70 500\n500 9\n", "3 0\n",
    "4 4 3\n1 2 .5\n2 3 .5\n3 4 .5\n", "5 4\n1 2\n2 3\n3 4\n4 5\n", "4 5\n1 2\n2 3\n3 4\n1 5\n",
    "5 6\n1 5\n1 9\n1 7\n1 8\n5 9\n7 8\n",
])  # fmt: skip
def test_a_line_of_counts(text: str) -> None:
    refused("g.txt", text, "line 1: .* may be an edge or the counts of vertices and edges: leave out a line of counts")
    without = text.partition("\n")[2]
    if without:  # what the message says
        Path("g.txt").write_text(without)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lagcolor.NumberingWarning)
            assert io.read("g.txt").n_edges == len(without.splitlines())
    Path("g.txt").write_text(text)
    assert io.read("g.txt", format="edges").n_edges >= 1


@pytest.mark.parametrize("text", [
    "4 3\n0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n",  # both directions of three edges
    "4 4 010\n2 4 3\n4 3 4\n3 1 2\n5 1 2\n",  # METIS, with a weight per vertex
    "4 5 1\n1 1 5\n2 2 3\n1 3 4\n1 4 5\n",  # hMETIS, with a weight per edge
    "5 5\n2 5\n1 3\n2 4\n3 5\n1 4\n",  # METIS
])  # fmt: skip
def test_counts_of_other_formats(text: str) -> None:
    refused("g.txt", text, "line 1: .* may be an edge or the counts of vertices and edges")


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("G", [nx.cycle_graph(5), nx.petersen_graph()])
def test_a_line_of_neighbors_for_each_vertex(G: nx.Graph, base: int) -> None:
    G = nx.relabel_nodes(G, {v: v + base for v in G})
    message = refused("g.txt", "".join(" ".join(map(str, G[v])) + "\n" for v in G), "line 1: each line may be an edge")
    found = advised(message, "dict(")
    assert edges(lagcolor.Graph.of(found)) == undirected(G)
    assert io.read("g.txt", format="edges").n_edges >= 1


# Parts of other formats -----------------------------------------------------------------------------------------------


def test_nodes_before_edges() -> None:
    """TGF, which yEd writes; a comment may stand above all lines, or below a blank one."""
    refused("g.txt", "0 a\n1 b\n#\n0 1\n", "line 3: a line '#' below others ends the nodes in a TGF file")
    Path("g.txt").write_text("#\n# edges\n#\n0 1\n# more\n1 2\n\n#\n2 3\n")
    assert io.read("g.txt").n_edges == 3


@pytest.mark.parametrize("text", ["e 1 3\ne 1 4\n", "8 pp 3\n8 pp 22\n"])
def test_a_word_in_all_lines(text: str) -> None:
    refused("g.txt", text, "line 1: all lines have .* with two numbers: for edges between the numbers, leave ")
    word = next(field for field in text.split() if field.isalpha())
    Path("h.txt").write_text(re.sub(rf"{word} ", "", text))  # what the message says
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lagcolor.NumberingWarning)
        assert io.read("h.txt").n_edges == len(text.splitlines())
    assert io.read("g.txt", format="edges").n_edges >= 1


@pytest.mark.parametrize("text", ["a: b,c\nb: c,d\n", "a: b\nb: c\n", "1:\t2\n2:\t3\n", "a,b 0\na,b {}\n"])
def test_a_colon_or_a_dict_after_a_name(text: str) -> None:
    refused("g.csv" if "{" in text else "g.txt", text, "is no name")


def test_names_with_colons() -> None:
    Path("g.txt").write_text("ex:1 http://b\nhttp://b ex:2\n")
    assert io.read("g.txt").labels == ["ex:1", "http://b", "ex:2"]


@pytest.mark.parametrize("what", ["color", "weight"])
def test_files_of_rules_have_no_edges(what: str) -> None:
    refused("g.csv", f"vertex,{what}\n0,1\n1,2\n", f"a file of {what}s, not of edges")


def test_a_matrix_with_names_of_ends() -> None:
    frame = pd.DataFrame(nx.to_numpy_array(nx.cycle_graph(5), dtype=int), columns=["u", "v", "w", "x", "y2"])
    message = refused(
        "g.csv", frame.to_csv(index=False), "line 1: the columns with the ends of edges have 0 and 1 only"
    )
    assert lagcolor.color(advised(message, "pandas.read_csv(")).n_colors == 3
    assert io.read("g.csv", columns=("u", "v")).n_edges == 1


def test_numbers_of_columns() -> None:
    refused("g.csv", "0,1,2\n1,2,.5\n0,2,.5\n", "line 1: 0 and 1 and 2 may be an edge or name the columns")
    assert io.read("g.csv", columns=("0", "1")).n_edges == 2
    assert io.read("g.csv", header=False).n_edges == 3


def test_one_line_of_three_numbers() -> None:
    refused("g.csv", "0,5,7\n", "numbered edges")
    assert io.read("g.csv", format="edges").n_edges == 1


# Names with separators, brackets and attributes -----------------------------------------------------------------------


@pytest.mark.parametrize("data", [True, False])
@pytest.mark.parametrize("delimiter", [" ", "|", ",", "\t"])
@pytest.mark.parametrize("G", [nx.triangular_lattice_graph(4, 4), nx.grid_2d_graph(3, 3)])
def test_names_that_are_tuples(G: nx.Graph, delimiter: str, data: bool) -> None:
    nx.write_edgelist(G, "g.edgelist", data=data, delimiter=delimiter)
    try:
        found = edges(io.read("g.edgelist"))
    except FormatError as e:
        assert "is no name" in str(e) or "is no line of an edge list" in str(e)
        H = nx.convert_node_labels_to_integers(G)  # what the message says
        nx.write_edgelist(H, "h.edgelist", data=data, delimiter=" ")
        found = edges(io.read("h.edgelist"))
        assert found == undirected(H)
    else:
        assert found == undirected(G)


@pytest.mark.parametrize("delimiter", [" ", ",", "\t", ";"])
@pytest.mark.parametrize("label", [str, int, "v{}".format])
@pytest.mark.parametrize("attributes", [{}, {"weight": 3}, {"weight": 0.5, "color": "red", "at": (1, 2)}])
def test_attributes_by_networkx(attributes: dict[str, Any], label: Any, delimiter: str) -> None:
    G = nx.relabel_nodes(nx.karate_club_graph(), label)
    for edge in G.edges:
        G.edges[edge].clear()
        G.edges[edge].update(attributes)
    nx.write_edgelist(G, "g.txt", delimiter=delimiter)
    assert edges(io.read("g.txt")) == undirected(G)


@pytest.mark.parametrize(
    "text",
    [
        "S,1 x\nS,2 x\n",
        "a b,c\nb c,d\n",
        "a;b,c\n",
        "('\"a\"', '\"b\"')\n('\"b\"', '\"c\"')\n",
        "(a b\n(b c\n",
        "u v color\nJones, Al Smith, Bob 0\n",
    ],
)
def test_names_with_separators(text: str) -> None:
    refused("g.txt", text, "use one separator|is no name")


# Formats of other packages --------------------------------------------------------------------------------------------


def pajek(G: nx.Graph, name: str) -> None:
    nx.write_pajek(nx.relabel_nodes(G, str), name)


def text_of(document: Any) -> Callable[[nx.Graph, str], object]:
    return lambda G, name: Path(name).write_text(json.dumps(document(G)))


WRITERS: dict[str, Callable[[nx.Graph, str], object]] = {
    "graphml": nx.write_graphml, "gexf": nx.write_gexf, "gml": nx.write_gml, "net": pajek,
    "adjlist": nx.write_adjlist, "multiline_adjlist": nx.write_multiline_adjlist,
    "g6": nx.write_graph6, "s6": nx.write_sparse6, "json": text_of(nx.node_link_data),
    "links.json": text_of(lambda G: nx.node_link_data(G, edges="links")),
    "adjacency.json": text_of(nx.adjacency_data),
    "dict.json": text_of(lambda G: nx.to_dict_of_lists(nx.relabel_nodes(G, str))),
    "lgl": lambda G, name: igraph.Graph.from_networkx(G).write_lgl(name, names=None, weights=None),
    "ncol": lambda G, name: igraph.Graph.from_networkx(G).write_ncol(name, names=None, weights=None),
}  # fmt: skip
BY_CONTENT = [name for name in WRITERS if name not in ("adjlist", "multiline_adjlist", "lgl", "ncol")]


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_of_another_package(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    G = nx.petersen_graph()
    WRITERS[name](G, f"g.{name}")
    with pytest.raises(FormatError, match="lagcolor does not read") as caught:
        lagcolor.color(f"g.{name}")
    call = re.search(r": pass (\w+\.)", str(caught.value))
    assert call is not None
    found = lagcolor.Graph.of(advised(str(caught.value), call[1]))
    assert (found.n, found.n_edges) == (10, 15) and lagcolor.color(found).n_colors >= 3
    assert cli.main(["color", f"g.{name}"]) == 2
    assert "lagcolor does not read" in capsys.readouterr().err


@pytest.mark.parametrize("extension", [".txt", ".csv", ".col", ".graph", ".mtx", ".edges.gz"])
@pytest.mark.parametrize("name", BY_CONTENT)
def test_a_format_of_another_package_by_its_content(name: str, extension: str) -> None:
    WRITERS[name](nx.petersen_graph(), f"g.{name}")
    Path(f"g{extension.removesuffix('.gz')}").write_bytes(Path(f"g.{name}").read_bytes())
    path = f"g{extension}"
    if extension.endswith(".gz"):
        import gzip

        Path(path).write_bytes(gzip.compress(Path(f"g.{name}").read_bytes()))
    with pytest.raises(FormatError, match=rf"^g{extension}: lagcolor does not read \w+: pass \w+\.\w+\("):
        io.read(path)


def test_dot_pace_and_gal() -> None:
    refused(
        "g.dot", 'strict graph "" {\n0 -- 1;\n}\n', r"pass networkx\.Graph\(networkx\.nx_pydot\.read_dot\('g\.dot'\)\)"
    )
    refused("dot.txt", "graph {\n0 -- 1;\n}\n", r"networkx\.nx_pydot\.read_dot\('dot\.txt'\)")
    refused("g.gal", "3\n0 1\n1\n1 1\n0\n2 0\n\n", r"pass libpysal\.io\.open\('g\.gal'\)\.read\(\)\.neighbors")
    message = refused("p.gr", "c a comment\np tw 3 2\n1 2\n2 3\n", "lagcolor does not read PACE")
    assert lagcolor.color(advised(message, "networkx.parse_edgelist(")).n_colors == 2


def test_lgl_under_another_name() -> None:
    G = igraph.Graph.Ring(5)
    G.write_lgl("g.txt", names=None, weights=None)
    refused("g.txt", Path("g.txt").read_text(), "line 1: lines such as '# name' are comments|expected two")
    G.es["weight"] = [1, 2, 3, 4, 5]
    G.write_lgl("g.txt", names=None)
    message = refused("g.txt", Path("g.txt").read_text(), "line 1: lines such as '# name' are comments of an edge list")
    assert advised(message, "igraph.Graph.Read_Lgl(").ecount() == 5


# DIMACS variants ------------------------------------------------------------------------------------------------------


def test_bandwidth_files_and_cliques() -> None:
    Path("b.col").write_text("c bandwidth\np band 3 2\nn 1 2\ne 1 2 3\ne 2 3 1\n")
    assert edges(io.read("b.col")) == {frozenset("01"), frozenset("12")}
    assert lagcolor.color("b.col").n_colors == 2
    Path("c.clq").write_text("p col 3 3\ne 1 2\ne 2 3\ne 1 3\n")
    assert lagcolor.color("c.clq").n_colors == 3
    io.write("c.clq.b", io.read("c.clq"))
    assert io.read("c.clq.b").n_edges == 3


# Edges as rows and columns --------------------------------------------------------------------------------------------

VISITS = [("ann", "art"), ("ann", "bio"), ("bob", "art"), ("bob", "che")]


def written(name: str, pairs: list[tuple[Any, Any]], columns: tuple[str, str] = ("source", "target")) -> str:
    frame = pd.DataFrame(pairs, columns=columns)
    if name.endswith(".parquet"):
        frame.to_parquet(name)
    else:
        frame.to_csv(name, index=False, sep="\t" if name.endswith(".tsv") else ",")
    return name


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz", "x.parquet"])
@pytest.mark.parametrize("problem", ["columns", "rows"])
def test_files_of_pairs_are_rows_and_columns(problem: str, name: str) -> None:
    path = written(name, VISITS)
    P, Q = Pattern.of(path), Pattern.of(VISITS)
    assert (
        (P.shape, P.labels, P.column_labels)
        == (Q.shape, Q.labels, Q.column_labels)
        == ((2, 3), ["ann", "bob"], ["art", "bio", "che"])
    )
    assert P.indices.tolist() == Q.indices.tolist()
    assert lagcolor.color(path, problem=problem).to_dict() == lagcolor.color(VISITS, problem=problem).to_dict()


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_files_of_pairs_of_numbers(name: str) -> None:
    pairs = [(0, 7), (3, 2), (1, 7)]
    path = written(name, pairs)
    assert Pattern.of(path).shape == Pattern.of(pairs).shape == (4, 8)
    assert Pattern.of(path, shape=(5, 9)).shape == (5, 9)
    with pytest.raises(lagcolor.GraphError, match=r"x\.\w+: row indices\[1\] = 3 is out of range for n = 2"):
        Pattern.of(path, shape=(2, 9))
    assert lagcolor.derivatives.jacobian(path).coloring.to_numpy().shape == (8,)


def test_the_comment_of_snap_makes_a_graph() -> None:
    """It counts nodes: rows and columns are the same ones, as in a file that `write` has written."""
    G = lagcolor.generate.path(5)
    io.write("g.txt", G)
    P = Pattern.of("g.txt")
    assert P.shape == (5, 5) and P.indices.tolist() == G.indices.tolist()


def test_a_table_colored_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    written("enrolment.csv", VISITS, ("student", "exam"))
    Path("seats.csv").write_text("vertex,weight\nart,2\nbio,1\nche,1\n")
    assert cli.main(["color", "enrolment.csv", "--problem", "columns"]) == 2
    assert "pass --header if they name the columns" in capsys.readouterr().err
    command = [
        "color",
        "enrolment.csv",
        "--header",
        "--problem",
        "columns",
        "--weights",
        "seats.csv",
        "--capacity",
        "2",
    ]
    assert cli.main([*command, "--out", "slots.csv"]) == 0
    slots = dict(line.split(",") for line in Path("slots.csv").read_text().splitlines()[1:])
    assert slots.keys() == {"art", "bio", "che"} and slots["art"] not in (slots["bio"], slots["che"])


@pytest.mark.parametrize("text", ["0 1\n1 0\n0 1\n1 2\n", "source target\na b\na b\nb c\n"])
def test_parallel_edges_on_the_command_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("g.txt").write_text(text)
    assert cli.main(["color", "g.txt", "--problem", "edges"]) == 2
    assert "is there more than once" in (shown := capsys.readouterr().err) and "lagcolor.color_pairs(" in shown
    io.write("h.txt", io.read("g.txt"))  # each once, as the page says
    assert cli.main(["color", "h.txt", "--problem", "edges"]) == 0


# Parquet --------------------------------------------------------------------------------------------------------------


def test_parquet_and_csv_are_read_alike() -> None:
    N = nx.gnm_random_graph(300, 900, seed=3)
    for pairs in (list(N.edges), [(f"v{u}", f"v{v}") for u, v in N.edges]):
        colors = [lagcolor.color(written(name, pairs)).to_dict() for name in ("e.csv", "e.parquet")]
        assert colors[0] == colors[1] == lagcolor.color(pairs).to_dict()


def test_columns_of_parquet(capsys: pytest.CaptureFixture[str]) -> None:
    pd.DataFrame({"kg": [1.0, 2], "who": ["a", "b"], "whom": ["b", "c"]}).to_parquet("e.parquet")
    with pytest.raises(FormatError, match=r"e\.parquet: which two of the 3 columns .* Pass columns=\("):
        io.read("e.parquet")
    assert io.read("e.parquet", columns=("who", "whom")).labels == ["a", "b", "c"]
    with pytest.raises(FormatError, match=r"e\.parquet: there is no column 'x'"):
        io.read("e.parquet", columns=("who", "x"))
    assert cli.main(["info", "e.parquet", "--columns", "who", "whom"]) == 0
    pd.DataFrame({"a": [1, None], "b": [2, 3]}).to_parquet("e.parquet")
    with pytest.raises(lagcolor.GraphError, match=r"e\.parquet: column 'a' has no value in row 1"):
        io.read("e.parquet")


def test_parquet_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    written("e.parquet", VISITS)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(lagcolor.MissingPackageError, match="needs pyarrow: pip install pyarrow"):
        lagcolor.color("e.parquet")
    with pytest.raises(lagcolor.MissingPackageError, match="needs pyarrow: pip install pyarrow"):
        lagcolor.convert("e.parquet", "e.csr")


# A summary is of the graph of the file --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n", "a b c d\nb a c d\n", "student,exam\nann,art\nbob,art\n"]
)
def test_no_summary_of_a_guess(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("g.csv").write_text(text)
    assert cli.main(["color", "g.csv"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and "verified" not in shown.err


def test_the_advice_for_a_header_keeps_rows_and_columns_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("enrolment.csv").write_text("student,exam\nann,art\nann,bio\nbob,art\nbob,che\n")
    with pytest.raises(FormatError, match=r"header=True if .*; for rows and columns, of lagcolor\.Pattern\.of\)"):
        lagcolor.color("enrolment.csv", problem="columns")
    result = lagcolor.color(lagcolor.Pattern.of("enrolment.csv", header=True), problem="columns")
    assert result.to_dict() == {"art": 0, "bio": 1, "che": 1}
