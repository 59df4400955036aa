"""
Luby's algorithm in the operations of semirings
===============================================

For anyone who writes algorithms as linear algebra: Luby's coloring by independent sets (Osama et al. 2019, Algorithm
2), the same text for a CPU and a GPU.

Install: ``pip install 'lagcolor[graphblas]'``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/luby_by_hand.svg"
import numpy as np

import lagcolor
import semirings
from semirings import gt, max_times, plus


def luby(E, A, priorities):
    """Colors from 1 on: each round, the vertices that exceed all their neighbors take a new color."""
    C, weight = E.zeros(A.nrows), E.from_numpy(priorities)
    left, color = A.nrows, 0
    while left:
        color += 1
        max = E.vxm(weight, A, max_times, mask=weight)  # max⟨weight⟩ = weightᵀ max.× A, over a candidate's neighbors
        frontier = E.ewise_add(gt, weight, max)  # frontier = weight > max
        E.assign(C, color, mask=frontier)  # C⟨frontier⟩ = color
        E.assign(weight, 0, mask=frontier)  # weight⟨frontier⟩ = 0, candidates no more
        left -= E.reduce(plus["int64"], frontier)
    return E.to_numpy(C)


# %%
# Every engine gives the same colors.


def compare(G, engines):
    priorities = np.random.default_rng(0).permutation(G.n).astype(np.int32) + 1
    everywhere = []
    for name in engines:
        E = semirings.engine(name)
        colors = luby(E, E.matrix(G.indptr, G.indices, symmetric=True), priorities)
        assert lagcolor.verify(G, colors - 1).ok
        everywhere.append(colors)
        print(f"{colors.max()} colors for {G.n:,} vertices on the engine {name!r}")
    assert all((colors == everywhere[0]).all() for colors in everywhere)


engines = ["cpu"]
if lagcolor.has_gpu():
    import cupy

    engines += ["cupyx"] if cupy.cuda.runtime.is_hip else ["cuda", "cupyx"]  # "cuda" needs an NVIDIA GPU
compare(lagcolor.generate.grid3d(40), engines)

# %%
# Seen: equal colors on all engines.
