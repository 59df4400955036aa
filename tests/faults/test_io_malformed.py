"""Each malformed file against its message: the file, the line or field, and what was expected."""

from __future__ import annotations

import gzip
import io as stdio
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import graph

import lagcolor
from lagcolor import FormatError, GraphError, io

MTX = "%%MatrixMarket matrix coordinate pattern symmetric\n"
REAL = MTX.replace("pattern", "real")
DENSE = REAL.replace("coordinate", "array")

# (file, text, line or None, part of the message)
TEXT = [
    # Edge lists
    ("g.el", "-1 2\n", 1, "found '-1 2'; a negative number is no vertex: leave the line out"),
    ("g.csv", "id,source,target\n1,5,7\n2,5,-7\n", 3, "found '2,5,-7'; a negative number is no vertex"),
    ("g.tsv", "Ann\tBob\nBob\tNaN\n", 2, "has an end nan, .* or put the name in double quotes"),
    ("g.el", "0 1\n\n# c\n1\n", 4, "found '1'"),
    ("g.el", "source target\n", 2, "no edge in it"),
    ("g.tsv", "Ann\tBob\nBob\n", 2, "expected two names of vertices, found 'Bob'"),
    ("g.el", "0 1\n1 1234567890123456789\n", 2, "over 18 digits"),
    ("g.el", "", 1, "no edge in it"),
    ("g.csv", "id,source,target\n1,5,7\n2,x,9\n", 3, "expected vertex numbers in columns 2 and 3, found '2,x,9'"),
    ("g.csv", f"id,source,target\n1,5,7\n2,{'9' * 20},9\n", 3, f"vertex {'9' * 20} is out of range"),
    ("g.txt", "# Nodes: 9 Edges: 3\n0 1\n", 1, "declares 3 edges, but 1 follow"),
    ("g.txt", "# Nodes: 2147483600 Edges: 1\n0 1\n", None, "more than the 2147418112 that lagcolor can number"),
    ("g.txt", MTX + "2 2 1\n2 1\n", 1, "format='mtx'"),
    ("g.txt", "0 1\n\x00\x01\x02\n", 2, "expected two vertex numbers"),
    ("g.txt", " c\t1 2\n# 1\n1 4\n2 4#\n", 4, "expected two vertex numbers"),
    # DIMACS coloring
    ("g.col", "", 1, "header 'p edge <vertices> <edges>' is missing"),
    ("g.col", "e 1 2\np edge 2 1\n", 1, "expected the header.*found 'e 1 2'"),
    ("g.col", "p edge two 1\n", 1, "expected the header"),
    ("g.col", "p edge 3 2\ne 1 2\ne 2 4\n", 3, "vertex 4 is out of range: the p line declares vertices 1 … 3"),
    ("g.col", "p edge 3 2\ne 1 2\ne 2\n", 3, "expected 'e <vertex> <vertex>', found 'e 2'"),
    ("g.col", "p edge 3 1\np edge 3 1\ne 1 2\n", 2, "found 'p edge 3 1'"),
    ("g.col", "c\np edge 9 5\ne 1 2\ne 2 3\ne 3 4\n", 2, "declares 5 edges, but there are 3"),
    # DIMACS shortest paths
    ("g.gr", "p sp 3 2\na 1 2 4\na 2 3\n", 3, "expected 'a <vertex> <vertex> <weight>', found 'a 2 3'"),
    ("g.gr", "p sp 3 2\na 1 2 4\n", 1, "declares 2 arcs, but 1 follow"),
    # METIS
    ("g.graph", "", 1, "expected the header '<vertices> <edges>"),
    ("g.graph", "3 1 001 1\n2 1\n1 1\n\n", 1, "ncon is 1, but fmt 001"),
    ("g.graph", "4 1\n2\n1\n", 4, "declares 4 vertices, but the file ends after 2"),
    ("g.graph", "2 1\n2\n1\n\n1\n", 5, "more lines than the 2 vertices"),
    ("g.graph", "3 1\n2\n1 x\n\n", 3, "expected neighbors, found '1 x'"),
    ("g.graph", "3 1\n% c\n2\n4\n\n", 4, "vertex 4 is out of range: the header declares vertices 1 … 3"),
    ("g.graph", "2 1 1\n2 5\n1\n", 3, "expected neighbors with a weight each, found '1'"),
    ("g.graph", "2 1 10 2\n7 8 2\n7\n", 3, "expected neighbors after 2 size"),
    ("g.graph", "3 5\n2\n1\n\n", 1, "declares 5 edges, so 10 neighbors, but 2 are listed"),
    ("g.graph", "3 2\n2 3\n\n\n", 1, "symmetrize=True"),
    ("g.graph", f"2 1 11 {'9' * 30}\n2\n1\n", 1, ""),
    # Matrix Market
    ("g.mtx", "", 1, "expected the header"),
    ("g.mtx", MTX.replace("pattern", "words") + "3 3 1\n2 1\n", 1, "expected the header.*words"),
    ("g.mtx", MTX, 2, "expected the size line"),
    ("g.mtx", MTX + "% c\n3 3\n2 1\n", 3, "expected the size line '<rows> <columns> <entries>', found '3 3'"),
    ("g.mtx", MTX + "3 3 2\n2 1\n", 2, "declares 2 entries, but 1 follow"),
    ("g.mtx", MTX + "3 3 1\n2 1\n3 1\n", 2, "declares 1 entries, but 2 follow"),
    ("g.mtx", MTX + "3 3 2\n2 1\n4 1\n", 4, "4 is out of range: the matrix has rows and columns 1 … 3"),
    ("g.mtx", MTX + "3 3 2\n2 1\nx 1\n", 4, "expected '<row> <column>', found 'x 1'"),
    ("g.mtx", REAL + "3 3 2\n2 1 1\n3 1\n", 4, "expected '<row> <column>' and 1 number"),
    ("g.mtx", REAL.replace("real", "complex") + "3 3 2\n2 1 1 0\n3 1 1\n", 4, "and 2 number"),
    ("g.mtx", DENSE + "2 2\n1\n2\n", 2, "expected 3 entries .* found 2"),
    ("g.mtx", DENSE.replace("symmetric", "skew-symmetric") + "2 2\n1\n2\n", 2, "expected 1 entries .* found 2"),
    ("g.mtx", DENSE + "2 2\n1\ntwo\n3\n", 4, "expected 1 number.* found 'two'"),
]


