"""
A worklist in both modes
========================

For anyone who reads "A Hybrid Graph Coloring Algorithm for GPUs": the rounds of IPGC on a small graph, if all threads
take each step at once, and the rounds of the library. A round has two steps. Assign: each vertex of the worklist takes
the least color that no neighbor has. Conflict: if two neighbors have one color, the neighbor with the larger id loses
it and joins the next worklist.

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
# If the worklist has more than H · n vertices, a round visits all vertices and selects uncolored ones
# (topology-driven). Otherwise it visits the worklist (data-driven). Both modes update the worklist, so that the switch
# costs nothing.

colors, worklist, rounds, rows = np.full(G.n, -1), np.arange(G.n), [], []
while len(worklist):
    topology = len(worklist) > H * G.n
    active = np.flatnonzero(colors < 0) if topology else worklist
    assert np.array_equal(active, worklist)
    colors[active] = [min(set(range(G.n)).difference(colors[near[v]].tolist())) for v in active]
    loses = np.array([any(u < v and colors[u] == colors[v] for u in near[v]) for v in active])
    rounds.append(("topology" if topology else "data", len(active), int(loses.sum())))
    worklist = active[loses]
    colors[worklist] = -1
    rows.append(colors.copy())
    print(f"round {len(rows):2}, {rounds[-1][0]}-driven: {len(active):2} assigned, {len(worklist):2} in conflict")

# %%
# The coloring is proper. The first vertex of a worklist keeps its color, so that each worklist is shorter.

lagcolor.verify(G, colors)
modes, sizes, conflicts = (list(column) for column in zip(*rounds, strict=True))
assert all(b < a for a, b in zip(sizes, conflicts, strict=True)) and modes == sorted(modes, reverse=True)
print(f"{colors.max() + 1} colors in {len(rounds)} rounds")

# %%
# The library's threads read colors while others write them, on a CPU and on a GPU. Conflicts depend on the timing of
# the threads, so that a run with conflicts cannot be repeated. The rounds have the same steps in every run. One thread
# has no conflict.

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
    length.bar(at, [sizes[k - 1] for k in at], color=color, label=f"{mode}-driven")
length.axhline(H * G.n, color="gray", linestyle=":", label=f"H · n = {H * G.n:g}")
length.set(title="vertices on the worklist", xlabel="round")
length.legend(frameon=False)
shown = np.ma.masked_less(rows, 0)
place = (0, G.n, len(rows) + 0.5, 0.5)
state.imshow(shown, cmap="tab10", vmax=9, aspect="auto", interpolation="none", extent=place)
state.set(title="colors after each round (white: none)", xlabel="vertex", ylabel="round")
fig.savefig("ipgc_worklist.png")

# %%
# Result: three rounds are topology-driven, and the other five are data-driven. Vertices of small id are colored first,
# because they win conflicts. With 16 threads, some runs of the library have conflicts and a data-driven second round.
