"""Graph.of: the same graph in every form that is accepted gives the same canonical CSR."""

from __future__ import annotations

from typing import Any

import corpus
import igraph
import networkx as nx
import numpy as np
import pytest
import rustworkx as rx
import scipy.sparse as sp
from contract.kinds import messy
from tensors import OnlyDLPack

import lagcolor
from lagcolor import Graph

NAMES = ["empty", "one vertex", "no edges", "isolated among others", "one edge", "star", "random dense", "disconnected"]


def scipy_of(name: str) -> sp.csr_array:
    """The adjacency matrix with ones, float64 CSR."""
    return corpus.graph(name).to_scipy().astype(np.float64)


def edges_of(name: str) -> tuple[int, np.ndarray]:
    n, u, v = corpus.CORPUS[name]
    return n, np.array([u, v], np.int64)


def assert_same(G: Graph, name: str) -> None:
    wanted = corpus.graph(name)
    H = G.on("cpu")
    assert H.n == wanted.n and G.labels is None
    assert H.indptr.tolist() == wanted.indptr.tolist() and H.indices.tolist() == wanted.indices.tolist()
    assert H.indptr.dtype == H.indices.dtype == np.int32
    assert not H.indices.flags.writeable
    assert G.convert_seconds > 0


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "lil", "dok", "bsr"])
def test_scipy(format: str) -> None:
    for name in NAMES:
        A = scipy_of(name)
        if format != "bsr":
            A = A.asformat(format)
        elif A.shape[0]:
            A = A.tobsr((1, 1))
        assert_same(Graph.of(A), name)
        assert_same(Graph.of(A, n=A.shape[0], symmetrize=True), name)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_a_matrix_out_of_order_with_repeats_and_a_diagonal_stays_as_it_was(format: str) -> None:
    A = messy(scipy_of("random dense") + sp.eye_array(120, format="csr"), format)
    arrays = [A.row, A.col] if format == "coo" else [A.indptr, A.indices]
    before = [a.copy() for a in arrays]
    A.data[:] = np.nan
    assert_same(Graph.of(A), "random dense")
    after = [A.row, A.col] if format == "coo" else [A.indptr, A.indices]
    for a, b in zip(before, after, strict=True):
        assert a.tolist() == b.tolist() and b.flags.writeable


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
    A.indptr = A.indptr.astype(np.int64)
    A.indices.flags.writeable = False
    G = Graph.of(A)
    assert np.shares_memory(G.indices, A.indices) and G.indptr.dtype == np.int32


def test_unused_space_in_hand_made_csr_is_ignored() -> None:
    A = scipy_of("disconnected")
    A.indices = np.append(A.indices, np.int32([99, 99, 99]))
    A.data = np.append(A.data, [1.0, 1, 1])
    assert_same(Graph.of(A), "disconnected")


def test_edge_pairs_and_indices() -> None:
    for name in NAMES:
        n, index = edges_of(name)
        assert_same(Graph.of((index[0], index[1].tolist()), n=n), name)
        assert_same(Graph.of((index[0], index[1]), n=np.uint16(n), symmetrize=True), name)
        both = np.concatenate([index, index[::-1], index], axis=1)
        for x in (np.asfortranarray(index), both, OnlyDLPack(index)):
            assert_same(Graph.of(x, n=n), name)


def test_dlpack_shares_memory() -> None:
    index = np.stack(scipy_of("rmat").tocoo().coords)
    assert np.shares_memory(Graph.of(OnlyDLPack(index)).indices, index)


def test_n() -> None:
    assert Graph.of((np.array([0, 7]), np.array([3, 2])), n=100).n == 100
    assert Graph.of((np.array([]), np.array([]))).n == 0  # NumPy's empty arrays are float64
    assert Graph.of(([], []), n=3).n == 3
    assert Graph.of(np.zeros((2, 0), np.int64), n=4).n == 4


def of_networkx(kind: type, n: int, pairs: list[tuple[int, int]]) -> Any:
    g = kind()
    g.add_nodes_from(range(n))
    g.add_edges_from(pairs)
    return g


def of_igraph(directed: bool, n: int, pairs: list[tuple[int, int]]) -> Any:
    g = igraph.Graph(n, pairs, directed=directed)
    g.vs["name"] = list(range(n))  # which are no labels
    return g


def of_rustworkx(kind: type, n: int, pairs: list[tuple[int, int]]) -> Any:
    g = kind()
    g.add_nodes_from(["payload"] * n)
    g.add_edges_from_no_data(pairs)
    return g


