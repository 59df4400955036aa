"""
A matrix on a GPU
=================

For anyone who solves on a GPU: color a CuPy matrix there. The colors stay on the GPU; only their number is copied to
the CPU.

Install: ``pip install 'lagcolor[cuda13]'``, or ``cuda12``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/on_the_gpu.svg"
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
# The seven-point Laplacian on a 100 × 100 × 100 grid.
line = cpsp.diags([-1, 2, -1], [-1, 0, 1], shape=(100, 100))
one = cpsp.identity(100)
plane = cpsp.kron(line, one) + cpsp.kron(one, line)
A = cpsp.csr_matrix(cpsp.kron(plane, one) + cpsp.kron(cpsp.identity(10_000), line))

# %%
# The colors are a CuPy array.

result = lagcolor.color(A)
print(result)

assert isinstance(result.colors, cp.ndarray) and result.n_colors == 2
print(f"{result.n_colors} colors on {result.device}; sizes {result.class_sizes}")
for rows in result.classes():
    assert A[rows][:, rows].nnz == len(rows)  # nothing but the diagonal

# %%
# Result on a GPU: 2 colors for a million unknowns. The matrix of each class is diagonal.
