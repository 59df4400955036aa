"""What a coloring tells of itself."""

from __future__ import annotations

import itertools
import json
import pickle
from typing import Any

import corpus
import numpy as np
import pytest

import lagcolor
from lagcolor import Coloring, Graph, GraphError

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
on_each_device = pytest.mark.parametrize("device", DEVICES)


def result(colors: list[int], device: str = "cpu", labels: Any = None, **more: Any) -> Coloring:
    """A result on a graph without edges, where every coloring will do."""
    n = len(colors)
    G = Graph(np.zeros(n + 1, np.int32), np.zeros(0, np.int32), labels=labels).on(device)
    return Coloring(G.xp.asarray(colors, dtype=np.int32), G, "greedy", "natural", **more)


CASES = {
    "none": [],
    "one": [0],
    "all of one color": [0] * 7,
    "mixed": [2, 0, 1, 0, 2, 2, 0],
    "some uncolored": [1, -1, 0, 1, -1, -1, 0],
    "none colored": [-1, -1, -1],
    "all different": [3, 2, 1, 0],
}


@on_each_device
@pytest.mark.parametrize("case", CASES)
def test_groups_sizes_and_permutation(case: str, device: str) -> None:
    c, colors = result(CASES[case], device), CASES[case]
    k = max(colors, default=-1) + 1
    members = [[v for v, x in enumerate(colors) if x == color] for color in range(k)]
    assert (c.n_colors, len(c), c.device) == (k, len(colors), "cpu" if device == "cpu" else "cuda:0")
    assert c.class_sizes.dtype == np.int64 and c.class_sizes.tolist() == [len(m) for m in members]
    offsets, vertices = c.groups()
    assert (offsets.dtype, vertices.dtype) == (np.int64, np.int32)
    assert offsets.tolist() == [0, *np.cumsum([len(m) for m in members], dtype=int).tolist()]
    assert [vertices[offsets[i] : offsets[i + 1]].tolist() for i in range(k)] == members
    assert len(vertices) == sum(map(len, members))  # the uncolored are in no group
    order = c.permutation()
    assert order.dtype == np.int32
    assert order.tolist() == list(itertools.chain(*members)) + [v for v, x in enumerate(colors) if x < 0]
    assert isinstance(c.to_numpy(), np.ndarray) and c.to_numpy().tolist() == colors
    for a in (offsets, vertices, order, c.class_sizes):
        assert type(a) is type(c.colors)


@on_each_device
@pytest.mark.parametrize("k", [65_535, 65_536])
def test_more_colors_than_16_bits(k: int, device: str) -> None:
    colors = np.random.default_rng(k).permutation(np.concatenate([np.arange(k), np.arange(k), [-1, -1]]))
    c = result(colors.tolist(), device)
    assert c.n_colors == k
    assert c.permutation().tolist() == np.lexsort((np.arange(len(colors)), colors % (k + 1))).tolist()
    assert c.class_sizes.tolist() == [2] * k


def test_to_dict() -> None:
    assert result([1, 0, -1]).to_dict() == {0: 1, 1: 0, 2: -1}
    assert result([1, 0], labels=["x", ("y", 2)]).to_dict() == {"x": 1, ("y", 2): 0}
    assert result([]).to_dict() == {}
    assert all(type(x) is int for x in result([1, 0]).to_dict().values())
    with pytest.raises(GraphError, match="label 'x' names more than one vertex"):
        result([0, 1, 0], labels=["y", "x", "x"]).to_dict()


def test_repr_and_html() -> None:
    c = result([0, 1, 0], seconds=0.00123, order_seconds=0.5, convert_seconds=0.25, seed=7)
    assert repr(c) == (
        "<Coloring: 2 colors for 3 vertices and 0 edges, greedy (natural, seed 7) on cpu, "
        "1.23 ms (+ 750 ms to prepare)>"
    )
    page = c._repr_html_()
    assert page.startswith("<table><caption>Coloring</caption>") and page.endswith("</table>")
    assert "<tr><th>colors</th><td>2</td></tr>" in page and "<th>verified</th><td>no</td>" in page
    c.algorithm = "<script>"
    assert "<script>" not in c._repr_html_() and "&lt;script&gt;" in c._repr_html_()


