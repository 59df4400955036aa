"""Graph.of: each wrong input against its message, which names the first offender."""

from __future__ import annotations

import itertools
from typing import Any

import graphblas as gb
import numpy as np
import pytest
import scipy.sparse as sp

from lagcolor import Graph, GraphError


def a(*values: Any) -> np.ndarray:
    return np.array(values)


def hand_made(indptr: list[int], indices: list[int], n: int = 3, form: str = "csr") -> Any:
    """A scipy matrix whose arrays were swapped after its own checks."""
    A = getattr(sp, f"{form}_array")((n, n))
    A.indptr, A.indices, A.data = np.array(indptr), np.array(indices), np.ones(len(indices))
    return A


ONE_WAY = sp.csr_array(([1.0, 1, 1], ([0, 1, 2], [1, 0, 0])), shape=(3, 3))
NOT_SYMMETRIC = r"not symmetric: entry \(2, 0\) is there, \(0, 2\) is not; pass symmetrize=True"

PAIRS = [
    ((a(0), a(0)), 0, r"u\[0\] = 0 is out of range for n = 0"),
    ((a(0, 1), a(1.0, np.nan)), None, r"v must be integers, not float64: v\[1\] = nan is no vertex number"),
    ((a(0, 1), a(1.0, np.inf)), None, r"v\[1\] = inf is no vertex number"),
    ((a(0.0, 1.0), a(1.0, np.nan)), None, r"u must be integers, not float64: convert with .astype\(np.int64\)"),
    ((a(True), a(False)), None, "u must be integers, not bool"),
    ((np.zeros((2, 2), int), a(1, 2)), None, r"u must have one dimension, not shape \(2, 2\)"),
    ((a(0, 2**31 - 1), a(1, 2)), None, r"u\[1\] = 2147483647 is too large"),
    ((np.array([1, 2**63], np.uint64), a(1, 2)), None, r"u\[1\] = 9223372036854775808 is too large"),
    ((a(0), a(1)), 2**31, "too many vertices: n = 2147483648"),
    ((a(0), a(1)), -1, "n must not be negative, but is -1"),
    ((a(0), a(1)), 2.5, "n must be a whole number, the number of vertices, not 2.5"),
    (([0, [1]], [1, 2]), None, r"u is a list that is no array: setting an array element"),
]


@pytest.mark.parametrize(("x", "n", "message"), PAIRS)
def test_pairs(x: Any, n: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.of(x, n=n)


MATRICES = {
    "one dimension, sparse": (sp.coo_array(np.ones(3)), r"square, and this one has shape \(3,\)"),
    "csr one way": (ONE_WAY, NOT_SYMMETRIC),
    "csc one way": (ONE_WAY.tocsc(), NOT_SYMMETRIC),
    "coo one way": (ONE_WAY.tocoo(), NOT_SYMMETRIC),
    "lil one way": (ONE_WAY.tolil(), NOT_SYMMETRIC),
    "dense one way": (ONE_WAY.toarray(), NOT_SYMMETRIC),
    "graphblas one way": (gb.Matrix.from_coo([0, 1, 2], [1, 0, 0], 1, nrows=3, ncols=3), NOT_SYMMETRIC),
    "graphblas huge": (gb.Matrix(int, 2**40, 2**40), "too many vertices: n = 1099511627776"),
    "indptr falls": (hand_made([0, 2, 1, 2], [1, 2]), r"indptr must not fall: indptr\[1\] = 2, then 1"),
    "indptr starts late": (hand_made([1, 1, 1, 2], [1, 2]), r"indptr\[0\] must be 0, but is 1"),
    "indptr too short": (hand_made([0, 1], [1]), "indptr must have 4 entries, one per row and one more, not 2"),
    "indptr beyond indices": (hand_made([0, 1, 2, 9], [1, 0]), "indptr ends at 9, but there are only 2 indices"),
    "index beyond n, int64": (hand_made([0, 1, 2, 2], [1, 2**32]), r"column indices\[1\] = 4294967296 is out of range"),
    "complex NaN in dense": (np.full((3, 3), complex(0, np.nan)), r"entry \(0, 0\) of the dense matrix is nanj"),
    "object, dense": (np.zeros((3, 3), object), "must hold numbers or booleans, not object"),
    "3-D": (np.zeros((3, 3, 3)), r"an array of shape \(3, 3, 3\) is no graph"),
    "edges of floats": (np.full((7, 2), 2.0), r"edges of shape \(m, 2\) must be integers, not float64"),
    "edge index of floats": (np.array([[0.0, 1, 2], [1, 2, np.nan]]), "edge_index must be integers, not float64"),
    "edge index negative": (np.array([[0, 1, 2], [1, 2, -3]]), r"edge_index\[1\]\[2\] = -3 is negative"),
}


@pytest.mark.parametrize("case", MATRICES)
def test_matrices(case: str) -> None:
    x, message = MATRICES[case]
    with pytest.raises(GraphError, match=message):
        Graph.of(x)
    if message is NOT_SYMMETRIC:
        assert Graph.of(x, symmetrize=True).indices.tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(("bad", "message"), [(3, "= 3 is out of range for n = 3"), (-1, "= -1 is negative")])
def test_ids_out_of_range_whatever_is_asked_for(dtype: Any, bad: int, message: str) -> None:
    """Loops without bounds checks must not see them."""
    matrices = []
    for form in ("csr", "csc"):
        A = hand_made([0, 1, 2, 3], [1, 0, bad], form=form)
        A.indices, A.indptr = A.indices.astype(dtype), A.indptr.astype(dtype)
        matrices.append(A)
    for ends in (([0, 1, bad], [1, 0, 0]), ([0, 1, 0], [1, 0, bad])):
        A = sp.coo_array((3, 3))
        A.data, A.coords = np.ones(3), tuple(np.array(e, dtype) for e in ends)
        matrices.append(A)
    for A, symmetrize in itertools.product(matrices, (False, True)):
        with pytest.raises(GraphError, match=message):
            Graph.of(A, symmetrize=symmetrize)


def test_the_first_offender_is_the_first_in_row_order() -> None:
    A = sp.coo_array((np.ones(4), ([5, 2, 2, 1], [0, 4, 3, 1])), shape=(6, 6))
    for form in (A, A.tocsr(), A.tocsc(), A.toarray()):
        with pytest.raises(GraphError, match=r"entry \(2, 3\) is there, \(3, 2\) is not"):
            Graph.of(form)


def test_a_tensor_that_cannot_be_read() -> None:
    class Broken:
        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("requires grad")

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    with pytest.raises(GraphError, match="cannot read Broken as an array: requires grad"):
        Graph.of(Broken())


@pytest.mark.gpu
def test_gpu_inputs_get_the_same_errors() -> None:
    import cupy as cp
    import cupyx.scipy.sparse as csp

    for x, n, message in PAIRS:
        if all(isinstance(e, np.ndarray) for e in x):
            with pytest.raises(GraphError, match=message):
                Graph.of((cp.asarray(x[0]), cp.asarray(x[1])), n=n)
    for form in ("csr", "csc", "coo"):
        with pytest.raises(GraphError, match=NOT_SYMMETRIC):
            Graph.of(csp.csr_matrix(sp.csr_matrix(ONE_WAY)).asformat(form))
    for case in ("complex NaN in dense", "3-D", "edge index negative"):
        with pytest.raises(GraphError, match=MATRICES[case][1]):
            Graph.of(cp.asarray(MATRICES[case][0]))
