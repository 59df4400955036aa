"""
lagcolor's algebra and python-graphblas
=======================================

For anyone who knows GraphBLAS: three colorings of Osama et al. 2019 in the operations of `semirings`, and the same in
plain python-graphblas, with equal colors and both times.

Install: ``pip install 'lagcolor[graphblas]'``.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/compare_with_graphblas.svg"
import sys
from time import perf_counter

import numpy as np

import lagcolor

try:
    import graphblas as gb
    from graphblas import binary, monoid, semiring
except ImportError:
    sys.exit("needs python-graphblas: pip install 'lagcolor[graphblas]', or '.[graphblas]' in a checkout")


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


G = lagcolor.generate.stencil27(30)
A = gb.Matrix.from_csr(G.indptr, G.indices, True, ncols=G.n)
p = np.random.default_rng(0).permutation(G.n).astype(np.int32)
by_hand = (independent_sets, maximal_independent_sets, jones_plassmann)
for name, color in zip(("luby_is", "luby_mis", "jones_plassmann_gb"), by_hand, strict=True):
    lagcolor.color(lagcolor.generate.rmat(8), name)  # compiles or loads the code
    result = lagcolor.color(G, name, order=p)
    start, c = perf_counter(), gb.Vector.from_scalar(0, G.n, "INT32")
    color(A, gb.Vector.from_dense(p + np.int32(1)), c)
    seconds = perf_counter() - start
    assert (c.to_dense() == result.colors + 1).all()
    print(f"{name}: {result.n_colors} colors; verbs {result.seconds:.3f} s, python-graphblas {seconds:.3f} s")

# %%
# Seen: the same colors from both, and times of the same magnitude, as both run on SuiteSparse:GraphBLAS.
