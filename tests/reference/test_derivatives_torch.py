"""Products that are tensors of torch: their entries, gradients through them, and maps over them.

The extra [test] does not install torch: its Linux wheels on PyPI depend on gigabytes of CUDA libraries. Tests that need
only a few operations of tensors run on a stand-in as well; the others are skipped without torch.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from derivative_cases import RECTANGULAR, SYMMETRIC, integers
from tensors import dense_torch_module

from lagcolor import GraphError, LagcolorError, OptionError
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


@pytest.mark.parametrize(("partition", "decompression"), JACOBIANS)
def test_jacobian(either: Any, partition: str, decompression: str) -> None:
    for P in RECTANGULAR.values():
        check_values(either, jacobian(P, partition, decompression), integers(P, 3).astype(float))


@pytest.mark.parametrize("decompression", ["direct", "substitution"])
def test_hessian(either: Any, decompression: str) -> None:
    for P in SYMMETRIC.values():
        check_values(either, hessian(P, decompression), integers(P, 4, symmetric=True).astype(float))


def test_a_matrix_of_torch_is_converted_first(torch: Any) -> None:
    A = torch.eye(4, dtype=torch.float64)
    C = jacobian(A)
    with pytest.raises(GraphError, match=r"numpy\.asarray\(A\)"):
        C.compress(A)
    assert (C.decompress(C.compress(np.asarray(A))).toarray() == np.eye(4)).all()


@pytest.fixture
def sparse(torch: Any) -> Any:
    import lagcolor.derivatives.torch as sparse

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield sparse
    torch.set_default_dtype(before)


N = 12
ID = np.eye(N, dtype=bool)
PATTERN = np.vstack([ID | np.roll(ID, -1, 1), np.ones((1, N), bool)])


def function(torch: Any, x: Any) -> Any:
    """From 12 numbers to 13."""
    return torch.cat([x**3 - torch.roll(torch.sin(x), 1) * x, (x**2).sum().reshape(1)])


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize(("partition", "decompression"), JACOBIANS)
def test_jacobian_of_a_function(
    torch: Any, sparse: Any, partition: str, decompression: str, chunk_size: int | None
) -> None:  # fmt: skip
    """Jacobians of functions of trees, with values and auxiliary results."""

    def f(scale: Any, p: Any) -> Any:
        y = function(torch, torch.cat([p["a"], p["b"][0].ravel()]))
        return {"u": scale * y[:5], "v": scale * y[5:]}, y.sum()

    x = torch.linspace(0.1, 2.0, N)
    C, tree = jacobian(PATTERN, partition, decompression), {"a": x[:4], "b": [x[4:].reshape(2, 4)]}
    expected = torch.func.jacrev(lambda x: function(torch, x))(x)
    for output in ("coo", "dense"):
        J = sparse.jacobian(lambda x: function(torch, x), C, output, chunk_size=chunk_size)(x)
        assert J.layout == (torch.strided if output == "dense" else torch.sparse_coo)
        torch.testing.assert_close(J.to_dense(), expected)
        how = {"argnums": 1, "has_aux": True, "chunk_size": chunk_size}
        (value, aux), J = sparse.value_and_jacobian(f, C, output, **how)(2.0, tree)
        torch.testing.assert_close(J.to_dense(), 2 * expected)
        torch.testing.assert_close((value, aux), f(2.0, tree))
        J, aux = sparse.jacobian(f, C, output, **how)(2.0, tree)
        torch.testing.assert_close((J.to_dense(), aux), (2 * expected, f(2.0, tree)[1]))


@pytest.mark.parametrize("decompression", ["direct", "substitution"])
def test_hessian_of_a_function(torch: Any, sparse: Any, decompression: str) -> None:
    def energy(x: Any) -> Any:
        return (x**4).sum() + (torch.cos(x[1:] - x[:-1]) * x[1:]).sum()

    x, near = torch.linspace(0.1, 2.0, N), np.abs(np.subtract.outer(np.arange(N), np.arange(N))) <= 1
    expected = torch.func.hessian(energy)(x)
    for C in (hessian(near, decompression), near):
        H = sparse.hessian(energy, C, "dense")(x)
        torch.testing.assert_close(H, expected)
        J = sparse.jacobian(torch.func.grad(energy), hessian(near), "dense")(x)
        torch.testing.assert_close(J, expected)
    sparse.check(torch.func.grad(energy), hessian(near, decompression), x)
    with pytest.raises(GraphError, match=r"entry \((3, 9|9, 3)\) of the derivative is 5 and"):
        sparse.check(torch.func.grad(lambda x: energy(x) + 5 * x[3] * x[9]), hessian(near, decompression), x)
    with pytest.raises(OptionError, match="of a Jacobian"):
        sparse.hessian(energy, jacobian(near))


@pytest.mark.parametrize("partition", ["columns", "rows", "both"])
def test_entries_that_a_pattern_lacks(torch: Any, sparse: Any, partition: str) -> None:
    x = torch.linspace(0.1, 2.0, N)
    for dtype in (torch.float64, torch.bfloat16):
        sparse.check(lambda x: function(torch, x), jacobian(PATTERN, partition), x.to(dtype))
    lacking = PATTERN.copy()
    lacking[12, 5] = False
    with pytest.raises(GraphError, match=r"entry \(12, 5\) of the derivative"):
        sparse.check(lambda x: function(torch, x), jacobian(lacking, partition), x)


@pytest.mark.parametrize(("partition", "decompression"), JACOBIANS)
def test_gradients_pass_through_a_sparse_jacobian(
    torch: Any, sparse: Any, partition: str, decompression: str
) -> None:  # fmt: skip
    J = sparse.jacobian(lambda x: function(torch, x), jacobian(PATTERN, partition, decompression), "dense")
    x = torch.linspace(0.1, 2.0, N, requires_grad=True)
    (J(x) ** 2).sum().backward()
    expected = torch.func.grad(lambda x: (torch.func.jacfwd(lambda z: function(torch, z))(x) ** 2).sum())(x.detach())
    torch.testing.assert_close(x.grad, expected)


def test_no_entries_several_arguments_and_errors(torch: Any, sparse: Any) -> None:
    y, pattern = torch.arange(1.0, 7), np.kron(np.ones((2, 2)), np.eye(3))
    H = sparse.hessian(lambda x, y: (x**2 * y).sum(), pattern, "dense", argnums=(0, 1))(y[:3], y[3:])
    torch.testing.assert_close(H, torch.func.hessian(lambda z: (z[:3] ** 2 * z[3:]).sum())(y))
    x = torch.linspace(0.1, 2.0, N)
    for partition in ("columns", "rows", "both"):
        assert not sparse.jacobian(lambda x: 0 * x, jacobian(np.zeros((N, N)), partition), "dense")(x).any()
    turned = lambda x: x**2 * (1 + 2j)  # noqa: E731
    torch.testing.assert_close(sparse.jacobian(turned, np.eye(6), "dense")(y), torch.diag(2 * y * (1 + 2j)))
    sparse.check(turned, np.eye(6), y)
    with pytest.raises(OptionError, match=r"f\(x\) holds torch.complex128"):
        sparse.jacobian(turned, jacobian(np.eye(6), "rows"))(y)
    for numbers in (torch.arange(6), y * 1j):
        with pytest.raises(OptionError, match=r"^x holds torch.(int64|complex128)"):
            sparse.jacobian(turned, np.eye(6))(numbers)
    with pytest.raises(OptionError, match="output must be one of coo, dense"):
        sparse.jacobian(lambda x: x, PATTERN, "bcoo")


def test_trees_with_none(torch: Any, sparse: Any) -> None:
    """Among the results and in a differentiated tree; a subclass of dict stays."""

    def f(tree: Any) -> Any:
        assert type(tree) is OrderedDict and tree["none"] is None
        return OrderedDict(none=None, y=tree["x"] ** 2), None

    x, eye = torch.arange(1.0, 4), np.eye(3)
    for partition in ("columns", "rows"):
        (value, aux), J = sparse.value_and_jacobian(f, jacobian(eye, partition), "dense", has_aux=True)(
            OrderedDict(x=x, none=None)
        )
        assert aux is None and type(value) is OrderedDict and value["none"] is None and torch.equal(value["y"], x**2)
        torch.testing.assert_close(J, torch.diag(2 * x))


def test_torch_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import lagcolor.derivatives.torch as sparse

    monkeypatch.setattr(sparse, "torch", None)
    for call in (sparse.jacobian, sparse.value_and_jacobian, sparse.hessian, sparse.check):
        with pytest.raises(LagcolorError, match="need torch: pip install torch"):
            call(lambda x: x, np.eye(N), *([np.ones(N)] if call is sparse.check else []))
