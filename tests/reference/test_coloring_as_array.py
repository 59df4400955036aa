"""A coloring stands for the array of its colors, and goes wherever colors go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from contract import definitions
from corpus import graph
from emulated import ENGINES

import lagcolor
from lagcolor import Coloring, Graph, problems

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
    assert c.__array__(np.int32, copy=False) is c.colors
    with pytest.raises(ValueError, match="colors are int32, and float64 takes a copy"):
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


TAKEN: dict[str, Callable[[Graph, Any, Path], Any]] = {
    "verify": lambda G, c, _: lagcolor.verify(G, c).n_colors,
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


def _written(colors: Any, folder: Path) -> Any:
    lagcolor.io.write_coloring(folder / "c.npy", colors)
    return lagcolor.io.read_coloring(folder / "c.npy")


@pytest.mark.parametrize("what", TAKEN)
def test_a_result_goes_where_an_array_goes(what: str, tmp_path: Path) -> None:
    """The same comes out of a result and of the array of its colors."""
    G = graph("random sparse")
    c = lagcolor.color(G, "greedy", "random", seed=3)
    of_result, of_array = TAKEN[what](G, c, tmp_path), TAKEN[what](G, c.to_numpy(), tmp_path)
    assert np.array_equal(of_result, of_array)
    if isinstance(of_result, np.ndarray):
        assert definitions.distance1(G, np.asarray(of_result)) and min(of_result) >= 0


def test_pandas_and_jax_take_it() -> None:
    pd = pytest.importorskip("pandas")
    assert pd.DataFrame({"color": result()})["color"].tolist() == COLORS
    jnp = pytest.importorskip("jax.numpy")
    assert jnp.asarray(result()).tolist() == jnp.from_dlpack(result()).tolist() == COLORS


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
