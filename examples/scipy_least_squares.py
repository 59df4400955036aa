"""
A sparse Jacobian for SciPy
===========================

For anyone who fits or solves with SciPy: `least_squares` computes a Jacobian by finite differences, one evaluation of
the function per group of columns. This needs four evaluations for each Jacobian instead of 5,001.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/scipy_least_squares.svg"
import numpy as np
import scipy.sparse as sp
from scipy.optimize import least_squares

import lagcolor

n = 5_000
pattern = sp.diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1], format="csr")
calls = 0


def broyden(x):
    """Broyden's tridiagonal function: residual i depends on x[i − 1], x[i] and x[i + 1]."""
    global calls
    calls += 1
    padded = np.concatenate([[0], x, [0]])
    return (3 - 2 * x) * x - padded[:-2] - 2 * padded[2:] + 1


# %%
# The pattern is colored once. `fd_jacobian` uses the same steps as SciPy. `least_squares(jac_sparsity=…)` computes its
# own groups of columns, here five, and evaluates the function once for each group.

C = lagcolor.derivatives.jacobian(pattern)
print(f"{C.n_colors} colors")


def jacobian(x):
    return lagcolor.derivatives.fd_jacobian(broyden, x, C)


start = np.full(n, -1.0)
fit = least_squares(broyden, start, jac=jacobian, tr_solver="lsmr")
print(f"cost {fit.cost:.1e} after {fit.njev} Jacobians and {calls} evaluations")
assert fit.cost < 1e-15

# %%
# With SciPy's groups, the solution is the same, with more evaluations.

ours, calls = calls, 0
theirs = least_squares(broyden, start, jac_sparsity=C.for_scipy().structure, tr_solver="lsmr")
print(f"jac_sparsity: {calls} evaluations, the same solution: {np.allclose(fit.x, theirs.x)}")
assert ours < calls

# %%
# Result: 3 colors, and a solution after 5 Jacobians and 25 evaluations of the function; 30 evaluations with
# SciPy's groups.
