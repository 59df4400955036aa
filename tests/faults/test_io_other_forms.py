"""Files in forms that are no edge lists, and formats of other packages: the same graph or an error with the call."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from convert_cases import SMALL, small

import lagcolor
from lagcolor import FormatError, Pattern, io
from lagcolor.io import files, pieces

K4 = nx.to_numpy_array(nx.complete_graph(4), dtype=int)


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
    """Return the result of the call in a message, which begins like `call`."""
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


@pytest.mark.parametrize("separator", [" ", ","])
@pytest.mark.parametrize("form", MATRICES)
def test_matrices_of_numbers(form: str, separator: str) -> None:
    message = refused("m.txt", MATRICES[form](K4, separator), "for a matrix")
    found = np.asarray(advised(message, "numpy.loadtxt("))
    if form == "numbers of columns":  # a row of numbers is no row of a matrix that has one more
        found = found[1:]
    assert lagcolor.color(found).n_colors == 4


@pytest.mark.parametrize("names", ["abcd", range(4)])
def test_a_matrix_with_names_by_pandas(names: Any) -> None:
    frame = pd.DataFrame(K4, index=list(names), columns=list(names))
    frame.to_csv("m.csv")
    message = refused("m.csv", Path("m.csv").read_text(), "the first field is empty")
    found = advised(message, "pandas.read_csv(")
    found.columns = frame.columns  # pandas reads numbers as text in one place and not in the other
    assert lagcolor.color(found).n_colors == 4


@pytest.mark.parametrize("text", ["0 1 1\n1 0 1\n1 1 0\n", "1 0\n0 1\n", "0 2 5\n2 0 7\n5 7 0\n"])
def test_small_matrices_that_could_be_edges(text: str) -> None:
    message = refused("m.txt", text, "the lines may be edges or rows of a matrix")
    A = advised(message, "numpy.loadtxt(")
    assert A.shape == (len(A), len(A))
    assert "pass format='edges' (of lagcolor.io.read and lagcolor.convert; " in message
    with pytest.raises(FormatError, match="rows of a matrix"):
        lagcolor.convert("m.txt", "m.csr")
    assert lagcolor.convert("m.txt", "m.csr", format="edges").n_edges == io.read("m.txt", format="edges").n_edges


def test_a_matrix_with_names_of_ends() -> None:
    frame = pd.DataFrame(nx.to_numpy_array(nx.cycle_graph(5), dtype=int), columns=["u", "v", "w", "x", "y2"])
    message = refused("g.csv", frame.to_csv(index=False), "line 1: the columns with the ends of edges have 0 and 1")
    assert lagcolor.color(advised(message, "numpy.loadtxt(")).n_colors == 3
    assert EDGES in message and io.read("g.csv", format="edges").n_edges == 1


# Lines ----------------------------------------------------------------------------------------------------------------

NEIGHBORS, COUNTS, FIELDS = (
    r"networkx\.read_adjlist\('g\.txt'\)",
    "line 1: .* may be an edge or the counts of",
    "line 2: ",
)
WORD, EDGES = "line 1: all lines have .* with two numbers: for edges between the numbers, leave ", "pass format='edges'"
REFUSED = {  # lines that are no edges, or may be something else, and what the message says
    "a b c d\nb a c d\nc a b d\nd a b c\n": NEIGHBORS, "a b 1\n1 b 2\n": NEIGHBORS,
    "0 1 4\n1 0 2\n2 1 3\n3 2 4\n4 3 0\n": NEIGHBORS,
    "0 7 5\n1 5 9\n2 9 7\n": EDGES, "0 1 3\n1 0 2\n2 1 3\n3 0 2\n": EDGES, "x1 1 2\nx2 2 3\n": EDGES,
    "Ann 3\nBob 2\n": EDGES,
    "0 1\n1 2 3\n": FIELDS, "0 1 5\n1 2\n": FIELDS, "0 1 5\n1 2 x\n": FIELDS, "0 1\n1 2 {}\n": FIELDS,
    "a b\nb c d\n": FIELDS, "a b {}\nb c\n": FIELDS,
    "4 4\n0 1\n1 2\n2 3\n3 0\n": COUNTS, "3 2\n70 500\n500 9\n": COUNTS, "3 0\n": COUNTS,
    "4 4 3\n1 2 .5\n2 3 .5\n3 4 .5\n": COUNTS, "5 4\n1 2\n2 3\n3 4\n4 5\n": COUNTS,
    "4 3\n0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n": COUNTS,  # both directions of three edges
    "4 4 010\n2 4 3\n4 3 4\n3 1 2\n5 1 2\n": COUNTS,  # METIS, with a weight per vertex
    "4 5 1\n1 1 5\n2 2 3\n1 3 4\n1 4 5\n": COUNTS,  # hMETIS, with a weight per edge
    "0 a\n1 b\n#\n0 1\n": "line 3: a line '#' below others ends the nodes in a TGF file",
    "e 1 3\ne 1 4\n": WORD, "8 pp 3\n8 pp 22\n": WORD,
    "a: b,c\nb: c,d\n": "is no name", "1:\t2\n2:\t3\n": "is no name", "(a b\n(b c\n": "is no name",
    "S,1 x\nS,2 x\n": "use one separator|is no name", "a;b,c\n": "use one separator|is no name",
    "('\"a\"', '\"b\"')\n('\"b\"', '\"c\"')\n": "use one separator|is no name",
    "u v weight\nJones, Al Smith, Bob 0\n": "use one separator|is no name",
    '"vertex","color"\n0,1\n': "of colors", "vertex, color\n0, 1\n": "of colors", "u;v;color\n0;1;0\n": "of colors",
}  # fmt: skip
READ = {  # lines that have one meaning, and the number of edges
    "0 1 5\n0 2 5\n1 2 5\n": 3, "1 0 2.5\n2 0 3\n": 2, "a b 1\nb c 2\n": 2, "ex:1 http://b\nhttp://b ex:2\n": 2,
    "0 1\n1 0\n": 1, "#\n# edges\n#\n0 1\n# more\n1 2\n\n#\n2 3\n": 3,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::lagcolor.NumberingWarning")
@pytest.mark.parametrize("text", REFUSED)
def test_lines_that_may_be_something_else(text: str) -> None:
    """The advice of the message works."""
    message, what = refused("g.txt", text, REFUSED[text]), REFUSED[text]
    without = text.partition("\n")[2] if what == COUNTS else re.sub("(e|pp) ", "", text) if what == WORD else ""
    if EDGES in message:
        assert io.read("g.txt", format="edges").n_edges >= 1
    if what == WORD or text.startswith(("3 2", "5 4")):
        Path("g.txt").write_text(without)
        assert io.read("g.txt").n_edges == len(without.splitlines())


@pytest.mark.parametrize("text", READ)
def test_lines_that_are_edges(text: str) -> None:
    Path("g.txt").write_text(text)
    assert io.read("g.txt").n_edges == READ[text]


LONG = {  # lists of several pieces, and what the message says; "" if they are edges
    "20 60\n" + "".join(f"{k % 20} {k * 7 % 19}\n" for k in range(60)): COUNTS,
    "".join(f"{k} {k * 7 % 99} {k * 7 % 99 + 13}\n" for k in range(60)): EDGES,
    "".join(f"{(k - 1) % 60} {(k + 1) % 60}\n" for k in range(60)): EDGES,
    "".join(f"{(k - 2) % 60} {(k + 2) % 60} {k ^ 1}\n" for k in range(60)): EDGES,
    "0 1\n" + "".join(f"{k + 2} {k + 3}\n" for k in range(60)): "0 and 1 may be an edge or name the columns",
    "0 1\n1 1\n" * 30: "rows of a matrix", "".join(f"e {k} {k + 1}\n" for k in range(60)): WORD,
    "".join(f"n{k} {k}\n" for k in range(60)): EDGES, "".join(f"n{k} {k}\n" for k in range(60)) * 2: "",
}  # fmt: skip


@pytest.mark.parametrize("text", LONG)
def test_long_lists_in_pieces(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed file and a conversion have the result of a plain file."""
    Path("g.txt").write_text(text)
    Path("g.txt.gz").write_bytes(gzip.compress(text.encode()))
    message = refused("g.txt", text, LONG[text]) if LONG[text] else ""
    monkeypatch.setattr(pieces, "PIECE", 64)
    monkeypatch.setattr(files, "BLOCK", 8)
    small(monkeypatch, SMALL._replace(block=64))
    for read in (lambda: io.read("g.txt.gz"), lambda: lagcolor.convert("g.txt", "g.csr")):
        try:
            assert read().n_edges == 60 and not message
        except FormatError as e:
            assert str(e).replace(".gz", "") == message


