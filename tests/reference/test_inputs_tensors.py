"""Sparse tensors: JAX's own, and tensors of a stand-in for PyTorch, which the tests do not require."""

from __future__ import annotations

import sys
from typing import Any

import corpus
import numpy as np
import pytest
import scipy.sparse as sp
from jax.experimental import sparse
from tensors import TorchTensor, torch_module
from test_inputs_advice import CODE, conflicts, edges

import lagcolor
from lagcolor import Graph, GraphError, Pattern

NAMES = ["empty", "one vertex", "no edges", "isolated among others", "one edge", "star", "disconnected"]


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_module())


def assert_same(x: Any, name: str) -> None:
    G, wanted = Graph.of(x), corpus.graph(name)
    assert G.n == wanted.n and G.labels is None
    assert G.indptr.tolist() == wanted.indptr.tolist() and G.indices.tolist() == wanted.indices.tolist()


def of_torch(A: Any, layout: str, coalesced: bool = True) -> TorchTensor:
    if layout == "sparse_coo":
        rows, cols = A.tocoo().coords
        index = np.array([rows, cols], np.int64)
        index = index if coalesced else np.concatenate([index, index], axis=1)
        return TorchTensor("torch.sparse_coo", A.shape, index, coalesced=coalesced)
    A = A.tocsr() if layout == "sparse_csr" else A.tocsc()
    return TorchTensor(f"torch.{layout}", A.shape, A.indptr.astype(np.int64), A.indices.astype(np.int64))


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc", "strided"])
def test_torch(layout: str) -> None:
    for name in NAMES:
        A = corpus.graph(name).to_scipy()
        if layout == "strided":
            if A.shape[0] > 2:  # two rows of integers are an edge index
                assert_same(TorchTensor("torch.strided", A.shape, A.toarray().astype(np.float32)), name)
            continue
        assert_same(of_torch(A, layout), name)
        if layout == "sparse_coo":
            assert_same(of_torch(A, layout, coalesced=False), name)
        assert Pattern.of(of_torch(A[:, : A.shape[0] // 2], layout)).shape == (A.shape[0], A.shape[0] // 2)


@pytest.mark.usefixtures("torch")
def test_torch_tensors_that_are_no_graph() -> None:
    one_way = sp.csr_array((np.ones(1), ([0], [1])), shape=(3, 3))
    for layout in ("sparse_coo", "sparse_csr", "sparse_csc"):
        with pytest.raises(GraphError, match=r"entry \(0, 1\) is there, \(1, 0\) is not"):
            Graph.of(of_torch(one_way, layout))
        with pytest.raises(GraphError, match="problem='columns'"):
            Graph.of(of_torch(one_way[:2], layout))
    with pytest.raises(GraphError, match="1 sparse dimensions is no matrix"):
        Graph.of(TorchTensor("torch.sparse_coo", (3, 3), np.zeros((1, 2), np.int64)))
    with pytest.raises(GraphError, match="layout sparse_bsr is not read"):
        Graph.of(TorchTensor("torch.sparse_bsr", (4, 4), np.zeros(3, np.int64), np.zeros(2, np.int64)))
    with pytest.raises(GraphError, match="but a batch of them"):
        Graph.of(TorchTensor("torch.sparse_csr", (2, 4, 4), np.zeros((2, 3), np.int64), np.zeros((2, 0), np.int64)))


def of_jax(A: Any, kind: str, padding: int = 0) -> Any:
    """Made of its arrays: `fromdense` compiles code for each shape. Padding as `fromdense` has it."""
    if kind == "BCOO":
        index = np.stack(A.tocoo().coords, axis=1)
        index = np.concatenate([index, np.full((padding, 2), A.shape)])
        return sparse.BCOO((np.ones(len(index), np.float32), index), shape=A.shape)
    A = A.tocsr()
    columns = np.append(A.indices, np.full(padding, A.shape[1], np.int32))
    return sparse.BCSR((np.ones(len(columns), np.float32), columns, A.indptr), shape=A.shape)


@pytest.mark.parametrize("kind", ["BCOO", "BCSR"])
def test_jax(kind: str) -> None:
    for name in NAMES:
        A = corpus.graph(name).to_scipy()
        for padding in (0, 3):
            assert_same(of_jax(A, kind, padding), name)
        half = A[: (A.shape[0] + 1) // 2]
        P = Pattern.of(of_jax(half, kind, padding=2))
        assert P.shape == half.shape and (P.to_scipy() != half).nnz == 0
    A = np.array([[0, 1.0, 0], [1, 0, 1], [0, 1, 0]])
    assert edges(Graph.of(getattr(sparse, kind).fromdense(A, nse=7))) == {(0, 1), (1, 0), (1, 2), (2, 1)}


def test_jax_out_of_order_with_repeats_and_stored_zeros() -> None:
    index = np.array([[2, 1], [1, 2], [0, 1], [1, 0], [2, 1], [2, 2]])
    x = sparse.BCOO((np.zeros(len(index)), index), shape=(3, 3))
    assert edges(Graph.of(x)) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert lagcolor.color(x).n_colors == 2


def test_jax_matrices_that_are_no_graph() -> None:
    A = np.array([[0, 1.0, 0], [1, 1, 1]])
    for x in (of_jax(sp.csr_array(A), "BCOO"), of_jax(sp.csr_array(A), "BCSR")):
        with pytest.raises(GraphError) as caught:
            Graph.of(x)
        found = CODE.search(str(caught.value))
        assert found
        names: dict[str, Any] = {"A": x, "lagcolor": lagcolor}
        exec(found[2], names)
        assert edges(names["G"]) == conflicts(A != 0)
        assert eval(found[1], names).n_colors == 3
    with pytest.raises(GraphError, match="1 batch and 0 dense dimensions"):
        Graph.of(sparse.BCOO((np.ones((2, 1)), np.zeros((2, 1, 2), int)), shape=(2, 3, 3)))
    with pytest.raises(GraphError, match=r"entry \(0, 1\) is there, \(1, 0\) is not"):
        Graph.of(of_jax(sp.csr_array(np.array([[0, 1.0], [0, 0]])), "BCOO"))