def test_other_results_in_a_notebook() -> None:
    """As tables of text, in which nothing of the user's is markup."""
    path = lagcolor.generate.path(3)
    assert lagcolor.verify(path, [0, 1, 0])._repr_html_() == (
        "<table><caption>Report</caption><tr><th>colors</th><td>2</td></tr>"
        "<tr><th>conflicting edges</th><td>0</td></tr><tr><th>uncolored</th><td>0</td></tr>"
        "<tr><th>ok</th><td>yes</td></tr></table>"
    )
    page = lagcolor.verify([("<b>", "c")], [0, 0], errors="return")._repr_html_()
    assert "<th>conflicting edges</th><td>1</td>" in page and "<th>ok</th><td>no</td>" in page
    assert "<th>fault</th><td>1 conflicting edge, the first (0 (&#x27;&lt;b&gt;&#x27;), 1" in page and "<b>" not in page
    compression = lagcolor.derivatives.jacobian(np.eye(3, 4, dtype=bool) | np.eye(3, 4, 1, dtype=bool))
    assert repr(compression) == "<Compression: 3 × 4, 6 entries, 2 of A @ s, columns, direct>"
    assert "<th>products</th><td>2 of A @ s</td>" in compression._repr_html_()
    grouping = lagcolor.pauli.group(["XX", "ZZ", "XI"])
    assert repr(grouping).startswith("<Grouping: 2 groups (qubitwise) of 3 Pauli strings on 2 qubits, ")
    assert "<caption>Grouping</caption><tr><th>groups</th><td>2 (qubitwise)</td></tr>" in grouping._repr_html_()


def test_uncolored_vertices_are_told() -> None:
    c = lagcolor.color(corpus.graph("rmat"), "cohen_castonguay", fraction=0.5, hashes=1)
    left = c.notes["uncolored"]
    assert left > 0
    assert f"for 1,024 vertices ({left:,} uncolored) and" in repr(c)
    assert f"<tr><th>uncolored</th><td>{left:,}</td></tr>" in c._repr_html_()
    assert "uncolored" not in repr(lagcolor.color(corpus.graph("rmat"), "cohen_castonguay"))


def test_color_fills_everything_in() -> None:
    c = lagcolor.color(corpus.graph("grid").to_scipy(), "greedy", "largest_first", seed=3)
    assert (c.algorithm, c.order, c.seed, c.device, c.rounds, c.verified) == (
        "greedy", "largest_first", 3, "cpu", 1, True,
    )  # fmt: skip
    assert c.colors.dtype == np.int32 and c.graph.n == len(c)
    assert c.seconds > 0 and c.convert_seconds > 0 and c.order_seconds > 0
    assert c.prepare_seconds == c.convert_seconds + c.order_seconds
    assert c.trace == []


def test_provenance_is_plain_json() -> None:
    c = lagcolor.color(corpus.graph("grid"), "greedy", trace=True)
    facts = json.loads(json.dumps(c.provenance()))
    assert facts["lagcolor"] == lagcolor.__version__
    assert (facts["vertices"], facts["edges"], facts["n_colors"]) == (221, 412, c.n_colors)


def test_results_pickle_and_compare_by_identity() -> None:
    c = result([0, 1, 0], labels=["a", "b", "c"])
    d = pickle.loads(pickle.dumps(c))
    assert d.to_dict() == c.to_dict() and d.n_colors == 2
    assert c == c and c != d


@pytest.mark.parametrize("algorithm", ["greedy", "dsatur", "gebremedhin_manne"])
def test_trace_has_milliseconds(algorithm: str) -> None:
    options = {"threads": 2} if algorithm == "gebremedhin_manne" else {}
    c = lagcolor.color(corpus.graph("grid"), algorithm, trace=True, **options)
    assert c.rounds == len(c.trace) and all(row["ms"] >= 0 for row in c.trace)


def test_the_trace_of_the_default_has_its_attempts() -> None:
    c = lagcolor.color(corpus.graph("rmat"), trace=True)
    assert c.rounds == len(c.trace) == len(c.notes["tried"]) > 1


def test_saving_to_a_folder_that_is_not_there_names_the_file(tmp_path: Any) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*absent.*absent.x\.npy"):
        result([0, 1, 0]).save(tmp_path / "absent" / "x.npy")
