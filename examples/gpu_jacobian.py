"""
A sparse Jacobian on a GPU
==========================

For anyone who solves on a GPU: compress and decompress a Jacobian. Its pattern, colors, products and entries stay on
the GPU.

Install: ``pip install 'lagcolor[cuda13]'``, or ``cuda12``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/gpu_jacobian.svg"
import sys

import lagcolor

try:
    lagcolor.generate.path(2, device="cuda")
except lagcolor.DeviceError as e:
    print(f"nothing to show: {e}")
    sys.exit(0)

import cupy as cp
import cupyx.scipy.sparse as cpsp

# %%
# A convection–diffusion operator on a 500 × 500 grid.
line = cpsp.diags([-1.5, 2.0, -0.5], [-1, 0, 1], shape=(500, 500))
one = cpsp.identity(500)
A = cpsp.csr_matrix(cpsp.kron(line, one) + cpsp.kron(one, line))

# %%
# One product for each color. A solver would call its linearized code with each column of ``C.seeds()``.

C = lagcolor.derivatives.jacobian(A)
print(C)
B = C.compress(A)
back = C.decompress(B)
assert isinstance(back.data, cp.ndarray)
print(f"{C.n_colors} products of {A.shape[1]:,}, largest difference {float(abs(back - A).max())}")

# %%
# Result on a GPU: the recovered entries equal the original ones, from one product per color.
