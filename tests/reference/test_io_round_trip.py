"""What lagcolor.io writes it reads back: every format, every extension, plain and packed."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pytest
from corpus import graph, random_graph
from hypothesis import given
from hypothesis import strategies as st

import lagcolor
from lagcolor import io
from lagcolor.io import emit

EXTENSIONS = [e for row in io.FORMATS.values() for e in row.extensions]


def same(G: lagcolor.Graph, H: lagcolor.Graph) -> bool:
    return np.array_equal(G.indptr, H.indptr) and np.array_equal(G.indices, H.indices)


@pytest.mark.parametrize("format", io.FORMATS)
@given(n=st.integers(0, 40), m=st.integers(0, 120), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(format: str, n: int, m: int, seed: int) -> None:
    G = random_graph(n, m, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph"
        io.write(path, G, format=format)
        assert same(io.read(path, format=format), G)
        assert [p.name for p in Path(folder).iterdir()] == [path.name]


def test_every_extension_plain_and_packed(tmp_path: Path) -> None:
    for extension in EXTENSIONS:
        for packed in ("", ".GZ"):
            path = tmp_path / f"graph{extension}{packed}"
            io.write(path, graph("random sparse"))
            assert same(io.read(path), graph("random sparse")), path.name
            assert (path.read_bytes()[:2] == b"\x1f\x8b") == bool(packed)


def test_blocks_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows longer and shorter than a block, and blocks of empty rows."""
    monkeypatch.setattr(emit, "BLOCK", 7)
    for name in ("star, hub last", "no edges", "random sparse", "clique 70"):
        for extension in (".el", ".graph", ".gr"):
            io.write(tmp_path / f"graph{extension}", graph(name))
            assert same(io.read(tmp_path / f"graph{extension}"), graph(name))


def test_same_bytes_every_time(tmp_path: Path) -> None:
    for extension in EXTENSIONS:
        if extension == ".npz":  # a zip file holds the time
            continue
        files = [tmp_path / f"a{extension}.gz", tmp_path / f"b{extension}.gz"]
        for file in files:
            io.write(file, graph("grid"))
        assert files[0].read_bytes() == files[1].read_bytes()
        assert gzip.decompress(files[0].read_bytes())


def test_format_by_name_or_extension(tmp_path: Path) -> None:
    for name in (".graph", "METIS", "graph.gz"):
        io.write(tmp_path / "x.bin", graph("grid"), format=name)
        assert same(io.read(tmp_path / "x.bin", format=name), graph("grid"))


def test_a_pipe_is_read_and_written(tmp_path: Path) -> None:
    import os
    import threading

    pipe = tmp_path / "p.el"
    os.mkfifo(pipe)
    writer = threading.Thread(target=io.write, args=(pipe, graph("grid")))
    writer.start()
    G = io.read(pipe)
    writer.join()
    assert same(G, graph("grid"))
    assert pipe.is_fifo()


@pytest.mark.parametrize("nodes", [3, 4, 9])
def test_an_edge_list_has_as_many_vertices_as_its_comment_says(tmp_path: Path, nodes: int) -> None:
    path = tmp_path / "g.txt"
    path.write_text(f"# Nodes: {nodes} Edges: 2\n0 1\n1 2\n")
    G = lagcolor.io.read(path)
    assert (G.n, G.n_edges) == (nodes, 2)
    lagcolor.io.write(path, G)
    assert path.read_text().splitlines()[0] == f"# Nodes: {nodes} Edges: 2"
