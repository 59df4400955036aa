"""
A worklist in both modes
========================

For anyone who reads "A Hybrid Graph Coloring Algorithm for GPUs": the rounds of IPGC on a small graph, if all threads
take each step at once, and the rounds of the library. A round has two steps. Assign: each vertex of the worklist takes
the least color that no neighbor has. Conflict: of two neighbors of one color the one of larger id loses it, and is on
the next worklist.

Install: ``pip install 'lagcolor[plot]'``.
"""

import sys

import numpy as np

import lagcolor

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")

G, H = lagcolor.generate.from_spec("uniform:64,5", seed=1), 0.6
near = np.split(G.indices, G.indptr[1:-1])

# %%
# Over H · n vertices on the worklist, a round goes over all vertices and picks those without a color (topology-driven);
# then it goes over the worklist (data-driven). The worklist is kept in both modes, so that the switch costs nothing.

colors, worklist, rounds, rows = np.full(G.n, -1), np.arange(G.n), [], []
while len(worklist):
    topology = len(worklist) > H * G.n
    walk = np.flatnonzero(colors < 0) if topology else worklist
    assert np.array_equal(walk, worklist)
    colors[walk] = [min(set(range(G.n)).difference(colors[near[v]].tolist())) for v in walk]
    loses = np.array([any(u < v and colors[u] == colors[v] for u in near[v]) for v in walk])
    rounds.append(("topology" if topology else "data", len(walk), int(loses.sum())))
    worklist = walk[loses]
    colors[worklist] = -1
    rows.append(colors.copy())
    print(f"round {len(rows):2}, {rounds[-1][0]}-driven: {len(walk):2} assigned, {len(worklist):2} in conflict")

# %%
# The coloring is proper. The first vertex of a worklist keeps its color, so that there are ever fewer.

lagcolor.verify(G, colors)
modes, active, conflicts = (list(column) for column in zip(*rounds, strict=True))
assert all(b < a for a, b in zip(active, conflicts, strict=True)) and modes == sorted(modes, reverse=True)
print(f"{colors.max() + 1} colors in {len(rounds)} rounds")

# %%
# The library's threads read colors while others write them, on a CPU and on a GPU. Which neighbors choose at once
# depends on the machine, so that a run with conflicts cannot be repeated. Its rounds are as above in every run. One
# thread has no conflict.

large = lagcolor.generate.stencil27(1000, 1000, 1)
for threads in (1, 16):
    result = lagcolor.color(large, "ipgc", H=H, threads=threads, trace=True, verify=True)
    print(f"{threads:2} threads:", *(f"{row['mode']}, {row['conflicts']} conflicts;" for row in result.trace))
    assert [row["active"] for row in result.trace[1:]] + [0] == [row["conflicts"] for row in result.trace]
    assert all((row["mode"] == "topology") == (row["active"] > H * large.n) for row in result.trace)
    assert all(row["conflicts"] < row["active"] for row in result.trace) and (threads > 1 or result.rounds == 1)

# %%
# A picture: the length of the worklist, and the colors of all vertices after each round.

fig, (length, state) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
for mode, color in (("topology", "#bbccee"), ("data", "#cc6677")):
    at = [k + 1 for k, name in enumerate(modes) if name == mode]
    length.bar(at, [active[k - 1] for k in at], color=color, label=f"{mode}-driven")
length.axhline(H * G.n, color="gray", linestyle=":", label=f"H · n = {H * G.n:g}")
length.set(title="vertices on the worklist", xlabel="round")
length.legend(frameon=False)
shown = np.ma.masked_less(rows, 0)
place = (0, G.n, len(rows) + 0.5, 0.5)
state.imshow(shown, cmap="tab10", vmax=9, aspect="auto", interpolation="none", extent=place)
state.set(title="colors after each round (white: none)", xlabel="vertex", ylabel="round")
fig.savefig("ipgc_worklist.png")

# %%
# Seen: three rounds are topology-driven, the five others data-driven. Vertices of small id have colors first, since
# they win conflicts. With 16 threads some runs of the library have conflicts, and a second round, which is data-driven.
