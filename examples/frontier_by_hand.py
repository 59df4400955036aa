"""
Frontier operators by hand: an algorithm in 30 lines
====================================================

For anyone who writes algorithms on graphs in Gunrock's operators: each round, the vertices that exceed all their
neighbors take the least color that no neighbor has. The same text runs on a CPU and on a GPU.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/frontier_by_hand.svg"
import numpy as np

import lagcolor
import semirings
from lagcolor.frontier.operators import functor, on

# %%
# A functor is a Python function, and the body of the same function in CUDA C++. The operators do the loops.


@functor("return colors[u] < 0 ? p[u] : -1;")
def candidate(v, u, e, colors, p):
    return p[u] if colors[u] < 0 else -1


@functor("return p[v] > x;")
def is_largest(v, x, p):
    return p[v] > x


@functor("return colors[u] >= 0 ? 1ull << colors[u] : 0;")
def color_bit(v, u, e, colors):
    return np.uint64(1) << np.uint64(colors[u]) if colors[u] >= 0 else np.uint64(0)


@functor("int c = 0; while (x >> c & 1) c++; colors[v] = c; return false;")
def take_least(v, x, colors):
    colors[v] = 0
    while x >> np.uint64(colors[v]) & np.uint64(1):
        colors[v] += 1
    return False


@functor("return colors[v] < 0;")
def uncolored(v, colors):
    return colors[v] < 0


def color(G, seed=0):
    ops = on(G)
    p = ops.xp.asarray(np.random.default_rng(seed).permutation(G.n).astype(np.int32))
    colors, F = ops.xp.full(G.n, -1, np.int32), ops.all()
    while ops.size(F):
        frontier = ops.neighbor_reduce(F, candidate, semirings.max, is_largest, colors=colors, p=p)
        ops.neighbor_reduce(frontier, color_bit, semirings.MONOIDS["bor"]["uint64"], take_least, colors=colors)
        F = ops.filter(F, uncolored, colors=colors)
    return colors


# %%
# The colors equal sequential first-fit in the order of falling priority.

G = lagcolor.generate.grid2d(60)
colors = color(G)
p = np.random.default_rng(0).permutation(G.n)
first_fit = lagcolor.color(G, "greedy", order=p)
assert lagcolor.verify(G, colors).ok and (colors == first_fit.colors).all()
print(f"{colors.max() + 1} colors for {G.n:,} vertices, checked: {lagcolor.verify(G, colors).ok}")
print(f"the colors of first-fit: {bool((colors == first_fit.colors).all())}")

# %%
# Seen: five functors and three operators; the operators share out the edges and build the frontiers.
