"""
Hash coloring on one small graph
================================

For anyone who reads Osama et al. 2019: how their Algorithm 6 colors a graph in rounds. Every uncolored vertex proposes
the uncolored vertices of the greatest and of the least priority in its neighborhood. A proposed vertex reuses a color
that its hash table does not forbid, or else takes a new color. If two neighbors have the same color, one of them loses
it. A table has a fixed number of entries and ignores colors when it is full.

Install: ``pip install 'lagcolor[plot]'``.
"""

import sys

import numpy as np

import lagcolor

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")

side = 8
G = lagcolor.generate.stencil27(side, side, 1)  # a grid whose cells have both diagonals
x, y = np.arange(G.n) % side, np.arange(G.n) // side

# %%
# A small table ignores colors. A vertex then tries the color of a neighbor, loses it, and takes a new color.

pictures, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
rows, found = [("gunrock_is", {}), ("gunrock_hash", {"table": 1}), ("gunrock_hash", {"table": 32})], []
for ax, (algorithm, options) in zip(axes, rows, strict=True):
    result = lagcolor.color(G, algorithm, trace=True, verify=True, **options)
    conflicts = sum(row["conflicts"] for row in result.trace)
    found.append((result, conflicts))
    title = " ".join([algorithm, *(f"{name}={value}" for name, value in options.items())])
    print(f"{title}: {result.n_colors} colors in {result.rounds} rounds, {conflicts} conflicts")
    for row in result.trace:
        print(f"    {row['active']} uncolored vertices, {row['colored']} get a color")
    source = np.repeat(np.arange(G.n), np.diff(G.indptr))
    ax.plot([x[source], x[G.indices]], [y[source], y[G.indices]], color="lightgray", linewidth=0.5, zorder=0)
    ax.scatter(x, y, c=result.colors, cmap="tab20", s=120)
    ax.set_title(f"{title}: {result.n_colors} colors")
    ax.set_axis_off()
pictures.savefig("osama_hash.png")

# %%
# Each round of independent sets uses new colors and has no conflicts. The large table uses fewer colors and rounds.

(sets, none), (small, many), (large, some) = found
colored = np.cumsum([row["colored"] for row in sets.trace])
assert {*colored} <= {*np.cumsum(np.bincount(sets.colors))} and none == 0 < some < many
assert large.n_colors < min(sets.n_colors, small.n_colors) and large.rounds < min(sets.rounds, small.rounds)

# %%
# Result: with the hash table, later rounds reuse colors, which independent sets do not. A table of one entry has more
# than twice as many conflicts, and 13 colors instead of 7.
