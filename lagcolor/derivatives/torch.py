"""Sparse Jacobians and Hessians of torch functions, by products of `torch.func`; the interface is that for JAX.

>>> C = lagcolor.derivatives.jacobian(pattern)                         # doctest: +SKIP
>>> J = lagcolor.derivatives.torch.jacobian(f, C)(x)                   # doctest: +SKIP
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base.errors import MissingPackageError
from . import functional
from .compression import Compression

try:
    import torch
except ImportError:  # each function raises, so that this module can be imported for its documentation
    torch = None


def _check_installed() -> None:
    if torch is None:
        raise MissingPackageError("these derivatives need torch: pip install torch")


def _no_float(tree: Any) -> Any:
    return next((x.dtype for x in _leaves(tree) if not (x.is_floating_point() or x.is_complex())), None)


def _flatten(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the tensors of a tree as one tensor, and the inverse function."""
    leaves = list(_leaves(tree))
    if not leaves:
        return torch.zeros(0), lambda x: tree

    def unflatten(x: Any) -> Any:
        parts = x.split([leaf.numel() for leaf in leaves])
        shaped = (part.reshape(leaf.shape).to(leaf.dtype) for part, leaf in zip(parts, leaves, strict=True))
        return _like(tree, shaped)

    return torch.cat([leaf.reshape(-1) for leaf in leaves]), unflatten


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict | tuple | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _leaves(part)
    elif tree is not None:  # a tree without tensors, as in JAX
        yield torch.as_tensor(tree)


def _like(tree: Any, leaves: Any) -> Any:
    """Return a tree of the same form with other leaves."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        out = copy.copy(tree)  # a subclass of dict stays one
        for name, part in tree.items():
            out[name] = _like(part, leaves)
        return out
    if isinstance(tree, tuple | list):
        parts = [_like(part, leaves) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return next(leaves)


def _vjp(g: Callable[[Any], Any], x: Any) -> tuple[Any, Any, Any]:
    """Compute value, vjp and auxiliary results; torch accepts only tensors as these, not None."""
    rest = None

    def with_tensors(x: Any) -> tuple[Any, list[Any]]:
        nonlocal rest
        y, rest = g(x)
        return y, list(_leaves(rest))

    y, transposed, leaves = torch.func.vjp(with_tensors, x, has_aux=True)
    return y, transposed, _like(rest, iter(leaves))


def _matrix(C: Compression, values: Any, output: str) -> Any:
    """Return the matrix of stored entries."""
    P = C.pattern.on("cpu")
    places = torch.as_tensor(np.stack([P.rows_of_entries(), P.indices]).astype(np.int64), device=values.device)
    if output == "dense":
        return values.new_zeros(P.shape).index_put(tuple(places), values)
    return torch.sparse_coo_tensor(places, values, P.shape, is_coalesced=True, check_invariants=False)


LIBRARY = functional.Library(
    outputs=("coo", "dense"),
    flatten=_flatten,
    no_float=_no_float,
    jvp=lambda g, x, s: torch.func.jvp(lambda z: g(z)[0], (x,), (s,))[1],
    grad=lambda *args, **how: torch.func.grad(*args, **how),
    vjp=_vjp,
    over=lambda product, k, size: torch.func.vmap(product, chunk_size=size)(torch.arange(k)),
    seed=lambda colors, color, x: (torch.as_tensor(colors).to(x.device) == color.to(x.device)).to(x.dtype),
    matrix=_matrix,
    array=lambda x: x.detach().to(torch.promote_types(x.dtype, torch.float32)).cpu().numpy(),
    eps=lambda x: torch.finfo(x.dtype).eps,
    like=lambda array, x: torch.as_tensor(array, dtype=x.dtype, device=x.device),
    check_installed=_check_installed,
)
# Words for the docstrings of functional.py.
WORDS = {
    "library": "torch",
    "array": "torch.tensor",
    "to_dense": "to_dense",
    "grad": "torch.func.grad",
    "traced": "of operations that `torch.func` can transform",
    "values": "tensors of any shape, or tuples, lists and dicts of tensors. None has no numbers",
    "aux": ", of tensors,",
    "outputs": '"coo", "dense"',
    "result": "coalesced COO or dense tensor",
    "leaves": "tensors, each raveled; dicts are in the order of insertion",
    "inside": "The matrix is on the device of the arguments, and gradients pass through its entries.",
}
jacobian = functional.of_library(functional.jacobian, LIBRARY, __name__, WORDS)
value_and_jacobian = functional.of_library(functional.value_and_jacobian, LIBRARY, __name__, WORDS)
hessian = functional.of_library(functional.hessian, LIBRARY, __name__, WORDS)
check = functional.of_library(functional.check, LIBRARY, __name__, WORDS)
