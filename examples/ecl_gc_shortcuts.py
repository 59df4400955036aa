"""
Shortcuts 1 and 2 on the paper's example
========================================

For anyone who reads Alabandi and Burtscher 2022: the steps of ECL-GC on the graph of their Figures 1, 3 and 6. An edge
points from the earlier to the later vertex. A vertex with k earlier neighbors stores the possible colors among its
first k + 1. When one possible color remains, the vertex takes it.

Install: ``pip install 'lagcolor[plot]'``.
"""

import sys

import numpy as np

import lagcolor

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")

pending = {"A": "", "B": "A", "C": "B", "D": "ABC", "E": "ABCD", "F": "ACDE", "G": "ABC"}  # earlier neighbors
edges = [(u, v) for v in pending for u in pending[v]]
possible = {v: set(range(len(pending[v]) + 1)) for v in pending}

# %%
# In a step each vertex reads the possible colors of its earlier neighbors, as they were before the step.
#
# Shortcut 1: a vertex takes its best possible color if no earlier neighbor without a color may take it.
#
# Shortcut 2: an edge is removed if its ends have no possible color in common; with it, the later vertex loses its worst
# possible color.

history = [(possible.copy(), pending.copy())]
while any(len(colors) > 1 for colors in possible.values()):
    seen = {v: set(colors) for v, colors in possible.items()}
    for v in [v for v in pending if len(seen[v]) > 1]:
        mine = seen[v].difference(*(seen[u] for u in pending[v] if len(seen[u]) == 1))
        left = [u for u in pending[v] if len(seen[u]) > 1]
        if min(mine) not in set().union(*(seen[u] for u in left)):
            print(f"step {len(history)}, {v}: {'shortcut 1' if left else 'nothing is pending'}")
            mine, left = {min(mine)}, []
        for u in [u for u in left if not mine & seen[u]]:
            print(f"step {len(history)}, {v}: shortcut 2 removes the edge from {u}")
            mine, left = mine - {max(mine)}, [w for w in left if w != u]
        possible[v], pending[v] = mine, "".join(left)
    history.append((possible.copy(), pending.copy()))

# %%
# The library takes the same number of steps, and more without shortcuts. Its colors are the same.

G = lagcolor.Graph.of(tuple(np.array([[ord(u) - ord("A"), ord(v) - ord("A")] for u, v in edges]).T))
quick, plain = (lagcolor.color(G, "ecl_gc", "natural", shortcuts=s, trace=True) for s in ("both", "none"))
print(f"{quick.rounds - 1} steps with shortcuts, {plain.rounds - 1} without")
assert [*quick.colors] == [*plain.colors] == [min(c) for c in possible.values()]
assert len(history) == quick.rounds

# %%
# A picture: dark edges are pending, squares are the possible colors, and step 0 is the initialization.

names, turns = ("tomato", "deepskyblue", "orange", "orchid", "gold"), 2 * np.pi * np.arange(7) / 7
at = dict(zip(pending, zip(np.sin(turns), np.cos(turns), strict=True), strict=True))
fig, axes = plt.subplots(1, len(history), figsize=(14, 3.9), layout="constrained")
for step, (ax, (colors, waits)) in enumerate(zip(axes, history, strict=True)):
    for u, v in edges:
        how = {"color": "black" if u in waits[v] else "lightgray", "shrinkA": 11, "shrinkB": 11}
        ax.annotate("", at[v], at[u], arrowprops=how | {"arrowstyle": "-|>"})
    for v, (x, y) in at.items():
        side, squares = round(x), [names[c] for c in sorted(colors[v])]  # next to, above or below the vertex
        circle = {"boxstyle": "circle", "facecolor": "white" if squares[1:] else squares[0]}
        ax.text(x, y, v, ha="center", va="center", bbox=circle)
        places = x + 0.28 * side + 0.07 * (side - 1) * (len(squares) - 1) + 0.14 * np.arange(len(squares))
        ax.scatter(places, np.full(len(squares), y if side else 1.3 * y), s=60, marker="s", color=squares)
    ax.set(title=f"step {step}", xlim=(-2, 2), ylim=(-1.4, 1.4), frame_on=False, xticks=[], yticks=[])
fig.savefig("ecl_gc_shortcuts.png")

# %%
# Result: three steps instead of five. D, F and G take shortcut 1, and shortcut 2 removes the edge from C to E.
