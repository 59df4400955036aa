"""
Race-free assembly of finite elements
=====================================

For anyone who assembles finite elements in parallel: elements add to the entries of their nodes, and two elements at
one node must not do so at the same time. Elements of one color share no node, so they can add at the same time, without
atomics and without copies.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/mesh_assembly.svg"
import numba
import numpy as np

import lagcolor
from lagcolor.mesh import color_elements

# %%
# A block of 30 × 30 × 30 hexahedra, whose elements and nodes are numbered at random. Eight elements meet at a node, so
# at least eight colors are needed.

n = 30
at = np.arange((n + 1) ** 3).reshape((n + 1,) * 3)
corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
cells = np.stack([at[i : n + i, j : n + j, k : n + k].ravel() for i, j, k in corners], axis=1)
random = np.random.default_rng(0)
cells = random.permutation(at.size)[cells[random.permutation(len(cells))]].astype(np.int32)
result = color_elements(cells)
print(f"{len(cells):,} elements: {result.n_colors} colors of {result.class_sizes.min():,} elements and more")
assert result.n_colors == 8

# %%
# The product with a stiffness matrix that is not stored; all elements have one element matrix. The elements of a color
# are processed in parallel, the colors one after the other.

K, x = random.random((8, 8)), random.random(at.size)


@numba.njit(parallel=True)
def product(cells, offsets, elements, K, x):
    y = np.zeros_like(x)
    for c in range(len(offsets) - 1):
        for i in numba.prange(offsets[c], offsets[c + 1]):
            nodes = cells[elements[i]]
            for a in range(8):
                for b in range(8):
                    y[nodes[a]] += K[a, b] * x[nodes[b]]
    return y


serial = np.zeros_like(x)
np.add.at(serial, cells, x[cells] @ K.T)  # one after the other
parallel = product(cells, *result.groups(), K, x)
print(f"the same as one after the other: {np.allclose(parallel, serial, rtol=1e-12)}")
assert np.allclose(parallel, serial, rtol=1e-12)

# %%
# On a GPU, an indexed sum in CuPy loses a term if two elements add to one node. Within a color it loses nothing.

if lagcolor.has_gpu():
    import cupy as cp

    there = color_elements(cp.asarray(cells))
    y, values = cp.zeros(at.size), cp.asarray(x[cells] @ K.T)
    for elements in there.classes():
        y[cp.asarray(cells)[elements]] += values[elements]
    assert np.allclose(y.get(), serial, rtol=1e-12)
    print("the same on a GPU: True")

# %%
# Result: eight colors of equal size, the smallest possible number, and sums without a race on both devices.
