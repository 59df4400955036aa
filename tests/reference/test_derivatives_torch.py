"""Products that are tensors of torch: their entries, gradients through them, and maps over them.

The extra [test] does not install torch: its Linux wheels on PyPI depend on gigabytes of CUDA libraries. Tests that need
only a few operations of tensors run on a stand-in as well; the others are skipped without torch.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from derivative_cases import RECTANGULAR, SYMMETRIC, integers
from tensors import dense_torch_module

from lagcolor import GraphError
from lagcolor.derivatives import hessian, jacobian

JACOBIANS = [("columns", "direct"), ("rows", "direct"), ("both", "direct"), ("both", "substitution")]
REASON = "torch is not installed: pip install torch --index-url https://download.pytorch.org/whl/cpu"


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason=REASON)


@pytest.fixture(params=["torch", "stand-in"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """torch, or what decompression uses of it."""
    if request.param == "stand-in":
        monkeypatch.setitem(sys.modules, "torch", dense_torch_module())
        return sys.modules["torch"]
    return request.getfixturevalue("torch")


def parts(B: Any) -> tuple[Any, ...]:
    return B if isinstance(B, tuple) else (B,)


def tensors(torch: Any, B: Any) -> Any:
    found = tuple(torch.from_numpy(np.array(part)) for part in parts(B))
    return found if isinstance(B, tuple) else found[0]


def check_values(torch: Any, C: Any, A: Any) -> None:
    """Values, twice from the same products, which stay as they are; and by the gather."""
    B = C.compress(A)
    T = tensors(torch, B)
    for _ in range(2):
        values = C.values(T)
        assert isinstance(values, torch.Tensor) and values.numpy().dtype == np.float64
        np.testing.assert_array_equal(values.numpy(), A.data)
    for part, before in zip(parts(T), parts(B), strict=True):
        np.testing.assert_array_equal(part.numpy(), before)
    if not C.recovery.levels:
        np.testing.assert_array_equal(C.flat(T)[torch.from_numpy(C.gather)].numpy(), A.data)


def check_gradient(torch: Any, C: Any, A: Any) -> None:
    """Recovery is linear: the gradient of a weighted sum times a step is the difference that NumPy computes."""
    B = C.compress(A)
    flat = C.flat(tensors(torch, B)).clone().requires_grad_()
    weights = torch.arange(1.0, C.pattern.m + 1, dtype=torch.float64)
    (C.recovery(flat) * weights).sum().backward()
    step = np.random.default_rng(1).integers(-9, 9, len(flat)).astype(float)
    moved = C.recovery(C.flat(B) + step) - C.recovery(C.flat(B))
    assert float(flat.grad @ torch.tensor(step)) == float(moved @ weights.numpy())


@pytest.mark.parametrize(("partition", "decompression"), JACOBIANS)
@pytest.mark.parametrize("name", RECTANGULAR)
def test_jacobian(either: Any, name: str, partition: str, decompression: str) -> None:
    C = jacobian(RECTANGULAR[name], partition, decompression)
    check_values(either, C, integers(C.pattern, 3).astype(float))


@pytest.mark.parametrize("decompression", ["direct", "substitution"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_hessian(either: Any, name: str, decompression: str) -> None:
    C = hessian(SYMMETRIC[name], decompression)
    check_values(either, C, integers(C.pattern, 4, symmetric=True).astype(float))


@pytest.mark.parametrize(("partition", "decompression"), JACOBIANS)
@pytest.mark.parametrize("name", RECTANGULAR)
def test_gradients_through_a_jacobian(torch: Any, name: str, partition: str, decompression: str) -> None:
    C = jacobian(RECTANGULAR[name], partition, decompression)
    check_gradient(torch, C, integers(C.pattern, 3).astype(float))


def test_forward_mode_of_a_function(torch: Any) -> None:
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


def test_a_matrix_of_torch_is_converted_first(torch: Any) -> None:
    A = torch.eye(4, dtype=torch.float64)
    C = jacobian(A)
    with pytest.raises(GraphError, match=r"numpy\.asarray\(A\)"):
        C.compress(A)
    assert (C.decompress(C.compress(np.asarray(A))).toarray() == np.eye(4)).all()
