"""The first line of an edge list: column names, or an edge; and what may be either is never guessed in silence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lagcolor import FormatError, OptionError, Pattern, cli, convert, io
from lagcolor.io import parse


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def edges(text: str, **how: Any) -> list[tuple[Any, Any]]:
    """Edges of a file by label, sorted."""
    G = io.read(path_of(text), **how)
    labels = list(range(G.n)) if G.labels is None else G.labels
    rows = np.repeat(np.arange(G.n), np.diff(G.indptr)).tolist()
    return sorted((labels[u], labels[v]) for u, v in zip(rows, G.indices.tolist(), strict=True) if u < v)


PLAIN = {
    "0 1\n1 2\n": [(0, 1), (1, 2)],
    "0 1\t\n1 2\t\n": [(0, 1), (1, 2)],  # a tab at the end separates nothing
    "a,b\n0,1\n1,2\n": [(0, 1), (1, 2)],  # each a word above a number
    "source,target\nAnn,Bob\n": [("Ann", "Bob")],
    "target,weight,source\n1,x,2\n": [(1, 2)],
    "Ann Bob\nBob Carl\n": [("Ann", "Bob"), ("Bob", "Carl")],
    "Ann,Bob,1\nBob,Carl,2\n": [("Ann", "Bob"), ("Bob", "Carl")],
    "Ann,Bob,\nBob,Carl,2\n": [("Ann", "Bob"), ("Bob", "Carl")],  # a value that is missing is no name
    "Ann,Ann\nBob,Carl\n": [("Bob", "Carl")],
    "1 Ann\nBob Carl\n": [("1", "Ann"), ("Bob", "Carl")],  # no column is called 1
    'a b nan\n"NaN" b nan\n': [("a", "b"), ("b", "NaN")],  # in quotes, or not an end
}


@pytest.mark.parametrize("text", PLAIN)
def test_lines_of_one_meaning(text: str) -> None:
    assert edges(text) == PLAIN[text]


# What may be either, why, and edges by header=True and header=False.
EITHER = {
    "who,whom\r\nAnn,Bob\r\nBob,Carl\r\n": (
        r"'who' and 'whom' may name the columns or be an edge \(no other edge has one of its names\)",
        [("Ann", "Bob"), ("Bob", "Carl")],
        [("Ann", "Bob"), ("Bob", "Carl"), ("who", "whom")],
    ),
    "u v\nv w\nw x\n": (
        r"'u' and 'v' may name the columns or be an edge \(edges below it have such a name\)",
        [("v", "w"), ("w", "x")],
        [("u", "v"), ("v", "w"), ("w", "x")],
    ),
    "7 Bob\n1 2\n2 3\n": (
        "'7 Bob' may be an edge or name the columns",
        [(1, 2), (2, 3)],
        [("1", "2"), ("2", "3"), ("7", "Bob")],
    ),
    "Ann,Bob\n": ("'Ann' and 'Bob' may name the columns or be an edge", None, [("Ann", "Bob")]),
    "0,1\n5,7\n7,8\n": ("0 and 1 may be an edge or name the columns", [(5, 7), (7, 8)], [(0, 1), (5, 7), (7, 8)]),
}


@pytest.mark.filterwarnings("ignore::lagcolor.NumberingWarning")
@pytest.mark.parametrize("text", EITHER)
def test_an_edge_or_names_of_columns(text: str) -> None:
    why, as_header, as_edge = EITHER[text]
    with pytest.raises(FormatError, match=rf"^g\.csv, line 1: {why}") as caught:
        edges(text)
    # Each way that the message names ends it.
    assert set(re.findall(r"header=(\w+)", str(caught.value))) == {"True", "False"}
    assert edges(text, header=False) == as_edge
    if as_header is not None:
        assert edges(text, header=True) == as_header


@pytest.mark.parametrize("text", ["0\t1 5\n1\t2\n2\t3\n", "0;1;0,5\n1;2;1,5\n2;3;1\n", "Ann,Bob Carl\nBob,Carl Dora\n"])
def test_fields_between_two_separators(text: str) -> None:
    Path("g.txt").write_text(text)
    with pytest.raises(FormatError, match=r"line 1: .* has the fields .* or .*: use one separator"):
        io.read("g.txt")
    # What the message says to do.
    quoted = "".join('"{}"\t"{}"\n'.format(*line.split("\t")) for line in "0\t1 5\n1 5\t2 7\n".splitlines())
    assert edges(quoted) == [("0", "1 5"), ("1 5", "2 7")]
    assert edges("Ann,Bob Carl\nAnn,Dora\n") == [("Ann", "Bob Carl"), ("Ann", "Dora")]  # a .csv has commas


def path_of(text: str) -> str:
    Path("g.csv").write_text(text)
    return "g.csv"


@pytest.mark.parametrize(("name", "value"), [("city", "3"), ("x", "y")])
def test_more_than_two_ends_and_a_number(name: str, value: str) -> None:
    text = f"who,whom,{name}\nAnn,Bob,{value}\nBob,Carl,{value}\n"
    with pytest.raises(FormatError, match=rf"line 1: 'who,whom,{name}' is no line of an edge list, which has two") as e:
        edges(text)
    pair = re.search(r"pass columns=\('(\w+)', '(\w+)'\)", str(e.value))
    assert pair is not None and edges(text, columns=pair.groups()) == [("Ann", "Bob"), ("Bob", "Carl")]
    assert edges(text.replace("who,whom", "source,target")) == [("Ann", "Bob"), ("Bob", "Carl")]
    with pytest.raises(FormatError, match=r"which two of the 3 columns 'who', 'whom', .* are the ends") as e:
        edges(text, header=True)
    assert "pass columns=('who', 'whom')" in str(e.value)


def test_a_header_of_any_words() -> None:
    assert edges("0,1\n0,2\n1,2\n", header=True) == [(0, 2), (1, 2)]
    assert edges(",a,b\n0,5,7\n1,5,8\n", header=True) == [(5, 7), (5, 8)]  # pandas, with its index
    assert edges("# no header\nsource target\nAnn Bob\n", header=False) == [("Ann", "Bob"), ("source", "target")]
    assert edges("1 x\n0 1\n", header=False) == [("1", "0"), ("1", "x")]  # as the error for '0 1', '1 x' says
    with pytest.raises(FormatError, match="line 1: header=True, but 'only' does not name two columns"):
        edges("only\n1,2\n", header=True)


def test_columns() -> None:
    assert edges("a,c,b\n0,9,1\n1,9,2\n", columns=("a", "b")) == [(0, 1), (1, 2)]
    assert edges("a,c,b\nx,9,y\n", columns=["b", "a"]) == [("y", "x")]
    for text in ("a,c,b\n0,9,1\n", "Ann,Bob,x\nBob,Carl,y\n"):
        with pytest.raises(FormatError, match=r"line 1: there is no column '(d|a)'; the line has .*'"):
            edges(text, columns=("a", "d"))
    with pytest.raises(FormatError, match="line 1: column 'a' is there twice; the line has"):
        edges("a,a,b\n0,9,1\n", columns=("a", "b"))


@pytest.mark.parametrize("read", [io.read, Pattern.of, lambda path, **how: convert(path, "g.csr", **how)])
def test_columns_without_a_header(read: Any) -> None:
    """Names of columns are no positions. What each message says works."""
    ids, text = "1,0,1\n2,1,2\n3,0,2\n4,2,3\n", "0,1\n0,2\n1,2\n2,3\n"
    for columns in (("source", "target"), ("1", "2")):
        with pytest.raises(
            FormatError, match=r"if this is not a header, write one above it with .* leave out columns="
        ):
            read(path_of(ids), columns=columns)
    with pytest.raises(FormatError, match=r"'0,1' may be an edge or .* header=True, too, .* header=False alone"):
        read(path_of(text), columns=("0", "1"))
    assert edges("id,source,target\n" + ids, columns=("source", "target")) == edges(text) == edges(text, header=False)
    assert edges(text, header=True, columns=("0", "1")) == edges(text)[1:]


@pytest.mark.parametrize("how", [{"columns": ("a", "a")}, {"columns": ("a", "b"), "header": False}, {"header": 1}])
def test_options_that_are_none(how: dict[str, Any]) -> None:
    for read in (io.read, Pattern.of):
        with pytest.raises(OptionError, match=r"leave one out|two different names|must be True or False"):
            read(path_of("0 1\n"), **how)


def test_other_inputs_have_no_first_line() -> None:
    io.write("g.mtx", [(0, 1)])
    for how in ({"header": True}, {"columns": ("a", "b")}):
        with pytest.raises(OptionError, match=rf"{next(iter(how))} is for the format edges or parquet, and g\.mtx has"):
            io.read("g.mtx", **how)
        with pytest.raises(OptionError, match="are for the path of an edge list, not ndarray"):
            Pattern.of(np.eye(2), **how)


@pytest.mark.parametrize("text", ["0 1\n{}1 2\n", "{}0 1\n1 2\n"])
def test_many_lines_without_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code passes over them: Python takes ten seconds for a million."""
    looked, peek = [], parse.LineReader.peek

    def counted(reader: parse.LineReader) -> str | None:
        looked.append(reader.line)
        return peek(reader)

    monkeypatch.setattr(parse.LineReader, "peek", counted)
    assert edges(text.format("\n \r\n" * 10_000)) == [(0, 1), (1, 2)]
    assert len(looked) < 10
    with pytest.raises(
        FormatError, match=r"g\.csv, line 2000\d: expected two vertex numbers, .* found '1 x'; .* for names, move"
    ):
        edges(text.replace("1 2", "1 x").format("\n \r\n" * 10_000))


