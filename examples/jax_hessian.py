"""The sparse Hessian of a discretized energy in JAX: a minimal surface on a grid, by Newton's method."""

import asdex
import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

import lagcolor
from lagcolor.derivatives.asdex import pattern_of
from lagcolor.derivatives.jax import hessian

jax.config.update("jax_enable_x64", True)
n = 24
edge = jnp.sin(jnp.linspace(0, 3 * jnp.pi, n + 2))


def area(u):
    """Of the surface over the grid, with the heights of its inner points and a wave along one side."""
    z = jnp.zeros((n + 2, n + 2)).at[0].set(edge).at[1:-1, 1:-1].set(u.reshape(n, n))
    dx, dy = (n + 1) * (z[1:, :-1] - z[:-1, :-1]), (n + 1) * (z[:-1, 1:] - z[:-1, :-1])
    return jnp.sum(jnp.sqrt(1 + dx**2 + dy**2)) / (n + 1) ** 2


u = jnp.zeros(n * n)
C = lagcolor.derivatives.hessian(pattern_of(asdex.hessian_sparsity(area, u)))  # needs lagcolor[jax]
print(f"{C.n_colors} Hessian-vector products for {n * n} unknowns")
H, gradient = jax.jit(hessian(area, C)), jax.jit(jax.grad(area))
for _ in range(12):
    A = H(u)
    step = spsolve(sp.csc_array((A.data, A.indices.T), shape=A.shape), np.asarray(gradient(u)))
    u = u - 0.9 * step
print(f"area {float(area(u)):.6f}, gradient {float(jnp.abs(gradient(u)).max()):.1e}")
