"""Graph.of: the same graph in every form that is accepted gives the same canonical CSR."""

from __future__ import annotations

from typing import Any

import corpus
import graphblas as gb
import igraph
import networkx as nx
import numpy as np
import pytest
import rustworkx as rx
import scipy.sparse as sp
from tensors import OnlyDLPack

import lagcolor
from lagcolor import Graph

NAMES = ["empty", "one vertex", "no edges", "isolated among others", "one edge", "star", "random dense", "disconnected"]
FORMATS = ["csr", "csc", "coo", "dia", "lil", "dok", "bsr"]


def scipy_of(name: str, kind: str = "array") -> Any:
    """The adjacency matrix with ones, float64 CSR."""
    A = corpus.graph(name).to_scipy().astype(np.float64)
    return A if kind == "array" else sp.csr_matrix(A)


def edges_of(name: str) -> tuple[int, np.ndarray]:
    n, u, v = corpus.CORPUS[name]
    return n, np.array([u, v], np.int64)


def assert_same(G: Graph, name: str) -> None:
    wanted = corpus.graph(name)
    H = G.on("cpu")
    assert H.n == wanted.n
    assert H.indptr.tolist() == wanted.indptr.tolist() and H.indices.tolist() == wanted.indices.tolist()
    assert H.indptr.dtype == H.indices.dtype == np.int32
    assert not H.indices.flags.writeable
    assert G.convert_seconds > 0


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", NAMES)
def test_scipy(name: str, format: str, kind: str) -> None:
    A = scipy_of(name, kind)
    if format == "bsr" and A.shape[0] == 0:
        pytest.skip("scipy has no empty BSR")
    A = A.tobsr((1, 1)) if format == "bsr" else A.asformat(format)
    assert_same(Graph.of(A), name)
    assert_same(Graph.of(A, n=A.shape[0], symmetrize=True), name)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_scipy_out_of_order_with_repeats_and_diagonal(format: str) -> None:
    n, (u, v) = edges_of("random dense")
    rows, cols = np.concatenate([u, v, range(n), u]), np.concatenate([v, u, range(n), v])
    A = sp.coo_array((np.full(len(rows), np.nan), (rows, cols)), shape=(n, n))
    if format != "coo":
        order = np.argsort(rows if format == "csr" else cols, kind="stable")
        major, minor = (rows, cols) if format == "csr" else (cols, rows)
        indptr = np.searchsorted(major[order], np.arange(n + 1))
        A = getattr(sp, f"{format}_array")((np.full(len(rows), np.nan), minor[order], indptr), shape=(n, n))
        assert not A.has_canonical_format
    before = [a.copy() for a in ([A.row, A.col] if format == "coo" else [A.indptr, A.indices])]
    assert_same(Graph.of(A), "random dense")
    after = [A.row, A.col] if format == "coo" else [A.indptr, A.indices]
    for a, b in zip(before, after, strict=True):
        assert a.tolist() == b.tolist() and b.flags.writeable


def test_stored_zeros_count_and_values_are_never_read() -> None:
    zeros = sp.csr_array((np.zeros(2), ([0, 1], [1, 0])), shape=(3, 3))
    assert Graph.of(zeros).n_edges == 1
    A = scipy_of("rmat")
    A.data = np.empty(A.nnz, "V8")  # of no type of numbers
    assert_same(Graph.of(A), "rmat")


def test_padding_of_block_and_diagonal_formats() -> None:
    """BSR stores whole blocks; DIA has zeros as padding, as in scipy's own conversions."""
    A = scipy_of("grid")
    blocks = A.tobsr((13, 13))
    assert Graph.of(blocks).n_edges > corpus.graph("grid").n_edges
    assert Graph.of(blocks).indices.tolist() == Graph.of(blocks.tocsr()).indices.tolist()
    assert_same(Graph.of(A.todia()), "grid")


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_canonical_scipy_is_shared_and_stays_writable(format: str) -> None:
    A = scipy_of("rmat").asformat(format)
    G = Graph.of(A)
    assert np.shares_memory(G.indices, A.indices) and np.shares_memory(G.indptr, A.indptr)
    assert A.indices.flags.writeable and A.indptr.flags.writeable
    A.indices.flags.writeable = A.indptr.flags.writeable = False
    assert np.shares_memory(Graph.of(A).indices, A.indices)