@pytest.mark.parametrize("G", [nx.complete_graph(4), nx.star_graph(4), nx.cycle_graph(5).to_directed()])
def test_adjacency_lists_by_networkx(G: nx.Graph) -> None:
    for H, delimiter in ((G, " "), (nx.relabel_nodes(G, dict(enumerate("abcde"))), ",")):
        nx.write_adjlist(H, "g.txt", delimiter=delimiter)
        message = refused("g.txt", Path("g.txt").read_text(), "adjacency list")
        assert undirected(advised(message, "networkx.read_adjlist(")) == undirected(H)


@pytest.mark.parametrize("base", [0, 1])
def test_a_line_of_neighbors_for_each_vertex(base: int) -> None:
    G = nx.relabel_nodes(nx.petersen_graph(), {v: v + base for v in range(10)})
    message = refused("g.txt", "".join(" ".join(map(str, G[v])) + "\n" for v in G), "line 1: each line may be an edge")
    assert edges(lagcolor.Graph.of(advised(message, "dict("))) == undirected(G)
    assert io.read("g.txt", format="edges").n_edges >= 1


@pytest.mark.parametrize("delimiter", [" ", "|"])
def test_names_that_are_tuples(delimiter: str) -> None:
    """Their numbers are read, as the message says."""
    G = nx.grid_2d_graph(3, 3)
    nx.write_edgelist(G, "g.edgelist", delimiter=delimiter)
    try:
        assert edges(io.read("g.edgelist")) == undirected(G)
    except FormatError as e:
        assert "is no name" in str(e) or "is no line of an edge list" in str(e)
        H = nx.convert_node_labels_to_integers(G)
        nx.write_edgelist(H, "h.edgelist", delimiter=" ")
        assert edges(io.read("h.edgelist")) == undirected(H)


