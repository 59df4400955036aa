"""Sparse Jacobians and Hessians of torch functions, by products of `torch.func`; the interface is as for JAX.

>>> C = lagcolor.derivatives.jacobian(pattern)                         # doctest: +SKIP
>>> J = lagcolor.derivatives.torch.jacobian(f, C)(x)                   # doctest: +SKIP
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import MissingPackageError
from . import functional, missing
from .compression import Compression

try:
    import torch
except ImportError:  # each function raises, so that this module can be imported for its documentation
    torch = None


def jacobian(
    f: Callable[..., Any], C: Any, output: str = "coo", *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The sparse Jacobian of a function, as a function of the same arguments.

    Parameters
    ----------
    f : callable
        ``f(*args, **kwargs)``, of operations that `torch.func` transforms. The arguments to differentiate, and the
        result, are tensors of any shapes, or tuples, lists and dicts of such, with n and m numbers in all; None has no
        numbers.
    C : Compression, or anything that `Pattern.of` takes
        Of a pattern m × n that has every entry that can be other than zero (see `check`), by
        `lagcolor.derivatives.jacobian`; or by `lagcolor.derivatives.hessian`, where the Jacobian is symmetric, as that
        of a gradient (not checked). A pattern is colored by `jacobian`, once.
    output : {"coo", "dense"}
    argnums : int or tuple of int
        Which arguments to differentiate; several are one after another in the columns.
    has_aux : bool
        f gives a pair; the second part, of tensors, is passed on as it is.
    chunk_size : int, optional
        Products that are vectorized together; the next follow when these are done. It bounds what the function needs
        for its intermediate results; the products themselves are kept, with the size of ``C.shapes``. Default: all.

    Returns
    -------
    callable
        ``J(*args, **kwargs)``: coalesced COO or dense tensor, shape (m, n), on the device of the arguments, rows and
        columns in the order of the tensors, in dicts as they were put in, each raveled; with `has_aux` the pair
        (matrix, aux). By as many jvp and vjp as C has products of each kind; gradients pass through the entries.

    Raises
    ------
    OptionError
        `output` is unknown, `argnums` names no argument, or arguments to differentiate are no floating-point numbers.
    GraphError
        When called: the arguments or the result have not the size of the pattern.

    Examples
    --------
    >>> import torch
    >>> f = lambda x: x[1:] * x[:-1]
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2)])
    >>> J = lagcolor.derivatives.torch.jacobian(f, C)
    >>> J(torch.tensor([1.0, 2.0, 3.0])).to_dense()
    tensor([[2., 1., 0.],
            [0., 3., 2.]])
    """
    _check_installed()
    how = functional.options(LIBRARY, output, argnums, has_aux, chunk_size)
    return functional.jacobian(LIBRARY, f, C, how)


def value_and_jacobian(
    f: Callable[..., Any], C: Any, output: str = "coo", *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The result of a function and its sparse Jacobian, as a function of the same arguments.

    Parameters
    ----------
    f, C, output, argnums, has_aux, chunk_size
        As for `jacobian`.

    Returns
    -------
    callable
        Gives the pair (f(x), matrix); with `has_aux` ((f(x), aux), matrix).

    Raises
    ------
    OptionError, GraphError
        As `jacobian`.

    Examples
    --------
    >>> import torch
    >>> f = lambda x: x[1:] * x[:-1]
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2)])
    >>> y, J = lagcolor.derivatives.torch.value_and_jacobian(f, C)(torch.tensor([1.0, 2.0, 3.0]))
    >>> y
    tensor([2., 6.])
    """
    _check_installed()
    how = functional.options(LIBRARY, output, argnums, has_aux, chunk_size)
    return functional.value_and_jacobian(LIBRARY, f, C, how)


def hessian(
    f: Callable[..., Any], C: Any, output: str = "coo", *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The sparse Hessian of a scalar function, as a function of the same arguments.

    Parameters
    ----------
    f : callable
        Its result is a scalar; arguments as for `jacobian`.
    C : Compression, or anything that `Pattern.of` takes
        Of a symmetric pattern n × n that has every entry that can be other than zero, by
        `lagcolor.derivatives.hessian`. A pattern is colored by `hessian`, once.
    output, argnums, has_aux, chunk_size
        As for `jacobian`.

    Returns
    -------
    callable
        ``H(*args, **kwargs)``: COO or dense tensor, shape (n, n), both triangles; with `has_aux` the pair (matrix,
        aux). By as many Hessian–vector products (a jvp of the gradient) as C has colors.

    Raises
    ------
    OptionError
        C is of a Jacobian; or as `jacobian`.
    GraphError
        When called: the arguments have not the size of the pattern.

    Examples
    --------
    >>> import torch
    >>> f = lambda x: (x[1:] * x[:-1]).sum()
    >>> C = lagcolor.derivatives.hessian([(0, 1), (1, 0), (1, 2), (2, 1)])
    >>> H = lagcolor.derivatives.torch.hessian(f, C)
    >>> H(torch.tensor([1.0, 2.0, 3.0])).to_dense()
    tensor([[0., 1., 0.],
            [1., 0., 1.],
            [0., 1., 0.]])
    """
    _check_installed()
    how = functional.options(LIBRARY, output, argnums, has_aux, chunk_size)
    return functional.hessian(LIBRARY, f, C, how)