def test_wide_offsets_do_not_hinder_sharing_the_columns() -> None:
    A = scipy_of("rmat")
    A.indptr = A.indptr.astype(np.int64)
    G = Graph.of(A)
    assert np.shares_memory(G.indices, A.indices) and G.indptr.dtype == np.int32
    A.indices = A.indices.astype(np.int64)
    assert_same(Graph.of(A), "rmat")


def test_unused_room_in_hand_made_csr_is_ignored() -> None:
    A = scipy_of("disconnected")
    A.indices = np.append(A.indices, np.int32([99, 99, 99]))
    A.data = np.append(A.data, [1.0, 1, 1])
    assert_same(Graph.of(A), "disconnected")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "empty"])
def test_graphblas(name: str) -> None:
    A = scipy_of(name).tocoo()
    M = gb.Matrix.from_coo(A.row, A.col, A.data, nrows=A.shape[0], ncols=A.shape[0])
    for form in (M, M.T, gb.Matrix.from_coo(A.row, A.col, 1, nrows=A.shape[0], ncols=A.shape[0])):
        assert_same(Graph.of(form), name)


@pytest.mark.parametrize("name", NAMES)
def test_edge_pairs_and_indices(name: str) -> None:
    n, index = edges_of(name)
    for x in ((index[0], index[1]), [*index], (index[0].tolist(), index[1].tolist()), (index[0], index[1].tolist())):
        assert_same(Graph.of(x, n=n), name)
    assert_same(Graph.of((index[0], index[1]), n=np.uint8(n) if n < 256 else n, symmetrize=True), name)
    both = np.concatenate([index, index[::-1], index], axis=1)
    for x in (index, np.asfortranarray(index), both, OnlyDLPack(index), index.astype(np.int16)):
        assert_same(Graph.of(x, n=n), name)
    assert_same(Graph.of((OnlyDLPack(index[0].copy()), OnlyDLPack(index[1].copy())), n=n), name)


def test_dlpack_shares_memory() -> None:
    A = scipy_of("rmat").tocoo()
    index = np.stack([A.row, A.col])
    assert np.shares_memory(Graph.of(OnlyDLPack(index)).indices, index)


def test_n() -> None:
    assert Graph.of((np.array([0, 7]), np.array([3, 2]))).n == 8
    assert Graph.of((np.array([0, 7]), np.array([3, 2])), n=100).n == 100
    assert Graph.of((np.array([]), np.array([]))).n == 0  # NumPy's empty arrays are float64
    assert Graph.of(([], []), n=3).n == 3
    assert Graph.of(np.zeros((2, 0), np.int64), n=4).n == 4


