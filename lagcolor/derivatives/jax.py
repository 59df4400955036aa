"""Sparse Jacobians and Hessians of JAX functions, by vectorized products with the seeds of a `Compression`.

>>> C = lagcolor.derivatives.jacobian(pattern)                       # doctest: +SKIP
>>> J = jax.jit(lagcolor.derivatives.jax.jacobian(f, C))(x)          # doctest: +SKIP

Detecting the pattern is not done here: the package asdex does, and `from_asdex` takes what it colored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.extras import need
from . import functional, missing
from .compression import Compression

need("jax", "lagcolor.derivatives.jax", "jax")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.experimental.sparse import BCOO  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402


def jacobian(
    f: Callable[..., Any], C: Any, output: str = "bcoo", *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the sparse Jacobian of a function.

    Parameters
    ----------
    f : callable
        ``f(*args, **kwargs)``, which JAX can trace. The arguments to differentiate, and the result, are arrays of any
        shape, or trees of arrays, with n and m numbers in total.
    C : Compression or matrix-like
        A compression by `lagcolor.derivatives.jacobian` of an m × n pattern that has every entry that can be nonzero
        (see `check`). If the Jacobian is symmetric, such as the Jacobian of a gradient, a compression by
        `lagcolor.derivatives.hessian` also works (the symmetry is not checked). Any argument of `Pattern.of` is colored
        by `jacobian`, once.
    output : {"bcoo", "dense"}
        The type of the result.
    argnums : int or tuple of int
        The arguments to differentiate. The columns of several arguments follow one another.
    has_aux : bool
        Whether f returns a pair. Its second part is passed on unchanged.
    chunk_size : int, optional
        The number of products that are vectorized together. It limits the memory for intermediate results of the
        function. The products themselves are stored, with the size of ``C.shapes``. Default: all.

    Returns
    -------
    callable
        ``J(*args, **kwargs)`` returns a BCOO or dense array of shape (m, n). Rows and columns follow the order of the
        leaves of the trees, each raveled. With `has_aux` it returns the pair (matrix, aux). It computes as many jvp and
        vjp as C has products of each kind, and works inside `jax.jit` and `jax.vmap`.

    Raises
    ------
    OptionError
        `output` is unknown, `argnums` names no argument, or the arguments to differentiate are not floating-point
        numbers.
    GraphError
        When called: the size of the arguments or of the result does not match the pattern.

    Examples
    --------
    >>> import jax
    >>> f = lambda x: x[1:] * x[:-1]
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2)])
    >>> J = lagcolor.derivatives.jax.jacobian(f, C)
    >>> J(jax.numpy.array([1.0, 2.0, 3.0])).todense()
    Array([[2., 1., 0.],
           [0., 3., 2.]], dtype=float32)
    """
    how = functional.options(LIBRARY, output, argnums, has_aux, chunk_size)
    return functional.jacobian(LIBRARY, f, C, how)