# On the command line --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["color g.csv", "verify g.csv c.txt", "color g.csv --problem columns", "convert g.csv g.csr"]
)
def test_flags(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    path_of("who,whom\nAnn,Bob\nBob,Carl\n")
    Path("c.txt").write_text("0\n1\n0\n")
    assert cli.main([*command.split(), "--header"]) == 0
    path_of("who,to,of\nAnn,1,Bob\nBob,2,Carl\n")
    assert cli.main([*command.split(), "--columns", "who", "of", *(["--force"] if "convert" in command else [])]) == 0
    assert capsys.readouterr().err == ""


def test_messages_name_flags(capsys: pytest.CaptureFixture[str]) -> None:
    for text, advice in (
        ("who,whom\nAnn,Bob\n", "pass --header if they name the columns, --no-header if they are an edge\n"),
        ("who,whom,kg\nAnn,Bob,3\n", "pass --columns 'who' 'whom'; for an adjacency list"),
        ("2 2\n0 1\n1 2\n", "if it is an edge list, pass --format edges\n"),
    ):
        assert cli.main(["info", path_of(text)]) == 2
        assert advice in capsys.readouterr().err
    assert cli.main(["info", "g.csv", "--format", "edges"]) == 0
    io.write("g.csr", [(0, 1)])
    assert cli.main(["color", "g.csr", "--memory", "100MB", "--no-header"]) == 2
    assert "--header is for graphs in memory" in capsys.readouterr().err