@pytest.mark.parametrize("make", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("name", NAMES)
def test_networkx(name: str, make: type) -> None:
    n, index = edges_of(name)
    g = make()
    g.add_nodes_from(range(n))
    g.add_edges_from(index.T.tolist())
    G = Graph.of(g, symmetrize=g.is_directed())
    assert_same(G, name)
    assert G.labels is None
    if g.is_directed():
        g.add_edges_from(index[::-1].T.tolist())
        assert_same(Graph.of(g), name)


VIEWS: dict[str, Any] = {
    "edges": lambda g: g.edges,
    "edges()": lambda g: g.edges(),
    "with data": lambda g: g.edges(data=True),
    "with an attribute": lambda g: g.edges(data="weight"),
    "directed": lambda g: nx.DiGraph(g).edges,
    "into": lambda g: nx.DiGraph(g).in_edges,
    "multigraph": lambda g: nx.MultiGraph(g).edges,
    "with keys": lambda g: nx.MultiGraph(g).edges(keys=True),
    "neighbors": lambda g: g.adj,
    "neighbors in multigraphs": lambda g: nx.MultiDiGraph(g).adj,
}


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_networkx(view: str) -> None:
    """An edge view is a mapping as well; its keys are edges, and no vertices."""
    of = VIEWS[view]
    for g in (nx.complete_graph(5), nx.karate_club_graph(), nx.les_miserables_graph(), nx.grid_2d_graph(3, 4)):
        G, wanted = Graph.of(of(g)), Graph.of(g)
        assert (G.n, G.n_edges) == (wanted.n, wanted.n_edges)
        names = [range(H.n) if H.labels is None else H.labels for H in (G, wanted)]
        assert set(names[0]) == set(names[1])
        colors = lagcolor.color(of(g)).to_dict()
        assert all(colors[u] != colors[v] for u, v in g.edges)
    assert lagcolor.color(of(nx.complete_graph(5))).n_colors == 5
    assert lagcolor.color(of(nx.complete_graph(5)), problem="edges").n_colors == 5
    assert lagcolor.verify(of(nx.path_graph(3)), [0, 1, 0]).ok


@pytest.mark.parametrize("of", [
    lambda g: g.nodes, lambda g: g.nodes(data=True), lambda g: g.nodes(data="club"), lambda g: g.degree,
    lambda g: g.degree(), lambda g: nx.DiGraph(g).in_degree, lambda g: nx.MultiGraph(g).degree(weight="weight"),
])  # fmt: skip
def test_views_without_edges(of: Any) -> None:
    """Nodes may be pairs, and nodes with data and degrees are pairs."""
    for call in (Graph.of, lagcolor.color, lagcolor.Pattern.of):
        with pytest.raises(lagcolor.GraphError, match=r"of a NetworkX graph G pass `G` or `G\.edges`"):
            call(of(nx.grid_2d_graph(3, 4)))


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (0, 2)], [(0, 1), (1, 2)], [(0, 3)], []])
def test_edge_lists_of_rustworkx(edges: list[tuple[int, int]]) -> None:
    g = rx.PyGraph()
    g.add_nodes_from(range(4))
    g.extend_from_weighted_edge_list([(u, v, "weight") for u, v in edges])
    wanted = Graph.of(edges)
    for x in (g.edge_list(), g.weighted_edge_list(), g.edge_index_map()):
        assert Graph.of(x).indices.tolist() == wanted.indices.tolist()
        assert lagcolor.color(x).n_colors == lagcolor.color(edges).n_colors
    assert lagcolor.Pattern.of(g.edge_list()).m == len(edges)


def test_networkx_labels_survive_into_the_result() -> None:
    g = nx.Graph([("b", "a"), (7, "b")])
    g.add_node(("t", 1))
    G = Graph.of(g)
    assert G.labels == ["b", "a", 7, ("t", 1)]
    assert G.on("cpu").labels == G.labels
    colors = lagcolor.color(g).to_dict()
    assert set(colors) == set(g) and all(colors[a] != colors[b] for a, b in g.edges)


def test_networkx_integer_nodes_in_another_order_are_labels() -> None:
    g = nx.Graph([(2, 0), (0, 1)])
    G = Graph.of(g)
    assert G.labels == [2, 0, 1] and G.degrees.tolist() == [1, 2, 1]
    view = nx.subgraph_view(nx.path_graph(5), filter_node=lambda v: v != 0)
    assert Graph.of(view).labels == [1, 2, 3, 4] and Graph.of(view).n_edges == 3


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_igraph(name: str, directed: bool) -> None:
    n, index = edges_of(name)
    g = igraph.Graph(n, index.T.tolist(), directed=directed)
    G = Graph.of(g, symmetrize=directed)
    assert_same(G, name)
    assert G.labels is None
    g.vs["name"] = list(range(n))
    assert Graph.of(g, symmetrize=directed).labels is None
    if directed:
        g.add_edges(index[::-1].T.tolist())
        assert_same(Graph.of(g), name)


