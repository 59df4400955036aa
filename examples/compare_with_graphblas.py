"""
lagcolor's algebra and python-graphblas
=======================================

For anyone who knows GraphBLAS: the three GraphBLAS colorings of Osama et al. 2019 in plain python-graphblas, with the
colors of the library, which writes them in the operations of `semirings`.

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


def frontier(A, w):
    t = semiring.max_first(w @ A).new(mask=w.V)
    return w.ewise_add(t, binary.gt).new()


def take(c, w, f, k):
    c(mask=f.V) << k
    w(mask=f.V) << 0
    return f.reduce(monoid.plus["INT64"]).value


def independent_sets(A, w, c):
    left, k = w.size, 1
    while left:
        left, k = left - take(c, w, frontier(A, w), k), k + 1


def maximal_independent_sets(A, p, c):
    left, k = p.size, 0
    while left:
        k += 1
        w = p.dup()
        w(mask=c.V) << 0
        while w.reduce(monoid.max).value:
            f = frontier(A, w)
            left -= take(c, w, f, k)
            w(mask=semiring.lor_land(f @ A).new(mask=w.V).V) << 0


def jones_plassmann(A, w, c):
    left = w.size
    while left:
        f = frontier(A, w)
        taken = set(c.dup(mask=semiring.lor_land(f @ A).new(mask=c.V).V).to_coo()[1].tolist())
        left -= take(c, w, f, min(set(range(1, len(taken) + 2)) - taken))


# %%
# The colors of both, and a picture: how many vertices have each color.

G = lagcolor.generate.stencil27(30)
A = gb.Matrix.from_csr(G.indptr, G.indices, True, ncols=G.n)
p = np.random.default_rng(0).permutation(G.n).astype(np.int32)
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
by_hand = (independent_sets, maximal_independent_sets, jones_plassmann)
for name, color in zip(("luby_is", "luby_mis", "jones_plassmann_gb"), by_hand, strict=True):
    c = gb.Vector.from_scalar(0, G.n, "INT32")
    color(A, gb.Vector.from_dense(p + np.int32(1)), c)
    result = lagcolor.color(G, name, order=p, verify=True)
    assert (c.to_dense() - 1 == result.colors).all()
    print(f"{name}: {result.n_colors} colors, the same in python-graphblas")
    ax.plot(np.bincount(result.colors), marker=".", label=f"{name}: {result.n_colors} colors")
ax.set(title=f"size of each color class, {G.n:,} vertices", xlabel="color")
ax.legend(frameon=False)
fig.savefig("compare_with_graphblas.png")

# %%
# Seen: 51, 17 and 48 colors. The first maximal set has twice as many vertices as the first set of the others, which
# differ in the last sets alone.