def check(
    f: Callable[..., Any], C: Any, *args: Any, argnums: Any = 0, has_aux: bool = False, vectors: int = 2, seed: int = 0,
    rtol: float | None = None, **keywords: Any,
) -> None:  # fmt: skip
    """Look for entries of a Jacobian that a pattern lacks, which `jacobian` would add to others or lose.

    As `lagcolor.derivatives.jax.check`, of a function of tensors.

    Parameters
    ----------
    f, C, argnums, has_aux
        As for `jacobian`; for a Hessian pass the gradient of the function, ``torch.func.grad(f)``.
    *args
        The arguments of the function.
    vectors : int
        How many random vectors.
    seed : int
    rtol : float, optional
        The smallest difference that is an error, relative to the sum of the absolute values of a row. Default: half of
        the digits of the type, 1.5e-8 for float64.
    **keywords
        Further arguments of the function, other than these names.

    Raises
    ------
    GraphError
        The first entry that is found; or products differ although no entry is missing; or sizes differ.
    OptionError
        As `jacobian`.

    Examples
    --------
    >>> import torch
    >>> f = lambda x: x[1:] * x[:-1]
    >>> lagcolor.derivatives.torch.check(f, [(0, 0), (1, 1), (1, 2)], torch.tensor([1.0, 2.0, 3.0]))
    Traceback (most recent call last):
    lagcolor.GraphError: ...
    """
    _check_installed()
    how = functional.options(LIBRARY, "dense", argnums, has_aux, None)
    functional.check(LIBRARY, f, C, how, (args, keywords), missing.probes(vectors, seed, rtol))


def _check_installed() -> None:
    if torch is None:
        raise MissingPackageError("these derivatives need torch: pip install torch")


def _no_float(tree: Any) -> Any:
    leaves: list[Any] = []
    _leaves(tree, leaves)
    return next((x.dtype for x in leaves if not (x.is_floating_point() or x.is_complex())), None)


def _flatten(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The tensors of a tree as one, and how to make the tree of one."""
    leaves: list[Any] = []
    _leaves(tree, leaves)
    if not leaves:
        return torch.zeros(0), lambda x: tree

    def unflatten(x: Any) -> Any:
        parts = x.split([leaf.numel() for leaf in leaves])
        shaped = (part.reshape(leaf.shape).to(leaf.dtype) for part, leaf in zip(parts, leaves, strict=True))
        return _like(tree, shaped)

    return torch.cat([leaf.reshape(-1) for leaf in leaves]), unflatten


def _leaves(tree: Any, leaves: list[Any]) -> None:
    if tree is None:  # a tree without tensors, as in JAX
        return
    if isinstance(tree, dict | tuple | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            _leaves(part, leaves)
    else:
        leaves.append(torch.as_tensor(tree))


def _like(tree: Any, leaves: Any) -> Any:
    """A tree of the same form, of other leaves."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        out = copy.copy(tree)  # of its class
        for name, part in tree.items():
            out[name] = _like(part, leaves)
        return out
    if isinstance(tree, tuple | list):
        parts = [_like(part, leaves) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return next(leaves)


def _vjp(g: Callable[[Any], Any], x: Any) -> tuple[Any, Any, Any]:
    """torch takes tensors alone for auxiliary results: no None."""
    rest = None

    def with_tensors(x: Any) -> tuple[Any, list[Any]]:
        nonlocal rest
        y, rest = g(x)
        leaves: list[Any] = []
        _leaves(rest, leaves)
        return y, leaves

    y, transposed, leaves = torch.func.vjp(with_tensors, x, has_aux=True)
    return y, transposed, _like(rest, iter(leaves))


def _matrix(C: Compression, values: Any, output: str) -> Any:
    """The entries as a matrix."""
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
)
