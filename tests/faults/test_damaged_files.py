"""Files that are not what they say: no number, key or array is taken on trust, and no memory follows a claim."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import report_cases
import scipy.sparse as sp
from corpus import graph

import lagcolor
from benchmarks import compare
from benchmarks.harness import results
from lagcolor import FormatError, Graph, GraphError, convert, io
from lagcolor.cli import main
from lagcolor.derivatives import jacobian, load
from lagcolor.io import pieces

REAL = "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 "
DENSE = "%%MatrixMarket matrix array real symmetric\n1 1\n"
DEEP, LONG = "[" * 100_000, "9" * 5000


def write(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("value", ["1x5", "1..2", "1e", "+", ".", "infinit", "0x10", "1-5", "--1", "1_0"])
@pytest.mark.parametrize("head", [REAL, DENSE], ids=["coordinate", "array"])
def test_values_that_are_no_numbers(head: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"g\.mtx, line 3: expected"):
        io.read(write(tmp_path / "g.mtx", f"{head}{value}\n"))


@pytest.mark.parametrize("value", ["1.5.5", "1", "1 2 3", "1 2x"])
def test_values_of_complex_entries(value: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"g\.mtx, line 3: expected '<row> <column>' and 2 number"):
        io.read(write(tmp_path / "g.mtx", f"{REAL.replace('real', 'complex')}{value}\n"))


@pytest.mark.parametrize("value", ["1", "-1.", ".5", "+1.5e-3", "1D+03", "1d3", "inf", "-Infinity", "NaN", "7\r"])
@pytest.mark.parametrize("head", [REAL, DENSE], ids=["coordinate", "array"])
def test_values_that_are_numbers(head: str, value: str, tmp_path: Path) -> None:
    assert io.read(write(tmp_path / "g.mtx", f"{head}{value}\n")).n in (1, 2)


def test_what_follows_an_edge_of_a_col(tmp_path: Path) -> None:
    path = tmp_path / "g.col"
    for rest in ("junk", "5 6", "1x"):
        with pytest.raises(FormatError, match=rf"line 2: expected 'e <vertex> <vertex>', found 'e 1 2 {rest}'"):
            io.read(write(path, f"p edge 2 1\ne 1 2 {rest}\n"))
    assert io.read(write(path, "p edge 2 1\ne 1 2 5\n")).n_edges == 1  # a distance, as in files of bandwidth coloring


def test_quotes_that_are_not_in_pairs(tmp_path: Path) -> None:
    name = "x" * 140_000  # over csv.field_size_limit()
    for text in ('"a",b\rx\n"c",d\n', 'a,b\n"c,d\n', 'a,b\n"c"x,d\n', f'a,b\n"{name}",c\n', f'"{name}",c\n'):
        with pytest.raises(FormatError, match=r"g\.csv, line \d: expected two") as caught:
            io.read(write(tmp_path / "g.csv", text))
        assert len(str(caught.value)) < 1000
    assert io.read(write(tmp_path / "g.csv", 'a,b\n# it is "so\n"#c",a\n')).n_edges == 2


def test_a_tab_in_the_first_line_alone(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"g\.txt, line 4: expected two vertex numbers"):
        io.read(write(tmp_path / "g.txt", " c\t1 2\n# 1\n1 4\n2 4#\n"))


@pytest.mark.parametrize("head", ["2 1 11 " + "9" * 30, "2 " + "9" * 30, "9" * 30 + " 1"])
def test_numbers_of_a_metis_header(head: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"g\.graph, line 1"):
        io.read(write(tmp_path / "g.graph", f"{head}\n2\n1\n"))


JSON = {
    "twice": ('{"colors": [0, 1], "colors": [0, 0]}', "the key 'colors' stands twice"),
    "a vertex twice": ('{"colors": {"0": 1, "1": 0, "0": 2}}', "the key '0' stands twice"),
    "deep": (DEEP, "nested too deeply"),
    "digits": (f'{{"colors": [{LONG}]}}', "a number has too many digits"),
    "surrogate": (b'{"colors": "\xed\xa0\x80"}', "no UTF-8"),
}


@pytest.mark.parametrize("case", JSON)
def test_json(case: str, tmp_path: Path, capsys: Any) -> None:
    data, message = JSON[case]
    path = write(tmp_path / "c.json", data)
    with pytest.raises(FormatError, match=rf"c\.json.*{message}"):
        io.read_coloring(path)
    io.write(tmp_path / "g.txt", graph("path"))
    assert main(["verify", str(tmp_path / "g.txt"), str(path)]) == 2
    assert "c.json" in capsys.readouterr().err


def test_json_of_a_folder(tmp_path: Path) -> None:
    io.write(tmp_path / "g.csr", graph("path"))
    header = (tmp_path / "g.csr/graph.json").read_text()
    for text in (DEEP, header.replace('"n": 50', '"n": 50, "n": 51'), header.replace('"n": 50', f'"n": {LONG}')):
        write(tmp_path / "g.csr/graph.json", text)
        with pytest.raises(FormatError, match=r"g\.csr: damaged folder of a graph: graph\.json is no JSON"):
            io.read(tmp_path / "g.csr")


@pytest.mark.parametrize("extension", [".csv", ".json"])
def test_labels_with_carriage_returns(extension: str, tmp_path: Path) -> None:
    labels = ["a\rb", "c\r\nd", "\r", 'e",\r']
    G = Graph.of([(labels[0], labels[1]), (labels[1], labels[2]), (labels[2], labels[3])])
    result = lagcolor.color(G)
    result.save(tmp_path / f"c{extension}")
    assert io.read_coloring(tmp_path / f"c{extension}", labels=G.labels).tolist() == result.colors.tolist()


def test_labels_that_utf8_cannot_hold(tmp_path: Path) -> None:
    G = Graph.of([("\ud800", "b")])
    result = lagcolor.color(G)
    result.save(tmp_path / "c.json")
    assert io.read_coloring(tmp_path / "c.json", labels=G.labels).tolist() == result.colors.tolist()
    with pytest.raises(GraphError, match=r"label '\\ud800' is no text that UTF-8 can hold: write \.json"):
        result.save(tmp_path / "c.csv")
    with pytest.raises(GraphError, match=r"label '\\ud800' is no text"):
        io.write(tmp_path / "g.csr", G)
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


def npy(array: np.ndarray, old: bytes = b"", new: bytes = b"") -> bytes:
    """A .npy file; `new` replaces `old` in its header and has the same length."""
    header = np.lib.format.header_data_from_array_1_0(array)
    assert header
    from io import BytesIO

    out = BytesIO()
    np.save(out, array)
    assert len(old) == len(new) and old in out.getvalue()
    return out.getvalue().replace(old, new)


HEADERS = {
    "shape": (b"(50,)", b"(60,)"),
    "a smaller shape": (b"(50,)", b"(5,) "),
    "a negative shape": (b"(50,)", b"(-5,)"),
    "a huge shape": (b"(50,), }          ", b"(5000000000000,), "),
    "type": (b"<i4", b"<x4"),
    "objects": (b"'<i4'", b"'|O' "),
    "no dictionary": (b"{'descr'", b"['descr'"),
    "no Python": (b"'fortran_order'", b"'fortran_order("),
    "version": (b"NUMPY\1", b"NUMPY\7"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers_of_arrays(case: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.npy", npy(np.zeros(50, np.int32), *HEADERS[case]))
    with pytest.raises(FormatError, match=r"a\.npy: no readable \.npy file"):
        io.read_coloring(path)
    with pytest.raises(FormatError, match=r"a\.npy: no readable \.npy file"):
        io.read_weights(path, 50)


MATRIX = {"format": b"coo", "shape": [4, 4], "data": [1, 1], "row": [0, 1], "col": [1, 0]}
DIA = {"format": b"dia", "shape": [3, 3], "data": np.ones((2, 3)), "offsets": [1, -1]}
CSC = {"format": b"csc", "shape": [2, 2], "data": [1, 1], "indices": [1, 0], "indptr": [0, 1, 2]}
BSR = CSC | {"format": b"bsr", "shape": [4, 4], "data": np.ones((2, 2, 2))}
ARCHIVES = [
    (MATRIX | {"row": [0, -1]}, "negative"),
    (MATRIX | {"row": [0, 4]}, "out of range"),
    (MATRIX | {"row": [0.0, 1.0]}, "'row' must hold integers"),
    (MATRIX | {"row": [0]}, "1 rows, 2 columns"),
    (MATRIX | {"shape": [-4, -4]}, "'shape' must not be negative"),
    (MATRIX | {"shape": [4]}, "square"),
    (MATRIX | {"format": [b"coo", b"csr"]}, "format None"),
    (DIA | {"offsets": [1, 1]}, "a diagonal is there twice"),
    (DIA | {"offsets": [1]}, r"offsets of shape \(1,\)"),
    (DIA | {"data": [["a", "b", "c"]] * 2}, "'data' must hold numbers"),
    (CSC | {"indices": [1, 2]}, r"indices\[1\] = 2 is outside"),
    (CSC | {"indices": [1, -1]}, r"indices\[1\] = -1 is outside"),
    (CSC | {"data": [1]}, r"there are \(1,\) values"),
    ({name: CSC[name] for name in CSC if name != "indptr"}, "no array 'indptr'"),
    (
        {"indptr": [0, 0], "indices": np.zeros(0, int), "n": -1},
        "'n' must be one or two whole numbers, and none is negative",
    ),
    (BSR | {"shape": [5, 5]}, "blocks of shape"),
    (BSR | {"indices": [1, 2]}, r"indices\[1\] = 2 is outside"),
]


@pytest.mark.parametrize(("arrays", "message"), ARCHIVES)
def test_archives(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", **{name: np.array(value) for name, value in arrays.items()})
    with pytest.raises(GraphError, match=rf"g\.npz: .*{message}"):
        io.read(tmp_path / "g.npz")


def test_diagonals_that_are_none_take_no_memory(tmp_path: Path) -> None:
    """No bytes are enough for rows of any length."""
    data = np.zeros((0, 10**15))
    np.savez(tmp_path / "g.npz", **{**DIA, "data": data, "offsets": np.zeros(0, np.int64)})  # type: ignore[arg-type]
    G = io.read(tmp_path / "g.npz")
    assert (G.n, G.m) == (3, 0)


def test_arrays_of_an_archive_that_are_there_twice(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "g.npz", "w") as out:
        for name in ("n.npy", "n", "indptr.npy", "indices.npy"):
            out.writestr(name, npy(np.zeros(1, np.int32)))
    with pytest.raises(FormatError, match=r"g\.npz: .*an array is there twice"):
        io.read(tmp_path / "g.npz")


def test_arrays_that_end_before_the_size_that_an_archive_declares(tmp_path: Path) -> None:
    whole = npy(np.zeros(50, np.int32))
    with zipfile.ZipFile(tmp_path / "g.npz", "w", zipfile.ZIP_DEFLATED) as out:
        for name in ("indices.npy", "n.npy", "indptr.npy"):
            out.writestr(name, whole[:-40] if name == "indptr.npy" else npy(np.zeros(1, np.int32)))
    sizes = (len(whole) - 40).to_bytes(4, "little"), len(whole).to_bytes(4, "little")
    data = (tmp_path / "g.npz").read_bytes()
    assert data.count(sizes[0]) == 2  # beside the array, and in the directory
    write(tmp_path / "g.npz", data.replace(*sizes))
    with pytest.raises(FormatError, match=r"g\.npz: .*an array ends after 160 bytes"):
        io.read(tmp_path / "g.npz")


def test_results(tmp_path: Path, capsys: Any) -> None:
    wrong = [
        (report_cases.meta(command=["bench", 5]), "command of a meta line has 5"),
        (report_cases.meta(hardware={}), "cpu in hardware of a meta line is 'missing'"),
        (report_cases.meta(versions={"numpy": []}), r"versions of a meta line has \[\]"),
        (report_cases.run("a", "b", trace=[5]), "trace of a run line has 5"),
        (report_cases.run("a", "b", trace=[{"colored": "x"}]), "trace of a run line has .*not numbers"),
        (report_cases.run("a", "b", n=10**300), "n of a run line is 1000"),
        ({"kind": "graph", "graph": "a", "spec": "a", "n": 1, "m": 0, "max_degree": 0, "degrees": [[1]]}, "degrees"),
    ]  # fmt: skip
    for row, message in wrong:
        path = report_cases.write(tmp_path / "r.jsonl", [report_cases.meta(), row])
        with pytest.raises(FormatError, match=rf"r\.jsonl, line 2: {message}"):
            results.read(path)
    report_cases.write(tmp_path / "r.jsonl", [wrong[0][0], report_cases.run("rgg:8", "greedy")])
    assert compare.main(["report", str(tmp_path / "r.jsonl"), "--out", str(tmp_path / "r.html")]) == 2
    assert "r.jsonl, line 1: command" in capsys.readouterr().err
    for text in ("graph,code,ms,colors\na\n", 'graph,code,ms,colors\n"a\n', b"graph,code,ms,colors\n\xff,b,1,2\n"):
        with pytest.raises(FormatError, match=r"r\.csv"):
            results.read(write(tmp_path / "r.csv", text))


FACTS: list[tuple[str, Any]] = [
    ("shape", [3]), ("shape", [3, "4"]), ("shape", [3, 2**40]), ("shape", None), ("partition", "rows"),
    ("partition", []), ("coloring", None), ("coloring", []), ("schema", None), ("labels", 5), ("labels", ["a"]),
    ("labels", [{}, {}, {}]),
]  # fmt: skip
COLORING = [
    ("problem", "rows"), ("problem", []), ("algorithm", 5), ("order", None), ("seed", "x"), ("rounds", 1e400),
    ("seconds", "1"), ("notes", [1]), ("lower_bound", "2"), ("lower_bound", 10**30),
]  # fmt: skip


@pytest.mark.parametrize("place", [*FACTS, *(("coloring." + name, value) for name, value in COLORING)])
def test_facts_of_a_compression(place: tuple[str, Any], tmp_path: Path) -> None:
    jacobian(sp.csr_array(np.eye(3, 4, 1) + np.eye(3, 4))).save(tmp_path / "c.npz")
    with np.load(tmp_path / "c.npz") as file:
        arrays = dict(file)
    facts = json.loads(str(arrays["facts"]))
    *outer, name = place[0].split(".")
    (facts["coloring"] if outer else facts)[name] = place[1]
    np.savez(tmp_path / "c.npz", **{**arrays, "facts": np.array(json.dumps(facts))})
    with pytest.raises(FormatError, match=r"c\.npz: "):
        load(tmp_path / "c.npz")


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("colors", np.zeros(4), r"colors holds float64 of shape \(4,\)"),
        ("colors", np.zeros((2, 2), np.int32), r"colors holds int32 of shape \(2, 2\)"),
        ("colors", np.zeros(2, np.int32), "colors are 2 numbers, not 4 from -1 on"),
        ("colors", np.full(4, -2), "colors are 4 numbers, not 4 from -1 on"),
    ],
)
def test_arrays_of_a_compression(name: str, array: np.ndarray, message: str, tmp_path: Path) -> None:
    jacobian(sp.csr_array(np.eye(3, 4, 1) + np.eye(3, 4))).save(tmp_path / "c.npz")
    with np.load(tmp_path / "c.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "c.npz", **{**arrays, name: array})
    with pytest.raises(FormatError, match=rf"c\.npz: a damaged compression \({message}\)"):
        load(tmp_path / "c.npz")


def test_pages_of_a_parquet_file(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "e.parquet"
    table = pa.table({"source": np.arange(50), "target": np.arange(50) * 7 % 51})
    pq.write_table(table, path, write_page_checksum=True, use_dictionary=False, compression="none")
    data = path.read_bytes()
    at = data.index(np.arange(50)[20:30].astype("<i8").tobytes()) + 8
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(FormatError, match=r"e\.parquet: .*checksum"):
        convert(path, tmp_path / "e.csr")
    path.write_bytes(data[:-4] + b"PAR2")
    with pytest.raises(FormatError, match=r"e\.parquet: no readable Parquet file"):
        convert(path, tmp_path / "e.csr")


LIES = {
    "col": ("g.col", "p edge 2000000000 80\ne 1 2\n", "the p line declares 80 edges"),
    "gr": ("g.gr", "p sp 2000000000 80\na 1 2 1\n", "the p line declares 80 arcs"),
    "edges": ("g.txt", "# Nodes: 2000000000 Edges: 80\n1 2\n", "declares 80 edges"),
    "mtx": ("g.mtx", REAL.replace("2 2 1", "2000000000 2000000000 9") + "1\n", "declares 9 entries"),
    "asymmetric": (
        "g.mtx",
        REAL.replace("symmetric\n2 2 1", "general\n90000000 90000000 1") + "1\n",
        "not symmetric",
    ),
    "dense": ("g.mtx", DENSE.replace("1 1", "60000 60000") + "1\n", "expected 1800030000 entries"),
    "metis": ("g.graph", "2000000000 1\n2\n1\n", "more than there are lines"),
    "col.b": ("g.col.b", "19\np col 2000000000 1\n\0", "need 250000001000000000 bytes"),
    "egr": ("g.egr", np.array([2 * 10**9, 2, 0], "<i4").tobytes(), "take 8000000020 bytes"),
}

LIMITED = """
import resource, sys, pathlib
import lagcolor
import numpy as np
from lagcolor.io.formats import FORMATS

