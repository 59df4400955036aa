"""
Hubs first, and queues that steal
=================================

For anyone who reads Che et al. 2015: how the hybrid (Algorithm 3) and work stealing (Algorithm 2) color a small graph.
Each round colors an independent set with one color. Degree labelling colors a vertex whose degree exceeds the degree of
each uncolored neighbor, so that hubs go first. When a round colors no vertex, random labelling takes over.

Install: ``pip install 'lagcolor[plot]'``.
"""

import sys

import lagcolor

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")

G = lagcolor.generate.from_spec("barabasi_albert:256,3", seed=1)
hybrid, baseline = (lagcolor.color(G, name, trace=True, verify=True) for name in ("che_hybrid", "che_baseline"))
first = hybrid.notes["degree_rounds"]
print(f"largest degree {G.max_degree}; hybrid: {first} rounds of degree labelling, {hybrid.n_colors} colors")
for row in hybrid.trace:
    active, degree, colored = row["active"], row["max_degree"], row["colored"]
    print(f"{row['phase']:6}: {active:3} active, largest degree {degree:2}, {colored:3} colored")
assert hybrid.trace[first - 1]["colored"] == 0
assert hybrid.trace[5]["max_degree"] < baseline.trace[5]["max_degree"]

# %%
# Work stealing in the first round: four workgroups with eight elements each, of eight rows. An element takes as long as
# its longest row. A workgroup pops at the tail of its own deque, and steals at the head of the next one.

queues, busy, bars = [list(range(8 * q, 8 * q + 8)) for q in range(4)], [0] * 4, []
while any(queues):
    me = busy.index(min(busy))
    victim = next(q % 4 for q in range(me, me + 4) if queues[q % 4])
    element = queues[me].pop() if victim == me else queues[victim].pop(0)
    bars.append((me, busy[me], 1 + int(G.degrees[8 * element : 8 * element + 8].max()), element, victim))
    busy[me] += bars[-1][2]
notes = lagcolor.color(G, "che_work_stealing", queues=4, chunk=8).notes["first_round"]
consumed = [sum(bar[0] == q for bar in bars) for q in range(4)]
print(f"elements consumed by each workgroup: {consumed}, stolen: {notes['steals_won']}")
stolen = sum(me != victim for me, _, _, _, victim in bars)
assert (max(consumed), min(consumed), stolen) == (notes["max"], notes["min"], notes["steals_won"])

# %%
# A picture: the longest row of each round, and the workgroup and time of each element.

fig, (rounds, queue) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
for result, label in ((baseline, "baseline"), (hybrid, "hybrid")):
    degrees = [row["max_degree"] for row in result.trace]
    rounds.plot(range(1, result.rounds + 1), degrees, marker="o", label=label)
rounds.axvline(first + 0.5, color="gray", linestyle=":", label="random labelling begins")
rounds.set(title="largest degree of an active vertex", xlabel="round", xticks=range(1, hybrid.rounds + 1, 2))
rounds.legend(frameon=False)
for me, start, longest, element, victim in bars:
    queue.barh(me, longest, left=start, color="#bbccee" if victim == me else "#cc6677", edgecolor="white")
    queue.text(start + longest / 2, me, element, ha="center", va="center", fontsize=8)
queue.set(
    title="elements by workgroup: popped (blue), stolen (red)",
    ylabel="workgroup",
    xlabel="entries of the longest rows",
    yticks=range(4),
)
fig.savefig("che_hybrid.png")

# %%
# Result: after five rounds the largest remaining degree is 16 with the hybrid and 49 with the baseline. The hybrid uses
# 20 colors, the baseline 16. The first workgroup consumes five of its elements; the others steal three.
