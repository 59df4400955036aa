"""
Rounds of messages
==================

For anyone who writes programs for several processes: each process exchanges data with its neighbors, one neighbor at
a time. Pairs of processes are edges, and the pairs of one color exchange their data in the same round.

Install: ``pip install 'lagcolor[nx,plot]'``.
"""

import sys

import numpy as np

import lagcolor

try:
    import matplotlib.pyplot as plt
    import networkx as nx
except ImportError:
    sys.exit("needs matplotlib and NetworkX: pip install 'lagcolor[nx,plot]', or '.[nx,plot]' in a checkout")

# %%
# Processes with a part of a mesh each; parts that touch exchange data.

place = np.random.default_rng(3).random((30, 2))
G = nx.random_geometric_graph(30, 0.28, pos=dict(enumerate(place)))
result = lagcolor.color(G, problem="edges")
u, v = result.edges
print(f"{len(G)} processes, {len(u)} pairs: {result.n_colors} rounds, proved the fewest: {result.optimal}")
assert result.n_colors == max(d for _, d in G.degree)

# %%
# The partner of the process with the most neighbors, in each round.

me = max(G, key=G.degree)
exchanges = [(a, b, c) for (a, b), c in result.to_dict().items() if me in (a, b)]
partners = {c: b if a == me else a for a, b, c in exchanges}
print(f"process {me}:", [partners[c] for c in range(result.n_colors)])
assert set(partners.values()) == set(G[me])

# %%
# A picture: all rounds, and each of the first three.

fig, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained")
for ax, rounds in zip(axes, (range(result.n_colors), [0], [1], [2]), strict=True):
    for a, b, c in zip(u, v, result.edge_colors, strict=True):
        if c in rounds:
            ax.plot(*place[[a, b]].T, color=plt.get_cmap("tab20")(c % 20), linewidth=2)
    ax.scatter(*place.T, s=25, color="black", zorder=2)
    ax.set(title=f"round {rounds[0]}" if len(rounds) == 1 else "all rounds", xticks=[], yticks=[])
fig.savefig("communication_rounds.png")

# %%
# Result: the number of rounds is the largest number of neighbors, so no schedule has fewer rounds.