LIBRARIES = {
    "networkx": (of_networkx, nx.Graph, nx.DiGraph),
    "igraph": (of_igraph, False, True),
    "rustworkx": (of_rustworkx, rx.PyGraph, rx.PyDiGraph),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries(library: str) -> None:
    make, undirected, directed = LIBRARIES[library]
    for name in NAMES:
        n, index = edges_of(name)
        pairs, back = ([(int(a), int(b)) for a, b in zip(*ends, strict=True)] for ends in (index, index[::-1]))
        assert_same(Graph.of(make(undirected, n, pairs)), name)
        one_way = make(directed, n, pairs)
        assert_same(Graph.of(one_way, symmetrize=True), name)
        expected = sp.coo_array((np.ones(len(pairs)), tuple(index)), shape=(n, n)).toarray() > 0
        assert (lagcolor.Pattern.of(one_way).to_scipy().toarray() == expected).all()
        assert_same(Graph.of(make(directed, n, pairs + back)), name)


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
    for g in (nx.complete_graph(5), nx.les_miserables_graph(), nx.grid_2d_graph(3, 4)):
        G, wanted = Graph.of(of(g)), Graph.of(g)
        assert (G.n, G.n_edges) == (wanted.n, wanted.n_edges)
        names = [range(H.n) if H.labels is None else H.labels for H in (G, wanted)]
        assert set(names[0]) == set(names[1])
    assert lagcolor.color(of(nx.complete_graph(5)), problem="edges").n_colors == 5
    assert lagcolor.verify(of(nx.path_graph(3)), [0, 1, 0]).ok


@pytest.mark.parametrize("of", [
    lambda g: g.nodes, lambda g: g.nodes(data=True), lambda g: g.nodes(data="club"), lambda g: g.degree,
    lambda g: g.degree(), lambda g: nx.DiGraph(g).in_degree, lambda g: nx.MultiGraph(g).degree(weight="weight"),
])  # fmt: skip
def test_views_without_edges(of: Any) -> None:
    """Nodes may be pairs, and nodes with data and degrees are pairs."""
    for call in (Graph.of, lagcolor.Pattern.of):
        with pytest.raises(lagcolor.GraphError, match=r"of a NetworkX graph G pass `G` or `G\.edges`"):
            call(of(nx.grid_2d_graph(3, 4)))


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (0, 2)], [(0, 1), (1, 2)], []])
def test_edge_lists_of_rustworkx(edges: list[tuple[int, int]]) -> None:
    g = rx.PyGraph()
    g.add_nodes_from(range(4))
    g.extend_from_weighted_edge_list([(u, v, "weight") for u, v in edges])
    wanted = Graph.of(edges)
    for x in (g.edge_list(), g.weighted_edge_list(), g.edge_index_map()):
        assert Graph.of(x).indices.tolist() == wanted.indices.tolist()
    assert lagcolor.Pattern.of(g.edge_list()).m == len(edges)


def test_nodes_of_networkx_are_labels() -> None:
    """Nodes become labels, also integers if they are not 0 … n − 1 in this order."""
    g = nx.Graph([("b", "a"), (7, "b")])
    g.add_node(("t", 1))
    G = Graph.of(g)
    assert G.on("cpu").labels == G.labels == ["b", "a", 7, ("t", 1)]
    G = Graph.of(nx.Graph([(2, 0), (0, 1)]))
    assert G.labels == [2, 0, 1] and G.degrees.tolist() == [1, 2, 1]
    view = nx.subgraph_view(nx.path_graph(5), filter_node=lambda v: v != 0)
    assert Graph.of(view).labels == [1, 2, 3, 4] and Graph.of(view).n_edges == 3


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


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["no edges", "random dense"])
def test_on_the_gpu(name: str) -> None:
    import cupy as cp
    import cupyx.scipy.sparse as csp

    n, index = edges_of(name)
    there = cp.asarray(index)
    for x in ((there[0], index[1]), cp.asfortranarray(there), OnlyDLPack(there)):
        assert Graph.of(x, n=n).device == "cuda:0"
        assert_same(Graph.of(x, n=n), name)
    assert_same(Graph.of((index[0], index[1]), n=n, device="cuda"), name)
    made = csp.csr_matrix(sp.csr_matrix(scipy_of(name)))
    matrices = [made.asformat(format) for format in ("csr", "csc", "coo")]
    if hasattr(csp, "csr_array"):  # since CuPy 14.2, with indices of 32 or 64 bits
        array = csp.csr_array(made)
        matrices += [array, array.tocsc(), array.tocoo()]
        wide = [part.astype(cp.int64) for part in (array.indices, array.indptr)]
        matrices.append(csp.csr_array((array.data, *wide), shape=array.shape))
        assert matrices[-1].indices.dtype == cp.int64
    for A in matrices:
        G = Graph.of(A)
        assert G.device == "cuda:0"
        assert_same(G, name)
        unchanged = A.format != "coo" and A.indices.dtype == G.indices.dtype
        assert not (unchanged and G.m) or cp.shares_memory(G.indices, A.indices)
