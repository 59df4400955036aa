"""Sparse Jacobians and Hessians of JAX functions, by vectorized products with the seeds of a `Compression`.

>>> C = lagcolor.derivatives.jacobian(pattern)                       # doctest: +SKIP
>>> J = jax.jit(lagcolor.derivatives.jax.jacobian(f, C))(x)          # doctest: +SKIP

Detecting the pattern is not done here: the package asdex does, and `from_asdex` takes what it colored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.sparse import BCOO

from ..core.errors import GraphError, OptionError
from ..core.options import choice
from .compression import Compression

OUTPUTS = ("bcoo", "dense")


def jacobian(f: Callable[[Any], Any], C: Compression, output: str = "bcoo") -> Callable[[Any], Any]:
    """The sparse Jacobian of a function, as a function.

    Parameters
    ----------
    f : callable
        From an array with n entries to one with m, of any shapes; traced by JAX.
    C : Compression
        Of a pattern m × n that has every entry that can be other than zero, by `lagcolor.derivatives.jacobian`; or by
        `lagcolor.derivatives.hessian`, where the Jacobian is symmetric, as that of a gradient (not checked).
    output : {"bcoo", "dense"}

    Returns
    -------
    callable
        ``J(x)``: BCOO or dense array, shape (m, n), rows and columns in the order of the raveled arrays. By as many
        jvp and vjp as C has products of each kind; works inside `jax.jit` and `jax.vmap`.

    Raises
    ------
    OptionError
        `output` is unknown.
    GraphError
        When called: x or ``f(x)`` has not the size of the pattern.
    """
    output = choice("output", output, OUTPUTS)
    S, W = _seeds(C.column_colors), _seeds(C.row_colors)

    def sparse_jacobian(x: Any) -> Any:
        _fits("x", x.size, C.pattern.columns)
        flat, shape = x.reshape(-1), x.shape

        def g(z: Any) -> Any:
            y = f(z.reshape(shape)).reshape(-1)
            advice = ": take hessian(f, C), or pass the gradient of f" if C.partition == "symmetric" else ""
            _fits("f(x)", y.size, C.pattern.rows, advice)
            return y

        products = []
        if S is not None:
            products.append(_columns(lambda s: jax.jvp(g, (flat,), (s,))[1], S.astype(flat.dtype)))
        if W is not None:
            y, vjp = jax.vjp(g, flat)
            products.append(jax.vmap(lambda w: vjp(w)[0])(W.astype(y.dtype)))
        return _matrix(C, products[0] if len(products) == 1 else tuple(products), output)

    return sparse_jacobian


def hessian(f: Callable[[Any], Any], C: Compression, output: str = "bcoo") -> Callable[[Any], Any]:
    """The sparse Hessian of a scalar function, as a function.

    Parameters
    ----------
    f : callable
        From an array with n entries to a scalar; traced by JAX.
    C : Compression
        Of a symmetric pattern n × n that has every entry that can be other than zero, by
        `lagcolor.derivatives.hessian`.
    output : {"bcoo", "dense"}

    Returns
    -------
    callable
        ``H(x)``: BCOO or dense array, shape (n, n), both triangles. By as many Hessian–vector products (a jvp of the
        gradient) as C has colors; works inside `jax.jit` and `jax.vmap`.

    Raises
    ------
    OptionError
        C is of a Jacobian, or `output` is unknown.
    GraphError
        When called: x has not the size of the pattern.
    """
    output = choice("output", output, OUTPUTS)
    if C.partition != "symmetric":
        raise OptionError("this Compression is of a Jacobian: take lagcolor.derivatives.jax.jacobian")
    S = _seeds(C.column_colors)

    def sparse_hessian(x: Any) -> Any:
        _fits("x", x.size, C.pattern.columns)
        flat, shape = x.reshape(-1), x.shape
        gradient = jax.grad(lambda z: f(z.reshape(shape)))
        B = _columns(lambda s: jax.jvp(gradient, (flat,), (s,))[1], S.astype(flat.dtype))
        return _matrix(C, B, output)

    return sparse_hessian


def _seeds(colors: Any) -> Any:
    """One seed per row: k × n, of booleans; None for None."""
    if colors is None:
        return None
    colors = np.asarray(colors.get() if hasattr(colors, "get") else colors)
    return jnp.asarray(np.arange(colors.max(initial=-1) + 1)[:, None] == colors)


def _columns(product: Callable[[Any], Any], seeds: Any) -> Any:
    """Products with each seed, as the columns of an array."""
    return jax.vmap(product)(seeds).T


def _fits(what: str, size: int, expected: int, advice: str = "") -> None:
    if size != expected:
        raise GraphError(f"{what} has {size} entries, and the pattern has {expected}{advice}")


def _matrix(C: Compression, B: Any, output: str) -> Any:
    """The entries as a matrix."""
    P = C.pattern.on("cpu")
    values = C.values(B)
    rows = P.rows_of_entries()
    if output == "dense":
        return jnp.zeros(P.shape, values.dtype).at[rows, P.indices].set(values)
    places = jnp.asarray(np.stack([rows, P.indices], axis=1).astype(np.int32))
    return BCOO((values, places), shape=P.shape, indices_sorted=True, unique_indices=True)
