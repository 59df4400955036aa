"""
lagcolor's algebra and python-graphblas
=======================================

For anyone who knows GraphBLAS: the three GraphBLAS colorings of Osama et al. 2019 in plain python-graphblas. The colors
equal those from lagcolor, which writes the algorithms in the operations of `semirings`.

Install: ``pip install 'lagcolor[graphblas,plot]'``.
"""

import sys

import numpy as np

import lagcolor

try:
    import graphblas as gb
    import matplotlib.pyplot as plt
    from graphblas import binary, monoid, semiring
except ImportError as e:
    sys.exit(f"needs {e.name}: pip install 'lagcolor[graphblas,plot]', or '.[graphblas,plot]' in a checkout")


def local_maxima(A, weight):
    max = semiring.max_first(weight @ A).new(mask=weight.V)
    return weight.ewise_add(max, binary.gt).new()


def take(C, weight, frontier, color):
    C(mask=frontier.V) << color
    weight(mask=frontier.V) << 0
    return frontier.reduce(monoid.plus["INT64"]).value


def independent_sets(A, weight, C):
    left, color = weight.size, 0
    while left:
        color += 1
        left -= take(C, weight, local_maxima(A, weight), color)


def maximal_independent_sets(A, first, C):
    left, color = first.size, 0
    while left:
        color += 1
        weight = first.dup()
        weight(mask=C.V) << 0
        while weight.reduce(monoid.max).value:
            frontier = local_maxima(A, weight)
            left -= take(C, weight, frontier, color)
            weight(mask=semiring.lor_land(frontier @ A).new(mask=weight.V).V) << 0


def jones_plassmann(A, weight, C):
    left = weight.size
    while left:
        frontier = local_maxima(A, weight)
        n = set(C.dup(mask=semiring.lor_land(frontier @ A).new(mask=C.V).V).to_coo()[1].tolist())
        left -= take(C, weight, frontier, min(set(range(1, len(n) + 2)) - n))


# %%
# The colors of both packages, and a picture of the number of vertices of each color.

G = lagcolor.generate.stencil27(30)
A = gb.Matrix.from_csr(G.indptr, G.indices, True, ncols=G.n)
p = np.random.default_rng(0).permutation(G.n).astype(np.int32)
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
by_hand = (independent_sets, maximal_independent_sets, jones_plassmann)
for name, color_by_hand in zip(("luby_is", "luby_mis", "jones_plassmann_gb"), by_hand, strict=True):
    C = gb.Vector.from_scalar(0, G.n, "INT32")
    color_by_hand(A, gb.Vector.from_dense(p + np.int32(1)), C)
    result = lagcolor.color(G, name, order=p, verify=True)
    assert (C.to_dense() - 1 == result.colors).all()
    print(f"{name}: {result.n_colors} colors, the same in python-graphblas")
    ax.plot(np.bincount(result.colors), marker=".", label=f"{name}: {result.n_colors} colors")
ax.set(title=f"size of each color class, {G.n:,} vertices", xlabel="color")
ax.legend(frameon=False)
fig.savefig("compare_with_graphblas.png")

# %%
# Result: 51, 17 and 48 colors. The first maximal set has twice as many vertices as the first sets of the other two
# algorithms, which differ only in the last sets.