# Compiling and loading code takes address space, too, and so do threads.
folder = pathlib.Path(sys.argv[2])
big = np.arange(1 << 20)
G = lagcolor.Graph.of((big, (big * 7 + 1) % len(big)))
lagcolor.io.write(folder / "big.txt", G)
lagcolor.io.read(folder / "big.txt")
for row in FORMATS.values():
    lagcolor.io.write(folder / f"w{row.extensions[0]}", lagcolor.generate.path(9))
    for read in (lagcolor.io.read, lagcolor.Pattern.of):
        read(folder / f"w{row.extensions[0]}")
del big, G
pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[1]), resource.RLIM_INFINITY))
for path in sys.argv[3:]:
    for read in (lagcolor.io.read, lagcolor.Pattern.of):
        try:
            print(read(path))
        except (lagcolor.LagcolorError, MemoryError) as e:
            print(e)
"""


def limited(megabytes: int, *paths: Path) -> list[str]:
    """What a process says of files that may take so much more memory than what it has imported."""
    folder = paths[0].parent / "warm"
    folder.mkdir()
    command = [sys.executable, "-c", LIMITED, str(megabytes << 20), str(folder), *map(str, paths)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.splitlines()


@pytest.mark.slow
def test_headers_that_lie_take_no_memory(tmp_path: Path) -> None:
    paths = []
    for case, (name, data, _) in LIES.items():
        (tmp_path / case).mkdir()
        paths.append(write(tmp_path / case / name, data))
    lines = limited(256, *paths)
    for k, (name, _, message) in enumerate(LIES.values()):
        found = lines[2 * k : 2 * k + 2]
        assert all(name in line for line in found[:1]) and message in found[0], found
        assert message in found[1] or message == "not symmetric", found  # which is a pattern


@pytest.mark.slow
def test_declared_vertices_take_four_bytes_each(tmp_path: Path) -> None:
    n = 10**8
    texts = {
        "g.col": f"p edge {n} 2\ne 1 2\ne 2 3\n",
        "g.txt": f"# Nodes: {n} Edges: 2\n0 1\n1 2\n",
        "g.mtx": REAL.replace("2 2 1", f"{n} {n} 2") + "1\n3 2 1\n",
    }
    lines = limited(700, *(write(tmp_path / name, text) for name, text in texts.items()))
    assert lines == [
        f"<Graph: {n:,} vertices, 2 edges, on cpu>", f"<Pattern: {n:,} × {n:,}, 4 entries, on cpu>",
    ] * 3  # fmt: skip


PACKED = {
    "edges": ("g.txt.gz", b"# c\n# Nodes: 90 Edges: 6000\n", b"0 1\n# c\n1 2\n5 3\n"),
    "names": ("g.csv.gz", b"from,to\n", b'ann,bob\nbob,"c, d"\n\n"c, d",ann\n'),
    "chosen": ("g.tsv.gz", b"id\tsource\ttarget\n", b"1\t5\t7\n2\t7\t9\n3\t9\t5\n"),
    "far": ("g.el.gz", b"", b"5000000000 17\n17 900\n900 5000000000\n"),
    "col": ("g.col.gz", b"p edge 9 6000\n", b"e 1 2\nc c\ne 2 3\ne 9 4\n"),
    "gr": ("g.gr.gz", b"p sp 9 6000\n", b"a 1 2 5\na 2 3 5\nc c\na 9 4 5\n"),
    "mtx": ("g.mtx.gz", REAL.replace("2 2 1\n2 1 ", "9 9 6000\n").encode(), b"2 1 .5\n3 2 1\n9 4 1\n"),
}


@pytest.mark.parametrize("kind", PACKED)
def test_packed_texts_are_read_in_pieces(kind: str, monkeypatch: Any, tmp_path: Path) -> None:
    """As a plain text is, whatever the size of a piece, and whether edges that are there again are dropped."""
    name, head, block = PACKED[kind]
    text = head + block * 2000
    G = io.read(write(tmp_path / name.removesuffix(".gz"), text))
    packed = write(tmp_path / name, gzip.compress(text))
    dropped = []
    distinct = pieces._distinct
    monkeypatch.setattr(pieces, "_distinct", lambda u, v: dropped.append(len(u)) or distinct(u, v))
    monkeypatch.setattr("lagcolor.io.files.BLOCK", 1 << 10)
    for piece, start in ((1 << 24, 1 << 22), (1 << 10, 1 << 22), (1 << 12, 100)):
        monkeypatch.setattr(pieces, "PIECE", piece)
        monkeypatch.setattr(pieces, "START", start)
        H = io.read(packed)
        assert np.array_equal(H.indptr, G.indptr) and np.array_equal(H.indices, G.indices)
        assert (H.labels and list(H.labels)) == (G.labels and list(G.labels))
    assert len(dropped) > 1


def test_errors_in_pieces_have_their_line(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(pieces, "PIECE", 1 << 10)
    monkeypatch.setattr("lagcolor.io.files.BLOCK", 1 << 9)
    for name, head, good, bad in (
        ("g.el", "", "0 1\n# c\n", "0 x\n"),
        ("g.csv", "", "ann,bob\n\n", "ann,\n"),
        ("g.csv", "", "ann,bob\n\n", b"ann,\xff\n"),
        ("g.col", "p edge 2 3001\n", "e 1 2\nc\n", "e 1 3\n"),
        ("g.mtx", REAL[:-4].replace("2 2 1", "2 2 3001") , "2 1 1\n%\n", "2 1 1x\n"),
    ):  # fmt: skip
        data = (head + good * 3000).encode() + (bad if isinstance(bad, bytes) else bad.encode())
        errors = []
        for path in (write(tmp_path / name, data), write(tmp_path / f"{name}.gz", gzip.compress(data))):
            with pytest.raises(FormatError) as caught:
                io.read(path)
            errors.append(str(caught.value).replace(str(path), ""))
        assert errors[0] == errors[1] and f"line {6001 + head.count(chr(10))}:" in errors[0]
    for data in (b"x" * 5000, b"# c\n" * 5000 + b"0 1\n"):
        with pytest.raises(FormatError, match=r"g\.el\.gz.*(a line of over 1024 bytes|no line of edges in the first)"):
            io.read(write(tmp_path / "g.el.gz", gzip.compress(data)))


@pytest.mark.slow
def test_a_small_file_that_unpacks_to_much(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "g.txt.gz", "wb", compresslevel=1) as out:
        for _ in range(160):
            out.write(b"0 1\n1 2\n2 3\n" * (1 << 16))
    assert (tmp_path / "g.txt.gz").stat().st_size < 2 << 20
    lines = limited(300, tmp_path / "g.txt.gz")
    assert lines[0] == "<Graph: 4 vertices, 3 edges, on cpu>"