@pytest.mark.parametrize("kind", [rx.PyGraph, rx.PyDiGraph, rx.PyDAG])
@pytest.mark.parametrize("name", NAMES)
def test_rustworkx(name: str, kind: Any) -> None:
    n, index = edges_of(name)
    g, directed = kind(), kind is not rx.PyGraph
    g.add_nodes_from(["payload"] * n)
    g.add_edges_from_no_data(list(zip(*index.tolist(), strict=True)))
    G = Graph.of(g, symmetrize=directed)
    assert_same(G, name)
    assert G.labels is None
    if directed:
        pattern = lagcolor.Pattern.of(g)
        expected = sp.coo_array((np.ones(index.shape[1]), tuple(index)), shape=(n, n)).tocsr()
        assert pattern.shape == (n, n) and (pattern.to_scipy().toarray() == (expected.toarray() > 0)).all()
        g.add_edges_from_no_data(list(zip(*index[::-1].tolist(), strict=True)))
        assert_same(Graph.of(g), name)


@pytest.mark.parametrize("kind", [rx.PyGraph, rx.PyDiGraph])
def test_removed_nodes_of_rustworkx(kind: Any) -> None:
    """Node indices with gaps are labels, as the keys of what rustworkx returns are."""
    g = kind()
    g.add_nodes_from(list("abcdef"))
    for u, v in [(0, 1), (1, 2), (2, 4), (4, 5), (5, 2)]:
        g.add_edge(u, v, None)
        if kind is rx.PyDiGraph:
            g.add_edge(v, u, None)
    g.remove_node(1)
    assert Graph.of(g).labels == [0, 2, 3, 4, 5] and Graph.of(g).n_edges == 3
    g.remove_node(3)
    G = Graph.of(g)
    assert G.labels == [0, 2, 4, 5] and G.n_edges == 3
    assert lagcolor.color(g, order="natural").to_dict() == {0: 0, 2: 0, 4: 1, 5: 2}
    if kind is rx.PyGraph:
        lagcolor.verify(g, rx.graph_greedy_color(g))
    g.remove_node(5)
    assert Graph.of(g).labels == [0, 2, 4]  # the last index is free, too
    g.remove_nodes_from([2, 4])
    assert Graph.of(g).labels is None
    one_way = rx.PyDiGraph()
    one_way.add_nodes_from([0, 1])
    one_way.add_edge(0, 1, None)
    with pytest.raises(lagcolor.GraphError, match="symmetrize"):
        Graph.of(one_way)


def test_paths(tmp_path: Any) -> None:
    path = tmp_path / "triangle.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 2\n")
    for x in (path, str(path)):
        G = Graph.of(x, n=3)
        assert G.indices.tolist() == [1, 2, 0, 2, 0, 1]


gpu = pytest.mark.gpu


@gpu
@pytest.mark.parametrize("name", NAMES)
def test_edges_on_the_gpu(name: str) -> None:
    import cupy as cp

    n, index = edges_of(name)
    for x in ((cp.asarray(index[0]), cp.asarray(index[1])), (cp.asarray(index[0]), index[1])):
        G = Graph.of(x, n=n)
        assert G.device == "cuda:0"
        assert_same(G, name)
    assert_same(Graph.of((index[0], index[1]), n=n, device="cuda"), name)
    for x in (cp.asarray(index), OnlyDLPack(cp.asarray(index)), cp.asarray(np.asfortranarray(index))):
        assert Graph.of(x, n=n).device == "cuda:0"
        assert_same(Graph.of(x, n=n), name)


@gpu
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "empty"])
def test_cupyx(name: str, format: str) -> None:
    import cupy as cp
    import cupyx.scipy.sparse as csp

    A = csp.csr_matrix(scipy_of(name, "matrix")).asformat(format)
    G = Graph.of(A)
    assert G.device == "cuda:0"
    assert_same(G, name)
    if format != "coo" and G.m:
        assert cp.shares_memory(G.indices, A.indices)