# Formats of other packages --------------------------------------------------------------------------------------------


def text_of(document: Any) -> Callable[[nx.Graph, str], object]:
    return lambda G, name: Path(name).write_text(json.dumps(document(G)))


WRITERS: dict[str, Callable[[nx.Graph, str], object]] = {
    "graphml": nx.write_graphml, "gexf": nx.write_gexf, "gml": nx.write_gml,
    "net": lambda G, name: nx.write_pajek(nx.relabel_nodes(G, str), name),
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
def test_a_format_of_another_package(name: str) -> None:
    G = nx.petersen_graph()
    WRITERS[name](G, f"g.{name}")
    with pytest.raises(FormatError, match="lagcolor does not read") as caught:
        lagcolor.color(f"g.{name}")
    call = re.search(r": pass (\w+\.)", str(caught.value))
    assert call is not None
    found = lagcolor.Graph.of(advised(str(caught.value), call[1]))
    assert (found.n, found.n_edges) == (10, 15)
    if name in BY_CONTENT:  # under other names, too
        for other in ("g.txt", "g.mtx"):
            Path(other).write_bytes(Path(f"g.{name}").read_bytes())
            with pytest.raises(FormatError, match=rf"^{other}: lagcolor does not read \w+: pass \w+\.\w+\("):
                io.read(other)


def test_dot_pace_and_gal() -> None:
    for name, text in (("g.dot", 'strict graph "" {\n0 -- 1;\n}\n'), ("g.txt", "graph {\n0 -- 1;\n}\n")):
        refused(name, text, rf"pass networkx\.Graph\(networkx\.nx_pydot\.read_dot\('{name}'\)\)")
    refused("g.gal", "3\n0 1\n1\n1 1\n0\n2 0\n\n", r"pass libpysal\.io\.open\('g\.gal'\)\.read\(\)\.neighbors")
    message = refused("p.gr", "c a comment\np tw 3 2\n1 2\n2 3\n", "lagcolor does not read PACE")
    assert lagcolor.color(advised(message, "networkx.parse_edgelist(")).n_colors == 2


# DIMACS variants ------------------------------------------------------------------------------------------------------


def test_bandwidth_files_and_cliques() -> None:
    Path("b.col").write_text("c bandwidth\np band 3 2\nn 1 2\ne 1 2 3\ne 2 3 1\n")
    assert edges(io.read("b.col")) == {frozenset("01"), frozenset("12")}
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


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.parquet"])
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
    """The comment counts nodes, so rows and columns are the same vertices, as in a file from `write`."""
    G = lagcolor.generate.path(5)
    io.write("g.txt", G)
    P = Pattern.of("g.txt")
    assert P.shape == (5, 5) and P.indices.tolist() == G.indices.tolist()


# Parquet --------------------------------------------------------------------------------------------------------------


def test_columns_of_parquet() -> None:
    pd.DataFrame({"kg": [1.0, 2], "who": ["a", "b"], "whom": ["b", "c"]}).to_parquet("e.parquet")
    with pytest.raises(FormatError, match=r"e\.parquet: which two of the 3 columns .* Pass columns=\("):
        io.read("e.parquet")
    assert io.read("e.parquet", columns=("who", "whom")).labels == ["a", "b", "c"]
    with pytest.raises(FormatError, match=r"e\.parquet: there is no column 'x'"):
        io.read("e.parquet", columns=("who", "x"))
    pd.DataFrame({"a": [1, None], "b": [2, 3]}).to_parquet("e.parquet")
    with pytest.raises(lagcolor.GraphError, match=r"e\.parquet: column 'a' has no value in row 1"):
        io.read("e.parquet")


def test_parquet_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    written("e.parquet", VISITS)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    for call in (lagcolor.color, lambda path: lagcolor.convert(path, "e.csr")):
        with pytest.raises(lagcolor.MissingPackageError, match="needs pyarrow: pip install pyarrow"):
            call("e.parquet")


def test_the_advice_for_a_header_keeps_rows_and_columns_apart() -> None:
    Path("enrolment.csv").write_text("student,exam\nann,art\nann,bio\nbob,art\nbob,che\n")
    with pytest.raises(FormatError, match=r"header=True if .*; for rows and columns, of lagcolor\.Pattern\.of\)"):
        lagcolor.color("enrolment.csv", problem="columns")
    result = lagcolor.color(lagcolor.Pattern.of("enrolment.csv", header=True), problem="columns")
    assert result.to_dict() == {"art": 0, "bio": 1, "che": 1}
