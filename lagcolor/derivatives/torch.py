"""Sparse Jacobians and Hessians of torch functions, by products of `torch.func`; the interface is as for JAX.

>>> C = lagcolor.derivatives.jacobian(pattern)                         # doctest: +SKIP
>>> J = lagcolor.derivatives.torch.jacobian(f, C)(x)                   # doctest: +SKIP
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.errors import MissingPackageError
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
    """Return a function that computes the sparse Jacobian of a function.

    Parameters
    ----------
    f : callable
        ``f(*args, **kwargs)``, of operations that `torch.func` can transform. The arguments to differentiate, and the
        result, are tensors of any shape, or tuples, lists and dicts of tensors, with n and m numbers in total. None has
        no numbers.
    C : Compression or matrix-like
        A compression by `lagcolor.derivatives.jacobian` of an m × n pattern that has every entry that can be nonzero
        (see `check`). If the Jacobian is symmetric, such as the Jacobian of a gradient, a compression by
        `lagcolor.derivatives.hessian` also works (the symmetry is not checked). Any argument of `Pattern.of` is colored
        by `jacobian`, once.
    output : {"coo", "dense"}
        The type of the result.
    argnums : int or tuple of int
        The arguments to differentiate. The columns of several arguments follow one another.
    has_aux : bool
        Whether f returns a pair. Its second part, of tensors, is passed on unchanged.
    chunk_size : int, optional
        The number of products that are vectorized together. It limits the memory for intermediate results of the
        function. The products themselves are stored, with the size of ``C.shapes``. Default: all.

    Returns
    -------
    callable
        ``J(*args, **kwargs)`` returns a coalesced COO or dense tensor of shape (m, n) on the device of the arguments.
        Rows and columns follow the order of the tensors, each raveled; dicts are in the order of insertion. With
        `has_aux` it returns the pair (matrix, aux). It computes as many jvp and vjp as C has products of each kind.
        Gradients pass through the entries.

    Raises
    ------
    OptionError
        `output` is unknown, `argnums` names no argument, or the arguments to differentiate are not floating-point
        numbers.
    GraphError
        When called: the size of the arguments or of the result does not match the pattern.

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
    """Return a function that computes the result of a function and its sparse Jacobian.

    Parameters
    ----------
    f : callable
        See `jacobian`.
    C : Compression or matrix-like
        See `jacobian`.
    output : {"coo", "dense"}
        The type of the result.
    argnums : int or tuple of int
        See `jacobian`.
    has_aux : bool
        See `jacobian`.
    chunk_size : int, optional
        See `jacobian`.

    Returns
    -------
    callable
        It returns the pair (f(x), matrix), and with `has_aux` ((f(x), aux), matrix).

    Raises
    ------
    OptionError, GraphError
        See `jacobian`.

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
    """Return a function that computes the sparse Hessian of a scalar function.

    Parameters
    ----------
    f : callable
        A function with a scalar result; its arguments are as for `jacobian`.
    C : Compression or matrix-like
        A compression by `lagcolor.derivatives.hessian` of a symmetric n × n pattern that has every entry that can be
        nonzero. Any argument of `Pattern.of` is colored by `hessian`, once.
    output : {"coo", "dense"}
        The type of the result.
    argnums : int or tuple of int
        See `jacobian`.
    has_aux : bool
        See `jacobian`.
    chunk_size : int, optional
        See `jacobian`.

    Returns
    -------
    callable
        ``H(*args, **kwargs)`` returns a COO or dense tensor of shape (n, n) with both triangles. With `has_aux` it
        returns the pair (matrix, aux). It computes as many Hessian–vector products (a jvp of the gradient) as C has
        colors.

    Raises
    ------
    OptionError
        C compresses a Jacobian; or see `jacobian`.
    GraphError
        When called: the size of the arguments does not match the pattern.

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

    It does the same as `lagcolor.derivatives.jax.check`, for a function of tensors.

    Parameters
    ----------
    f : callable
        See `jacobian`. For a Hessian pass the gradient of the function, ``torch.func.grad(f)``.
    C : Compression or matrix-like
        See `jacobian`.
    *args
        The arguments of the function.
    argnums : int or tuple of int
        See `jacobian`.
    has_aux : bool
        See `jacobian`.
    vectors : int
        The number of random vectors.
    seed : int
        The seed of the vectors.
    rtol : float, optional
        The smallest difference that is an error, relative to the sum of the absolute values of a row. Default: half of
        the digits of the type, 1.5e-8 for float64.
    **keywords
        Further arguments of the function, other than these names.

    Raises
    ------
    GraphError
        The first missing entry; or products differ although no entry is missing; or the sizes differ.
    OptionError
        See `jacobian`.

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
