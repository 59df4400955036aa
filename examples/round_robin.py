"""
A tournament
============

For anyone who plans matches: teams are vertices, matches are edges, and colors are days.

Install: ``pip install 'lagcolor[nx,plot]'``.
"""

import sys
from itertools import combinations

import lagcolor

try:
    import matplotlib.pyplot as plt
    import networkx as nx
except ImportError:
    sys.exit("needs matplotlib and NetworkX: pip install 'lagcolor[nx,plot]', or '.[nx,plot]' in a checkout")

TEAMS = ["Ant", "Bee", "Cat", "Dog", "Elk", "Fox", "Gnu", "Hen"]

# %%
# Each team meets every other team. No team plays twice on a day.

matches = nx.Graph(list(combinations(TEAMS, 2)))
result = lagcolor.color(matches, problem="edges")
day = result.to_dict()
assert result.n_colors == result.lower_bound == 7
for d in range(result.n_colors):
    print(f"day {d + 1}: {', '.join(f'{a}–{b}' for (a, b), c in day.items() if c == d)}")

# %%
# The matches, in the colors of their days.

plt.suptitle("Matches of eight teams; each color is a day")
hues = [plt.get_cmap("Set1")(day[match]) for match in matches.edges]
nx.draw_circular(matches, with_labels=True, node_color="white", edge_color=hues, width=2)

# %%
# With rules: Ant and Bee open the tournament, Cat and Dog close it, and Elk is away on the first two days.

rules = {
    "fixed": {("Ant", "Bee"): 0, ("Cat", "Dog"): 8},
    "forbidden": {("Elk", other): [0, 1] for other in TEAMS if other != "Elk"},
    "max_colors": 9,
}
ruled = lagcolor.color(matches, problem="edges", **rules)
lagcolor.verify(matches, ruled, problem="edges", **rules)
print(f"with rules: {ruled.n_colors} days")
assert max(ruled.to_dict().values()) == 8
assert all(c > 1 for match, c in ruled.to_dict().items() if "Elk" in match)

# %%
# With an odd number of teams, one team rests each day.

seven = lagcolor.color(matches.subgraph(TEAMS[:7]), problem="edges")
print(f"7 teams: {seven.n_colors} days, certificate: {seven.certificate.kind}")
assert seven.n_colors == seven.lower_bound == 7

# %%
# Result: 8 teams need 7 days, the smallest possible number. 7 teams also need 7 days, because at most 3 of their 21
# matches are possible on a day.
