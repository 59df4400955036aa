"""Where something is: warnings about lists that count from 1, and positions as a file itself counts."""

from __future__ import annotations

import gzip
import itertools
import re
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor import Graph, GraphError, NumberingWarning, Pattern

PATH = np.array([1, 2, 3]), np.array([2, 3, 4])
FROM_ONE: dict[str, Any] = {
    "arrays": PATH,
    "edge index": np.stack(PATH),
    "lists": ([1, 2, 3], [2, 3, 4]),
    "pairs": [(1, 2), (2, 3), (3, 4)],
    "a table": pd.DataFrame({"u": PATH[0], "v": PATH[1]}),
    "with a self-loop": [(1, 2), (2, 3), (3, 4), (2, 2)],
}


@pytest.mark.parametrize("case", FROM_ONE)
def test_lists_that_count_from_one(case: str) -> None:
    x = FROM_ONE[case]
    with pytest.warns(NumberingWarning, match=r"vertex 0 has no edge, and all of 1 … 4 have.*n=5") as caught:
        G = Graph.of(x)
    assert caught[0].filename == __file__  # the caller's own line
    assert (G.n, G.labels) == (5, None)
    with pytest.warns(NumberingWarning, match=r"colors\[v\] is still the color of vertex v.* subtract 1") as caught:
        colors = lagcolor.color(x).to_numpy()
    assert caught[0].filename == __file__
    assert all(colors[u] != colors[v] for u, v in zip(*PATH, strict=True))


def test_files_that_count_from_one(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for first in ("", "# Nodes: 4 Edges: 3\n"):  # as many as occur
        path.write_text(f"{first}1 2\n2 3\n3 4\n")
        with pytest.warns(NumberingWarning, match=r"pass n=5 \(to lagcolor\.Graph\.of") as caught:
            assert lagcolor.io.read(path).n == lagcolor.Graph.of(path, n=5).n == 5
        assert len(caught) == 1  # Graph.of has n


QUIET: dict[str, Any] = {
    "from 0": [(0, 1), (1, 2)],
    "0 in a self-loop": [(0, 0), (1, 2), (2, 3)],
    "1 does not occur": [(2, 3), (3, 4)],
    "1 only in a self-loop": [(1, 1), (2, 3)],
    "others are isolated, too": [(1, 2), (2, 4)],
    "names": [("1", "2"), ("2", "3")],
    "keys": {1: [2], 2: [3]},
    "a matrix": sp.coo_array((np.ones(2), ([1, 2], [2, 1])), shape=(3, 3)),
    "a graph": nx.Graph([(1, 2), (2, 3)]),
    "far apart": [(1, 5000), (5000, 9000)],
    "nothing": [],
}


@pytest.mark.parametrize("case", QUIET)
def test_no_false_alarm(case: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Graph.of(QUIET[case])
        Graph.of(PATH, n=5)
        Pattern.of(PATH)


@pytest.mark.parametrize(("last", "labels"), [(3999, False), (4000, True)])
def test_a_quarter_of_the_numbers(last: int, labels: bool) -> None:
    """If fewer than a quarter of the numbers occur, they become labels."""
    used = [*range(999), last]
    G = Graph.of(list(itertools.pairwise(used)))
    assert (G.labels is not None, G.n) == (labels, 1000 if labels else last + 1)


# Positions ------------------------------------------------------------------------------------------------------------

MTX = "%%MatrixMarket matrix coordinate "
ASYMMETRIC = [
    ("g.mtx", MTX + "pattern general\n% c\n3 3 3\n\n1 2\n% c\n2 1\n3 1\n", 8, "(3, 1)", "(1, 3)"),
    ("g.mtx", MTX + "real general\n3 3 2\n3 3 1.5\n2 1 0\n", 4, "(2, 1)", "(1, 2)"),
    ("g.mtx", MTX.replace("coordinate", "array") + "real general\n% c\n2 2\n0\n7\n0\n0\n", 5, "(2, 1)", "(1, 2)"),
    ("g.graph", "% c\n3 2\n2 3\n% c\n3\n2\n", 3, "(1, 2)", "(2, 1)"),
    ("g.graph", "4 2\n\n3\n2 4\n1\n", 4, "(3, 4)", "(4, 3)"),
]


@pytest.mark.parametrize(("name", "text", "line", "there", "missing"), ASYMMETRIC)
def test_entries_as_the_file_counts(name: str, text: str, line: int, there: str, missing: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / name, tmp_path / f"{name}.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    for path in (plain, packed):
        wanted = f"{path}, line {line}: not symmetric: entry {there} is there, {missing} is not; pass symmetrize=True"
        with pytest.raises(GraphError, match=re.escape(wanted)):
            Graph.of(path)
        assert Graph.of(path, symmetrize=True).n_edges >= 1


def test_entries_out_of_range_have_their_line(tmp_path: Path) -> None:
    path = tmp_path / "g.mtx"
    path.write_text(MTX + "pattern general\n% c\n2 3 3\n1 3\n% c\n\n2 2\n3 1\n")
    with pytest.raises(GraphError, match=r"g\.mtx, line 8: entry \(3, 1\) is out of range: the matrix has rows 1 … 2"):
        Pattern.of(path)


def test_archives_count_from_zero(tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "g.npz", sp.csr_array((np.ones(1), ([1], [0])), shape=(3, 3)))
    with pytest.raises(GraphError, match=r"g\.npz: not symmetric: entry \(1, 0\) is there"):
        Graph.of(tmp_path / "g.npz")