@pytest.mark.parametrize(("ending", "packed"), [("\n", False), ("\r\n", True)], ids=["plain", "crlf in gz"])
@pytest.mark.parametrize(("name", "text", "line", "message"), TEXT)
def test_text(
    name: str, text: str, line: int | None, message: str, ending: str, packed: bool, tmp_path: Path
) -> None:  # fmt: skip
    data = text.replace("\n", ending).encode()
    path = tmp_path / (name + (".gz" if packed else ""))
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(GraphError) as caught:
        io.read(path)
    where = str(path) + (f", line {line}: " if line else ": ")
    assert str(caught.value).startswith(where)
    assert re.search(message, str(caught.value)), str(caught.value)


def test_edges_that_a_header_does_not_declare(tmp_path: Path) -> None:
    """With `symmetrize` an edge may be listed at one of its ends."""
    (tmp_path / "g.graph").write_text("3 2\n2\n1\n\n")
    with pytest.raises(FormatError, match=r"g\.graph, line 1: the header declares 2 edges, but there are 1"):
        io.read(tmp_path / "g.graph", symmetrize=True)
    (tmp_path / "g.graph").write_text("3 2\n2\n3\n\n")
    assert io.read(tmp_path / "g.graph", symmetrize=True).n_edges == 2


def test_formats_that_are_not_written_or_converted_alone(tmp_path: Path) -> None:
    (tmp_path / "g.npy").write_bytes(b"")
    with pytest.raises(FormatError, match=r"g\.npy: the format npy is read by lagcolor\.convert alone"):
        io.read(tmp_path / "g.npy")
    with pytest.raises(FormatError, match=r"g\.pq: a file in the format parquet is read, and not written"):
        io.write(tmp_path / "g.pq", [(0, 1)])
    with pytest.raises(FormatError, match=r"g\.pq\.gz: a file in the format parquet is not packed once more"):
        io.read(tmp_path / "g.pq.gz")
    (tmp_path / "g.parquet").write_bytes(b"PAR1")
    with pytest.raises(FormatError, match=r"g\.parquet: no readable Parquet file"):
        io.read(tmp_path / "g.parquet")


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def npz(**arrays: object) -> bytes:
    buffer = stdio.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


COLB = b"p col 9 1\n"
ROWS = bytes([0, 0b1000_0000, 0, 0, 0, 0, 0, 0, 0, 0])