def value_and_jacobian(
    f: Callable[..., Any], C: Any, output: str = "bcoo", *, argnums: Any = 0, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the result of a function and its sparse Jacobian.

    Parameters
    ----------
    f : callable
        See `jacobian`.
    C : Compression or matrix-like
        See `jacobian`.
    output : {"bcoo", "dense"}
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
        It returns the pair (f(x), matrix), and with `has_aux` ((f(x), aux), matrix), like `jax.value_and_grad`.

    Raises
    ------
    OptionError, GraphError
        See `jacobian`.

    Examples
    --------
    >>> import jax
    >>> f = lambda x: x[1:] * x[:-1]
    >>> C = lagcolor.derivatives.jacobian([(0, 0), (0, 1), (1, 1), (1, 2)])
    >>> y, J = lagcolor.derivatives.jax.value_and_jacobian(f, C)(jax.numpy.array([1.0, 2.0, 3.0]))
    >>> y
    Array([2., 6.], dtype=float32)
    """
    how = functional.options(LIBRARY, output, argnums, has_aux, chunk_size)
    return functional.value_and_jacobian(LIBRARY, f, C, how)


def hessian(
    f: Callable[..., Any], C: Any, output: str = "bcoo", *, argnums: Any = 0, has_aux: bool = False,
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
    output : {"bcoo", "dense"}
        The type of the result.
    argnums : int or tuple of int
        The arguments to differentiate; see `jacobian`.
    has_aux : bool
        Whether f returns a pair. Its second part is passed on unchanged.
    chunk_size : int, optional
        The number of products that are vectorized together; see `jacobian`.

    Returns
    -------
    callable
        ``H(*args, **kwargs)`` returns a BCOO or dense array of shape (n, n) with both triangles. With `has_aux` it
        returns the pair (matrix, aux). It computes as many Hessian–vector products (a jvp of the gradient) as C has
        colors, and works inside `jax.jit` and `jax.vmap`.

    Raises
    ------
    OptionError
        C compresses a Jacobian; or see `jacobian`.
    GraphError
        When called: the size of the arguments does not match the pattern.

    Examples
    --------
    >>> import jax
    >>> f = lambda x: (x[1:] * x[:-1]).sum()
    >>> C = lagcolor.derivatives.hessian([(0, 1), (1, 0), (1, 2), (2, 1)])
    >>> H = lagcolor.derivatives.jax.hessian(f, C)
    >>> H(jax.numpy.array([1.0, 2.0, 3.0])).todense()
    Array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    """
    how = functional.options(LIBRARY, output, argnums, has_aux, chunk_size)
    return functional.hessian(LIBRARY, f, C, how)


def check(
    f: Callable[..., Any], C: Any, *args: Any, argnums: Any = 0, has_aux: bool = False, vectors: int = 2, seed: int = 0,
    rtol: float | None = None, **keywords: Any,
) -> None:  # fmt: skip
    """Look for entries of a Jacobian that a pattern lacks, which `jacobian` would add to others or lose.

    The derivative of the function and the sparse Jacobian are multiplied with random vectors, and the products are
    compared. This takes one jvp for each vector. It finds every missing entry that is nonzero at these arguments and at
    least `rtol` times the sum of its row. About log₂ n further products then name the entry. A few calls at random
    arguments are enough for most functions. If f has no jvp and the products are of rows, `check` uses a vjp and
    compares by columns.

    Parameters
    ----------
    f : callable
        See `jacobian`. For a Hessian pass the gradient of the function, ``jax.grad(f)``.
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
        The first missing entry; or products differ although no entry is missing, for example because the compression
        is symmetric and the Jacobian is not; or the sizes differ, as for `jacobian`.
    OptionError
        See `jacobian`.

    Examples
    --------
    >>> import jax
    >>> f = lambda x: x[1:] * x[:-1]
    >>> lagcolor.derivatives.jax.check(f, [(0, 0), (0, 1), (1, 1), (1, 2)], jax.numpy.array([1.0, 2.0, 3.0]))
    >>> lagcolor.derivatives.jax.check(f, [(0, 0), (1, 1), (1, 2)], jax.numpy.array([1.0, 2.0, 3.0]))
    Traceback (most recent call last):
    lagcolor.GraphError: ...
    """
    how = functional.options(LIBRARY, "dense", argnums, has_aux, None)
    functional.check(LIBRARY, f, C, how, (args, keywords), missing.probes(vectors, seed, rtol))


def _no_float(tree: Any) -> Any:
    types = map(jnp.result_type, jax.tree.leaves(tree))
    return next((dtype for dtype in types if not jnp.issubdtype(dtype, jnp.inexact)), None)


def _over(product: Callable[[Any], Any], k: int, chunk_size: int | None) -> Any:
    if chunk_size is None:
        return jax.vmap(product)(jnp.arange(k))
    return jax.lax.map(product, jnp.arange(k), batch_size=chunk_size)


def _matrix(C: Compression, values: Any, output: str) -> Any:
    """The entries as a matrix."""
    P = C.pattern.on("cpu")
    rows = P.rows_of_entries()
    if output == "dense":
        return jnp.zeros(P.shape, values.dtype).at[rows, P.indices].set(values)
    places = jnp.asarray(np.stack([rows, P.indices], axis=1).astype(np.int32))
    return BCOO((values, places), shape=P.shape, indices_sorted=True, unique_indices=True)


LIBRARY = functional.Library(
    outputs=("bcoo", "dense"),
    flatten=ravel_pytree,
    no_float=_no_float,
    jvp=lambda g, x, s: jax.jvp(g, (x,), (s,), has_aux=True)[1],
    grad=jax.grad,
    vjp=lambda g, x: jax.vjp(g, x, has_aux=True),
    over=_over,
    seed=lambda colors, color, x: (jnp.asarray(colors) == color).astype(x.dtype),
    matrix=_matrix,
    array=lambda x: np.asarray(x.astype(jnp.promote_types(x.dtype, jnp.float32))),
    eps=lambda x: float(jnp.finfo(x.dtype).eps),
    like=lambda array, x: jnp.asarray(array, x.dtype),
)
