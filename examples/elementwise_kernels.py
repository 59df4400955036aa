"""
The algorithms as ElementwiseKernels of CuPy
============================================

For anyone who has a GPU that CuPy supports, also AMD's: the colorings named ``elementwise_…`` consist of CuPy's
ElementwiseKernels, one thread per vertex. Each gives the colors of another row of the table of algorithms.

Install: ``pip install 'lagcolor[cuda13]'``, ``cuda12``, or CuPy for another GPU.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/elementwise_kernels.svg"
import numpy as np

import lagcolor

if lagcolor.has_gpu():
    G = lagcolor.generate.grid2d(12)
    for name, row in lagcolor.ALGORITHMS.items():
        if not name.startswith("elementwise_"):
            continue
        result = lagcolor.color(G, name, device="cuda", verify=True)
        same = np.array_equal(result.to_numpy(), lagcolor.color(G, row.variant_of, device="cpu").colors)
        assert same
        print(f"{name}: {result.n_colors} colors, equal to {row.variant_of}: {same}")
else:
    print("nothing to show: the kernels need a GPU")

# %%
# Seen: the same colors as the rows that these are variants of.
