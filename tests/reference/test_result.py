"""What a result says and saves, and where it stands for the array of its colors."""

from __future__ import annotations

import itertools
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import corpus
import matplotlib
import networkx as nx
import numpy as np
import pytest
from corpus import graph
from emulated import ENGINES

import lagcolor
from lagcolor import Coloring, Graph, GraphError

matplotlib.use("Agg")
COLORS = [2, 0, 1, -1, 0, 2, 2]
on_each_device = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
on_each_engine = pytest.mark.parametrize("device", ENGINES)


def result(colors: list[int] = COLORS, device: str = "cpu", labels: Any = None, **more: Any) -> Coloring:
    """A result on a graph without edges, where every coloring will do."""
    n = len(colors)
    G = Graph(np.zeros(n + 1, np.int32), np.zeros(0, np.int32), labels=labels).on("cpu" if device == "cpu" else "cuda")
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
    assert [part.tolist() for part in c.classes()] == members
    order = c.permutation()
    assert order.dtype == np.int32
    assert order.tolist() == list(itertools.chain(*members)) + [v for v, x in enumerate(colors) if x < 0]
    assert isinstance(c.to_numpy(), np.ndarray) and c.to_numpy().tolist() == colors
    for a in (offsets, vertices, order, c.class_sizes, *c.classes()):
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


