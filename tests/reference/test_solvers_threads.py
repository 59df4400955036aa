"""Solvers on CPU threads: the numbers and errors of one thread and of NumPy, for any number of threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor import solvers
from lagcolor.base import device as dev
from lagcolor.base.device.parallel import MOST_PARTS, most_parts
from lagcolor.solvers import cpu_matrix

THREADS = (1, 2, 3, 8, 17)
METHODS = ("sor", "dilu", "ic0", "ilu0")
DIAGONAL = 300_000  # a place on the diagonal of the matrix with 2¹⁹ rows


@pytest.fixture(params=THREADS)
def threads(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """The threads of a call, as on a machine with more cores."""
    monkeypatch.setattr(dev, "_wanted", lambda: request.param)
    return int(request.param)


@functools.lru_cache
def matrix(spec: str, dtype: str) -> Any:
    G = lagcolor.generate.from_spec(spec)
    A = sp.csr_array((np.full(G.m, -1, dtype), G.indices, G.indptr), (G.n, G.n))
    A = (A + sp.diags_array(G.degrees.astype(dtype) + 1, format="csr")).tocsr()
    A.sort_indices()
    return A


def numbers(A: Any, method: str, threads: int | None) -> list[Any]:
    """What an operator makes of a vector, before and after its values change."""
    r, found = np.random.default_rng(0).standard_normal(A.shape[0]).astype(A.dtype), list[Any]()
    M = getattr(solvers, f"multicolor_{method}")(A, threads=threads)
    for _ in range(2):
        x = np.zeros_like(r)
        M.sweep(x, r, iterations=2)
        found += [M @ r, x]
        M.update(A * A.dtype.type(2))
    return found


@functools.lru_cache
def expected(spec: str, dtype: str, method: str) -> list[Any]:
    with dev.at_most_threads(1):
        return numbers(matrix(spec, dtype), method, 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("spec", "dtype"), [("grid2d:400", "float64"), ("stencil27:30", "float32"), ("rmat:15", "complex128")]
)
def test_any_number_of_threads_gives_the_same(threads: int, spec: str, dtype: str, method: str) -> None:
    found = numbers(matrix(spec, dtype), method, None)
    assert all(np.array_equal(x, y) for x, y in zip(found, expected(spec, dtype, method), strict=True))


def test_more_threads_than_parts() -> None:
    """A step has at most 62 parts, one a bit of a word."""
    assert most_parts(64) == MOST_PARTS
    found = numbers(matrix("grid2d:400", "float64"), "ilu0", 64)
    assert all(np.array_equal(x, y) for x, y in zip(found, expected("grid2d:400", "float64", "ilu0"), strict=True))


def broken(change: Callable[[Any], None]) -> Any:
    A = matrix("grid2d:724", "float64").copy()
    change(A)
    return A


def diagonal(A: Any, value: float) -> None:
    A.data[A.indptr[DIAGONAL] + int(np.flatnonzero(A.indices[A.indptr[DIAGONAL] :] == DIAGONAL)[0])] = value


def entry(A: Any, value: float) -> None:
    A.data[A.indptr[DIAGONAL]] = value


@pytest.mark.parametrize(
    ("method", "change", "value"),
    [
        ("sor", entry, np.nan), ("ilu0", diagonal, np.inf), ("sor", diagonal, 0), ("ic0", diagonal, -1),
        ("ic0", entry, -1.1), ("dilu", diagonal, 0),
    ],
)  # fmt: skip
def test_faults_are_named_as_by_numpy(
    threads: int, method: str, change: Any, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    A, said = broken(functools.partial(change, value=value)), list[str]()
    for least in (cpu_matrix.LEAST_WORK, 2**60):
        monkeypatch.setattr(cpu_matrix, "LEAST_WORK", least)
        with pytest.raises(lagcolor.GraphError) as caught:
            getattr(solvers, f"multicolor_{method}")(A)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert str(DIAGONAL) in said[0] or method == "dilu"
