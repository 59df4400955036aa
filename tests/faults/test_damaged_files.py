"""Files that are not what they say: no number, key or array is taken on trust, and no memory follows a claim."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor import FormatError, Graph, GraphError, convert, io
from lagcolor.derivatives import jacobian, load
from lagcolor.io import pieces

REAL = "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 "
DENSE = "%%MatrixMarket matrix array real symmetric\n1 1\n"
DEEP, LONG = "[" * 100_000, "9" * 5000


def write(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("head", [REAL, DENSE], ids=["coordinate", "array"])
def test_values(head: str, tmp_path: Path) -> None:
    for value in ("1x5", "1..2", "1e", "+", ".", "infinit", "0x10", "1-5", "--1", "1_0"):
        with pytest.raises(FormatError, match=r"g\.mtx, line 3: expected"):
            io.read(write(tmp_path / "g.mtx", f"{head}{value}\n"))
    for value in ("1", "-1.", ".5", "+1.5e-3", "1D+03", "1d3", "inf", "-Infinity", "NaN", "7\r"):
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


JSON = {
    "a vertex twice": ('{"colors": {"0": 1, "1": 0, "0": 2}}', "the key '0' occurs twice"),
    "deep": (DEEP, "nested too deeply"),
    "digits": (f'{{"colors": [{LONG}]}}', "a number has too many digits"),
    "surrogate": (b'{"colors": "\xed\xa0\x80"}', "no UTF-8"),
}


@pytest.mark.parametrize("case", JSON)
def test_json(case: str, tmp_path: Path) -> None:
    data, message = JSON[case]
    path = write(tmp_path / "c.json", data)
    with pytest.raises(FormatError, match=rf"c\.json.*{message}"):
        io.read_coloring(path)


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
    out = BytesIO()
    np.save(out, array)
    assert len(old) == len(new) and old in out.getvalue()
    return out.getvalue().replace(old, new)


HEADERS = {
    "shape": (b"(50,)", b"(60,)"),
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
    for read in (io.read_coloring, lambda path: io.read_weights(path, 50)):
        with pytest.raises(FormatError, match=r"a\.npy: no readable \.npy file"):
            read(path)


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
    (MATRIX | {"format": [b"coo", b"csr"]}, "format None"),
    (DIA | {"offsets": [1, 1]}, "a diagonal is there twice"),
    (DIA | {"offsets": [1]}, r"offsets of shape \(1,\)"),
    (CSC | {"indices": [1, 2]}, r"indices\[1\] = 2 is outside"),
    (CSC | {"data": [1]}, r"there are \(1,\) values"),
    ({name: CSC[name] for name in CSC if name != "indptr"}, "no array 'indptr'"),
    ({"indptr": [0, 0], "indices": np.zeros(0, int), "n": -1}, "'n' must be one or two whole numbers, and none is neg"),
    (BSR | {"shape": [5, 5]}, "blocks of shape"),
    (BSR | {"indices": [1, 2]}, r"indices\[1\] = 2 is outside"),
]


@pytest.mark.parametrize(("arrays", "message"), ARCHIVES)
def test_archives(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", **{name: np.array(value) for name, value in arrays.items()})
    with pytest.raises(GraphError, match=rf"g\.npz: .*{message}"):
        io.read(tmp_path / "g.npz")


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
    assert data.count(sizes[0]) == 2  # next to the array, and in the directory
    write(tmp_path / "g.npz", data.replace(*sizes))
    with pytest.raises(FormatError, match=r"g\.npz: .*an array ends after 160 bytes"):
        io.read(tmp_path / "g.npz")


FACTS: list[tuple[str, Any]] = [
    ("shape", [3]), ("shape", [3, "4"]), ("shape", [3, 2**40]), ("partition", "rows"), ("partition", []),
    ("coloring", None), ("schema", None), ("labels", ["a"]), ("labels", [{}, {}, {}]),
    ("coloring.problem", "rows"), ("coloring.algorithm", 5), ("coloring.seed", "x"), ("coloring.rounds", 1e400),
    ("coloring.notes", [1]), ("coloring.lower_bound", 10**30),
    ("colors", np.zeros(4)), ("colors", np.zeros((2, 2), np.int32)), ("colors", np.zeros(2, np.int32)),
    ("colors", np.full(4, -2)),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value"), FACTS)
def test_facts_and_colors_of_a_compression(place: str, value: Any, tmp_path: Path) -> None:
    jacobian(sp.csr_array(np.eye(3, 4, 1) + np.eye(3, 4))).save(tmp_path / "c.npz")
    with np.load(tmp_path / "c.npz") as file:
        arrays = dict(file)
    facts = json.loads(str(arrays["facts"]))
    *outer, name = place.split(".")
    ((facts["coloring"] if outer else facts) if place != "colors" else arrays)[name] = value
    np.savez(tmp_path / "c.npz", **{**arrays, "facts": np.array(json.dumps(facts))})
    with pytest.raises(FormatError, match=r"c\.npz: "):
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


@pytest.mark.slow
def test_headers_that_lie_take_no_memory(tmp_path: Path) -> None:
    """In a process that may take 384 MB more than what it has imported; a bomb is read in pieces."""
    paths = []
    for case, (name, data, _) in LIES.items():
        (tmp_path / case).mkdir()
        paths.append(write(tmp_path / case / name, data))
    with gzip.open(tmp_path / "bomb.txt.gz", "wb", compresslevel=1) as out:
        for _ in range(160):
            out.write(b"0 1\n1 2\n2 3\n" * (1 << 16))
    paths.append(tmp_path / "bomb.txt.gz")
    (tmp_path / "warm").mkdir()
    command = [sys.executable, "-c", LIMITED, str(384 << 20), str(tmp_path / "warm"), *map(str, paths)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    lines = run.stdout.splitlines()
    for k, (name, _, message) in enumerate(LIES.values()):
        found = lines[2 * k : 2 * k + 2]
        assert name in found[0] and message in found[0], found
        assert message in found[1] or message == "not symmetric", found  # which is a pattern
    assert lines[-2] == "<Graph: 4 vertices, 3 edges, on cpu>"


PACKED = {
    "edges": ("g.txt.gz", b"# c\n# Nodes: 90 Edges: 6000\n", b"0 1\n# c\n1 2\n5 3\n"),
    "names": ("g.csv.gz", b"from,to\n", b'ann,bob\nbob,"c, d"\n\n"c, d",ann\n'),
    "col": ("g.col.gz", b"p edge 9 6000\n", b"e 1 2\nc c\ne 2 3\ne 9 4\n"),
    "gr": ("g.gr.gz", b"p sp 9 6000\n", b"a 1 2 5\na 2 3 5\nc c\na 9 4 5\n"),
    "mtx": ("g.mtx.gz", REAL.replace("2 2 1\n2 1 ", "9 9 6000\n").encode(), b"2 1 .5\n3 2 1\n9 4 1\n"),
}


@pytest.mark.parametrize("kind", PACKED)
def test_packed_texts_are_read_in_pieces(kind: str, monkeypatch: Any, tmp_path: Path) -> None:
    """Packed text gives the graph of plain text, for any size of a piece, with repeated edges removed or not."""
    name, head, block = PACKED[kind]
    text = head + block * 2000
    G = io.read(write(tmp_path / name.removesuffix(".gz"), text))
    packed = write(tmp_path / name, gzip.compress(text))
    dropped = []
    distinct = pieces._distinct
    monkeypatch.setattr(pieces, "_distinct", lambda u, v: dropped.append(len(u)) or distinct(u, v))
    monkeypatch.setattr("lagcolor.io.files.BLOCK", 1 << 10)
    for piece, start in ((1 << 10, 1 << 22), (1 << 12, 100)):
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