def test_to_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuples are labels, not rows; edges have a column for each end; it equals the file."""
    frame = result([1, 0, -1], labels=["x", ("y", 2), 3]).to_frame()
    assert frame.to_dict("list") == {"vertex": ["x", ("y", 2), 3], "color": [1, 0, -1]}
    assert result([1, 0]).to_frame().to_csv(index=False) == "vertex,color\n0,1\n1,0\n"
    assert result([]).to_frame().shape == (0, 2)
    edges = lagcolor.color([("a", "b"), ("b", "c")], problem="edges", order="natural").to_frame()
    assert edges.to_dict("list") == {"u": ["a", "b"], "v": ["b", "c"], "color": [0, 1]}
    assert lagcolor.color([], problem="edges").to_frame().columns.tolist() == ["u", "v", "color"]
    with pytest.raises(GraphError, match="use row_colors and column_colors"):
        lagcolor.color(np.eye(2), problem="star_bicoloring").to_frame()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(lagcolor.MissingPackageError, match="to_frame needs pandas: pip install pandas"):
        result([1, 0]).to_frame()


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
    """Results are tables of text in which user text is not markup."""
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


def test_uncolored_vertices_are_reported() -> None:
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
    assert c.trace == []


def test_provenance_is_plain_json() -> None:
    c = lagcolor.color(corpus.graph("grid"), "greedy", trace=True)
    facts = json.loads(json.dumps(c.provenance()))
    assert facts["lagcolor"] == lagcolor.__version__
    assert (facts["vertices"], facts["edges"], facts["n_colors"]) == (221, 412, c.n_colors)


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


# Of another problem than distance 1


def by_columns() -> lagcolor.Coloring:
    B = nx.Graph()
    B.add_nodes_from("ab", bipartite=0)
    B.add_nodes_from("xyz", bipartite=1)
    B.add_edges_from([("a", "x"), ("a", "y"), ("b", "z")])
    return lagcolor.color(lagcolor.Pattern.of(B), problem="columns", verify=True)


def test_colors_of_columns_have_the_columns_labels(tmp_path: Path) -> None:
    result = by_columns()
    assert result.to_dict() == {"x": 0, "y": 1, "z": 0}
    assert result.row_colors is None and result.column_colors.tolist() == [0, 1, 0]
    result.save(tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text() == "vertex,color\nx,0\ny,1\nz,0\n"
    result.save(tmp_path / "c.json")
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["colors"] == {"x": 0, "y": 1, "z": 0}
    facts = {"problem": "columns", "rows": 2, "columns": 3, "entries": 3}
    assert {key: document[key] for key in facts} == facts


def test_a_result_says_its_problem() -> None:
    result = by_columns()
    assert "2 colors for 2 rows, 3 columns and 3 entries, columns," in repr(result)
    assert "<th>problem</th><td>columns</td>" in result._repr_html_()
    assert result.verified and lagcolor.verify(result.graph, result).ok
    assert "2 colors for 10 vertices and 9 edges, auto, balanced" in repr(lagcolor.color(lagcolor.generate.path(10)))


def test_several_orders_keep_the_fewest_colors() -> None:
    G = graph("rmat")
    names = ("natural", "largest_first", "smallest_last")
    each = {name: lagcolor.color(G, order=name).n_colors for name in names}
    result = lagcolor.color(G, order=names)
    assert result.n_colors == min(each.values())
    assert {row["name"]: row["colors"] for row in result.notes["tried"]} == each
    assert result.order == next(name for name in names if each[name] == result.n_colors)
    same = lagcolor.color(G, order=tuple(np.arange(G.n).tolist()))  # numbers are priorities
    assert (same.colors == lagcolor.color(G, order=np.arange(G.n)).colors).all() and same.order == "user"
    one, several = (lagcolor.color(G, order=order, seed=None) for order in ("smallest_last", ("smallest_last",)))
    assert (several.order, several.seed, several.colors.tolist()) == (one.order, one.seed, one.colors.tolist())
    assert lagcolor.color(G, "ipgc", order=("natural",)).order == "natural"
    with pytest.raises(lagcolor.OptionError, match="ipgc reads no order"):
        lagcolor.color(G, "ipgc", order=("natural", "random"))


# In the place of an array


def test_numpy_takes_it() -> None:
    c = result()
    assert np.asarray(c) is c.colors, "without a copy"
    assert np.array(c).tolist() == COLORS and not np.shares_memory(np.array(c), c.colors)
    assert np.asarray(c, np.int64).dtype == np.int64 and np.asarray(c, np.int64).tolist() == COLORS
    assert c.__array__(np.int32, copy=False) is c.colors
    with pytest.raises(ValueError, match="colors are int32, and float64 needs a copy"):
        c.__array__(np.float64, copy=False)
    assert np.unique(c).tolist() == [-1, 0, 1, 2]
    assert np.from_dlpack(c).tolist() == COLORS and np.shares_memory(np.from_dlpack(c), c.colors)
    assert not hasattr(c, "__cuda_array_interface__")


@on_each_engine
def test_items_length_and_iteration(device: str) -> None:
    c = result(device=device)
    here = type(c.colors)
    assert c.shape == (7,) == np.shape(c.colors) and c.ndim == 1 and c.dtype == np.int32
    assert len(c) == 7 and int(c[0]) == 2 and int(c[-2]) == 2
    assert type(c[1:4]) is here and c[1:4].tolist() == [0, 1, -1] and c[:].tolist() == COLORS
    assert c[c.graph.xp.asarray([0, 3])].tolist() == [2, -1]
    assert c[c.colors == 2].tolist() == [2, 2, 2]
    assert [int(x) for x in c] == COLORS and all(isinstance(x, np.int32) for x in c)
    assert 2 in list(c) and list(enumerate(c))[3] == (3, -1)
    with pytest.raises(IndexError):
        c[7]


def test_labels_are_no_indices() -> None:
    c = result(labels=[6, 5, 4, 3, 2, 1, "a"])
    assert c[6] == 2 and c.to_dict()[6] == 2 and c.to_dict()["a"] == 2 and c[1] == 0 and c.to_dict()[1] == 2
    with pytest.raises(IndexError, match="indexed by numbers of vertices, not by 'a': use to_dict"):
        c["a"]


def test_comparison() -> None:
    c, d = result(), pickle.loads(pickle.dumps(result()))
    assert c == c and c != d and len({c, d}) == 2, "of two results: whether they are the same one"
    assert np.array_equal(c, d)
    assert (c == np.array(COLORS)).all() and (np.array(COLORS) == c).all() and not (c != np.array(COLORS)).any()
    assert (c == 3) is False and c != "x" and c is not None


@on_each_engine
def test_inverse_and_blocks(device: str) -> None:
    for colors in (COLORS, [], [0], [-1, -1], [3, 1, 1, 3, 0]):
        c = result(colors, device)
        order, inverse = c.permutation(), c.inverse_permutation()
        assert inverse.dtype == np.int32 and type(inverse) is type(c.colors)
        assert order[inverse].tolist() == inverse[order].tolist() == list(range(len(colors)))
        k = max(colors, default=-1) + 1
        assert len(c.blocks) == c.n_colors == k and all(type(rows.start) is int for rows in c.blocks)
        assert [order[rows].tolist() for rows in c.blocks] == [
            [v for v, x in enumerate(colors) if x == color] for color in range(k)
        ]


def test_pandas_and_jax_take_it() -> None:
    pd = pytest.importorskip("pandas")
    assert pd.DataFrame({"color": result()})["color"].tolist() == COLORS
    jnp = pytest.importorskip("jax.numpy")
    assert jnp.asarray(result()).tolist() == jnp.from_dlpack(result()).tolist() == COLORS


@pytest.mark.emulated
def test_numpy_does_not_copy_from_a_gpu_unasked() -> None:
    c = result(device="cuda")
    with pytest.raises(TypeError, match=r"on cuda:0, and NumPy does not copy them implicitly: .*to_numpy\(\)"):
        np.asarray(c)
    assert np.asarray(c.to_numpy()).tolist() == COLORS


@pytest.mark.gpu
def test_on_a_gpu() -> None:
    import cupy as cp

    c = result(device="cuda")
    with pytest.raises(TypeError, match=r"to_numpy\(\)"):
        np.asarray(c)
    for there in (cp.asarray(c), cp.from_dlpack(c)):
        assert there.data.ptr == c.colors.data.ptr and there.tolist() == COLORS and there.dtype == np.int32
    assert cp.array_equal(cp.asarray(c), c.colors) and int(c[0]) == 2
    jnp = pytest.importorskip("jax.numpy")
    assert jnp.from_dlpack(c).tolist() == COLORS
    for n in (0, 1):
        assert cp.asarray(result([0] * n, "cuda")).shape == (n,)
