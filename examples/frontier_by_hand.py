"""
Frontier operators by hand
==========================

For anyone who writes graph algorithms in Gunrock's operators: in each round, the vertices whose priority exceeds the
priorities of all their neighbors take the least color that no neighbor has. The same code runs on a CPU and on a GPU.

Install: ``pip install 'lagcolor[plot]'``.
"""

import sys

import numpy as np

import lagcolor
import semirings
from lagcolor.frontier.operators import functor, on

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")

# %%
# A functor is a Python function, and the body of the same function in CUDA C++. The operators run the loops.


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


# %%
# Each round, ``neighbor_reduce`` finds the frontier and then colors it; ``filter`` keeps the vertices without a color.

G = lagcolor.generate.grid2d(60)
ops = on(G)
p = ops.xp.asarray(np.random.default_rng(0).permutation(G.n).astype(np.int32))
colors, when, F = ops.xp.full(G.n, -1, np.int32), ops.xp.zeros(G.n, np.int32), ops.all()
while ops.size(F):
    frontier = ops.neighbor_reduce(F, candidate, semirings.max, is_largest, colors=colors, p=p)
    ops.neighbor_reduce(frontier, color_bit, semirings.MONOIDS["bor"]["uint64"], take_least, colors=colors)
    F = ops.filter(F, uncolored, colors=colors)
    when += colors < 0

# %%
# The colors equal sequential first-fit in the order of falling priority. No two neighbors are colored in one round.

assert (colors == lagcolor.color(G, "greedy", order=p).colors).all()
assert lagcolor.verify(G, colors).ok and lagcolor.verify(G, when).ok
print(f"{colors.max() + 1} colors for {G.n:,} vertices in {when.max() + 1} rounds, as first-fit")

# %%
# A picture: the round in which each vertex of the grid is colored, and its color.

fig, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, title, values in zip(axes, ("round", "color"), (when, colors), strict=True):
    fig.colorbar(ax.imshow(values.reshape(60, 60)), ax=ax, ticks=range(values.max() + 1))
    ax.set(title=title, xticks=[], yticks=[])
fig.savefig("frontier_by_hand.png")

# %%
# Result: five functors and two operators. Most vertices are colored early; the last ones wait for long paths of rising
# priority.