BINARY = [
    ("g.egr", b"\0\0\0", "starts with two counts, 8 bytes"),
    ("g.egr", words(2, 2, 0, 1, 2, 1), "take 28 bytes, or 36 with weights, and this has 24"),
    ("g.egr", words(2, 2, 1, 1, 2, 1, 0), r"indptr\[0\] must be 0, not 1"),
    ("g.egr", words(3, 2, 0, 2, 1, 2, 1, 0), r"indptr decreases: indptr\[1\] = 2, indptr\[2\] = 1"),
    ("g.egr", words(2, 2, 0, 1, 2, 1, 2), r"indices\[1\] = 2 is outside 0 … 1"),
    ("g.col.b", b"", "line 1: expected the length of the preamble"),
    ("g.col.b", b"99\n" + COLB + ROWS, "preamble of 99 bytes ends after the file"),
    ("g.col.b", b"%d\n" % len(COLB) + COLB + ROWS[:-1], "9 vertices need 10 bytes of matrix after byte 13"),
    ("g.col.b", b"%d\n" % len(COLB) + COLB + b"\x01" + ROWS[1:], "row 1 of the matrix has a bit in column 8"),
    ("g.col.b", b"10\np col 9 5\n" + ROWS, "declares 5 edges, but there are 1"),
    ("g.npz", b"PK\3\4 not a zip file", "no readable .npz"),
    ("g.npz", npz(indptr=[0, 1, 2], indices=[1, 0]), "no array 'n' or 'shape'"),
    ("g.npz", npz(indptr=[0, 1, 2], indices=[1.0, 0.0], n=2), "'indices' must hold integers, not float64"),
    ("g.npz", npz(indptr=[0, 1, 2], indices=[1, 0], shape=[2, 3]), r"rectangular: .*\(2, 3\)"),
    ("g.npz", npz(indptr=[0, 1, 2], indices=[[1], [0]], n=2), "must have one dimension"),
    ("g.npz", npz(indptr=np.array([0, 1, 2], object), indices=[1, 0], n=2), "allow_pickle"),
]


@pytest.mark.parametrize(("name", "data", "message"), BINARY)
def test_binary(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(GraphError) as caught:
        io.read(path)
    assert str(caught.value).startswith(str(path))
    assert re.search(message, str(caught.value)), str(caught.value)


def test_lines_that_end_with_a_carriage_return_alone(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(b"0 1\r1 2\r")
    with pytest.raises(FormatError, match="lines end with a carriage return alone: tr"):
        io.read(path)
    path.write_bytes(path.read_bytes().replace(b"\r", b"\n"))  # as tr does
    assert io.read(path).n_edges == 2


@pytest.mark.parametrize(("name", "read"), [("g.csv", lagcolor.convert), ("g.txt", io.read), ("g.mtx", io.read)])
def test_a_packed_file_whose_name_does_not_say_so(name: str, read: Any, tmp_path: Path) -> None:
    io.write(tmp_path / f"{name}.gz", [(0, 1), (1, 2)])
    path = (tmp_path / f"{name}.gz").rename(tmp_path / name)
    more = [tmp_path / "g.csr"] * (read is lagcolor.convert)
    with pytest.raises(FormatError, match=r"gzip packed this file, .*: add \.gz to the name"):
        read(path, *more)
    assert read(path.rename(f"{path}.gz"), *more).n_edges == 2


@pytest.mark.parametrize("name", ["g", "g.gz", "g.mtx.bz2"])
def test_unknown_extension(name: str, tmp_path: Path) -> None:
    for call in (lambda: io.read(tmp_path / name), lambda: io.write(tmp_path / name, graph("path"))):
        with pytest.raises(FormatError) as caught:
            call()
        for part in (".mtx", ".graph", ".col.b", ".gz", "format="):
            assert part in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", io.FORMATS)
def test_missing_file_and_folder(format: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        io.read(tmp_path / "absent", format=format)
    with pytest.raises(IsADirectoryError):
        io.read(tmp_path, format=format)


@pytest.mark.parametrize("format", io.FORMATS)
@pytest.mark.parametrize("keep", [-1, 5])
def test_damaged_gzip(format: str, keep: int, tmp_path: Path) -> None:
    path = tmp_path / "g.gz"
    io.write(path, graph("random sparse"), format=format)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(FormatError) as caught:
        io.read(path, format=format)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("format", [f for f in io.FORMATS if f != "edges"])
def test_a_cut_file_is_an_error(format: str, tmp_path: Path) -> None:
    """Anywhere but in the last line, where a text may still be whole. The edges are odd: half of them are no .col."""
    path = tmp_path / "g"
    io.write(path, graph("odd cycle"), format=format)
    data = path.read_bytes()
    for keep in range(0, len(data) - 8, len(data) // 30):
        path.write_bytes(data[:keep])
        with pytest.raises(GraphError):
            io.read(path, format=format)
