"""Files that other tools wrote, and the examples of each format's own specification."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from corpus import graph

import lagcolor
from lagcolor import io


def edges(G: lagcolor.Graph) -> set[tuple[int, int]]:
    A = G.to_scipy().tocoo()
    return {(int(u), int(v)) for u, v in zip(*A.coords, strict=True) if u < v}


def read(folder: Path, name: str, text: str | bytes, **options: object) -> lagcolor.Graph:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return io.read(path, **options)  # type: ignore[arg-type]


def undirected(pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in pairs if a != b}


# The mark that spreadsheets begin a text with


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.csv", "u,v\na,b\nb,c\n", [["a", "b"], ["b", "c"]]),
        ("g.csv", "a,b\nb,c\n", [["a", "b"], ["b", "c"]]),
        ("g.csv", "0,1\r\n1,2\r\n", [[0, 1], [1, 2]]),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", [[0, 1], [1, 2]]),
        ("g.graph", "3 2\n2\n1 3\n2\n", [[0, 1], [1, 2]]),
        ("g.col", "p edge 3 2\ne 1 2\ne 2 3\n", [[0, 1], [1, 2]]),
    ],
)
def test_a_byte_order_mark_is_no_text(tmp_path: Path, name: str, text: str, message: list[list[object]]) -> None:
    G = read(tmp_path, name, b"\xef\xbb\xbf" + text.encode())
    names = range(G.n) if G.labels is None or name != "g.csv" else G.labels
    assert sorted(sorted(names[v] for v in pair) for pair in edges(G)) == message


# Matrix Market, by scipy


@pytest.fixture
def symmetric() -> sp.coo_array:
    r = np.random.default_rng(4)
    A = sp.random_array((60, 60), density=0.05, rng=r)
    return sp.coo_array(A + A.T)


@pytest.mark.parametrize("field", ["real", "integer", "complex", "pattern"])
def test_mmwrite(symmetric: sp.coo_array, field: str, tmp_path: Path) -> None:
    path = tmp_path / "A.mtx"
    for symmetry in ("general", "symmetric"):
        scipy.io.mmwrite(path, symmetric, field=field, symmetry=symmetry)
        G = io.read(path)
        assert G.n == 60 and edges(G) == undirected(zip(*(c.tolist() for c in symmetric.coords), strict=True))


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric", "hermitian"])
def test_mmwrite_dense(symmetry: str, tmp_path: Path) -> None:
    r = np.random.default_rng(5)
    A = np.tril(r.integers(0, 3, (9, 9)), -1) * (2 + 1j if symmetry == "hermitian" else 1)
    A = A + (A.T.conj() if symmetry == "hermitian" else -A.T if symmetry == "skew-symmetric" else A.T)
    scipy.io.mmwrite(tmp_path / "A.mtx", A, symmetry=symmetry)
    assert f"array {'complex' if symmetry == 'hermitian' else 'integer'} {symmetry}" in (tmp_path / "A.mtx").read_text()
    assert edges(io.read(tmp_path / "A.mtx")) == undirected(zip(*(c.tolist() for c in A.nonzero()), strict=True))


def test_written_for_mmread(tmp_path: Path) -> None:
    io.write(tmp_path / "g.mtx", graph("grid"))
    assert (scipy.io.mmread(tmp_path / "g.mtx", spmatrix=False).tocsr() != graph("grid").to_scipy()).nnz == 0
    assert scipy.io.mminfo(tmp_path / "g.mtx")[3:] == ("coordinate", "pattern", "symmetric")


# Edge lists, by NetworkX, igraph, NumPy, and as SNAP has them


@pytest.mark.parametrize("data", [True, False, ["weight"]])
def test_networkx_edge_list(data: object, tmp_path: Path) -> None:
    N = nx.gnm_random_graph(50, 200, seed=1)
    for u, v in N.edges:
        N[u][v]["weight"] = u / 7
    nx.write_edgelist(N, tmp_path / "g.edgelist", data=data)
    G = io.read(tmp_path / "g.edgelist")
    assert edges(G) == undirected(N.edges) and G.labels is None


SNAP = """\
# Directed graph (each unordered pair of nodes is saved once): Wiki-Vote.txt\r
# Nodes: 5 Edges: 4\r
# FromNodeId\tToNodeId\r
3\t2\r
2\t3\r
0\t1\r
1\t1\r
"""


def test_snap(tmp_path: Path) -> None:
    G = read(tmp_path, "wiki.txt", SNAP)
    assert G.n == 5 and edges(G) == {(2, 3), (0, 1)}
    packed = read(tmp_path, "wiki.txt.gz", gzip.compress(SNAP.encode()))
    assert packed.n == 5 and edges(packed) == edges(G)


@pytest.mark.parametrize(
    "text", ["0 1\n1 2", "0,1,\n1,2,0.5\n", "0;1;2e1\n\n% x\n  1 ; 2 ;3\n", "0\t1\t17\n#\tc\n1\t2\t-1\n"]
)
def test_separators_comments_and_columns(text: str, tmp_path: Path) -> None:
    G = read(tmp_path, "g.txt", text)
    assert G.n == 3 and edges(G) == {(0, 1), (1, 2)}


def test_where_numbers_count_as_sparse(tmp_path: Path) -> None:
    assert read(tmp_path, "g.edges", "0 999\n").n == 1000
    assert read(tmp_path, "g.edges", "0 1000\n").labels == [0, 1000]
    quarter = "".join(f"{4 * i} {4 * i + 4}\n" for i in range(500))
    assert read(tmp_path, "g.edges", quarter).n == 2001
    assert read(tmp_path, "g.edges", quarter + "0 2004\n").labels is None
    assert read(tmp_path, "g.edges", quarter + "0 2008\n").n == 502


# DIMACS

COL = "c a comment\np edge 5 4\nn 1 7\ne 1 2\ne 2 3\ne 3 1\ne 4 4\n"


def test_col(tmp_path: Path) -> None:
    for declared in (4, 8, 3, 6):  # lines (with the self-loop) or edges, or twice either
        G = read(tmp_path, "g.col", COL.replace("edge 5 4", f"col 5 {declared}"))
        assert G.n == 5 and edges(G) == {(0, 1), (1, 2), (0, 2)}


def test_col_binary_is_the_text_form(tmp_path: Path) -> None:
    """A bit-by-bit decoder after the specification."""
    G = graph("random dense")
    io.write(tmp_path / "g.col.b", G)
    data = (tmp_path / "g.col.b").read_bytes()
    length, rest = data.split(b"\n", 1)
    assert rest[: int(length)] == f"p col {G.n} {G.n_edges}\n".encode()
    at, found = int(length), set()
    for i in range(G.n):
        row = rest[at : at + (i + 8) // 8]
        found |= {(j, i) for j in range(i + 1) if row[j >> 3] >> (7 - (j & 7)) & 1}
        at += (i + 8) // 8
    assert at == len(rest) and found == edges(G)


def test_gr(tmp_path: Path) -> None:
    G = read(tmp_path, "g.gr", "c 9th DIMACS\nc\np sp 4 4\na 1 2 803\na 2 1 803\na 3 4 -5\na 4 4 1.5\n")
    assert G.n == 4 and edges(G) == {(0, 1), (2, 3)}


# METIS: the graph of figure 3 of the manual, with and without weights

UNWEIGHTED = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
ALL_WEIGHTS = """7 11 011
4 5 1 3 2 2 1
2 1 1 3 2 4 1
5 5 3 4 2 2 2 1 2
3 2 1 3 2 6 2 7 5
1 1 1 3 3 6 2
6 5 2 4 2 7 6
2 6 6 4 5
"""
TWO_AND_SIZES = (
    "% sizes, and two weights a vertex\n7 11 110 2\n"
    "9 1 2 5 3 2\n9 0 2 1 3 4\n% between\n9 4 1 5 4 2 1\n9 2 2 2 3 6 7\n9 1 1 1 3 6\n9 2 1 5 4 7\n9 0 1 6 4\n"
)


@pytest.mark.parametrize("text", [UNWEIGHTED, ALL_WEIGHTS, TWO_AND_SIZES])
def test_metis(text: str, tmp_path: Path) -> None:
    G = read(tmp_path, "g.graph", text)
    assert G.n == 7
    assert edges(G) == {(0, 1), (0, 2), (0, 4), (1, 2), (1, 3), (2, 3), (2, 4), (3, 5), (3, 6), (4, 5), (5, 6)}


def test_metis_empty_lines_are_isolated_vertices(tmp_path: Path) -> None:
    for tail in ("", "\n", "\n\n\n% end\n"):
        G = read(tmp_path, "g.graph", "5 1\n\n4\n\n2\n" + tail)
        assert G.n == 5 and edges(G) == {(1, 3)}


# ECL and npz


@pytest.mark.parametrize("weights", [[], [7, 7, 8, 8]])
def test_egr(weights: list[int], tmp_path: Path) -> None:
    words = [3, 4, 0, 2, 3, 4, 1, 2, 0, 0, *weights]
    G = read(tmp_path, "g.egr", struct.pack(f"<{len(words)}i", *words))
    assert G.n == 3 and edges(G) == {(0, 1), (0, 2)}


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
def test_save_npz(layout: str, symmetric: sp.coo_array, tmp_path: Path) -> None:
    pattern = undirected(zip(*(c.tolist() for c in (symmetric.toarray() != 0).nonzero()), strict=True))
    for kind in (sp.coo_array, sp.coo_matrix):
        sp.save_npz(tmp_path / "A.npz", kind(symmetric).asformat(layout))
        assert edges(io.read(tmp_path / "A.npz")) >= pattern


@pytest.mark.parametrize("size", [{"n": 3}, {"n": [3]}, {"shape": (3, 3)}])
def test_plain_npz(size: dict, tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", indptr=np.array([0, 1, 3, 4]), indices=np.array([1, 0, 2, 1]), data=[1.0] * 4, **size)
    assert edges(io.read(tmp_path / "g.npz")) == {(0, 1), (1, 2)}


def test_metis_self_loops(tmp_path: Path) -> None:
    for m in (1, 2):
        assert edges(read(tmp_path, "g.graph", f"2 {m}\n1 2\n1\n")) == {(0, 1)}
