"""
Feluca, one step after the other
================================

For anyone who wants to see how Feluca colors: recursion gives most vertices a color in a few rounds, and sequential
spread colors the rest, one block of threads per color, in a pipeline. The graph is small.

Install: ``pip install 'lagcolor[plot]'``.
"""

import sys

import lagcolor

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")

G = lagcolor.generate.from_spec("kron_g500:7", seed=2)
print(f"{G.n} vertices, {G.n_edges} edges, at most {G.max_degree} of a vertex")

# %%
# Every vertex draws a color. In each round, a vertex with the color of a parent, a neighbor of smaller id, selects a
# new color: the color after the least color of its parents if that is less than their greatest, else the color after
# the greatest. So a vertex needs only two colors. After two rounds that resolve few conflicts, the second stage begins.

result = lagcolor.color(G, "feluca", trace=True, verify=True)
for k, row in enumerate(result.trace, 1):
    print(f"round {k}: {row['active']:3} active, {row['conflicts']:3} in conflict")

# %%
# The last round above is the second stage: vertices in conflict lose their colors. In step s, the block of color c
# processes level s − c of the graph of these vertices, so that each level tries the colors one after the other.

for s, step in enumerate(result.notes["spread"][:8]):
    active, conflicts = step["active"], step["conflicts"]
    print(f"step {s}: {active:3} vertices looked at, {conflicts:3} have a neighbor of that color")

# %%
# Either stage alone: recursion needs more colors, the pipeline more steps.

recursion, pipeline = (lagcolor.color(G, "feluca", fraction=fraction, trace=True) for fraction in (1, 0))
for name, run in {"recursion only": recursion, "sequential only": pipeline, "both": result}.items():
    print(f"{name}: {run.n_colors} colors, {run.rounds} rounds, {len(run.notes.get('spread', []))} steps")
assert recursion.n_colors > result.n_colors > pipeline.n_colors and recursion.rounds > result.rounds
assert len(pipeline.notes["spread"]) > len(result.notes["spread"]) and result.trace[-1]["active"] == 24

# %%
# A picture: bars of the vertices in conflict by round and step.

stages = {"recursion, by round": result.trace[:-1], "pipeline, by step": result.notes["spread"]}
fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for ax, (title, rows) in zip(axes, stages.items(), strict=True):
    ax.bar(range(len(rows)), [row["active"] for row in rows], color="#bbccee", label="active")
    ax.bar(range(len(rows)), [row["conflicts"] for row in rows], color="#cc6677", label="in conflict")
    ax.set(title=title, ylabel="vertices")
    ax.legend(frameon=False)
fig.savefig("feluca.png")

# %%
# Result: 24 of 128 vertices remain after six rounds. Recursion alone uses 48 colors in 41 rounds, the pipeline alone
# 27 colors in 77 steps, and both together 37 colors.
