"""A coloring stands for the array of its colors, and goes wherever colors go."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
import scipy.sparse as sp
from contract import definitions
from corpus import graph
from emulated import ENGINES

import lagcolor
from lagcolor import Coloring, Graph, derivatives, problems

matplotlib.use("Agg")
COLORS = [2, 0, 1, -1, 0, 2, 2]
on_each_engine = pytest.mark.parametrize("device", ENGINES)


def result(colors: list[int] = COLORS, device: str = "cpu", labels: Any = None) -> Coloring:
    """A result on a graph without edges, where every coloring will do."""
    G = Graph(np.zeros(len(colors) + 1, np.int32), np.zeros(0, np.int32), labels=labels)
    G = G.on("cpu" if device == "cpu" else "cuda")
    return Coloring(G.xp.asarray(np.array(colors, np.int32)), G, "greedy", "natural")


def test_numpy_takes_it() -> None:
    c = result()
    assert np.asarray(c) is c.colors, "without a copy"
    assert np.array(c).tolist() == COLORS and not np.shares_memory(np.array(c), c.colors)
    assert np.asarray(c, np.int64).dtype == np.int64 and np.asarray(c, np.int64).tolist() == COLORS
    assert c.__array__(copy=False) is c.colors and c.__array__(np.int32, copy=False) is c.colors
    assert not np.shares_memory(c.__array__(copy=True), c.colors)
    assert c.__array__(np.uint8, copy=True).dtype == np.uint8
    with pytest.raises(ValueError, match="colors are int32, and float64 takes a copy"):
        c.__array__(np.float64, copy=False)
    assert np.array_equal(c, COLORS) and np.bincount(np.array(c) + 1).tolist() == [1, 2, 1, 3]
    assert np.unique(c).tolist() == [-1, 0, 1, 2] and np.max(np.asarray(c)) == 2
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
    with pytest.raises(IndexError, match="indexed by numbers of vertices, not by 'a': to_dict"):
        c["a"]


def test_comparison() -> None:
    c, d = result(), result()
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
        assert [rows.start for rows in c.blocks] + [sum(x >= 0 for x in colors)] == [
            0, *itertools.accumulate(colors.count(color) for color in range(k)),
        ]  # fmt: skip


def test_a_sweep_of_gauss_seidel_by_blocks() -> None:
    """As the documentation has it, against the sweep in the order of the permutation, row by row."""
    A = (graph("grid").to_scipy() * -1.0 + sp.eye_array(graph("grid").n) * 5).tocsr()
    b = np.random.default_rng(0).random(A.shape[0])
    c = lagcolor.color(A)
    perm = c.permutation()
    B, d, right = A[perm][:, perm], A.diagonal()[perm], b[perm]
    x, slow = np.zeros(len(b)), np.zeros(len(b))
    for rows in c.blocks:
        x[rows] += (right[rows] - B[rows] @ x) / d[rows]
    dense = B.toarray()
    for i in range(len(b)):
        slow[i] = (right[i] - dense[i] @ slow + d[i] * slow[i]) / d[i]
    assert np.allclose(x, slow, rtol=1e-13, atol=0)
    assert np.array_equal(x[c.inverse_permutation()][perm], x)


TAKEN: dict[str, Callable[[Graph, Any, Path], Any]] = {
    "verify": lambda G, c, _: lagcolor.verify(G, c).n_colors,
    "verify distance2": lambda G, c, _: lagcolor.verify(G, c, problem="distance2", errors="return").ok,
    "verify star": lambda G, c, _: lagcolor.verify(G, c, problem="star", errors="return").ok,
    "verify a balance": lambda G, c, _: problems.balance.balance_of(c).ratio,
    "verify a Hessian": lambda G, c, _: problems.hessian.verify(G, c, errors="return").ok,
    "reduce": lambda G, c, _: np.asarray(lagcolor.reduce(G, c, method="ejection")),
    "balance": lambda G, c, _: np.asarray(lagcolor.balance(G, c)),
    "fixed": lambda G, c, _: np.asarray(lagcolor.color(G, fixed=c)),
    "recolor": lambda G, c, _: np.asarray(lagcolor.recolor(G, c, keep=True)),
    "equitable": lambda G, c, _: np.asarray(lagcolor.equitable(G, 9, fixed=np.where(np.arange(G.n) < 9, c, -1))),
    "written": lambda G, c, folder: _written(c, folder),
    "an order": lambda G, c, _: np.asarray(lagcolor.color(G, "greedy", c)),
}


def _written(colors: Any, folder: Path) -> list[Any]:
    """What each form of a file says."""
    out = []
    for ending in ("npy", "txt", "csv", "json.gz"):
        lagcolor.io.write_coloring(folder / f"c.{ending}", colors)
        out.append(lagcolor.io.read_coloring(folder / f"c.{ending}"))
    return out


@pytest.mark.parametrize("what", TAKEN)
def test_a_result_goes_where_an_array_goes(what: str, tmp_path: Path) -> None:
    """The same comes out of a result and of the array of its colors."""
    G = graph("random sparse")
    c = lagcolor.color(G, "greedy", "random", seed=3)
    of_result, of_array = TAKEN[what](G, c, tmp_path), TAKEN[what](G, c.to_numpy(), tmp_path)
    assert np.array_equal(of_result, of_array)
    if isinstance(of_result, np.ndarray):
        assert definitions.distance1(G, np.asarray(of_result)) and min(of_result) >= 0


@pytest.mark.parametrize("partition", ["columns", "rows"])
def test_derivatives(partition: str) -> None:
    """Products with the seeds of a result are those with the groups of its array; a matrix comes back."""
    A = sp.random_array((40, 30), density=0.1, rng=np.random.default_rng(1), format="csr")
    C = derivatives.jacobian(A, partition, postprocess=False)
    c = C.coloring
    one_hot = np.arange(c.n_colors) == np.asarray(c)[:, None]
    assert np.array_equal(C.seeds(), one_hot.astype(float))
    B = A @ one_hot if partition == "columns" else one_hot.T.astype(float) @ A
    assert np.allclose(C.compress(A), B) and abs(C.decompress(B) - A).max() < 1e-15
    assert lagcolor.verify(A, c).n_colors == lagcolor.verify(A, np.asarray(c), problem=partition).n_colors


def test_plots() -> None:
    from matplotlib import pyplot as plt

    c = lagcolor.color(graph("grid"))
    points = np.random.default_rng(2).random((len(c), 2))
    drawn = plt.figure().gca().scatter(*points.T, c=c)
    assert np.array_equal(drawn.get_array(), c.to_numpy())
    assert lagcolor.plot.class_sizes(c) is not None and lagcolor.plot.graph(c) is not None
    plt.close("all")


def test_pandas_takes_it() -> None:
    pd = pytest.importorskip("pandas")
    assert pd.DataFrame({"color": result()})["color"].tolist() == COLORS
    assert pd.Series(result()).dtype == np.int32


def test_jax_takes_it() -> None:
    jnp = pytest.importorskip("jax.numpy")
    assert jnp.asarray(result()).tolist() == COLORS
    assert jnp.from_dlpack(result()).tolist() == COLORS


@pytest.mark.emulated
def test_numpy_does_not_copy_from_a_gpu_unasked() -> None:
    c = result(device="cuda")
    with pytest.raises(TypeError, match=r"on cuda:0, from where nothing is copied unasked: to_numpy\(\)"):
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
