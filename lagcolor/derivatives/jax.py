"""Sparse Jacobians and Hessians of JAX functions, by vectorized products with the seeds of a `Compression`.

>>> C = lagcolor.derivatives.jacobian(pattern)                       # doctest: +SKIP
>>> J = jax.jit(lagcolor.derivatives.jax.jacobian(f, C))(x)          # doctest: +SKIP

This module does not detect patterns. The package asdex does; `from_asdex` converts its colorings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.extras import need
from . import functional
from .compression import Compression

need("jax", "lagcolor.derivatives.jax", "jax")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.experimental.sparse import BCOO  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402


def _no_float(tree: Any) -> Any:
    types = map(jnp.result_type, jax.tree.leaves(tree))
    return next((dtype for dtype in types if not jnp.issubdtype(dtype, jnp.inexact)), None)


def _over(product: Callable[[Any], Any], k: int, chunk_size: int | None) -> Any:
    if chunk_size is None:
        return jax.vmap(product)(jnp.arange(k))
    return jax.lax.map(product, jnp.arange(k), batch_size=chunk_size)


def _matrix(C: Compression, values: Any, output: str) -> Any:
    """Return the matrix of stored entries."""
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
# Words for the docstrings of functional.py.
WORDS = {
    "library": "jax",
    "array": "jax.numpy.array",
    "to_dense": "todense",
    "grad": "jax.grad",
    "traced": "which JAX can trace",
    "values": "arrays of any shape, or trees of arrays",
    "aux": "",
    "outputs": '"bcoo", "dense"',
    "result": "BCOO or dense array",
    "leaves": "leaves of the trees, each raveled",
    "inside": "It works inside `jax.jit` and `jax.vmap`.",
}
jacobian = functional.of_library(functional.jacobian, LIBRARY, __name__, WORDS)
value_and_jacobian = functional.of_library(functional.value_and_jacobian, LIBRARY, __name__, WORDS)
hessian = functional.of_library(functional.hessian, LIBRARY, __name__, WORDS)
check = functional.of_library(functional.check, LIBRARY, __name__, WORDS)
