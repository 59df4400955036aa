"""The canonical graph as an object: its promises, devices, pickling; and its structure."""

from __future__ import annotations

import copy
import pickle

import corpus
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor import Graph, GraphError
from lagcolor.graph.components import bipartition, components, is_bipartite

NAMES = list(corpus.CORPUS)


def networkx_of(name: str) -> nx.Graph:
    n, u, v = corpus.CORPUS[name]
    g = nx.empty_graph(n)
    g.add_edges_from((a, b) for a, b in zip(u, v, strict=True) if a != b)
    return g


@pytest.mark.parametrize("name", NAMES)
def test_the_graph_of_networkx(name: str) -> None:
    G, g = corpus.graph(name), networkx_of(name)
    assert (G.n, G.n_edges, G.m) == (g.number_of_nodes(), g.number_of_edges(), 2 * g.number_of_edges())
    assert G.indptr.dtype == G.indices.dtype == G.degrees.dtype == np.int32
    assert G.indptr.flags.c_contiguous and G.indices.flags.c_contiguous
    assert not G.indptr.flags.writeable and not G.indices.flags.writeable
    assert G.indptr[0] == 0 and G.indptr[-1] == G.m == len(G.indices)
    assert corpus.neighbors(G) == [sorted(g[v]) for v in range(G.n)]
    assert G.degrees.tolist() == [d for _, d in g.degree()]
    assert G.max_degree == max(G.degrees.tolist(), default=0)


def test_immutable() -> None:
    G = Graph.of((np.array([0]), np.array([1])))
    for name in ("indptr", "labels", "color"):
        with pytest.raises(GraphError, match=f"immutable: cannot set '{name}'"):
            setattr(G, name, None)
    for array in (G.indptr, G.indices, G.degrees):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda G: pickle.loads(pickle.dumps(G))])
def test_copies_and_pickles(twin) -> None:
    G = Graph.of(nx.path_graph(["a", "b", "c"]))
    H = twin(G)
    assert H.indptr.tolist() == G.indptr.tolist() and H.indices.tolist() == G.indices.tolist()
    assert H.labels == ["a", "b", "c"] and H.convert_seconds == G.convert_seconds
    assert not H.indices.flags.writeable and H.max_degree == 2


def test_of_a_graph_is_itself() -> None:
    G = corpus.graph("grid")
    assert Graph.of(G) is G and Graph.of(G, n=G.n) is G and Graph.of(G, device="cpu") is G and G.on("cpu") is G
    with pytest.raises(GraphError, match="n = 3, but the graph has 221 vertices"):
        Graph.of(G, n=3)


def test_unknown_device_is_an_error() -> None:
    for use in (corpus.graph("grid").on, lambda d: Graph.of(nx.path_graph(3), device=d)):
        with pytest.raises(lagcolor.DeviceError, match="unknown device 'tpu'"):
            use("tpu")


def test_to_scipy_and_back() -> None:
    G = corpus.graph("rmat")
    A = G.to_scipy()
    assert isinstance(A, sp.csr_array) and A.shape == (G.n, G.n) and A.nnz == G.m
    A.data[:] = 3
    A.indices[0] = A.indices[0]  # its own arrays, writable
    assert Graph.of(A).indices.tolist() == G.indices.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_components_and_sides(name: str) -> None:
    G, g = corpus.graph(name), networkx_of(name)
    count, component = components(G)
    assert component.dtype == np.int32 and component.shape == (G.n,)
    wanted = sorted(map(sorted, nx.connected_components(g)))
    assert [np.flatnonzero(component == c).tolist() for c in range(count)] == wanted
    side = bipartition(G)
    assert is_bipartite(G) == nx.is_bipartite(g) == (side is not None)
    if side is not None:
        assert lagcolor.verify(G, side, errors="return").n_conflicts == 0
        assert set(side.tolist()) <= {0, 1}


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["empty", "no edges", "rmat"])
def test_to_the_gpu_and_back(name: str) -> None:
    G = corpus.graph(name)
    H = G.on("cuda")
    assert H.device.startswith("cuda:") and H.on_gpu and H.xp.__name__ == "cupy" and H.on(H.device) is H
    assert H.degrees.get().tolist() == G.degrees.tolist() and H.max_degree == G.max_degree
    back = H.on("cpu")
    assert back.indptr.tolist() == G.indptr.tolist() and back.indices.tolist() == G.indices.tolist()
    assert components(H)[0] == components(G)[0]
    assert pickle.loads(pickle.dumps(H)).indices.get().tolist() == G.indices.tolist()
