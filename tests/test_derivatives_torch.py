"""Products that are tensors of torch: their entries, gradients through them, and maps over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from derivative_cases import RECTANGULAR, SYMMETRIC, integers

from lagcolor import GraphError
from lagcolor.derivatives import hessian, jacobian

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")
JACOBIANS = [("columns", "direct"), ("rows", "direct"), ("both", "direct"), ("both", "substitution")]


def tensors(B: Any) -> Any:
    return tuple(map(torch.tensor, B)) if isinstance(B, tuple) else torch.tensor(B)


def check(C: Any, A: Any) -> None:
    """Values, by the gather too, and the gradient of a weighted sum of them, which is that of NumPy's by linearity."""
    B = C.compress(A)
    T = tensors(B)
    values = C.values(T)
    assert isinstance(values, torch.Tensor) and values.dtype == torch.float64
    np.testing.assert_array_equal(values.numpy(), A.data)
    if not C.recovery.levels:
        np.testing.assert_array_equal(C.flat(T)[C.gather].numpy(), A.data)
    flat = C.flat(T).clone().requires_grad_()
    weights = torch.arange(1.0, C.pattern.m + 1, dtype=torch.float64)
    (C.recovery(flat) * weights).sum().backward()
    step = np.random.default_rng(1).integers(-9, 9, len(flat)).astype(float)
    moved = C.recovery(C.flat(B) + step) - C.recovery(C.flat(B))
    assert float(flat.grad @ torch.tensor(step)) == float(moved @ weights.numpy())


@pytest.mark.parametrize(("partition", "decompression"), JACOBIANS)
@pytest.mark.parametrize("name", RECTANGULAR)
def test_jacobian(name: str, partition: str, decompression: str) -> None:
    C = jacobian(RECTANGULAR[name], partition, decompression)
    check(C, integers(C.pattern, 3).astype(float))


@pytest.mark.parametrize("decompression", ["direct", "substitution"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_hessian(name: str, decompression: str) -> None:
    C = hessian(SYMMETRIC[name], decompression)
    check(C, integers(C.pattern, 4, symmetric=True).astype(float))


def test_forward_mode_of_a_function() -> None:
    """Products with the seeds by torch.func, several of them at a time, against the dense Jacobian."""

    def f(x: Any) -> Any:
        return x**3 - torch.roll(torch.sin(x), 1) * x

    n = 9
    x = torch.linspace(0.1, 2.0, n, dtype=torch.float64)
    pattern = np.eye(n) + np.roll(np.eye(n), -1, axis=1)
    C = jacobian(pattern)
    S = torch.from_numpy(C.seeds())
    B = torch.func.vmap(lambda s: torch.func.jvp(f, (x,), (s,))[1], in_dims=1, out_dims=1)(S)
    dense = torch.zeros(n, n, dtype=torch.float64)
    dense[tuple(torch.from_numpy(k) for k in np.nonzero(pattern))] = C.values(B)
    torch.testing.assert_close(dense, torch.func.jacrev(f)(x))
    many = torch.func.vmap(C.values)(torch.stack([B, 2 * B]))
    assert torch.equal(many[1], 2 * C.values(B))


def test_a_matrix_of_torch_is_converted_first() -> None:
    A = torch.eye(4, dtype=torch.float64)
    C = jacobian(A)
    with pytest.raises(GraphError, match=r"numpy\.asarray\(A\)"):
        C.compress(A)
    assert (C.decompress(C.compress(np.asarray(A))).toarray() == np.eye(4)).all()
