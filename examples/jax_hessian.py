"""
A sparse Hessian in JAX
=======================

For anyone who minimizes in JAX: Newton's method with the sparse Hessian of a discretized energy, here a minimal
surface on a grid. Its sparsity is detected by asdex, and each color costs one Hessian-vector product.

Install: ``pip install 'lagcolor[jax,plot]'``.
"""

import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

import lagcolor

try:
    import asdex
    import jax
    import jax.numpy as jnp
    import matplotlib.pyplot as plt

    from lagcolor.derivatives.asdex import pattern_of
    from lagcolor.derivatives.jax import hessian
except ImportError:
    sys.exit("needs JAX, asdex, matplotlib: pip install 'lagcolor[jax,plot]', or '.[jax,plot]' in a checkout")

jax.config.update("jax_enable_x64", True)
n = 24
edge = jnp.sin(jnp.linspace(0, 3 * jnp.pi, n + 2))


def area(u):
    """Area of the surface over the grid, with the heights of its inner points and a wave along one side."""
    z = jnp.zeros((n + 2, n + 2)).at[0].set(edge).at[1:-1, 1:-1].set(u.reshape(n, n))
    dx, dy = (n + 1) * (z[1:, :-1] - z[:-1, :-1]), (n + 1) * (z[:-1, 1:] - z[:-1, :-1])
    return jnp.sum(jnp.sqrt(1 + dx**2 + dy**2)) / (n + 1) ** 2


# %%
# Color once for all steps, because the pattern does not depend on u.

u = jnp.zeros(n * n)
C = lagcolor.derivatives.hessian(pattern_of(asdex.hessian_sparsity(area, u)))
print(f"{C.n_colors} Hessian-vector products for {n * n} unknowns")
assert C.n_colors == 7
# %%
# The Hessian is a function under `jax.jit` that returns a sparse matrix.

H, gradient = jax.jit(hessian(area, C)), jax.jit(jax.grad(area))
for _ in range(12):
    A = H(u)
    step = spsolve(sp.csc_array((A.data, A.indices.T), shape=A.shape), np.asarray(gradient(u)))
    u = u - 0.9 * step
print(f"area {float(area(u)):.6f}, gradient {float(jnp.abs(gradient(u)).max()):.1e}")
assert float(jnp.abs(gradient(u)).max()) < 1e-10

# %%
# The surface, from above.

plt.contourf(np.asarray(u).reshape(n, n), levels=20)
plt.colorbar(label="height")
plt.title("Heights of the minimal surface")

# %%
# Result: seven products for each Hessian of 576 unknowns, and a gradient of 1e-12 after 12 steps.
